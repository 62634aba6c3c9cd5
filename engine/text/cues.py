"""What tells a sentence that carries a point from talk about the debate: words and signs counted.

The lists were written for English debate portals and forums, from reading them; a sentence of
another language has only the signs that need no words (length, questions, quotes, digits).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.compiled import inlined, kernel

SIGNS = ("words", "characters", "digits", "capitals", "question", "quoted", "colon", "small")
"""Counts that need no list: words, characters, digits and capitals of a sentence, and whether it
is a question, begins in quotation marks, ends in a colon, begins with a small letter."""

PHRASES: Mapping[str, str] = {
    "cue": """
        because/since/therefore/thus/hence/so that/in order to/due to/should/should not/shouldn't/
        must/must not/ought/need to/needs to/have to/has to/cannot/harm/harms/harmful/harmed/
        damage/damages/damaging/benefit/benefits/beneficial/advantage/advantages/disadvantage/
        disadvantages/cause/causes/caused/lead to/leads to/led to/result in/results in/prevent/
        prevents/protect/protects/reduce/reduces/increase/increases/improve/improves/allow/allows/
        help/helps/encourage/encourages/violate/violates/threaten/threatens/deserve/deserves/
        right to/rights/freedom/wrong/unfair/fair/unjust/immoral/dangerous/danger/safe/safer/
        better/worse/best/worst/important/necessary/unnecessary/effective/ineffective/cost/costs/
        risk/risks/costly/more likely/less likely/means that/evidence/proven/studies show/
        the reason/unless/rather than/instead of/more than/less than/not only/reason/reasons/
        than good/not justify/does not justify/not solve/deter/deters/save/saves/destroy/destroys/
        force/forces/suffer/suffering/kill/kills/unnecessarily/no right/equal/equality/justice""",
    "talk": """
        pro's/con's/opponent/opponents/opponent's/opponents'/my adversary/rebuttal/rebuttals/
        rebut/rebutted/rebutting/refute/refuted/refutes/refuting/refutation/contention/
        contentions/counterargument/counter argument/counter arguments/counterpoint/instigator/
        contender/this debate/the debate/debate is/our debate/debating/debate with/debater/
        debaters/debated/debates/next round/this round/last round/previous round/first round/
        second round/third round/final round/round 1/round 2/round 3/round 4/round 5/round one/
        round two/round three/round four/r1/r2/r3/r4/opening statement/opening argument/
        opening arguments/opening round/closing statement/closing statements/burden of proof/bop/
        my burden/his burden/her burden/the burden/dear voters/vote for me/the aff/the neg/
        the affirmative/
        negative side/the resolution/this resolution/the motion/this motion/proposition/negate/
        i affirm/i negate/thank/thanks/thank you/good luck/best of luck/i accept/for accepting/
        accepting this/accept this/i await/look forward/looking forward/forfeit/forfeits/
        forfeited/ff/extend my/extend all/extend arguments/concede/conceded/concession/
        will be arguing/i meant/i shall argue/i will argue/i'll be arguing/i am arguing/i'm arguing/
        i will start/i'll start/i will begin/i'll begin/let's begin/let me begin/let me start/
        let us begin/i begin/i would like/i'd like to/i will now/i shall/i will address/
        i will provide/i will show/i will prove/i will present/i will respond/i will defend/
        move on to/moving on/on to/my case/my arguments/my argument/my point/my points/
        my position/my stance/my side/my first/my second/my third/my last/my final/my next/
        my response/my rebuttals/my sources/your argument/your arguments/your point/your points/
        your case/your response/your first/your second/your last/you said/you say/you state/
        you stated/you claim/you claimed/you mention/you mentioned/you argue/you asked/
        you have not/you haven't/you did not/you didn't/he said/he says/he claims/he states/
        she says/she claims/she states/as i said/as i stated/as i mentioned/i said/i stated/
        i have stated/i have shown/i have proven/i've shown/i've already/i have already/i already/
        as stated/stated above/mentioned above/above argument/strawman/straw man/fallacy/
        ad hominem/non sequitur/red herring/source please/troll/trolling/semantics/definitions/
        defined as/merriam/webster/dictionary/is a debate/hello/hi/welcome/greetings/sorry/
        apologize/first argument/second argument/third argument/argument 1/argument 2/argument 3/
        argument one/argument two/point 1/point 2/point 3/point one/point two/following reasons/
        several reasons/three reasons/two reasons/few reasons/many reasons/the topic/this topic/
        this question/the question/this argument/these arguments/the following/as follows""",
    "reference": """
        http/https/www/com/org/html/pdf/doi/et al/ibid/retrieved/retrieved from/accessed/sources/
        references/bibliography/works cited/journal of/vol/pp/isbn/university press/press release/
        quoted in/cited in/encyclopedia/wikipedia/edu/gov/see also/footnote/citation/citations/
        url/youtube/eds/publication/publications""",
    "person": """
        i/i'm/i've/i'd/i'll/im/ive/me/my/mine/myself/you/you're/you've/you'd/you'll/your/yours/
        yourself/u/ur""",
    "example": """
        for example/for instance/an example/such as/e g/according to/study/survey/percent/million/
        billion/reported/researchers/university/professor""",
}
"""Words and phrases of one to three words, by class."""

STARTS: Mapping[str, str] = {
    "anaphora": """
        this/that/these/those/it/it's/its/he/she/they/they're/their/his/her/him/them/such/which/
        who/whose/here/there/the former/the latter/another/both/either/neither/then/also/so/and/
        or/but/yet/however/moreover/furthermore/additionally/besides/nevertheless/nonetheless/
        likewise/similarly/instead/otherwise/again/still/for example/for instance/as such/
        as a result/as well/in addition/on the other/on the contrary/in contrast/in fact/indeed/
        secondly/thirdly/finally/lastly/next/what/why/how/when/where/yes/no/well/ok/okay/now""",
}
"""Words and phrases that lean on the sentence before, or lead in, at a sentence's beginning."""

