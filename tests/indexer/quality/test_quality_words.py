"""The kind `words`: what it learns, its file, and that a text's quality depends on nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.model_files import QUALITY, ModelError
from argsearch.indexer.quality import load_quality_model
from argsearch.indexer.quality.kinds import GatedQuality
from argsearch.lab.judgements.webis import read_judgements
from argsearch.lab.training.quality.trainers import WordsTrainer, read_more
from argsearch.lab.training.quality.training import TrainingRequest, train_quality

ODD = ["", " \n", "ok", "because " * 5000, "Здравствуйте, товарищи.", "論拠", "\ud83d", "\x00"]


@pytest.fixture
def more(tmp_path: Path) -> Path:
    """Ranked arguments of three issues: the word `evidence` makes them better."""
    folder = tmp_path / "ukpconvarg1"
    for part in ("Ranking", "Strict"):
        (folder / f"UKPConvArg1{part}-CSV").mkdir(parents=True)
    for issue in ("tea", "milk", "war"):
        lines = [f"a{i}\t{i / 9}\t{issue}{' evidence' * (9 - i)} dude" for i in range(10)]
        ranking = folder / "UKPConvArg1Ranking-CSV" / f"{issue}_x.csv"
        ranking.write_text("\n".join(["#id\trank\targument", *lines]) + "\n")
        strict = folder / "UKPConvArg1Strict-CSV" / f"{issue}_x.csv"
        texts = [line.split("\t")[2] for line in lines]
        pairs = [f"{i}\ta1\t{texts[i]}\t{texts[i + 1]}" for i in range(9)]
        strict.write_text("\n".join(["#id\tlabel\ta1\ta2", *pairs]) + "\n")
    return folder


@pytest.fixture
def trained(write_judgements: Callable[..., Path], more: Path, tmp_path: Path) -> GatedQuality:
    out = tmp_path / "words.safetensors"
    result = train_quality(TrainingRequest(write_judgements(), out, "words", folds=3, more=(more,)))
    assert "| words | one topic at a time |" in result.tables[0]
    model = load_quality_model(str(out))
    assert isinstance(model, GatedQuality)
    return model


@pytest.mark.thorough
def test_it_learns_and_its_file_says_from_what(
    trained: GatedQuality, write_judgements: Callable[..., Path]
) -> None:
    judged = read_judgements(write_judgements())
    assert np.corrcoef(trained.predict(judged.texts), judged.quality)[0, 1] > 0.9
    row = next(
        row
        for row in trained.header["provenance"]["figures"]
        if (row["model"], row["scheme"]) == ("words", "one topic at a time")
    )
    assert row["regression"]["pearson"] > 0.9
    assert trained.header["more judgements"][0].startswith("ukpconvarg1 ")
    assert "--more ukpconvarg1" in trained.header["provenance"]["command"]


@pytest.mark.thorough
def test_the_file_scores_as_the_training_did(
    trained: GatedQuality, write_judgements: Callable[..., Path], more: Path
) -> None:
    judged = read_judgements(write_judgements())
    fitted = WordsTrainer(judged, read_more([more]), str).fit(slice(None))
    _, quality = fitted.score(slice(None))
    raw = trained.terms.weigh(judged.texts, trained.model.words)[:, 1]
    from argsearch.ranking.quality.linear import score
    from argsearch.ranking.quality.surface import features

    raw += score(features(judged.texts), trained.model.standard, (trained.model.regressor,))[:, 0]
    assert raw == pytest.approx(quality, abs=1e-4)  # weights in single precision


@pytest.mark.thorough
def test_other_judgements_move_what_terms_weigh(
    write_judgements: Callable[..., Path], more: Path
) -> None:
    judged = read_judgements(write_judgements())
    alone = WordsTrainer(judged, [], str).fit(slice(None)).arrays
    both = WordsTrainer(judged, read_more([more]), str).fit(slice(None)).arrays
    assert len(both["keys"]) > len(alone["keys"])


@pytest.mark.thorough
def test_what_is_refused(trained: GatedQuality, tmp_path: Path) -> None:
    file = QUALITY.read(Path(trained.name))
    header = {k: v for k, v in file.header.items() if k not in ("format", "version")}
    QUALITY.write(tmp_path / "a.safetensors", header | {"features": ["wit"]}, file.arrays)
    with pytest.raises(ModelError, match="trained on features that differ from those of this"):
        load_quality_model(str(tmp_path / "a.safetensors"))
    arrays = file.arrays
    for name, changed in (
        ("words", arrays["words"][:, 1:]),
        ("keys", arrays["keys"].astype(np.int64)),
        ("keys", arrays["keys"][1:]),
        ("idf", arrays["idf"][1:]),
        ("idf", arrays["idf"] * np.nan),
        ("standard", arrays["standard"] * 0),
        ("weights", arrays["weights"][:, 1:]),
        ("scalars", arrays["scalars"][1:]),
    ):
        QUALITY.write(tmp_path / "b.safetensors", header, arrays | {name: changed})
        with pytest.raises(ModelError, match="is damaged .an array is missing or not valid"):
            load_quality_model(str(tmp_path / "b.safetensors"))
    with pytest.raises(InvalidParameter, match="a path with ukpconvarg1, toledo2019, eviconv"):
        read_more([tmp_path / "mine"])
    with pytest.raises(InvalidParameter, match="--more"):
        TrainingRequest(tmp_path, tmp_path / "c.safetensors", "features", more=(tmp_path,)).check()
