"""`argsearch train …`: train a model from judgements and report its accuracy."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from argsearch.api.cli import terminal
from argsearch.api.cli.options import Quiet, argument, group, option, within
from argsearch.indexer.errors import InvalidParameter

if TYPE_CHECKING:
    from argsearch.lab.training.shape import TrainedModel

OUT = option("--out FILE", "The model file to write (.safetensors).", ...)


def _report(result: TrainedModel, quiet: bool) -> None:
    """Print the model's measures, and report its path and training data."""
    if result.tables:
        print(*result.tables, sep="\n\n")
    said = f"{result.path}: trained on {result.told}, SHA-256 {result.sha256}"
    terminal.say(said, quiet=quiet)


def quality(
    judgements: Path = option(
        "--judgements FILE-OR-FOLDER",
        "Judged arguments in the format of Webis-ArgQuality-20 (CSV), or their folder.",
        ...,
    ),
    out: Path = OUT,
    kind: str = option(
        "--kind h21|features|words",
        "h21: TF-IDF, SVC and SVR; features: surface features, as in the default model; "
        "words: surface features, words and pairs of words.",
        "h21",
    ),
    corpus: str | None = option(
        "--corpus CORPUS",
        "For h21: fit TF-IDF on the premises of this corpus, in any format that `index` reads; "
        "by default on the judged texts.",
        None,
    ),
    folds: int = within("--folds", 2, 100, "Number of random validation folds, 2 to 100.", 10),
    seed: int = within("--seed", 0, 2**31 - 1, "Seed of the random folds.", 0),
    more: list[Path] | None = option(
        "--more FILE-OR-FOLDER",
        "For words: another data set of scored arguments, recognised by name: UKPConvArg1, "
        "IBM-ArgQ Toledo2019, EviConv, ArgQ-Rank-30k or Dagstuhl; repeatable.",
        None,
    ),
    quiet: Quiet = False,
) -> None:
    """Train a quality model and print how well it predicts unseen items.

    Example: argsearch train quality --judgements webis-argquality20 --kind h21
    --corpus args-me.json --out h21.safetensors
    """
    from argsearch.lab.training.quality.training import TrainingRequest, train_quality

    request = TrainingRequest(judgements, out, kind, corpus, folds, seed, tuple(more or ()))
    _report(train_quality(request, partial(terminal.say, quiet=quiet)), quiet)


def stance(
    data: Path = option(
        "--data FOLDER",
        "Folder with the data sets IBM-ArgQ-Rank-30k, IBM-ArgQ-6.3kArgs and the args.me subset.",
        ...,
    ),
    out: Path = OUT,
    quiet: Quiet = False,
) -> None:
    """Train a model of stances towards a question, as the shipped one was trained.

    Example: argsearch train stance --data shared/data --out stance.safetensors
    """
    from argsearch.lab.training.stance.training import train_stance

    _report(train_stance(data, out, partial(terminal.say, quiet=quiet)), quiet)


def pairwise(
    judgements: Path = option(
        "--judgements FILE-OR-FOLDER",
        "Dagstuhl-15512: arguments rated on cogency, reasonableness and effectiveness.",
        ...,
    ),
    out: Path = OUT,
    more: list[Path] | None = option(
        "--more FILE-OR-FOLDER",
        "Further judged pairs, recognised by name: UKPConvArg1, Webis-ArgQuality20, "
        "IBM-ArgQ Toledo2019 or EviConv; repeatable.",
        None,
    ),
    classifier: str | None = option(
        "--classifier NAME",
        "Train one of D20's classifiers, which also read the claim: random forest, SGD, logistic "
        "regression, gradient boosting, SVM, k-NN or naive Bayes.",
        None,
    ),
    encoder: str = option(
        "--encoder SPEC", "For a classifier: the encoder of the indexes it will serve.", "wordllama"
    ),
    quiet: Quiet = False,
) -> None:
    """Train a model that tells which premise is better, and print its accuracy on unseen issues.

    Example: argsearch train pairwise --judgements dagstuhl-15512
    --more UKPConvArg1-csv.tar.xz --out pairwise.safetensors
    """
    from argsearch.lab.training.pairwise import train_pairwise
    from argsearch.lab.training.pairwise_classifier import train_classifier

    tell = partial(terminal.say, quiet=quiet)
    if classifier is None:
        result = train_pairwise(judgements, out, more or (), tell)
    elif more:
        raise InvalidParameter("--more", str(more[0]), problem="--classifier takes no --more")
    else:
        result = train_classifier(judgements, out, classifier, encoder, tell)
    _report(result, quiet)


def ltr(
    config: Path = argument("CONFIG", "The training configuration (TOML); see docs/ltr.md."),
    out: Path = option("--out FOLDER", "The model's folder, for the setting quality_model.", ...),
    quiet: Quiet = False,
) -> None:
    """Train a model by learning to rank (F22), and print its accuracy on unseen topics.

    Example: argsearch train ltr configs/ltr/ukp-winrate.toml --out ltr-model
    """
    from argsearch.lab.training.listwise.settings import read_plan
    from argsearch.lab.training.listwise.training import train_ltr

    with terminal.Progress("steps", quiet=quiet) as progress:
        result = train_ltr(read_plan(config), out, progress.update)
    _report(result, quiet)


def points(
    data: Path = option("--data FOLDER", "Folder with the data set ArgKP-2021.", ...),
    out: Path = OUT,
    quiet: Quiet = False,
) -> None:
    """Train a model of whether two sentences make the same point, as the shipped one was trained.

    Example: argsearch train points --data shared/data --out points.safetensors
    """
    from argsearch.lab.training.points import train_points

    _report(train_points(data, out, partial(terminal.say, quiet=quiet)), quiet)


train = group(
    "Train models from judgements.",
    quality,
    stance,
    pairwise,
    ltr,
    points,
)
"""The command group."""
