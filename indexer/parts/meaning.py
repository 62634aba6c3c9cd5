"""The part `meaning`: vectors of conclusions and of premise passages (docs/meaning.md)."""

from __future__ import annotations

import json
import os
import zlib
from array import array
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.analysis.passages import passage_texts
from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.encoders import Encoder, load_encoder, parse_spec
from argsearch.indexer.encoders.minilm import MiniLmEncoder
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.parts.base import Drawer, PartMaker, PartSource, text_digest
from argsearch.indexer.parts.known import known_vectors
from argsearch.indexer.processes import Progress
from argsearch.indexer.staging import TargetNotAnIndex
from argsearch.ranking.vectors import Quantised, norms, quantise

Rows = NDArray[np.int8]
PIECES = 128
"""Number of word pieces to read; a passage of 90 words has fewer, unless its words are rare."""
CHUNK_TEXTS = 256
"""Number of texts that are embedded together and saved together, so that a build can resume."""
COPY_ROWS = 1 << 16
"""Number of rows that are copied together."""
CHECK = 4
"""Size of a chunk's checksum in bytes."""
PROBE = "Should teachers get tenure?"
"""Text whose vector tells encoders apart."""


def probe(encoder: Encoder) -> list[int]:
    """Return the vector of PROBE as int8 values, by which an index recognises its encoder."""
    row: list[int] = quantise(encoder.encode([PROBE], PIECES))[0][0].tolist()
    return row


class MeaningPart(PartMaker):
    """Vectors of conclusions and passages, int8, each of length 1 / its scale.

    The arrays passages, int8[p, d], and conclusions, int8[c, d], have a row per distinct text. The
    array passage_of, int32[t], has the row of each passage, document by document; a document's
    passages begin at its entry in passage_starts, int64[n + 1]. The arrays *_scales, float32, hold
    1 / the length of each row, or 0 for a missing text. Rounding changes a cosine by about .001.
    """

    name = "meaning"
    doc = "Sentence embeddings of conclusions and of passages of premises: search by meaning."

    def settings(self, source: PartSource) -> Mapping[str, Any]:
        """Return the encoder and the number of word pieces that it reads.

        The encoder is the setting `meaning_encoder`, or else the encoder of the part to rebuild, or
        else the index's own. If the index's own is static and `minilm` is installed, `minilm` is
        used instead. Raises InvalidParameter if there is no encoder.
        """
        spec: str = source.manifest["settings"].get("meaning_encoder", "none")
        if spec == "none":
            made = source.manifest.get("parts", {}).get(self.name)
            spec = made["settings"]["encoder"] if made else source.manifest["encoder"]
            if not made and parse_spec(spec).light and MiniLmEncoder.is_installed():
                spec = MiniLmEncoder.scheme
        if spec == "none":
            allowed = "a sentence encoder; add --set index.meaning_encoder=minilm (docs/meaning.md)"
            raise InvalidParameter("index.meaning_encoder", spec, allowed)
        encoder = load_encoder(spec)
        return {"encoder": encoder.name, "tokens": PIECES, "probe": probe(encoder)}

    def make(self, source: PartSource, drawer: Drawer, progress: Progress) -> Mapping[str, Any]:
        """Embed every distinct text once, and resume a build that was interrupted."""
        settings = self.settings(source)
        encoder = load_encoder(settings["encoder"])
        embed = partial(_quantised, settings["encoder"])
        known = known_vectors(source, self.name, encoder, _read, embed)
        distinct = _Distinct(source)
        texts, made = iter(distinct), _Kept(drawer, encoder.dimensions)
        while some := list(islice(texts, CHUNK_TEXTS)):
            made.add(some, lambda texts: known.embed(texts, embed)[0])
            progress(self.name, distinct.read, source.documents)
        starts, passage_of, passages = distinct.passages()
        drawer.save("passage_starts", starts)
        drawer.save("passage_of", passage_of)
        rows = made.rows()
        for name, of in (("conclusions", distinct.claims), ("passages", passages)):
            levels = drawer.new(name, "int8", (len(of), encoder.dimensions))
            for begin in range(0, len(of), COPY_ROWS):
                levels[begin : begin + COPY_ROWS] = rows[of[begin : begin + COPY_ROWS]]
            drawer.save(f"{name}_scales", norms(levels))
        made.remove()
        return {"dimensions": encoder.dimensions}


def _quantised(encoder: str, texts: list[str]) -> Quantised:
    return quantise(load_encoder(encoder).encode(texts, PIECES))


