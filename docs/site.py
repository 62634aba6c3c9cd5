"""What the documentation's site does to the pages of this folder, which also read well as they lie.

mkdocs calls these hooks by name (mkdocs.yml). Pages of the project's top folder become pages of
the site, and a link to a file of the source, which the site does not hold, becomes its name.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

TOP = Path(__file__).resolve().parent.parent
PAGES = {
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "CHANGELOG.md": "changelog.md",
}
PYTHON = "python-api.md"
OF_PYTHON = """
## Every method and attribute

::: argsearch.engine.engine.Engine
    options:
      filters: ["!^(_|known|light|unit|encoder)"]

::: argsearch.engine.results.results.Results

::: argsearch.engine.results.results.Hit

::: argsearch.ranking.explanation.Explanation

::: argsearch.indexer.building.changing
    options:
      show_root_heading: false
"""
"""What mkdocstrings adds to the page on Python, which lists the names without it."""
LINK = re.compile(r"\[([^\]]*)\]\(([^)\s:#]+)(#[^)\s]*)?\)")


def on_files(files: Any, config: Any) -> Any:
    """Add the pages of the top folder."""
    from mkdocs.structure.files import File

    for source, name in PAGES.items():
        text = (TOP / source).read_text(encoding="utf-8")
        files.append(File.generated(config, name, content=relinked(text, name, at_top=True)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Turn the links of a page to where their targets are on the site, and describe Python."""
    name = page.file.src_uri
    turned = markdown if name in PAGES.values() else relinked(markdown, name, at_top=False)
    return turned + OF_PYTHON if name == PYTHON else turned


def relinked(text: str, name: str, *, at_top: bool) -> str:
    """Return a page's text with its links to the top folder and to the source turned."""
    folder = "" if at_top else posixpath.join("docs", posixpath.dirname(name))

    def turned(match: re.Match[str]) -> str:
        label, target, anchor = match[1], match[2], match[3] or ""
        path = posixpath.normpath(posixpath.join(folder, target))
        if path in PAGES:
            site = PAGES[path]
        elif path == "README.md":
            site = "index.md"
        elif path.startswith("docs/"):
            site = path.removeprefix("docs/")
        else:
            return label
        return f"[{label}]({posixpath.relpath(site, posixpath.dirname(name) or '.')}{anchor})"

    return LINK.sub(turned, text)
