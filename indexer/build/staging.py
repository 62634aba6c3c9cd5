"""Building aside: a locked folder beside the target, renamed into place when it is complete."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from argsearch.indexer.build.scratch import remove
from argsearch.indexer.errors import ArgsearchError
from argsearch.indexer.format.manifest import NAME

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2
_OURS = re.compile(r"manifest\.json(\.new)?|[a-z.]+\.npy|part\.[a-z0-9_.-]+\.npy|forward\.[a-z]+")
"""Names of the files that a build writes; a building folder with any other is not emptied."""


class BuildInProgress(ArgsearchError):
    """Another process is building the same index."""


class TargetNotAnIndex(ArgsearchError):
    """The target exists and is something else than an index."""


class BuildFailed(ArgsearchError):
    """The machine could not hold the index (a full disk, a limit); nothing was left behind."""


def _check_target(target: Path) -> None:
    if target.is_mount():
        raise TargetNotAnIndex(
            f"{target} is a mount point, which nothing can be renamed to; "
            f"give a folder in it, such as --out {target / 'index'}"
        )
    if target.is_dir() and ((target / NAME).is_file() or not any(target.iterdir())):
        return
    if target.exists() or target.is_symlink():
        raise TargetNotAnIndex(
            f"{target} exists and is not an index; it is left alone, choose another --out"
        )
    if not target.parent.is_dir():
        raise TargetNotAnIndex(
            f"folder {target.parent} does not exist; create it or choose another --out"
        )


def _exchange(new: Path, target: Path) -> None:
    """Put `new` at `target` in one step; what was there is at `new` afterwards."""
    if not target.exists():
        new.rename(target)
        return
    libc = ctypes.CDLL(None, use_errno=True)
    swap = getattr(libc, "renameat2", None)
    paths = os.fsencode(new), os.fsencode(target)
    if swap and swap(_AT_FDCWD, paths[0], _AT_FDCWD, paths[1], _RENAME_EXCHANGE) == 0:
        return
    _exchange_in_steps(new, target, target.with_name(f".{target.name}.old"))


def _exchange_in_steps(new: Path, target: Path, aside: Path) -> None:
    """The same on a file system without exchange: for a moment there is nothing at `target`."""

    def settle() -> None:
        """Back to the old state, or on to the new one."""
        if aside.exists():
            aside.rename(new if target.exists() else target)

    try:
        target.rename(aside)
        new.rename(target)
    finally:
        try:
            settle()
        finally:
            settle()  # Ctrl-C may have come in the middle of the first


def staging_folder(target: Path) -> Path:
    """Where an index is built before it is renamed to `target`."""
    return target.with_name(f".{target.name}.building")


@contextmanager
def staged(target: Path) -> Iterator[Path]:
    """A folder to build in; on leaving without an error it becomes `target`, in one step.

    On an error, or Ctrl-C at any moment, the folder is removed and an older index at `target` stays
    as it was. What a killed process left is removed by the next build. Raises BuildInProgress,
    TargetNotAnIndex or BuildFailed.
    """
    target = target.resolve()  # a link keeps pointing where it points
    _check_target(target)
    hold = _Hold(staging_folder(target), target)
    try:
        hold.take()
        yield from _build_in(hold.folder, target)
    finally:
        try:
            hold.leave()
        finally:
            hold.leave()  # Ctrl-C may have come in the middle of the first


@contextmanager
def beside(index: Path) -> Iterator[Path]:
    """An empty folder to make something for an index in, which no other build of it uses.

    It is removed afterwards, with what was not moved out of it. Raises BuildInProgress,
    TargetNotAnIndex or BuildFailed.
    """
    target = index.resolve()
    hold = _Hold(staging_folder(target), target)
    try:
        hold.take()
        _empty(hold.folder)
        yield hold.folder
    except OSError as error:
        raise _failed(target, error) from error
    finally:
        try:
            hold.leave()
        finally:
            hold.leave()  # Ctrl-C may have come in the middle of the first


@dataclass(slots=True)
class _Hold:
    """The building folder, made and locked by `take`, removed and let go by `leave`."""

    folder: Path
    target: Path
    lock: int | None = None
    """The descriptor that holds the lock."""
    ours: bool = False
    """Whether the lock is held and nobody else's file is in the folder."""

    def take(self) -> None:
        """Make the folder and lock it; may be called again after it was cut short."""
        busy = BuildInProgress(
            f"another build of {self.target} is running (in {self.folder.name}); "
            "wait for it or choose another --out"
        )
        if self.lock is None:
            self.lock = self._open()
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            held, named = os.fstat(self.lock), self.folder.lstat()
            if not os.path.samestat(held, named):
                raise busy  # the folder became an index between opening and locking it
            _check_ours(self.folder, held.st_uid)
        except (BlockingIOError, FileNotFoundError):
            raise busy from None
        except OSError as error:
            raise self._unusable(error) from error
        self.ours = True

    def leave(self) -> None:
        """Remove the folder where it is this build's, and let go; a second call does nothing."""
        if not self.ours:  # the folder may have been made all the same
            with suppress(ArgsearchError, OSError):
                self.take()
        if self.ours and self.lock is not None:
            remove(self.folder)
        if self.lock is not None:
            lock, self.lock = self.lock, None
            os.close(lock)

    def _open(self) -> int:
        try:
            self.folder.mkdir(exist_ok=True)
            return os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError as error:
            raise self._unusable(error) from error

    def _unusable(self, error: OSError) -> TargetNotAnIndex:
        return TargetNotAnIndex(
            f"{self.folder}, where the index would be built, cannot be used ({error.strerror}); "
            "mend that or choose another --out"
        )


def _check_ours(folder: Path, owner: int) -> None:
    strangers = [path.name for path in folder.iterdir() if not _OURS.fullmatch(path.name)]
    if owner != os.geteuid() or strangers:
        what = f"it holds {strangers[0]!r}" if strangers else "it belongs to another user"
        raise TargetNotAnIndex(
            f"{folder}, where the index would be built, is not a build's own folder: {what}; "
            "it is left alone, move it away or choose another --out"
        )


def _build_in(folder: Path, target: Path) -> Iterator[Path]:
    try:
        _empty(folder)
        yield folder
        _exchange(folder, target)
    except OSError as error:
        raise _failed(target, error) from error


def _failed(target: Path, error: OSError) -> BuildFailed:
    return BuildFailed(
        f"the build of {target} stopped: {error.strerror or error}; its partial files were "
        f"removed{_kept(target)}; {_remedy(error)}, then run the same command again"
    )


def _remedy(error: OSError) -> str:
    return "make room" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "mend that"


def _kept(target: Path) -> str:
    return ", the index that was there is unchanged" if (target / NAME).is_file() else ""


def _empty(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()
