"""Indexes that many tests read: each is built once, for all processes that test."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock

from argsearch.engine.config import load_config
from argsearch.indexer.building.build import BuildRequest, build
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.parts.adding import add_parts

SAMPLE = Path(__file__).parent.parent / "indexer" / "sample" / "arguments.json"


def document(
    id: str, conclusion: str | None, *premises: str, stance: str | None = None, **context: str
) -> dict[str, Any]:
    """A document of a corpus, all of whose premises have the stance."""
    given = [{"text": text, "stance": stance} for text in premises]
    return {"id": id, "conclusion": conclusion, "premises": given, "context": context}


def indexed(
    folder: Path, documents: Iterable[dict[str, Any]], settings: IndexSettings | None = None
) -> Path:
    """Build an index of some documents in a folder, without settings as a library's user does."""
    corpus, out = folder / "corpus.jsonl", folder / "index"
    corpus.write_text("".join(json.dumps(one) + "\n" for one in documents), encoding="utf-8")
    build(BuildRequest([str(corpus)], out, settings or IndexSettings()))
    return out


@dataclass(frozen=True, slots=True)
class Built:
    """The indexes of a session, by what they are made of; not to be written to."""

    folder: Path

    def __call__(
        self,
        corpus: Path = SAMPLE,
        settings: IndexSettings | None = None,
        *,
        added: Sequence[str] = (),
    ) -> Path:
        """Return the index of a corpus by these settings, to which parts were added later.

        Without settings it is that of `argsearch index`.
        """
        settings = settings or load_config("default").index
        content = hashlib.sha256(corpus.read_bytes()).hexdigest()
        known = json.dumps([corpus.name, content, asdict(settings), list(added)], sort_keys=True)
        out = self.folder / hashlib.sha256(known.encode()).hexdigest()[:16] / "index"
        out.parent.mkdir(exist_ok=True)
        with FileLock(out.with_suffix(".lock")):  # ends with its process
            if out.exists():
                return out
            making = out.with_name("making")  # of one that was stopped in between
            shutil.rmtree(making, ignore_errors=True)
            if added:
                shutil.copytree(self(corpus, settings), making)
                add_parts(making, added)
            else:
                build(BuildRequest([str(corpus)], making, settings))
            making.rename(out)
        return out
