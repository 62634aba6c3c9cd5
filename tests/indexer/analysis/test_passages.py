"""Passages: whole sentences, no word lost, sizes within their bounds."""

from __future__ import annotations

import json
from pathlib import Path

from argsearch.indexer.analysis.passages import PASSAGE_LIMIT, WINDOW_WORDS, passages
from argsearch.indexer.analysis.sentences import segment

SAMPLE = Path(__file__).parents[3] / "indexer" / "sample" / "arguments.json"


def test_passages_are_windows_of_whole_sentences_and_lose_no_word():
    documents = json.loads(SAMPLE.read_text(encoding="utf-8"))["arguments"]
    whole = " ".join(one["premises"][0]["text"] for one in documents[:60])
    for text in (whole, "word " * 500, "One. Two.", "", " \n"):
        found = passages(text)
        assert [word for a, b in found for word in text[a:b].split()] == text.split()
        sizes = [len(text[a:b].split()) for a, b in found]
        assert all(size <= PASSAGE_LIMIT for size in sizes)
        assert sum(size < WINDOW_WORDS // 2 for size in sizes[:-1]) == 0
    ends = set(segment(whole)[:, 1].tolist())
    assert all(b in ends for _, b in passages(whole))
