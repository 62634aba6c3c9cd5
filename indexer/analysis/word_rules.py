"""The rules of a token, over the letters of `word_classes.CLASSES`.

They are the word boundaries of UAX #29 as Lucene's StandardTokenizer reads them: words of
alphabetic scripts and numbers by the rules WB4 to WB13b; one token per Han or Hiragana character;
a run of a South East Asian script is one token; emoji by the sequences of UTS #51. A token is the
longest run that matches `TOKEN`; what matches nothing is skipped.

The notation is that of regular expressions: sets, groups, | * + ?, blanks mean nothing.
"""

from __future__ import annotations

_X = "[xzpPktTse]*"  # WB4: marks and joiners belong to the character before
_x = "[xzktTse]*"  # the same but for the two presentation selectors

_letter = f"([AaH] {_X})"
_hebrew = f"(H {_X})"
_digit = f"([Nd] {_X})"
_katakana = f"(K {_X})"
_underscore = f"(_ {_X})"
_between_letters = f"([Mbq] {_X})"
_between_digits = f"([mbq] {_X})"

_letters = f"{_letter} (({_underscore}* | {_between_letters}) {_letter})*"  # WB5-7
_digits = f"{_digit} (({_underscore}* | {_between_digits}) {_digit})*"  # WB8, 11, 12
_quoted_hebrew = f"{_hebrew} (q {_X} | Q {_X} {_hebrew})"  # WB7a-c
_katakanas = f"{_katakana} ({_underscore}* {_katakana})*"  # WB13
_part = f"({_katakanas} | ({_quoted_hebrew} | {_digits} | {_letters})+)"  # WB9, 10
_word = f"{_underscore}* {_part} ({_underscore}+ {_part})* {_underscore}*"  # WB13a, 13b

_picture = f"([Ea] {_x})"
_modified = f"((z* {_picture})? e {_x})"
_emoji = f"(z* {_picture} P? | {_modified})"
_emoji_sequence = f"{_emoji} ((z {_emoji})* | t+ T)"
_keycap = f"[#d] {_x} P? k {_x}"
_flag = f"F {_X} F {_X}"

_south_east_asian = f"([Ss] {_X})+"
_ideograph = f"J {_X}"
_hiragana = f"R {_X}"

TOKEN = " | ".join(
    (_word, _south_east_asian, _ideograph, _hiragana, _emoji_sequence, _keycap, _flag)
)
"""What a token is."""
