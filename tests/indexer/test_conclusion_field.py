"""The field of conclusions, and the premises' as what the text has beside it."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.indexer.analysis import StandardAnalyzer
from argsearch.indexer.building.build import BuildRequest, build
from argsearch.indexer.format.arrays import Arrays, SortedStrings, open_arrays
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.format.store import DocumentStore

TOKENS = StandardAnalyzer().tokens
AWKWARD = "ab.'’_1 \u0301\u200d\u00ad\ufe0f😀🏻🇩א\"カ中가ำ\n\r\u2028©"


def frequencies(arrays: Arrays) -> list[dict[str, int]]:
    """Each document's terms and their frequencies in its conclusion, from the arrays."""
    vocabulary = SortedStrings(arrays.terms_offsets, arrays.terms_bytes)
    found: list[dict[str, int]] = [{} for _ in range(len(arrays.quality))]
    for v in range(len(vocabulary)):
        run = range(int(arrays.conclusion_starts[v]), int(arrays.conclusion_starts[v + 1]))
        rows = arrays.conclusion_rows[run.start : run.stop]
        assert (np.diff(rows) > 0).all()
        for j in run:
            row = arrays.conclusion_rows[j]
            for doc in range(arrays.conclusion_docs[row], arrays.conclusion_docs[row + 1]):
                found[doc][vocabulary[v].decode()] = int(arrays.conclusion_tfs[j])
    return found


def check(folder: Path) -> Arrays:
    arrays, _ = open_arrays(folder)
    store = DocumentStore(arrays)
    conclusions = [store[doc].conclusion or "" for doc in range(len(arrays.quality))]
    assert frequencies(arrays) == [dict(Counter(TOKENS(text))) for text in conclusions]
    lengths = np.repeat(arrays.conclusion_lengths, np.diff(arrays.conclusion_docs))
    assert lengths.tolist() == [len(TOKENS(text)) for text in conclusions]
    premises = [len(TOKENS(store[doc].premise)) for doc in range(len(conclusions))]
    assert (arrays.text_lengths - lengths).tolist() == premises
    return arrays


def test_the_sample_corpus(sample_index: Path) -> None:
    arrays = check(sample_index)
    store = DocumentStore(arrays)
    conclusions = [store[doc].conclusion for doc in range(len(arrays.quality))]
    assert len(arrays.conclusion_lengths) == len(set(conclusions))


@pytest.mark.parametrize("encoder", ["none", "wordllama"])
def test_documents_without_a_conclusion(tmp_path: Path, encoder: str) -> None:
    conclusions = ["Zoos must go", None, "…", " ", "Zoos must go", "", "Ban zoos, zoos!", None]
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text(
        "".join(
            json.dumps({"id": f"d{i}", "conclusion": c, "premises": [{"text": f"zoo {i}"}]}) + "\n"
            for i, c in enumerate(conclusions)
        )
    )
    settings = IndexSettings(encoder=encoder, quality_model="none", clusters=2)
    build(BuildRequest([str(corpus)], tmp_path / "index", settings))
    arrays = check(tmp_path / "index")
    assert len(arrays.conclusion_lengths) == 4, "three conclusions, and none"
    assert sorted(np.diff(arrays.conclusion_docs)) == [1, 1, 2, 4]


@pytest.mark.thorough
@given(st.text() | st.text(AWKWARD), st.text() | st.text(AWKWARD))
def test_a_text_has_the_tokens_of_its_premises_and_its_conclusion(
    premise: str, conclusion: str
) -> None:
    assert TOKENS(f"{premise} {conclusion}") == TOKENS(premise) + TOKENS(conclusion)
