"""Reads single files of installed packages without importing the whole package.

Some packages contain one small useful module and large modules that are not needed. Importing all
of them would take seconds.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from argsearch.indexer.errors import ArgsearchError


class PackageBroken(ArgsearchError):
    """An installed package is missing or lacks a file that it should have."""

    @classmethod
    def lacks(cls, package: str, file: str, error: Exception) -> PackageBroken:
        """Return the error for a file that is missing or cannot be read."""
        return cls(
            f"the package {package} has no usable {file} ({error}); "
            f"install it again with: pip install --force-reinstall {package}"
        )


def package_folder(package: str) -> Path:
    """Return a package's folder without importing the package; raise PackageBroken."""
    found = find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise PackageBroken(
            f"the package {package} is not installed; install it with: pip install {package}"
        )
    return Path(found.submodule_search_locations[0])


@cache
def lone_module(package: str, file: str) -> ModuleType:
    """Load one self-contained module of a package from its file. Raises PackageBroken."""
    path = package_folder(package) / file
    name = f"{package}_alone_{path.stem}"
    spec = spec_from_file_location(name, path)
    try:
        if spec is None or spec.loader is None:
            raise ImportError(f"{file} is not a Python module")
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
    except (OSError, ImportError, SyntaxError) as error:
        raise PackageBroken.lacks(package, file, error) from error
    return module
