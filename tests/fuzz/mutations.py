"""Changing files as damage, other software and malice do: bytes, lines, cells, values, members."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
from safetensors.numpy import load, save

Mutation = Callable[[bytes, Random], bytes]

BITS = (
    b"\0",
    b"\xff",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
    b"\r\n",
    b"\t",
    b'"',
    b"\\",
    b"\\ud800",
    b"\\u0000",
    b"<!-- ",
    b"]]>",
    b"&a;",
    b"\x1b[31m",
    b"\xc2\x85",
    b"\xe2\x80\xa8",
    b"[" * 2000,
    b'{"a":' * 500,
    b"[" * 100_000,
    b"9" * 400,
    b"9" * 5000,
    b"x" * 200_000,
    b"-1",
    b"1e999",
    b"NaN",
    b"#",
    b",",
    b" ",
    b"\n\n",
)
"""What is put in."""
VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1 << 31,
    1 << 63,
    1 << 64,
    10**400,
    10**4200,
    -0.0,
    1e308,
    float("inf"),
    float("nan"),
    "",
    " ",
    "a b",
    "a\tb",
    "a\nb",
    "\0",
    "\ud800",
    "\u202e",
    "x" * 5000,
    "../../etc/passwd",
    [],
    {},
    [[]],
    [None],
    {"": ""},
    {"id": {"id": []}},
    "PRO",
    "none",
)
"""What a value of a document is replaced by."""


def deep(levels: int) -> Any:
    """Lists in lists."""
    value: Any = []
    for _ in range(levels):
        value = [value]
    return value


def of_bytes(data: bytes, random: Random) -> bytes:
    """One change of any file's bytes: a bit, a cut, something put in, a part twice or moved."""
    at = random.randrange(len(data) + 1)
    end = min(len(data), at + random.choice((1, 2, 8, 64, 512)))
    kind = random.randrange(7)
    if kind == 0 and at < len(data):
        return data[:at] + bytes([data[at] ^ 1 << random.randrange(8)]) + data[at + 1 :]
    if kind == 1:
        return data[:at]
    if kind == 2:
        return data[:at] + data[end:]
    if kind == 3:
        return data[:end] + data[at:end] * random.choice((1, 2, 50)) + data[end:]
    if kind == 4:
        return data[:at] + random.randbytes(random.choice((1, 4, 40))) + data[at:]
    if kind == 5:
        other = random.randrange(len(data) + 1)
        return data[:at] + data[other : other + end - at] + data[end:]
    return data[:at] + random.choice(BITS) + data[at:]


def of_numbers(data: bytes, random: Random) -> bytes:
    """One number longer than 64 bits, Python's own limit or a line."""
    numbers = list(re.finditer(random.choice((rb"\d+", rb"(?<=: )\d+", rb"(?<== )\d+")), data))
    if not numbers:
        return of_bytes(data, random)
    at = random.choice(numbers).start()
    return data[:at] + b"9" * random.choice((20, 320, 4301, 70_000)) + data[at:]


def of_lines(data: bytes, random: Random) -> bytes:
    """One change of lines, or of a cell of a line."""
    lines = data.split(b"\n")
    i, j = random.randrange(len(lines)), random.randrange(len(lines))
    kind = random.randrange(6)
    if kind == 0:
        del lines[i]
    elif kind == 1:
        lines.insert(i, lines[j])
    elif kind == 2:
        lines[i], lines[j] = lines[j], lines[i]
    elif kind == 3:
        lines[i] = of_bytes(lines[i], random)
    elif kind == 4:
        lines[i] += lines[j]
    else:
        lines[i] = _of_cells(lines[i], random)
    return b"\n".join(lines)


def _of_cells(line: bytes, random: Random) -> bytes:
    cells = re.split(rb"([ \t,;=])", line)
    i, j = random.randrange(len(cells)), random.randrange(len(cells))
    kind = random.randrange(4)
    if kind == 0:
        cells[i] = cells[j]
    elif kind == 1:
        cells[i] = random.choice(BITS)
    elif kind == 2:
        cells[i] = b""
    else:
        cells[i] = json.dumps(random.choice(VALUES)).encode()
    return b"".join(cells)


