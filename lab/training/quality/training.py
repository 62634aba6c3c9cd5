"""Training: judgements in, a model file and honest figures out (`argsearch train quality`)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from argsearch.indexer.errors import InvalidParameter
from argsearch.lab.judgements.webis import Judgements, read_judgements
from argsearch.lab.training.quality.trainers import KINDS, Trainer, corpus_name, fit, make_trainer
from argsearch.lab.training.quality.validation import (
    QualityRow,
    RuleRow,
    always_an_argument,
    schemes,
    validate,
)
from argsearch.lab.training.shape import Progress, check_file, silent, software


@dataclass(frozen=True)
class TrainingRequest:
    """What to train on, what, and where to."""

    judgements: Path
    """A CSV file in the form of Webis-ArgQuality-20, or the folder that holds it."""
    out: Path
    """The model file to write."""
    kind: str = "h21"
    """`h21`: TF-IDF with support vectors; `features`: surface features; `words`: and terms."""
    corpus: str | None = None
    """H21 only: the corpus whose premises TF-IDF is fitted on; None = the judged texts."""
    folds: int = 10
    seed: int = 0
    more: tuple[Path, ...] = ()
    """`words` only: further corpora of scored arguments (`read_more`)."""

    def check(self) -> None:
        """Raise InvalidParameter for a value outside its range."""
        if self.kind not in KINDS:
            raise InvalidParameter("--kind", self.kind, ", ".join(KINDS))
        if not 2 <= self.folds <= 100:
            raise InvalidParameter("--folds", self.folds, "2 to 100")
        if not 0 <= self.seed < 2**31:
            raise InvalidParameter("--seed", self.seed, "0 to 2,147,483,647")
        check_file(self.out)
        if self.corpus is not None and self.kind != "h21":
            raise InvalidParameter("--corpus", self.corpus, f"nothing with --kind {self.kind}")
        if self.more and self.kind != "words":
            raise InvalidParameter("--more", str(self.more[0]), f"nothing with --kind {self.kind}")

    def command(self) -> str:
        """The command that makes the same file, with file names instead of this machine's paths."""
        corpus = f" --corpus {corpus_name(self.corpus)}" if self.corpus else ""
        more = "".join(f" --more {Path(path).name}" for path in self.more)
        return (
            f"argsearch train quality --judgements {Path(self.judgements).name} --kind {self.kind}"
            f"{corpus}{more} --folds {self.folds} --seed {self.seed} --out {Path(self.out).name}"
        )


@dataclass(frozen=True)
class TrainingResult:
    """The written file and how well such a model predicts what it was not trained on."""

    path: Path
    sha256: str
    items: int
    arguments: int
    topics: int
    rows: tuple[QualityRow, ...]
    rules: tuple[RuleRow, ...]

    def table(self) -> str:
        """The figures as a Markdown table, one line for each model and way of folding."""
        return "\n".join([QualityRow.HEADER, QualityRow.RULE, *(row.line() for row in self.rows)])

    def rules_table(self) -> str:
        """How the trained kind's gate and regression are best joined, as a Markdown table."""
        return "\n".join([RuleRow.HEADER, RuleRow.RULE, *(rule.line() for rule in self.rules)])


def train_quality(request: TrainingRequest, progress: Progress | None = None) -> TrainingResult:
    """Validate and train a quality model, and write its file.

    The figures come first: each is of models that never saw the items they predict, by random
    folds (as H21) and leaving out one topic at a time; the file's model then learns from all.
    Raises InvalidParameter, JudgementsError, CorpusError, ArgsearchError.
    """
    from argsearch.indexer.model_files import QUALITY

    tell = progress or silent
    request.check()
    judged = read_judgements(request.judgements)
    trainer = make_trainer(request.kind, judged, request.corpus, tell, request.more)
    rows, rules = _figures(request, judged, trainer, tell)
    tell("training on all items")
    fitted = fit(trainer, slice(None))
    header = {
        "kind": request.kind,
        **fitted.describe(),
        "provenance": _provenance(request, judged, trainer, rows),
    }
    sha256 = QUALITY.write(request.out, header, fitted.arrays())
    counts = len(judged.texts), int(judged.is_argument.sum()), judged.topic_count
    return TrainingResult(request.out, sha256, *counts, rows, rules)


def _figures(
    request: TrainingRequest, judged: Judgements, trainer: Trainer, tell: Progress
) -> tuple[tuple[QualityRow, ...], tuple[RuleRow, ...]]:
    rows: list[QualityRow] = []
    rules: list[RuleRow] = []
    baseline = make_trainer("log length", judged, None, tell)
    for scheme in schemes(judged, request.folds, request.seed):
        tell(f"validating: {scheme.name}")
        predictions = validate(judged, trainer, scheme)
        rows.append(always_an_argument(judged, scheme))
        rows.append(validate(judged, baseline, scheme).row(judged))
        rows.append(predictions.row(judged))
        rules.extend(predictions.rules(judged))
    return tuple(rows), tuple(rules)


def _provenance(
    request: TrainingRequest, judged: Judgements, trainer: Trainer, rows: tuple[QualityRow, ...]
) -> dict[str, Any]:
    return {
        "command": request.command(),
        "judgements": {
            "file": judged.file,
            "sha256": judged.sha256,
            "items": len(judged.texts),
            "arguments": int(judged.is_argument.sum()),
            "topics": judged.topic_count,
            "lowest quality": judged.lowest,
            "highest quality": judged.highest,
        },
        "corpus": trainer.corpus,
        "seed": request.seed,
        "software": software("scipy", "scikit-learn"),
        "figures": [asdict(row) for row in rows],
    }
