"""The README's examples, run as they stand, in order, in one folder."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run(language: str, text: str, folder: Path) -> str:
    command = ["bash", "-euc", text] if language == "sh" else [sys.executable, "-c", text]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True
    )
    assert done.returncode == 0, (text, done.stderr)
    return done.stdout


@pytest.mark.slow
@pytest.mark.processes
def test_every_example_does_what_the_readme_says(tmp_path: Path) -> None:
    (tmp_path / "indexer").symlink_to(ROOT / "indexer")
    blocks = BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    assert [language for language, _ in blocks] == ["sh", "sh", "python", "sh"]
    outputs = []
    for language, text in blocks:
        text = text.replace(". .venv/bin/activate\n", "")  # this test runs in an environment
        if language == "sh":
            lines = [one for one in text.splitlines() if not one.startswith("pip install")]
            outputs += [run("sh", line, tmp_path) for line in lines]
        else:
            outputs.append(run("python", text, tmp_path))
    _, relevance_alone, default, bibtex, _, python, _, table = outputs
    assert "S2374e24a-A2ef9d737" in relevance_alone  # says the same thing over and over
    assert "quality factor" in default
    assert "S2374e24a-A2ef9d737" not in default
    assert bibtex.startswith("@")
    assert "relevance" in python
    assert "nDCG@10" in table


def test_every_link_leads_somewhere() -> None:
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), (page.name, target)
