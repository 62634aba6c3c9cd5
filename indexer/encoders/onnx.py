"""Transformer encoders in ONNX form, such as all-MiniLM-L6-v2: no torch, and few cores needed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import orjson
from numpy.typing import NDArray

from argsearch.indexer.encoders.base import (
    FEWEST_TOKENS,
    HUB_NAME,
    LONGEST_TEXT,
    Encoder,
    EncoderUnavailable,
    loading,
    located,
    require,
)
from argsearch.indexer.errors import InvalidParameter, either
from argsearch.indexer.platform import cores

REQUIRED_FILES = ("modules.json", "1_Pooling/config.json", "tokenizer.json")
"""Files that an encoder's folder must have besides the model itself."""
OPTIONAL = (
    "sentence_bert_config.json",
    "tokenizer_config.json",
    "config_sentence_transformers.json",
)
"""Settings: at least one of the first two files gives a token limit; the last may give a prompt."""
INPUTS = {"input_ids", "attention_mask", "token_type_ids"}
"""Inputs that a model may have."""
MODEL = "onnx/model.onnx"
"""Path of the float32 model in a sentence-transformers folder."""
REMEDY = "give a sentence-transformers model's folder with " + MODEL
VNNI = "avx512vnni", "avxvnni"
"""Names of the processor features that multiply 8-bit integers exactly."""
LETTERS = 8
"""Characters to tokenise initially per word piece to read; most word pieces are shorter."""

Floats = NDArray[np.float32]
POOLINGS: dict[str, Callable[[Floats], Floats]] = {
    "mean": lambda tokens: np.asarray(tokens.mean(0), np.float32),
    "cls": lambda tokens: tokens[0],
    "max": lambda tokens: np.asarray(tokens.max(0), np.float32),
}
"""Functions that pool the vectors of a text's tokens, float32[tokens, d], into float32[d]."""


class OnnxEncoder(Encoder):
    """A sentence-transformers model in ONNX form, given by its folder, a file in it, or its name.

    The model reads each text alone in one thread, and as many texts in parallel as there are cores.
    A row has the same bytes whatever other texts are in the call, even for a quantised model.
    """

    scheme = "onnx"
    exact = True
    models = "FOLDER-OR-NAME"
    default: ClassVar[str | None] = None

    def __init__(self, model: str) -> None:
        super().__init__(model)
        self._limited: dict[int, Any] = {}
        self._open(model)

    def _open(self, model: str) -> None:
        """Load the tokenizer and the session for `rows`; raise the same errors as `__init__`."""
        place = Path(self.find(model))
        with loading(self.name, REMEDY):
            file, folder = model_file(place)
            _check_settings(folder)
            mode, dimensions = _pooling(folder)
            self._pool = POOLINGS[mode]
            self._tokenizer = _tokenizer(folder)
            self._longest = _longest(folder)
            self._session, self._output, self._typed = onnx_session(file)
            self.dimensions = self._checked(dimensions)

    @classmethod
    def find(cls, model: str) -> str:
        """Return a model's location; raise MissingExtra or EncoderUnavailable."""
        require("onnxruntime", "ONNX Runtime", "onnx")
        place = Path(model).expanduser()
        if place.suffix == ".onnx" and place.is_file():
            return str(place)
        found = located(f"onnx:{model}", model, named_elsewhere=bool(HUB_NAME.fullmatch(model)))
        return found if Path(found).is_dir() else fetched(model)

    def rows(self, texts: list[str], tokens: int | None = None) -> Floats:
        """Return the model's rows, float32[n, d]; the model reads each text alone."""

        def row(text: str) -> Floats:
            """Return the row of one text."""
            return self._vector(self.given(text, tokens))

        threads = min(len(texts), cores())
        if threads == 1:
            return np.array([row(text) for text in texts])
        with ThreadPoolExecutor(threads) as pool:
            return np.array(list(pool.map(row, texts)))

    def given(self, text: str, tokens: int | None = None) -> dict[str, NDArray[np.int64]]:
        """Return the model's inputs for a text by name, as arrays of shape [1, pieces]."""
        tokens = min(self._longest, tokens or self._longest)
        tokenizer = self._limited.get(tokens)
        if tokenizer is None:
            tokenizer = self._limited[tokens] = _limited(self._tokenizer, tokens)
        # Cut at a space, so that no word is split.
        end = text.rfind(" ", 0, LETTERS * tokens) if len(text) > LETTERS * tokens else -1
        pieces = tokenizer.encode(text[:end]) if end > 0 else None
        # The beginning has too few pieces to reach the limit, so the whole text is needed.
        if pieces is None or not pieces.overflowing:
            pieces = tokenizer.encode(text)
        return self._arrays(pieces.ids)

    def _arrays(self, ids: list[int]) -> dict[str, NDArray[np.int64]]:
        of_text = np.array([ids], np.int64)
        given = {"input_ids": of_text, "attention_mask": np.ones_like(of_text)}
        return given | ({"token_type_ids": np.zeros_like(of_text)} if self._typed else {})

    def _vector(self, given: dict[str, NDArray[np.int64]]) -> Floats:
        return self._pool(self._session.run([self._output], given)[0][0])

    def _checked(self, dimensions: Any) -> int:
        """Return the length of a row; raise ValueError if the folder's files do not match.

        Running the model on the tokenizer's last piece fails if the model's vocabulary is smaller.
        """
        pieces = self._tokenizer.get_vocab_size()
        try:
            found = len(self._vector(self._arrays([pieces - 1])))
        except Exception as error:
            fault = f"the model does not run with the {pieces} pieces of tokenizer.json"
            raise ValueError(f"{fault} ({error})") from error
        if found != dimensions:
            named = f"1_Pooling/config.json says {dimensions}"
            raise ValueError(f"the model's vectors have {found} dimensions, but {named}")
        return found


