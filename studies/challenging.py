"""What a challenged text gets, read blind, and the weights behind it (docs/challenge.md).

    python -m studies.challenging fit INDEX [ENCODER]          # weights, from the labelled pairs
    python -m studies.challenging sheets FOLDER INDEX TEXTS.tsv
    python -m studies.challenging counts FOLDER
    python -m studies.challenging sides INDEX                  # on which side the author stands

INDEX is one of the args.me subset. TEXTS.tsv has the columns `text`, `side` and, where the index is
not to say it, `about`. `sheets` writes what each text gets into FOLDER, 60 items a sheet, to be
answered in `labels-*.tsv`; `challenge_texts.tsv` and `challenge_labels.tsv` beside this file are
the texts and labels that all was chosen on.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from argsearch.engine import Engine
from argsearch.engine.challenge import meeting
from argsearch.engine.challenge.author import side_of
from argsearch.engine.challenge.challenge import Challenge, arguments_of
from argsearch.engine.challenge.reading import claims_of, subject_of
from argsearch.engine.stance.claims import accord, read_question
from argsearch.engine.stance.wording import ENCODER
from argsearch.indexer.encoders import load_encoder
from studies.debating import interval

TEXTS, LABELS = (Path(__file__).with_name(f"challenge_{one}.tsv") for one in ("texts", "labels"))
PART = 60
"""Items of a sheet at most; all of a text are in one."""
OTHER = {"for": "against", "against": "for"}
GOOD = {"counter": "c", "support": "s", "whole": "cp"}
"""The labels of a sentence that is what it was shown as."""
HEAD = """\
WHAT TO JUDGE
Below are texts with an opinion. Under some CLAIMs of a text stand sentences from debate portals and
forums. Judge each by itself; typing errors, weak quality and whether it is true do not matter.
c  counters this claim: taken seriously it contradicts or weakens THIS claim, or gives a reason on
   its very aspect (costs, safety, suffering, freedom …) against what the author takes from it.
   Where the claim is the author's position, any understandable reason against that is c.
p  speaks against the author's position, but does not meet this claim.
s  supports this claim: says the same, or gives a reason or an example for it.
o  speaks for the author's position, but not for this claim.
n  neither: another subject, no point, both sides alike, or it cannot be understood.
Write one line an item into labels-N.tsv for sheet-N.txt: its number, a tab, the letter.
"""


def rows_of(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table."""
    with path.open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def items(found: Challenge) -> Iterator[tuple[str, str, Any]]:
    """Yield what a text gets: its kind, the claim, the passage; nothing without a known side."""
    if not found.opposite:
        return
    for one in sorted(found.findings, key=lambda one: one.claim.begin):
        for side, passage in sorted(one.passages.items()):
            kind = "counter" if side == found.opposite else "support"
            yield kind, one.claim.text, passage
    for passage in found.whole.get(found.opposite, ()):
        yield "whole", "the author's position as a whole", passage


def sheets(folder: Path, index: str, path: Path) -> None:
    """Write the sheets of all texts, and what was shown."""
    folder.mkdir(parents=True, exist_ok=True)
    shown: list[dict[str, Any]] = []
    blocks: list[tuple[int, list[str]]] = []
    with Engine.open(index) as engine:
        for number, row in enumerate(rows_of(path), 1):
            found = engine.challenge(
                row["text"], about=row.get("about") or None, side=row["side"] or None
            )
            lines, last, at = [f"\n=== TEXT {number}: {row['text']}"], "", 0
            for at, (kind, claim, passage) in enumerate(items(found), 1):
                lines += [f"  CLAIM: {claim}"] * (claim != last)
                lines.append(f"    {number}.{at}  {passage.text}")
                p, last = round(passage.probability, 4), claim
                shown.append(
                    {"item": f"{number}.{at}", "text": number, "kind": kind, "probability": p}
                )
            unmet = [one.claim.text for one in found.findings if not found.counter(one)]
            shown.append({"item": "", "text": number, "kind": "unmet", "claims": unmet})
            blocks.append((at, lines))
    (folder / "shown.json").write_text(json.dumps(shown, indent=1), encoding="utf-8")
    parts: list[list[str]] = [[]]
    room = PART
    for size, lines in blocks:
        if size > room and parts[-1]:
            parts.append([])
            room = PART
        parts[-1] += lines
        room -= size
    for number, lines in enumerate(parts, 1):
        text = "\n".join([HEAD, *lines, ""])
        (folder / f"sheet-{number}.txt").write_text(text, encoding="utf-8")


def counts(folder: Path) -> str:
    """Return the table of what readers said of each kind."""
    shown = json.loads((folder / "shown.json").read_text(encoding="utf-8"))
    label: dict[str, str] = {}
    for path in folder.glob("labels-*.tsv"):
        lines = path.read_text(encoding="utf-8").splitlines()
        label |= dict(line.split("\t")[:2] for line in lines if "\t" in line)
    lines = ["| shown as | n | is that | labels |", "|---|---:|---:|---|"]
    kinds = {name: (name,) for name in GOOD} | {"counter or whole": ("counter", "whole")}
    for name, some in kinds.items():
        mine = [one for one in shown if one["kind"] in some]
        right: dict[int, list[bool]] = defaultdict(list)
        told: dict[str, int] = defaultdict(int)
        for one in mine:
            said = label[one["item"]].strip()
            told[said] += 1
            right[one["text"]].append(said in GOOD[one["kind"]])
        low, high = interval([np.array(values) for values in right.values()])
        mean = np.mean([value for values in right.values() for value in values])
        letters = ", ".join(f"{key} {told[key]}" for key in sorted(told))
        lines.append(f"| {name} | {len(mine)} | {mean:.2f} [{low:.2f}, {high:.2f}] | {letters} |")
    return "\n".join(lines)


