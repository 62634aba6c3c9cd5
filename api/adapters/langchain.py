"""A LangChain retriever that returns arguments as documents."""

from __future__ import annotations

from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, Field

from argsearch.engine import Engine
from argsearch.engine.results.results import Hit
from argsearch.engine.text.citation import cite


class ArgSearchRetriever(BaseRetriever):
    """Retriever that returns the best arguments: premises as text, other fields as metadata."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    engine: Engine = Field(description="An open index: Engine.open(address).")
    config: str = "default"
    k: int = 4
    side: str | None = None
    """Return only arguments on this side of the question: for, against or unclear."""

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002
        **given: Any,
    ) -> list[Document]:
        asked = {"k": self.k, "config": self.config, "side": self.side, "sides": True, **given}
        return [_document(hit) for hit in self.engine.search(query, **asked).hits]


def _document(hit: Hit) -> Document:
    argument, source = hit.argument, cite(hit.argument)
    return Document(
        id=hit.id,
        page_content=argument.premise,
        metadata={
            "conclusion": argument.conclusion,
            "stance": argument.stance and argument.stance.value,
            "side": hit.side and hit.side.value,
            "side_probability": hit.side and hit.side.probability,
            "rank": hit.rank,
            "score": hit.score,
            "source": source.line,
            "url": source.url or None,
        },
    )
