"""Texts and names of any number: refused in one line, in steps that grow with them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi.exceptions import RequestValidationError
from starlette.datastructures import QueryParams

from argsearch.api.http.search import parameters
from argsearch.engine import parameters as p
from argsearch.engine.parameters import Parameter
from argsearch.indexer.corpus.csv_rows import MOST_COLUMNS, records
from argsearch.indexer.corpus.report import ReadReport, StreamFault
from argsearch.indexer.errors import InvalidParameter

LIMITED = [
    one
    for one in vars(p).values()
    if isinstance(one, Parameter) and one.kind is str and not one.choices
]
UNLIMITED = {"id", "address", "config", "only"}
"""They are looked up or opened, never read by a pattern."""


def test_every_text_has_a_longest() -> None:
    assert {one.name for one in LIMITED if one.high is None} == UNLIMITED


@pytest.mark.parametrize("one", [one for one in LIMITED if one.high], ids=lambda one: one.name)
def test_a_longer_text_is_refused_in_one_line(one: Parameter) -> None:
    with pytest.raises(InvalidParameter) as caught:
        one.read(
            ["a" * (int(one.high or 0) + 1)] if one.several else "a" * (int(one.high or 0) + 1)
        )
    assert "characters" in str(caught.value)
    assert len(str(caught.value)) < 600


class Counted(QueryParams):
    """Parameters that count how many pairs are looked at."""

    seen = 0

    def multi_items(self) -> list[tuple[str, str]]:
        self.seen += len(self._list)
        return super().multi_items()

    def getlist(self, key: str) -> list[str]:
        self.seen += len(self._list)
        return super().getlist(key)


@pytest.mark.parametrize("names", [4_000, 17_384])
def test_each_pair_of_an_address_is_looked_at_once(names: int) -> None:
    given = Counted([(f"a{i}", "") for i in range(names)])
    with pytest.raises(RequestValidationError) as caught:
        parameters(given)
    assert given.seen <= 2 * names
    assert "the parameters" in str(caught.value.errors()[0]["ctx"]["error"])


@pytest.mark.parametrize("columns", [MOST_COLUMNS, MOST_COLUMNS + 1, 20_000])
def test_a_csv_has_a_bounded_number_of_columns(columns: int) -> None:
    header = "id,premise," + ",".join(f"c{i}" for i in range(columns - 2))
    row = "1,A reason." + "," * (columns - 2)

    def read() -> Iterator[object]:
        """Read the rows of a table with one."""
        yield from records([f"{header}\n{row}\n".encode()], ReadReport(), {})

    if columns <= MOST_COLUMNS:
        assert len(list(read())) == 1
        return
    with pytest.raises(StreamFault, match=f"has {columns:,} columns; the limit is 1,000"):
        list(read())
