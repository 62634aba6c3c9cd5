"""Training the cross-encoder of sides, by torch, and writing it for onnxruntime (`train sides`)."""

from __future__ import annotations

import logging
import tempfile
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.stance.claims import read_question
from argsearch.engine.stance.cross_encoder import (
    INPUTS,
    agreement_of,
    cut_words,
    pair_tokenizer,
)
from argsearch.engine.stance.model import StanceModel
from argsearch.indexer.corpus.argument import Stance
from argsearch.indexer.encoders import load_encoder
from argsearch.indexer.encoders.base import require
from argsearch.indexer.errors import ArgsearchError, InvalidParameter
from argsearch.indexer.model_files import SIDES_FOLDER, check_model_folder
from argsearch.indexer.quality.transformer import folder_of, needed
from argsearch.lab.training.shape import markdown, silent, software
from argsearch.lab.training.sides.material import NEAREST, Material, SidePair, material
from argsearch.lab.training.stance.training import CORPUS, PAIRS, LabelledPair, read_pairs
from argsearch.ranking.stance import cut

Floats = NDArray[np.float64]
Progress = Callable[[str, int, int], None]
"""Is told what is done, how many steps of it are, and how many there are."""

BATCH = 32
CHUNK = 16
"""Batches whose pairs are sorted by length together."""
RATE, HEAD_RATE = 1.5e-4, 1e-3
WARMING = 0.1
"""Share of the steps over which the rate rises; over the others it falls to 0."""
SMOOTHING = 0.05
"""Of the labels."""
CLIP = 1.0
"""Largest norm of a gradient."""
FROZEN = ("embeddings.", "encoder.layer.0.")
"""Weights of the encoder that stay as they are."""
CLASSES = {1: 0, -1: 1, 0: 2}
"""The network's outputs by the side: for, against, neither."""
NETWORK = "network.onnx"
SHARES = (1.0, 0.8, 0.6)
"""Of the surest, whose share of right ones is told."""


@dataclass(frozen=True)
class SidesRequest:
    """What to train, and where to."""

    data: Path
    encoder: Path
    out: Path
    steps: int = 450
    seed: int = 0
    pairs: tuple[Path, ...] = ()
    """Further labelled pairs that the mixture is fitted on."""
    int8: bool = False
    """Whether the network's weights are written in a byte each: twice as fast."""

    def check(self) -> None:
        """Raise InvalidParameter for a place that cannot be written to; MissingExtra."""
        if self.int8:
            require("onnxruntime", "onnxruntime", "onnx-export")
            require("onnx", "the package onnx", "onnx-export")
        check_model_folder(self.out)


class PairLearner:
    """A transformer over question and text together: mean ⊕ first vector → three classes."""

    def __init__(self, folder: Path, steps: int, seed: int) -> None:
        """From a pretrained encoder's folder; raises MissingExtra, ArgsearchError."""
        needed()
        import torch
        from transformers import AutoModel
        from transformers.utils import logging

        quiet: Any = logging
        quiet.disable_progress_bar()
        quiet.set_verbosity_error()
        torch.manual_seed(seed)
        place, models = folder_of(str(folder)), AutoModel
        if not (place / "tokenizer.json").is_file():
            raise InvalidParameter("--encoder", str(folder), "a folder with a tokenizer.json")
        body: Any = models.from_pretrained(  # eager: its graph is what other runtimes know
            place, local_files_only=True, attn_implementation="eager", add_pooling_layer=False
        )
        self.tokenizer = pair_tokenizer(place / "tokenizer.json")
        self.net = _network(body)
        frozen = [w for name, w in body.named_parameters() if name.startswith(FROZEN)]
        for weights in frozen:
            weights.requires_grad_(False)
        learnt = [weights for weights in body.parameters() if weights.requires_grad]
        head = list(self.net.head.parameters())
        groups = [{"params": learnt, "lr": RATE}, {"params": head, "lr": HEAD_RATE}]
        self.adam = torch.optim.AdamW(groups)
        warm = max(1, round(WARMING * steps))
        self.rate = torch.optim.lr_scheduler.LambdaLR(
            self.adam, lambda step: min((step + 1) / warm, (steps - step) / max(1, steps - warm))
        )

    def batch(self, pairs: Sequence[SidePair]) -> tuple[Any, ...]:
        """The network's INPUTS for some pairs, as long as the longest."""
        import torch

        found = self.tokenizer.encode_batch([(one.question, one.text) for one in pairs])
        longest = max(len(one.ids) for one in found)
        rows = np.zeros((len(INPUTS), len(found), longest), np.int64)
        for i, one in enumerate(found):
            rows[:, i, : len(one.ids)] = one.ids, one.attention_mask, one.type_ids
        return tuple(torch.from_numpy(array) for array in rows)

    def learn(self, pairs: Sequence[SidePair]) -> float:
        """One step against the mean loss of these pairs, which it returns."""
        import torch

        self.net.train()
        self.adam.zero_grad()
        wanted = torch.tensor([CLASSES[one.side] for one in pairs])
        logits = self.net(*self.batch(pairs))
        loss = torch.nn.functional.cross_entropy(logits, wanted, label_smoothing=SMOOTHING)
        loss.backward()  # type: ignore[no-untyped-call, unused-ignore]
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), CLIP)
        self.adam.step()
        self.rate.step()
        return float(loss.detach())

    def logits(self, pairs: Sequence[SidePair]) -> NDArray[np.float32]:
        """The network's outputs, float32[n, 3], pairs of like length together."""
        import torch

        self.net.eval()
        order = sorted(range(len(pairs)), key=lambda i: _length(pairs[i]))
        out = np.zeros((len(pairs), len(CLASSES)), np.float32)
        with torch.no_grad():
            for first in range(0, len(order), 64):
                at = order[first : first + 64]
                out[at] = self.net(*self.batch([pairs[i] for i in at])).numpy()
        return out

    def write(self, folder: Path) -> None:
        """Write the network for onnxruntime, and its tokenizer."""
        import torch

        self.net.eval()
        example = self.batch([SidePair("Should zoos be closed?", "Zoos are good", -1)])
        axes = {name: {0: "pairs", 1: "tokens"} for name in INPUTS}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the exporter, about itself
            torch.onnx.export(
                self.net,
                example,
                str(folder / NETWORK),
                input_names=list(INPUTS),
                output_names=["logits"],
                dynamic_axes={**axes, "logits": {0: "pairs"}},
                opset_version=17,
                dynamo=False,
            )
        self.tokenizer.save(str(folder / "tokenizer.json"))


