"""`argsearch index`: build an index from a corpus."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from argsearch.api.cli import terminal
from argsearch.api.cli.change import change, processes, told_if_stopped
from argsearch.api.cli.options import (
    Columns,
    Config,
    OnError,
    Quiet,
    Settings,
    Workers,
    argument,
    columns_of,
    option,
    within,
)
from argsearch.indexer.errors import ArgsearchError, InvalidParameter, Missing
from argsearch.indexer.server.address import is_address, mask

if TYPE_CHECKING:
    from argsearch.engine.config import Config as Configuration
    from argsearch.indexer.building.build import BuildReport, BuildRequest


def index(
    out: str = option(
        "--out INDEX", "The index to build: a directory, or http(s)://host:port/name.", ...
    ),
    corpus: list[str] | None = argument(
        "[CORPUS]...",
        "args.me JSON, JSON Lines, CSV or Kialo's export (plain, .gz, .xz, .zst, .zip), "
        "irds:NAME, or - for JSON Lines on standard input.",
        None,
    ),
    config: Config = "default",
    settings: Settings = None,
    on_error: OnError = "stop",
    workers: Workers = None,
    shards: int = within("--shards N", 1, 1024, "Number of shards on a search server.", 1),
    replicas: int | None = within(
        "--replicas N",
        0,
        100,
        "Copies of each shard; by default one if the server has two nodes.",
        None,
    ),
    parts: list[str] | None = option(
        "--with PART",
        "An optional part to build, such as vectors; repeatable. Without CORPUS, the part is "
        "added to an existing index.",
        None,
    ),
    columns: Columns = None,
    clusters_from: str | None = option(
        "--clusters-from INDEX",
        "Assign texts to the topical clusters of this index, which must have the same encoder.",
        None,
    ),
    beside: str | None = option(
        "--beside DIRECTORY",
        "Index directory for the parts that a search server cannot hold: counter, pairs and "
        "premises.",
        None,
    ),
    rebuild: bool = option(
        "--rebuild",
        "Find new topical clusters for the index at INDEX: from its own texts or, with CORPUS, "
        "by a full build.",
        False,
    ),
    force: bool = option(
        "--force",
        "Replace an index built from another corpus. Files that argsearch did not write are never "
        "replaced.",
        False,
    ),
    clean: bool = option(
        "--clean", "Clean up after killed builds on a search server; takes no CORPUS.", False
    ),
    quiet: Quiet = False,
) -> None:
    """Build an index: read a corpus, find topical clusters and predict quality.

    Without a CORPUS, --with adds parts to an existing index.

    Example: argsearch index args-me.json --out my-index
    """
    from argsearch.indexer.building.build import BuildRequest, workers_for
    from argsearch.indexer.server.schema import Layout

    of_a_build = {
        "--on-error": on_error != "stop",
        "--shards": shards != 1,
        "--replicas": replicas is not None,
        "--column": columns,
        "--clusters-from": clusters_from,
        "--beside": beside,
        "--force": force,
    }
    given = [name for name, value in of_a_build.items() if value]
    if rebuild and not (corpus and not clean):
        given += ["--clean"] if clean else []
        words = [*(corpus or []), *(parts or []), *(settings or []), config.removeprefix("default")]
        _rebuild(out, [word for word in [*words, *given] if word], workers, quiet)
    elif clean:
        _clean(out, corpus or [], quiet)
    elif not corpus:
        if given and parts:
            problem = f"{given[0]} needs CORPUS; without it, --with changes the existing index"
            raise InvalidParameter(given[0], True, problem=problem)
        _add(parts or [], out, workers, _changed(config, settings), quiet)
    else:
        chosen = _configured(config, settings, parts)
        request = BuildRequest(
            sources=corpus,
            out=out,
            settings=chosen.index,
            config=chosen.name,
            on_error="skip" if on_error == "skip" else "stop",
            workers=workers_for(corpus) if workers is None else workers,
            layout=Layout(shards, replicas, chosen.retrieval.mu) if is_address(out) else None,
            columns=columns_of(columns),
            clusters_from=clusters_from,
            beside=beside,
        )
        _build(request, rebuild=rebuild, force=force, quiet=quiet)


def _build(request: BuildRequest, *, rebuild: bool, force: bool, quiet: bool) -> None:
    """Update an index of the same corpus, or build a new one where that is allowed."""
    if request.beside is not None:
        _known_there(str(request.beside), request.sources, "--beside", force=force)
    known = _known_there(str(request.out), request.sources, "--out", force=force)
    if not (known and _updated(request, known, rebuild=rebuild or force, quiet=quiet)):
        _run(request, quiet)


def _configured(config: str, settings: list[str] | None, parts: list[str] | None) -> Configuration:
    """Return the configuration with the parts from --with appended to its own, without repeats."""
    from argsearch.engine.config import load_config

    chosen = load_config(config, tuple(settings or ()))
    wanted = tuple(dict.fromkeys([*chosen.index.parts, *(parts or [])]))
    return replace(chosen, index=replace(chosen.index, parts=wanted))


def _known_there(
    out: str, corpus: Sequence[str], named: str, *, force: bool
) -> dict[str, Any] | None:
    """Return the manifest of the index at `out`, or None if no manifest can be read.

    named: the option whose value is `out`. Raises TargetNotAnIndex if the folder must not be
    replaced. Without --force, raises InvalidParameter for an index of a different corpus.
    """
    from argsearch.indexer.format import manifest
    from argsearch.indexer.format.ownership import index_manifest
    from argsearch.indexer.staging import check_replaceable

    if is_address(out):
        found = _manifest_on_server(out)
    elif (Path(out) / manifest.NAME).is_file():
        check_replaceable(Path(out))
        found = index_manifest(Path(out))
    else:
        return None
    if found is not None and not force:
        _check_corpus(found, out, corpus, named)
    try:
        return None if is_address(out) else manifest.read(Path(out))
    except ArgsearchError:
        return None  # a full build follows


def _manifest_on_server(out: str) -> dict[str, Any] | None:
    """Return the unchecked manifest of the index at an address, or None if there is no index."""
    from argsearch.indexer.server.address import parse
    from argsearch.indexer.server.client import connect
    from argsearch.indexer.server.generations import generations_of, read_meta

    with closing(connect(parse(out))) as server:
        there = generations_of(server)
        if not there:
            return None
        manifest = (read_meta(server, there[0]) or {}).get("manifest")
    return manifest if isinstance(manifest, dict) else {}


def _check_corpus(found: dict[str, Any], out: str, corpus: Sequence[str], named: str) -> None:
    """Raise InvalidParameter unless an index was built from the given files."""
    try:
        said = _said(found)
        held = [_alone(source["name"]) for source in found["corpus"]["sources"]]
    except (LookupError, TypeError, ValueError):
        said, held = "an unknown corpus", []
    asked = {_alone(source) for source in corpus}
    if {*held} != asked:
        lost = ", ".join(name for name in dict.fromkeys(held) if name not in asked)
        problem = f"{named} {mask(out)} is an index of {said}; choose another place, or use --force"
        if lost and asked.intersection(held):
            problem += f" (this loses the documents from {lost})"
        raise InvalidParameter(named, mask(out), problem=problem)


def _said(manifest: dict[str, Any]) -> str:
    return f"{manifest['corpus']['name']}, {manifest['corpus']['documents']:,} documents"


def _updated(request: BuildRequest, known: dict[str, Any], *, rebuild: bool, quiet: bool) -> bool:
    """Update an index of the same corpus, or say why that is impossible and return False.

    An update needs an index that can be read and was built with the same configuration.
    """
    from argsearch.indexer.building import changing
    from argsearch.indexer.format.manifest import IndexDamaged

    out, there = str(request.out), f"the index ({_said(known)})"
    asked = None if rebuild or request.clusters_from else request
    if asked is None or not changing.is_made_by(asked, known):
        why = "" if asked is None else " (it was built with other settings)"
        lost = changing.parts_dropped(request, known)
        noun = "part" if len(lost) == 1 else "parts"
        without = f", without the {noun} {', '.join(lost)} (add --with PART to keep one)"
        said = f"{out}: {there} will be replaced by a new build{why}{without if lost else ''}"
        terminal.say(said, quiet=quiet)
        return False
    terminal.say(f"{out}: updating {there}; --rebuild builds it from scratch", quiet=quiet)
    try:
        change(out, lambda progress: changing.update_by(asked, progress), quiet)
    except IndexDamaged as error:
        terminal.say(f"{error}; rebuilding the index", quiet=quiet)
        return False
    return True


def _alone(source: str) -> str:
    """Return a source's file name without compression suffix: corpora may be moved or packed."""
    name = Path(source).name
    for packing in (".gz", ".xz", ".zst", ".zip"):
        name = name.removesuffix(packing)
    return name


