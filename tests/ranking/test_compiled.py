"""Kept machine code: found again, and never that of other sources."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
CALLEE = (
    "from ranking.compiled import inlined\n\n@inlined\ndef twice(x):\n    return {factor} * x\n"
)
CALLER = (
    "from ranking.compiled import kernel\nfrom ranking.callee import twice\n\n"
    "@kernel\ndef six(x):\n    return 3 * twice(x)\n"
)


def answer(folder: Path, cache: Path) -> str:
    inherited = {k: v for k, v in os.environ.items() if k != "NUMBA_CACHE_DIR"}
    done = subprocess.run(
        [sys.executable, "-B", "-c", "from ranking.caller import six; print(six(1))"],
        env=inherited | {"PYTHONPATH": str(folder), "XDG_CACHE_HOME": str(cache)},
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def test_a_change_in_a_called_kernels_file_is_noticed(tmp_path: Path) -> None:
    package = tmp_path / "ranking"
    package.mkdir()
    (package / "__init__.py").touch()
    shutil.copy(ROOT / "ranking" / "compiled.py", package)
    (package / "caller.py").write_text(CALLER)
    (package / "callee.py").write_text(CALLEE.format(factor=2))
    assert answer(tmp_path, tmp_path / "cache") == "6"
    kept = list(package.rglob("*.nbi"))
    assert len(kept) == 1
    stamp = kept[0].stat().st_mtime_ns
    assert answer(tmp_path, tmp_path / "cache") == "6"
    assert [path.stat().st_mtime_ns for path in package.rglob("*.nbi")] == [stamp]
    (package / "callee.py").write_text(CALLEE.format(factor=20))
    assert answer(tmp_path, tmp_path / "cache") == "60"


LINEAR = """
import sys
import ranking.compiled
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


def test_linear_algebra_is_loaded_where_a_function_of_someone_else_asks_for_it() -> None:
    subprocess.run([sys.executable, "-c", LINEAR], cwd=ROOT, check=True, timeout=300)