def _network(body: Any) -> Any:
    import torch

    class Network(torch.nn.Module):  # type: ignore[misc, unused-ignore]
        """body -> mean of the last vectors ⊕ the first one -> W·x + b."""

        def __init__(self) -> None:
            super().__init__()
            self.body = body
            self.head = torch.nn.Linear(2 * body.config.hidden_size, len(CLASSES))

        def forward(self, ids: Any, mask: Any, types: Any) -> Any:
            """Logits [n, 3] of INPUTS [n, t]."""
            last = body(input_ids=ids, attention_mask=mask, token_type_ids=types).last_hidden_state
            read = mask.unsqueeze(-1).to(last.dtype)
            mean = (last * read).sum(dim=1) / read.sum(dim=1)
            return self.head(torch.cat((mean, last[:, 0]), dim=1))

    return Network()


def train(
    learner: PairLearner, pairs: Sequence[SidePair], steps: int, seed: int, tell: Progress
) -> None:
    """So many steps over the pairs, shuffled anew for each pass; raises ArgsearchError.

    Pairs of like length are learnt together, CHUNK batches sorted at a time: less is padded.
    """
    random, order, batches = np.random.default_rng(seed), list[int](), list[list[SidePair]]()
    for step in range(steps):
        if not batches:
            while len(order) < CHUNK * BATCH:
                order += random.permutation(len(pairs)).tolist()
            chunk = sorted((pairs[i] for i in order[: CHUNK * BATCH]), key=_length)
            del order[: CHUNK * BATCH]
            batches = [chunk[first : first + BATCH] for first in range(0, len(chunk), BATCH)]
            random.shuffle(batches)
        loss = learner.learn(batches.pop())
        if not np.isfinite(loss):
            raise ArgsearchError(f"the loss of the training is {loss}; train fewer --steps")
        tell("steps", step + 1, steps)


def _length(pair: SidePair) -> int:
    return len(pair.question) + len(pair.text)


def nearest(subjects: Sequence[str]) -> list[list[int]]:
    """For each subject the places of those most like it, by words' vectors."""
    rows = load_encoder("wordllama").encode(list(subjects))
    return [np.argsort(-(rows @ row), kind="stable")[1 : NEAREST + 1].tolist() for row in rows]


@dataclass(frozen=True, slots=True)
class SidesRow:
    """How often something is right, of all and of the surest."""

    what: str
    count: int
    right: tuple[float, ...]
    """Of the SHARES that are surest."""

    @classmethod
    def of(cls, what: str, odds: Floats, sides: NDArray[np.int64]) -> SidesRow:
        """odds: of "for", float64[n]; sides: +1 or −1, int64[n]."""
        order = np.argsort(-np.abs(odds), kind="stable")
        good = (np.sign(odds) == sides)[order]
        return cls(what, len(odds), tuple(float(_first(good, share).mean()) for share in SHARES))


def _first(good: NDArray[np.bool_], share: float) -> NDArray[np.bool_]:
    return good[: max(1, round(share * len(good)))]


@dataclass(frozen=True)
class SidesResult:
    """The written folder, and how well it reads what it was not trained on."""

    path: Path
    sha256: str
    """Of its card."""
    examples: int
    rows: tuple[SidesRow, ...]

    def table(self) -> str:
        """The figures as a Markdown table."""
        header = ("left out", "pairs", *(f"surest {share:.0%}" for share in SHARES))
        shown = ((r.what, f"{r.count:,}", *(f"{x:.3f}" for x in r.right)) for r in self.rows)
        return markdown(header, shown)


