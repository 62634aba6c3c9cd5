"""Our tokens beside Lucene's: its automaton over all states, and its answers over real text."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import islice, pairwise
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from argsearch.indexer.analysis import StandardAnalyzer
from argsearch.indexer.analysis.automaton import DEAD, START
from argsearch.indexer.analysis.batch import tokenize
from argsearch.indexer.analysis.standard import token_automaton
from argsearch.indexer.analysis.word_classes import CODE_POINTS, class_table
from argsearch.indexer.corpus import read

pytestmark = pytest.mark.lucene

SURROGATES = range(0xD800, 0xE000)


def _in_batches(texts: list[str]) -> list[list[str]]:
    batch = tokenize(texts)
    terms = [term.decode("utf-8") for term in batch.terms]
    return [[terms[i] for i in batch.ids[start:end]] for start, end in pairwise(batch.offsets)]


def _differences(lucene: ModuleType, texts: Iterable[str]) -> list[str]:
    """The texts whose tokens differ from Lucene's, by either of our ways."""
    texts, analyzer = list(texts), StandardAnalyzer()
    answers = lucene.lucene_tokens(texts)
    assert len(answers) == len(texts)
    ways = zip(texts, answers, _in_batches(texts), strict=True)
    return [text for text, theirs, ours in ways if not theirs == ours == analyzer.tokens(text)]


def test_automaton_accepts_the_same_strings(lucene: ModuleType) -> None:
    """All pairs of states that a common string reaches agree on whether a token may end there."""
    theirs, ours = lucene.lucene_automaton(), token_automaton()
    kind = {}
    for first, last, their_class in theirs["classes"]:
        classes = set(class_table()[first : last + 1].tolist())
        assert len(classes) == 1, f"U+{first:04X} to U+{last:04X} are one class in Lucene"
        assert kind.setdefault(their_class, min(classes)) == min(classes)
    reached = {(0, START)}
    pending = [(0, START)]
    for their_state, our_state in pending:
        for their_class, our_class in kind.items():
            after = theirs["step"][their_state][their_class] if their_state >= 0 else -1
            state = int(ours.step[our_state, our_class])
            assert (after >= 0 and theirs["tokens"][after]) == ours.accepting[state]
            if (after >= 0 or state != DEAD) and (after, state) not in reached:
                reached.add((after, state))
                pending.append((after, state))
    assert len(reached) >= len(theirs["step"])


@pytest.mark.slow
def test_every_code_point_alone_and_within_a_word(lucene: ModuleType) -> None:
    points = [chr(point) for point in range(CODE_POINTS) if point not in SURROGATES]
    texts = [f"{point} A{point}b 1{point}2 {point}{point}" for point in points]
    assert not _differences(lucene, texts)


def test_golden_file_is_what_lucene_says(lucene: ModuleType) -> None:
    cases = json.loads(Path(__file__).with_name("tokens.json").read_text("utf-8"))
    answers = lucene.lucene_tokens(case["text"] for case in cases)
    assert answers == [case["tokens"] for case in cases]


@pytest.mark.slow
def test_random_texts_of_all_classes(lucene: ModuleType) -> None:
    rng = np.random.default_rng(29)
    classes = [np.flatnonzero(class_table() == code) for code in range(class_table().max() + 1)]
    classes[0] = np.setdiff1d(classes[0], SURROGATES)

    def text(length: int) -> str:
        some = rng.choice(len(classes), size=rng.integers(1, 6))
        points = (rng.choice(classes[code]) for code in rng.choice(some, size=length))
        return "".join(map(chr, points))

    texts = [text(int(length)) for length in rng.integers(2, 16, size=6_000)]
    texts += [text(int(length)) for length in rng.integers(240, 530, size=300)]
    assert not _differences(lucene, texts)


@pytest.mark.data
@pytest.mark.slow
def test_argsme_subset(lucene: ModuleType, data_dir: Path) -> None:
    arguments = read(data_dir / "argsme-subset" / "args-me-subset.json.xz")
    texts = [argument.text for argument in arguments]
    assert len(texts) == 5671
    assert not _differences(lucene, texts)


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.nightly
def test_forum_posts(lucene: ModuleType, data_dir: Path) -> None:
    arguments = read(data_dir / "forum" / "forum-posts.jsonl.xz")
    texts = [argument.text for argument in islice(arguments, 0, 320_000, 16)]
    assert len(texts) == 20_000
    assert not _differences(lucene, texts)
