"""Read the subject and direction of claims and questions, with word lists."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise, takewhile

from argsearch.engine.stance import lexicon

CLAIM_READ = 400
"""Number of characters to read from the beginning of a claim."""
QUESTION_READ = 4_000
"""Number of characters to read from the end of a question."""
ROOT_LETTERS = 6
"""Number of letters that form the root of a word, after a plural's s is removed."""

_FRAMES = tuple(re.compile(pattern) for pattern in lexicon.CLAIM_FRAMES)
WORD = re.compile(r"[^\W_]+")
"""Pattern of a word: letters and digits."""
_QUOTES = str.maketrans("’‘ʼ＇´`“”", "''''''\"\"")
_TURNS = lexicon.NEGATORS | lexicon.CLAIMED_AGAINST
_GRAMMAR = lexicon.MODALS | lexicon.COPULAS
_IDLE = lexicon.EMPTY_WORDS | _TURNS | _GRAMMAR | {"rather", "instead"}
_JUDGES = lexicon.GOOD | lexicon.CLAIMED_BAD
_DIRECTING = lexicon.CLAIMED_AGAINST | _JUDGES
_CLAUSE = _GRAMMAR | lexicon.NEGATORS
_WISHING = {"should", "must", "ought", "need", "to", "be"}
"""Words after which "beat" is an act ("we should beat them"), not a comparison."""
_DOING = {"do", "does", "did"}
"""Auxiliaries that cannot simply be moved to form a statement: the main verb would change form."""
_NOBODY = {"no", "nobody", "none", "nothing"}
"""Negators that can come before the verb: "nobody should smoke"."""
_OF = {"of", "with", "to", "about"}
"""Prepositions between a fault and its owner: "problems with homework"."""
_UPON = {"on", "of", "against", "for", "to", "over"}
"""Prepositions between an act and its object: "a ban on fireworks"."""
_REPLACING = {"replace", "replaces", "replaced"}
_BY_WHAT = re.compile(r" (with|by) (?!\d|the (year|end|time)|then\b|next\b)")
_JOINING = {"and", "or", "nor"}
_SHORTENED = (r"\w", r"\.\w", "vs", "etc", "Mr", "Mrs", "Ms", "Dr", "St", "Prof")
_SHORT = "".join(rf"(?<!\b{one}\.)" for one in _SHORTENED)
_VERBS = "|".join(sorted(lexicon.QUESTION_OPENERS))
_EITHER = re.compile(rf"(?<=[a-z])/(?=[a-z])(?!(?:{_VERBS})\b)")
_TAIL = rf",\s+(?=(?:{_VERBS})(?:n?['’]t| not) (?:they|it|he|she) \w)"
_END = re.compile(
    rf"(?:(?<=[^.!?…][.!?…]){_SHORT}|(?<=[^.!?…]\.[!?]))[.!?…\"'”’)]*\s+|(?i:{_TAIL})"
)
"""The end of a sentence, but not of "U.S." or "vs."; also the place before ", can't they …?"."""
_LEADING = tuple(re.compile(pattern) for pattern in lexicon.LEADING)
_NEGATED = re.compile(rf"^({_VERBS}) not\b")
_ALTERNATIVE = re.compile(rf",? or ({_VERBS})( not)?\b.*$")
_UNDECIDED = re.compile(
    r"(?<!\W)\W+(or not|yes or no|pro or con|for or against|agree or disagree)\W*$"
)
_KINDS = "kinds?|types?|sorts?|age"
_INTERROGATIVE = re.compile(
    r"^(what|how|who|whom|whose|which|where|when|why)"
    rf"(?=( ({_VERBS}|to|many|much|long|old|often|causes|owns|decides|invented|{_KINDS})\b|.*\?))"
)
_DEGREE = re.compile(rf"^how (\w+) ({_VERBS}) ([^?]+)")
_NAMED = re.compile(
    r"^what (?:is|are|was|were)(?: so)?(?: \w+){0,2}? (\w+) (?:of|with|about|in|to)\b"
)
_WISHED = re.compile(r"\b(should|ought|must|whether)\b")


