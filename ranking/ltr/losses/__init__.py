"""The losses of learning to rank, one a file: a value and its gradient over one list (F22)."""

from argsearch.ranking.ltr.losses.base import Loss
from argsearch.ranking.ltr.losses.registry import LOSSES, make

__all__ = ["LOSSES", "Loss", "make"]
