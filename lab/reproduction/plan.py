"""The section [reproduction] of an experiment file: which published tables, from which data."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from argsearch.indexer.errors import InvalidParameter
from argsearch.lab.runs import RunFormatError

if TYPE_CHECKING:
    from argsearch.lab.evaluation.tables import Grid

_VARIABLE = re.compile(r"\$\{(\w+)\}")


def is_reproduction(path: str | Path) -> bool:
    """Whether a TOML file holds a section [reproduction]; False where it cannot be read."""
    try:
        return "reproduction" in tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError):
        return False


def reproduce(path: str | Path) -> list[Grid]:
    """Make the tables that a TOML file's section [reproduction] asks for.

    `of` names what is made: `g19` (the tables of G19 from Webis-ArgQuality-20). `data` is a path,
    relative to the file; `${NAME}` stands for an environment variable. Raises InvalidParameter
    for an unknown key or value, RunFormatError for a missing or malformed file.
    """
    try:
        content = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise RunFormatError(path, None, f"cannot be read ({error.strerror})") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RunFormatError(path, None, f"not TOML ({error})") from error
    _known(content, ("reproduction",))
    settings = content.get("reproduction", {})
    made = settings.get("of")
    if made not in _MADE:
        raise InvalidParameter("reproduction.of", made, ", ".join(_MADE))
    return _MADE[made](settings, Path(path).resolve().parent)


def _g19(settings: Mapping[str, Any], folder: Path) -> list[Grid]:
    from argsearch.lab.judgements.webis import load
    from argsearch.lab.reproduction.g19 import Sampling, tables

    _known(settings, ("of", "data", "samples", "sampling"), "reproduction.")
    study = settings.get("sampling", {})
    _known(study, tuple(field.name for field in fields(Sampling)), "reproduction.sampling.")
    samples = settings.get("samples", 10_000)
    if not isinstance(samples, int) or samples < 1:
        raise InvalidParameter("reproduction.samples", samples, "bootstrap samples, from 1")
    return tables(load(folder / _filled(settings.get("data", ""))), samples, Sampling(**study))


def _filled(value: str) -> str:
    def variable(match: re.Match[str]) -> str:
        """The value of the variable named; raises InvalidParameter where it is not set."""
        if (found := os.environ.get(match[1])) is None:
            raise InvalidParameter("path", value, f"set the environment variable {match[1]}")
        return found

    return _VARIABLE.sub(variable, value)


def _known(settings: Mapping[str, Any], allowed: tuple[str, ...], prefix: str = "") -> None:
    for key in settings:
        if key not in allowed:
            raise InvalidParameter(
                "key", prefix + key, ", ".join(prefix + name for name in allowed)
            )


_MADE: dict[str, Callable[[Mapping[str, Any], Path], list[Grid]]] = {"g19": _g19}
