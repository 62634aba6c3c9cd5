"""The tables of G19 come out as documented; a bad file is one clear line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from argsearch.indexer.errors import ArgsearchError, InvalidParameter
from argsearch.lab.evaluation.tables import WRITERS, Grid
from argsearch.lab.experiment.plan import read_toml
from argsearch.lab.judgements.webis import WebisArgQuality, load
from argsearch.lab.reproduction import (
    MEASURE_READINGS,
    Sampling,
    relevance_table,
    reproduce,
    sampling_table,
    words_table,
    z_ndcg_table,
)
from argsearch.lab.runs import RunFormatError

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def webis(data_dir: Path) -> WebisArgQuality:
    return load(data_dir / "webis-argquality20")


def made(path: Path) -> list[Grid]:
    return reproduce(path, read_toml(path))


def rows_of(grid: Grid) -> dict[str, tuple[str, ...]]:
    return {row[0]: row[1:] for row in grid.rows}


@pytest.mark.data
def test_z_ndcg_of_the_closest_reading(webis: WebisArgQuality) -> None:
    name, reading = next(iter(MEASURE_READINGS.items()))
    rows = rows_of(z_ndcg_table(webis, reading, name, 200))
    means = {system: [cell.split(" ")[0] for cell in cells] for system, cells in rows.items()}
    assert [means["DirichletLM"][i] for i in (0, 1, 2, 4)] == [".25", ".27", ".25", ".31"]
    assert [means["DPH"][i] for i in (0, 1, 2, 4)] == [".17", ".16", ".15", ".20"]
    assert [means["BM25F"][i] for i in (0, 1, 2, 4)] == ["−.26", "−.23", "−.26", "−.30"]


@pytest.mark.data
def test_relevance_from_the_raw_votes(webis: WebisArgQuality) -> None:
    rows = rows_of(relevance_table(webis, 200))
    assert [rows[system][1].split(" ")[0] for system in rows] == [".18", ".13", "−.17"]


@pytest.mark.data
def test_mean_words_reproduce(webis: WebisArgQuality) -> None:
    for measured, published in rows_of(words_table(webis)).values():
        assert measured == published


@pytest.mark.data
def test_sampling_study_is_near_the_published(webis: WebisArgQuality) -> None:
    study = Sampling(topics=3, repeats=1)
    grid = sampling_table(webis, study)
    assert grid == sampling_table(webis, study)
    cells = np.array([[cell.split(" ")[:2] for cell in row[1:]] for row in grid.rows])
    measured = cells[:, :, 0].astype(float)
    published = np.char.strip(cells[:, :, 1], "(),").astype(float)
    assert np.abs(measured - published).max() < 0.12
    assert (np.diff(measured, axis=0) < 0.02).all()
    assert (np.diff(measured, axis=1) < 0).all()


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.thorough
def test_the_whole_file(data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARGSEARCH_DATA", str(data_dir))
    text = (ROOT / "configs" / "experiments" / "g19.toml").read_text(encoding="utf-8")
    path = tmp_path / "g19.toml"
    path.write_text(text.replace("topics = 10", "topics = 1"), encoding="utf-8")
    grids = made(path)
    scores = next(grid for grid in grids if grid.caption.startswith("Pearson's r of scores"))
    assert [row[4] for row in scores.rows] == ["1.00000000"] * 3
    assert [row[1][:5] for row in scores.rows] == ["0.985", "0.999", "0.990"]


G19 = "[reproduction]\nof = 'g19'\n"
NO_TABLE = "is .*; allowed: a table of keys"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[reproduction]\nof = 'h99'", "reproduction.of is 'h99'; allowed: g19"),
        ("[reproduction]", "reproduction.of is None"),
        (f"{G19}more = 1", "config key reproduction.more is 1; allowed: the keys of, data"),
        (f"{G19}data = '${{NO_SUCH_THING}}/x'", "environment variable NO_SUCH_THING"),
        (f"{G19}data = 'nowhere'", r"webis-argquality20-arguments.csv: no such file"),
        (f"{G19}sampling.items = 12", "reproduction.sampling.items is 12; allowed: a whole"),
        (f"{G19}[experiment]", "experiment section is 'experiment'; allowed: reproduction"),
        ("reproduction = 3", f"^reproduction {NO_TABLE}"),
        ("[[reproduction]]\nof = 'g19'", f"^reproduction {NO_TABLE}"),
        (f"{G19}sampling = 3", f"^reproduction.sampling {NO_TABLE}"),
        ("of =", "not valid TOML"),
    ],
)
def test_a_bad_file_is_one_clear_line(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "experiment.toml"
    path.write_text(text)
    with pytest.raises(ArgsearchError, match=words):
        made(path)


def test_without_data_the_folder_is_the_files_own(tmp_path: Path) -> None:
    path = tmp_path / "experiment.toml"
    path.write_text("[reproduction]\nof = 'g19'")
    with pytest.raises(RunFormatError, match=rf"^{tmp_path}/full/webis.*no such file"):
        made(path)


@pytest.mark.data
def test_what_the_sampling_study_can_draw(webis: WebisArgQuality) -> None:
    odd = Sampling(topics=25, items=16, repeats=1, strength=-1.0, tau=-0.1, seed=2**40)
    assert len(sampling_table(webis, odd).rows) == 5
    with pytest.raises(InvalidParameter, match="sampling.items is 82; allowed: up to 81"):
        sampling_table(webis, Sampling(topics=1, items=82))


def test_grids_in_every_format() -> None:
    grid = Grid("numbers_1", ("name", "value"), [("a|b", "1")])
    texts = {form: write(grid) for form, write in WRITERS.items()}
    assert texts["csv"] == "name,value\na|b,1\n"
    assert texts["table"] == "numbers_1\nname  value\n----  -----\na|b       1\n"
    assert r"| a\|b | 1 |" in texts["markdown"]
    assert r"\caption{numbers\_1}" in texts["latex"]
