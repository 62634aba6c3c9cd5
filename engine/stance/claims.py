"""Read the subject and direction of claims and questions, with word lists."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from argsearch.engine.stance import lexicon

CLAIM_READ = 400
"""Number of characters to read from the beginning of a claim."""
QUESTION_READ = 4_000
"""Number of characters to read from the end of a question."""
ROOT_LETTERS = 6
"""Number of letters that form the root of a word, after a plural's s is removed."""

WORD = re.compile(r"[^\W_]+")
"""Pattern of a word: letters and digits."""
_QUOTES = str.maketrans("’‘ʼ＇´`“”", "''''''\"\"")
_TURNS = lexicon.NEGATORS | lexicon.CLAIMED_AGAINST
_GRAMMAR = lexicon.MODALS | lexicon.COPULAS
_IDLE = lexicon.EMPTY_WORDS | _TURNS | _GRAMMAR | {"rather", "instead"}
_JUDGES = lexicon.GOOD | lexicon.CLAIMED_BAD
_ARTICLES = {"a", "an", "the"}
_WISHING = {"should", "must", "ought", "need", "to", "be"}
"""Words after which "beat" is an act ("we should beat them"), not a comparison."""
_NOBODY = {"no", "nobody", "none", "nothing"}
"""Negators that can come before the verb: "nobody should smoke"."""
_JOINING = {"and", "or", "nor"}
_VERBS = "|".join(sorted(lexicon.QUESTION_OPENERS))
_SHORTENED = r"(?<![^\w'’]\w\.)(?<!\bvs\.)(?<!\betc\.)(?<!\b(?:Mr|Dr|St|Ms)\.)"
_END = re.compile(
    rf"(?<=[.!?…]){_SHORTENED}[\"'”’)]*\s+"
    rf"|(?i:,\s+(?=(?:{_VERBS})(?:n?['’]t| not) (?:they|it|he|she) \w))"
)
"""The end of a sentence, but not of "U.S." or "vs."; also the place before ", can't they …?"."""
_WISHED = re.compile(r"(?i)\b(should|must)\b")
_NEGATED = re.compile(rf"^(?:why )?(?!do not (?!we|you|they|i|people|[^.,!?]*\?))({_VERBS}) not\b")
"""Beginning of a question that expects a yes: "Aren't zoos cruel?" asks if zoos are cruel."""
_INTERROGATIVE = re.compile(
    rf"^(what|how|who|whom|whose|which|where|when|why)\b(?= (?:{_VERBS}|to|many|much)\b|.*\?)"
)


@dataclass(frozen=True, slots=True)
class Claim:
    """The subject and direction of a claim or question."""

    text: str
    """The text as given, with white space collapsed."""
    polarity: int
    """+1 if the claim is for its subject, −1 if it is against it."""
    directed: bool
    """True if a word indicates the direction. A bare subject ("zoos") counts as in favour of it."""
    subject: tuple[str, ...]
    """Distinct roots of the words that name the subject, not those that give the direction."""
    phrase: str
    """The words of the subject in full, as input for an encoder."""
    sided: bool = True
    """False if nobody can be for or against the claim, as in "How can we …?"."""
    beside: tuple[str, ...] = ()
    """Roots on the other side of a comparison, such as "dogs" in "cats are better than dogs"."""

    @property
    def reading(self) -> str:
        """The claim that sides refer to, in words. The claim shows what "for" means."""
        if not self.sided:
            return f"nothing: “{self.text}” has no sides"
        if self.directed and _INTERROGATIVE.match(plain(self.text)):
            return f"what “{self.text}” takes for granted"
        if self.directed:
            return f"yes to “{self.text}”" if self.text.endswith("?") else f"“{self.text}”"
        return f"“{self.text}” is good, or should be supported"


def root(word: str) -> str:
    """Return the first letters of a word, without the s of a plural."""
    bare = word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
    return bare[:ROOT_LETTERS]


