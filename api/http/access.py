"""Who may ask, and how often: a token, a limit for each client, other origins."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import math
import mmap
import os
import re
import struct
import time
from codecs import BOM_UTF8
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from ipaddress import IPv4Address, ip_address
from pathlib import Path

from fastapi import Request, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from argsearch.api.http.problems import again_later, respond
from argsearch.indexer.errors import InvalidParameter

OPEN = ("/health", "/ready")
"""The paths that ask for no token and count towards no limit."""
SHORTEST_TOKEN = 16
"""Characters of a token: fewer can be guessed."""
LONGEST_BURST = 1.0
"""Seconds of its rate that a client may use up at once (but always one request)."""
# The least and the most requests a second that a limit can be.
LOWEST_RATE = 0.01
HIGHEST_RATE = 1e6
_SLOTS = 1 << 16
_ORIGIN = re.compile(r"https?://[^/\s,*@]+")
CHALLENGE = 'Bearer realm="argsearch", Basic realm="argsearch", charset="UTF-8"'
"""How a token can be sent; for the second a browser asks its reader, as for a password."""
EXPOSED = ["ETag", "X-Index-Fingerprint", "X-Request-ID", "Retry-After"]
"""Headers that a page of another origin may read."""
TAKEN = ["Authorization", "Content-Type", "If-None-Match", "X-Request-ID"]
"""Headers that a page of another origin may send."""


@dataclass(frozen=True)
class Access:
    """Who may ask, and how often; by default everybody, as often as they like, from here."""

    origins: Sequence[str] = ()
    """Origins whose pages may read the answers; `*` is all."""
    tokens: Sequence[str] = field(default=(), repr=False)
    """One of them has to be sent; none: nobody is asked for one."""
    rate: float | None = None
    """Requests a second of one client."""
    writers: Sequence[str] = field(default=(), repr=False)
    """Tokens that may change index directories; none: nobody may, and there is no route."""

    @cached_property
    def counted(self) -> Rate | None:
        """The one count of all applications that are made with this."""
        return Rate(self.rate) if self.rate else None


EVERYBODY = Access()


def read_tokens(path: str | Path, option: str = "--token-file") -> tuple[str, ...]:
    """The tokens of a file, one a line; raises InvalidParameter for one that is none."""
    try:
        lines = Path(path).read_bytes().removeprefix(BOM_UTF8).decode("ascii").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not ASCII"
        raise InvalidParameter(option, path, f"a readable file ({why})") from error
    tokens = tuple(line.strip() for line in lines if line.strip())
    if not tokens or min(map(len, tokens)) < SHORTEST_TOKEN or any(" " in one for one in tokens):
        allowed = f"a file of tokens, one a line, each of {SHORTEST_TOKEN} characters or more"
        raise InvalidParameter(option, path, f"{allowed}, without spaces")
    return tokens


def read_origins(given: Sequence[str]) -> tuple[str, ...]:
    """The origins, checked: `*`, or scheme, host and port without a path."""
    for origin in given:
        if origin != "*" and not _ORIGIN.fullmatch(origin):
            allowed = "* or an origin without a path, such as https://example.org"
            raise InvalidParameter("--cors", origin, allowed)
    return tuple(given)


def read_rate(given: str | None) -> float | None:
    """Requests a second, of `N/s`."""
    if given is None:
        return None
    number, slash, unit = given.partition("/")
    try:
        # NaN passes this, and fails the comparison below.
        rate = float(number)
    except ValueError:
        rate = math.nan
    if not (slash and unit == "s" and LOWEST_RATE <= rate <= HIGHEST_RATE):
        allowed = f"N/s with N from {LOWEST_RATE:g} to {HIGHEST_RATE:g}"
        raise InvalidParameter("--rate-limit", given, allowed)
    return rate


class Tokens:
    """The tokens, compared in a time that tells nothing of them."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self._digests = [hashlib.sha256(token.encode()).digest() for token in tokens]

    def accepts(self, authorization: bytes) -> bool:
        """Whether the header holds a token: `Bearer TOKEN`, or `Basic` with it as password."""
        scheme, _, rest = authorization.strip().partition(b" ")
        given = rest.strip()
        if scheme.lower() == b"basic":
            try:
                _, _, given = base64.b64decode(given, validate=True).partition(b":")
            except binascii.Error:
                return False
        elif scheme.lower() != b"bearer":
            return False
        # Digests are of one length, so that the comparison does not tell that of a token.
        digest = hashlib.sha256(given).digest()
        # A list, not a generator: all are compared, so that the time does not tell which one fits.
        return any([hmac.compare_digest(digest, wanted) for wanted in self._digests])  # noqa: C419


def network(client: str) -> str:
    """Return what tells a client from others: of an IPv6 address its /64, which is one owner's."""
    try:
        address = ip_address(client.partition("%")[0])
    except ValueError:
        return client
    if isinstance(address, IPv4Address):
        return str(address)
    return str(address.ipv4_mapped or int(address) >> 64)


class Rate:
    """How often each client may ask, counted for all processes together.

    The generic cell rate algorithm (GCRA): of each client only the time is kept until which its
    requests so far use up its rate, in one of 65,536 places that processes forked from this one
    share. Clients that fall in one place share their rate; addresses leave no trace.
    """

    def __init__(self, rate: float) -> None:
        self._gap = 1.0 / rate
        self._ahead = max(LONGEST_BURST, self._gap)
        # Anonymous and shared, without a lock: two processes that meet let one request more pass.
        self._times = mmap.mmap(-1, _SLOTS * 8)
        # Without a key anybody could compute an address that shares another client's place.
        self._key = os.urandom(16)

    def wait(self, client: str) -> float:
        """Seconds until the client may ask again; 0 where it may now, which then counts."""
        place = self._place(client)
        now = time.monotonic()
        (until,) = struct.unpack_from("d", self._times, place)
        until = max(until, now) + self._gap
        # Rounding must not refuse the last request of a burst.
        if until - now > self._ahead + 1e-9:
            return float(until - now - self._ahead)
        struct.pack_into("d", self._times, place, until)
        return 0.0

    def _place(self, client: str) -> int:
        named = network(client).encode()
        digest = hashlib.blake2b(named, digest_size=8, key=self._key).digest()
        return int.from_bytes(digest, "little") % _SLOTS * 8


class Guard:
    """Answers 401 to those without a token and 429 to those who ask too often."""

    def __init__(
        self,
        app: ASGIApp,
        tokens: Tokens | None,
        rate: Rate | None = None,
        uncounted: Collection[str] = (),
    ) -> None:
        self.app, self.tokens, self.rate, self.uncounted = app, tokens, rate, uncounted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or pass it on."""
        free = scope["type"] != "http" or scope["path"] in OPEN
        refused = None if free else self._refused(Request(scope))
        await (refused or self.app)(scope, receive, send)

    def _refused(self, request: Request) -> Response | None:
        given = request.headers.get("authorization", "").encode("latin-1")
        if self.tokens and not self.tokens.accepts(given):
            said = "a token is needed: send the header Authorization: Bearer TOKEN"
            refused = respond(request, 401, said)
            refused.headers["WWW-Authenticate"] = CHALLENGE
            return refused
        if self.rate and request.scope["path"] not in self.uncounted:
            again = math.ceil(self.rate.wait(request.client.host if request.client else ""))
            if again:
                said = f"too many requests; ask again in {again} s"
                return again_later(respond(request, 429, said), again)
        return None