def pairs(engine: Engine, encoder: str | None) -> Iterator[tuple[str, str, str, dict[str, float]]]:
    """Yield of each labelled pair the text, the kind, the label, and its features."""
    labels = defaultdict(list)
    for row in rows_of(LABELS):
        labels[row["text"]].append(row)
    meeting.PER_CLAIM = 1 << 20  # all are read
    search = partial(engine.search, collapse=True)
    for text in rows_of(TEXTS):
        if not (mine := labels[text["id"]]):
            continue
        about = engine.argument(text["about"])
        assert about is not None
        claims = claims_of(text["text"])
        at = {str(one.begin): number for number, one in enumerate(claims)}
        sides = arguments_of(search, about.conclusion or "", claims)
        read = load_encoder(encoder) if encoder else None
        vectors = meeting.ClaimVectors(about.conclusion or "", [one.text for one in claims], read)
        for name, side in sides.items():
            table = meeting.Meeting(side, vectors)
            place = {
                (side.arguments[one.place].id, str(one.begin)): i
                for i, one in enumerate(side.sentences)
            }
            for row in mine:
                own = text["side"] if row["kind"] == "support" else OTHER[text["side"]]
                if own == name and (i := place.get((row["id"], row["begin"]))) is not None:
                    column = int(np.searchsorted(table.looked, i))
                    values = {
                        key: float(x[at.get(row["claim"], 0), column])
                        for key, x in table.values.items()
                    }
                    yield text["id"], row["kind"], row["label"], values


def fit(index: str, encoder: str | None) -> None:
    """Print the weights, and how well they tell labels of texts that were left out."""
    with Engine.open(index) as engine:
        found = list(pairs(engine, encoder))
    meets = meeting.MEETS_BY_MEANING if encoder else meeting.MEETS_BY_WORDS
    for what, weights, kinds, good in (
        ("meets", meets, ("counter",), "c"),
        ("on side", meeting.ON_SIDE, ("counter", "whole"), "cp"),
    ):
        some = [one for one in found if one[1] in kinds]
        names = [name for name in weights if name != "constant"]
        x = np.array([[one[3][name] for name in names] for one in some])
        y = np.array([one[2] in good for one in some])
        scale = x.std(axis=0)
        model = LogisticRegression(C=0.3, max_iter=1000).fit(x / scale, y)
        p = cross_val_predict(
            make_pipeline(StandardScaler(), LogisticRegression(C=0.3)),
            x, y, groups=[one[0] for one in some], cv=GroupKFold(15), method="predict_proba",
        )[:, 1]  # fmt: skip
        best = np.argsort(-p)
        shares = {share: y[best[: int(share * len(y))]].mean() for share in (0.1, 0.2, 0.4)}
        print(f"{what}: {len(y)} pairs, {y.mean():.2f} are, AUC {roc_auc_score(y, p):.3f}, of the")
        print("  surest", {share: round(float(value), 2) for share, value in shares.items()})
        fitted = dict(zip(names, (model.coef_[0] / scale).round(2).tolist(), strict=True))
        print("  ", {"constant": round(float(model.intercept_[0]), 2), **fitted})


def sides(index: str) -> None:
    """Print how surely the author's side of the written texts is told."""
    right, sure = [], []
    with Engine.open(index) as engine:
        search = partial(engine.search, collapse=True)
        for text in rows_of(TEXTS):
            if not text["question"]:
                continue
            claims = claims_of(text["text"])
            if not (about := subject_of(search, claims)):
                continue
            asked, read = read_question(text["question"]), read_question(about)
            own = text["answer"] if accord(asked, read) > 0 else OTHER[text["answer"]]
            said = load_encoder(ENCODER).encode([one.text for one in claims])
            both = arguments_of(search, about, claims)
            found = side_of(about, claims, said, both)
            right.append(found.likelier == own)
            sure.append(found.probability)
    best = np.argsort(-np.array(sure), kind="stable")
    for share in (1.0, 0.5, 0.33):
        some = best[: int(share * len(best))]
        mean, least = np.array(right)[some].mean(), sure[some[-1]]
        print(f"surest {share:.0%}: {mean:.2f} of {len(some)} right, p ≥ {least:.2f}")


def main() -> None:
    """Fit, write sheets or count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("fit", "sheets", "counts", "sides"))
    parser.add_argument("given", nargs="+", metavar="FOLDER | INDEX | TEXTS.tsv | ENCODER")
    asked = parser.parse_args()
    if asked.what == "fit":
        fit(asked.given[0], asked.given[1] if asked.given[1:] else None)
    elif asked.what == "sheets":
        folder, index, path = asked.given
        sheets(Path(folder), index, Path(path))
    elif asked.what == "counts":
        print(counts(Path(asked.given[0])))
    else:
        sides(asked.given[0])


if __name__ == "__main__":
    main()
