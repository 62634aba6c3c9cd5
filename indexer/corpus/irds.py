"""Reads `irds:NAME`, the documents of an ir_datasets corpus (extra `datasets`).

ArgsMeDoc and ArgsMeProcessedDoc get the context keys of their original JSON, so that an index of
`irds:argsme/...` equals an index of the file. For a null conclusion ir_datasets has the text
"None", which is read as no conclusion. A document with `text` (as in BEIR's ArguAna and Touché)
becomes one premise. Its `title`, if any, becomes the conclusion, and its other fields the context.
Fields that are None or empty are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from enum import Enum
from hashlib import sha256
from typing import Any

import orjson

from argsearch.indexer.corpus.jsonlines import Record, of_fields
from argsearch.indexer.corpus.mending import mend_value
from argsearch.indexer.corpus.report import (
    CorpusError,
    ReadReport,
    SourceReport,
    StreamFault,
    shown,
)
from argsearch.indexer.errors import MissingExtra

PREFIX = "irds:"
_CONTEXT = {
    "source_id": "sourceId", "source_title": "sourceTitle", "source_url": "sourceUrl",
    "source_previous_argument_id": "previousArgumentInSourceId",
    "source_next_argument_id": "nextArgumentInSourceId", "source_domain": "sourceDomain",
    "source_text": "sourceText", "source_text_conclusion_start": "sourceTextConclusionStart",
    "source_text_conclusion_end": "sourceTextConclusionEnd",
    "source_text_premise_start": "sourceTextPremiseStart",
    "source_text_premise_end": "sourceTextPremiseEnd", "topic": "topic",
    "acquisition": "acquisitionTime", "date": "date", "author": "author",
    "author_image_url": "authorImage", "author_organization": "authorOrganization",
    "author_role": "authorRole", "mode": "mode",
}  # fmt: skip
_DOMAINS = {"debateorg": "debate.org", "canadian_parliament": "canadian-parliament"}


def records(source: str, report: ReadReport, about: SourceReport) -> Iterator[Record]:
    """Yield each document in the corpus; `about` gets the SHA-256 of the documents' JSON lines.

    Raises MissingExtra, CorpusError (an unknown name, or no documents of a usable type) or
    StreamFault (ir_datasets could not download or parse the corpus).
    """
    dataset = _dataset(source)
    about.name, about.form = source, "ir_datasets"
    digest = sha256()
    documents = _documents(dataset)
    for number, made in enumerate(documents, 1):
        document, replaced = mend_value(made)
        line = orjson.dumps(document, option=orjson.OPT_APPEND_NEWLINE)
        digest.update(line)
        about.bytes += len(line)
        report.replaced_characters += replaced
        yield number, document
    about.sha256 = digest.hexdigest()


def _dataset(source: str) -> Any:
    try:
        import ir_datasets
    except ImportError as error:
        raise MissingExtra("ir_datasets", "datasets") from error
    name = source.removeprefix(PREFIX)
    try:
        dataset = ir_datasets.load(name)
    except KeyError:
        near = [known for known in sorted(ir_datasets.registry) if known.startswith("argsme")]
        raise CorpusError(
            source, "", f"ir_datasets has no data set {shown(name)}; such are {', '.join(near)}"
        ) from None
    if not dataset.has_docs():
        raise CorpusError(source, "", "it has no documents; give a corpus such as irds:argsme/1.0")
    fields = dataset.docs_cls()._fields
    if "premises" not in fields and "text" not in fields:
        raise CorpusError(source, "", f"documents need text or premises, not {', '.join(fields)}")
    return dataset


def _documents(dataset: Any) -> Iterator[dict[str, Any]]:
    documents = iter(dataset.docs_iter())
    while True:
        try:
            document = next(documents, None)
        # ir_datasets lets through any error of its downloads and parsers.
        except Exception as error:
            raise StreamFault(
                f"ir_datasets failed ({type(error).__name__}: {error}); fix its download, or "
                "give the corpus file instead"
            ) from error
        if document is None:
            return
        yield of_args_me(document) if hasattr(document, "premises") else of_text(document)


def of_args_me(document: Any) -> dict[str, Any]:
    """Convert an ArgsMeDoc or ArgsMeProcessedDoc to args.me's JSON form."""
    context = {name: _json(getattr(document, field)) for field, name in _CONTEXT.items()}
    if document.aspects:
        context["aspects"] = [
            {
                "name": aspect.name,
                "weight": aspect.weight,
                "normalizedWeight": aspect.normalized_weight,
                "rank": aspect.rank,
            }
            for aspect in document.aspects
        ]
    if sentences := getattr(document, "sentences", None):
        context["sentences"] = [{"sent_id": s.id, "sent_text": s.text} for s in sentences]
    return {
        "id": document.doc_id,
        "conclusion": None if document.conclusion == "None" else document.conclusion,
        "premises": [
            {
                "text": premise.text,
                "stance": premise.stance.name,
                "annotations": [annotation._asdict() for annotation in premise.annotations],
            }
            for premise in document.premises
        ],
        "context": {name: value for name, value in context.items() if value is not None},
    }


def of_text(document: Any) -> dict[str, Any]:
    """Convert a document with a text, and perhaps a title and a stance, to args.me's JSON form."""
    return of_fields({name: _json(value) for name, value in document._asdict().items()})


def _json(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, Enum):
        return _DOMAINS.get(value.name, value.name)
    return value