def _clean(out: str, corpus: list[str], quiet: bool) -> None:
    """Remove what killed builds left on a search server, and print the names."""
    from argsearch.indexer.server.address import parse
    from argsearch.indexer.server.client import connect
    from argsearch.indexer.server.generations import clean

    if corpus or not is_address(out):
        problem = "--clean works only with --out http(s)://host:port/name and without CORPUS"
        raise InvalidParameter("--clean", True, problem=problem)
    with closing(connect(parse(out))) as server:
        removed, left = clean(server)
    for line in left:
        terminal.say(f"left alone: {line}", quiet=quiet)
    terminal.say(f"{mask(out)}: {len(removed)} removed", quiet=quiet)
    for index in removed:
        print(index)


def _rebuild(out: str, given: list[str], workers: int | None, quiet: bool) -> None:
    """Cluster an index again, using its own texts."""
    from argsearch.indexer.building import changing

    if given:
        more = " ".join(given)
        problem = f"--rebuild takes its texts and settings from the index; leave out {more}"
        raise InvalidParameter("--rebuild", more, problem=problem)
    of = processes(out, workers)
    change(out, partial(changing.rebuild, out, workers=of), quiet)


def _changed(config: str, settings: list[str] | None) -> dict[str, str]:
    """Return the settings of [index] that apply to parts added to an existing index."""
    chosen = _configured(config, settings, None).index.meaning_encoder
    return {} if chosen == "none" else {"meaning_encoder": chosen}


