"""Training by learning to rank: what is learned, and what an interrupted training leaves."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from argsearch.indexer.errors import ArgsearchError, InvalidParameter
from argsearch.indexer.quality import load_quality_model
from argsearch.lab.training.listwise.loop import Passed
from argsearch.lab.training.listwise.settings import SECTIONS, Training, TrainingPlan, read_plan
from argsearch.lab.training.listwise.training import train_ltr
from argsearch.lab.training.shape import TrainedModel
from argsearch.ranking.ltr.losses import LOSSES

SHIPPED = Path(__file__).parents[4] / "configs" / "ltr"
MakePlan = Callable[..., TrainingPlan]
ALL_LOSSES = ('["mse"]', "[" + ", ".join(f'"{name}"' for name in LOSSES) + "]")


def contents(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*.*")}


@pytest.fixture(scope="module")
def all_losses(
    planted: Path, config: str, tmp_path_factory: pytest.TempPathFactory
) -> TrainedModel:
    path = planted.parent / "all.toml"
    path.write_text(config.replace(*ALL_LOSSES).replace("epochs = 6", "epochs = 15"))
    out = tmp_path_factory.mktemp("all") / "model"
    return train_ltr(read_plan(path), out)


@pytest.mark.thorough
def test_every_loss_learns_a_planted_ranking(all_losses: TrainedModel) -> None:
    found = {row.model: row.figures for row in all_losses.rows}
    assert list(found) == [*(f"{name}-0" for name in LOSSES), "ensemble", "number of words"]
    for name in (*(f"{name}-0" for name in LOSSES), "ensemble"):
        _, spearman, tau, *ndcg = found[name]
        assert spearman > 0.85, (name, found[name])
        assert tau > 0.7
        assert min(ndcg) > 0.7
    assert found["number of words"][:3] == (0.0, 0.0, 0.0)  # all texts have 40
    assert all_losses.tables[0].count("\n") == len(found) + 1


def test_odd_texts_have_a_quality_between_0_and_1(all_losses: TrainedModel) -> None:
    model = load_quality_model(str(all_losses.path))
    texts = ["", " \n", "word", "because " * 5000, "Здравствуйте, товарищи.", "論拠が必要です。",
             "\ud83d", "\x00", "!" * 9000, "a" * 100_000]  # fmt: skip
    found = model.predict(texts)
    assert found.dtype == np.float32
    assert np.isfinite(found).all()
    assert ((found >= 0) & (found <= 1)).all()
    assert found[:2].tolist() == [0.0, 0.0]
    assert [float(model.predict([text])[0]) for text in texts] == found.tolist()


@pytest.mark.thorough
def test_the_same_training_gives_the_same_bytes(plan_of: MakePlan, tmp_path: Path) -> None:
    for name in ("a", "b"):
        train_ltr(plan_of(), tmp_path / name)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")
    other = plan_of(("epochs = 6", "epochs = 5"))
    train_ltr(other, tmp_path / "c")
    assert contents(tmp_path / "a") != contents(tmp_path / "c")


def test_an_interrupted_training_leaves_nothing(plan_of: MakePlan, tmp_path: Path) -> None:
    def cut(what: str, done: int, most: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_ltr(plan_of(), tmp_path / "m", cut)
    assert not list(tmp_path.iterdir())


def test_training_stops_when_it_brings_nothing() -> None:
    settings = Training(epochs=100, patience=3)
    assert not Passed(epoch=5, best_epoch=3).over(settings)
    assert Passed(epoch=6, best_epoch=3).over(settings)
    assert Passed(epoch=100, best_epoch=100).over(settings)


@pytest.mark.thorough
def test_a_step_too_long_is_said(plan_of: MakePlan, tmp_path: Path) -> None:
    plan = plan_of(
        ("rate = 0.003", "rate = 10\ndecay = 1e6\npatience = 99"), ("epochs = 6", "epochs = 99")
    )
    said = "the loss became .*; lower training.rate"
    with pytest.raises(ArgsearchError, match=said), np.errstate(all="ignore"):
        train_ltr(plan, tmp_path / "m")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"surface"', '"brain"', "model.encoder must .*not 'brain'"),
        ('"planted.csv"', '"no.csv"', r"data.source must .*not 'no\.csv'"),
        ('["mse"]', '["mae"]', r"training.losses must .*not \['mae'\]"),
        ("valid_topics = 2", "valid_topics = 6", r"data\.valid_topics, data\.test_topics must be"),
        ('source = "', 'labels = "elo"\nsource = "', "data.labels must .*not 'elo'"),
        ('source = "', 'split = "published"\nsource = "', r"planted\.csv has no test part"),
        ("[data]", "[date]\n[data]", r"config section \[date\]"),
        ('"surface"', '"transformer:nowhere"', "'nowhere', which has no config.json|not installed"),
    ],
)
def test_what_is_refused(
    plan_of: MakePlan, tmp_path: Path, old: str, new: str, message: str
) -> None:
    with pytest.raises(ArgsearchError, match=message) as caught:
        train_ltr(plan_of((old, new)), tmp_path / "m")
    assert "\n" not in str(caught.value)


def test_places_that_are_taken(plan_of: MakePlan, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    for out in (tmp_path / "mine", tmp_path / "no" / "folder"):
        with pytest.raises(InvalidParameter, match="--out"):
            train_ltr(plan_of(), out)


def test_a_loss_has_its_own_rate_and_epochs(plan_of: MakePlan, tmp_path: Path) -> None:
    losses = ('["mse"]', '["mse", "hinge", "listmle"]')
    both = ("rate = 0.003\n", 'rate = 0.003\nensemble = ["mse", "listmle"]\n')
    own = ("epochs = 6\n", "epochs = 6\n[loss.mse]\nrate = 1e-5\nepochs = 2\n")
    plan = plan_of(losses, both, own)
    assert (plan.of("mse").rate, plan.of("mse").epochs) == (1e-5, 2)
    assert plan.of("hinge") == plan.training
    result = train_ltr(plan, tmp_path / "m")
    card = json.loads((tmp_path / "m" / "model.json").read_text())
    assert card["loss"] == {"mse": {"epochs": 2, "rate": 1e-5}}
    members = {one["name"]: one["epochs"] for one in card["members"]}
    assert members.keys() == {"mse-0", "listmle-0"}
    assert members["mse-0"] == 2 < members["listmle-0"]
    names = [row.model for row in result.rows]
    assert names == ["mse-0", "hinge-0", "listmle-0", "ensemble", "number of words"]
    two = plan_of((losses[0], '["mse", "listmle"]'), own)
    assert train_ltr(two, tmp_path / "two").rows[-2] == result.rows[-2]


def test_scores_as_they_stand_are_learned(plan_of: MakePlan, tmp_path: Path) -> None:
    plan = plan_of(
        ('"unit"', '"score"'), ("rate = 0.003", "rate = 0.01"), ("epochs = 6", "epochs = 60")
    )
    train_ltr(plan, tmp_path / "m")
    card = json.loads((tmp_path / "m" / "model.json").read_text())
    history = card["members"][0]["validation"]
    assert min(history) < 0.02 < history[0]  # the planted scores are in [0, 1]; ranks go to 30


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("[loss.hinge]\nrate = 1.0\n", r"section must be loss\.mse, not 'loss\.hinge'"),
        ("[loss.mse]\nbatch = 2\n", r"section loss.mse must .*not \{'batch': 2\}"),
        ("[loss.mse]\nrate = 0.0\n", r"loss\.mse\.rate must be a number from 1e-09 to 10\.0, not"),
        ("[losses]\nrate = 1.0\n", r"section \[losses\]"),
        ('ensemble = ["hinge"]\n', r"training\.ensemble must be mse, not 'hinge'"),
    ],
)
def test_wrong_sections_of_a_loss(plan_of: MakePlan, more: str, message: str) -> None:
    with pytest.raises(InvalidParameter, match=message):
        plan_of(("epochs = 6\n", f"epochs = 6\n{more}"))


def test_every_key_is_on_the_page() -> None:
    page = (Path(__file__).parents[4] / "docs" / "ltr.md").read_text(encoding="utf-8")
    for name, section in SECTIONS.items():
        for field in fields(section):
            assert f"`{name}.{field.name}`" in page
    for loss in LOSSES:
        assert f"| `{loss}` |" in page


@pytest.mark.parametrize("path", sorted(SHIPPED.glob("*.toml")), ids=lambda path: path.stem)
def test_a_shipped_configuration_is_one(path: Path) -> None:
    plan = read_plan(path)
    assert plan.data.source
    assert plan.training.target == "dense"  # F22's labels
    assert path.read_text(encoding="utf-8").startswith("# ")