@dataclass(frozen=True, slots=True)
class Claim:
    """The subject and direction of a claim or question."""

    text: str
    """The text as given, with white space collapsed."""
    polarity: int
    """+1 if the claim is for its subject, −1 if it is against it."""
    directed: bool
    """True if a word indicates the direction. A bare subject ("zoos") counts as in favour of it."""
    turns: tuple[str, ...]
    """Words that reverse the direction, in order."""
    subject: tuple[str, ...]
    """Distinct roots of the words that name the subject, not those that give the direction."""
    phrase: str
    """The words of the subject in full, as input for an encoder."""
    statement: str
    """The claim as a statement: "zoos should be banned" for "Should zoos be banned?"."""
    sided: bool = True
    """False if nobody can be for or against the claim, as in "How can we …?"."""
    beside: tuple[str, ...] = ()
    """Roots on the other side of a comparison, such as "dogs" in "cats are better than dogs"."""

    @property
    def reading(self) -> str:
        """The claim that sides refer to, in words. The claim shows what "for" means."""
        if not self.sided:
            return f"nothing: “{self.text}” has no sides"
        proposed = plain(self.text).startswith("should ")  # "Why not …?", "What if …?"
        if self.directed and not proposed and _INTERROGATIVE.match(self.text.lower()):
            return f"what “{self.text}” takes for granted"
        if self.directed:
            return f"yes to “{self.text}”" if self.text.endswith("?") else f"“{self.text}”"
        return f"“{self.text}” is good, or should be supported"


def root(word: str) -> str:
    """Return the first letters of a word, without the s of a plural."""
    bare = word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
    return bare[:ROOT_LETTERS]


def plain(text: str) -> str:
    """Return a text in lower case, with straight quotes, paraphrases and contractions replaced."""
    text = _EITHER.sub(" or ", text.lower().translate(_QUOTES))
    return lexicon.PARAPHRASES.put(" ".join(text.split()))


def read_claim(text: str) -> Claim:
    """Return the claim in the first sentence of a text: a claim, a question or a bare subject."""
    return _read_claim(text[:CLAIM_READ])


@lru_cache(4096)
def _read_claim(text: str) -> Claim:
    whole = " ".join(text.split())
    words = _main_clause(whole)
    cut = _compared(words)
    head, predicate, asked = _parts(words[:cut])
    turns, directed = _turns(predicate, modal=asked in lexicon.MODALS)
    nominal = [
        word
        for i, word in enumerate(head[:4])
        if (word in lexicon.CLAIMED_AGAINST and (i < 2 or head[i - 1] not in _JOINING))
        or word in _NOBODY
    ]
    if not predicate:
        nominal += [
            word
            for i, word in enumerate(head)
            if word in lexicon.NEGATORS - {"no"} and (i > 3 or word not in _NOBODY)
        ]
        nominal += [
            word
            for word, of in pairwise(head[:2])
            if (word in lexicon.CLAIMED_BAD and of == "of")
            or (word in lexicon.FAULTS and of in _OF)
        ]
        nominal += [word for word in head[:2] if word == lexicon.EXCESSIVE]
    turns = (*nominal, *turns)
    about = [word for word in words if word not in _IDLE]
    about = [w for w in about if w not in _JUDGES] or about
    subject = tuple(dict.fromkeys(map(root, about)))
    polarity, directed = -1 if len(turns) % 2 else 1, bool(turns or directed or asked)
    compared = tuple(one for one in subject if one not in set(map(root, words[:cut])))
    phrase, statement = " ".join(about), _statement(whole)
    return Claim(whole, polarity, directed, turns, subject, phrase, statement, beside=compared)


def _statement(text: str) -> str:
    """Return a question as a statement if its verb can be moved, or else unchanged."""
    opener, *rest = WORD.findall(text.translate(_QUOTES)) or [""]
    cut = _boundary([word.lower() for word in rest])
    verb = opener.lower()
    if verb not in lexicon.QUESTION_OPENERS or verb in _DOING or cut >= len(rest):
        return text
    return " ".join([*rest[:cut], verb, *rest[cut:]])


