"""Single files of installed packages, whole and broken."""

from __future__ import annotations

import sys

import pytest

from argsearch.indexer.analysis.tagging import LexiconTagger
from argsearch.indexer.packages import PackageBroken, lone_module, package_folder


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package whose own import fails."""
    folder = tmp_path / "hefty_package"
    folder.mkdir()
    (folder / "__init__.py").write_text("raise RuntimeError('imported')\n")
    monkeypatch.syspath_prepend(tmp_path)
    lone_module.cache_clear()
    yield folder
    lone_module.cache_clear()


def test_a_module_is_had_without_its_package(package):
    (package / "small.py").write_text("NUMBERS = [1, 2]\n")
    assert package_folder("hefty_package") == package
    assert lone_module("hefty_package", "small.py").NUMBERS == [1, 2]
    assert lone_module("hefty_package", "small.py") is lone_module("hefty_package", "small.py")
    assert "hefty_package" not in sys.modules


@pytest.mark.parametrize("source", [None, "from hefty_package import absent_part.x\n", "1 +\n"])
def test_a_file_that_is_absent_or_damaged_is_named(package, source):
    if source:
        (package / "small.py").write_text(source)
    with pytest.raises(PackageBroken, match=r"hefty_package has no usable small.py .* again with:"):
        lone_module("hefty_package", "small.py")


def test_a_package_that_is_absent_is_named():
    with pytest.raises(PackageBroken, match="no_such_thing is not installed; install it with: pip"):
        package_folder("no_such_thing")


def test_a_lexicon_that_is_absent_is_named(package, monkeypatch):
    monkeypatch.setattr("argsearch.indexer.analysis.tagging.package_folder", lambda _: package)
    with pytest.raises(PackageBroken, match=r"textblob has no usable en-lexicon.txt"):
        LexiconTagger()
