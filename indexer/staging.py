"""Building aside: a locked folder beside the target, renamed into place when it is complete."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from indexer.errors import ArgsearchError
from indexer.layout.manifest import NAME

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
    aside = target.with_name(f".{target.name}.old")  # a file system without exchange
    target.rename(aside)
    new.rename(target)
    aside.rename(new)


def staging_folder(target: Path) -> Path:
    """Where an index is built before it is renamed to `target`."""
    return target.with_name(f".{target.name}.building")


@contextmanager
def staged(target: Path) -> Iterator[Path]:
    """A folder to build in; on leaving without an error it becomes `target`, in one step.

    On an error the folder is removed and an older index at `target` stays as it was. What a killed
    process left is removed by the next build. Raises BuildInProgress, TargetNotAnIndex or
    BuildFailed.
    """
    target = target.resolve()  # a link keeps pointing where it points
    _check_target(target)
    folder = staging_folder(target)
    lock = _lock(folder, target)
    try:
        yield from _build_in(folder, target)
    finally:
        os.close(lock)


@contextmanager
def beside(index: Path) -> Iterator[Path]:
    """An empty folder to make something for an index in, which no other build of it uses.

    It is removed afterwards, with what was not moved out of it. Raises BuildInProgress,
    TargetNotAnIndex or BuildFailed.
    """
    target = index.resolve()
    folder = staging_folder(target)
    lock = _lock(folder, target)
    try:
        _empty(folder)
        yield folder
    except OSError as error:
        raise _failed(target, error) from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def _lock(folder: Path, target: Path) -> int:
    """Make the building folder and lock it; returns the descriptor that holds the lock."""
    busy = BuildInProgress(
        f"another build of {target} is running (in {folder.name}); "
        "wait for it or choose another --out"
    )
    try:
        folder.mkdir(exist_ok=True)
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError as error:
        raise TargetNotAnIndex(
            f"{folder}, where the index would be built, cannot be used ({error.strerror}); "
            "remove it or choose another --out"
        ) from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        held, named = os.fstat(lock), folder.lstat()
        if (held.st_dev, held.st_ino) != (named.st_dev, named.st_ino):
            raise busy  # the folder became an index between opening and locking it
        _check_ours(folder, held.st_uid)
    except (BlockingIOError, FileNotFoundError):
        os.close(lock)
        raise busy from None
    except BaseException:
        os.close(lock)
        raise
    return lock


def _check_ours(folder: Path, owner: int) -> None:
    strangers = [path.name for path in folder.iterdir() if not _OURS.fullmatch(path.name)]
    if owner != os.geteuid() or strangers:
        what = f"it holds {strangers[0]!r}" if strangers else "it belongs to another user"
        raise TargetNotAnIndex(
            f"{folder}, where the index would be built, is not a build's own folder: {what}; "
            "it is left alone, move it away or choose another --out"
        )


def _build_in(folder: Path, target: Path) -> Iterator[Path]:
    _empty(folder)
    try:
        yield folder
        _exchange(folder, target)
    except OSError as error:
        raise _failed(target, error) from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


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
