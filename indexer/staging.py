"""Folders for the time of one process: to build an index aside, or for what is needed meanwhile.

Each is locked: the system lets go of a killed process' lock, and nothing but the folder is left.
"""

from __future__ import annotations

import ctypes
import errno
import gc
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
"""Bytes: with fewer a disk is full."""
_FULL = (errno.ENOSPC, errno.EDQUOT)
_IN_USE = (5, 32)
"""Windows' numbers of the errors where a file that is open is to be moved or removed."""
TEMPORARY_MARK = ".argsearch-temporary"
"""A file in every folder that is made here for a time. Such a folder may be emptied."""


class BuildInProgress(ArgsearchError):
    """Another process is building the same index."""


class TargetNotAnIndex(ArgsearchError):
    """The target is not an index, or holds something that argsearch did not write."""


class OldFilesLeft(ArgsearchError):
    """An index was replaced, and files of the one before could not be removed."""


class BuildFailed(ArgsearchError):
    """The machine could not hold the index (a full disk, a limit); nothing was left behind."""


def _check_target(target: Path) -> None:
    if os.path.ismount(target):  # Path.is_mount raises on Windows before Python 3.12
        raise TargetNotAnIndex(
            f"{target} is a mount point, which nothing can be renamed to; "
            f"give a folder in it, such as --out {target / 'index'}"
        )
    if (target / NAME).is_file():
        check_replaceable(target)
        return
    if target.is_dir() and not any(target.iterdir()):
        return
    if target.exists() or target.is_symlink():
        raise TargetNotAnIndex(
            f"{target} exists and is not an index; it is left alone, choose another --out"
        )
    if not target.parent.is_dir():
        raise TargetNotAnIndex(
            f"folder {target.parent} does not exist; create it or choose another --out"
        )


def check_replaceable(index: Path) -> None:
    """Raise TargetNotAnIndex unless a folder is an index and holds nothing else.

    A damaged index, or one of another format version, may be replaced, too.
    """
    try:
        own = index_files(index)
        foreign = foreign_entries(index, own)
    except OSError as error:
        raise TargetNotAnIndex(
            f"{index} is left alone: what it holds cannot be read ({error.strerror}); mend that"
        ) from error
    if not own:
        raise TargetNotAnIndex(
            f"{index} is left alone: its {NAME} is damaged or another program's, so it is not "
            f"known who wrote {listed(foreign)}; choose another folder, or delete this one yourself"
        )
    if foreign:
        raise TargetNotAnIndex(
            f"{index} is left alone: it holds {listed(foreign)}, which argsearch did not write; "
            "move that elsewhere, or choose another folder"
        )


def _exchange(new: Path, target: Path) -> None:
    """Put `new` at `target` in one step; what was there is at `new` afterwards."""
    if not MOVES_OPEN_FILES:
        gc.collect()  # what refers to itself may have some open
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
    """Where an index is built, and where an old one lies while it is removed."""
    target = target.resolve()  # a link keeps pointing where it points
    return target.parent / f".{target.name}.building"


def _settle(target: Path) -> None:
    """End what a kill in the middle of `_exchange_in_steps` left; the building folder is locked.

    What was the index is put back, unless another is in its place: then it is removed. A folder
    that is not an index of this user's, and nothing else, is left alone.
    """
    aside = old_place(target)
    own = frozenset() if aside.is_symlink() else index_files(aside)
    if not own or not is_own(aside) or foreign_entries(aside, own):
        return
    if (target / NAME).is_file():
        _remove(aside, own)
        return
    if target.exists():
        target.rmdir()  # it is empty, or is left alone by an error
    aside.rename(target)


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


def never() -> bool | None:
    """After an error, what `staged` has built does not belong at its target."""
    return False


@contextmanager
def staged(
    target: Path,
    into_place: bool = True,
    share: Callable[[], float] = lambda: 1.0,
    old_may_stay: bool = True,
    belongs: Callable[[], bool | None] = never,
) -> Iterator[Path]:
    """A folder to build in; on leaving without an error it becomes `target`, in one step.

    On an error, or Ctrl-C at any moment, the folder is removed and an older index at `target` stays
    as it was. So it is in any case without `into_place`, for what is moved out of the folder
    meanwhile. What a killed process left is removed by the next build. `share` of what is read had
    been read where the disk is full: by it is told how much is needed. belongs: whether the index
    is to be at `target` in spite of an error, as a server's name stands for it by now; None where
    that is not known: then the folder is kept for `put_in_place`, as after a kill. Raises
    BuildInProgress, TargetNotAnIndex or BuildFailed, and without `old_may_stay` OldFilesLeft,
    `target` being the new index.
    """
    target = target.resolve()
    if into_place:
        _check_target(target)

    def stays() -> bool:
        return belongs() is not False

    staging = _Staging(building_place(target), target=target, stays=stays)
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
            raise
        if into_place:
            staging.put()
    except OSError as error:
        kept = ", the index that was there is unchanged" if (target / NAME).is_file() else ""
        cause = _cause(error, staging.folder, share)
        remedy = "make room" if " is full" in cause else "mend that"
        raise BuildFailed(
            f"the build of {target} stopped: {cause}; "
            f"{f'it stays in {staging.folder}' if stays() else 'its partial files were removed'}"
            f"{kept}; {remedy}, then run the same command again"
        ) from error
    finally:
        try:
            staging.leave()
        finally:
            staging.leave()  # Ctrl-C may have come in the middle of the first
    if staging.left and not old_may_stay:
        raise OldFilesLeft(
            f"{target} is changed, but files that it held before, with all that was removed, are "
            f"still in {staging.folder}: move out what is yours, then delete that folder"
        )


