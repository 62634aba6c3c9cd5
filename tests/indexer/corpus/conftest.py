"""Files of every form and packing, and arguments to put in them."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import zstandard

from argsearch.indexer.corpus import Argument, ReadReport, read


def zipped(data: bytes, name: str = "corpus") -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data)
    return stream.getvalue()


PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": partial(gzip.compress, mtime=0),
    ".xz": lzma.compress,
    ".zst": zstandard.ZstdCompressor(write_checksum=True).compress,
    ".zip": zipped,
}


@pytest.fixture(params=PACKINGS, ids=lambda suffix: suffix or "plain")
def packing(request: pytest.FixtureRequest) -> tuple[str, Callable[[bytes], bytes]]:
    """A suffix, and how its bytes are made."""
    return request.param, PACKINGS[request.param]


@pytest.fixture
def documents() -> list[dict[str, Any]]:
    """Three hundred good documents, no two alike."""
    return [
        {
            "id": f"d{i}",
            "conclusion": f"conclusion {i % 7}",
            "premises": [{"text": f"premise {i} " * (i % 5 + 1), "stance": ("PRO", "CON")[i % 2]}],
            "context": {"topic": f"t{i % 3}", "number": i},
        }
        for i in range(300)
    ]


@pytest.fixture
def reading(tmp_path: Path) -> Callable[..., tuple[list[Argument], ReadReport]]:
    """Writes bytes under a name, reads them, gives the arguments and the report."""

    def write_and_read(name: str, data: bytes, **options: Any) -> tuple[list[Argument], ReadReport]:
        (tmp_path / name).write_bytes(data)
        report = ReadReport()
        return list(read(tmp_path / name, report=report, **options)), report

    return write_and_read


@pytest.fixture
def as_lines(documents: list[dict[str, Any]]) -> bytes:
    """The good documents as JSON Lines."""
    return b"".join(json.dumps(document).encode() + b"\n" for document in documents)


@pytest.fixture
def as_json(documents: list[dict[str, Any]]) -> bytes:
    """The good documents as args.me JSON."""
    return json.dumps({"arguments": documents}).encode()
