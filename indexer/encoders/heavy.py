"""The heavy libraries behind neural encoders: one to a process, an extra each."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from argsearch.indexer.encoders.protocol import EncoderUnavailable
from argsearch.indexer.errors import MissingExtra

RIVALS = {"tensorflow": "sentence_transformers", "sentence_transformers": "tensorflow"}
"""Both register the same options with LLVM, and the second to be loaded aborts the process."""


def require(library: str, part: str, extra: str) -> None:
    """Make sure that `library` can be imported here; to be called before it is.

    Raises MissingExtra when it is not installed, and EncoderUnavailable when its rival is already
    loaded in this process.
    """
    if sys.modules.get(library) is None and find_spec(library) is None:
        raise MissingExtra(part, extra)
    rival = RIVALS.get(library)
    if rival is not None and sys.modules.get(rival) is not None:
        raise EncoderUnavailable(
            f"{library} cannot be loaded beside {rival}, which this process has already loaded "
            f"(the two abort each other); use the encoders `use` and `sbert` in separate processes"
        )


def located(encoder: str, model: str, named_elsewhere: bool) -> str:
    """Where a model is: its folder with `~` written out, or its name on a hub as given.

    named_elsewhere: whether `model` may be such a name. Raises EncoderUnavailable when it may not
    and there is no such folder.
    """
    folder = Path(model).expanduser()
    if folder.is_dir():
        return str(folder)
    if named_elsewhere:
        return model
    raise EncoderUnavailable(
        f"encoder {encoder} names a folder that does not exist: {model!r}; "
        "give the folder of a model, or its name on the hub"
    )


@contextmanager
def loading(encoder: str, remedy: str) -> Iterator[None]:
    """Turn whatever a library raises while it opens a model into one line.

    Libraries raise OSError, ValueError, their own classes and, for damaged files, nearly anything.
    """
    try:
        yield
    except EncoderUnavailable:
        raise
    except Exception as error:
        reason = " ".join(str(error).split())[:300].rstrip(".") or type(error).__name__
        raise EncoderUnavailable(
            f"encoder {encoder} cannot be loaded: {reason}; {remedy}"
        ) from error
