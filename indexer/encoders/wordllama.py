"""The default encoder: WordLlama's token vectors, averaged; no network, no torch."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from argsearch.indexer.encoders.base import Encoder
from argsearch.indexer.packages import PackageBroken, package_folder

REMEMBERED_WORDS, REMEMBERED_WORDS_FEW = 1 << 18, 1 << 14
"""Words whose pieces are remembered, at most: while a whole batch of texts comes together, as of a
corpus, and else, in a process that answers questions."""
SPECIAL = re.compile("<(?:unk|s|/s)>")
"""What the tokenizer takes out of a text before it cuts it up."""
SPACE_SIGN = "▁"
"""The tokenizer's own sign of a space, which it reads as one."""
_SPACED = re.compile(" +[^ ]*")
MANY = 20_000
"""Pieces of a batch from which on all vectors are read, in single precision."""


class WordLlamaEncoder(Encoder):
    """WordLlama l2_supercat, 256-d: the sum of a text's token vectors, normalised.

    Its two files are read straight from the installed package `wordllama`: the vectors stay
    memory-mapped in half precision, and the package itself (which brings an HTTP client and
    settings for logging) is not imported. Equal to `WordLlama.embed(text, norm=True)` but for
    rounding; a row does not depend on the other texts of the call, to the last bit.
    """

    scheme = "wordllama"
    light = True
    batch = 512
    dimensions = 256

    def __init__(self, model: str = "") -> None:
        super().__init__(model)
        self._vectors, self._tokenizer = open_model()
        self._known: dict[str, list[int]] = {}
        self._space = self._cut(["a "])[0][-1:]

    def pieces(self, texts: Sequence[str]) -> list[list[int]]:
        """The ids of each text's pieces, as the tokenizer gives them.

        No piece reaches from a word into the space after it, so a word with the spaces before it
        has the same pieces in every text, and is cut up once.
        """
        words = [
            None
            if not text or SPACE_SIGN in text or SPECIAL.search(text)
            else _SPACED.findall(f" {text}")
            for text in texts
        ]
        many = len(texts) == self.batch
        known, most = self._known, REMEMBERED_WORDS if many else REMEMBERED_WORDS_FEW
        new = list({word for some in words if some for word in some if word not in known})
        if len(known) + len(new) > most:
            known = self._known = {}
            new = list({word for some in words if some for word in some})
        known |= zip(new, self._cut([word[1:] for word in new]), strict=True)
        known[" "] = self._space  # at the end of a text
        return [
            self._cut([text])[0]
            if some is None
            else list(chain.from_iterable(map(known.__getitem__, some)))
            for text, some in zip(texts, words, strict=True)
        ]

    def _cut(self, texts: list[str]) -> list[list[int]]:
        encodings = self._tokenizer.encode_batch_fast(texts, add_special_tokens=False)
        return [encoding.ids for encoding in encodings]

    def rows(self, texts: list[str]) -> NDArray[np.float32]:
        """Σ of each text's vectors, text by text: the sum of one stays in the processor's cache."""
        ids = self.pieces(texts)
        table = self._vectors if sum(map(len, ids)) < MANY else self._whole
        sums = np.empty((len(ids), self.dimensions), np.float32)
        for row, pieces in zip(sums, ids, strict=True):
            np.add.reduce(table[pieces].astype(np.float32, copy=False), axis=0, out=row)
        return sums

    @cached_property
    def _whole(self) -> NDArray[np.float32]:
        """All vectors in single precision, float32[32000, 256]: 33 MB."""
        return self._vectors.astype(np.float32)


def open_model() -> tuple[NDArray[np.float16], Any]:
    """The vectors of pieces and the tokenizer; raises PackageBroken."""
    folder = package_folder("wordllama")
    vectors = open_vectors(folder / "weights" / "l2_supercat_256.safetensors")
    return vectors, open_tokenizer(folder / "tokenizers" / "l2_supercat_tokenizer_config.json")


def open_vectors(file: Path) -> NDArray[np.float16]:
    """The one tensor of a safetensors file, memory-mapped, float16[32000, 256]."""
    try:
        with file.open("rb") as stream:
            size = int.from_bytes(stream.read(8), "little")
            tensor = orjson.loads(stream.read(size))["embedding.weight"]
        if tensor["dtype"] != "F16":
            raise ValueError(f"its vectors are {tensor['dtype']}, not F16")
        start, shape = 8 + size + tensor["data_offsets"][0], tuple(tensor["shape"])
        return np.memmap(file, np.float16, "r", start, shape).view(np.ndarray)
    except (OSError, KeyError, ValueError) as error:
        raise PackageBroken.lacks("wordllama", file.name, error) from error


def open_tokenizer(file: Path) -> Any:
    """The tokenizer of a file; raises PackageBroken."""
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_buffer(file.read_bytes())
    except (OSError, ValueError) as error:
        raise PackageBroken.lacks("wordllama", file.name, error) from error
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer
