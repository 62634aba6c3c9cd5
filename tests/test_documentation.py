"""The documentation as a site, and its tutorials followed to the letter."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

import argsearch
from argsearch.version import __version__
from docs.site import PAGES, PYTHON, relinked
from tests.copies import ROOT
from tests.test_readme import BLOCK, run

DOCS = ROOT / "docs"
TUTORIALS = sorted((DOCS / "tutorials").glob("*.md"))


def _leaves(nav: object) -> list[str]:
    if isinstance(nav, str):
        return [nav]
    inner = nav.values() if isinstance(nav, dict) else nav
    return [leaf for one in inner for leaf in _leaves(one)]  # type: ignore[attr-defined]


def test_the_site_leads_to_every_page_once() -> None:
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    pages = _leaves(yaml.safe_load(text)["nav"])
    there = [path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")]
    assert sorted(pages) == sorted([*there, *PAGES.values()])


def test_links_are_turned_to_where_the_site_has_their_targets() -> None:
    text = "[a](../CONTRIBUTING.md#x) [b](../README.md) [c](../ranking/compiled.py) [d](page.md)"
    turned = "[a](contributing.md#x) [b](index.md) c [d](page.md)"
    assert relinked(text, "performance.md", at_top=False) == turned
    assert relinked("[s](docs/servers.md)", "security.md", at_top=True) == "[s](servers.md)"
    assert (
        relinked("[r](../retrieval.md)", "decisions/1.md", at_top=False) == "[r](../retrieval.md)"
    )


def test_what_a_release_says_of_itself_is_of_this_version() -> None:
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"] == __version__
    notice = (ROOT / "NOTICE").read_text()
    models = sorted(path.stem for path in (ROOT / "indexer" / "models").iterdir())
    assert [name for name in models if f"indexer/models/{name}" not in notice] == []


def _anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as forges and the site make them."""
    text = re.sub(r"(?ms)^```.*?^```", "", page.read_text(encoding="utf-8"))
    named = re.findall(r"(?m)^#+ (.+)$", text)
    plain = (re.sub(r"[^\w\- ]", "", name.lower()).strip() for name in named)
    return {name.replace(" ", "-") for name in plain}


@pytest.mark.parametrize("page", [*DOCS.rglob("*.md"), *ROOT.glob("*.md")], ids=lambda p: p.stem)
def test_links_lead_to_a_heading(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)\s:#]*\.md)?#([\w-]+)\)", text)
    targets = [((page.parent / file) if file else page, anchor) for file, anchor in links]
    assert [(path.name, name) for path, name in targets if name not in _anchors(path)] == []


def test_the_page_on_python_names_what_is_public() -> None:
    """In code, so that it is read in the repository, where no tool adds the docstrings."""
    text = re.sub(r"(?ms)^```.*?^```", "", (DOCS / PYTHON).read_text(encoding="utf-8"))
    said = set(re.findall(r"\w+", " ".join(re.findall(r"`[^`]+`", text))))
    own = {"backend", "claiming", "encoder", "gists", "known", "light", "place", "sided", "usual"}
    own |= {"asked", "collapsed", "details", "notes", "sided_for", "sort", "spread", "wording"}
    own |= {"close", "stated", "unit"}
    for one in (argsearch.Engine, argsearch.Results, argsearch.Hit):
        names = {*vars(one), *getattr(one, "__dataclass_fields__", ())}
        public = {name for name in names if not name.startswith("_")}
        assert public - said - own == set(), one
    assert {name for name in argsearch.__all__ if name.endswith(("Name", "Side"))} <= said


COMMAND = re.compile(
    r"python -m \w|\bmake [a-z]|argsearch [a-z]|\b[Bb]y hand\b|arithmetic"
    r"|\bat\s+commit\s+[0-9a-f]{8}\b"
)
"""What says how figures came about: a command, or the commit that has the script."""
FIGURE = re.compile(r"[*−+-]*\d*[.,]?\d+\s?(ms|µs|s|h|%|[KMG]i?B|[kMG])?\b.*")
DEFINING = {
    ("counter.md", "| feature | weight |"),
    ("formulas.md", "| "),
    ("gist.md", "| "),
    ("reliability.md", "| of | limit |"),
}
"""Tables whose numbers are chosen, not measured: a page and how the table begins."""


def _measured(table: str) -> bool:
    """Whether a third of a table's cells, the first column left out, are figures."""
    rows = [row.strip("|").split("|")[1:] for row in table.splitlines()[2:]]
    cells = [cell.strip() for row in rows for cell in row]
    figures = [cell for cell in cells if len(cell) < 40 and FIGURE.fullmatch(cell)]
    return len(figures) >= max(3, len(cells) / 3)


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda path: path.stem)
def test_figures_stand_beside_the_command_or_the_commit_that_made_them(page: Path) -> None:
    """In the table's own section, or in what the page begins with."""
    begun, *sections = re.split(r"(?m)^(?=## )", page.read_text(encoding="utf-8"))
    without = [
        table
        for section in (begun, *sections)
        for table in re.findall(r"(?m)(?:^\|.*\n)+", section)
        if _measured(table) and not COMMAND.search(section) and not COMMAND.search(begun)
    ]
    chosen = tuple(start for name, start in DEFINING if name == page.name)
    assert [table[:200] for table in without if not table.startswith(chosen)] == []


@pytest.mark.slow
def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    if find_spec("mkdocs") is None:
        pytest.skip("install the extra `docs` for the documentation's site")
    command = [
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--quiet",
        "--site-dir",
        str(tmp_path / "site"),
    ]
    quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "true"}
    done = subprocess.run(command, cwd=ROOT, env=quiet, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert "Explanation" in (tmp_path / "site" / "python-api" / "index.html").read_text()
    for page in (tmp_path / "site").rglob("*.html"):
        assert 'src="http' not in page.read_text(), page


@pytest.mark.slow
@pytest.mark.processes
@pytest.mark.parametrize("tutorial", TUTORIALS, ids=lambda path: path.stem)
def test_a_tutorial_can_be_followed_to_the_letter(tutorial: Path, tmp_path: Path) -> None:
    (tmp_path / "indexer").symlink_to(ROOT / "indexer")
    blocks = BLOCK.findall(tutorial.read_text(encoding="utf-8"))
    assert len(blocks) > 3
    for language, text in blocks:
        assert run(language, text, tmp_path).strip() or "argsearch index" in text
