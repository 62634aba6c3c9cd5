"""Addresses of indexes on search servers, and the credentials for them.

Passwords and keys come from the environment (or, unwisely, from the address itself). These
credentials are never shown, and `ServerAddress` is printed without them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from argsearch.indexer.errors import InvalidParameter

ADDRESS_FORM = "http(s)://host:port/name, such as http://localhost:9200/args"
INDEX_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]*")
"""Index names that both servers accept and that are not patterns."""
LONGEST_NAME = 200
_ADDRESS = re.compile(r"(https?)://(?:(.*)@)?([^/@]+)((?:/[^/?#@]+)*)/([^/?#@]+)/?", re.IGNORECASE)
_HOST = re.compile(r"(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(?::(\d{1,5}))?")


def is_address(index: str | Path) -> bool:
    """Return True if an index is given by its address on a server and not by a directory."""
    return str(index).lower().startswith(("http://", "https://"))


def mask(text: str) -> str:
    """Return the text with the user and password in every address hidden."""
    return re.sub(r"\S+", lambda word: _masked(word[0]), text)


def _masked(word: str) -> str:
    # A single pattern would search for an @ to the end of the word, from each of many schemes.
    before, at, host = word.rpartition("@")
    scheme = re.search("https?://", before, re.IGNORECASE) if at else None
    return f"{before[: scheme.end()]}***@{host}" if scheme else word


@dataclass(frozen=True)
class Credentials:
    """The credentials and connection settings for a server; secrets are never printed."""

    api_key: str | None = field(default=None, repr=False)
    username: str | None = field(default=None, repr=False)
    password: str | None = field(default=None, repr=False)
    ca_certs: str | None = None
    verify: bool = True
    timeout: float = 60.0
    """Seconds to wait for an answer."""


@dataclass(frozen=True)
class ServerAddress:
    """The location of an index: one or more nodes of a cluster, and the index's name."""

    scheme: str
    hosts: tuple[tuple[str, int], ...]
    prefix: str
    """Path before the name if the server is behind a gateway, otherwise empty."""
    name: str
    credentials: Credentials = field(default_factory=Credentials, repr=False)

    @property
    def server(self) -> str:
        """Address of the server without the index's name and without credentials."""
        hosts = ",".join(f"{host}:{port}" for host, port in self.hosts)
        return f"{self.scheme}://{hosts}{self.prefix}"

    def __str__(self) -> str:
        return f"{self.server}/{self.name}"


def _secret(environment: Mapping[str, str], key: str) -> str | None:
    return environment.get(f"ARGSEARCH_ES_{key}") or None


def _credentials(user: str | None, environment: Mapping[str, str]) -> Credentials:
    username, _, password = (user or "").partition(":")
    seconds = _secret(environment, "TIMEOUT") or "60"
    verify = (_secret(environment, "VERIFY") or "true").lower()
    if verify not in ("true", "false"):
        raise InvalidParameter("ARGSEARCH_ES_VERIFY", verify, "true or false")
    if not re.fullmatch(r"\d+(\.\d+)?", seconds) or not 0 < float(seconds) <= 86_400:
        raise InvalidParameter("ARGSEARCH_ES_TIMEOUT", seconds, "above 0 and at most 86400 seconds")
    key = _secret(environment, "API_KEY")
    if key and not re.fullmatch(r"[!-~]+", key):
        said = "printable ASCII without spaces or line breaks, as the server gave it"
        raise InvalidParameter("ARGSEARCH_ES_API_KEY", "***", said)
    ca_certs = _secret(environment, "CA_CERTS")
    if ca_certs and not Path(ca_certs).is_file():
        raise InvalidParameter("ARGSEARCH_ES_CA_CERTS", ca_certs, "a file of certificates (PEM)")
    return Credentials(
        api_key=key,
        username=unquote(username) or _secret(environment, "USERNAME"),
        password=unquote(password) or _secret(environment, "PASSWORD"),
        ca_certs=ca_certs,
        verify=verify == "true",
        timeout=float(seconds),
    )


def _host(text: str, scheme: str, address: str) -> tuple[str, int]:
    found = _HOST.fullmatch(text)
    port = int(found[2] or (443 if scheme == "https" else 9200)) if found else 0
    if not found or not 1 <= port <= 65_535:
        raise InvalidParameter("index address", mask(address), ADDRESS_FORM)
    return found[1], port


def parse(address: str, environment: Mapping[str, str] | None = None) -> ServerAddress:
    """Return the parts of `http(s)://[user:password@]host:port[,host:port…]/name`.

    If the address has no credentials, they come from ARGSEARCH_ES_API_KEY, ARGSEARCH_ES_USERNAME
    and ARGSEARCH_ES_PASSWORD. ARGSEARCH_ES_CA_CERTS, ARGSEARCH_ES_VERIFY and ARGSEARCH_ES_TIMEOUT
    control the connection. Raises InvalidParameter, without credentials in the message.
    """
    found = _ADDRESS.fullmatch(address.strip())
    if not found:
        raise InvalidParameter("index address", mask(address), ADDRESS_FORM)
    scheme, user, hosts, prefix, name = found.groups()
    scheme = scheme.lower()
    if not INDEX_NAME.fullmatch(name) or len(name) > LONGEST_NAME:
        allowed = f"1 to {LONGEST_NAME} lower-case letters, digits, - _ . (first a letter or digit)"
        raise InvalidParameter("index name", name, allowed)
    return ServerAddress(
        scheme=scheme,
        hosts=tuple(_host(host, scheme, address) for host in hosts.split(",")),
        prefix=prefix,
        name=name,
        credentials=_credentials(user, os.environ if environment is None else environment),
    )