def model_file(place: Path) -> tuple[Path, Path]:
    """Return a model's file and its settings folder, given either one; raise ValueError.

    In a folder, take `onnx/model.onnx`, or else the only `.onnx` file in `onnx/`.
    """
    if place.is_file():
        return place, place.parent.parent if place.parent.name == "onnx" else place.parent
    found = sorted((place / MODEL).parent.glob("*.onnx"))
    if place / MODEL in found:
        return place / MODEL, place
    if len(found) == 1:
        return found[0], place
    if found:
        names = ", ".join(f"onnx/{one.name}" for one in found)
        raise ValueError(f"its folder has no {MODEL}, only {names}; name one of these files")
    raise ValueError(
        f"its folder has no {MODEL}; get one with: argsearch encoder fetch NAME, or export the "
        "model with sentence-transformers (docs/encoders.md)"
    )


def _read(folder: Path, name: str, kind: type) -> Any:
    """Return a JSON file's content, of type `kind`; empty if an optional file is missing."""
    file = folder / name
    if not file.is_file():
        if name in OPTIONAL:
            return kind()
        raise ValueError(f"its folder has no {name}")
    try:
        found = orjson.loads(file.read_bytes())
    except orjson.JSONDecodeError as error:
        raise ValueError(f"{name} is damaged ({error})") from error
    if not isinstance(found, kind):
        raise ValueError(f"{name} does not have settings")
    return found


def _pooling(folder: Path) -> tuple[str, Any]:
    """Return how token vectors are pooled, and their length; raise ValueError if unsupported.

    The file may have the current key, `pooling_mode`, or a Boolean for each mode.
    """
    modules = [dict(one) for one in _read(folder, "modules.json", list)]
    kinds = [str(one.get("type")).rpartition(".")[2] for one in modules]
    if kinds[:2] != ["Transformer", "Pooling"] or kinds[2:] not in ([], ["Normalize"]):
        raise ValueError(f"its modules must be Transformer, Pooling, Normalize, not {kinds}")
    said = _read(folder, "1_Pooling/config.json", dict)
    modes = said.get("pooling_mode") or [
        name.removeprefix("pooling_mode_").removesuffix("_token").removesuffix("_tokens")
        for name, used in said.items()
        if name.startswith("pooling_mode_") and used
    ]
    mode = modes if isinstance(modes, str) else ", ".join(map(str, modes))
    if mode not in POOLINGS:
        raise ValueError(f"its pooling must be {either(POOLINGS)}, not {mode or 'unknown'}")
    return mode, said.get("embedding_dimension") or said.get("word_embedding_dimension")


def _check_settings(folder: Path) -> None:
    """Raise ValueError for settings that change a text before it is read; these are unsupported."""
    for name, key in ((OPTIONAL[0], "do_lower_case"), (OPTIONAL[2], "default_prompt_name")):
        if said := _read(folder, name, dict).get(key):
            raise ValueError(f"{name} has {key}: {said}, which is not supported; use sbert:FOLDER")


