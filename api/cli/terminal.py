"""Standard output for data, standard error for messages and progress."""

from __future__ import annotations

import os
import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

INTERVAL = 5.0
"""Seconds between progress lines where there is no terminal."""


def say(message: str, *, quiet: bool = False) -> None:
    """One message on standard error."""
    if not quiet:
        print(message, file=sys.stderr)


def printable(text: str) -> str:
    """Text that cannot steer a terminal: control characters become spaces."""
    return "".join(c if c.isprintable() else " " for c in text)


def colourful() -> bool:
    """Whether standard output may be styled: a terminal, and NO_COLOR is not set."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


class Progress:
    """How far a command is: a bar on a terminal, a line now and then elsewhere, nothing if quiet.

    `update(stage, done)` may be called as often as wanted; `total` (the number of `unit` in all,
    if known) gives the time left.
    """

    def __init__(self, unit: str, *, total: int | None = None, quiet: bool = False) -> None:
        self._unit = unit
        self._total = total
        self._quiet = quiet
        self._stage = ""
        self._begun = self._told = time.monotonic()
        self._bar: Bar | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        if not self._quiet and sys.stderr.isatty():
            self._bar = _bar(self._unit)
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def update(self, stage: str, done: int) -> None:
        """The work is at `done` units of `stage`."""
        if self._quiet:
            return
        if self._bar is None:
            self._line(stage, done)
        else:
            self._move(self._bar, stage, done)

    def note(self, message: str) -> None:
        """A message between the lines of progress, or above the bar."""
        if self._quiet:
            return
        if self._bar is not None:
            self._bar.console.print(f"note: {message}", markup=False, highlight=False)
        else:
            say(f"note: {message}")

    def _move(self, bar: Bar, stage: str, done: int) -> None:
        if stage != self._stage or self._task is None:
            if self._task is not None:
                bar.update(self._task, total=max(1, self._total or 1), completed=self._total or 1)
            self._stage = stage
            self._task = bar.add_task(stage, total=self._total if done else None)
        bar.update(self._task, completed=done)

    def _line(self, stage: str, done: int) -> None:
        now = time.monotonic()
        if stage == self._stage and now - self._told < INTERVAL:
            return
        if stage != self._stage:
            self._begun = now
        rate = done / (now - self._begun) if now > self._begun else 0.0
        total = f" of {self._total:,}" if self._total else ""
        speed = f": {done:,}{total}" if done else ""
        speed += f", {pace(rate)}" if done and rate else ""
        self._stage, self._told = stage, now
        say(f"{stage}{speed}{self._left(done, rate)}")

    def _left(self, done: int, rate: float) -> str:
        if not (self._total and rate and done < self._total):
            return ""
        return f", {duration((self._total - done) / rate)} left"


def pace(rate: float) -> str:
    """How many a second, or how many seconds each takes where that says more."""
    if rate >= 10:
        return f"{rate:,.0f}/s"
    return f"{rate:.1f}/s" if rate >= 1 else f"{1 / rate:,.1f} s each"


def duration(seconds: float) -> str:
    """Seconds as one reads them: 42 s, 3 min 5 s, 2 h 10 min."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600:,} h {whole % 3600 // 60} min"


def _bar(unit: str) -> Bar:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        ProgressColumn,
        SpinnerColumn,
        Task,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Speed(ProgressColumn):
        """Units done and units a second."""

        def render(self, task: Task) -> Text:
            """The column of one stage; empty where nothing is counted."""
            if not task.completed or task.total == 1:
                return Text("")
            speed = task.finished_speed or task.speed
            total = f" of {task.total:,.0f}" if task.total else ""
            return Text(
                f"{task.completed:,.0f}{total} {unit}" + (f", {pace(speed)}" if speed else "")
            )

    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        Speed(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
    )