class _Distinct:
    """The distinct texts of an index in the order of its store, with the documents they are in."""

    def __init__(self, source: PartSource) -> None:
        self._source, self._firsts = source, source.arrays.conclusion_docs[:-1]
        self._numbers: dict[bytes, int] = {}
        # Text number per passage, and number and passage count per document, in the store's order.
        self._passages, self._documents, self._counts = array("i"), array("i"), array("i")
        self.claims = np.zeros(len(self._firsts), np.int64)
        """Text number of each distinct conclusion; complete once all documents are read."""
        self.read = 0
        """Number of documents that have been read."""

    def __iter__(self) -> Iterator[str]:
        for docs, read in self._source.mapped(_read, lambda *_: None):
            shared = np.searchsorted(self._firsts, docs)
            leads = self._firsts.take(shared, mode="clip") == docs
            rows = zip(docs.tolist(), shared.tolist(), leads.tolist(), read, strict=True)
            for doc, claim, lead, (passages, conclusion) in rows:
                if lead:
                    self.claims[claim], new = self._number(conclusion)
                    # Some encoders give no vector for an empty text.
                    yield from [conclusion or " "] * new
                self._documents.append(doc)
                self._counts.append(len(passages))
                for passage in passages:
                    number, new = self._number(passage)
                    self._passages.append(number)
                    yield from [passage] * new
                self.read += 1

    def _number(self, text: str) -> tuple[int, bool]:
        """Return the number of a text, and whether the text is new."""
        number = self._numbers.setdefault(text_digest(text), known := len(self._numbers))
        return number, number == known

    def passages(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
        """Return passage_starts, passage_of and the text number of each distinct passage.

        Call this once all documents are read.
        """
        numbers, docs, counts = map(np.asarray, (self._passages, self._documents, self._counts))
        owners = np.repeat(docs, counts)
        starts = np.zeros(self._source.documents + 1, np.int64)
        np.cumsum(np.bincount(owners, minlength=len(starts) - 1), out=starts[1:])
        # Stable: the passages of a document stay in the order of its text.
        passages, of = np.unique(numbers[np.argsort(owners, kind="stable")], return_inverse=True)
        return starts, of.astype(np.int32), passages.astype(np.int64)


def _read(arguments: list[Argument]) -> list[tuple[list[str], str]]:
    """Return the passages and the conclusion of some arguments."""
    return [(passage_texts(one.premise), one.conclusion or "") for one in arguments]


_FIRST_BYTES = b'["part.'
"""First bytes of a file of saved vectors."""


class _Kept:
    """Vectors saved in a file beside the index, so that an interrupted build can resume.

    The first line identifies the vectors. Then each chunk has a checksum and its rows. Incomplete
    chunks are rebuilt. The same texts always form the same chunks, so the rows are identical.
    """

    def __init__(self, drawer: Drawer, dimensions: int) -> None:
        folder, self._dimensions = drawer.folder, dimensions
        self._path = folder.with_name(f"{folder.name.removesuffix('.building')}.embedded")
        self._line = json.dumps([drawer.prefix, dimensions, CHUNK_TEXTS]).encode() + b"\n"
        self._made = 0
        if self._first_line() != self._line:
            self._path.write_bytes(self._line)

    def _first_line(self) -> bytes:
        """Return the file's first line, empty if there is no file; raise TargetNotAnIndex."""
        first = b""
        if os.path.lexists(self._path):
            # A link or a pipe of this name is never ours.
            own = self._path.is_file() and not self._path.is_symlink()
            with self._path.open("rb") if own else nullcontext() as file:
                first = file.readline(len(self._line)) if file else b"?"
        if first and not first.startswith(_FIRST_BYTES):
            raise TargetNotAnIndex(
                f"{self._path} is needed for vectors, but belongs to another program, so it was "
                "left unchanged; move it elsewhere"
            )
        return first

    def _place(self, chunk: int) -> int:
        return len(self._line) + chunk * (CHECK + CHUNK_TEXTS * self._dimensions)

    def add(self, texts: list[str], make: Callable[[list[str]], Rows]) -> None:
        """Write the rows of the next texts to the file, unless it has them intact."""
        at, size = self._place(self._made // CHUNK_TEXTS), len(texts) * self._dimensions
        self._made += len(texts)
        with self._path.open("r+b") as file:
            file.seek(at)
            check, held = file.read(CHECK), file.read(size)
            if len(held) == size and int.from_bytes(check) == zlib.crc32(held):
                return
            rows = make(texts).tobytes()
            file.seek(at)
            file.write(zlib.crc32(rows).to_bytes(CHECK) + rows)

    def rows(self) -> Rows:
        """Return all rows, int8[texts, dimensions]."""
        out = np.empty((self._made, self._dimensions), np.int8)
        with self._path.open("rb") as file:
            for begin in range(0, self._made, CHUNK_TEXTS):
                file.seek(self._place(begin // CHUNK_TEXTS) + CHECK)
                some = out[begin : begin + CHUNK_TEXTS]
                some[:] = np.frombuffer(file.read(some.nbytes), np.int8).reshape(some.shape)
        return out

    def remove(self) -> None:
        """Remove the file once everything is in the index."""
        self._path.unlink()
