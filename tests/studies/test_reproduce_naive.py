"""One cell a system of docs/reproduction.md by plain loops over the files, sharing no code."""

from __future__ import annotations

import csv
import json
import lzma
import math
import re
import statistics
import tarfile
import xml.etree.ElementTree as ET
from collections import Counter, defaultdict
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "reproduction.md").read_text(encoding="utf-8")

pytestmark = [pytest.mark.data, pytest.mark.thorough]


def cell(system: str, table: str, row: str, column: int) -> str:
    """What the page has in one cell of a table's row."""
    block = PAGE.split(f"<!-- {system}: {table} -->")[1]
    line = next(line for line in block.splitlines() if line.startswith(f"| {row} |"))
    return line.strip("| ").split(" | ")[column]


def test_f22_mean_r_of_winrate_with_the_rank(data_dir: Path) -> None:
    scores, wins, met = defaultdict(dict), Counter(), Counter()
    with tarfile.open(data_dir / "ukpconvarg1" / "UKPConvArg1-csv.tar.xz") as archive:
        for member in archive:
            if not member.name.endswith(".csv"):
                continue
            lines = archive.extractfile(member).read().decode("utf-8").splitlines()[1:]
            topic = Path(member.name).name
            for line in lines:
                fields = line.split("\t")
                if "Ranking" in member.name:
                    scores[topic].setdefault(fields[2], -float(fields[1]))
                else:
                    won, lost = fields[2:4] if fields[1] == "a1" else (fields[3], fields[2])
                    wins[won] += 1
                    met.update([won, lost])
    found = []
    for of in scores.values():
        texts = [text for text in of if met[text]]
        rate = [wins[text] / met[text] for text in texts]
        found.append(statistics.correlation(rate, [of[text] for text in texts]))
    assert len(found) == 32
    printed = cell("f22", "winrate", "UKPConvArg1", 3)
    assert statistics.mean(found) == pytest.approx(float(printed), abs=0.001)


def test_g19_correlation_of_two_dimensions(data_dir: Path) -> None:
    path = data_dir / "webis-argquality20" / "full" / "webis-argquality20-arguments.csv"
    with path.open(encoding="utf-8", newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row["Is Argument?"] == "True"]
    logical, dialectical = (
        [float(row[f"{name} Quality"]) for row in rows] for name in ("Logical", "Dialectical")
    )
    r = statistics.correlation(logical, dialectical)
    assert f"{r:.2f} (.55)".lstrip("0") == cell("g19", "correlations", "dialectical, logical", 1)


def test_h21_baseline_of_dirichlet(data_dir: Path) -> None:
    packed = (data_dir / "argsme-subset" / "args-me-subset.json.xz").read_bytes()
    corpus = json.loads(lzma.decompress(packed))
    index: dict[str, list[tuple[str, int]]] = defaultdict(list)
    lengths, total = {}, 0
    for one in corpus["arguments"]:
        text = " ".join([*(p["text"] for p in one["premises"]), one["conclusion"] or ""])
        terms = re.findall(r"[^\W_]+(?:['’.][^\W_]+)*", text.lower())
        total += len(terms)
        lengths[one["id"]] = stored(len(terms))
        for term, tf in Counter(terms).items():
            index[term].append((one["id"], tf))
    touche = data_dir / "touche"
    grades: dict[str, dict[str, int]] = defaultdict(dict)
    for line in next(touche.glob("*-corrected.qrels")).read_text().splitlines():
        query, _, document, grade = line.split()
        if document in lengths:
            grades[query][document] = max(0, int(grade))
    found = []
    for topic in ET.parse(next(touche.glob("*only-titles*.xml"))).getroot():
        query, title = (topic.find(name).text.strip() for name in ("number", "title"))
        if query not in grades:
            continue
        scores: Counter[str] = Counter()
        for term in re.findall(r"[^\W_]+(?:['’][^\W_]+)*", title.lower()):
            postings = index.get(term, [])
            p = (sum(tf for _, tf in postings) + 1) / (total + 1)
            for document, tf in postings:
                length = 2000 / (lengths[document] + 2000)
                scores[document] += max(0.0, math.log(1 + tf / (2000 * p)) + math.log(length))
        best = sorted(scores, key=lambda document: (-scores[document], document))[:5]
        gains = [grades[query].get(document, 0) for document in best]
        found.append(dcg(gains) / dcg(sorted(grades[query].values(), reverse=True)[:5]))
    printed = cell("h21", "runs", "Dirichlet baseline", 7)
    assert statistics.mean(found) == pytest.approx(float(printed), abs=0.005)


def stored(length: int) -> int:
    """A length as Lucene's byte keeps it: four significant bits, exact below 40."""
    if length < 40:
        return length
    shift = (length - 24).bit_length() - 4
    return 24 + ((length - 24) >> shift << shift)


def dcg(gains: list[int]) -> float:
    """Σ g / log₂(i + 1)."""
    return sum(gain / math.log2(i + 2) for i, gain in enumerate(gains))
