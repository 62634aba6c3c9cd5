"""Training a pairwise model: judged pairs in, a model file and honest figures out (D20)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from argsearch.lab.judgements.dagstuhl import DIMENSIONS, Ratings, read_dagstuhl
from argsearch.lab.judgements.pairs import TextPairs, read_others
from argsearch.lab.training.pairwise.validation import PairRow
from argsearch.lab.training.shape import Progress, check_file, silent, software


@dataclass(frozen=True)
class PairwiseRequest:
    """What to train on, and where to."""

    judgements: Path
    """Dagstuhl-15512: its file, or the folder that holds it."""
    out: Path
    """The model file to write."""
    more: tuple[Path, ...] = ()
    """Corpora of judged pairs that every dimension learns from too (`read_others`)."""

    def command(self) -> str:
        """The command that makes the same file, with file names instead of this machine's paths."""
        more = "".join(f" --more {Path(path).name}" for path in self.more)
        return (
            f"argsearch train pairwise --judgements {Path(self.judgements).name}{more} "
            f"--out {Path(self.out).name}"
        )


@dataclass(frozen=True)
class PairwiseResult:
    """The written file, and how well such a model orders pairs of issues it has not seen."""

    path: Path
    sha256: str
    arguments: int
    pairs: int
    rows: tuple[PairRow, ...]

    def table(self) -> str:
        """The figures as a Markdown table."""
        return "\n".join([PairRow.HEADER, PairRow.RULE, *(row.line() for row in self.rows)])


def train_pairwise(request: PairwiseRequest, progress: Progress | None = None) -> PairwiseResult:
    """Validate and train a pairwise model, and write its file.

    The figures come first, each of models that saw nothing of the issue they are tried on; the
    file's model then learns from all. Raises InvalidParameter, JudgementsError, ArgsearchError.
    """
    from threadpoolctl import threadpool_limits

    from argsearch.indexer.model_files import PAIRWISE
    from argsearch.lab.training.pairwise.trainer import Sources, fit_pairwise
    from argsearch.ranking.quality.surface import FEATURES

    tell = progress or silent
    check_file(request.out)
    ratings, shared = read_dagstuhl(request.judgements), read_others(request.more)
    with threadpool_limits(1):
        tell("validating: one issue at a time")
        rows = _figures(ratings, shared)
        tell("training on all pairs")
        own = {dimension: ratings.pairs(dimension) for dimension in DIMENSIONS}
        model = fit_pairwise(Sources(own, tuple(shared)))
    header = {
        "dimensions": list(DIMENSIONS),
        "features": [feature.name for feature in FEATURES],
        "score": "w . standard(features) + v . tfidf of single words; the higher score wins",
        "provenance": _provenance(request, ratings, shared, rows),
    }
    sha256 = PAIRWISE.write(request.out, header, model.pack())
    pairs = sum(len(each.better) for each in (*own.values(), *shared))
    return PairwiseResult(request.out, sha256, len(ratings.texts), pairs, rows)


def _figures(ratings: Ratings, shared: list[TextPairs]) -> tuple[PairRow, ...]:
    from argsearch.lab.training.pairwise import validation

    longer = validation.one_score(validation.lengths(ratings.texts))
    found = validation.unseen_issues(ratings, shared)
    return (
        *validation.rows("longer wins", ratings, longer),
        *validation.rows("model, unseen issues", ratings, found),
    )


def _provenance(
    request: PairwiseRequest, ratings: Ratings, shared: list[TextPairs], rows: tuple[PairRow, ...]
) -> dict[str, Any]:
    from argsearch.lab.training.pairwise import trainer

    return {
        "command": request.command(),
        "judgements": {
            "file": ratings.file,
            "sha256": ratings.sha256,
            "arguments": len(ratings.texts),
            "pairs": {d: len(ratings.pairs(d).better) for d in DIMENSIONS},
        },
        "more": [
            {"source": pairs.source, "pairs": len(pairs.better), "texts": len(pairs.texts)}
            for pairs in shared
        ],
        "settings": {
            "terms": trainer.TERMS,
            "word scale": trainer.WORD_SCALE,
            "alpha": trainer.ALPHA,
        },
        "software": software("scipy"),
        "figures": [asdict(row) for row in rows],
    }
