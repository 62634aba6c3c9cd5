"""The files of the public CI service, held to its rules by a linter that asks nobody."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib

import pytest
import yaml

from tests.copies import ROOT

FOLDER = ROOT / ".github" / "workflows"
LINTER = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.9"


@pytest.mark.slow
def test_the_linter_finds_nothing(tmp_path) -> None:
    if not shutil.which("go"):
        pytest.skip("the linter of workflows comes as a Go module; install go")
    files = [str(path) for path in sorted(FOLDER.iterdir())]
    wrong = tmp_path / "wrong.yml"
    wrong.write_text("on: push\njobs:\n  a:\n    runs-on: no-such\n    steps:\n      - runs: b\n")
    asked = ["go", "run", LINTER, "-no-color", "-oneline"]
    done = subprocess.run([*asked, *files], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    done = subprocess.run([*asked, str(wrong)], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.count("wrong.yml") >= 2


def test_every_python_that_is_promised_is_tried_on_every_system() -> None:
    tests = yaml.safe_load((FOLDER / "ci.yml").read_text())["jobs"]["tests"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    classifiers = "\n".join(project["classifiers"])
    promised = re.findall(
        r"^Programming Language :: Python :: (3\.\d+)$", classifiers, re.MULTILINE
    )
    assert tests["strategy"]["matrix"]["python"] == promised
    assert project["requires-python"] == f">={promised[0]}"
    assert classifiers.count("Operating System ::") == len(tests["strategy"]["matrix"]["os"])


def test_what_the_steps_name_is_there() -> None:
    text = "\n".join(path.read_text() for path in FOLDER.iterdir())
    named = set(re.findall(r"\btests/[\w/.]+", text))
    assert len(named) > 4
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_nothing_but_the_publishing_job_may_do_more_than_read() -> None:
    for path in FOLDER.iterdir():
        workflow = yaml.safe_load(path.read_text())
        assert workflow["permissions"] == {"contents": "read"}
        more = {name for name, job in workflow["jobs"].items() if "permissions" in job}
        assert more == ({"publish"} if path.name == "release.yml" else set())
    assert "secrets." not in path.read_text()