def train_sides(request: SidesRequest, tell: Progress = silent) -> SidesResult:
    """Train, test on topics and subjects left out, fit the mixture, and write the model's folder.

    The folder appears when it is whole. Raises InvalidParameter, MaterialMissing, MissingExtra,
    ArgsearchError.
    """
    request.check()
    learner = PairLearner(request.encoder, request.steps, request.seed)
    corpus = request.data / CORPUS
    labelled = [one for path in (PAIRS, *request.pairs) for one in read_pairs(path, corpus)]
    tell("reading the material", 0, request.steps)
    found = material(request.data, request.seed, nearest)
    train(learner, found.train, request.steps, request.seed, tell)
    return finish(request, learner, found, labelled)


def finish(
    request: SidesRequest,
    learner: PairLearner,
    found: Material,
    labelled: Sequence[LabelledPair],
) -> SidesResult:
    """Test a trained network, fit the mixture, and write the model's folder."""
    rows = [
        SidesRow.of(what, odds(learner, pairs), np.array([one.side for one in pairs]))
        for what, pairs in found.tests.items()
    ]
    X, sides, questions = evidence(learner, labelled)
    rows.append(SidesRow.of("labelled pairs, by words", X[:, 0], sides))
    rows.append(SidesRow.of("labelled pairs, by the network", X[:, 1], sides))
    rows.append(SidesRow.of("labelled pairs, by both", left_out(X, sides, questions), sides))
    words, read = mixture(X, sides)
    with tempfile.TemporaryDirectory(dir=request.out.resolve().parent) as folder:
        aside = Path(folder, "model")
        aside.mkdir()
        learner.write(aside)
        if request.int8:
            quantise(aside / NETWORK)
        card = {
            "network": NETWORK,
            "mixed": {"words": words, "read": read},
            "int8": request.int8,
            "steps": request.steps,
            "seed": request.seed,
            "material": "IBM-ArgQ-Rank-30k, ArguAna, args.me, phrasings (ranking/lexicons/sides)",
            "examples": len(found.train),
            "labelled pairs": len(sides),
            "figures": [asdict(row) for row in rows],
            "software": software("torch", "transformers"),
        }
        sha256 = SIDES_FOLDER.finish_folder(aside, request.out, card)
    return SidesResult(request.out, sha256, len(found.train), tuple(rows))


def quantise(network: Path) -> None:
    """Write a network with int8 weights in its products, each column on a scale of its own.

    What they are multiplied by gets its scale from the pair alone, which is run alone.
    """
    from onnxruntime.quantization import QuantType, quantize_dynamic

    logging.disable(logging.WARNING)  # of what to do before it, which changes no product here
    try:
        quantize_dynamic(
            network,
            network,
            op_types_to_quantize=["MatMul"],
            per_channel=True,
            weight_type=QuantType.QInt8,
        )
    finally:
        logging.disable(logging.NOTSET)


def odds(learner: PairLearner, pairs: Sequence[SidePair]) -> Floats:
    """The logit of agreement, cut, of each pair: float64[n]."""
    p = agreement_of(learner.logits(pairs))
    return np.array([cut(value) for value in np.log(p / (1.0 - p))])


def evidence(
    learner: PairLearner, labelled: Sequence[LabelledPair]
) -> tuple[Floats, NDArray[np.int64], list[str]]:
    """What the words and what the network say of pairs on a side: float64[n, 2].

    And their sides, +1 or −1, and questions. Of pairs whose argument has a conclusion and a stance.
    """
    model, kept, words = StanceModel.load(), list[LabelledPair](), list[float]()
    for pair in labelled:
        (one,) = model.evidence(pair.question, [pair.argument])
        if one.concluded and pair.label != "neither":
            kept.append(pair)
            words.append(sum(model.given(one).values()))
    asked = [
        SidePair(
            cut_words(read_question(one.question).text), cut_words(one.argument.conclusion or ""), 0
        )
        for one in kept
    ]
    stances = np.array([1 if one.argument.stance is Stance.PRO else -1 for one in kept])
    X = np.column_stack((words, stances * odds(learner, asked)))
    sides = np.array([1 if one.label == "for" else -1 for one in kept], np.int64)
    return X, sides, [one.question for one in kept]


def mixture(X: Floats, sides: NDArray[np.int64]) -> tuple[float, float]:
    """The weights of words and network: logistic regression without a constant."""
    from sklearn.linear_model import LogisticRegression

    both = np.concatenate((X, -X)), np.concatenate((sides, -sides))
    weights = LogisticRegression(fit_intercept=False).fit(*both).coef_[0]
    return float(weights[0]), float(weights[1])


def left_out(X: Floats, sides: NDArray[np.int64], questions: Sequence[str]) -> Floats:
    """The mixed logit of each pair, by weights of the pairs of other questions."""
    found, of = np.zeros(len(X)), np.array(questions)
    for question in sorted(set(questions)):
        own = of == question
        found[own] = X[own] @ mixture(X[~own], sides[~own])
    return found
