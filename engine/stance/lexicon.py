"""The words that give a claim its direction, by what they do to the claim's subject matter."""

from __future__ import annotations

from argsearch.engine.stance.phrasings import Phrasings
from argsearch.ranking.lexicons import lexicon, lines

_LISTS = lexicon("stance")
_PATTERNS = lines("phrasings")


def _forms(name: str) -> frozenset[str]:
    """A list's words, and each of its verbs with its regular forms, without those left out.

    The forms are -s, -d or -ed, -ing (with the consonant doubled too).
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
"""Words that turn the direction round."""
EXCESSIVE = "excessive"
"""What "too much" and "too many" are read as, which turns a bare subject too."""
AGAINST = _forms("against")
"""What is done against something, and what makes less of it; two of them undo one another."""
ACTS = frozenset(_LISTS["acts"])
"""Of what is done against something, the nouns: objects that turn, "support a ban"."""
FAULTS = frozenset(_LISTS["faults"])
"""What something is said to have, against it: "problems with homework"."""
BAD = _forms("bad") | {EXCESSIVE}
"""What something bad is or does; several in one claim count once."""
GOOD = _forms("good")
"""What says that a direction was meant, where nothing turns it."""
CLAIMED_AGAINST = AGAINST | _forms("against of claims")
CLAIMED_BAD = BAD | _forms("bad of claims")
"""Both with what only claims are read for: the model of texts' words was made without these."""
BLAMING = frozenset(
    f"{one}{s}"
    for of in ("bad", "bad of claims")
    for verb in _LISTS[f"{of}: verbs"]
    for one in (verb, verb.replace("ize", "ise"))
    for s in ("", "s")
)
"""Verbs of what something bad does, in the present, by which a clause is known as by EFFECTS."""
MODALS = frozenset(_LISTS["modals"])
COPULAS = frozenset(_LISTS["copulas"])
QUESTION_OPENERS = (MODALS | COPULAS) - {"be", "been", "being", "need"}
"""Words that a yes-or-no question begins with."""
EFFECTS = frozenset(_LISTS["effects"])
"""Verbs of what something does, by which a clause without auxiliary is known."""
PASSIVE = frozenset(_LISTS["passive"])
COMPARING = frozenset(_LISTS["comparing"])
"""Pairs of words after which stands what something is compared with, as after "than"."""
BEATING = frozenset(_LISTS["beating"])
"""Words after which the lesser one stands, without an auxiliary."""
BREAKS = frozenset(_LISTS["breaks"])
"""Words at which a claim's main clause ends."""
EMPTY_WORDS = frozenset(_LISTS["empty"])
"""Words that do not tell what a claim is about."""
FOR_OR_AGAINST = frozenset(_LISTS["for or against"])
"""Words of being for or against, which give no reason."""
CLAIM_FRAMES = tuple(_PATTERNS["frames"])
"""What stands before a claim and says nothing about it."""
LEADING = tuple(_PATTERNS["leading"])
"""What stands before what is asked, in this order, and asks nothing of its own."""
PARAPHRASES = Phrasings(
    (old, new.replace("_", " "))
    for old, new in (one.split(" => ") for one in _PATTERNS["paraphrases"])
)
"""Other words for the same thing, and contractions, written out."""
