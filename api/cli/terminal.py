"""Write data to standard output, and messages and progress to standard error."""

from __future__ import annotations

import os
import sys
import time
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

INTERVAL = 5.0
"""Seconds between progress lines when the output is not a terminal."""


class Clean(TextIOWrapper):
    """Standard output on a terminal. Only `styled` text can control the terminal."""

    def write(self, text: str, /) -> int:
        """Write text with spaces for unprintable characters, except line breaks and tabs."""
        return self.styled(printable(text.replace("\r\n", "\n"), "\n\t"))

    def styled(self, text: str) -> int:
        """Write text with colours. Text from the index or the user must be printable."""
        return super().write(text)


def say(message: str, *, quiet: bool = False) -> None:
    """Print a message on standard error, without characters that control a terminal."""
    if not quiet:
        print(printable(message, "\n") if sys.stderr.isatty() else message, file=sys.stderr)


def write_json(document: Any) -> None:
    """Write data on standard output as indented JSON."""
    import orjson

    sys.stdout.write(f"{orjson.dumps(document, option=orjson.OPT_INDENT_2).decode()}\n")


def printable(text: str, kept: str = "") -> str:
    """Return text that is safe for a terminal. Unprintable characters not `kept` become spaces."""
    return "".join(c if c.isprintable() or c in kept else " " for c in text)


def colourful() -> bool:
    """Return True if standard output is a terminal and NO_COLOR is not set."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


class Progress:
    """Progress of a command, as a bar on a terminal or else as occasional lines.

    If `quiet`, nothing is shown. Call `update(stage, done)` as often as needed. `total` is used to
    estimate the remaining time of stages without their own total.
    """

    def __init__(
        self,
        unit: str,
        *,
        total: int | None = None,
        quiet: bool = False,
    ) -> None:
        self._unit, self._total, self._quiet = unit, total, quiet
        self._usual, self._stage = total, ""
        self._begun = self._told = time.monotonic()
        self._bar: Bar | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        if not self._quiet and sys.stderr.isatty():
            self._bar = _bar()
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def update(self, stage: str, done: int, total: int | None = None) -> None:
        """Show that `done` units of `stage` are complete. total: the stage's own total, if any."""
        if self._quiet:
            return
        now, fresh = time.monotonic(), stage != self._stage or total not in (None, self._total)
        self._stage, self._total = stage, total or (self._usual if fresh else self._total)
        if fresh:
            self._begun = now
        if self._bar is not None:
            self._move(self._bar, done, self._said(done, now), fresh)
        elif fresh or now - self._told >= INTERVAL:
            self._told = now
            said = self._said(done, now)
            say(f"{stage}: {said}" if said else stage)

    def note(self, message: str) -> None:
        """Show a message between progress lines, or above the progress bar."""
        if self._quiet:
            return
        if self._bar is not None:
            self._bar.console.print(f"note: {message}", markup=False, highlight=False)
        else:
            say(f"note: {message}")

    def _move(self, bar: Bar, done: int, said: str, fresh: bool) -> None:
        total = self._total if done else None
        if self._task is None or fresh:
            # Show the previous stage's bar as full, even if its count did not reach the total.
            if self._task is not None:
                bar.update(self._task, total=max(1, self._total or 1), completed=self._total or 1)
            self._task = bar.add_task(self._stage, total=total, said="")
        bar.update(self._task, total=total, completed=done, said=said)

    def _said(self, done: int, now: float) -> str:
        """Return the amount done, the speed and the remaining time, or nothing at the beginning."""
        if not done:
            return ""
        said = f"{done:,} of {self._total:,}" if self._total else f"{done:,}"
        said += f" {self._unit}" if self._bar is not None else ""
        rate = done / (now - self._begun) if now > self._begun else 0.0
        said += f", {pace(rate)}" if rate else ""
        if self._total and rate and done < self._total:
            said += f", {duration((self._total - done) / rate)} left"
        return said


def pace(rate: float) -> str:
    """Return a rate per second, or seconds per unit if that is more readable."""
    if rate >= 10:
        return f"{rate:,.0f}/s"
    return f"{rate:.1f}/s" if rate >= 1 else f"{1 / rate:,.1f} s each"


def duration(seconds: float) -> str:
    """Return a readable duration: 42 s, 3 min 5 s, 2 h 10 min."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600:,} h {whole % 3600 // 60} min"


def _bar() -> Bar:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        TextColumn("{task.fields[said]}"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
    )