CLASSES = (*PHRASES, *STARTS)
COLUMNS = (*SIGNS, *CLASSES)
"""The columns of `count`, in order."""

_NUMBER = {name: number for number, name in enumerate(COLUMNS)}
_WORDS, _CHARACTERS, _DIGITS, _CAPITALS, _QUESTION, _QUOTED, _COLON, _SMALL = range(len(SIGNS))
_TALK, _ANAPHORA = _NUMBER["talk"], _NUMBER["anaphora"]
_OFFSET, _PRIME = np.uint64(14695981039346656037), np.uint64(1099511628211)
_SLOTS = 8192
LONGEST_QUOTE = 600
"""Characters after which a quotation that nothing closes is taken to be over."""


def _hash(phrase: str) -> int:
    value = int(_OFFSET)
    for sign in phrase:
        value = ((value ^ ord(sign)) * int(_PRIME)) & (1 << 64) - 1
    return value


def _entries() -> Iterable[tuple[str, str]]:
    for name, phrases in (*PHRASES.items(), *STARTS.items()):
        for phrase in phrases.split("/"):
            yield name, " ".join(phrase.split())


@lru_cache(maxsize=1)
def table() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """The lists as a hash table: keys and bits of classes, uint64[_SLOTS] each, 0 where free."""
    keys, classes = np.zeros(_SLOTS, np.uint64), np.zeros(_SLOTS, np.uint64)
    for name, phrase in _entries():
        key = np.uint64(_hash(phrase))
        slot = int(key) % _SLOTS
        while keys[slot] not in (0, key):
            slot = (slot + 1) % _SLOTS
        keys[slot] = key
        classes[slot] |= np.uint64(1 << _NUMBER[name])
    return keys, classes


