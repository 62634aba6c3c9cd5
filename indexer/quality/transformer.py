"""A transformer with a linear scoring head in torch (F22, extra `ltr`), and its settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.encoders.base import require
from argsearch.indexer.errors import ArgsearchError, InvalidParameter
from argsearch.indexer.format.settings import setting
from argsearch.indexer.model_places import model_path

INNER = "0_Transformer"
"""Subfolder that holds the transformer in older sentence-transformers folders."""


@dataclass(frozen=True, slots=True)
class Model:
    """Section [model]."""

    encoder: str = setting(
        "surface+wordllama",
        "how texts are scored: surface, wordllama, surface+wordllama (needs only numpy), or "
        "transformer:FOLDER, fine-tuned (extra ltr)",
    )
    topic: bool = setting(
        False, "read the topic before the argument, as published; an index cannot use such a model"
    )
    hidden: int = setting(
        0,
        "units of the scoring head's hidden layer; 0: linear (transformer: always)",
        low=0,
        high=4096,
    )
    pooling: str = setting(
        "cls", "transformer: the first token's vector, or the mean of all", choices=("cls", "mean")
    )
    tokens: int = setting(256, "transformer: longest text in tokens", low=8, high=8192)
    dropout: float = setting(0.1, "transformer: dropout", low=0.0, high=0.9)
    precision: str = setting(
        "float32",
        "transformer: data type of the computation, in training and later; bfloat16 is faster if "
        "the processor or GPU supports it",
        choices=("float32", "bfloat16"),
    )


def needed() -> None:
    """Raise MissingExtra if torch or transformers is not installed."""
    require("torch", "torch", "ltr")
    require("transformers", "transformers", "ltr")


def folder_of(model: str) -> Path:
    """Return the folder of a transformer; a relative path is tried in ARGSEARCH_MODELS first.

    Raises ArgsearchError if the folder has no transformer.
    """
    folder = model_path(model)
    folder = folder / INNER if (folder / INNER).is_dir() else folder
    if not (folder / "config.json").is_file():
        raise ArgsearchError(
            f"model.encoder names {model!r}, which has no config.json; give the folder (in "
            "ARGSEARCH_MODELS, or a path) of a transformers or sentence-transformers model"
        )
    return folder


class Scorer:
    """[CLS] topic [SEP] argument [SEP] -> transformer -> vector -> w·x + b   (F22)."""

    def __init__(self, folder: Path, settings: Model, trained: bool) -> None:
        """Load pretrained weights; if `trained`, only make the model that `load` will fill."""
        needed()
        import torch
        from transformers import AutoConfig, AutoModel, AutoTokenizer
        from transformers.utils import logging

        quiet: Any = logging
        quiet.disable_progress_bar()
        quiet.set_verbosity_error()
        models: Any = AutoModel
        config: Any = AutoConfig.from_pretrained(folder, local_files_only=True)
        for name in ("hidden_dropout_prob", "attention_probs_dropout_prob"):
            if hasattr(config, name):
                setattr(config, name, settings.dropout)
        self.settings = settings
        self.config = config
        self.tokenizer: Any = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        fast = settings.precision == "bfloat16"
        if fast and self.device == "cuda" and not torch.cuda.is_bf16_supported():
            raise InvalidParameter("model.precision", "bfloat16", "float32 on this GPU")
        if trained:
            body = models.from_config(config)
        else:
            body = models.from_pretrained(folder, config=config, local_files_only=True)
        head = torch.nn.Linear(config.hidden_size, 1)
        torch.nn.init.normal_(head.weight, std=0.02)
        torch.nn.init.zeros_(head.bias)
        drop = torch.nn.Dropout(settings.dropout)
        self.net = torch.nn.ModuleDict({"body": body, "drop": drop, "head": head})
        self.net.to(self.device)

    def __call__(self, texts: Sequence[str], topics: Sequence[str] | None) -> Any:
        """Return the texts' scores as a tensor [n]; a text's topic, if given, is read before it."""
        import torch

        args = (list(texts),) if topics is None else (list(topics), list(texts))
        cut = "only_second" if topics is not None else True
        batch = self.tokenizer(
            *args,
            truncation=cut,
            max_length=self.settings.tokens,
            padding=True,
            return_tensors="pt",
        ).to(self.device)
        fast = self.settings.precision == "bfloat16"
        with torch.autocast(self.device, torch.bfloat16, enabled=fast):
            last = self.net["body"](**batch).last_hidden_state.float()
        if self.settings.pooling == "mean":
            mask = batch["attention_mask"].unsqueeze(-1).to(last.dtype)
            vectors = (last * mask).sum(dim=1) / mask.sum(dim=1)
        else:
            vectors = last[:, 0]
        return self.net["head"](self.net["drop"](vectors)).squeeze(-1)

    def weights(self) -> dict[str, NDArray[Any]]:
        """Return all weights as arrays, by name."""
        state = self.net.state_dict()
        return {name: tensor.detach().cpu().numpy().copy() for name, tensor in state.items()}

    def load(self, weights: dict[str, NDArray[Any]]) -> None:
        """Set the weights; raise ValueError if their names or shapes do not match."""
        import torch

        state = {name: torch.from_numpy(array.copy()) for name, array in weights.items()}
        try:
            self.net.load_state_dict(state)
        except RuntimeError as error:
            raise ValueError(" ".join(str(error).split())[:200]) from error

    def score(
        self, texts: Sequence[str], topics: Sequence[str] | None = None
    ) -> NDArray[np.float64]:
        """Return scores, float64[n]; texts are scored one by one, so that padding has no effect."""
        import torch

        self.net.eval()
        out = np.empty(len(texts))
        with torch.no_grad():
            for i, text in enumerate(texts):
                topic = None if topics is None else [topics[i]]
                out[i] = float(self([text], topic)[0])
        return out
