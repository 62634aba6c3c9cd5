"""Kept machine code: found again, and never that of other sources."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from argsearch.ranking import compiled

ROOT = Path(__file__).parent.parent.parent
CALLEE = (
    "from argsearch.ranking.compiled import inlined\n\n"
    "@inlined\ndef twice(x):\n    return {factor} * x\n"
)
CALLER = (
    "from argsearch.ranking.compiled import kernel\nfrom argsearch.ranking.callee import twice\n\n"
    "@kernel\ndef six(x):\n    return 3 * twice(x)\n"
)


def run(folder: Path, code: str, **environment: str) -> str:
    inherited = {k: v for k, v in os.environ.items() if k != "NUMBA_CACHE_DIR"}
    done = subprocess.run(
        [sys.executable, "-B", "-c", code],
        env=inherited | {"PYTHONPATH": str(folder)} | environment,
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def answer(folder: Path, *numbers: int) -> str:
    """What the kernel `caller`, or those of `callerN`, say in a new process."""
    names = [f"caller{n}" for n in numbers] or ["caller"]
    imports = "".join(f"from argsearch.ranking import {name}; " for name in names)
    code = f"{imports}print({', '.join(f'{name}.six(1)' for name in names)})"
    return run(folder, code, XDG_CACHE_HOME=str(folder / "cache"))


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A `ranking` with a kernel, `caller`, and a file that it does not import, `stranger`."""
    package = tmp_path / "argsearch" / "ranking"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").touch()
    (package / "__init__.py").touch()
    shutil.copy(ROOT / "ranking" / "compiled.py", package)
    (package / "caller.py").write_text(CALLER)
    (package / "stranger.py").write_text("DISTANCE = 1\n")
    return package


def kept(package: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in package.rglob("*.nbi")}


@pytest.mark.processes
def test_a_change_in_a_called_kernels_file_is_noticed(package: Path) -> None:
    (package / "callee.py").write_text(CALLEE.format(factor=2))
    assert answer(package.parent.parent) == "6"
    first = kept(package)
    assert len(first) == 1
    assert answer(package.parent.parent) == "6"
    assert kept(package) == first
    (package / "callee.py").write_text(CALLEE.format(factor=20))
    assert answer(package.parent.parent) == "60"


IMPORTS = {
    "from argsearch.ranking.constants import FACTOR": "FACTOR",
    "from argsearch.ranking import constants": "constants.FACTOR",
    "import argsearch.ranking.constants": "argsearch.ranking.constants.FACTOR",
}
"""How a constant may be imported, and what it is called then."""


@pytest.mark.slow
@pytest.mark.processes
def test_only_a_change_of_what_a_kernel_uses_compiles_it_again(package: Path) -> None:
    """The constant stands two files away, however it is imported."""
    for n, (importing, name) in enumerate(IMPORTS.items()):
        callee = CALLEE.format(factor=name)
        (package / f"callee{n}.py").write_text(f"{importing}\n{callee}")
        (package / f"caller{n}.py").write_text(CALLER.replace("callee", f"callee{n}"))
    (package / "constants.py").write_text("FACTOR = 2\n")
    assert answer(package.parent.parent, 0, 1, 2) == "6 6 6"
    first = kept(package)
    assert len(first) == len(IMPORTS)
    (package / "stranger.py").write_text("DISTANCE = 1000\n")
    assert answer(package.parent.parent, 0, 1, 2) == "6 6 6"
    assert kept(package) == first
    (package / "constants.py").write_text("FACTOR = 30\n")
    assert answer(package.parent.parent, 0, 1, 2) == "90 90 90"


@pytest.mark.slow
@pytest.mark.processes
def test_a_new_kernel_is_compiled_with_one_that_is_kept(package: Path) -> None:
    callee = CALLEE.format(factor=2).replace("inlined", "kernel") + "\nsix = twice\n"
    (package / "caller1.py").write_text(callee)
    (package / "caller2.py").write_text(CALLER.replace("callee", "caller1"))
    assert answer(package.parent.parent, 1) == "2"
    first = kept(package)
    assert answer(package.parent.parent, 1, 2, 1) == "2 6 2"
    assert first.items() < kept(package).items()


EVERY_KERNEL = """
import importlib, pkgutil
from argsearch import ranking
for module in pkgutil.walk_packages(ranking.__path__, "argsearch.ranking."):
    importlib.import_module(module.name)
import numpy as np
from argsearch.ranking.quality.linear import Linear, Standard, score
X = np.arange(6.0).reshape(3, 2)
found = score(X, Standard.of(X), (Linear(np.ones(2), 1.0),))
assert np.allclose(found[1], 1.0), found
print(ranking.__file__)
"""


@pytest.mark.slow
@pytest.mark.processes
def test_kernels_work_where_nothing_can_be_written(tmp_path: Path) -> None:
    """A file stands where each cache folder would be: that stops even an administrator."""
    shutil.copytree(
        ROOT / "ranking",
        tmp_path / "argsearch" / "ranking",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    (tmp_path / "argsearch" / "__init__.py").touch()
    for folder in [tmp_path, *(path for path in tmp_path.rglob("*") if path.is_dir())]:
        (folder / "__pycache__").touch()
    file = tmp_path / "file"
    file.touch()
    said = run(tmp_path, EVERY_KERNEL, HOME=str(file), XDG_CACHE_HOME=str(file))
    assert said == str(tmp_path / "argsearch" / "ranking" / "__init__.py")


def test_the_cache_is_looked_for_where_there_is_no_home(tmp_path, monkeypatch) -> None:
    def expanduser(_: Path) -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "expanduser", expanduser)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    source = tmp_path / "source.py"
    source.touch()
    assert compiled._places(source) == [tmp_path / "__pycache__"]
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "kept"))
    assert compiled._places(source) == [tmp_path / "kept"]


def test_every_kernel_is_made_by_kernel_or_inlined() -> None:
    asking = [
        path.relative_to(ROOT).as_posix()
        for room in ("api", "engine", "indexer", "lab", "ranking")
        for path in (ROOT / room).rglob("*.py")
        if "njit" in path.read_text(encoding="utf-8")
    ]
    assert asking == ["ranking/compiled.py"]


LINEAR = """
import sys
import argsearch.ranking.compiled
assert "scipy.linalg" not in sys.modules
import numpy as np
from numba import njit

@njit
def product(a):
    return np.dot(a, a), np.cov(a)

a = np.arange(9.0).reshape(3, 3) ** 2
dot, cov = product(a)
assert np.allclose(dot, a @ a) and np.allclose(cov, np.cov(a))
"""


@pytest.mark.slow
@pytest.mark.processes
def test_linear_algebra_is_loaded_where_a_function_of_someone_else_asks_for_it() -> None:
    subprocess.run([sys.executable, "-c", LINEAR], cwd=ROOT, check=True, timeout=60)
