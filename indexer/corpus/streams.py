"""Reads the bytes of a source in blocks, counts and hashes them as stored, and decompresses them.

Decompression never holds more than a few blocks: xz, gzip and Zstandard get `PIECE` bytes at a
time, so that even a malicious compression ratio does not fill the memory. A stream that is cut off
or damaged raises StreamFault with the position reached. The libraries' own readers of Zstandard and
gzip would stop silently or raise a bare EOFError.
"""

from __future__ import annotations

import lzma
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO

from argsearch.indexer.corpus.ids import in_utf8
from argsearch.indexer.corpus.report import CorpusError, SourceReport, StreamFault, shown

BYTES_READ = 1 << 18
"""Number of bytes to read at a time."""
PIECE = 1 << 12
"""Number of compressed bytes to give to a decompressor at a time."""
WINDOW = 1 << 31
"""Largest window, in bytes, that a compressed stream may require of its decompressor."""
FORM_BYTES = 1 << 16
"""Number of bytes used to detect a form."""

_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_MAGIC: dict[bytes, str] = {
    b"\x1f\x8b": "gz",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zst",
    **{bytes([0x50 + i]) + b"\x2a\x4d\x18": "zst" for i in range(16)},
}
_FOREIGN = {
    **dict.fromkeys(_ZIP, "zip (its content is not a plain file, or is compressed twice)"),
    b"BZh": "bzip2",
    b"7z\xbc\xaf\x27\x1c": "7-Zip",
    b"Rar!": "RAR",
    b"%PDF": "PDF",
}


def raw_blocks(stream: BinaryIO, report: SourceReport) -> Iterator[bytes]:
    """Yield the blocks of a binary stream; count their bytes in the report, and set its SHA-256.

    Every block except the last is full. Several short reads fill a block, so Ctrl-C is noticed.
    """
    read, digest = getattr(stream, "read1", stream.read), sha256()
    while True:
        pieces, left = list[bytes](), BYTES_READ
        while left and (piece := read(left)):
            pieces.append(piece)
            left -= len(piece)
        block = b"".join(pieces)
        if not block:
            break
        digest.update(block)
        report.bytes += len(block)
        yield block
    report.sha256 = digest.hexdigest()


