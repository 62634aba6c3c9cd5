"""The words that give a claim its direction, by what they do to the claim's subject matter.

They stand, with comments, in `ranking/lexicons/claims.txt` and `claim_patterns.txt`.
"""

from __future__ import annotations

from argsearch.ranking.lexicons import lexicon

_WORDS = {name: frozenset(entries) for name, entries in lexicon("claims").items()}
_PATTERNS = lexicon("claim_patterns")


def _forms(verb: str) -> set[str]:
    """A verb with its regular forms: -s, -d or -ed, -ing (with the consonant doubled too)."""
    base = verb.removesuffix("e")
    stem = base[:-1] + "i" if verb.endswith("y") and verb[-2] not in "aeiou" else base
    forms = {verb, f"{verb}s", f"{stem}es", f"{stem}ed", f"{base}ing"}
    forms |= {f"{verb}{verb[-1]}ed", f"{verb}{verb[-1]}ing"}
    if verb.endswith("ize"):
        forms |= {form.replace("iz", "is") for form in tuple(forms)}
        forms |= {f"{verb[:-1]}ation", f"{verb[:-3]}isation"}
    return forms


def _with_verbs(name: str) -> frozenset[str]:
    return _WORDS[name].union(*map(_forms, _WORDS[f"{name}, verbs"]))


NEGATORS = _WORDS["negators"]
AGAINST = _with_verbs("against")
BAD = _with_verbs("bad")
GOOD = _with_verbs("good") - _WORDS["not good"]
EXCESSIVE = "excessive"
"""What "too much" and "too many" are read as, which turns a bare subject too."""

MODALS = _WORDS["modals"]
COPULAS = _WORDS["copulas"]
QUESTION = (MODALS | COPULAS) - _WORDS["no question"]
"""Words that a yes-or-no question begins with."""
EFFECTS = _WORDS["effects"]
PASSIVE = _WORDS["passive"]
BREAKS = _WORDS["breaks"]
EMPTY = _WORDS["empty"]
SIDES = _WORDS["sides"]

FRAMES = _PATTERNS["frames"]
LEADING = _PATTERNS["leading"]
PARAPHRASES = tuple(
    (pattern, replacement[1:] or " ")
    for pattern, _, replacement in (rule.partition(" =>") for rule in _PATTERNS["paraphrases"])
)
"""(pattern, replacement) in the order in which they are written out."""
