"""Compiles regular expressions over class letters to tables for scanning without backtracking.

A letter that begins a match leaves a shorter pattern to match, or one of several. States in the
tables are sets of such rests, Antimirov's partial derivatives (1996).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

DEAD, START = range(2)
"""The state from which nothing can match, and the first state."""


@dataclass(frozen=True, slots=True)
class Automaton:
    """Deterministic automaton; `step[state, class]`, uint8, is the next state."""

    step: NDArray[np.uint8]
    accepting: NDArray[np.bool_]
    """bool[states]; true if the text that leads to the state is a match."""


Pattern: TypeAlias = "str | tuple[Pattern, ...] | frozenset[Pattern] | Many"
"""A regular expression: one of some letters, a sequence, or a set to choose one pattern from."""
Rest: TypeAlias = tuple[Pattern, ...]
"""A sequence of patterns that are still to match."""


@dataclass(frozen=True, slots=True)
class Many:
    """Any number of repetitions of a pattern, including none."""

    of: Pattern


def one_of(*options: Pattern) -> Pattern:
    """Return the pattern of a text that matches one of several patterns."""
    return frozenset(options)


def some(pattern: Pattern) -> Pattern:
    """Return the pattern of one or more repetitions."""
    return pattern, Many(pattern)


def _heads(rest: Rest) -> Iterator[tuple[str, Rest]]:
    """Yield letters that may begin a sequence, and what then follows; "" where it may end."""
    if not rest:
        yield "", ()
        return
    first, then = rest[0], rest[1:]
    if isinstance(first, str):
        yield first, then
    elif isinstance(first, tuple):
        yield from _heads((*first, *then))
    elif isinstance(first, frozenset):
        for option in first:
            yield from _heads((option, *then))
    else:
        yield from ((own, (*after, first, *then)) for own, after in _heads((first.of,)) if own)
        yield from _heads(then)


def compile_pattern(pattern: Pattern, alphabet: str) -> Automaton:
    """Return a pattern's automaton; the number of a class is its position in `alphabet`.

    The pattern does not match the empty string, and needs at most 256 states.
    """
    heads = cache(lambda rest: tuple(_heads(rest)))
    pending: list[frozenset[Rest]] = [frozenset(), frozenset({(pattern,)})]
    states = {pending[DEAD]: DEAD, pending[START]: START}
    rows: list[list[int]] = []
    accepting = []
    for state in pending:
        found = {head for rest in state for head in heads(rest)}
        accepting.append(("", ()) in found)
        rows.append([])
        for letter in alphabet:
            target = frozenset(then for letters, then in found if letter in letters)
            if target not in states:
                states[target] = len(states)
                pending.append(target)
            rows[-1].append(states[target])
    return Automaton(np.array(rows, np.uint8), np.array(accepting))
