"""The wheel, installed into an environment of its own, beside folders that are named as ours."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from argsearch.version import __version__
from tests.copies import ROOMS, ROOT, warm
from tests.indexes import SAMPLE

pytestmark = pytest.mark.processes

PROGRAM = '''
"""What a user of the library writes."""

from __future__ import annotations

from argsearch import Argument, Config, Engine, Explanation, FormatName, Hit, HitSide, Results
from argsearch import SideFilter, SideName, StanceName, UnitName, load_config
from argsearch.engine import Engine as Same

UNIT: UnitName = "arguments"
FORM: FormatName = "csv"


def values(hit: Hit) -> tuple[Argument, Explanation]:
    """What is typed of a hit."""
    return hit.argument, hit.explanation


def sided(engine: Engine, only: SideFilter, stance: StanceName, page: SideName) -> list[HitSide]:
    """The sides of hits, by names that a checker knows."""
    found = engine.search("tenure", unit=UNIT, side=only, stance=stance, sides=True)
    return [hit.side.value for hit in found.on(page) if hit.side is not None]


def best(index: str, question: str) -> list[tuple[int, str, float]]:
    """The best hits of a question."""
    engine: Engine = Same.open(index)
    config: Config = load_config("heimdall-2021")
    results: Results = engine.search(question, k=3, config=config)
    many = engine.search_many([question], k=10)
    assert [one.total for one in many] == [results.total]
    print(results.total, results.fingerprint, results.milliseconds)
    for hit in results.hits:
        argument, explanation = values(hit)
        print(argument.conclusion, explanation.value, len(explanation.details))
    return [(hit.rank, hit.id, hit.score) for hit in results.hits]


if __name__ == "__main__":
    print(best("index", "should teachers get tenure"))
'''


def run(*command: str | Path, cwd: Path) -> str:
    """What a command that succeeds prints."""
    hidden = {"PYTHONPATH", "MYPYPATH", "VIRTUAL_ENV"}
    environment = {key: value for key, value in os.environ.items() if key not in hidden}
    done = subprocess.run(
        [*map(str, command)], cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what is packed, so that building leaves nothing behind here."""
    folder = tmp_path_factory.mktemp("wheel")
    made = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for thing in (*ROOMS, "argsearch", "tests", "studies", "benchmarks", "docs"):
        shutil.copytree(ROOT / thing, folder / "source" / thing, ignore=made)
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE", "NOTICE", "MANIFEST.in"):
        shutil.copy(ROOT / name, folder / "source" / name)
    return folder / "source"