class Peeked:
    """Blocks whose first `FORM_BYTES` bytes can be inspected before they are consumed."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self.head = b""
        for block in blocks:
            self.head += block
            if len(self.head) >= FORM_BYTES:
                break

    def __iter__(self) -> Iterator[bytes]:
        if self.head:
            yield self.head
            yield from self._blocks


def _zstd() -> Any:
    import zstandard

    return zstandard.ZstdDecompressor(max_window_size=WINDOW).decompressobj()


_FRAMES: dict[str, Callable[[], Any]] = {
    "gz": partial(zlib.decompressobj, wbits=31),
    "xz": partial(lzma.LZMADecompressor, format=lzma.FORMAT_XZ, memlimit=WINDOW),
    "zst": _zstd,
}


def unpacked(source: str, report: SourceReport) -> Peeked:
    """Return the decompressed bytes of a path, `ZIP/MEMBER` or `-`, with a head to inspect.

    Raises CorpusError for a path that cannot be read and StreamFault for a broken container.
    """
    if source == "-":
        report.name = "standard input"
        return _unpacked(Peeked(raw_blocks(sys.stdin.buffer, report)))
    try:
        path, member = _located(Path(source))
        report.name = in_utf8(f"{path.name}/{member}" if member else path.name)
        blocks = Peeked(_blocks_of(path, report))
    except OSError as error:
        raise CorpusError(source, "", f"it cannot be read ({error.strerror}); {_MEND}") from error
    if path.is_file() and blocks.head.startswith(_ZIP):
        # A zip is unpacked from the file itself; this loop only counts and hashes its bytes.
        for _ in blocks:
            pass
        return _unpacked(Peeked(_zip_member(path, member)))
    if member:
        raise CorpusError(source, "", f"{path.name} is not a zip archive; {_MEND}")
    return _unpacked(blocks)


_MEND = "give a readable file of args.me JSON, JSON Lines, CSV or Kialo's export, irds:NAME, or -"


def _blocks_of(path: Path, report: SourceReport) -> Iterator[bytes]:
    with path.open("rb") as stream:
        yield from raw_blocks(stream, report)


def _located(path: Path) -> tuple[Path, str]:
    """Return the path of the file, and its member if the path continues inside a zip archive."""
    if path.is_dir():
        files = sorted(p.name for p in path.iterdir() if p.is_file())
        names = ", ".join(files[:5]) + (", ..." if len(files) > 5 else "")
        raise CorpusError(str(path), "", f"this is a folder ({names or 'empty'}); give a file")
    if path.exists():
        return path, ""
    for parent in path.parents:
        if parent.is_file():
            return parent, path.relative_to(parent).as_posix()
    from difflib import get_close_matches

    others = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
    near = "".join(f" (but there is {name})" for name in get_close_matches(path.name, others, 1))
    raise CorpusError(str(path), "", f"there is no such file{near}; {_MEND}")


def _unpacked(blocks: Peeked) -> Peeked:
    """Decompress according to the first bytes, even if compressed twice (a .xz in a .zip)."""
    for _ in range(2):
        kind = next((k for magic, k in _MAGIC.items() if blocks.head.startswith(magic)), None)
        if kind is None:
            break
        blocks = Peeked(_frames(iter(blocks), kind))
    for magic, name in _FOREIGN.items():
        if blocks.head.startswith(magic):
            raise StreamFault(f"the file must be plain, .gz, .xz, .zst or .zip, not {name}")
    if blocks.head[257:262] == b"ustar":
        raise StreamFault("the file is a tar archive; unpack it and give the file inside")
    return blocks


def _frames(blocks: Iterator[bytes], kind: str) -> Iterator[bytes]:
    """Yield the content of one frame after another; zero bytes between frames are padding."""
    frame, done = None, 0
    for block in blocks:
        for start in range(0, len(block), PIECE):
            piece = block[start : start + PIECE]
            while piece:
                if frame is None:
                    piece = piece.lstrip(b"\0")
                    if not piece:
                        break
                    frame = _FRAMES[kind]()
                try:
                    content = frame.decompress(piece)
                except Exception as error:
                    raise StreamFault(_damaged(kind, done, error)) from error
                done += len(content)
                piece = frame.unused_data if frame.eof else b""
                frame = None if frame.eof else frame
                if content:
                    yield content
    if frame is not None:
        raise StreamFault(
            f"the .{kind} stream is cut off: it ends after {done:,} unpacked bytes, without an "
            "end-of-stream marker; copy or download the file again"
        )


def _damaged(kind: str, done: int, error: Exception) -> str:
    return (
        f"the .{kind} stream is damaged after {done:,} unpacked bytes ({error}); "
        "copy or download the file again"
    )


def _zip_member(path: Path, member: str) -> Iterator[bytes]:
    """Yield the bytes of the named member, or of the only member."""
    done = 0
    try:
        with zipfile.ZipFile(path) as archive:
            chosen = _chosen(path.name, archive.namelist(), member)
            with archive.open(chosen) as stream:
                while block := stream.read(BYTES_READ):
                    done += len(block)
                    yield block
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError) as error:
        raise StreamFault(_damaged("zip", done, error)) from error
    except (RuntimeError, NotImplementedError) as error:
        raise StreamFault(
            f"the .zip cannot be unpacked ({error}); unpack it yourself and give the file inside"
        ) from error


def _chosen(archive: str, members: list[str], wanted: str) -> str:
    files = [m for m in members if not m.endswith("/") and not m.startswith("__MACOSX/")]
    if wanted in files:
        return wanted
    if len(files) == 1 and not wanted:
        return files[0]
    names = ", ".join(files[:10]) + (", ..." if len(files) > 10 else "") or "no file"
    problem = f"no member {shown(wanted)}" if wanted else f"{len(files)} members instead of one"
    first = files[0] if files else "MEMBER"
    raise StreamFault(f"the archive has {problem}; it has {names}; name one, as {archive}/{first}")
