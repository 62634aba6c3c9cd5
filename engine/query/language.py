"""Detect questions in a language other than the arguments', by frequent words.

Most texts in a language contain its most frequent words. If a question has such words and few
arguments have them, then the question is in that language and the arguments are not.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

_FREQUENT = {
    "English": "a an and are as at be by can do does for have he i in is it me more no not of on "
    "or our she should so than that the they this to us was we were what who why will with would "
    "you",
    "German": "aber als auch auf aus bei das dass dem den der des die durch ein eine einen es "
    "für gegen haben hat ist kann man mehr mit nach nicht noch nur oder ob sein sich sie sind soll "
    "sollen sollte sollten über um und uns verboten vom von vor warum wenn werden wie wir wird zu "
    "zum zur",
    "French": "au aux avec ce ces cette dans de des devrait doit du elle elles en est et être faut "
    "il ils je la le les leur mais ne nous on ont ou par pas plus pour pourquoi quand que quel "
    "qui sa se ses son sont sur un une vous",
    "Spanish": "al como con contra cuando de debe deben debería deberían del el en es esta este "
    "ha hay la las lo los más no o para pero por qué que se ser si sin sobre son su sus un una y",
    "Italian": "al alla anche che chi con contro da dei del della delle di dovrebbe dovrebbero "
    "e è essere gli i il in la le lo ma nei nel nella non o per perché più quando se si sono su "
    "sul un una",
    "Portuguese": "a ao aos as com como contra da das de deve devem deveria deveriam do dos e é "
    "em essa esta eu mais mas na não nas no nos o os ou para pela pelo por porque que se sem ser "
    "são sobre um uma",
    "Dutch": "aan als bij dat de deze die dit door een en er ze zou zouden zij zijn het hij ik kan "
    "maar meer met mogen moet moeten naar niet of om ook op te tot uit van voor waarom wat wel "
    "wij worden wordt",
}
_ENGLISH = frozenset(_FREQUENT.pop("English").split())
# "Do", "me", "no" and similar words belong to several languages and do not identify one.
FREQUENT = {name: frozenset(words.split()) - _ENGLISH for name, words in _FREQUENT.items()}
"""Words that occur in most texts of a language and are less frequent in English."""
FEWEST_KNOWN = 2
"""Minimum number of a language's frequent words in a question."""
MOST_OF = 0.6
"""Minimum share of a question's words that are frequent in the language or unknown."""


class Foreign(NamedTuple):
    """The language of a question, and the question's words that are frequent in this language."""

    name: str
    words: Collection[str]


def foreign(words: Sequence[str], df: Sequence[int], rare: float) -> Foreign | None:
    """Return the language of a question if the arguments use another one, or None.

    words: the question's distinct words; df: the number of arguments with each. A word with a df
    above `rare` is frequent in the arguments' language. A few nouns don't reveal their language.
    """
    seldom = {word for word, n in zip(words, df, strict=True) if n <= rare}
    unknown = [word for word, n in zip(words, df, strict=True) if not n]
    written = _script(unknown)
    if written is not None and len(unknown) >= MOST_OF * len(words):
        return Foreign(f"{written} letters", unknown)
    found = {name: seldom & frequent for name, frequent in FREQUENT.items()}
    name = max(found, key=lambda one: len(found[one]))
    its = found[name]
    if len(its) >= FEWEST_KNOWN and len(its | set(unknown)) >= MOST_OF * len(words):
        return Foreign(name, its)
    return None


def _script(words: Sequence[str]) -> str | None:
    """Return the script of most of the letters in these words, or None if it is Latin."""
    letters = Counter(
        unicodedata.name(letter, "LATIN").split()[0]
        for word in words
        for letter in word
        if letter.isalpha()
    )
    (script, _), *_ = letters.most_common(1) or [("LATIN", 0)]
    known = {"CJK": "Chinese", "HIRAGANA": "Japanese", "KATAKANA": "Japanese"}
    return None if script == "LATIN" else known.get(script, script.capitalize())