def _compared(words: list[str]) -> int:
    """Return the index of the first word on the other side of a comparison, or len(words).

    The word follows "beats", or "than" after a verb (not "should children younger than 13 be …?").
    Replacements count too: "A should replace B", "replace B with A", "B goes in favour of A".
    """
    verb = wished = False
    for i, (before, word) in enumerate(pairwise(words), 2):
        said = " ".join(["", word, *words[i : i + 3]])
        if _BY_WHAT.match(said) and _REPLACING.intersection(words[:i]):
            return i
        if (
            before in ("favour", "favor")
            and word == "of"
            and lexicon.CLAIMED_AGAINST & set(words[: i - 3])
        ):
            return i
        verb, wished = verb or before in _GRAMMAR, wished or before in _WISHING
        active = word == "replaces" or (word == "replace" and (verb or before == "cannot"))
        if active and not _BY_WHAT.search(" ".join(words[i:])):
            return i - 1 if set(words[: i - 1]) - _IDLE else len(words)
        if word in lexicon.BEATING and (not wished or word in ("vs", "versus")):
            return i
        weighed = verb and (word == "than" or f"{before} {word}" in lexicon.COMPARING)
        if weighed and not any(
            b != "to" and w in ("be", "been") for b, w in pairwise(words[i - 1 :])
        ):
            return i
    return len(words)


def accord(asked: Claim, claim: Claim) -> int:
    """Return +1 if a claim has the direction of the question, −1 if it has the opposite one.

    For example, "Dogs are better than cats" has the direction opposite to that of "cats".
    """
    either = asked.beside or claim.beside
    shared = [one for one in asked.subject if one in claim.subject] if either else []
    crossed = [one for one in shared if (one in asked.beside) != (one in claim.beside)]
    turned = bool(crossed) and 2 * len(crossed) >= len(shared)
    return asked.polarity * claim.polarity * (-1 if turned else 1)


def _main_clause(text: str) -> list[str]:
    """Return the words of the first sentence before any subordinate clause."""
    text = _UNDECIDED.sub("", plain(text))
    sentence = re.split(r"(?<=\w\w\w)[.!?;](?:\s|$)|\s[-–—(]\s?", text)[0]
    for frame in _FRAMES:
        sentence = frame.sub("", sentence.strip(" :,.\"'"))
    words = WORD.findall(sentence)
    for i, word in enumerate(words):
        if i > 2 and word in lexicon.BREAKS:
            return words[:i]
    return words


def _parts(words: list[str]) -> tuple[list[str], list[str], str]:
    """Return the words before and after the verb, and the modal or auxiliary ("" if none)."""
    if words and words[0] in lexicon.QUESTION_OPENERS:
        rest = words[1:]
        cut = _boundary(rest)
        return rest[:cut], rest[cut:], words[0]
    for i, word in enumerate(words):
        if i and word in _GRAMMAR:
            return words[:i], words[i + 1 :], word
    return _verbless(words)


def _boundary(words: list[str]) -> int:
    """Return the index where a question's predicate begins: a verb, article or directed word."""
    start = 1
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
        if words[i] in ("a", "an", "the") or words[i] in _TURNS or words[i] in _JUDGES:
            return i
    return len(words)


def _verbless(words: list[str]) -> tuple[list[str], list[str], str]:
    """Split a clause without an auxiliary, like "Vaccines cause autism" or "Abolish homework"."""
    for i in range(1, len(words)):
        blames = words[i] in lexicon.BLAMING and (words[i][-1] == "s") != (words[i - 1][-1] == "s")
        if blames or words[i] in lexicon.EFFECTS or words[i] == lexicon.EXCESSIVE:
            return words[:i], words[i:], "does"
    if words and (words[0] in _TURNS or words[0] in lexicon.GOOD):
        return [], words, "should"
    for i in range(1, len(words)):
        word = words[i]
        if word.endswith("s") and (word in lexicon.CLAIMED_AGAINST or word in _JUDGES):
            return words[:i], words[i:], "does"
    return words, [], ""


def _turns(predicate: list[str], *, modal: bool) -> tuple[tuple[str, ...], bool]:
    """Return the words that reverse a predicate's direction, and True if a word in GOOD affirms it.

    Each negator reverses the direction, and so does each word for acting against something. Words
    for something bad reverse it once, however many there are. Objects after "should" and an active
    verb, or after "stopped from", reverse nothing unless they are acts ("stop banning", "support a
    ban"). The first predicate with a direction decides: "bad and should be banned" reverses once.
    """
    turns: list[str] = []
    bad, directed, passive = "", False, False
    for i, word in enumerate(predicate):
        following = [*predicate[i + 1 :], ""][0]
        if word in _JOINING:
            before = predicate[i - 1] if i else ""
            if before in lexicon.NEGATORS and following in _GRAMMAR:  # "should not and must not"
                turns.remove(before)
            said = bool(bad or lexicon.CLAIMED_AGAINST.intersection(turns))
            # "Legal and very harmful" goes on, but "legal and nobody's business" does not.
            on = following in _CLAUSE or _DIRECTING.intersection(predicate[i + 1 : i + 4])
            said = said or (directed and word == "and" and not on)
            if said or (turns and (word == "nor" or following in _GRAMMAR)):
                break
        if word in _TURNS:
            turns.append(word)
        elif word in lexicon.CLAIMED_BAD:
            bad = bad or word
        directed = directed or word in lexicon.GOOD
        acting = word in lexicon.CLAIMED_AGAINST or word in lexicon.GOOD
        passive = passive or word in lexicon.PASSIVE
        kept = following == "from"
        active = modal and not passive
        if acting and (kept or active) and not _is_act(predicate[i + 1 + kept :]):
            break
    return (*turns, bad) if bad else tuple(turns), directed


