"""Published tables made again from the original data, beside what was published."""

from argsearch.lab.reproduction.plan import is_reproduction, reproduce

__all__ = ["is_reproduction", "reproduce"]
