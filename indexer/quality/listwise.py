"""A folder of `argsearch train ltr` as a quality model (F22): its files, features and members.

A folder holds safetensors, and a `model.json` with their SHA-256.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.encoders import load_encoder
from argsearch.indexer.format.manifest import checksum
from argsearch.indexer.model_files import LTR
from argsearch.indexer.quality import QualityModel
from argsearch.ranking.ltr.head import score
from argsearch.ranking.quality.linear import Standard
from argsearch.ranking.quality.surface import FEATURES, MAX_WORDS, features

Floats = NDArray[np.float64]
Scores = Callable[[Sequence[str]], Floats]
"""Scores of texts by every model of an ensemble, float64[models, n]."""

RANKED_AT_ONCE = 1024
"""Texts scored at a time; bounds memory, changes no prediction."""

BLOCKS = ("surface", "wordllama")
"""Features of a text: those of the default quality model; the mean of its words' vectors."""

SPREAD = 16.0
"""What unit vectors of 256 dimensions are multiplied by: then a dimension varies by about 1."""


def feature_names(blocks: Sequence[str], topic: bool) -> list[str]:
    """The features by name, in the order of a model's weights."""
    names = [feature.name for feature in FEATURES] if "surface" in blocks else []
    if "wordllama" in blocks:
        dimensions = load_encoder("wordllama").dimensions
        names += [f"wordllama {i}" for i in range(dimensions)]
        names += [f"wordllama × topic {i}" for i in range(dimensions * topic)]
    return names


def describe(
    texts: Sequence[str], blocks: Sequence[str], topics: Sequence[str] | None = None
) -> Floats:
    """The features of texts, float64[n, k], of their first 300 words; finite for any string.

    With topics, one for each text, also the product of both vectors.
    """
    parts: list[NDArray[Any]] = [np.zeros((len(texts), 0))]
    if "surface" in blocks:
        parts.append(features(texts))
    if "wordllama" in blocks:
        encode = load_encoder("wordllama").encode
        vectors = SPREAD * encode([" ".join(text.split()[:MAX_WORDS]) for text in texts])
        parts.append(vectors)
        if topics is not None:
            parts.append(vectors * (SPREAD * encode(topics)))
    return np.hstack(parts).astype(np.float64)


CARD = "model.json"
HEADS = "heads.safetensors"
"""Small arrays: the heads of static models, and how scores become Q."""


@dataclass(frozen=True)
class ModelFolder:
    """What a folder holds: its card, checked."""

    path: Path
    card: dict[str, Any]
    sha256: str
    """Of the card, which holds that of every other file."""


