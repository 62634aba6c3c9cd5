"""Texts that only repeat their question, and are on no side: how many, and how good they are.

    python -m studies.repeating --data "$ARGSEARCH_DATA"

Each text beside its own question: of the sample corpus, of Webis-ArgQuality-20 and of
IBM-ArgQ-Rank-30k; then the first hundred hits of the reader's questions on the args.me subset, and
the labelled pairs of questions and arguments.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from argsearch.engine import Engine
from argsearch.engine.stance.claims import read_question
from argsearch.engine.stance.terms import repeats
from argsearch.indexer.build.build import BuildRequest, build
from argsearch.indexer.corpus import read
from argsearch.lab.judgements.webis import read_judgements
from argsearch.lab.runs import read_qrels, read_topics
from argsearch.lab.training.quality.trainers import read_more
from studies.first_five.sample import SAMPLE
from studies.judgements import CORPUS, W20, W20_TOPICS, read_rows
from studies.reader.lists import questions
from studies.siding import LABELS

HITS = 100

Pair = tuple[str, str, float]
"""(question, text, how good it is; NaN: nobody said)."""


def told(name: str, pairs: Iterable[Pair]) -> str:
    """A row: pairs, those that repeat, and the mean goodness of these and of all."""
    all_pairs = list(pairs)
    good = np.array([value for _, _, value in all_pairs])
    found = np.array([repeats(read_question(q), text) for q, text, _ in all_pairs], np.bool_)
    means = [f"{np.mean(some):.2f}" if len(some) else "-" for some in (good[found], good)]
    return f"| {name} | {len(good)} | {found.sum()} | {' | '.join(means)} |"


def of_sample() -> Iterator[Pair]:
    """The graded texts beside their questions; the grade of quality, 0 to 2."""
    grades = read_qrels(SAMPLE / "quality.qrels").not_negative()
    texts = {one.id: one.premise for one in read(str(SAMPLE / "arguments.json"))}
    for topic in read_topics(SAMPLE / "topics.xml"):
        for id, grade in grades[topic.query_id].items():
            yield topic.title, texts[id], float(grade)


def of_webis(data: Path, argument: bool) -> Iterator[Pair]:
    """The items that are, or are not, arguments beside their topics; combined quality."""
    judged = read_judgements(data / W20)
    asked = {row["Topic ID"]: row["Long Query"] for row in read_rows(data / W20_TOPICS)}
    topics = [row["Topic ID"] for row in read_rows(data / W20)]
    items = zip(topics, judged.texts, judged.is_argument, judged.quality, strict=True)
    for topic, text, flag, quality in items:
        if flag == argument:
            yield asked[topic], text, float(quality)


def of_30k(data: Path) -> Iterator[Pair]:
    """The sentences beside their topics; the weighted average of votes."""
    scored = read_more([data / "ibm" / "argq-rank-30k"])[0]
    for topic, text, score in zip(scored.topics, scored.texts, scored.scores, strict=True):
        yield scored.topic_names[topic], text, float(score)


def of_hits(engine: Engine) -> Iterator[Pair]:
    """The first hits of the reader's questions."""
    for question in questions():
        for hit in engine.search(question.text, k=HITS).hits:
            yield question.text, hit.argument.premise, float("nan")


def of_labelled(engine: Engine) -> Iterator[Pair]:
    """The labelled pairs."""
    for row in read_rows(LABELS):
        argument = engine.argument(row["argument"])
        assert argument is not None
        yield row["question"], argument.premise, float("nan")


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    data = parser.parse_args().data
    print(
        "| | pairs | repeat | mean of these | mean of all |", "|---|---:|---:|---:|---:|", sep="\n"
    )
    print(told("sample corpus, grade 0 to 2", of_sample()))
    print(told("Webis-ArgQuality-20, arguments, quality", of_webis(data, True)))
    print(told("Webis-ArgQuality-20, no arguments", of_webis(data, False)))
    print(told("IBM-ArgQ-Rank-30k, score", of_30k(data)))
    with TemporaryDirectory() as folder:
        build(BuildRequest([str(data / CORPUS)], Path(folder) / "index"))
        with Engine.open(Path(folder) / "index") as engine:
            print(told("first hundred hits of 40 questions", of_hits(engine)))
            print(told("labelled pairs", of_labelled(engine)))


if __name__ == "__main__":
    main()
