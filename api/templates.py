"""Templates for pages, in web/. They escape inserted text and need no scripts."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

WEB = Path(__file__).parent / "web"
_TEMPLATES = Environment(
    loader=FileSystemLoader(WEB),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def page(name: str, **parts: object) -> str:
    """Return a page rendered from its template. Templates are reloaded when they change."""
    return _TEMPLATES.get_template(name).render(parts)
