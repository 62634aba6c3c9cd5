"""The losses of learning to rank, one a file: a value and its gradient over one list (F22)."""

from ranking.ltr.losses.base import Loss
from ranking.ltr.losses.registry import LOSSES, make

__all__ = ["LOSSES", "Loss", "make"]
