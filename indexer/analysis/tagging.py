"""Universal part-of-speech tags of texts, as integer codes (W22's structural distance).

The default tagger needs no download. It ignores the context: it gives each word its most frequent
tag in textblob's English lexicon, and tags unknown words by their form. A spaCy model that the user
provides (W22 used en_core_web_md) considers the context, and takes a hundred times as long.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.errors import ArgsearchError, InvalidParameter, MissingExtra
from argsearch.indexer.packages import PackageBroken, lone_module, package_folder

UNIVERSAL = (
    *("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON"),
    *("PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X"),
)
"""The Universal Dependencies tags; a tag's code is its position in this tuple."""

TOKENS = 200
"""Number of tokens that are tagged, from the start of a text."""
CHARACTERS = 12 * TOKENS
"""Maximum number of characters to read for these tokens; it bounds the running time."""
REMEMBERED_TAGS = 4096
"""Number of texts whose tags are cached."""
CACHED_PIECES = 50_000
"""Number of stretches without white space whose tags are cached."""
LONGEST_PIECE = 30
"""Length in characters of the longest stretch whose tags are cached."""

_PENN = {
    "ADJ": "JJ JJR JJS",
    "ADP": "IN RP",
    "ADV": "RB RBR RBS WRB",
    "AUX": "MD",
    "CCONJ": "CC",
    "DET": "DT PDT WDT",
    "INTJ": "UH",
    "NOUN": "NN NNS",
    "NUM": "CD",
    "PART": "POS TO",
    "PRON": "EX PRP PRP$ WP WP$",
    "PROPN": "NNP NNPS",
    "PUNCT": ". , : ( ) `` '' \"",
    "SYM": "SYM $ £ #",
    "VERB": "VB VBD VBG VBN VBP VBZ",
}
"""Penn tags for each universal tag.
Penn has no tags for SCONJ (here ADP) and for the auxiliaries be, do and have (here VERB)."""
_CODES = {penn: UNIVERSAL.index(tag) for tag, all_ in _PENN.items() for penn in all_.split()}
_OTHER = UNIVERSAL.index("X")
_PUNCT = UNIVERSAL.index("PUNCT")

_TOKEN = re.compile(
    r"\w+?(?=n't(?!\w))|n't(?!\w)|'(?:s|d|m|re|ve|ll)(?!\w)"  # do|n't, it|'s
    r"|\d+(?:[.,:/]\d+)*%?(?!\w)"  # 1,000.50 and 12:30
    r"|(?:[^\W\d_]\.){2,}"  # U.S.
    r"|\w+(?:-\w+)*|\.{2,}|[^\w\s]",  # well-known, ..., one mark
    re.IGNORECASE,
)
_ENDS = frozenset((".", "!", "?", "...", ".."))


class Tagger:
    """Turns a text into the sequence of its tags."""

    name: str
    """The spec that `load_tagger` reads."""

    def __init__(self) -> None:
        self._remembered = lru_cache(REMEMBERED_TAGS)(self._tagged)

    def codes(self, text: str) -> NDArray[np.int8]:
        """Return the tag codes of the first `TOKENS` tokens, read-only; empty for blank text."""
        return self._remembered(text[:CHARACTERS])

    def _tagged(self, text: str) -> NDArray[np.int8]:
        raise NotImplementedError


class TaggerUnavailable(ArgsearchError):
    """A tagger's model cannot be loaded or gives no tags."""


def load_tagger(spec: str) -> Tagger:
    """Load `lexicon` (the default) or `spacy:NAME-OR-FOLDER`; one object per process.

    Raises InvalidParameter (no such spec), MissingExtra (spaCy is not installed) or
    TaggerUnavailable (no such model, or a model without a tagger).
    """
    kind, _, model = spec.strip().partition(":")
    kind, model = kind.strip().lower(), model.strip()
    if (kind == "lexicon" and not model) or (kind == "spacy" and model):
        return _load(kind, model)
    raise InvalidParameter("tagger", spec, "lexicon or spacy:NAME-OR-FOLDER")


@lru_cache(maxsize=2)
def _load(kind: str, model: str) -> Tagger:
    return SpacyTagger(model) if kind == "spacy" else LexiconTagger()


