"""Temporary folders of one process, for building an index or for intermediate files.

Each folder is locked. When a process is killed, the system releases its lock and the folder stays.
"""

from __future__ import annotations

import ctypes
import errno
import gc
import glob
import os
import re
import secrets
import shutil
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from argsearch.indexer.errors import ArgsearchError
from argsearch.indexer.foreign import foreign_entries, listed
from argsearch.indexer.format.manifest import NAME
from argsearch.indexer.format.ownership import index_files, is_build_file, old_place
from argsearch.indexer.platform import MOVES_OPEN_FILES, FolderLock, is_own

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2
_LEAST_FREE_BYTES = 1 << 20
"""A disk with fewer free bytes than this is treated as full."""
_FULL = (errno.ENOSPC, errno.EDQUOT)
_IN_USE = (5, 32)
"""Windows error numbers for moving or removing a file that is open."""
TEMPORARY_MARK = ".argsearch-temporary"
"""Marker file in every temporary folder made here. A folder with this file may be emptied."""


class BuildInProgress(ArgsearchError):
    """Another process is building the same index."""


class TargetNotAnIndex(ArgsearchError):
    """The target is not an index, or holds something that argsearch did not write."""


class OldFilesLeft(ArgsearchError):
    """An index was replaced, but files of the old index could not be removed."""


class BuildFailed(ArgsearchError):
    """The index did not fit on the machine (a full disk, a limit); no partial files are left."""


def _check_target(target: Path) -> None:
    # threadpoolctl 3.7 fails while a file is mapped whose path is not UTF-8.
    if any("\udc80" <= c <= "\udcff" for c in str(target)):
        raise TargetNotAnIndex(f"{target} is not UTF-8; give --out a path in UTF-8")
    if os.path.ismount(target):  # Path.is_mount raises on Windows before Python 3.12
        raise TargetNotAnIndex(
            f"{target} is a mount point, so a finished index cannot be moved there; "
            f"give a folder in it, such as --out {target / 'index'}"
        )
    if (target / NAME).is_file():
        check_replaceable(target)
        return
    if target.is_dir() and not any(target.iterdir()):
        return
    if target.exists() or target.is_symlink():
        raise TargetNotAnIndex(f"{target} is not an index, so it was kept; choose another --out")
    if not target.parent.is_dir():
        raise TargetNotAnIndex(f"there is no folder {target.parent}; choose another --out")


def check_replaceable(index: Path) -> None:
    """Raise TargetNotAnIndex unless a folder is an index and holds nothing else.

    A damaged index, or an index of another format version, may be replaced as well.
    """
    try:
        own = index_files(index)
        foreign = foreign_entries(index, own)
    except OSError as error:
        raise TargetNotAnIndex(
            f"{index} was left as is: its files cannot be read ({error.strerror}); fix that first"
        ) from error
    if not own:
        raise TargetNotAnIndex(
            f"{index} was left unchanged: its {NAME} is damaged or belongs to another program, "
            f"so argsearch may not have written {listed(foreign)}; choose another folder, or "
            "delete this one yourself"
        )
    if foreign:
        raise TargetNotAnIndex(
            f"{index} was left unchanged: it has {listed(foreign)}, which argsearch did not "
            "write; move that elsewhere, or choose another folder"
        )


def _exchange(new: Path, target: Path) -> None:
    """Move `new` to `target` in one step, and move the old index to `new`."""
    if not MOVES_OPEN_FILES:
        gc.collect()  # reference cycles may keep files of the old index open
    if not target.exists():
        new.rename(target)
        return
    libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None
    swap = getattr(libc, "renameat2", None)
    paths = os.fsencode(new), os.fsencode(target)
    if swap and swap(_AT_FDCWD, paths[0], _AT_FDCWD, paths[1], _RENAME_EXCHANGE) == 0:
        return
    _exchange_in_steps(new, target, old_place(target))


def building_place(target: Path) -> Path:
    """Return the folder where an index is built and where the old index is removed."""
    target = target.resolve()  # a link keeps pointing where it points
    return target.parent / f".{target.name}.building"


