"""The published tables of F22, measured again: every configuration of configs/ltr.

    python -m studies.ltr --data "$ARGSEARCH_DATA" [--only ukp ukp-winrate]

Trains each configuration that is asked for (minutes on one core; those with a transformer need the
extra `ltr` and ARGSEARCH_MODELS) and prints its figures beside the published ones. Published test
topics are known for EviConv and 30k alone; elsewhere other topics are drawn, so that figures are
of the same task, not of the same texts.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from tempfile import TemporaryDirectory

from argsearch.engine.config import CONFIGS
from argsearch.lab.training.listwise.settings import read_plan
from argsearch.lab.training.listwise.training import ListwiseRow, LtrRequest, train_ltr

FOLDER = CONFIGS / "ltr"
PUBLISHED = {
    "ukp": ("BERT, MSE", ".44/.56/.40/.53/.62/.68", ".48/.68/.51/.60/.72/.77"),
    "eviconv": ("BERT, MSE", ".57/.51/.37/.88/.90/.89", ".61/.56/.41/.91/.89/.89"),
    "argq": ("BERT, MSE", ".42/.41/.22/.55/.60/.63", ".35/.34/.23/.64/.67/.66"),
    "argq30k": ("BERT, MSE", ".52/.48/.32/.85/.87/.86", ".52/.47/.32/.89/.89/.88"),
    "ukp-winrate": ("BERT, MSE", ".73/.74/.58/.82/.82/.85", ".75/.76/.60/.89/.87/.89"),
    "argq-winrate": ("BERT, MSE", ".39/.40/.29/.79/.71/.70", ".42/.43/.31/.90/.80/.76"),
    "eviconv-winrate": ("BERT, MSE", ".34/.32/.24/.69/.70/.71", ".46/.45/.34/.75/.74/.76"),
}
"""Pearson/Spearman/τ/nDCG@5/@10/@15 of one BERT with MSE, and of the ensemble (F22)."""


def table(name: str) -> str:
    """One configuration's measured rows, and the published ones."""
    with TemporaryDirectory() as made:
        result = train_ltr(LtrRequest(read_plan(FOLDER / f"{name}.toml"), Path(made) / "model"))
    lines = [f"### {name}", "", result.table()]
    key = name.removesuffix("-minilm")
    if key in PUBLISHED:
        single, first, second = PUBLISHED[key]
        for model, figures in ((single, first), ("ensemble", second)):
            cells = figures.split("/")
            empty = ["-"] * (len(ListwiseRow.COLUMNS) - 1 - len(cells))
            lines.append(f"| published: {model} (gain not stated) | {' | '.join(cells + empty)} |")
    return "\n".join(lines)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--only", nargs="+", default=[path.stem for path in FOLDER.glob("*.toml")])
    args = parser.parse_args()
    os.environ["ARGSEARCH_DATA"] = str(args.data)
    for name in sorted(args.only):
        print(table(name), end="\n\n", flush=True)


if __name__ == "__main__":
    main()
