"""Section [model] of a plan of learning to rank: what scores a text (F22)."""

from __future__ import annotations

from dataclasses import dataclass

from argsearch.indexer.format.settings import setting


@dataclass(frozen=True, slots=True)
class Model:
    """Section [model]."""

    encoder: str = setting(
        "surface+wordllama",
        "what a text is scored by: surface, wordllama, surface+wordllama (numpy alone), or "
        "transformer:FOLDER, fine-tuned (extra ltr)",
    )
    topic: bool = setting(
        False, "the topic is read before the argument, as published; an index cannot use such a one"
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
        "transformer: what it computes in, in training and after it; bfloat16 is faster where the "
        "processor or GPU has it",
        choices=("float32", "bfloat16"),
    )