def _settle(target: Path) -> None:
    """Finish an `_exchange_in_steps` that was killed; the caller has locked the building folder.

    The old index is restored, or removed if the target is an index again. A folder is left alone if
    it is not an index, belongs to another user, or holds foreign files.
    """
    aside = old_place(target)
    own = frozenset() if aside.is_symlink() else index_files(aside)
    if not own or not is_own(aside) or foreign_entries(aside, own):
        return
    if (target / NAME).is_file():
        _remove(aside, own)
        return
    if target.exists():
        target.rmdir()  # fails if the folder is not empty, and so leaves it alone
    aside.rename(target)


def _exchange_in_steps(new: Path, target: Path, aside: Path) -> None:
    """Exchange two folders by renaming, for other file systems; `target` is briefly missing."""

    def settle() -> None:
        """Return to the old state, or complete the new one."""
        if aside.exists():
            aside.rename(new if target.exists() else target)

    try:
        target.rename(aside)
        new.rename(target)
    finally:
        try:
            settle()
        finally:
            settle()  # Ctrl-C may have interrupted the first call


def never() -> bool | None:
    """Return False: after an error, `staged` does not move the new index to its target."""
    return False


@contextmanager
def staged(
    target: Path,
    into_place: bool = True,
    share: Callable[[], float] = lambda: 1.0,
    old_may_stay: bool = True,
    belongs: Callable[[], bool | None] = never,
) -> Iterator[Path]:
    """Yield a folder to build in; on leaving without an error it becomes `target` in one step.

    On an error or Ctrl-C, the folder is removed and an older index at `target` stays unchanged.
    Without `into_place` the folder is also removed on success, for callers that move the result out
    of it. The next build removes the remains of a killed process. `share` returns the fraction of
    the input read so far; the error for a full disk uses it to estimate the space needed. `belongs`
    returns true if the index must move to `target` in spite of an error, because a server's name
    already points to it. If `belongs` returns None (unknown), the folder is left for
    `put_in_place`, as after a kill. Raises BuildInProgress, TargetNotAnIndex or BuildFailed. Raises
    OldFilesLeft unless `old_may_stay` is set; `target` is then the new index.
    """
    target = target.resolve()
    if into_place:
        _check_target(target)

    staging = _Staging(building_place(target), target=target, stays=lambda: belongs() is not False)
    placed = False
    try:
        staging.take()
        _settle(target)
        for path in staging.folder.iterdir():
            if path.name != TEMPORARY_MARK:
                path.unlink()
        try:
            yield staging.folder
        except BaseException:
            # Such as Ctrl-C while a server removes what the name stood for before.
            if belongs():
                staging.put()
                placed = True
            raise
        if into_place:
            staging.put()
    except OSError as error:
        if placed:
            raise
        raise staging.failed(_cause(error, staging.folder, share)) from error
    finally:
        try:
            staging.leave()
        finally:
            staging.leave()  # Ctrl-C may have interrupted the first call
    if staging.left and not old_may_stay:
        raise OldFilesLeft(
            f"{target} has been changed, but its old files, including everything removed, are "
            f"still in {staging.folder}; move your own files out, then delete that folder"
        )


def put_in_place(target: Path, is_wanted: Callable[[Path], bool]) -> None:
    """Move a complete index from the building folder to `target` after a server was killed.

    is_wanted: returns whether a folder holds the index that belongs at `target`; any other index is
    removed. Raises the same errors as `staged`.
    """
    target = target.resolve()
    if not is_wanted(building_place(target)):
        return
    _check_target(target)
    staging = _Staging(building_place(target), target=target)
    try:
        staging.take()
        _settle(target)
        if is_wanted(staging.folder):
            staging.put()
    finally:
        staging.leave()


