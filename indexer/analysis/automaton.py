"""Compiles regular expressions over class letters to tables for scanning without backtracking.

In Glushkov's construction, each letter or set in the pattern is a position. The positions that may
follow each other form a non-deterministic automaton. States in the tables are sets of positions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

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


class _Piece(NamedTuple):
    """A piece of the pattern: `empty` if it matches the empty string; first and last positions."""

    empty: bool
    first: frozenset[int]
    last: frozenset[int]


class _Positions:
    """Reads the pattern by recursive descent, and records which positions may follow each other."""

    def __init__(self, pattern: str) -> None:
        self.letters: list[str] = []
        self.follow: list[set[int]] = []
        self._pattern = "".join(pattern.split())
        self._at = 0
        self.root = self._alternatives()
        if self._at != len(self._pattern):
            raise ValueError(f"the pattern cannot be parsed at {self._pattern[self._at :]!r}")

    def _peek(self) -> str:
        return self._pattern[self._at : self._at + 1]

    def _alternatives(self) -> _Piece:
        part = self._sequence()
        while self._peek() == "|":
            self._at += 1
            other = self._sequence()
            empty = part.empty or other.empty
            part = _Piece(empty, part.first | other.first, part.last | other.last)
        return part

    def _sequence(self) -> _Piece:
        part = _Piece(True, frozenset(), frozenset())
        while self._peek() not in ("", "|", ")"):
            then = self._repeated()
            self._link(part.last, then.first)
            first = part.first | then.first if part.empty else part.first
            last = part.last | then.last if then.empty else then.last
            part = _Piece(part.empty and then.empty, first, last)
        return part

    def _repeated(self) -> _Piece:
        part = self._atom()
        while (sign := self._peek()) and sign in "*+?":
            self._at += 1
            if sign in "*+":
                self._link(part.last, part.first)
            part = part._replace(empty=part.empty or sign in "*?")
        return part

    def _atom(self) -> _Piece:
        start, self._at = self._at, self._at + 1
        letter = self._pattern[start]
        if letter == "(":
            part = self._alternatives()
            if self._peek() != ")":
                raise ValueError(f"the pattern lacks a closing bracket: {self._pattern[start:]!r}")
            self._at += 1
            return part
        if letter == "[":
            self._at = self._pattern.index("]", start) + 1
            letter = self._pattern[start + 1 : self._at - 1]
        self.letters.append(letter)
        self.follow.append(set())
        position = frozenset({len(self.letters) - 1})
        return _Piece(False, position, position)

    def _link(self, before: frozenset[int], after: frozenset[int]) -> None:
        for position in before:
            self.follow[position] |= after


def _determine(positions: _Positions, alphabet: str) -> tuple[list[list[int]], list[bool]]:
    """Return each state's next states, and whether it accepts; states are sets of positions."""
    nothing: frozenset[int] = frozenset()
    states: dict[frozenset[int] | None, int] = {nothing: DEAD, None: START}
    rows = [[DEAD] * len(alphabet)]
    pending: list[frozenset[int] | None] = [None]
    for state in pending:
        after = positions.root.first
        if state is not None:
            after = nothing.union(*(positions.follow[position] for position in state))
        rows.append([])
        for letter in alphabet:
            target = frozenset(p for p in after if letter in positions.letters[p])
            if target not in states:
                states[target] = len(states)
                pending.append(target)
            rows[-1].append(states[target])
    return rows, [bool(state and state & positions.root.last) for state in states]


def _minimise(step: NDArray[np.int64], accepting: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the group of each state; the states in a group accept the same texts (Moore)."""
    group = np.where(accepting, 2, 0)
    # The start state keeps a group of its own, because kernels begin with its number.
    group[START] = 1
    count = 0
    while count < (count := len(np.unique(group))):
        rows = np.column_stack([group, group[step]])
        _, first, inverse = np.unique(rows, axis=0, return_index=True, return_inverse=True)
        group = np.argsort(np.argsort(first))[inverse.ravel()]  # numbered by first occurrence
    return group


def compile_pattern(pattern: str, alphabet: str) -> Automaton:
    """Return a pattern's smallest automaton; the number of a class is its position in `alphabet`.

    Raises ValueError if the pattern is malformed, matches the empty string or needs more than 256
    states.
    """
    positions = _Positions(pattern)
    if positions.root.empty:
        raise ValueError("the pattern must not match the empty string")
    rows, accepts = _determine(positions, alphabet)
    step, accepting = np.array(rows), np.array(accepts)
    group = _minimise(step, accepting)
    states, first = np.unique(group, return_index=True)
    if len(states) > 256:
        raise ValueError(f"the pattern may need at most 256 states, not {len(states)}")
    return Automaton(group[step[first]].astype(np.uint8), accepting[first])
