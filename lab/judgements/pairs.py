"""Pairs of texts from several corpora; annotators judged which text of each pair was better.

Dagstuhl-15512 (Wachsmuth 2017) has ratings instead, and these are converted to pairs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.errors import either
from argsearch.lab.judgements.tables import (
    JudgementsError,
    decoded,
    evidence,
    file_or_only,
    files_of,
    only,
    plain,
    table,
    words,
)

WEBIS_DIMENSIONS = ("logical", "rhetorical", "dialectical")
"""Dimensions of Webis-ArgQuality-20; D20 calls them cogency, effectiveness, and reasonableness."""

DIMENSIONS = ("cogency", "reasonableness", "effectiveness")
"""Quality dimensions on which D20 compares premises."""

RATING_COLUMNS = (*DIMENSIONS, "overall quality")
_KEYS = ("annotator", "#id", "argumentative", "argument", "issue", "stance")


@dataclass(frozen=True, slots=True)
class TextPairs:
    """Pairs of a better and a worse text, without ties."""

    source: str
    """Name of the corpus, and of the dimension if the corpus has several."""
    texts: tuple[str, ...]
    better: NDArray[np.int64]
    """int64[m] into `texts`."""
    worse: NDArray[np.int64]
    """int64[m] into `texts`."""
    topics: tuple[str, ...]
    """m names: the topic of each pair, so that whole topics can be held out."""

    def only(self, keep: NDArray[np.bool_]) -> TextPairs:
        """Return the pairs for which `keep`, bool[m], is true; the texts stay the same."""
        topics = tuple(topic for topic, kept in zip(self.topics, keep, strict=True) if kept)
        return TextPairs(self.source, self.texts, self.better[keep], self.worse[keep], topics)


def text_pairs(source: str, judged: Iterable[tuple[str, str, str]]) -> TextPairs:
    """Collect (better, worse, topic) triples in the given order.

    Identical texts are merged, and pairs of identical texts are excluded.
    """
    texts: dict[str, int] = {}
    rows, topics = [], []
    for better, worse, topic in judged:
        if better != worse:
            rows.append([texts.setdefault(text, len(texts)) for text in (better, worse)])
            topics.append(topic)
    found = np.array(rows, np.int64).reshape(-1, 2)
    return TextPairs(source, tuple(texts), found[:, 0].copy(), found[:, 1].copy(), tuple(topics))


def read_webis(source: Path, dimension: str) -> TextPairs:
    """Read the raw comparisons of Webis-ArgQuality-20 on one of `WEBIS_DIMENSIONS`.

    source: the folder with both files, because the comparisons refer to arguments by number.
    """
    full, raw = (
        only(source, name) for name in ("*quality20-arguments.csv", f"*raw-{dimension}.csv")
    )
    columns = ("Discussion ID", "Argument ID", "Topic ID", "Premise")
    texts = {
        (discussion, argument): (f"webis {topic}", plain(premise))
        for discussion, argument, topic, premise in table(full, decoded(full), columns)
    }
    sides = ("Discussion ID A", "Argument ID A", "Discussion ID B", "Argument ID B", "Comparison")
    judged = []
    for one, a, other, b, winner in table(raw, decoded(raw), sides):
        first, second = texts.get((one, a)), texts.get((other, b))
        # All other rows are ties, or compare an argument that was not released.
        if first and second and winner in ("A", "B"):
            better, worse = (first, second) if winner == "A" else (second, first)
            judged.append((better[1], worse[1], better[0]))
    return text_pairs(f"webis-argquality-20 {dimension}", judged)


def read_ukp(source: Path) -> TextPairs:
    """Read UKPConvArg1 Strict from its archive or folder; a topic is an issue with both stances."""
    files = files_of(source, "Strict", ".csv")
    named = ((name.partition("_")[0], text) for name, text in files)
    return _labelled("ukpconvarg1 strict", source, named)


def read_ibm_pairs(source: Path) -> TextPairs:
    """Read IBM-ArgQ-9.1kPairs (Toledo et al. 2019) from its archive or folder."""
    files = files_of(source, "9.1kPairs", ".tsv")
    named = ((name.rpartition("-(")[0], text) for name, text in files)
    return _labelled("ibm-argq 9.1k pairs", source, named)


def _labelled(corpus: str, source: Path, files: Iterable[tuple[str, str]]) -> TextPairs:
    """Read the pairs in files; `files` gives each file's topic and text."""
    judged = []
    for topic, text in files:
        for label, *both in table(source, text, ("label", "a1", "a2"), "\t", quoted=False):
            better, worse = _ordered(source, label, ("a1", "a2"), both)
            judged.append((plain(better), plain(worse), words(topic)))
    return text_pairs(corpus, judged)


def _ordered(source: Path, label: str, labels: tuple[str, str], texts: list[str]) -> list[str]:
    """Return two texts, the better text first; raise JudgementsError for an unknown label."""
    if label not in labels:
        raise JudgementsError(source, f"must have the labels {' or '.join(labels)}, not {label!r}")
    return texts if label == labels[0] else texts[::-1]


