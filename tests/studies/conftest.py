"""The args.me subset with the topics and judgements of 2020, by readers of files alone."""

from __future__ import annotations

import json
import lzma
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def corpus(data_dir: Path) -> list[dict]:
    """The documents of the args.me subset; each has one premise."""
    packed = (data_dir / "argsme-subset" / "args-me-subset.json.xz").read_bytes()
    return json.loads(lzma.decompress(packed))["arguments"]


@pytest.fixture(scope="module")
def titles(data_dir: Path) -> dict[str, str]:
    """The 50 topics of 2020."""
    topics = ET.parse(next((data_dir / "touche").glob("*only-titles*.xml"))).getroot()
    return {t.find("number").text.strip(): t.find("title").text.strip() for t in topics}


@pytest.fixture(scope="module")
def grades(data_dir: Path, corpus: list[dict]) -> dict[str, dict[str, int]]:
    """The judgements of the subset's documents, negative ones as 0: 49 topics."""
    there, found = {one["id"] for one in corpus}, {}
    qrels = next((data_dir / "touche").glob("*-corrected.qrels"))
    for line in qrels.read_text(encoding="utf-8").splitlines():
        query, _, document, grade = line.split()
        if document in there:
            found.setdefault(query, {})[document] = max(0, int(grade))
    assert len(found) == 49
    return found