def _is_act(object_: list[str]) -> bool:
    """Return True if an object is itself an act: "stop banning", "support a total ban on"."""
    first = [*object_, ""][0]
    named = list(takewhile(lambda one: one not in _UPON, object_[first == "for" :]))
    doing = first.endswith("ing") and (first in lexicon.CLAIMED_AGAINST or first in lexicon.GOOD)
    return doing or bool(named and named[-1] in lexicon.ACTS)


def read_question(text: str) -> Claim:
    """Return the claim behind a question, read from the sentence that asks (`asking`).

    If this sentence does not name a subject ("Should we abolish them?"), all sentences are searched
    for one. Questions of more than QUESTION_READ characters are not cached.
    """
    return (_read_question if len(text) <= QUESTION_READ else _read_question.__wrapped__)(text)


@lru_cache(4096)
def _read_question(text: str) -> Claim:
    sentences = sentences_of(text)
    sentence = asking(text)
    asked = bare(sentence)
    claim = replace(read_claim(asked), text=sentence[:CLAIM_READ], sided=_has_sides(plain(asked)))
    if claim.subject or len(sentences) < 2:
        return claim
    others = [read_claim(bare(one)) for one in sentences]
    subject = tuple(dict.fromkeys(word for one in others for word in one.subject))
    return replace(claim, subject=subject, phrase=" ".join(one.phrase for one in others).strip())


def _has_sides(asked: str) -> bool:
    """Return True if a question can be answered yes or no, or takes such an answer for granted.

    "Why is homework bad?" takes a yes for granted; "How can we …?" cannot be answered yes or no.
    """
    found = _INTERROGATIVE.match(asked)
    if found is None:
        return True
    if found[1] == "why":
        return any(word in _TURNS or word in _JUDGES for word in WORD.findall(asked))
    named = _NAMED.match(asked)
    return named is not None and named[1] in _JUDGES


def asking(text: str) -> str:
    """Return the sentence that asks the question, with white space collapsed.

    It is the last sentence with a question mark, or else the last with "should" or "must", or else
    the last one. Sentences without subject and direction ("What do you think?") don't count.
    """
    sentences = sentences_of(text)
    if len(sentences) < 2:
        return " ".join(text.split())
    claims = [read_claim(bare(one)) for one in sentences]
    told = [
        one for one, claim in zip(sentences, claims, strict=True) if claim.subject or claim.turns
    ] or sentences
    asked = [one for one in told if one.rstrip("\"'”’) ").endswith("?")]
    wished = [one for one in told if _WISHED.search(one.lower())]
    return (asked or wished or told)[-1]


def sentences_of(text: str) -> list[str]:
    """Return the sentences in a text's last QUESTION_READ characters; collapse white space."""
    parts = (" ".join(part.split()) for part in _END.split(text.strip()[-QUESTION_READ:]))
    return [part for part in parts if part]


def bare(sentence: str) -> str:
    """Strip a question's introduction, second alternative and negated opening.

    "Do you think that zoos are cruel?" and "Aren't zoos cruel?" both ask if zoos are cruel. A
    sentence with nothing to strip is returned unchanged.
    """
    text = plain(sentence)
    found = _NEGATED.sub(r"\1", _ALTERNATIVE.sub("", text))
    for pattern in _LEADING:
        found = pattern.sub("", found)
    degree = _DEGREE.match(found)
    if degree and degree[1] in _JUDGES:
        found = "{1} {2} {0}".format(*degree.groups())
    return sentence if found == text else found