def read_eviconv(source: Path) -> TextPairs:
    """Read IBM-EviConv (Gleize et al. 2019) from a folder with train.csv and test.csv (or .xz)."""
    judged = []
    for part in ("train.csv*", "test.csv*"):
        path = only(source, part)
        columns = ("topic", "label", "evidence_1", "evidence_2")
        for topic, label, *both in table(path, decoded(path), columns):
            better, worse = _ordered(path, label, ("1", "2"), both)
            judged.append((evidence(better), evidence(worse), topic))
    return text_pairs("ibm-eviconv", judged)


@dataclass(frozen=True, slots=True)
class Ratings:
    """Ratings in Dagstuhl-15512 of the texts that all three annotators called argumentative."""

    file: str
    sha256: str
    texts: tuple[str, ...]
    queries: tuple[str, ...]
    """Issue and stance in words, one text for each of the 32 (issue, stance) pairs."""
    issues: tuple[str, ...]
    """Issue of each query."""
    query: NDArray[np.int64]
    """int64[n] into `queries`."""
    ratings: dict[str, NDArray[np.float64]]
    """float64[n, 3] by dimension, 1 (low) to 3 (high), one column per annotator."""

    def means(self, dimension: str) -> NDArray[np.float64]:
        """Return the mean rating of each argument, float64[n]."""
        return np.asarray(self.ratings[dimension].mean(axis=1), np.float64)

    def pairs(self, dimension: str) -> TextPairs:
        """Return every pair within a query whose mean ratings differ, the better one first."""
        # Sums of three ratings are integers and compare exactly; means may not compare exactly.
        means = np.round(3 * self.means(dimension))
        first, second = np.triu_indices(len(means), 1)
        keep = (self.query[first] == self.query[second]) & (means[first] != means[second])
        first, second = first[keep], second[keep]
        wins = means[first] > means[second]
        better, worse = np.where(wins, first, second), np.where(wins, second, first)
        topics = tuple(self.queries[q] for q in self.query[better])
        return TextPairs(f"dagstuhl-15512 {dimension}", self.texts, better, worse, topics)

    def apart(self, pairs: TextPairs, dimension: str) -> NDArray[np.float64]:
        """Return the difference of the mean ratings in each pair, float64[m] > 0."""
        means = self.means(dimension)
        return means[pairs.better] - means[pairs.worse]


def read_dagstuhl(source: Path) -> Ratings:
    """Read the ratings from a file, or from a folder with one file named *annotated.csv.

    The file is in latin-1, with tabs between fields and carriage returns as line ends. A short row
    has no ratings, because its argument is missing or not argumentative. Raises JudgementsError for
    a missing file, a missing column, or a rating outside 1 to 3.
    """
    path = file_or_only(Path(source), "*annotated.csv")
    content = path.read_bytes()
    lines = content.decode("latin-1").replace("\n", "\r").split("\r")
    text = "\r".join(line for line in lines if line.strip())
    votes: dict[str, list[list[str]]] = {}
    for annotator, number, *vote in table(path, text, (*_KEYS, *RATING_COLUMNS), "\t", ragged=True):
        votes.setdefault(number, []).append([annotator, *vote])
    kept = {number: three for number, three in votes.items() if _agreed(three)}
    if not kept:
        what = "have no argument that all three annotators called argumentative"
        raise JudgementsError(path, what)
    names: dict[tuple[str, str], int] = {}
    firsts = [three[0] for three in kept.values()]
    query = [names.setdefault((issue, stance), len(names)) for _, _, _, issue, stance, *_ in firsts]
    levels = np.array(
        [[_levels(path, number, vote) for vote in three] for number, three in kept.items()]
    )
    return Ratings(
        path.name,
        hashlib.sha256(content).hexdigest(),
        tuple(plain(vote[2]) for vote in firsts),
        tuple(f"{words(issue)} {words(stance)}" for issue, stance in names),
        tuple(issue for issue, _ in names),
        np.array(query, np.int64),
        {dimension: levels[:, :, i] for i, dimension in enumerate(RATING_COLUMNS)},
    )


_ALL_THREE = [("1", "y"), ("2", "y"), ("3", "y")]


def _agreed(votes: list[list[str]]) -> bool:
    """Return whether all three annotators called the text argumentative."""
    return sorted((annotator, flag) for annotator, flag, *_ in votes) == _ALL_THREE


def _levels(path: Path, number: str, vote: list[str]) -> list[float]:
    rated = vote[len(_KEYS) - 1 :]
    if wrong := [level for level in rated if level[:1] not in ("1", "2", "3")]:
        raise JudgementsError(path, f"must rate {number!r} as 1, 2 or 3, not {wrong[0]!r}")
    return [float(level[:1]) for level in rated]


READERS: dict[str, Callable[[Path], list[TextPairs]]] = {
    "argquality20": lambda at: [read_webis(at, name) for name in WEBIS_DIMENSIONS],
    "ukpconvarg1": lambda at: [read_ukp(at)],
    "toledo2019": lambda at: [read_ibm_pairs(at)],
    "eviconv": lambda at: [read_eviconv(at)],
}
"""Functions that read the corpora of `read_others`, keyed by a word in the file or folder name."""


def read_others(sources: Sequence[Path]) -> list[TextPairs]:
    """Read the pairs of each source; raise JudgementsError for an unknown corpus."""
    found = []
    for source in map(Path, sources):
        reader = next((read for name, read in READERS.items() if name in source.name.lower()), None)
        if reader is None:
            known = f"must have {either(READERS)}, their corpus, in the file or folder name"
            raise JudgementsError(source, known)
        found += reader(source)
    return found