@pytest.fixture(scope="module")
def wheel(source: Path) -> Path:
    """The wheel of the sources."""
    folder = source.parent
    pip = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index")
    run(*pip, "--no-build-isolation", "--wheel-dir", folder, source, cwd=folder)
    [built] = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment that has the wheel, and links to the other packages of ours."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False)
    python = folder / "bin" / "python"
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = Path(run(python, "-c", ask, cwd=folder).strip())
    others = {sysconfig.get_path("purelib"), *(p for p in sys.path if Path(p, "pytest").is_dir())}
    (packages / "others.pth").write_text("\n".join(sorted(others)))
    install = ("install", "--quiet", "--no-deps", "--no-index", "--ignore-installed")
    run(python, "-m", "pip", *install, wheel, cwd=folder)
    warm(packages / "argsearch")
    return python


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of someone whose own packages are named as our rooms."""
    folder = tmp_path_factory.mktemp("crowded")
    for name in ("api", "engine", "configs", "indexer", "lab", "ranking"):
        (folder / name).mkdir()
        (folder / name / "__init__.py").write_text("raise SystemExit('this is not argsearch')")
    return folder


@pytest.mark.slow
def test_the_wheel_holds_one_package_and_all_its_data(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"argsearch"}
    assert "argsearch/py.typed" in names
    wanted = [ROOT / "argsearch/__init__.py", ROOT / "argsearch/__main__.py"]
    for room in ROOMS:
        wanted += [path for path in (ROOT / room).rglob("*") if path.is_file()]
    files = {
        f"argsearch/{path.relative_to(ROOT)}".replace("argsearch/argsearch/", "argsearch/")
        for path in wanted
        if "__pycache__" not in path.parts and path.suffix != ".md"
    }
    assert files - set(names) == set()
    foreign = ("tests", "studies", "benchmarks", "docs")
    assert [name for name in names if set(foreign) & set(name.split("/")[:2])] == []


@pytest.mark.slow
def test_archives_of_the_same_files_are_the_same_bytes(source: Path, tmp_path: Path) -> None:
    made = []
    for name, back in (("first", 0), ("second", 3600)):
        for path in (source / "engine").rglob("*.py"):
            os.utime(path, (path.stat().st_atime, path.stat().st_mtime - back))
        build = "import sys, setuptools.build_meta as b; b.build_{0}(sys.argv[1])"
        for kind in ("sdist", "wheel"):
            (tmp_path / name).mkdir(exist_ok=True)
            command = ("env", "SOURCE_DATE_EPOCH=1700000000", sys.executable, "-c")
            run(*command, build.format(kind), tmp_path / name, cwd=source)
        made.append({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()})
    assert sorted(made[0]) == [
        f"argument_search-{__version__}-py3-none-any.whl",
        f"argument_search-{__version__}.tar.gz",
    ]
    assert made[0] == made[1]
    with tarfile.open(tmp_path / "first" / f"argument_search-{__version__}.tar.gz") as packed:
        names = {name.split("/", 1)[1] for name in packed.getnames() if "/" in name}
    assert {"NOTICE", "LICENSE", "README.md", "tests/test_wheel.py", "docs/index.md"} <= names
    assert [name for name in names if "__pycache__" in name or name.startswith(".venv")] == []


@pytest.mark.slow
def test_it_runs_beside_folders_that_are_named_as_ours(python: Path, crowded: Path) -> None:
    command = python.with_name("argsearch")
    run(command, "index", SAMPLE, "--out", "index", "--quiet", cwd=crowded)
    asked = ("search", "should teachers get tenure", "--index", "index", "--format", "csv")
    answers = [run(*how, *asked, cwd=crowded) for how in ([command], [python, "-m", "argsearch"])]
    assert answers[0] == answers[1]
    assert answers[0].count("\n") > 3
    (crowded / "program.py").write_text(PROGRAM)
    assert "[(1, " in run(python, "program.py", cwd=crowded)
    where = run(python, "-c", "import argsearch.engine as e; print(e.__file__)", cwd=crowded)
    assert where.startswith(str(python.parent.parent))


@pytest.mark.slow
@pytest.mark.parametrize("checker", ["mypy", "basedpyright"])
def test_a_program_that_uses_it_is_typed(checker: str, python: Path, tmp_path: Path) -> None:
    pytest.importorskip(checker, reason=f"install {checker}: pip install {checker}")
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict"}')
    if checker == "mypy":
        words = ("mypy", "--strict", "--python-executable", python, "--cache-dir", tmp_path / "c")
    else:
        words = ("basedpyright", "--pythonpath", python, "--project", tmp_path)
    said = run(sys.executable, "-m", *words, "program.py", cwd=tmp_path)
    assert "no issues" in said or "0 errors, 0 warnings" in said, said
    (tmp_path / "wrong.py").write_text(
        "from argsearch import Hot\nfrom argsearch.engine import Hit\n"
        "import argsearch\nargsearch.Engin\nargsearch.Hit.text.nope\n"
        "argsearch.Engine.open('index').search('tenure', side='agianst')\n"
    )
    command = [sys.executable, "-m", *map(str, words), "wrong.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    for line in (1, 2, 4, 5, 6):
        assert f"wrong.py:{line}:" in done.stdout
