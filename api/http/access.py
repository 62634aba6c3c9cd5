"""Control access by tokens, a rate limit for each client, and allowed origins."""

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
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from ipaddress import IPv4Address, ip_address
from pathlib import Path

from fastapi import Request, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from argsearch.api.http.problems import again_later, respond
from argsearch.indexer.errors import InvalidParameter

OPEN = ("/health", "/ready")
"""Paths that need no token and are not rate-limited."""
SHORTEST_TOKEN = 16
"""Minimum length of a token in characters. Shorter tokens could be guessed."""
LONGEST_BURST = 1.0
"""Seconds of its rate that a client may use at once. At least one request is always allowed."""
# Range of a rate limit, in requests per second.
LOWEST_RATE = 0.01
HIGHEST_RATE = 1e6
_SLOTS = 1 << 16
_ORIGIN = re.compile(r"https?://[^/\s,*@]+")
CHALLENGE = 'Bearer realm="argsearch", Basic realm="argsearch", charset="UTF-8"'
"""Schemes for sending a token. With Basic, a browser asks the user for a password."""
EXPOSED = ["ETag", "X-Index-Fingerprint", "X-Request-ID", "Retry-After"]
"""Headers that a page from another origin may read."""
TAKEN = ["Authorization", "Content-Type", "If-None-Match", "X-Request-ID"]
"""Headers that a page from another origin may send."""


@dataclass(frozen=True)
class Access:
    """Access rules. By default, every client has unlimited access."""

    origins: Sequence[str] = ()
    """Origins whose pages may read responses; `*` allows all."""
    tokens: Sequence[str] = field(default=(), repr=False)
    """Accepted tokens; if empty, no token is needed."""
    rate: float | None = None
    """Maximum requests per second from one client."""
    writers: Sequence[str] = field(default=(), repr=False)
    """Tokens that allow changes to the index; if empty, there is no route for changes."""

    @cached_property
    def counted(self) -> Rate | None:
        """The rate limit shared by all applications with these rules, or None if there is none."""
        return Rate(self.rate) if self.rate else None


EVERYBODY = Access()


def read_tokens(path: str | Path | None, option: str = "--token-file") -> tuple[str, ...]:
    """Return the tokens in a file, one per line; none if no file is given.

    Raises InvalidParameter if a token is invalid.
    """
    if path is None:
        return ()
    try:
        lines = Path(path).read_bytes().removeprefix(BOM_UTF8).decode("ascii").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "this one is not ASCII"
        raise InvalidParameter(option, path, f"a readable file ({why})") from error
    tokens = tuple(line.strip() for line in lines if line.strip())
    if not tokens or min(map(len, tokens)) < SHORTEST_TOKEN or any(" " in one for one in tokens):
        allowed = f"a file of tokens, one per line, with at least {SHORTEST_TOKEN} characters each"
        raise InvalidParameter(option, path, f"{allowed} and no spaces")
    return tokens


def read_origins(given: Sequence[str]) -> tuple[str, ...]:
    """Return the origins. Raise InvalidParameter unless each is `*` or a scheme, host and port."""
    for origin in given:
        if origin != "*" and not _ORIGIN.fullmatch(origin):
            allowed = "* or an origin without a path, such as https://example.org"
            raise InvalidParameter("--cors", origin, allowed)
    return tuple(given)


def read_rate(given: str | None) -> float | None:
    """Return the requests per second given as `N/s`."""
    if given is None:
        return None
    with suppress(ValueError):
        # `float` accepts NaN, but NaN fails the comparison.
        if given.endswith("/s") and LOWEST_RATE <= (rate := float(given[:-2])) <= HIGHEST_RATE:
            return rate
    allowed = f"N/s with N from {LOWEST_RATE:g} to {HIGHEST_RATE:g}"
    raise InvalidParameter("--rate-limit", given, allowed)


class Tokens:
    """The tokens, compared in constant time."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self._digests = [hashlib.sha256(token.encode()).digest() for token in tokens]

    def accepts(self, request: Request, *, basic: bool = True) -> bool:
        """Return True if a request has a token, as `Bearer TOKEN` or as the `Basic` password."""
        authorization = request.headers.get("authorization", "").encode("latin-1")
        scheme, _, rest = authorization.strip().partition(b" ")
        given = rest.strip()
        if basic and scheme.lower() == b"basic":
            try:
                _, _, given = base64.b64decode(given, validate=True).partition(b":")
            except binascii.Error:
                return False
        elif scheme.lower() != b"bearer":
            return False
        # All digests have the same length, so the comparison does not reveal the token's length.
        digest = hashlib.sha256(given).digest()
        # A list, not a generator: if all are compared, the time does not reveal which one matches.
        return any([hmac.compare_digest(digest, wanted) for wanted in self._digests])  # noqa: C419


def network(client: str) -> str:
    """Return a client's IPv4 address, or for IPv6 its /64 network, which has one owner."""
    try:
        address = ip_address(client.partition("%")[0])
    except ValueError:
        return client
    if isinstance(address, IPv4Address):
        return str(address)
    return str(address.ipv4_mapped or int(address) >> 64)


class Rate:
    """A rate limit for each client, shared by all processes.

    The generic cell rate algorithm (GCRA) stores one time per client: the end of the time that its
    requests have used up. Forked processes share 65,536 slots for these times. Clients in the same
    slot share their rate. Addresses are not stored.
    """

    def __init__(self, rate: float) -> None:
        self._gap = 1.0 / rate
        self._ahead = max(LONGEST_BURST, self._gap)
        # The map is shared without a lock: of two simultaneous requests, one too many may pass.
        self._times = mmap.mmap(-1, _SLOTS * 8)
        # Without a key, anybody could compute an address that shares another client's slot.
        self._key = os.urandom(16)

    def wait(self, client: str) -> float:
        """Return the seconds that the client must wait. 0 admits this request and counts it."""
        place = self._place(client)
        now = time.monotonic()
        (until,) = struct.unpack_from("d", self._times, place)
        until = max(until, now) + self._gap
        # Rounding must not reject the last request of a burst.
        if until - now > self._ahead + 1e-9:
            return float(until - now - self._ahead)
        struct.pack_into("d", self._times, place, until)
        return 0.0

    def _place(self, client: str) -> int:
        named = network(client).encode()
        digest = hashlib.blake2b(named, digest_size=8, key=self._key).digest()
        return int.from_bytes(digest, "little") % _SLOTS * 8


@dataclass(frozen=True)
class Guard:
    """Middleware that answers 401 without a valid token, and 429 above the rate limit."""

    app: ASGIApp
    tokens: Tokens | None
    rate: Rate | None = None
    uncounted: Collection[str] = ()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        free = scope["type"] != "http" or scope["path"] in OPEN
        refused = None if free else self._refused(Request(scope))
        await (refused or self.app)(scope, receive, send)

    def _refused(self, request: Request) -> Response | None:
        if self.tokens and not self.tokens.accepts(request):
            said = "a token is needed: send the header Authorization: Bearer TOKEN"
            refused = respond(request, 401, said)
            refused.headers["WWW-Authenticate"] = CHALLENGE
            return refused
        if self.rate and request.scope["path"] not in self.uncounted:
            again = math.ceil(self.rate.wait(request.client.host if request.client else ""))
            if again:
                said = f"too many requests; try again in {again} s"
                return again_later(respond(request, 429, said), again)
        return None