def codes(text: str) -> NDArray[np.uint32]:
    """A text's code points, uint32[len(text)]."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


@inlined
def _folded(code):  # type: ignore[no-untyped-def]
    """A sign in ASCII lower case, all apostrophes as one."""
    if 65 <= code <= 90:
        return code + 32
    return 39 if code in (0x2019, 0x2018, 0x02BC) else code


@inlined
def _is_letter(code):  # type: ignore[no-untyped-def]
    """Whether a sign belongs to a word: ASCII letters and digits, letters of other scripts."""
    if code < 128:
        return 48 <= code <= 57 or 65 <= code <= 90 or 97 <= code <= 122
    if 0x2000 <= code <= 0x2BFF or 0x3000 <= code <= 0x303F or 0x1F000 <= code <= 0x1FAFF:
        return False
    return code >= 0xC0


@inlined
def _classes_of(value, keys, classes):  # type: ignore[no-untyped-def]
    """The classes of a phrase with that hash, as bits."""
    slot = value % np.uint64(len(keys))
    while keys[slot] != 0 and keys[slot] != value:
        slot = (slot + np.uint64(1)) % np.uint64(len(keys))
    return classes[slot]


@inlined
def _note(row, bits, leading):  # type: ignore[no-untyped-def]
    """Count a phrase in its classes; those of `STARTS` only where it leads the sentence."""
    for column in range(len(row) if bits else 0):
        if bits >> np.uint64(column) & np.uint64(1) and (leading or column != _ANAPHORA):
            row[column] += 1


@kernel
def _is_speaker(codes, end):  # type: ignore[no-untyped-def]
    """Whether the word that ends there is the name of a side, as in "Pro says" or "CON's case"."""
    if end < 3 or (end > 3 and _is_letter(codes[end - 4])):
        return False
    first, second, third = codes[end - 3], _folded(codes[end - 2]), _folded(codes[end - 1])
    pro, con = first == 80 and second == 114, first == 67 and second == 111
    if not ((pro and third == 111) or (con and third == 110)):
        return False
    if end + 1 >= len(codes):
        return True
    return codes[end] in (32, 44) and 97 <= codes[end + 1] <= 122


@kernel
def _phrases(codes, keys, classes, row):  # type: ignore[no-untyped-def]
    """Count a sentence's words, and its phrases of one to three words by class."""
    one, two, three = _OFFSET, _OFFSET, _OFFSET
    words, inside = 0, False
    for i in range(len(codes) + 1):
        sign = _folded(codes[i]) if i < len(codes) else np.uint32(32)
        joins = sign == 39 and inside and i + 1 < len(codes) and _is_letter(codes[i + 1])
        if joins or _is_letter(sign):
            if not inside:
                space = np.uint64(32)
                three = (two ^ space) * _PRIME
                two = (one ^ space) * _PRIME
                one, inside = _OFFSET, True
            sign = np.uint64(sign)
            one, two, three = (one ^ sign) * _PRIME, (two ^ sign) * _PRIME, (three ^ sign) * _PRIME
        elif inside:
            inside = False
            if codes[i - 1] in (110, 111, 78, 79):
                row[_TALK] += _is_speaker(codes, i)
            _note(row, _classes_of(one, keys, classes), words == 0)
            if words > 0:
                _note(row, _classes_of(two, keys, classes), words == 1)
            if words > 1:
                _note(row, _classes_of(three, keys, classes), words == 2)
            words += 1
    row[_WORDS] = words


@kernel
def _signs(codes, row):  # type: ignore[no-untyped-def]
    """Count a sentence's characters, digits and capitals, and look at its two ends."""
    row[_CHARACTERS] = len(codes)
    for code in codes:
        row[_DIGITS] += 48 <= code <= 57
        row[_CAPITALS] += 65 <= code <= 90
    last = len(codes) - 1
    while last > 0 and codes[last] in (34, 39, 41, 93, 0x201D, 0x2019, 0xBB):
        last -= 1
    row[_QUESTION] = codes[last] in (63, 0xFF1F, 0x61F)
    row[_COLON] = codes[last] == 58
    row[_SMALL] = 97 <= codes[0] <= 122


@inlined
def _is_quote(code):  # type: ignore[no-untyped-def]
    """Whether a sign opens or closes a quotation."""
    return code in (34, 0x201C, 0x201D, 0x201E, 0xAB, 0xBB)


@kernel
def _quotations(codes, spans, out):  # type: ignore[no-untyped-def]
    """Note the sentences that begin in quotation marks, or inside a quotation still open.

    A mark between two letters is an apostrophe that a portal mangled; one that nothing follows on
    its right closes.
    """
    opened, at = -1, 0
    for span in range(len(spans)):
        begin, end = spans[span]
        for i in range(at, begin):
            if _is_quote(codes[i]):
                opened = _after(codes, i, opened)
        single = codes[begin] in (0x2018, 39)
        inside = opened >= 0 and begin - opened < LONGEST_QUOTE
        out[span, _QUOTED] = inside or single or _is_quote(codes[begin])
        for i in range(begin, end):
            if _is_quote(codes[i]):
                opened = _after(codes, i, opened)
        at = end


@kernel
def _after(codes, i, opened):  # type: ignore[no-untyped-def]
    """Where the quotation that is open after the quotation mark at `i` began, or -1."""
    before = i > 0 and codes[i - 1] > 32
    follows = i + 1 < len(codes) and codes[i + 1] > 32
    if before and follows and _is_letter(codes[i - 1]) and _is_letter(codes[i + 1]):
        return opened
    if before and (not follows or opened >= 0):
        return -1
    return i if follows else -1


@kernel
def count(codes, spans, keys, classes):  # type: ignore[no-untyped-def]
    """The counts of each sentence, int32[n, len(COLUMNS)]; `spans` int32[n, 2], none empty."""
    out = np.zeros((len(spans), len(COLUMNS)), np.int32)
    for span in range(len(spans)):
        begin, end = spans[span]
        _signs(codes[begin:end], out[span])
        _phrases(codes[begin:end], keys, classes, out[span])
    _quotations(codes, spans, out)
    return out
