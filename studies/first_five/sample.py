"""The sample corpus: by its own grades, and whether its traps stand in the first five.

A trap is what `dirichlet` alone puts first: for each question the author wrote a text of grade 0
that repeats its words. Ungraded texts count as grade 0.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from argsearch.engine.results.results import Hit
from argsearch.lab.runs import read_qrels, read_topics
from studies.first_five.systems import SYSTEMS, Rankings, is_short, rankings

SAMPLE = Path(__file__).resolve().parents[2] / "indexer" / "sample"
SIDES = (None, "for", "against")
HEADER = """\
| first five of 20 questions | places | short | quality grade 0 | off the question | traps |
|---|---:|---:|---:|---:|---:|"""


@dataclass
class Counts:
    """What was found in the first five of all questions."""

    places: int = 0
    short: int = 0
    bad: int = 0
    off: int = 0
    traps: int = 0
    texts: list[str] = field(default_factory=list)

    def line(self, name: str) -> str:
        """A row of the table."""
        cells = (self.places, self.short, self.bad, self.off, self.traps)
        return f"| {name} | {' | '.join(map(str, cells))} |"


class Grades:
    """The sample's questions, its grades, and its traps."""

    def __init__(self, found: Rankings) -> None:
        self.topics = read_topics(SAMPLE / "topics.xml")
        self._quality, self._relevance = (
            read_qrels(SAMPLE / f"{name}.qrels").not_negative() for name in ("quality", "relevance")
        )
        plain = SYSTEMS["dirichlet"]
        self._traps = {t.query_id: found.first(plain, t.title)[0].id for t in self.topics}

    def count(self, query: str, hits: list[Hit], counts: Counts) -> None:
        """Count the first five of a question."""
        for hit in hits:
            good = self._quality[query].get(hit.id, 0)
            on = self._relevance[query].get(hit.id, 0)
            counts.places += 1
            counts.short += is_short(hit)
            counts.bad += good == 0
            counts.off += on == 0
            counts.traps += hit.id == self._traps[query]
            text = hit.argument.premise
            counts.texts.append(f"* {hit.id} (quality {good}, relevance {on}): {text}")


def report(out: Path | None) -> str:
    """The table of all systems: one list, and each side's column. out: takes the lists."""
    lines, texts = [HEADER], list[str]()
    with rankings(SAMPLE / "arguments.json") as found:
        grades = Grades(found)
        for name, system in SYSTEMS.items():
            for side in SIDES:
                counts = Counts()
                said = name if side is None else f"{name}, {side}"
                for topic in grades.topics:
                    counts.texts.append(f"\n## {said}: {topic.title}\n")
                    hits = found.first(system, topic.title, side)
                    grades.count(topic.query_id, hits, counts)
                lines.append(counts.line(said))
                texts += counts.texts
    if out:
        out.write_text("\n".join(texts))
    return "\n".join(lines)
