"""Configurations: the shipped ones, overrides, and every kind of mistake."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from argsearch.engine.config import CONFIG_SECTIONS, Boost, ConfigError, load_config, names
from argsearch.engine.stages import STAGES
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format.settings import NEW_KEYS

PUBLISHED = {  # H21: (ω_C, ω_Q, relevance)
    "dirichlet": (0.0, 0.0, "dirichlet"),
    "heimdall-2021": (10.0, 5.0, "dirichlet"),
    "heimdall-2021-run2": (10.0, 10.0, "dirichlet"),
    "heimdall-2021-run3": (5.0, 10.0, "dirichlet"),
    "heimdall-2021-run4": (0.1, 5.0, "constant"),
    "heimdall-2021-run5": (0.01, 5.0, "constant"),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_published_runs_are_shipped(name: str) -> None:
    config = load_config(name)
    found = (config.boost.cluster, config.boost.quality, config.retrieval.model)
    assert found == PUBLISHED[name]
    assert config.name == name
    assert config.retrieval.mu == 2000.0


def test_the_default_is_what_the_results_page_chose() -> None:
    """docs/results.md reports ω_C = 1, ω_Q = 10, ω_P = 1 over DirichletLM, μ = 2000."""
    config = load_config("default")
    assert (config.retrieval.model, config.retrieval.mu) == ("dirichlet", 2000.0)
    boost = config.boost
    assert (boost.cluster, boost.quality, boost.premises) == (1.0, 10.0, 1.0)
    assert (boost.cosine, config.rerank.names) == ("clipped", ())


def test_every_shipped_configuration_loads() -> None:
    assert {"default", *PUBLISHED} <= set(names())
    for name in names():
        assert load_config(name).name == name


def test_overrides_win_over_the_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("[boost]\ncluster = 3\nquality = 0.25\n")
    config = load_config(path, ["boost.quality=2", "boost.cosine=shifted"])
    assert config.name == "mine"
    assert config.boost == Boost(cluster=3.0, quality=2.0, cosine="shifted")


def test_columns_carry_weights() -> None:
    config = load_config("default", ["boost.columns.recency=2", "boost.columns.depth=0.5"])
    assert config.boost.columns == (("depth", 0.5), ("recency", 2.0))
    again = load_config(config, ["boost.columns.recency=0"])
    assert again.boost.columns == (("depth", 0.5), ("recency", 0.0))
    assert config.to_dict()["boost"]["columns"] == {"depth": 0.5, "recency": 2.0}


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("boost.columns.recency=-1", "boost.columns must be a table of numbers"),
        ("boost.columns.recency=much", "must be a table of numbers from 0.0 to 1000.0"),
        ("boost.columns=[1]", "must be a table of numbers"),
        ("boost.quallity=1", "boost.quallity"),
        ("boost.quality=high", "a number from -1000.0 to 1000.0, not 'high'"),
        ("boost.quality=1e6", "boost.quality must be a number from -1000.0"),
        ("boost.quality=nan", "not nan"),
        ("boost.cosine=round", "boost.cosine must be clipped or shifted, not 'round'"),
        ("retrieval.mu=0", "retrieval.mu must be a number"),
        ("retrieval.mu=true", "not True"),
        ("index.clusters=2.5", "index.clusters must be a whole number"),
        ("index.weight_by_count=1", "index.weight_by_count must be true or false, not 1"),
        ("index.encoder=''", "index.encoder must be a non-empty text, not ''"),
        ("bost.quality=1", "there is no config section [bost]"),
        ("quality=1", "section.key=value"),
        ("boost.quality", "section.key=value"),
    ],
)
def test_a_bad_override_names_the_key_and_what_is_allowed(override: str, said: str) -> None:
    with pytest.raises(InvalidParameter, match="must be|there is no") as caught:
        load_config("default", [override])
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_unknown_name_lists_the_shipped_ones() -> None:
    with pytest.raises(InvalidParameter, match="heimdall-2021"):
        load_config("heimdal")


def test_a_missing_file_and_bad_toml(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no configuration file"):
        load_config(tmp_path / "none.toml")
    bad = tmp_path / "bad.toml"
    digits, deep, dots = "9" * 5000, "[" * 5000, "a." * 5000 + "a"
    for text in ("[boost\n", f"[boost]\nquality = {digits}", f"[boost]\nquality = {deep}"):
        bad.write_text(text)
        with pytest.raises(ConfigError, match="not valid TOML") as caught:
            load_config(bad)
        assert len(str(caught.value)) < 200
    for text in (f"[boost]\n{dots} = 1", f"{dots} = 1", f"[boost.{dots}]"):
        bad.write_text(text)
        with pytest.raises((InvalidParameter, ConfigError), match="at most 32 parts|nested"):
            load_config(bad)  # Python 3.14 itself refuses such a key


@pytest.mark.parametrize(
    ("old", "new"),
    [(f"{section}.{old}", new) for section, keys in NEW_KEYS.items() for old, new in keys.items()],
)
def test_a_key_of_before_is_refused_with_its_new_name(old: str, new: str) -> None:
    with pytest.raises(InvalidParameter, match=f"{old}; its new name is {new}"):
        load_config("default", [f"{old}=1"])
    assert new in config_keys(old.rpartition(".")[0])


def config_keys(section: str) -> set[str]:
    """The keys of a section, those of a stage too."""
    known = (
        CONFIG_SECTIONS[section]
        if section in CONFIG_SECTIONS
        else STAGES[section.removeprefix("rerank.")]
    )
    return {field.name for field in fields(known)}
