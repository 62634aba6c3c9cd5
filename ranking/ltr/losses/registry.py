"""The losses by name. A new loss is a file beside this one and a line in `LOSSES`."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from argsearch.ranking.ltr.losses.approx_ndcg import ApproxNDCG
from argsearch.ranking.ltr.losses.base import Loss
from argsearch.ranking.ltr.losses.hinge import Hinge
from argsearch.ranking.ltr.losses.listmle import ListMLE
from argsearch.ranking.ltr.losses.logistic import Logistic
from argsearch.ranking.ltr.losses.mse import MSE
from argsearch.ranking.ltr.losses.softmax import Softmax

LOSSES: dict[str, type[Loss]] = {
    loss.name: loss for loss in (MSE, Hinge, Logistic, ListMLE, Softmax, ApproxNDCG)
}
"""Each loss' class."""


def make(name: str, **settings: Any) -> Loss:
    """The loss of that name, with those of the settings that it has.

    Raises ValueError for an unknown name, or a value that the loss does not take.
    """
    if name not in LOSSES:
        raise ValueError(f"loss is {name!r}; allowed: {', '.join(LOSSES)}")
    loss: Any = LOSSES[name]
    own = {one.name for one in fields(loss)}
    made: Loss = loss(**{key: value for key, value in settings.items() if key in own})
    return made