def put_in_place(target: Path, is_wanted: Callable[[Path], bool]) -> None:
    """End what a kill between a server's name and its directory left: a whole index, built aside.

    is_wanted: whether it is the one that belongs at `target`; it is removed otherwise. Raises as
    `staged` does.
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
    """What stopped a build; of a full disk also where it is, and about how much is needed.

    numpy says of a write that was cut short how much was, not why. A build takes about twice
    what it has written when all is read.
    """
    number, used, free = error.errno, 0, 0
    with suppress(OSError):
        used = sum(path.stat().st_size for path in folder.iterdir())
        free = shutil.disk_usage(folder).free
    if "requested and" in str(error):
        number = errno.EFBIG if free > _LEAST_FREE_BYTES else errno.ENOSPC
    said = os.strerror(number) if number else str(error)
    if getattr(error, "winerror", None) in _IN_USE:
        return "a file of it is open in another process, and Windows replaces none that is"
    if number not in _FULL:
        return said
    needed = 2 * used / max(share(), 0.001)
    return (
        f"{said}: the disk of {folder.parent} is full, with {free / 1e6:,.1f} MB free; the build "
        f"has written {used / 1e6:,.1f} MB and needs about {needed / 1e6:,.1f} MB"
    )


@contextmanager
def scratch_folder(prefix: str, parent: Path | None = None) -> Iterator[Path]:
    """A folder `prefix…` in `parent` (the system's temporary folder), removed on leaving.

    It is locked while this process or one forked from it lives; a forked one does not remove it.
    Marked folders of that prefix that are this user's and that nobody locks were left by a process
    that was killed: they are removed first. Raises OSError where no folder can be made.
    """
    parent = parent or Path(tempfile.gettempdir())
    for left in parent.glob(f"{prefix}*"):
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
                scratch.leave()  # Ctrl-C may have come in the middle of the first


@contextmanager
def loading_folder(prefix: str) -> Iterator[Path]:
    """`scratch_folder` in the system's temporary folder, for what grows with a corpus.

    Raises BuildFailed where that is full.
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
    """Lock a new folder; false where another process thought that it was left."""
    try:
        return scratch.hold()
    except OSError as error:  # else a file system without locks, where nobody removes what is left
        return not isinstance(error, BlockingIOError | FileNotFoundError)


def _remove(folder: Path, own: Collection[str] = ()) -> None:
    """Remove a folder: all of it if it is marked, else some files of it, and itself if it is empty.

    What tells whose it is goes last, and stays if anything else does, so that a later command can
    end the removal. Unlike shutil.rmtree it never turns Ctrl-C into another error.
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
    """A folder that its lock's owner may remove."""

    process: int = field(default_factory=os.getpid)
    """The owner. One that is forked from it, such as a server's, leaves the folder alone."""

    def leave(self) -> None:
        """Remove the folder and let go; a second call does nothing."""
        if os.getpid() == self.process:
            _remove(self.folder)
        self.let_go()


@dataclass(slots=True, kw_only=True)
class _Staging(_Locked):
    """The building folder, made and locked by `take`, removed and let go by `leave`."""

    target: Path
    ours: bool = False
    """Whether the lock is held and nobody else's file is in the folder."""
    old: FolderLock | None = None
    """Of the index that is replaced, in the folder afterwards; a lock by name needs none."""
    own: Collection[str] = ()
    """Files of the index that is replaced and of the new one: either may be in the folder."""
    left: bool = False
    """Whether something of the folder could not be removed."""
    stays: Callable[[], bool] = lambda: False
    """Whether it is not to be removed."""

    def take(self) -> None:
        """Make the folder and lock it; may be called again after it was cut short."""
        busy = BuildInProgress(
            f"another build of {self.target} is running, or a change of it (in "
            f"{self.folder.name}); run this again when it is done"
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
                f"({error.strerror}); mend that"
            ) from error
        self.ours = True

    def put(self) -> None:
        """Put what was built at the target; the folder is the old index afterwards, if any.

        Raises TargetNotAnIndex where something else came to lie there meanwhile.
        """
        _check_target(self.target)
        self.lock_old()
        self.own = index_files(self.target) | index_files(self.folder)  # Ctrl-C may come before
        (self.folder / TEMPORARY_MARK).unlink()
        _exchange(self.folder, self.target)
        self.stays = lambda: False

    def lock_old(self) -> None:
        """Lock what is to be replaced: the folder's lock goes along with it to the target."""
        if MOVES_OPEN_FILES and self.target.exists():
            self.old = FolderLock(self.target)
            self.old.hold()

    def leave(self) -> None:
        """Remove the folder where it is this build's, and let go; a second call does nothing.

        What is at the target is let go first: the next build may begin once the folder is gone.
        """
        if not self.ours:  # the folder may have been made all the same
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
    """Raise TargetNotAnIndex unless a folder is empty, marked as a build's, or an index."""
    names = {path.name for path in folder.iterdir()}
    own = index_files(folder)
    if TEMPORARY_MARK in names:
        own = frozenset([TEMPORARY_MARK, *filter(is_build_file, names)])
    foreign = foreign_entries(folder, own)
    if not is_own(folder) or foreign:
        what = f"it holds {listed(foreign)}" if foreign else "it belongs to another user"
        raise TargetNotAnIndex(
            f"{folder}, where the index would be built, is not a build's own folder: {what}; "
            "it is left alone, move it away"
        )
