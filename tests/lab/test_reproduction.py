"""The tables of G19 come out as documented; a bad file is one clear line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from argsearch.indexer.errors import ArgsearchError, InvalidParameter
from argsearch.lab.evaluation.tables import WRITERS, Grid
from argsearch.lab.experiment.plan import read_toml
from argsearch.lab.judgements.webis import WebisArgQuality, load
from argsearch.lab.reproduction import Sampling, reproduce, sampling_table
from argsearch.lab.runs import RunFormatError

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def webis(data_dir: Path) -> WebisArgQuality:
    return load(data_dir / "webis-argquality20")


def made(path: Path) -> list[Grid]:
    return reproduce(path, read_toml(path))


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


G19 = "[reproduction]\nof = 'g19'\n"
NO_TABLE = "must be a table of keys and values, not"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[reproduction]\nof = 'h99'", r"reproduction\.of must be g19, not 'h99'"),
        ("[reproduction]", r"reproduction\.of must be g19, not None"),
        (f"{G19}more = 1", r"config key reproduction\.more"),
        (f"{G19}data = '${{NO_SUCH_THING}}/x'", "environment variable NO_SUCH_THING"),
        (f"{G19}data = 'nowhere'", r"webis-argquality20-arguments\.csv: there is no such file"),
        (f"{G19}sampling.items = 12", "reproduction.sampling.items must .*not 12"),
        (f"{G19}[experiment]", r"also \[experiment\]"),
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
    with pytest.raises(InvalidParameter, match="sampling.items must .*not 82"):
        sampling_table(webis, Sampling(topics=1, items=82))


def test_grids_in_every_format() -> None:
    grid = Grid("numbers_1", ("name", "value"), [("a|b", "1")])
    texts = {form: write(grid) for form, write in WRITERS.items()}
    assert texts["csv"] == "name,value\na|b,1\n"
    assert texts["table"] == "numbers_1\nname  value\n----  -----\na|b       1\n"
    assert r"| a\|b | 1 |" in texts["markdown"]
    assert r"\caption{numbers\_1}" in texts["latex"]
