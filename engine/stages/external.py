"""An external re-ranker, which scores each text for the question.

It can be a Python callable, a PyTerrier transformer that scores texts, or an address with the usual
interface of hosted re-rankers. It may run in this process or elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, ClassVar, cast

import numpy as np

from argsearch.engine.stages.base import Candidates, Floats, Step
from argsearch.indexer.errors import ArgsearchError, InvalidParameter
from argsearch.indexer.format.settings import setting
from argsearch.ranking.explanation import Explanation

MOST_REPLY_BYTES = 1 << 24
"""Maximum number of bytes to read from an address's response."""


class RerankerFailed(ArgsearchError):
    """An external re-ranker did not return one number for each text."""


@dataclass(frozen=True, slots=True)
class External:
    """Section [rerank.external]: S' = M, the score of the user's own model for each text."""

    name: ClassVar[str] = "external"
    doc: ClassVar[str] = "by your own model: a Python callable, a transformer or an address"
    formula: ClassVar[str] = "score, output of your own model"
    needs: ClassVar[tuple[str, ...]] = ("texts",)

    model: str = setting(
        "none",
        "MODULE:NAME of a callable (question, texts) → numbers or of a PyTerrier transformer, or "
        "an http(s) address",
    )
    seconds: float = setting(30.0, "time limit for an address's response", low=0.1, high=3600.0)

    def step(self, candidates: Candidates) -> Step:
        """Order by M; ties keep their earlier order. Raises RerankerFailed or InvalidParameter."""
        stated = candidates.arguments
        texts = ["\n".join(filter(None, (one.conclusion, one.premise))) for one in stated]
        M = self._checked(self._scores(candidates.question, texts), len(texts))
        order = np.argsort(-M, kind="stable")
        return Step(order, {"M": M[order]}, {})

    def combine(self, **columns: Floats) -> Floats:
        """Return S' = M."""
        return columns["M"]

    def explain(
        self, values: Mapping[str, float], _remarks: Mapping[str, str], before: Explanation
    ) -> tuple[Explanation, ...]:
        """Return the model's score, and the earlier score that it replaces."""
        return Explanation(values["M"], f"M, by {self.model}", symbol="M"), before

    def _scores(self, question: str, texts: Sequence[str]) -> Any:
        if self.model.startswith(("http://", "https://")):
            return asked(self.model, question, texts, self.seconds)
        model = made(self.model)
        if hasattr(model, "transform"):
            return transformed(model, question, texts)
        if not callable(model):
            allowed = "MODULE:NAME of a callable or a transformer, or an http(s) address"
            raise InvalidParameter("rerank.external.model", self.model, allowed)
        return model(question, texts)

    def _checked(self, scores: Any, n: int) -> Floats:
        try:
            M = np.array([float(one) for one in scores])
        except WRONG:
            M = np.zeros(0)
        if M.shape != (n,) or not np.isfinite(M).all():
            raise RerankerFailed(f"{self.model} did not give a finite number for each of {n} texts")
        return M


WRONG = (ArithmeticError, LookupError, TypeError, ValueError)
"""Errors caused by invalid numbers and responses."""


@lru_cache(maxsize=4)
def made(name: str) -> Any:
    """Return the object that MODULE:NAME names, as an instance if it is a class.

    Return None if the name has another form. Raises RerankerFailed if the object cannot be loaded.
    """
    module, colon, within = name.partition(":")
    if not colon:
        return None
    try:
        found = getattr(import_module(module), within)
        # The function's cache keeps the instance, which may hold a model of gigabytes.
        return found() if isinstance(found, type) else found
    except Exception as error:
        why = " ".join(f"{type(error).__name__}: {error}".split())
        raise RerankerFailed(f"{name} cannot be loaded ({why}); is it on PYTHONPATH?") from error


def asked(address: str, question: str, texts: Sequence[str], seconds: float) -> list[float]:
    """Post `query` and `documents` to an address, and return the scores in its `results`.

    Each result has an `index` and a `relevance_score`; results may be in any order. Raises
    RerankerFailed if a result is missing or the whole answer takes too long.
    """
    import urllib.request  # here, as it brings ssl and thirty more modules
    from http.client import HTTPException
    from urllib.error import HTTPError

    body = {"query": question, "documents": list(texts), "top_n": len(texts)}
    request = urllib.request.Request(
        address, json.dumps(body).encode(), {"Content-Type": "application/json"}
    )

    def post() -> bytes:
        with urllib.request.urlopen(request, timeout=seconds) as answer:
            return cast(bytes, answer.read(MOST_REPLY_BYTES))

    try:
        results = json.loads(within(seconds, post))["results"]
        scores = {int(one["index"]): float(one["relevance_score"]) for one in results}
        return [scores[i] for i in range(len(texts))]
    except (OSError, HTTPException, RecursionError, *WRONG) as error:
        if isinstance(error, HTTPError):
            error.close()
        why = " ".join(f"{type(error).__name__}: {error}".split())
        raise RerankerFailed(f"{address} did not re-rank {len(texts)} texts ({why})") from error


def within(seconds: float, work: Callable[[], bytes]) -> bytes:
    """Return the result of `work` or raise its error. Raises TimeoutError if it takes too long.

    A socket's own timeout starts again with every byte. If the answer is late, the thread ends when
    it arrives, and it does not keep the process alive.
    """
    done: SimpleQueue[bytes | Exception] = SimpleQueue()

    def run() -> None:
        """Pass on the result or the error of `work`."""
        try:
            done.put(work())
        except Exception as error:  # raised by the waiting thread
            done.put(error)

    Thread(target=run, name="argsearch-rerank", daemon=True).start()
    try:
        answer = done.get(timeout=seconds)
    except Empty:
        raise TimeoutError(f"no complete response in {seconds:g} s") from None
    if isinstance(answer, Exception):
        raise answer
    return answer


def transformed(transformer: Any, question: str, texts: Sequence[str]) -> list[float]:
    """Return a PyTerrier transformer's scores of texts. Raises RerankerFailed if one is missing."""
    import pandas as pd

    rows = {"qid": "1", "query": question, "docno": [str(i) for i in range(len(texts))]}
    frame = pd.DataFrame(rows | {"text": list(texts), "score": 0.0, "rank": range(len(texts))})
    found = transformer.transform(frame)
    scores = dict(zip(found["docno"].tolist(), found["score"].tolist(), strict=True))
    if set(scores) != set(frame["docno"]):
        raise RerankerFailed(f"{transformer!r} did not return all of the {len(texts)} texts")
    return [float(scores[str(i)]) for i in range(len(texts))]
