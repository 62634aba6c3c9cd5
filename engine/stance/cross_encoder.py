"""Whether a claim agrees with a question, read by a small transformer over both together.

The model is a folder that `argsearch train sides` writes; it is run by onnxruntime (extra `onnx`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.encoders.base import require, session_of
from argsearch.indexer.model_files import SIDES_FOLDER, ModelFolder
from argsearch.ranking.stance import cut

WORDS = 38
"""Words of a question or claim that are read: over longer texts the model is at chance."""
CHARACTERS = 400
"""Characters of these at most."""
TOKENS = 128
"""Word pieces of both together, at most."""
REMEMBERED_PAIRS = 1 << 13
"""Pairs whose agreement is remembered; at most 2 · CHARACTERS each, so below 30 MB in all."""
AT_ONCE = 2
"""Pairs that are read at a time, by a thread each; one's agreement depends on no other."""
READ = "read"
"""The name of what a model adds to the summands of a side's logit."""
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
"""What the network reads, int64[n, t] each."""


def cut_words(text: str) -> str:
    """The first WORDS words of a text, CHARACTERS at most, white space folded."""
    return " ".join(text[: 4 * CHARACTERS].split()[:WORDS])[:CHARACTERS]


def pair_tokenizer(path: Path) -> Any:
    """The tokenizer of a file, cutting pairs to TOKENS."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_padding()
    tokenizer.enable_truncation(TOKENS)
    return tokenizer


def agreement_of(logits: NDArray[np.floating]) -> NDArray[np.float64]:
    """P(for) + ½ P(neither) of logits [n, 3] of for, against and neither: float64[n] in (0, 1)."""
    shifted = np.exp(logits.astype(np.float64) - logits.max(axis=1, keepdims=True))
    p = shifted / shifted.sum(axis=1, keepdims=True)
    return np.asarray(np.clip(p[:, 0] + p[:, 2] / 2.0, 1e-6, 1.0 - 1e-6))


@dataclass(frozen=True, slots=True)
class Agreement:
    """Whether a conclusion agrees with the question, as a model has read it."""

    probability: float
    """That it does, in (0, 1): ½ where it is on another subject."""
    reader: CrossEncoder

    def mixed(self, words: Mapping[str, float], stance: int) -> dict[str, float]:
        """The summands by the words, weighed, and stance · logit of the probability, weighed.

        stance: the argument's towards the conclusion, +1 or −1.
        """
        of_words, of_read = self.reader.weights
        odds = math.log(self.probability / (1.0 - self.probability))
        found = {name: of_words * part for name, part in words.items()}
        return {**found, READ: of_read * stance * cut(odds)}

    @property
    def meaning(self) -> str:
        """What that summand is, in words."""
        return (
            f"read by {self.reader.name}: conclusion agrees with the question "
            f"{self.probability:.2f}; stance x logit of it"
        )


class CrossEncoder:
    """Reads pairs of a question and a claim; a pair's agreement depends on no other pair."""

    def __init__(self, folder: ModelFolder) -> None:
        """Raises MissingExtra, ModelError."""
        require("onnxruntime", "onnxruntime", "onnx")
        self.name, self.sha256 = folder.path.name, folder.sha256
        with SIDES_FOLDER.unpacking(folder.path):
            mixed = folder.card["mixed"]
            self.weights = float(mixed["words"]), float(mixed["read"])
            name = str(folder.card["network"])
        try:
            self._tokenizer = pair_tokenizer(folder.path / "tokenizer.json")
            self._session = session_of(str(folder.path / name))
        except Exception as error:  # each library raises its own kind
            raise SIDES_FOLDER.error(folder.path, f"cannot be run ({error!s:.200})") from error
        self._remembered = lru_cache(REMEMBERED_PAIRS)(self._read)

    @classmethod
    def load(cls, folder: str) -> CrossEncoder:
        """The model of a folder, one object per folder and process.

        Raises MissingExtra without onnxruntime, and ModelError, in one line with the remedy, for a
        missing, foreign, newer or damaged folder.
        """
        return _load(str(Path(folder).expanduser()))

    def agreements(self, question: str, claims: Sequence[str]) -> dict[str, Agreement]:
        """How surely each distinct claim agrees with the question."""
        asked, distinct = cut_words(question), list(dict.fromkeys(claims))
        with ThreadPoolExecutor(AT_ONCE) as pool:  # the network's run holds no lock of Python's
            found = pool.map(lambda claim: self._remembered(asked, cut_words(claim)), distinct)
            read = [Agreement(probability, self) for probability in found]
        return dict(zip(distinct, read, strict=True))

    def _read(self, question: str, claim: str) -> float:
        one = self._tokenizer.encode(question, claim)
        rows = (one.ids, one.attention_mask, one.type_ids)
        feed = {name: np.array([row], np.int64) for name, row in zip(INPUTS, rows, strict=True)}
        return float(agreement_of(self._session.run(None, feed)[0])[0])


def named(spec: str) -> CrossEncoder | None:
    """The model of a folder; None for `none`."""
    return None if spec == "none" else CrossEncoder.load(spec)


@lru_cache(2)
def _load(folder: str) -> CrossEncoder:
    return CrossEncoder(SIDES_FOLDER.read_folder(folder))
