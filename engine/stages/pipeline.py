"""Stages run over candidates, one after another; those below a stage's depth follow."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from argsearch.engine.stages.base import Candidates, Floats, Stage, Trace


def staged(candidates: Candidates, stages: Iterable[tuple[Stage, int]]) -> Candidates:
    """Return the candidates after all stages, each over the best down to its depth.

    Those below follow as they came, their scores carried on. Raises what a stage raises.
    """
    if not len(candidates):
        return candidates
    for stage, depth in stages:
        head = candidates.take(slice(depth))
        step = stage.step(head)
        scores = np.asarray(stage.combine(**step.columns), np.float64)
        scores = np.concatenate([scores, carried_on(scores, candidates.scores[depth:])])
        rows = np.concatenate([head.rows[step.order], candidates.rows[depth:]])
        trace = Trace(stage, rows, scores, step)
        candidates = replace(
            candidates, rows=rows, scores=scores, traces=(*candidates.traces, trace)
        )
    return candidates


def carried_on(head: Floats, rest: Floats) -> Floats:
    """Return the scores of hits below a stage's depth, none above the stage's last score.

    As they came where the first is not above it; else the next lower number, less 1 − S / S of the
    first.
    """
    if not len(rest) or rest[0] <= head[-1]:
        return rest
    fall = 1.0 - rest / rest[0] if rest[0] > 0 else rest[0] - rest
    # in single precision, as runs are read: equal scores there would be put in order by id
    last = np.nextafter(np.float32(head[-1]), np.float32(-np.inf))
    return np.asarray(float(last) - fall)
