"""Stance towards the question, measured: topics left out, swapped questions, labelled pairs.

    python -m studies.siding --data "$ARGSEARCH_DATA"

Prints Markdown; `--only claims|folds|rank30k|argkp|swap|labelled|speed` prints one part,
`--only lists` the sides of the reader's lists as labelled pairs.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from argsearch.engine import Engine
from argsearch.engine.stance.claims import accord, read_claim, read_question
from argsearch.engine.stance.model import Side, StanceModel
from argsearch.engine.stance.sides import DEPTH
from argsearch.engine.stance.subject import BEST
from argsearch.indexer.build.build import BuildRequest, build
from argsearch.lab.judgements.tables import decoded, table
from argsearch.lab.training.stance.training import (
    ARGUMENTS,
    CORPUS,
    bags,
    fit_attitude,
    held_out,
    rank_30k,
    related,
    scale,
    toledo,
)
from argsearch.ranking.evaluation.agreement import cohen_kappa
from argsearch.ranking.numbers import sigmoid
from studies.calibration import calibration, calibration_error, surest
from studies.judgements import read_rows

LABELS = Path(__file__).parent.parent / "tests" / "engine" / "stance_labels.tsv"
SUBJECTS = (
    "smoking in public places",
    "violent video games",
    "homework",
    "school uniforms",
    "abortion",
    "guns",
    "animal testing",
    "zoos",
    "recreational marijuana",
    "medical marijuana",
    "prostitution",
    "steroids in sport",
    "phones in schools",
    "gay marriage",
    "gay adoption",
    "euthanasia",
    "corporal punishment",
    "nuclear power",
    "vaccines",
    "cigarettes",
    "e-cigarettes",
    "social media",
    "single-sex schools",
    "standardized tests",
    "surveillance cameras",
    "concealed weapons on campus",
    "teacher tenure",
    "chocolate milk in schools",
    "energy drinks",
    "eating meat",
    "alcohol",
    "plastic bottles",
    "assault weapons",
    "prescription drug advertising",
    "online voting",
    "stem cell research",
    "racial profiling",
    "affirmative action",
    "prayer in schools",
    "genetically modified food",
)
"""Of each, "Should … be banned?" and "Should … be allowed?"; none is a title of Touché."""
CLAIMS, CONCLUSIONS = Path(__file__).with_name("claims.tsv"), 4
"""Claims and questions for and against 264 subjects, written for this; of each subject the first
CONCLUSIONS are worded as debates word theirs, most others in words that do not name it."""
PARTS = ("claims", "folds", "rank30k", "argkp", "swap", "labelled", "speed")
EDGES = np.array([0.5, 0.6, 0.7, 0.8, 0.9, 1.0])


def claimed() -> dict[str, list[tuple[str, int]]]:
    """The texts of CLAIMS by their subject, each with +1 (for it) or -1."""
    found = dict[str, list[tuple[str, int]]]()
    for row in read_rows(CLAIMS):
        found.setdefault(row["subject"], []).append((row["text"], int(f"{row['side']}1")))
    return found


def claims() -> str:
    """How many claims the words alone put on their side of the subject as it is written."""
    right: dict[str, list[bool]] = {"conclusions": [], "questions": [], "other claims": []}
    for subject, texts in claimed().items():
        asked = read_question(subject)
        for place, (text, side) in enumerate(texts):
            kind = "questions" if text.endswith("?") else "other claims"
            kind = kind if place >= CONCLUSIONS else "conclusions"
            right[kind].append(accord(asked, read_question(text)) == side)
    lines = ["| claims | texts | right |", "|---|---|---|"]
    return "\n".join(
        [*lines, *(f"| {kind} | {len(of):,} | {np.mean(of):.3f} |" for kind, of in right.items())]
    )


def folds(data: Path) -> str:
    """IBM-ArgQ-Rank-30k by ten folds over its topics: the text alone."""
    held = held_out(data, lambda message: print(message, file=sys.stderr))
    weight = scale(held)
    p = np.array([sigmoid(weight * abs(logit)) for logit in held.logits])
    topics = np.array(held.topics)
    worst = sorted((held.right[topics == topic].mean(), topic) for topic in set(held.topics))[:3]
    lines = [f"{len(p):,} arguments, {len(set(held.topics))} topics", ""]
    lines += ["| share of the surest | right |", "|---|---|"]
    lines += [f"| {s:.0%} | {surest(p, held.right, s):.3f} |" for s in (1.0, 0.8, 0.6, 0.4)]
    lines += ["", *_curve(p, held.right)]
    lines += ["", "worst topics: " + "; ".join(f"{topic} {share:.2f}" for share, topic in worst)]
    return "\n".join(lines)


def _curve(p: np.ndarray, right: np.ndarray, edges: np.ndarray = EDGES) -> list[str]:
    bins = calibration(p, right, edges)
    rows = [
        f"| {b.low:.1f}–{b.high:.1f} | {b.count:,} | {b.predicted:.3f} | {b.right:.3f} |"
        for b in bins
    ]
    head = ["| probability | arguments | mean probability | right |", "|---|---|---|---|"]
    return [*head, *rows, "", f"expected calibration error {calibration_error(bins):.3f}"]


def swap(engine: Engine, model: StanceModel) -> str:
    """Questions turned round: does what is on one side stand on the other?"""
    swapped = shown = total = 0
    failing: Counter[str] = Counter()
    for subject in SUBJECTS:
        questions = [f"Should {subject} be {word}?" for word in ("banned", "allowed")]
        best = [[hit.argument for hit in engine.search(q, k=BEST).hits] for q in questions]
        hits = list({one.id: one for found in best for one in found[:10]}.values())
        sides = [model.sides(q, hits, found) for q, found in zip(questions, best, strict=True)]
        for one, other in zip(*sides, strict=True):
            total += 1
            if "unclear" in (one.value, other.value) and one.value == other.value:
                continue
            shown += 1
            good = {one.value, other.value} == {"for", "against"}
            swapped += good
            failing[subject] += not good
    lost = ", ".join(f"{name} {n}" for name, n in failing.most_common() if n)
    return (
        f"{len(SUBJECTS)} pairs of questions, {total} arguments, {shown} not unclear, "
        f"{swapped} swap ({swapped / shown:.1%}); failing: {lost or 'none'}"
    )


def short(data: Path, source: str) -> str:
    """Short arguments without conclusions found for their own topics, as what is asked.

    A text of another topic that gets a side is wrong. The model is trained without these topics.
    """
    rows = _short(data, source)
    topics = sorted({row["topic"] for row in rows})
    model = without(data, topics)
    sides, right = list[Side](), list[bool]()
    with TemporaryDirectory() as folder:
        corpus, index = Path(folder) / "corpus.jsonl", Path(folder) / "index"
        lines = [
            {"id": f"a{i}", "conclusion": None, "premises": [{"text": row["text"]}]}
            for i, row in enumerate(rows)
        ]
        corpus.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
        build(BuildRequest([str(corpus)], index))
        with Engine.open(index) as engine:
            for topic in topics:
                hits = [hit.argument for hit in engine.search(topic, k=DEPTH).hits]
                sides += model.sides(topic, hits, hits)
                for hit in hits:
                    row = rows[int(hit.id[1:])]
                    stance = {"1": "for", "-1": "against"}[row["stance"]]
                    right.append(stance == sides[len(right)].likelier and row["topic"] == topic)
    shown = np.array([side.value != "unclear" for side in sides])
    good, p = np.array(right), np.array([side.probability for side in sides])
    return "\n".join(
        [
            f"{len(rows):,} arguments, {len(topics)} topics, {len(p):,} hits; a side have "
            f"{shown.mean():.3f}, of these right {good[shown].mean():.3f}; of the surest "
            + ", ".join(f"{s:.0%} {surest(p, good, s):.3f}" for s in (1.0, 0.8, 0.6)),
            "",
            *_curve(p, good, np.linspace(0.0, 1.0, 11)),
        ]
    )


def _short(data: Path, source: str) -> list[dict[str, str]]:
    """IBM-ArgQ-Rank-30k's test topics, or ArgKP-2021's: topic, text and stance."""
    if source == "argkp":
        found = []
        for name in ("train", "dev"):
            path = data / f"ibm/argkp-2021/arguments_{name}.csv"
            found += table(path, path.read_text("utf-8"), ("topic", "argument", "stance"))
    else:
        path = data / ARGUMENTS
        columns = ("topic", "argument", "stance_WA", "set")
        found = [row[:3] for row in table(path, decoded(path), columns) if row[3] == "test"]
    keys = ("topic", "text", "stance")
    return [dict(zip(keys, row, strict=True)) for row in found if row[2] in ("1", "-1")]


def without(data: Path, topics: list[str]) -> StanceModel:
    """The model that ships, its texts' attitude learnt without topics that share half the words."""
    left = [read_claim(topic).subject for topic in topics]
    material = [
        one
        for one in (*rank_30k(data), *toledo(data))
        if not any(related(read_claim(one.topic).subject, subject) for subject in left)
    ]
    names, attitude = fit_attitude(bags(material), np.arange(len(material)))
    return StanceModel(names, attitude, StanceModel.load().weights)