def _cause(error: OSError, folder: Path, share: Callable[[], float]) -> str:
    """Return why a build stopped; for a full disk also its location and the space needed.

    numpy reports how much of a truncated write succeeded, but not the reason. A finished build
    takes about twice as much space as it has used when the whole input has been read.
    """
    number, used, free = error.errno, 0, 0
    with suppress(OSError):
        used = sum(path.stat().st_size for path in folder.iterdir())
        free = shutil.disk_usage(folder).free
    if "requested and" in str(error):
        number = errno.EFBIG if free > _LEAST_FREE_BYTES else errno.ENOSPC
    said = os.strerror(number) if number else str(error)
    if getattr(error, "winerror", None) in _IN_USE:
        return "another process has one of its files open, and Windows cannot replace an open file"
    if number not in _FULL:
        return said
    needed = 2 * used / max(share(), 0.001)
    return (
        f"{said}: the disk of {folder.parent} is full, with {free / 1e6:,.1f} MB free; the build "
        f"has written {used / 1e6:,.1f} MB and needs about {needed / 1e6:,.1f} MB"
    )


@contextmanager
def scratch_folder(prefix: str, parent: Path | None = None) -> Iterator[Path]:
    """Yield a new folder `prefix…` in `parent` (default: the system's) and remove it on exit.

    The folder is locked while this process or a fork of it lives; a fork does not remove the
    folder. Folders that killed processes left behind are removed first: unlocked folders of this
    user with the prefix and the marker. Raises OSError if no folder can be made.
    """
    parent = parent or Path(tempfile.gettempdir())
    for left in parent.glob(f"{glob.escape(prefix)}*"):
        if re.fullmatch(rf"{re.escape(prefix)}[0-9a-f]{{16}}", left.name):
            found = _Locked(left)
            with suppress(OSError):
                if found.hold() and is_own(left):
                    _remove(left)
            found.let_go()
    while True:
        scratch = _Locked(parent / f"{prefix}{secrets.token_hex(8)}")
        try:
            scratch.folder.mkdir(mode=0o700)
            if _is_ours(scratch):
                (scratch.folder / TEMPORARY_MARK).touch()
                yield scratch.folder
                return
        finally:
            try:
                scratch.leave()
            finally:
                scratch.leave()  # Ctrl-C may have interrupted the first call


@contextmanager
def loading_folder(prefix: str) -> Iterator[Path]:
    """Yield a `scratch_folder` in the system's temporary folder, for data that grows with a corpus.

    Raises BuildFailed if the disk is full.
    """
    with scratch_folder(prefix) as folder:
        try:
            yield folder
        except OSError as error:
            if error.errno not in _FULL:
                raise
            free = shutil.disk_usage(folder).free / 1e6
            raise BuildFailed(
                f"the temporary folder {folder.parent} is full ({error.strerror}), with "
                f"{free:,.1f} MB free; make room there, or set TMPDIR to another folder, then run "
                "the same command again"
            ) from error


def _is_ours(scratch: _Locked) -> bool:
    """Lock a new folder; return False if another process is cleaning it up as abandoned."""
    try:
        return scratch.hold()
    except OSError as error:  # else there are no locks, and nobody removes leftovers
        return not isinstance(error, BlockingIOError | FileNotFoundError)


def _remove(folder: Path, own: Collection[str] = ()) -> None:
    """Remove a marked folder; from any other, remove only the files `own`, then the folder.

    The marker or manifest is removed last, and only if all other files are gone, so that a later
    command can finish. Unlike shutil.rmtree, this never turns Ctrl-C into another error.
    """
    with suppress(OSError):
        paths = list(folder.iterdir())
        if folder / TEMPORARY_MARK not in paths:
            paths = [path for path in paths if path.name in own]
        telling = [path for path in paths if path.name in (TEMPORARY_MARK, NAME)]
        gone = [_is_removed(path) for path in paths if path not in telling]
        if all(gone) and all(map(_is_removed, telling)):
            folder.rmdir()


def _is_removed(path: Path) -> bool:
    """Remove a file or a folder; return whether it is gone."""
    with suppress(OSError):
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        return True
    return False


@dataclass(slots=True)
class _Locked(FolderLock):
    """A folder that the owner of its lock may remove."""

    process: int = field(default_factory=os.getpid)
    """Id of the process that owns the lock. Its forks, such as workers, never remove the folder."""

    def leave(self) -> None:
        """Remove the folder and release the lock; a second call does nothing."""
        if os.getpid() == self.process:
            _remove(self.folder)
        self.let_go()


