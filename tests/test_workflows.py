"""The files of the public CI service, held to its rules by a linter that asks nobody."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

from tests.copies import ROOT

FOLDER = ROOT / ".github" / "workflows"


def _checked(*files: Path) -> subprocess.CompletedProcess[str]:
    asked = [
        sys.executable,
        "-m",
        "check_jsonschema",
        "--builtin-schema",
        "vendor.github-workflows",
    ]
    return subprocess.run([*asked, *map(str, files)], capture_output=True, text=True)


@pytest.mark.slow
def test_the_linter_finds_nothing(tmp_path) -> None:
    if find_spec("check_jsonschema") is None:
        pytest.skip("install tests/requirements.txt for the linter of workflows")
    wrong = tmp_path / "wrong.yml"
    wrong.write_text(
        "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - runs: b\n"
    )
    assert _checked(wrong).returncode == 1
    done = _checked(*sorted(FOLDER.iterdir()))
    assert done.returncode == 0, done.stdout


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