def _longest(folder: Path) -> int:
    """Return the model's own token limit; raise ValueError if no file of the folder has one."""
    said = (
        _read(folder, "sentence_bert_config.json", dict).get("max_seq_length"),
        _read(folder, "tokenizer_config.json", dict).get("model_max_length"),
    )
    limits = [one for one in said if isinstance(one, int) and one <= LONGEST_TEXT]
    if not limits or min(limits) < FEWEST_TOKENS:
        raise ValueError(f"neither {OPTIONAL[0]} nor {OPTIONAL[1]} states a token limit")
    return min(limits)


def _tokenizer(folder: Path) -> Any:
    from tokenizers import Tokenizer

    file = folder / "tokenizer.json"
    if not file.is_file():
        raise ValueError("its folder has no tokenizer.json")
    tokenizer = Tokenizer.from_buffer(file.read_bytes())
    tokenizer.no_padding()
    return tokenizer


def _limited(tokenizer: Any, tokens: int) -> Any:
    """Return a copy of the tokenizer with a limit, because a limit applies to all its calls."""
    made = type(tokenizer).from_str(tokenizer.to_str())
    made.enable_truncation(tokens)
    return made


def onnx_session(model: Path | bytes) -> tuple[Any, str, bool]:
    """Return a single-threaded model, the name of its output, and whether it takes token types."""
    import onnxruntime
    from llvmlite.binding import get_host_cpu_features

    options = onnxruntime.SessionOptions()
    # Several threads would add numbers in another order, which changes the bytes of a row.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    if not any(get_host_cpu_features().get(name) for name in VNNI):
        # On these processors, large sums of 8-bit products saturate without this option.
        options.add_session_config_entry("session.x64quantprecision", "1")
    session = onnxruntime.InferenceSession(model, options, ["CPUExecutionProvider"])
    inputs = {one.name for one in session.get_inputs()}
    outputs = [one.name for one in session.get_outputs() if len(one.shape) == 3]
    if not {"input_ids", "attention_mask"} <= inputs <= INPUTS or not outputs:
        raise ValueError(
            f"the model is not a sentence encoder: it takes {', '.join(sorted(inputs))} and "
            f"gives {', '.join(one.name for one in session.get_outputs())}"
        )
    return session, outputs[0], "token_type_ids" in inputs


def hub_name(name: str) -> str:
    """Return a model's name with its owner; the default owner is sentence-transformers."""
    return name if "/" in name else f"sentence-transformers/{name}"


def fetched(name: str) -> str:
    """Return the folder of a model that `fetch` downloaded to the hub's cache."""
    from huggingface_hub import try_to_load_from_cache

    found = try_to_load_from_cache(hub_name(name), REQUIRED_FILES[0])
    if not isinstance(found, str):
        raise EncoderUnavailable(
            f"encoder onnx:{name} is neither a local folder nor a fetched model; "
            f"fetch it with: argsearch encoder fetch {name}"
        )
    return str(Path(found).parent)


HUB_FOLDER = ".cache/huggingface/download"
"""Folder that the hub's client creates in every download folder."""


def fetch(name: str, out: Path | None, model: str = MODEL, quiet: bool = True) -> Path:
    """Download the files of a model for `onnx:` from the hub, and return their folder.

    out: the target folder; None: the hub's cache, where `onnx:NAME` finds the model. Existing files
    are kept, and partial downloads resume. Raises InvalidParameter for an invalid name, and
    EncoderUnavailable if the model cannot be downloaded.
    """
    require("onnxruntime", "ONNX Runtime", "onnx")
    if not HUB_NAME.fullmatch(name):
        raise InvalidParameter("NAME", name, "a model's name on the hub, such as owner/model")
    if out is not None and out.exists() and not (out / HUB_FOLDER).is_dir():
        is_empty = out.is_dir() and not any(out.iterdir())
        if not is_empty:
            allowed = "a new or empty folder, or one to which a model was downloaded"
            raise InvalidParameter("--out", str(out), allowed)
    from huggingface_hub import snapshot_download
    from huggingface_hub.utils.tqdm import disable_progress_bars

    if quiet or not sys.stderr.isatty():
        disable_progress_bars()
    with loading(f"onnx:{name}", "check the name and the network, then run the command again"):
        wanted = [*REQUIRED_FILES, *OPTIONAL, model]
        folder = Path(snapshot_download(hub_name(name), allow_patterns=wanted, local_dir=out))
        lacking = [one for one in (*REQUIRED_FILES, model) if not (folder / one).is_file()]
        if lacking:
            raise ValueError(f"the hub's model has no {', '.join(lacking)}")
    return folder