def of_json(data: bytes, random: Random) -> bytes:
    """One change of a value, a key or an item anywhere in a JSON text (or one of its lines)."""
    try:
        return _written(of_value(json.loads(data), random), random)
    except RecursionError:
        return of_bytes(data, random)
    except ValueError:
        lines = data.split(b"\n")
    i = random.randrange(len(lines))
    try:
        lines[i] = _written(of_value(json.loads(lines[i]), random), random)
    except (ValueError, RecursionError):
        return of_bytes(data, random)
    return b"\n".join(lines)


def _written(value: Any, random: Random) -> bytes:
    text = json.dumps(value, ensure_ascii=random.random() < 0.5)
    return text.encode("utf-8", "surrogatepass")


def of_value(value: Any, random: Random) -> Any:
    """One change of a parsed value, at a place drawn by chance."""
    if not isinstance(value, dict | list) or not value or random.random() < 0.15:
        return deep(random.choice((70, 900))) if random.random() < 0.05 else random.choice(VALUES)
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    key = random.choice(keys)
    kind = random.random()
    if kind < 0.1:
        del value[key]
    elif kind < 0.2 and isinstance(value, dict):
        value[str(random.choice(VALUES))] = value.pop(key)
    elif kind < 0.3 and isinstance(value, list):
        value.insert(random.randrange(len(value) + 1), value[key])
    else:
        value[key] = of_value(value[key], random)
    return value


def of_markup(data: bytes, random: Random) -> bytes:
    """One change of a tag, or a declaration of entities."""
    tags = list(re.finditer(rb"<[^>]*>", data))
    if not tags or random.random() < 0.1:
        laughs = b"".join(b'<!ENTITY e%d "&e%d;&e%d;">' % (i, i - 1, i - 1) for i in range(1, 40))
        return b'<!DOCTYPE t [<!ENTITY e0 "ha">' + laughs + b"]><t>&e39;</t>" + data
    tag, other = random.choice(tags), random.choice(tags)
    new = random.choice((b"", other[0], tag[0] * 2, tag[0][:-1], b"<![CDATA[", b"<a b='c' b='d'>"))
    return data[: tag.start()] + new + data[tag.end() :]


def opened(data: bytes) -> tuple[str, str, dict[str, np.ndarray]]:
    """The header's text, the checksum and the arrays of a model file."""
    size = int.from_bytes(data[:8], "little")
    found = json.loads(json.loads(data[8 : 8 + size])["__metadata__"]["argsearch"])
    return found["header"], found["sha256"], load(data)


def packed(text: str, sha256: str, arrays: dict[str, np.ndarray]) -> bytes:
    """A model file of these."""
    return save(arrays, {"argsearch": json.dumps({"header": text, "sha256": sha256})})


def of_model(data: bytes, random: Random) -> bytes:
    """One change of a model file: an array left out, renamed, of other type, shape or values; or
    one of its header.

    Its checksum is left as it is; `sealed` makes it fit.
    """
    try:
        text, sha256, arrays = opened(data)
        name, kind = random.choice(list(arrays)), random.randrange(5)
        if kind == 0:
            del arrays[name]
        elif kind == 1:
            arrays[random.choice(("a", "header", "../x", ""))] = arrays.pop(name)
        elif kind == 2:
            text = of_json(text.encode(), random).decode()
        else:
            with np.errstate(all="ignore"):
                arrays[name] = np.ascontiguousarray(_of_array(arrays[name], random))
        return packed(text, sha256, arrays)
    except Exception:  # broken by an earlier change, or a type that no file can hold
        return of_bytes(data, random)


def _of_array(array: np.ndarray, random: Random) -> np.ndarray:
    kind = random.randrange(6)
    if kind == 0:
        return array[: len(array) // 2] if array.ndim else array[None]
    if kind == 1:
        return array.astype(random.choice(("f4", "f8", "i8", "u1", "c8", "U4", "?")))
    if kind == 2:
        return array.reshape(-1)
    if kind == 3 and array.dtype.kind == "f" and array.size:
        changed = array.copy()
        changed.flat[random.randrange(array.size)] = random.choice((np.nan, np.inf, -1e300, 0))
        return changed
    return array[None] if kind == 4 else np.zeros((0, 3), array.dtype)


def several(mutations: tuple[Mutation, ...], data: bytes, random: Random) -> bytes:
    """One to four changes, each of a kind drawn by chance."""
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        data = random.choice(mutations)(data, random)
    return data
