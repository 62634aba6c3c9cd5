"""Pictures of an experiment, drawn with matplotlib; equal results give equal files."""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from argsearch.lab.evaluation import Evaluation
from argsearch.lab.experiment.cache import Cache, digest, software
from argsearch.lab.experiment.drawing import draw, new_figure
from argsearch.lab.experiment.evaluating import MODES, Group
from argsearch.lab.experiment.maps import heat_maps
from argsearch.lab.experiment.plan import slug
from argsearch.lab.experiment.spots import Spot
from argsearch.lab.experiment.sweep import Map

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Picture = tuple[str, str]
"""Title, and file name below the folder of the report."""
_BARS = 8
_GRADES = (("unjudged", "0.75"), ("grade 0", "tab:red"), ("grade above 0", "tab:blue"))


@dataclass(frozen=True)
class Album:
    """Draws pictures into `out`/plots, as `svg` or `png`; what was drawn before is copied."""

    out: Path
    form: str
    cache: Cache

    def group(self, group: Group) -> Iterator[Picture]:
        """Bars of every topic against the first run; relevance against quality of the runs."""
        name = "-".join(slug(part) for part in (group.corpus, group.topics) if part)
        for mode, evaluation in group.evaluations.items():
            ending = slug(MODES[mode])
            for judgements in evaluation.judgements:
                measure = evaluation.measures[0]
                title = f"{judgements}, {measure}, {MODES[mode]}: each topic"
                stem = f"topics-{name}-{slug(judgements)}-{ending}"
                make = partial(topic_bars, evaluation, judgements)
                yield self._draw(title, stem, make, _plain(evaluation))
            if len(evaluation.judgements) > 1:
                title = f"{' against '.join(evaluation.judgements[:2])}, {MODES[mode]}"
                stem = f"runs-{name}-{ending}"
                yield self._draw(title, stem, partial(run_map, evaluation), _plain(evaluation))

    def quality(self, group: Group, spots: Mapping[str, Sequence[Spot]]) -> Iterator[Picture]:
        """The score of what each run retrieved against its predicted quality."""
        name = "-".join(slug(part) for part in (group.corpus, group.topics) if part)
        title = "Score against predicted quality"
        shown = {run: [astuple(spot) for spot in found] for run, found in spots.items()}
        yield self._draw(title, f"quality-{name}", partial(score_quality, spots), shown)

    def sweep(self, found: Map) -> Iterator[Picture]:
        """One map a column."""
        for i, column in enumerate(found.columns):
            stem = f"sweep-{slug(found.corpus)}-{slug(found.topics)}-{slug(column.label)}"
            axes = {key: list(values) for key, values in found.axes.items()}
            shown = [axes, found.scores[:, :, i].tolist(), found.spread[:, i].tolist()]
            shown += [found.baseline[:, i].tolist(), found.fold.tolist()]
            yield self._draw(column.label, stem, partial(heat_maps, found, i), shown)

    def _draw(self, title: str, stem: str, make: Callable[[], Figure], shown: Any) -> Picture:
        """Draw a picture of `shown` (plain values), or copy the one that was drawn of it."""
        folder = self.out / "plots"
        folder.mkdir(exist_ok=True)
        name = f"{stem}.{self.form}"
        key = digest({"title": title, "shown": shown, "software": software("lab/experiment")})
        place = self.cache.place("pictures", f"{key}.{self.form}")
        if not self.cache.has(place):
            draw(make, place)
            self.cache.keep(place)
        shutil.copyfile(place, folder / name)
        return title, f"plots/{name}"


def _plain(evaluation: Evaluation) -> Any:
    """What pictures of an evaluation show: the first measure's values."""
    first = evaluation.measures[0]
    return [asdict(score) for score in evaluation.scores if score.measure == first]


def topic_bars(evaluation: Evaluation, judgements: str) -> Figure:
    """Every run's gain over the first, topic by topic, largest first (of one run: its values)."""
    measure = evaluation.measures[0]
    values = {run: evaluation.score(run, measure, judgements).topics for run in evaluation.runs}
    first, *others = evaluation.runs
    shown = (others or [first])[:_BARS]
    figure, parts = new_figure(len(shown), 1, 8.0, 1.7)
    for part, run in zip(parts, shown, strict=True):
        base = values[first] if others else {}
        gains = {q: value - base.get(q, 0.0) for q, value in values[run].items()}
        order = sorted((q for q in gains if not math.isnan(gains[q])), key=lambda q: -gains[q])
        colours = ["tab:blue" if gains[q] >= 0 else "tab:red" for q in order]
        part.bar(range(len(order)), [gains[q] for q in order], color=colours)
        part.axhline(0.0, color="black", linewidth=0.6)
        part.set_xticks(range(len(order)), order, rotation=90, fontsize=6)
        part.set_xlim(-0.7, len(order) - 0.3)
        part.set_title(f"{run} − {first}" if others else run, loc="left")
        part.set_ylabel(measure)
    parts[-1].set_xlabel("topic")
    return figure


def run_map(evaluation: Evaluation) -> Figure:
    """One point a run: the first two kinds of judgements against each other, with intervals."""
    across, up = evaluation.judgements[:2]
    measure = evaluation.measures[0]
    figure, (part,) = new_figure(1, 1, 5.0, 4.2)
    for run in evaluation.runs:
        x, y = (evaluation.score(run, measure, name) for name in (across, up))
        part.errorbar(
            x.value,
            y.value,
            xerr=_bars(x.value, x.low, x.high),
            yerr=_bars(y.value, y.low, y.high),
            fmt="o",
            elinewidth=0.5,
            label=run,
        )
    part.set_xlabel(f"{across}, {measure}")
    part.set_ylabel(f"{up}, {measure}")
    part.legend(fontsize=7, frameon=False)
    return figure


def _bars(value: float, low: float | None, high: float | None) -> list[list[float]] | None:
    return None if low is None or high is None else [[value - low], [high - value]]


def score_quality(spots: Mapping[str, Sequence[Spot]]) -> Figure:
    """A part a run: score (as a share of the topic's best) against predicted quality, by grade."""
    columns = min(3, len(spots))
    figure, parts = new_figure(-(-len(spots) // columns), columns, 3.4, 3.0)
    for part in parts[len(spots) :]:
        part.set_axis_off()
    for part, (run, found) in zip(parts, spots.items(), strict=False):
        for name, colour in _GRADES:
            some = [spot for spot in found if _grade(spot) == name]
            x, y = [s.quality for s in some], [s.score for s in some]
            part.scatter(x, y, s=5, color=colour, alpha=0.6, lw=0, label=name, rasterized=True)
        part.set_title(run, loc="left")
        part.set_xlabel("predicted quality Q")
        part.set_ylabel("score / best of topic")
        part.set_xlim(-0.03, 1.03)
        part.set_ylim(-0.03, 1.05)
    parts[0].legend(fontsize=6, frameon=False, loc="lower left")
    return figure


def _grade(spot: Spot) -> str:
    if spot.grade is None:
        return "unjudged"
    return "grade above 0" if spot.grade > 0 else "grade 0"
