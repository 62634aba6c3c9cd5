"""The API's documentation as one page, made from its OpenAPI description; its script is a file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

_HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} API</title>
<link rel="icon" href="/favicon.svg">
<link rel="stylesheet" href="/page.css">
<script type="module" src="/try.js"></script>
</head>
<body class="docs">
<main>
<h1>{title} API <small>{version}</small></h1>
<p>{description}</p>
<p><a href="/">The search page</a> · <a href="/openapi.json">OpenAPI description (JSON)</a></p>
"""
_FOOT = "</main>\n</body>\n</html>\n"


def documentation(openapi: Mapping[str, Any]) -> str:
    """The page: every path with its parameters and answers."""
    info = openapi["info"]
    parts = [
        _HEAD.format(
            title=escape(info["title"]),
            version=escape(info["version"]),
            description=escape(info.get("description", "")),
        )
    ]
    for path, methods in openapi["paths"].items():
        for method, operation in methods.items():
            parts += _operation(method, path, operation)
            parts += _try(method, path, operation)
    return "".join(parts) + _FOOT


def _operation(method: str, path: str, operation: Mapping[str, Any]) -> Iterator[str]:
    heading = f"{method.upper()} {path}"
    yield f"<section>\n<h2><code>{escape(heading)}</code></h2>\n"
    yield f"<p>{escape(operation.get('description', ''))}</p>\n"
    if parameters := operation.get("parameters"):
        rows = "".join(_parameter(parameter) for parameter in parameters)
        yield (
            '<div class="scroll" tabindex="0" role="region" '
            f'aria-label="Parameters of {escape(heading)}">\n'
            "<table>\n<thead><tr><th>parameter</th><th>default</th><th>meaning</th></tr></thead>\n"
            f"<tbody>\n{rows}</tbody>\n</table>\n</div>\n"
        )
    yield "<ul>\n" + "".join(
        f"<li>{escape(status)}: {escape(answer['description'])}</li>\n"
        for status, answer in operation["responses"].items()
    )
    yield "</ul>\n"


def _try(method: str, path: str, operation: Mapping[str, Any]) -> Iterator[str]:
    """A form that sends the request; hidden where no script runs."""
    yield (
        '<details class="try" hidden>\n<summary>Try it</summary>\n'
        f'<form data-method="{method.upper()}" data-path="{escape(path)}">\n'
    )
    for parameter in operation.get("parameters", ()):
        name, required = escape(parameter["name"]), " required" * parameter.get("required", False)
        yield f'<p><label>{name} <input name="{name}"{required}></label></p>\n'
    if "requestBody" in operation:
        example = json.dumps({"questions": ["should zoos be abolished"], "k": 3})
        yield f'<p><label>body <textarea name="body">{escape(example)}</textarea></label></p>\n'
    yield (
        '<p><button type="submit">Send</button></p>\n'
        '<pre><output aria-live="polite"></output></pre>\n</form>\n</details>\n</section>\n'
    )


def _parameter(parameter: Mapping[str, Any]) -> str:
    default = parameter.get("schema", {}).get("default")
    shown = (
        "required"
        if parameter.get("required")
        else ""
        if default is None
        else json.dumps(default).strip('"')
    )
    return (
        f"<tr><td><code>{escape(parameter['name'])}</code></td><td>{escape(shown)}</td>"
        f"<td>{escape(parameter.get('description', ''))}</td></tr>\n"
    )