def tokens(text: str) -> list[str]:
    """Return a text's words, clitics (n't, 's), numbers and marks as the lexicon spells them."""
    if text.isalpha():
        return [text]
    return _TOKEN.findall(text.replace("’", "'"))


class LexiconTagger(Tagger):
    """Tagger with textblob's lexicon and rules for unknown words; results are cached.

    The tags equal those of textblob's own `find_tags` for the same tokens. Its tokenizer is not
    used, because it splits contractions (n, ', t) and takes longer than all the rest. No token
    contains white space, so text between spaces is cached as a whole ("tenure," is NOUN PUNCT).
    """

    name = "lexicon"

    def __init__(self) -> None:
        self._pattern: Any = lone_module("textblob", "_text.py")
        self._lexicon = _read_lexicon(package_folder("textblob") / "en" / "en-lexicon.txt")
        self._short = lru_cache(CACHED_PIECES)(self._piece)
        super().__init__()

    def penn(self, words: list[str]) -> list[str]:
        """Return textblob's Penn tags for the tokens of one sentence; `words` must not be empty."""
        tagged = self._pattern.find_tags(words, lexicon=self._lexicon, language="en")
        return [tag for _, tag in tagged]

    def _tagged(self, text: str) -> NDArray[np.int8]:
        found, begins = bytearray(), True
        for piece in text.split():
            look = self._short if len(piece) <= LONGEST_PIECE else self._piece
            codes, begins = look(piece, begins)
            found += codes
            if len(found) >= TOKENS:
                break
        return np.frombuffer(bytes(found[:TOKENS]), np.int8)

    def _piece(self, piece: str, begins: bool) -> tuple[bytes, bool]:
        """Return the tag codes of a text without spaces, and whether a sentence begins after it.

        begins: true if the text begins a sentence, which can explain a capital letter.
        """
        codes = []
        for token in tokens(piece):
            codes.append(_universal(token, self._penn_of(token, begins)))
            begins = token in _ENDS or (begins and not token[0].isalnum())
        return bytes(codes), begins

    def _penn_of(self, token: str, begins: bool) -> str:
        """Return a token's Penn tag from the lexicon or else from `penn`, given its position."""
        known = self._lexicon.get(token)
        if known is not None:
            return known
        return self.penn([token])[0] if begins else self.penn([".", token])[1]


def _read_lexicon(file: Path) -> dict[str, str]:
    """Return each word's most frequent Penn tag; lines are `word tag`, or `;;;` and a comment."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeError) as error:
        raise PackageBroken.lacks("textblob", file.name, error) from error
    rows = (line.split(" ") for line in lines if line.strip() and not line.startswith(";;;"))
    return {row[0]: row[1] for row in rows if len(row) > 1}


def _universal(word: str, penn: str) -> int:
    """Return the code of a Penn tag; punctuation is PUNCT, and words with unknown tags are X."""
    if not any(map(str.isalnum, word)) and penn not in ("SYM", "$", "£", "#"):
        return _PUNCT
    return _CODES.get(penn.partition("|")[0], _OTHER)


class SpacyTagger(Tagger):
    """Tagger with a spaCy model that is installed or in a folder."""

    def __init__(self, model: str) -> None:
        if find_spec("spacy") is None:
            raise MissingExtra("spaCy", "spacy")
        import spacy

        self.name = f"spacy:{model}"
        try:
            self.model = spacy.load(model, exclude=["parser", "ner", "lemmatizer"])
        except (OSError, ValueError) as error:
            reason = " ".join(str(error).split())[:200]
            raise TaggerUnavailable(f"model {self.name} cannot be loaded: {reason}") from error
        super().__init__()

    def _tagged(self, text: str) -> NDArray[np.int8]:
        tags = [token.pos_ for token in self.model(text) if not token.is_space][:TOKENS]
        if not all(tags):
            raise TaggerUnavailable(
                f"tagger {self.name} gives no part-of-speech tags; "
                "name a model that has a tagger, such as spacy:en_core_web_md"
            )
        codes = np.array([UNIVERSAL.index(tag) for tag in tags], np.int8)
        codes.flags.writeable = False
        return codes
