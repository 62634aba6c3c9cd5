"""Published tables made again from the original data, beside what was published."""

from engine.reproduction.plan import reproduce

__all__ = ["reproduce"]
