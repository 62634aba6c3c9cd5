"""Builds and asks Lucene itself: the referee of tokens and scores.

The small Java program in `lucene/` is built once by Maven (Lucene from Maven Central) into
`.cache/lucene/` at the root of the repository, and again when its sources change.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SOURCES = Path(__file__).resolve().parent / "lucene"
CACHE = ROOT / ".cache" / "lucene"
JDK = 21
"""The oldest Java that Lucene 10 runs on."""


class RefereeMissing(RuntimeError):
    """Java or Maven is absent; the message says what to install."""


def _version(home: Path) -> int:
    """The major version of a JDK folder; 0 when it is none."""
    release = home / "release"
    if not (home / "bin" / "javac").exists() or not release.exists():
        return 0
    found = re.search(r'JAVA_VERSION="(\d+)', release.read_text(encoding="utf-8"))
    return int(found.group(1)) if found else 0


def _homes() -> Iterable[Path]:
    if home := os.environ.get("JAVA_HOME"):
        yield Path(home)
    if javac := shutil.which("javac"):
        yield Path(javac).resolve().parents[1]
    yield from sorted(Path("/usr/lib/jvm").glob("*"))


@cache
def java_home() -> Path:
    """A JDK of version 21 or newer from JAVA_HOME, PATH or /usr/lib/jvm.

    Raises RefereeMissing when there is none.
    """
    for home in _homes():
        if _version(home) >= JDK:
            return home
    raise RefereeMissing(f"install a JDK {JDK} or newer (or set JAVA_HOME) to ask Lucene")


@cache
def classpath() -> str:
    """Builds the referee when needed; the Java class path that runs it."""
    digest = hashlib.sha256()
    for path in sorted(path for path in SOURCES.rglob("*") if path.suffix in (".java", ".xml")):
        digest.update(path.read_bytes())
    target = CACHE / digest.hexdigest()[:16]
    if not (target / "built").exists():
        _build(target)
    return os.pathsep.join([str(target / "classes"), str(target / "lib" / "*")])


def _build(target: Path) -> None:
    maven = shutil.which("mvn")
    if maven is None:
        raise RefereeMissing("install Maven to build the Lucene referee")
    command = [maven, "-q", "-B", "-f", str(SOURCES / "pom.xml"), "process-classes"]
    done = subprocess.run(
        [*command, f"-Dreferee.target={target}"],
        env={**os.environ, "JAVA_HOME": str(java_home())},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RefereeMissing(f"Maven could not build the Lucene referee: {done.stdout[-600:]}")
    (target / "built").touch()


def _ask(*arguments: str, lines: Iterable[str] = ()) -> list[Any]:
    """Run one command; its JSON lines."""
    java = java_home() / "bin" / "java"
    done = subprocess.run(
        [str(java), "-Xmx4g", "-cp", classpath(), "referee.Referee", *arguments],
        input="".join(f"{line}\n" for line in lines).encode("utf-8"),
        capture_output=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"the referee failed: {done.stderr.decode()[-2000:]}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def lucene_tokens(texts: Iterable[str]) -> list[list[str]]:
    """The tokens of each text by Lucene's StandardAnalyzer without stop words."""
    return _ask("tokens", lines=map(json.dumps, texts))


def lucene_automaton() -> dict[str, Any]:
    """The tables of Lucene's tokenizer: classes of code points, steps, where a token may end."""
    return dict(_ask("automaton")[0])


def lucene_scores(
    docs: Iterable[tuple[str, str]], queries: Sequence[str], k: int | None = None, mu: float = 2000
) -> list[list[tuple[str, float]]]:
    """For each query the best k (None: all that match) as (id, score) by LMDirichletSimilarity.

    docs: (id, text), indexed in the order of the ids, so that equal scores are ordered by id. A
    query is analysed as the documents are; each of its tokens is an optional term, repeated ones
    count each time.
    """
    with tempfile.TemporaryDirectory(prefix="lucene-referee-") as folder:
        corpus, topics = Path(folder, "docs.jsonl"), Path(folder, "queries.jsonl")
        with corpus.open("w", encoding="utf-8") as stream:
            for name, text in sorted(docs):
                stream.write(json.dumps({"id": name, "text": text}) + "\n")
        topics.write_text("".join(json.dumps(query) + "\n" for query in queries), "utf-8")
        depth = str(2**31 - 1 if k is None else k)
        answers = _ask("scores", str(corpus), repr(float(mu)), str(topics), depth)
    return [[(name, score) for name, score in hits] for hits in answers]
