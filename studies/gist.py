"""How good and how fast an argument's gist is, beside the sentence with most of the query's words.

    python -m studies.gist rouge  --data "$ARGSEARCH_DATA"
    python -m studies.gist times  --index forum-index --index argsme-index
    python -m studies.gist sheet  --index argsme-index --out sheet.md --key key.json
    python -m studies.gist counts

rouge: ROUGE-L (F1) to the human headline of each point of ArguAna dev, the query being its debate's
title. times: a page of ten hits, unseen and warm. sheet: the pairs of `gist_labels.tsv`'s questions
to be judged blind, A and B in random order, and the key that tells which is which. counts: how many
of the judged snippets carry their argument's point.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from argsearch.engine import Engine
from argsearch.engine.text import snippet as snippets
from argsearch.engine.text.gist import forget, gists
from argsearch.engine.text.snippet import best_sentence, word_weights
from argsearch.indexer.build.build import BuildRequest, build
from argsearch.indexer.corpus import read as read_corpus
from argsearch.ranking.compiled import kernel
from argsearch.ranking.gist import Room
from studies.judgements import read_rows

ARGUANA = "arguana/arguana-dev.json.xz"
TELLING = 6
"""Words from which a headline states a point; shorter ones mostly name a subject."""
LABELS = Path(__file__).with_name("gist_labels.tsv")
SEED, PER_QUESTION, HITS = 12, 2, 10

QUESTIONS = (
    "Does drinking milk keep us healthy?",
    "Should the penny be kept?",
    "Is it fine to carry a hidden gun?",
    "Are tablets better than paper textbooks?",
    "Should people under 21 be allowed to drink alcohol?",
    "Is fracking too dangerous?",
    "Should gay people be allowed to marry?",
    "Do rich people pay enough taxes?",
    "Should pharmacies sell birth control without prescription?",
    "Should teachers hit pupils?",
    "Is a college degree worth its price?",
    "Does everyone have a right to health care?",
    "Should illegal immigrants get citizenship?",
    "Should voting be compulsory?",
    "Is golf a real sport?",
    "Should there be a state for the Palestinians?",
    "Is being gay a choice?",
    "Should pension savings be private?",
    "Are electronic cigarettes safer than tobacco?",
    "Should insider trading be a crime?",
)
"""Of the judged pairs; none was looked at while the gist was made."""


@kernel
def common(a, b):  # type: ignore[no-untyped-def]
    """Length of the longest common subsequence."""
    lengths = np.zeros(len(b) + 1, np.int64)
    for x in a:
        diagonal = 0
        for j in range(len(b)):
            above = lengths[j + 1]
            lengths[j + 1] = diagonal + 1 if x == b[j] else max(above, lengths[j])
            diagonal = above
    return lengths[-1]


class Rouge:
    """ROUGE-L F1 over lower-case words, without stemming (Lin 2004)."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def words(self, text: str) -> NDArray[np.int64]:
        """A text's words as numbers."""
        found = re.findall(r"[a-z0-9]+", text.lower())
        return np.array([self._numbers.setdefault(w, len(self._numbers)) for w in found], np.int64)

    def __call__(self, text: str, headline: str) -> float:
        """2·LCS / (words of the text + words of the headline), in [0, 1]."""
        a, b = self.words(text), self.words(headline)
        return 2.0 * common(a, b) / (len(a) + len(b)) if len(a) and len(b) else 0.0


def best_of(texts: Sequence[str], words: Mapping[str, float]) -> str:
    """Return the sentence of several texts with the most of the question's rare words."""

    def worth(shown: snippets.Snippet) -> tuple[float, int]:
        """The weight of its distinct words that are marked, and what is less where it is longer."""
        marked = {part.lower() for part, is_word in shown.parts() if is_word}
        weight = sum(words.get(word, 0.0) for word in marked)
        return weight, -len(shown.text) if weight else 0

    return max((best_sentence(text, words) for text in texts), key=worth).text


@dataclass(frozen=True, slots=True)
class Point:
    """A point of a debate: its title, its human headline, its text."""

    title: str
    headline: str
    text: str


def points(data: Path) -> list[Point]:
    """The distinct points of ArguAna dev: premises in favour of their own conclusion."""
    found: dict[str, Point] = {}
    for argument in read_corpus(data / ARGUANA):
        premise = argument.premises[0]
        if premise.stance and premise.stance.value == "PRO" and argument.conclusion:
            title = str(argument.context["sourceTitle"])
            found.setdefault(premise.text, Point(title, argument.conclusion, premise.text))
    return list(found.values())


def rouge(data: Path) -> None:
    """Print ROUGE-L of each way to choose, for all points and for telling headlines."""
    chosen = points(data)
    with TemporaryDirectory() as folder:
        index = Path(folder) / "index"
        build(BuildRequest([str(data / ARGUANA)], index))
        with Engine.open(index) as engine:
            ways = _ways(engine)
            _print_rouge(chosen, {name: [way(p) for p in chosen] for name, way in ways.items()})


def _ways(engine: Engine) -> dict[str, Callable[[Point], str]]:
    def gist(room: Room, cosines: bool) -> Callable[[Point], str]:
        encoder = engine.encoder if cosines else None
        return lambda p: gists(p.title, [[p.text]], words(p), encoder, room)[0].text

    def words(p: Point) -> dict[str, float]:
        return word_weights(p.title, engine.backend)

    return {
        "most query words (before)": lambda p: best_sentence(p.text, words(p)).text,
        "gist": gist(Room(), True),
        "gist, no encoder": gist(Room(), False),
        "gist, its first choice alone": gist(Room(sentences=1), True),
        "gist, always up to three": gist(Room(stretch=1), True),
    }


