"""Building aside: a locked folder beside the target, renamed into place when it is complete."""

from __future__ import annotations

import ctypes
import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from indexer.errors import ArgsearchError
from indexer.layout.manifest import NAME

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2


class BuildInProgress(ArgsearchError):
    """Another process is building the same index."""


class TargetNotAnIndex(ArgsearchError):
    """The target exists and is something else than an index."""


class BuildFailed(ArgsearchError):
    """The machine could not hold the index (a full disk, a limit); nothing was left behind."""


def _check_target(target: Path) -> None:
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
    target = target.absolute()
    _check_target(target)
    folder = staging_folder(target)
    folder.mkdir(exist_ok=True)
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BuildInProgress(
                f"another build of {target} is running (in {folder.name}); "
                "wait for it or choose another --out"
            ) from None
        yield from _build_in(folder, target)
    finally:
        os.close(lock)


def _build_in(folder: Path, target: Path) -> Iterator[Path]:
    _empty(folder)
    try:
        yield folder
        _exchange(folder, target)
    except OSError as error:
        raise BuildFailed(
            f"the build of {target} stopped: {error.strerror or error}; its partial files were "
            f"removed{_kept(target)}; make room, then run the same command again"
        ) from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _kept(target: Path) -> str:
    return ", the index that was there is unchanged" if target.exists() else ""


def _empty(folder: Path) -> None:
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
