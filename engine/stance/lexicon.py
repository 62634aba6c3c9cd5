"""Words that give a claim its direction, by their effect on its subject."""

from __future__ import annotations

from argsearch.engine.stance.phrasings import Phrasings
from argsearch.ranking.lexicons import lexicon, lines

_LISTS = lexicon("stance")
_PATTERNS = lines("phrasings")


def _forms(name: str) -> frozenset[str]:
    """Return a list's words, and its verbs with their regular forms, without the excluded ones.

    The forms are -s, -d or -ed, and -ing, also with the last consonant doubled.
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
EXCESSIVE = "excessive"
"""Replacement of "too much" and "too many", which reverses a bare subject too."""
AGAINST = _forms("against")
"""Words for acting against something or reducing it; two of them cancel each other."""
ACTS = frozenset(_LISTS["acts"])
"""Nouns for acts against something, which reverse as objects: "support a ban"."""
FAULTS = frozenset(_LISTS["faults"])
"""Nouns for faults that something has: "problems with homework"."""
BAD = _forms("bad") | {EXCESSIVE}
"""Words for being or doing something bad; several in one claim count once."""
GOOD = _forms("good")
"""Words that show a direction for the subject, if nothing reverses it."""
CLAIMED_AGAINST = AGAINST | _forms("against of claims")
CLAIMED_BAD = BAD | _forms("bad of claims")
"""AGAINST and BAD with words that count in claims only: the model was trained without them."""
BLAMING = frozenset(
    f"{one}{s}"
    for of in ("bad", "bad of claims")
    for verb in _LISTS[f"{of}: verbs"]
    for one in (verb, verb.replace("ize", "ise"))
    for s in ("", "s")
)
"""Verbs of doing something bad, in the present; like EFFECTS, they mark a clause's verb."""
MODALS = frozenset(_LISTS["modals"])
COPULAS = frozenset(_LISTS["copulas"])
QUESTION_OPENERS = (MODALS | COPULAS) - {"be", "been", "being", "need"}
"""Words that begin a yes-or-no question."""
EFFECTS = frozenset(_LISTS["effects"])
"""Verbs for effects, which mark the verb of a clause without auxiliary."""
PASSIVE = frozenset(_LISTS["passive"])
COMPARING = frozenset(_LISTS["comparing"])
"""Pairs of words that introduce the other side of a comparison, as "than" does."""
BEATING = frozenset(_LISTS["beating"])
"""Words that introduce the lesser side of a comparison, without an auxiliary."""
BREAKS = frozenset(_LISTS["breaks"])
"""Words that end a claim's main clause."""
EMPTY_WORDS = frozenset(_LISTS["empty"])
"""Words that say nothing about a claim's subject."""
FOR_OR_AGAINST = frozenset(_LISTS["for or against"])
"""Words for being for or against something, which give no reason."""
CLAIM_FRAMES = tuple(_PATTERNS["frames"])
"""Patterns of introductions to a claim that say nothing about it."""
LEADING = tuple(_PATTERNS["leading"])
"""Patterns of introductions to a question, removed in this order."""
PARAPHRASES = Phrasings(
    (old, new.replace("_", " "))
    for old, new in (one.split(" => ") for one in _PATTERNS["paraphrases"])
)
"""Replacements of synonyms and contractions."""
