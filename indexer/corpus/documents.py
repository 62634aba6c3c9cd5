"""Checks a parsed document (in args.me's form), and converts it to an Argument.

Accepted values:

* `id`, required: text without white space or control characters (which would break run files), at
  most 512 bytes (Elasticsearch's limit), or a whole number, which is converted to text.
* `conclusion`: text, or null or absent (both occur in args.me); null and blank ones are counted.
* `premises`: a list of `{"text": …, "stance": …}`; an empty list or blank text is kept and counted.
* `stance`: PRO or CON in any case; null or absent (both occur in args.me) means unknown.
* `context`: an object, null or absent; it is kept unchanged, with at most 64 levels of nesting.
* Any other key of the document goes into the context under its own name, or as `document.NAME` if
  the context already has that name. Keys of a premise besides text and stance (annotations) go into
  the context as `premises`, one object per premise, unless all are empty.
"""

from __future__ import annotations

import re
from typing import Any

from argsearch.indexer.corpus.argument import Argument, Premise, Stance
from argsearch.indexer.corpus.mending import mend_text
from argsearch.indexer.corpus.report import DocumentFault, ReadReport, shown
from argsearch.indexer.errors import refusal

ID_BYTES = 512
"""Length of the longest id, in bytes of UTF-8."""
CONTEXT_DEPTH = 64
"""Maximum nesting depth of a context."""

_KEYS = frozenset({"id", "conclusion", "premises", "context"})
_PREMISE_KEYS = frozenset({"text", "stance"})
_UNFIT = re.compile(r"[\s\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_STANCES: dict[str | None, Stance | None] = {"PRO": Stance.PRO, "CON": Stance.CON, None: None}


def to_argument(document: Any, report: ReadReport) -> Argument:
    """Return the document as an Argument, and count replaced characters in the report.

    If the document is bad, raises DocumentFault and counts nothing.
    """
    if type(document) is not dict:
        raise DocumentFault(
            "document",
            "it must be an object with id, conclusion, premises and context, not "
            f"{shown(document)}",
        )
    id_ = document.get("id")
    if type(id_) is not str or " " in id_ or not id_.isprintable() or not 0 < len(id_) <= 128:
        id_ = _checked_id(document)
    premises, replaced = _premises(document)
    conclusion = document.get("conclusion")
    if conclusion is not None:
        if type(conclusion) is not str:
            raise DocumentFault(
                "conclusion", f"conclusion must be a string or null, not {shown(conclusion)}"
            )
        if "\0" in conclusion:
            conclusion, more = mend_text(conclusion)
            replaced += more
    context = _context(document)
    report.replaced_characters += replaced
    return Argument(id_, conclusion, premises, context)


def _checked_id(document: dict[str, Any]) -> str:
    allowed = f"a string without white space of at most {ID_BYTES} bytes"
    if "id" not in document:
        raise DocumentFault("id", f"id is missing; it must be {allowed}")
    id_ = document["id"]
    if type(id_) is int:
        return str(id_)
    if type(id_) is not str or not id_ or _UNFIT.search(id_):
        raise DocumentFault("id", f"id must be {allowed}, not {shown(id_)}")
    if len(id_.encode()) > ID_BYTES:
        raise DocumentFault("id", f"id must be {allowed}, not {len(id_.encode())}: {shown(id_)}")
    return id_


def _premises(document: dict[str, Any]) -> tuple[tuple[Premise, ...], int]:
    premises = document.get("premises")
    if type(premises) is not list:
        found = shown(premises) if "premises" in document else None
        allowed = 'a list of {"text": ..., "stance": ...}'
        raise DocumentFault("premises", refusal("premises", found, allowed))
    made: list[Premise] = []
    replaced = 0
    for premise in premises:
        try:
            text = premise["text"]
            stance = _STANCES[premise.get("stance")]
        except (KeyError, TypeError, AttributeError):
            text, stance = _checked_premise(premise)
        if type(text) is not str:
            raise DocumentFault("premises", f"a premise's text must be a string, not {shown(text)}")
        if "\0" in text:
            text, more = mend_text(text)
            replaced += more
        made.append(Premise(text, stance))
    return tuple(made), replaced


def _checked_premise(premise: Any) -> tuple[Any, Stance | None]:
    if type(premise) is not dict or "text" not in premise:
        raise DocumentFault("premises", f"premises must be objects with text, not {shown(premise)}")
    stance = premise.get("stance")
    name = stance.strip().upper() if type(stance) is str else ""
    if name not in _STANCES:
        raise DocumentFault("stance", f"stance must be PRO, CON or null, not {shown(stance)}")
    return premise["text"], _STANCES[name]


def _context(document: dict[str, Any]) -> dict[str, Any]:
    context, premises = document.get("context"), document["premises"]
    if context is None:
        context = {}
    elif type(context) is not dict:
        raise DocumentFault("context", f"context must be an object or null, not {shown(context)}")
    if len(document) != 4 or not _KEYS.issuperset(document):
        others = {key: value for key, value in document.items() if key not in _KEYS}
        _add(context, others)
    # args.me's own premises all have an empty list of annotations.
    if any(len(p) > 3 or (len(p) == 3 and p.get("annotations") != []) for p in premises):
        rest = [{k: v for k, v in p.items() if k not in _PREMISE_KEYS and v} for p in premises]
        if any(rest):
            _add(context, {"premises": rest})
    for value in context.values():
        if isinstance(value, dict | list) and not _shallow(value, CONTEXT_DEPTH):
            raise DocumentFault("context", f"context has more than {CONTEXT_DEPTH} nested levels")
    return context


def _add(context: dict[str, Any], others: dict[str, Any]) -> None:
    for key, value in others.items():
        context[f"document.{key}" if key in context else key] = value


def _shallow(value: Any, depth: int) -> bool:
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, list):
        return True
    return depth > 0 and all(_shallow(item, depth - 1) for item in value)