def labelled(engine: Engine, model: StanceModel) -> str:
    """The pairs of tests/engine/stance_labels.tsv, labelled before there was a model."""
    rows = read_rows(LABELS)
    best = {
        q: [hit.argument for hit in engine.search(q, k=BEST).hits]
        for q in {row["question"] for row in rows}
    }
    among = []
    for row in rows:
        question = row["question"]
        among += model.sides(question, [_argument(engine, row["argument"])], best[question])
    alone = [model.side(row["question"], _argument(engine, row["argument"])) for row in rows]
    told = (("among the best hits", among), ("alone", alone))
    return "\n\n".join(f"{how}:\n{_shown(rows, sides)}" for how, sides in told)


def _shown(rows: list[dict[str, str]], sides: list[Side]) -> str:
    labels = [row["label"] for row in rows]
    shown = np.array([side.value != "unclear" for side in sides])
    right = np.array([side.value == label for side, label in zip(sides, labels, strict=True)])
    neither = np.array([label == "neither" for label in labels])
    p = np.array([side.probability for side in sides])
    likelier = np.array([side.likelier for side in sides]) == np.array(labels)
    twice = [(row["label"], row["second"]) for row in rows if row["second"]]
    lines = [
        f"{len(rows)} pairs, labels {dict(Counter(labels))}; labelled twice: {len(twice)}, "
        f"equal {sum(a == b for a, b in twice)}, kappa {_kappa(twice):.3f}",
        f"shown on a side: {shown.sum()} ({shown.mean():.1%}); right {right[shown].mean():.3f}; "
        f"of those on the question {right[shown & ~neither].mean():.3f}",
        f"of {neither.sum()} on neither side, unclear: {(~shown[neither]).sum()}; "
        f"of {(~neither).sum()} on a side, shown: {shown[~neither].sum()}",
        "",
        *_curve(p, likelier, np.linspace(0.0, 1.0, 11)),
    ]
    return "\n".join(lines)


