"""`argsearch add` and `argsearch remove`: change an index without rebuilding it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from argsearch.api.cli import options, terminal
from argsearch.indexer.errors import ArgsearchError, InvalidParameter, Missing
from argsearch.indexer.server.address import is_address, mask

if TYPE_CHECKING:
    from argsearch.engine.query.filters import Selected
    from argsearch.indexer.building.changes import Leaving
    from argsearch.indexer.building.changing import ChangeReport
    from argsearch.indexer.corpus import OnError


class ConfirmationNeeded(ArgsearchError):
    """The command needs a confirmation, but cannot ask for it without a terminal."""

    exit_code = 2


def add(
    words: Annotated[
        list[str] | None,
        options.argument(
            "CORPUS...", f"One or more inputs, as for `argsearch index`; {options.FIRST}."
        ),
    ] = None,
    index: options.IndexOrFirst = None,
    on_error: options.OnError = "stop",
    workers: options.Workers = None,
    columns: options.Columns = None,
    quiet: options.Quiet = False,
) -> None:
    """Add documents to an index; a document replaces one with the same id.

    The result is the same as building the merged corpus, but topical clusters do not change.

    Example: argsearch add --index my-index new-arguments.jsonl
    """
    from argsearch.indexer.building import changing

    place, corpus = options.indexed(index, words)
    if not corpus:
        raise InvalidParameter("CORPUS", Missing(), "one or more inputs, as for `argsearch index`")
    called = options.columns_of(columns)
    of = processes(place, workers, *corpus)
    how: OnError = "skip" if on_error == "skip" else "stop"
    work = partial(changing.add, place, corpus, on_error=how, columns=called, workers=of)
    change(place, work, quiet)


def remove(
    words: Annotated[
        list[str] | None, options.argument("[ID]...", f"Ids of arguments; {options.FIRST}.")
    ] = None,
    index: options.IndexOrFirst = None,
    where: Annotated[
        list[str] | None,
        options.option(
            "--where 'COLUMN OPERATOR VALUE'",
            "Remove all arguments that meet this condition, such as source=debate.org; repeat to "
            "add conditions.",
        ),
    ] = None,
    yes: Annotated[bool, options.option("--yes", "Skip the confirmation of --where.")] = False,
    dry_run: Annotated[
        bool, options.option("--dry-run", "Only show how many arguments --where would remove.")
    ] = False,
    workers: options.Workers = None,
    quiet: options.Quiet = False,
) -> None:
    """Remove arguments from an index, with all of their text.

    With --where, it shows how many arguments match and asks first; without a terminal, give --yes.

    Example: argsearch remove --index my-index --where 'source = debate.org'
    """
    from argsearch.engine.query.filters import select
    from argsearch.indexer.building import changing

    place, ids = options.indexed(index, words)
    if bool(ids) == bool(where):
        raise InvalidParameter("ID", " ".join(ids), problem="give either ids or --where")
    leaving: Leaving = ids
    if where:
        selected = select(place, where)
        if dry_run:
            print(selected.summary)
            return
        _confirm(selected, yes, quiet)
        # Select again when the change begins: the index may have changed while the user decided.
        leaving = selected.again
    elif dry_run:
        raise InvalidParameter("--dry-run", True, problem="--dry-run works only with --where")
    of = processes(place, workers)
    change(place, partial(changing.remove, place, leaving, workers=of), quiet)


def _confirm(selected: Selected, yes: bool, quiet: bool) -> None:
    """Show what will be removed, and end the command unless the user confirms the removal."""
    if yes or not selected.ids:
        terminal.say(selected.summary, quiet=quiet)
    elif sys.stdin.isatty() and sys.stderr.isatty():
        terminal.say(selected.summary)
        print("Remove them? [y/N] ", end="", file=sys.stderr, flush=True)
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            terminal.say("nothing was removed")
            raise SystemExit(1)
    else:
        raise ConfirmationNeeded(
            f"{selected.summary}; to remove them without a terminal, add --yes"
        )


def processes(index: str, workers: int | None, *corpus: str) -> int:
    """Return `workers`, or else a number of processes for the size of the index and corpus."""
    from argsearch.indexer.building.build import workers_for

    return workers or workers_for([*corpus, *map(str, Path(index).glob("store.bytes.npy"))])


@contextmanager
def told_if_stopped(index: str, quiet: bool) -> Iterator[None]:
    """On Ctrl-C, report whether the index had already been built or changed."""
    from argsearch.indexer.building.changes import identity

    place = index if is_address(index) else str(Path(index).resolve())
    before = identity(place)
    try:
        yield
    except KeyboardInterrupt:
        terminal.say(f"stopped; {mask(index)} is {state_since(before, place)}", quiet=quiet)
        raise


def state_since(before: tuple[str, ...] | None, index: str) -> str:
    """Return in words whether an index has changed since an earlier state."""
    from argsearch.indexer.building.changes import UNFINISHED, identity

    now = identity(index)
    if now is None and is_address(index):
        return "possibly changed: its server did not report its state"
    if now and now[-1] == UNFINISHED:
        return "partly changed: run the same command again to finish"
    if not now and not before:
        return "not built, and its partial files were removed"
    return "unchanged" if now == before else "changed: the change was already complete"


def change(index: str, work: Callable[..., ChangeReport], quiet: bool) -> None:
    """Change an index, show progress and a summary, and print the index and its fingerprint."""
    begun = time.monotonic()
    with told_if_stopped(index, quiet), terminal.Progress("documents", quiet=quiet) as progress:
        report = work(progress=progress.update)
    for line in report.read.summary() if report.read.sources else ():
        terminal.say(line, quiet=quiet)
    name = mask(index)
    terminal.say(
        f"{name}: {report.added:,} added, {report.changed:,} changed, {report.removed:,} removed, "
        f"{report.counts['documents']:,} documents in {time.monotonic() - begun:,.1f} s",
        quiet=quiet,
    )
    remedy = f"argsearch index {'CORPUS' if is_address(index) else '--rebuild'} --out {name}"
    if report.counts["clusters"] and report.joined > report.counts["documents"] / 5:
        terminal.say(
            f"{report.joined:,} documents joined topical clusters that were found without them; "
            f"to find new clusters: {remedy}",
            quiet=quiet,
        )
    print(f"{name}\t{report.fingerprint}")