def _checksum(card: Mapping[str, Any]) -> str:
    rest = {key: value for key, value in card.items() if key != "checksum"}
    text = json.dumps(rest, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _written(card: Mapping[str, Any]) -> bytes:
    """A card as it stands in its file; any other form of the same JSON is a damaged one."""
    text = json.dumps(card, ensure_ascii=False, indent=1, allow_nan=False)
    return f"{text}\n".encode("utf-8", "surrogatepass")


def finish_folder(aside: Path, out: Path, card: Mapping[str, Any]) -> None:
    """Write the card of the files in a folder, and rename it into place; an older one goes."""
    files = sorted(path for path in aside.rglob("*") if path.is_file())
    whole = {
        "format": LTR.format,
        "version": LTR.version,
        **card,
        "files": {path.relative_to(aside).as_posix(): checksum(path) for path in files},
    }
    whole["checksum"] = _checksum(whole)
    (aside / CARD).write_bytes(_written(whole))
    if out.exists():
        shutil.rmtree(out)
    aside.rename(out)


def read_folder(spec: str) -> ModelFolder:
    """Check and open a folder; raises ModelError for anything but a whole, known one."""
    path = Path(spec)
    try:
        content = (path / CARD).read_bytes()
        card = json.loads(content)
        files, stated = dict(card["files"]), card["checksum"]
    except OSError as error:
        raise LTR.error(spec, f"has no {CARD} ({error.strerror})") from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise LTR.error(spec, f"has a damaged {CARD} ({type(error).__name__})") from error
    LTR.check(spec, card)
    if stated != _checksum(card) or _written(card) != content:
        raise LTR.error(spec, f"has a damaged {CARD} (its checksum does not match)")
    for name, digest in files.items():
        try:
            found = checksum(path / name)
        except OSError as error:
            raise LTR.error(spec, f"lacks {name} ({error.strerror})") from error
        if found != digest:
            raise LTR.error(spec, f"holds a damaged {name} (its SHA-256 does not match)")
    return ModelFolder(path, card, hashlib.sha256(content).hexdigest())


@dataclass(frozen=True)
class ListwiseQuality(QualityModel):
    """Q = clip(a + b · mean of the models' standardised scores, 0, 1)."""

    scores: Scores
    spread: Floats
    """float64[2, models]: mean and standard deviation of each model's training scores."""
    line: Floats
    """(a, b): the least squares line from the ensemble's training score to the label in [0, 1]."""

    @classmethod
    def open(cls, spec: str) -> ListwiseQuality:
        """The model of a folder; raises ModelError, in one line with the remedy."""
        folder = read_folder(spec)
        card = folder.card
        with LTR.unpacking(spec):
            if card["model"]["topic"]:
                raise LTR.error(
                    spec, "reads a topic before the argument, which an index does not know"
                )
            kind, arrays = card["kind"], LTR.read(folder.path / HEADS).arrays
            if kind not in MEMBERS:
                what = f"is of kind {kind!r}; known kinds: {', '.join(MEMBERS)}"
                raise LTR.error(spec, what)
            names = [member["name"] for member in card["members"]]
            scores = MEMBERS[kind](folder, names, arrays)
            return cls(spec, folder.sha256, card, scores, arrays["spread"], arrays["line"])

    def raw(self, premises: Sequence[str]) -> NDArray[np.float32]:
        """a + b · score, float32[n]; NaN for a text without a word."""
        out = np.full(len(premises), np.nan, np.float32)
        worded = [i for i, text in enumerate(premises) if text.split()]
        for first in range(0, len(worded), RANKED_AT_ONCE):
            at = worded[first : first + RANKED_AT_ONCE]
            s = self.scores([premises[i] for i in at])
            mean, deviation = self.spread
            together = ((s - mean[:, None]) / deviation[:, None]).mean(axis=0)
            out[at] = self.line[0] + self.line[1] * together
        return out


def _static(folder: ModelFolder, names: Sequence[str], arrays: dict[str, Any]) -> Scores:
    """Heads over surface features and averaged token vectors."""
    blocks = tuple(folder.card["model"]["encoder"].split("+"))
    known = folder.card["features"]
    if known != feature_names(blocks, topic=False):
        what = "was trained on other features than this version computes"
        raise LTR.error(folder.path, what)
    heads = [_head(arrays, name, len(known)) for name in names]
    standard = Standard(*arrays["standard"])

    def scores(texts: Sequence[str]) -> Floats:
        """Scores of texts; a text's depend on no other text."""
        Z = standard(describe(texts, blocks))
        return np.array([score(head, Z) for head in heads])

    return scores


def _transformer(folder: ModelFolder, names: Sequence[str], _: dict[str, Any]) -> Scores:
    """Fine-tuned transformers, all in memory."""
    from argsearch.indexer.quality.transformer import Model, Scorer

    known, model = {one.name for one in fields(Model)}, folder.card["model"]
    settings = Model(**{key: value for key, value in model.items() if key in known})
    scorers = [Scorer(folder.path / "encoder", settings, trained=True) for _ in names]
    for scorer, name in zip(scorers, names, strict=True):
        scorer.load(LTR.read(folder.path / f"{name}.safetensors").arrays)
    return lambda texts: np.array([scorer.score(texts) for scorer in scorers])


MEMBERS = {"static": _static, "transformer": _transformer}
"""How the models of each kind of folder score texts."""


def _head(arrays: dict[str, Any], name: str, features: int) -> dict[str, Floats]:
    """A member's head; raises KeyError or ValueError where it does not fit the features."""
    start = f"{name}."
    head = {key[len(start) :]: a for key, a in arrays.items() if key.startswith(start)}
    hidden = head["c"].shape if "V" in head else (features,)
    inner = head["V"].shape if "V" in head else (features, *hidden)
    if (inner, head["w"].shape, head["b"].shape) != ((features, *hidden), hidden, (1,)):
        raise ValueError(f"the head {name!r} does not fit {features} features")
    return head