def _kappa(twice: list[tuple[str, str]]) -> float:
    first, second = zip(*twice, strict=True)
    return cohen_kappa(list(first), list(second))


def _argument(engine: Engine, id: str):
    argument = engine.argument(id)
    if argument is None:
        raise SystemExit(f"the corpus lacks the labelled argument {id}")
    return argument


def of_lists() -> str:
    """The sides of the reader's lists (studies/reader) as labelled pairs, for `train sides`."""
    folder = Path(__file__).parent / "reader"
    questions = {row["id"]: row["question"] for row in read_rows(folder / "questions.tsv")}
    lines = dict.fromkeys(
        f"{question}\t{row['argument']}\t{row['side'] if row['right'] == '1' else other}"
        for row in read_rows(folder / "judged.tsv")
        if (question := questions.get(row["item"].partition(".")[0])) and row["right"] in ("0", "1")
        for other in [{"for": "against", "against": "for"}[row["side"]]]
    )
    return "\n".join(["question\targument\tlabel", *lines])


def speed(engine: Engine, model: StanceModel) -> str:
    """Milliseconds for the ten hits of a page, texts in memory: first time, and again."""
    clocks = (time.perf_counter, time.process_time)
    spent = np.zeros((len(SUBJECTS), 2, 2))
    for i, subject in enumerate(SUBJECTS):
        question = f"Should {subject} be banned?"
        best = [hit.argument for hit in engine.search(question, k=BEST).hits]
        for again in (0, 1):
            begun = [clock() for clock in clocks]
            model.sides(question, best[:10], best)
            spent[i, again] = [clock() - start for clock, start in zip(clocks, begun, strict=True)]
    median = np.median(spent, axis=0) * 1e3
    return "\n".join(
        f"ten arguments, {name}: {wall:.1f} ms, of that {cpu:.1f} ms of the processor (medians)"
        for name, (wall, cpu) in zip(("unseen", "warm"), median.tolist(), strict=True)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--only", choices=(*PARTS, "lists"))
    parser.add_argument("--model", type=Path)
    options = parser.parse_args()
    if options.only == "lists":
        print(of_lists())
        return
    if options.only in (None, "claims"):
        print("## Claims\n", claims(), "", sep="\n")
    if options.only in (None, "folds"):
        print("## Topics left out\n", folds(options.data), "", sep="\n")
    for source in ("rank30k", "argkp"):
        if options.only in (None, source):
            print(f"## {source}\n", short(options.data, source), "", sep="\n")
    if options.only in PARTS[:4]:
        return
    model = StanceModel.load(options.model)
    with TemporaryDirectory() as folder:
        build(BuildRequest([str(options.data / CORPUS)], Path(folder) / "index"))
        with Engine.open(Path(folder) / "index") as engine:
            for part in (swap, labelled, speed):
                if options.only in (None, part.__name__):
                    print(f"## {part.__name__}\n", part(engine, model), "", sep="\n")


if __name__ == "__main__":
    main()
