"""Requests that the OpenAPI description allows, and others, for as many minutes as there are.

`python -m tests.fuzz.http MINUTES [SEED]` serves the sample and an awkward corpus with every part
and asks each operation in turn: what the description allows (half of the time with questions and
ids that the index has), and what it does not. Every answer has to keep the description's word.
"""

from __future__ import annotations

import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from random import Random

import hypothesis
import requests
import schemathesis
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from argsearch.indexer.building.build import BuildRequest, build
from argsearch.indexer.format.settings import IndexSettings
from tests.api.awkward import ARGUMENTS, serving, write_corpus
from tests.fuzz.targets import SAMPLE

OF_COLUMNS = ("where", "sort", "facet", "only")
"""The parameters that name columns, or hits: what is allowed is what the open index has."""
EXAMPLES = 100
"""Requests of one kind to an operation before it is the next one's turn."""
PARTS = ("vectors", "near_duplicates", "counter", "pairs", "premises")
IDS = tuple(one["id"] for one in ARGUMENTS[:6])
QUESTIONS = ("should zoos be abolished", "school uniforms", "teachers tenure", "zoos", "death 😀")


@contextmanager
def served() -> Iterator[str]:
    """The address of a server whose index has every part."""
    with tempfile.TemporaryDirectory(prefix="argsearch-fuzz-") as name:
        folder = Path(name)
        sources = [str(SAMPLE / "arguments.json"), str(write_corpus(folder))]
        build(BuildRequest(sources, folder / "index", IndexSettings(parts=PARTS)))
        with serving(folder / "index") as address:
            yield address


def known(case: schemathesis.Case, random: Random) -> schemathesis.Case:
    """The case, half of the time with an id or a question that finds something."""
    for parameters, name, values in (
        (case.path_parameters, "id", IDS),
        (case.query, "q", QUESTIONS),
        (case.query, "query", QUESTIONS),
    ):
        if isinstance(parameters, dict) and name in parameters and random.random() < 0.5:
            parameters[name] = random.choice(values)
    return case


def excluded(case: schemathesis.Case) -> list[Callable[..., bool | None]]:
    """The checks that do not hold of a request.

    What is allowed of columns, and which texts have words to be countered, follows from the index;
    k and questions bound each other;
    args.me's other parameters have no effect, and an empty list as a value is not sent at all.
    """
    query = case.query or {}
    found: list[Callable[..., bool | None]] = []
    of_the_index = {*OF_COLUMNS} & {*query} or case.path == "/api/counters"
    if case.method == "POST" or of_the_index:
        found.append(positive_data_acceptance)
    if case.path.startswith("/api/v2/") or [] in query.values():
        found.append(negative_data_rejection)
    return found


class Asking:
    """What was asked, and how it was answered."""

    def __init__(self) -> None:
        self.statuses: Counter[tuple[str, int]] = Counter()
        self.failed: list[str] = []

    def ask(self, operation: schemathesis.BaseSchema, mode: GenerationMode, seed: int) -> None:
        """EXAMPLES requests to an operation, to the first answer that breaks its word."""

        @hypothesis.seed(seed)
        @hypothesis.settings(
            max_examples=EXAMPLES,
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        )
        @given(
            case=operation.as_strategy(generation_mode=mode),
            random=st.randoms(use_true_random=True),
        )
        def check(case: schemathesis.Case, random: Random) -> None:
            if mode is GenerationMode.POSITIVE:
                case = known(case, random)
            response = case.call(session=self.session)
            self.statuses[f"{case.method} {case.path}", response.status_code] += 1
            case.validate_response(response, excluded_checks=excluded(case))

        with requests.Session() as self.session:
            try:
                check()
            except Unsatisfiable:
                pass  # nothing that is not allowed can be asked: it takes no parameters
            except (Exception, BaseExceptionGroup) as error:
                self.failed.append("".join(traceback.format_exception(error, limit=-1)))
                print(
                    f"--- {operation.label}, {mode.value}, seed {seed}\n{self.failed[-1]}",
                    flush=True,
                )


def main(minutes: float, seed: int = 0) -> int:
    """1 where an answer broke its word."""
    warnings.simplefilter("ignore")
    asking = Asking()
    with served() as address:
        described = schemathesis.openapi.from_url(f"{address}/openapi.json")
        operations = [result.ok() for result in described.get_all_operations()]
        until = time.monotonic() + 60 * minutes
        for turn in count(seed):
            for operation in operations:
                for mode in GenerationMode.POSITIVE, GenerationMode.NEGATIVE:
                    if time.monotonic() < until:
                        asking.ask(operation, mode, turn)
            if time.monotonic() >= until:
                break
    for (path, status), times in sorted(asking.statuses.items()):
        print(f"{path}: {status} {times:,} times")
    print(f"{asking.statuses.total():,} requests, {len(asking.failed)} broken words")
    return 1 if asking.failed else 0


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), *map(int, sys.argv[2:])))
