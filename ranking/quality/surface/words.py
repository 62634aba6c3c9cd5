"""Closed classes of English words that tell a written argument from chatter, and their table."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

WORD_CLASSES: dict[str, str] = {
    "prepositions": "about above across after against along among amongst around as at before "
    "behind below beneath beside besides between beyond by despite during except for from in "
    "inside into like near of off on onto outside over per regarding since through throughout to "
    "toward towards under until unto upon via with within without",
    "of_words": "of by from within through towards upon amongst among",
    "articles": "a an the",
    "the_word": "the",
    "conjunctions": "and but or nor yet so",
    "subordinators": "although because if since though unless until when whenever where whereas "
    "wherever whether while whilst that",
    "first_person": "i me my mine myself i'm i've i'd i'll im ive",
    "we_words": "we us our ours ourselves we're we've we'll",
    "second_person": "you your yours yourself yourselves you're you've you'd you'll u "
    "ur youre opponent con",
    "third_person": "he him his himself she her hers herself he's she's",
    "they_words": "they them their theirs themselves it its itself one",
    "demonstratives": "this these those such",
    "modals": "can could may might must shall should will would ought cannot",
    "auxiliaries": "am is are was were be been being do does did done have has had having",
    "negations": "no not never none nothing nobody neither nor don't doesn't didn't isn't aren't "
    "wasn't weren't can't couldn't won't wouldn't shouldn't haven't hasn't hadn't cannot",
    "connectives": "therefore thus hence however furthermore moreover consequently nevertheless "
    "nonetheless additionally also whereas indeed instead otherwise similarly likewise finally "
    "firstly secondly thirdly first second third rather accordingly although despite because",
    "questions": "what why how who whom whose which when where",
    "hedges": "maybe perhaps possibly probably likely seem seems seemed appear appears suggest "
    "suggests often usually generally sometimes mostly somewhat almost",
    "boosters": "always ever all every everyone everything very really so totally completely "
    "absolutely definitely obviously clearly just only",
    "quantities": "many much more most some several few less least percent million billion number "
    "majority average half hundred thousand",
    "evidence": "according study studies research report reports evidence data statistics survey "
    "source sources university experts example examples found shows shown showed cited show",
    "chat": "lol ok okay yeah yes yep nope hey hi hello thanks thank please haha omg wtf gonna "
    "wanna gotta dude guy guys stuff thing things crap dumb stupid idiot well oh anyway kinda",
    "unapostrophed": "dont doesnt didnt isnt arent wasnt werent cant couldnt wont wouldnt shouldnt "
    "havent hasnt im ive youre theyre thats whats theres lets alot",
    "debate": "round rounds vote votes voters opponent pro con debate debates argument arguments "
    "resolution rebuttal rebuttals contention contentions refute refuted claim claims point points",
    "opinion": "think thinks thought believe believes feel feels know guess mean opinion agree "
    "disagree say says said want",
}
"""Class name -> its words, lower-cased, apart by spaces. A word may be in several classes."""

FNV_OFFSET = 14695981039346656037
FNV_PRIME = 1099511628211


class WordTable(NamedTuple):
    """Open addressing over words' hashes: `keys` (0 = free) and `masks`, one bit for each class."""

    keys: NDArray[np.uint64]
    masks: NDArray[np.uint32]


def word_hash(word: bytes) -> int:
    """FNV-1a of the word's bytes, 64 bits, never 0."""
    value = FNV_OFFSET
    for byte in word:
        value = ((value ^ byte) * FNV_PRIME) & 0xFFFFFFFFFFFFFFFF
    return value or 1


def class_masks() -> dict[bytes, int]:
    """Word -> mask; bit i is set when the word is in the i-th of `WORD_CLASSES`."""
    masks: dict[bytes, int] = {}
    for bit, words in enumerate(WORD_CLASSES.values()):
        for word in words.encode().split():
            masks[word] = masks.get(word, 0) | 1 << bit
    return masks


def word_table(size: int = 2048) -> WordTable:
    """The classes as a table of `size` slots (a power of two), linear probing."""
    keys = np.zeros(size, dtype=np.uint64)
    masks = np.zeros(size, dtype=np.uint32)
    for word, mask in class_masks().items():
        key = word_hash(word)
        slot = key & (size - 1)
        while keys[slot] not in (0, key):
            slot = (slot + 1) & (size - 1)
        keys[slot], masks[slot] = key, mask
    return WordTable(keys, masks)