def plain(text: str) -> str:
    """Return a text in lower case, with straight quotes, synonyms and paraphrases replaced."""
    text = " ".join(text.lower().translate(_QUOTES).split())
    text = lexicon.PHRASES.sub(lambda found: lexicon.SYNONYMS[found[0].replace("-", " ")], text)
    wished = lexicon.WISHES.search(text)
    for pattern, replacement in lexicon.PARAPHRASES + (() if wished else lexicon.HARM_AND_HELP):
        if pattern.search(text):  # most do not match, and a search takes half as long
            text = pattern.sub(replacement, text)
    return text.strip()


def read_claim(text: str) -> Claim:
    """Return the claim in the first sentence of a text: a claim, a question or a bare subject."""
    return _read_claim(text[:CLAIM_READ])


@lru_cache(4096)
def _read_claim(text: str) -> Claim:
    whole = " ".join(text.split())
    words = _main_clause(whole)
    cut = _compared(words)
    head, predicate, verb = _parts(words[:cut])
    turns, directed = _turns(predicate, modal=verb in lexicon.MODALS)
    turns += sum(
        (place < 4 and word in lexicon.CLAIMED_AGAINST | _NOBODY)
        or (not predicate and (word in lexicon.NEGATORS or (place < 4 and word == "excessive")))
        for place, word in enumerate(head)
    )
    about = [word for word in words if word not in _IDLE]
    about = [word for word in about if word not in _JUDGES] or about
    subject = tuple(dict.fromkeys(map(root, about)))
    own_side = set(map(root, words[:cut]))
    return Claim(
        text=whole,
        polarity=-1 if turns % 2 else 1,
        directed=bool(turns or directed or verb),
        subject=subject,
        phrase=" ".join(about),
        beside=tuple(one for one in subject if one not in own_side),
    )


def _main_clause(text: str) -> list[str]:
    """Return the words of the first sentence before any subordinate clause."""
    text = _NEGATED.sub(r"\1", plain(text))
    words = WORD.findall(re.split(r"(?<=\w\w\w)[.!?;](?:\s|$)|\s[-–—(]\s?", text)[0])
    for place, word in enumerate(words):
        if place > 2 and word in lexicon.BREAKS:
            return words[:place]
    return words


def _compared(words: list[str]) -> int:
    """Return the index of the first word on the other side of a comparison, or len(words).

    The word follows "beats", "than" after a verb, or "should replace": "A should replace B".
    """
    verb = wished = False
    for i, (before, word) in enumerate(pairwise(words), 2):
        verb, wished = verb or before in _GRAMMAR, wished or before in _WISHING
        if (word == "replaces" or (word == "replace" and verb)) and set(words[: i - 1]) - _IDLE:
            return i - 1
        if word in lexicon.BEATING and (not wished or word in ("vs", "versus")):
            return i
        if verb and (word == "than" or f"{before} {word}" in lexicon.COMPARING):
            return i
    return len(words)


def accord(asked: Claim, claim: Claim) -> int:
    """Return +1 if a claim has the direction of the question, −1 if it has the opposite one.

    For example, "Dogs are better than cats" has the direction opposite to that of "cats".
    """
    shared = [one for one in asked.subject if one in claim.subject]
    turned = any((one in asked.beside) != (one in claim.beside) for one in shared)
    return asked.polarity * claim.polarity * (-1 if turned else 1)


def _parts(words: list[str]) -> tuple[list[str], list[str], str]:
    """Return the words before and after the verb, and the modal or auxiliary ("" if none)."""
    if words and words[0] in lexicon.QUESTION_OPENERS:
        rest = words[1:]
        cut = boundary(rest)
        return rest[:cut], rest[cut:], words[0]
    for i, word in enumerate(words):
        if i and word in _GRAMMAR:
            return words[:i], words[i + 1 :], word
    return _verbless(words)


def boundary(words: list[str]) -> int:
    """Return the index where a question's predicate begins: a verb, article or directed word."""
    start = 1
    if words[:1] == ["not"]:  # "do not ban zoos"
        return 0
    if words[:1] == ["it"]:  # "is it wrong to be …?"
        return start
    if words and words[0] in ("the", "a", "an", "any", "more"):  # "a very sick person"
        while start + 1 < len(words) and (words[start] == "very" or words[start] in _JUDGES):
            start += 1
        start += 1
    for i in range(start, len(words)):
        if words[i] in ("be", "been", "have", "not", "remain"):
            return i
    for i in range(start, len(words)):
        if words[i] in _ARTICLES or words[i] in _TURNS or words[i] in _JUDGES:
            return i
    return len(words)