def _print_rouge(chosen: Sequence[Point], texts: dict[str, list[str]]) -> None:
    measure = Rouge()
    telling = np.array([len(measure.words(p.headline)) >= TELLING for p in chosen])
    print(f"{len(chosen)} points, {telling.sum()} with headlines from {TELLING} words on")
    for name, found in texts.items():
        pairs = zip(found, chosen, strict=True)
        values = np.array([measure(text, p.headline) for text, p in pairs])
        length = statistics.mean(map(len, found))
        print(f"{name:30}  {values.mean():.4f}  {values[telling].mean():.4f}  {length:.0f} chars")


@dataclass(frozen=True, slots=True)
class Page:
    """A question with the premises of its first hits."""

    question: str
    words: dict[str, float]
    ids: list[str]
    texts: list[list[str]]

    @classmethod
    def of(cls, engine: Engine, question: str) -> Page:
        """The first page of `default`."""
        arguments = [hit.argument for hit in engine.search(question, k=HITS).hits]
        texts = [[premise.text for premise in one.premises] for one in arguments]
        words = word_weights(question, engine.backend)
        return cls(question, words, [one.id for one in arguments], texts)


def times(index: Path, passes: int = 5) -> None:
    """Print p50 and p95 of a page of ten hits in milliseconds, texts unseen and warm."""
    with Engine.open(index) as engine:
        pages = [Page.of(engine, question) for question in QUESTIONS]
        size = statistics.median(len(t) for page in pages for ts in page.texts for t in ts)
        print(f"{index}: median text {size:.0f} characters")
        for label, encoder in (("with cosines", engine.encoder), ("without", None)):
            unseen, warm = list[float](), list[float]()
            for _ in range(passes + 1):
                for page in pages:
                    forget()
                    snippets._remembered.cache_clear()
                    for spent in (unseen, warm):
                        begun = time.perf_counter()
                        gists(page.question, page.texts, page.words, encoder)
                        spent.append((time.perf_counter() - begun) * 1000)
            for name, spent in (("unseen", unseen), ("warm", warm)):
                p50, p95 = np.percentile(spent[len(pages) :], (50, 95))
                print(f"  {label:12} {name:6}  p50 {p50:.2f} ms, p95 {p95:.2f} ms")


def sheet(index: Path, out: Path, key: Path) -> None:
    """Write the pairs to judge, and apart from them which of A and B is the gist."""
    rng, keys, lines = random.Random(SEED), [], list[str]()
    seen = {row["id"] for row in labels()}
    with Engine.open(index) as engine:
        for question in QUESTIONS:
            page = Page.of(engine, question)
            free = [i for i in range(len(page.ids)) if page.ids[i] not in seen and page.texts[i]]
            for i in sorted(rng.sample(free, PER_QUESTION)):
                seen.add(page.ids[i])
                new = gists(question, page.texts, page.words, engine.encoder)[i].text
                shown = {"new": new, "old": best_of(page.texts[i], page.words)}
                order = rng.sample(sorted(shown), 2)
                keys.append([question, page.ids[i], *order])
                argument = engine.argument(page.ids[i])
                assert argument is not None
                lines += [
                    f"## {len(keys)}. {question}",
                    f"{argument.stance and argument.stance.value}: {argument.conclusion}\n",
                    *(f"> {text}\n" for text in page.texts[i]),
                    *(f"{name}: {shown[way]}\n" for name, way in zip("AB", order, strict=True)),
                ]
    out.write_text("\n".join(lines), "utf-8")
    key.write_text(json.dumps(keys), "utf-8")


def labels() -> list[dict[str, str]]:
    """The judged pairs: what was read of the argument, question, id, and old and new (1 or 0).

    read is "excerpts" for a first round, judged from the beginning and two cuts of about 300
    characters of most arguments, and "whole" for the round that counts, on other arguments.
    A sheet before these, of other questions, was dropped half read without a label: it showed
    phrases that were never found, and what followed was developed on it. One person judged; gists
    of several sentences can be told by their ellipses, so order hides less than it should.
    """
    return read_rows(LABELS)


def counts() -> None:
    """Print how many of the judged snippets carry the point, apart by what was read."""
    rows = labels()
    for read in dict.fromkeys(row["read"] for row in rows):
        judged = [(int(row["old"]), int(row["new"])) for row in rows if row["read"] == read]
        old, new = (sum(column) for column in zip(*judged, strict=True))
        better, worse = sum(b > a for a, b in judged), sum(b < a for a, b in judged)
        print(
            f"{read} read, {len(judged)} pairs: most query words {old}, gist {new} carry the point"
        )
        print(f"  only the gist {better}, only the other {worse}")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("task", choices=("rouge", "times", "sheet", "counts"))
    parser.add_argument("--data", type=Path)
    parser.add_argument("--index", type=Path, action="append", default=[])
    parser.add_argument("--out", type=Path, default=Path("sheet.md"))
    parser.add_argument("--key", type=Path, default=Path("key.json"))
    given = parser.parse_args()
    if given.task == "rouge":
        rouge(given.data or parser.error("rouge needs --data, the folder of the real corpora"))
    elif given.task == "counts":
        counts()
    elif not given.index:
        parser.error(f"{given.task} needs --index, a folder that `argsearch index` made")
    elif given.task == "times":
        for index in given.index:
            times(index)
    else:
        sheet(given.index[0], given.out, given.key)


if __name__ == "__main__":
    main()
