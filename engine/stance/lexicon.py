"""Words that give a claim its direction, by their effect on its subject."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

from argsearch.ranking.lexicons import lexicon, lines, stop_words

_LISTS = lexicon("stance")
_WORDINGS = lines("phrasings")


def _forms(name: str) -> frozenset[str]:
    """Return the words of a list and the regular forms of its verbs, without the excluded forms.

    The forms end in -s, -d or -ed, and -ing, some with the last consonant doubled.
    """
    forms: set[str] = set()
    for verb in _LISTS[f"{name}: verbs"]:
        base = verb.removesuffix("e")
        stem = base[:-1] + "i" if verb.endswith("y") and verb[-2] not in "aeiou" else base
        forms |= {verb, f"{verb}s", f"{stem}es", f"{stem}ed", f"{base}ing"}
        forms |= {f"{verb}{verb[-1]}ed", f"{verb}{verb[-1]}ing"}
        if verb.endswith("ize"):
            forms |= {form.replace("iz", "is") for form in tuple(forms)}
            forms |= {f"{verb[:-1]}ation", f"{verb[:-3]}isation"}
    return frozenset(forms | {*_LISTS[f"{name}: words"]}) - {*_LISTS.get(f"{name}: not", ())}


NEGATORS = frozenset(_LISTS["negators"])
"""Words that reverse the direction."""
AGAINST = _forms("against")
"""Words for acting against something or reducing it. Two such words cancel each other out."""
BAD = _forms("bad")
"""Words for being or doing something bad. Several such words in one claim count as one."""
GOOD = _forms("good")
"""Words that affirm the subject unless something reverses them."""
CLAIMED_AGAINST = AGAINST | _forms("against of claims")
CLAIMED_BAD = BAD | _forms("bad of claims")
"""AGAINST, BAD and words that count only in claims; the model was trained without those words."""
BLAMING = frozenset(
    f"{verb}{s}"
    for of in ("bad", "bad of claims")
    for verb in _LISTS[f"{of}: verbs"]
    for s in ("", "s")
)
"""Present-tense forms of verbs for doing something bad, which mark a clause's verb like EFFECTS."""
MODALS = frozenset(_LISTS["modals"])
COPULAS = frozenset(_LISTS["copulas"])
QUESTION_OPENERS = (MODALS | COPULAS) - {"be", "been", "being", "need"}
"""Words that begin a yes-or-no question."""
EFFECTS = frozenset(_LISTS["effects"])
"""Effect verbs, which identify the verb of a clause that has no auxiliary."""
PASSIVE = frozenset(_LISTS["passive"])
COMPARING = frozenset(_LISTS["comparing"])
"""Pairs of words that introduce the other side of a comparison, as "than" does."""
BEATING = frozenset(_LISTS["beating"])
"""Words such as "beats" that introduce the losing side of a comparison."""
BREAKS = frozenset(_LISTS["breaks"])
"""Words that end a claim's main clause."""
EMPTY_WORDS = frozenset(_LISTS["empty"])
"""Words that say nothing about the subject of a claim."""
SAYING_NOTHING = (
    stop_words() | {*_LISTS["for or against"]} | (EMPTY_WORDS | NEGATORS | MODALS | COPULAS)
)
"""Words that give no reason: function words and words for being for or against something."""
SYNONYMS = {
    other: word
    for word, others in (one.split(": ") for one in _WORDINGS["synonyms"])
    for other in others.split(", ")
}
"""The word that is read instead of each word or phrase, whose hyphens are blanks here."""
PHRASES = re.compile(
    rf"\b(?:{'|'.join(sorted(SYNONYMS, key=len, reverse=True))})\b".replace(" ", "[- ]")
)
"""Pattern of all keys of SYNONYMS."""
_EFFECTS = lines("effects")
_OUTCOMES = lexicon("effects")["outcomes"]
_TROUBLE_MARKS = dict.fromkeys(CLAIMED_BAD, "º") | dict.fromkeys(_OUTCOMES, "ª")
"""The letter that marks each bad word and outcome. Patterns that list all of them would be slow."""
_NAMED = {"outcome": r"\w+ª", "trouble": r"\w+[ªº]", "good": "|".join(_LISTS["good: words"])}
_NAMED |= {name: "|".join(_EFFECTS[name]) for name in ("harmful", "measure", "state", "wish")}


def _patterns(listed: list[str]) -> tuple[tuple[re.Pattern[str], Any], ...]:
    fill = partial(re.sub, r"\{([a-z]+)\}", lambda of: f"({_NAMED[of[1]]})")
    pairs = (fill(one).split(" => ") for one in listed)
    return tuple((re.compile(old), new.replace("_", " ")) for old, new in pairs)


PARAPHRASES = _patterns(_WORDINGS["paraphrases"])
"""Patterns of other phrases, each with its replacement, in the order in which they apply."""
HARM_AND_HELP = (
    (re.compile(r"\w+"), lambda word: word[0] + _TROUBLE_MARKS.get(word[0], "")),
    *_patterns(_EFFECTS["troubles"]),
    (re.compile("[ªº]"), ""),
    *_patterns(_EFFECTS["effects"]),
)
"""The same for what harms or helps. They apply after PARAPHRASES, and not to wishes."""
WISHES = re.compile(rf"\b({_NAMED['wish']})\b")
"""Pattern of the words of a wish or permission."""