def _verbless(words: list[str]) -> tuple[list[str], list[str], str]:
    """Split a clause without an auxiliary, like "Vaccines cause autism" or "Abolish homework"."""
    ordered = bool(words) and (words[0] in _TURNS or words[0] in lexicon.GOOD)
    for i, word in enumerate(words):
        acts = word.endswith("s") and (word in lexicon.CLAIMED_AGAINST or word in _JUDGES)
        # The verb's form tells that it is not a noun: "vaccines harm", "homework harms".
        blames = word in lexicon.BLAMING and word.endswith("s") != words[i - 1].endswith("s")
        if i and ((acts and not ordered) or blames or word in lexicon.EFFECTS):
            return words[:i], words[i:], "does"
    return ([], words, "should") if ordered else (words, [], "")


def _turns(predicate: list[str], *, modal: bool) -> tuple[int, bool]:
    """Return how often a predicate reverses its direction, and True if a word in GOOD affirms it.

    Each negator reverses the direction, and so does each word for acting against something. Words
    for something bad reverse it once, however many there are. Objects after "should" and an active
    verb reverse nothing unless they are acts ("stop banning zoos", "support a ban"). The first
    predicate with a direction decides: "bad and should be banned" reverses once.
    """
    turns = 0
    bad = directed = passive = False
    for i, word in enumerate(predicate):
        following = [*predicate[i + 1 : i + 3], "", ""]
        noun = following[0] in _ARTICLES
        if word in _JOINING and (turns or bad or directed):
            break
        turns += word in _TURNS
        bad = bad or word in lexicon.CLAIMED_BAD - _TURNS
        directed = directed or word in lexicon.GOOD
        passive = passive or word in lexicon.PASSIVE
        acting = word in lexicon.CLAIMED_AGAINST or word in lexicon.GOOD
        act = following[noun]
        act_follows = act in _TURNS and (noun or act.endswith("ing") or word in lexicon.GOOD)
        if acting and modal and not passive and not act_follows:
            break
    return turns + bad, directed


def read_question(text: str) -> Claim:
    """Return the claim behind a question, read from the sentence that asks (`asking`)."""
    return _read_question(text.strip()[-QUESTION_READ:])


@lru_cache(4096)
def _read_question(text: str) -> Claim:
    sentence = asking(text)
    claim = read_claim(sentence)
    if not claim.subject:  # "Zoos keep animals in cages. Should we close them?"
        named = [read_claim(one) for one in sentences_of(text)]
        subject = tuple(dict.fromkeys(word for one in named for word in one.subject))
        claim = replace(claim, subject=subject, phrase=" ".join(one.phrase for one in named))
    return replace(claim, sided=_has_sides(plain(sentence)))


def _has_sides(asked: str) -> bool:
    """Return True if a question can be answered yes or no, or takes such an answer for granted.

    "Why is homework bad?" takes a yes for granted; "How can we …?" cannot be answered yes or no.
    """
    found = _INTERROGATIVE.match(asked)
    directed = any(word in _TURNS or word in _JUDGES for word in WORD.findall(asked))
    return found is None or (found[1] == "why" and directed)


def asking(text: str) -> str:
    """Return the sentence that asks the question, with white space collapsed.

    It is the last sentence with a question mark, or else with "should" or "must", or else the last
    one. Sentences without a subject or a direction ("What do you think?") do not count.
    """
    sentences = sentences_of(text) or [""]
    claims = [read_claim(one) for one in sentences]
    said = [claim.subject or claim.polarity < 0 for claim in claims]
    telling = [one for one, says in zip(sentences, said, strict=True) if says] or sentences
    asked = [one for one in telling if one.endswith("?")]
    return (asked or [one for one in telling if _WISHED.search(one)] or telling)[-1]


def sentences_of(text: str) -> list[str]:
    """Return the sentences in a text's last QUESTION_READ characters; collapse white space."""
    parts = (" ".join(part.split()) for part in _END.split(text.strip()[-QUESTION_READ:]))
    return [part for part in parts if part]
