"""LangChain's standard tests of a retriever; run by test_langchain.py, in a pytest of their own."""

from __future__ import annotations

import os
from typing import Any

import pytest
from langchain_tests.integration_tests import RetrieversIntegrationTests

from argsearch.api.adapters.langchain import ArgSearchRetriever
from argsearch.engine import Engine


class TestStandard(RetrieversIntegrationTests):
    @pytest.fixture(autouse=True)
    def opened(self):
        with Engine.open(os.environ["ARGSEARCH_INDEX"]) as engine:
            type(self).engine = engine
            yield

    @property
    def retriever_constructor(self) -> type[ArgSearchRetriever]:
        return ArgSearchRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"engine": self.engine}

    @property
    def retriever_query_example(self) -> str:
        return "should zoos be abolished"
