"""The LangChain retriever gives the engine's hits, and passes LangChain's own standard tests."""

from __future__ import annotations

import asyncio
import os
import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip(
    "langchain_core", reason="install the extra langchain: pip install -e '.[langchain]'"
)

from argsearch.api.adapters.langchain import ArgSearchRetriever
from argsearch.engine import Engine
from tests.processes import in_a_thread

QUESTION = "should zoos be abolished"
STANDARD = Path(__file__).with_name("langchain_standard.py")


def test_documents_are_the_hits(sample_index):
    with Engine.open(sample_index) as engine:
        retriever = ArgSearchRetriever(engine=engine, k=3)
        documents = retriever.invoke(QUESTION)
        assert pickle.loads(pickle.dumps(retriever)).invoke(QUESTION) == documents
        assert in_a_thread(lambda: asyncio.run(retriever.ainvoke(QUESTION))) == documents
        hits = engine.search(QUESTION, k=3).hits
        assert [one.id for one in documents] == [hit.id for hit in hits]
        assert documents[0].page_content == hits[0].text
        assert documents[0].metadata["conclusion"] == hits[0].conclusion
        sides = [hit.side for hit in engine.search(QUESTION, k=3, sides=True)]
        told = [(one.metadata["side"], one.metadata["side_probability"]) for one in documents]
        assert told == [(side.value, side.probability) for side in sides]
        against = ArgSearchRetriever(engine=engine, side="against").invoke(QUESTION)
        wanted = engine.search(QUESTION, k=4, side="against").hits
        assert [one.id for one in against] == [hit.id for hit in wanted]


@pytest.mark.slow
@pytest.mark.processes
def test_it_passes_the_standard_tests(sample_index, tmp_path):
    pytest.importorskip("langchain_tests", reason="pip install -r tests/requirements.txt")
    settings = tmp_path / "pytest.ini"  # not this project's: their tests are asynchronous
    settings.write_text("[pytest]\nasyncio_mode = auto\n")
    words = ["-m", "pytest", "-q", "-c", str(settings), "--rootdir", str(tmp_path), str(STANDARD)]
    paths = os.pathsep.join(path for path in sys.path if path)
    done = subprocess.run(
        [sys.executable, *words, "--import-mode=importlib", "-p", "no:cacheprovider"],
        env={**os.environ, "ARGSEARCH_INDEX": str(sample_index), "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert re.search(r"[4-9] passed", done.stdout), done.stdout
