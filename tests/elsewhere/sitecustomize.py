"""A Python as on Windows, as far as Linux can play it: `tests/test_elsewhere.py` puts it first.

What Windows lacks is taken away before anything is imported, in every process that is started. A
file that is open or mapped, in whatever process of Python, can be neither renamed nor removed, nor
the folder that it is in; a name may not hold what Windows reads in it.
"""

import ctypes
import errno
import os
import re
import signal
import socket
import sys
from contextlib import suppress
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path

MODULES = {"fcntl", "grp", "httptools", "pwd", "resource", "termios", "tty", "uvloop"}
NAMES = {
    os: "chown fork forkpty geteuid getegid getgid getpgid getsid getuid killpg mkfifo nice "
    "O_DIRECTORY O_NOFOLLOW posix_fadvise posix_fallocate register_at_fork "
    "sched_getaffinity sched_setaffinity set_blocking setpgid setsid wait3 wait4",
    signal: "alarm getitimer ITIMER_REAL pause pthread_kill pthread_sigmask setitimer SIGALRM "
    "SIGBUS SIGCHLD SIGCONT SIGHUP SIGPIPE SIGQUIT siginterrupt sigpending SIGSTOP SIGUSR1 "
    "SIGUSR2 sigwait",
    socket: "SO_REUSEPORT",
}
"""SIGKILL, sysconf and AF_UNIX stay: Python's own library uses them on Linux without looking."""
DENIED = 5
"""Windows' own number of the error."""
FORBIDDEN = re.compile(r'[<>:"|?*\x00-\x1f\\]|[. ]$')


class Absent(MetaPathFinder):
    def find_spec(self, name: str, *_: object) -> ModuleSpec | None:
        if name.partition(".")[0] in MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None


class Library(ctypes.CDLL):
    def __getattr__(self, name: str) -> object:
        if name == "renameat2":
            raise AttributeError(name)
        return super().__getattr__(name)


def in_use() -> set[str]:
    """The files that processes of Python have open or mapped."""
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if "python" not in (process / "exe").readlink().name:
                continue
            for line in (process / "maps").read_text(encoding="utf-8").splitlines():
                found.add(line.partition("/")[2])
            for one in (process / "fd").iterdir():
                with suppress(OSError):
                    found.add(str(one.readlink())[1:])
    return {f"/{path}" for path in found}


def refuse(path: object, folder: int) -> None:
    place = Path(f"/proc/self/fd/{folder}").resolve() if folder >= 0 else Path()
    name = str((place / os.fsdecode(path)).absolute())
    if ".lock" in name:  # filelock moves and removes its own as Linux can
        return
    if any(file == name or file.startswith(f"{name}/") for file in in_use()):
        error = PermissionError(errno.EACCES, "Access is denied", name)
        error.winerror = DENIED
        raise error


def look(event: str, given: tuple) -> None:
    if event == "os.rename":
        refuse(given[0], given[2])
        refuse(given[1], given[3])
    elif event in ("os.remove", "os.rmdir"):
        refuse(given[0], given[1])
    elif event == "os.mkdir" or (event == "open" and given[2] & os.O_CREAT):
        name = os.fsdecode(given[0]) if isinstance(given[0], str | bytes) else ""
        if FORBIDDEN.search(Path(name).name):
            raise OSError(errno.EINVAL, "Invalid argument", name)


def rename(source, target, **folders):
    if Path(target).exists():
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))
    _rename(source, target, **folders)


if hasattr(os, "process_cpu_count"):
    os.process_cpu_count = os.cpu_count  # as where there is no sched_getaffinity
_rename, os.rename = os.rename, rename
ctypes.CDLL = Library
sys.meta_path.insert(0, Absent())
for module, names in NAMES.items():
    for one in names.split():
        if hasattr(module, one):
            delattr(module, one)
for one in MODULES & set(sys.modules):
    del sys.modules[one]
sys.addaudithook(look)
