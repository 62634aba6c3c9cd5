"""`argsearch train …`: judgements in, a model file and its figures out."""

from __future__ import annotations

from contextlib import AbstractContextManager, ExitStack
from functools import partial
from pathlib import Path
from typing import Annotated

from argsearch.api.cli import options, terminal

_Kind = Annotated[
    str,
    options.option(
        "--kind h21|features|words",
        "h21: TF-IDF, SVC and SVR; features: surface features, as the default model; "
        "words: these, words and pairs of words.",
    ),
]
_Corpus = Annotated[
    str | None,
    options.option(
        "--corpus CORPUS",
        "For h21: the corpus whose premises TF-IDF is fitted on, as `index` reads it; "
        "by default the judged texts.",
    ),
]
_Out = Annotated[Path, options.option("--out FILE", "The model file to write (.safetensors).")]
_More = Annotated[
    list[Path] | None,
    options.option(
        "--more FILE-OR-FOLDER",
        "For words: further scored arguments, told by the name: UKPConvArg1, IBM-ArgQ "
        "Toledo2019, EviConv, ArgQ-Rank-30k or Dagstuhl; may be given again.",
    ),
]


def quality(
    judgements: Annotated[
        Path,
        options.option(
            "--judgements FILE-OR-FOLDER",
            "Judged arguments in the form of Webis-ArgQuality-20 (CSV), or their folder.",
        ),
    ],
    out: _Out,
    kind: _Kind = "h21",
    corpus: _Corpus = None,
    folds: Annotated[
        int, options.option("--folds", "Random folds to validate with, 2 to 100.")
    ] = 10,
    seed: Annotated[int, options.option("--seed", "Seed of the random folds.")] = 0,
    more: _More = None,
    quiet: options.Quiet = False,
) -> None:
    """Train a quality model, and print how well it predicts items it was not trained on.

    Example: argsearch train quality --judgements webis-argquality20 --kind h21
    --corpus args-me.json --out h21.safetensors
    """
    from argsearch.lab.training.quality.training import TrainingRequest, train_quality

    request = TrainingRequest(judgements, out, kind, corpus, folds, seed, tuple(more or ()))
    result = train_quality(request, partial(terminal.say, quiet=quiet))
    print(result.table(), result.rules_table(), sep="\n\n")
    terminal.say(
        f"{result.path}: trained on {result.items:,} items ({result.arguments:,} arguments, "
        f"{result.topics} topics), SHA-256 {result.sha256}",
        quiet=quiet,
    )


def stance(
    data: Annotated[
        Path,
        options.option(
            "--data FOLDER",
            "The folder of the real data: IBM-ArgQ-Rank-30k, IBM-ArgQ-6.3kArgs and the "
            "args.me subset.",
        ),
    ],
    out: _Out,
    quiet: options.Quiet = False,
) -> None:
    """Train the model of stance towards a question, as the one that ships.

    Example: argsearch train stance --data shared/data --out stance.safetensors
    """
    from argsearch.lab.training.stance.training import train_stance

    result = train_stance(data, out, partial(terminal.say, quiet=quiet))
    terminal.say(
        f"{result.path}: trained on {result.arguments:,} arguments on {result.topics} topics and "
        f"{result.pairs} labelled pairs; {result.accuracy:.3f} right on topics left out, "
        f"SHA-256 {result.sha256}",
        quiet=quiet,
    )


def pairwise(
    judgements: Annotated[
        Path,
        options.option(
            "--judgements FILE-OR-FOLDER",
            "Dagstuhl-15512, arguments rated on cogency, reasonableness and effectiveness.",
        ),
    ],
    out: _Out,
    more: Annotated[
        list[Path] | None,
        options.option(
            "--more FILE-OR-FOLDER",
            "Further judged pairs, told by the name: UKPConvArg1, Webis-ArgQuality20, "
            "IBM-ArgQ Toledo2019 or EviConv; may be given again.",
        ),
    ] = None,
    quiet: options.Quiet = False,
) -> None:
    """Train a model of which premise is better, and print how well it orders unseen issues.

    Example: argsearch train pairwise --judgements dagstuhl-15512
    --more UKPConvArg1-csv.tar.xz --out pairwise.safetensors
    """
    from argsearch.lab.training.pairwise import train_pairwise

    result = train_pairwise(judgements, out, more or (), partial(terminal.say, quiet=quiet))
    print(result.table())
    terminal.say(
        f"{result.path}: trained on {result.pairs:,} pairs, {result.arguments:,} rated arguments, "
        f"SHA-256 {result.sha256}",
        quiet=quiet,
    )


def ltr(
    config: Annotated[
        Path,
        options.argument("CONFIG", "The training configuration (TOML); docs/ltr.md."),
    ],
    out: Annotated[
        Path,
        options.option("--out FOLDER", "The model's folder, which quality_model can name."),
    ],
    resume: Annotated[
        bool,
        options.option("--resume", "Go on from the last checkpoint of a training that ended."),
    ] = False,
    quiet: options.Quiet = False,
) -> None:
    """Train a model by learning to rank (F22), and print how well it orders unseen topics.

    Example: argsearch train ltr configs/ltr/ukp-winrate.toml --out ltr-model
    """
    from argsearch.lab.training.listwise.settings import read_plan
    from argsearch.lab.training.listwise.training import LtrRequest, train_ltr

    with _Steps(quiet) as steps:
        result = train_ltr(LtrRequest(read_plan(config), out, resume), steps)
    print(result.table())
    terminal.say(
        f"{result.path}: trained on {result.items:,} arguments of {result.topics} topics, "
        f"SHA-256 {result.sha256}",
        quiet=quiet,
    )


class _Steps(AbstractContextManager["_Steps"]):
    """One bar at a time: a model that is gone on with has fewer steps left than the others."""

    def __init__(self, quiet: bool) -> None:
        self._quiet, self._most = quiet, -1
        self._bar = ExitStack()
        self._progress: terminal.Progress | None = None

    def __call__(self, what: str, done: int, most: int) -> None:
        if most != self._most or self._progress is None:
            self._bar.close()
            self._most = most
            bar = terminal.Progress("steps", total=most, quiet=self._quiet)
            self._progress = self._bar.enter_context(bar)
        self._progress.update(what, done)

    def __exit__(self, *_: object) -> None:
        self._bar.close()


train = options.group("Train models from judgements.", quality, stance, pairwise, ltr)
"""The group of commands."""