@dataclass(slots=True, kw_only=True)
class _Staging(_Locked):
    """The building folder: `take` makes and locks it, `leave` removes and unlocks it."""

    target: Path
    ours: bool = False
    """True if the folder is locked and holds no foreign files."""
    old: FolderLock | None = None
    """Lock on the index being replaced, which ends up in `folder`; None if locks go by name."""
    own: Collection[str] = ()
    """Files of the old and the new index, since either index may be in the folder."""
    left: bool = False
    """True if something in the folder could not be removed."""
    stays: Callable[[], bool] = lambda: False
    """Function that returns whether the folder must be kept."""

    def take(self) -> None:
        """Make and lock the folder; may be called again after an interruption."""
        busy = BuildInProgress(
            f"another build or change of {self.target} is running (in {self.folder.name}); run "
            "this again when it is done"
        )
        try:
            if self.held is None:
                self.folder.mkdir(exist_ok=True)
            if not self.hold():
                raise busy  # the folder became an index between opening and locking it
            _check_ours(self.folder)
            (self.folder / TEMPORARY_MARK).touch()
        except (BlockingIOError, FileNotFoundError):
            raise busy from None
        except OSError as error:
            raise TargetNotAnIndex(
                f"{self.folder}, where the index would be built, cannot be used "
                f"({error.strerror}); fix that"
            ) from error
        self.ours = True

    def put(self) -> None:
        """Move the new index to the target; the folder then holds the old index, if any.

        Raises TargetNotAnIndex if something else has appeared at the target.
        """
        _check_target(self.target)
        self.lock_old()
        self.own = index_files(self.target) | index_files(self.folder)  # for Ctrl-C in between
        (self.folder / TEMPORARY_MARK).unlink()
        _exchange(self.folder, self.target)
        self.stays = lambda: False

    def lock_old(self) -> None:
        """Lock the old index too, because the new folder takes its own lock to the target."""
        if MOVES_OPEN_FILES and self.target.exists():
            self.old = FolderLock(self.target)
            self.old.hold()

    def failed(self, cause: str) -> BuildFailed:
        """Return the error that says why the build stopped and which files it left."""
        left = f"it stays in {self.folder}" if self.stays() else "its partial files were removed"
        kept = ", the index that was there is unchanged" if (self.target / NAME).is_file() else ""
        remedy = "make room" if " is full" in cause else "fix that"
        return BuildFailed(
            f"the build of {self.target} stopped: {cause}; {left}{kept}; {remedy}, then run the "
            "same command again"
        )

    def leave(self) -> None:
        """Remove the folder if this build owns it, and unlock; a second call does nothing.

        The target is unlocked first, because the next build may start once the folder is gone.
        """
        if not self.ours:  # the folder may exist although `take` was interrupted
            with suppress(ArgsearchError, OSError):
                self.take()
        locks = [lock for lock in (self, self.old) if lock is not None]
        held = [lock for lock in locks if self.ours and lock.holds(self.folder)]
        for lock in locks:
            if lock not in held:
                lock.let_go()
        if held and not self.stays():
            _remove(self.folder, self.own)
            self.left = held[0].holds(self.folder) and self.folder.exists()
        for lock in held:
            lock.let_go()


def _check_ours(folder: Path) -> None:
    """Raise TargetNotAnIndex unless a folder is empty, has a build's mark, or is an index."""
    names = {path.name for path in folder.iterdir()}
    own = index_files(folder)
    if TEMPORARY_MARK in names:
        own = frozenset([TEMPORARY_MARK, *filter(is_build_file, names)])
    foreign = foreign_entries(folder, own)
    if not is_own(folder) or foreign:
        what = f"it has {listed(foreign)}" if foreign else "it belongs to another user"
        raise TargetNotAnIndex(
            f"{folder}, where the index would be built, was not created by a build ({what}), "
            "so it was left unchanged; move it elsewhere"
        )