def _add(
    parts: list[str], out: str, workers: int | None, changed: dict[str, str], quiet: bool
) -> None:
    """Add parts to an existing index, and print the index and its fingerprint."""
    from argsearch.indexer.parts.adding import PARTS, add_parts

    if not parts:
        said = "a file, irds:NAME or -; to add a part to an existing index, give --with instead"
        raise InvalidParameter("CORPUS", Missing(), said)
    if is_address(out):
        allowed = f"a directory to add {', '.join(PARTS)} to; for a search server, also give CORPUS"
        raise InvalidParameter("--out", mask(out), allowed)
    begun = time.monotonic()
    with told_if_stopped(out, quiet), terminal.Progress("documents", quiet=quiet) as progress:
        of = processes(out, workers)
        fingerprint = add_parts(Path(out), parts, progress.update, of, changed)
    named = ", ".join(parts)
    terminal.say(f"{out}: added {named} in {time.monotonic() - begun:,.1f} s", quiet=quiet)
    print(f"{out}\t{fingerprint}")


def _run(request: BuildRequest, quiet: bool) -> None:
    """Build the index, report on standard error, and print the index and its fingerprint."""
    from argsearch.indexer.building.build import build
    from argsearch.indexer.staging import building_place

    begun, out = time.monotonic(), str(request.out)
    name = mask(out)
    place = None if is_address(out) else Path(out).resolve()  # `.` is another folder afterwards
    with told_if_stopped(out, quiet), terminal.Progress("documents", quiet=quiet) as progress:
        report = build(request, progress.update)
    counts = report.counts
    for line in report.read.summary():
        terminal.say(line, quiet=quiet)
    words = {"conclusions": "distinct conclusions"}
    named = [f"{number:,} {words.get(name, name)}" for name, number in counts.items()]
    terminal.say(", ".join(named[1:]), quiet=quiet)  # documents were told
    if place and (left := building_place(place)).exists():
        said = "old index files are left; move your own files out of this folder, then delete it"
        terminal.say(f"{left}: {said}", quiet=quiet)
    size = _size(report, place)
    terminal.say(f"{name}: {size} in {time.monotonic() - begun:,.1f} s", quiet=quiet)
    print(f"{name}\t{report.fingerprint}")


def _size(report: BuildReport, place: Path | None) -> str:
    """Describe the new index's size. place: its directory, or None on a search server."""
    if place is None:
        return f"{report.counts['documents']:,} documents, {report.sent_again:,} sent again,"
    files = (path for path in place.rglob("*") if path.is_file())
    return f"{sum(path.stat().st_size for path in files) / 1e6:,.1f} MB"
