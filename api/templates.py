"""Templates for pages, in web/. They escape inserted text and need no scripts."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from argsearch.ranking.lexicons import lexicon

WEB = Path(__file__).parent / "web"
_TEMPLATES = Environment(
    loader=FileSystemLoader(WEB),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_TEMPLATES.globals["common_words"] = " ".join(lexicon("stop_words")["english"])


def page(name: str, **parts: object) -> str:
    """Return a page rendered from its template. Templates are reloaded when they change."""
    return _TEMPLATES.get_template(name).render(parts)
