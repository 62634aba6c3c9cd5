"""Fixtures every room's tests share: where the real corpora and weights are."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from tests import passed

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page
    from xdist.remote import Producer
    from xdist.scheduler import Scheduling

    from tests.indexes import Built

NAMES = ("chromium", "chromium-browser", "google-chrome")
SWITCHES = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

# Seeds are fixed, so that a change is judged by itself; a kernel's first call compiles it, and a
# machine that has other work takes its time: neither says anything of an example.
settings.register_profile(
    "argsearch", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("quick", settings.get_profile("argsearch"), max_examples=10)
settings.load_profile("argsearch")

os.environ.pop("COLUMNS", None)  # what is printed without a terminal has a width of its own

# What the second compiler of Java would give takes longer to make than a test's node lives.
os.environ.setdefault("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1")

# A shell that starts the tests in the background lets them, and what they start, ignore Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)


def _folder(variable: str, holds: str) -> Path:
    value = os.environ.get(variable)
    if not value:
        pytest.skip(f"set {variable} to the folder that holds {holds}")
    folder = Path(value)
    if not folder.is_dir():
        pytest.fail(f"{variable} is {value!r}, which is not a folder; it must hold {holds}")
    return folder.resolve()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--no-skips", action="store_true", help="a skipped test is a failure")
    together = "a folder whose files one process tests, as they share servers; may be repeated"
    parser.addoption("--together", action="append", default=[], metavar="DIR", help=together)
    nightly = "run what is marked so, too"
    parser.addoption("--nightly", action="store_true", help=nightly)
    passed.add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(passed)


LONG = (
    "contracts/",
    "browser/",
    "test_e",
    "fuzz/",
    "golden/",
    "benchmarks/",
    "engine/units/",
    "api/test_cli",
)
"""Files that begin so take longest; begun first, none is left for one process at the end."""
APART = ("contracts/test_servers_cluster.py", "contracts/test_servers_compose.py")
"""Files with servers of their own, or none: another process than their folder's can take them."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave what takes longest for the night, and begin with the longest of the others."""

    def turn(item: pytest.Item) -> int:
        file = item.nodeid.removeprefix("tests/")
        return next((turn for turn, name in enumerate(LONG) if file.startswith(name)), len(LONG))

    late = [item for item in items if item.get_closest_marker("nightly")]
    if late and not config.option.nightly:
        config.hook.pytest_deselected(items=late)
        items[:] = [item for item in items if not item.get_closest_marker("nightly")]
    items.sort(key=turn)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Scheduling | None:
    """With --together, files of a folder that it names go to one process, but for APART."""
    if config.getvalue("dist") != "loadfile" or not config.option.together:
        return None
    from xdist.scheduler import LoadFileScheduling

    class ByFolder(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file: str = super()._split_scope(nodeid)
            if file.endswith(APART):
                return file
            folders = (folder.rstrip("/") for folder in config.option.together)
            return next((one for one in folders if file.startswith(f"{one}/")), file)

    return ByFolder(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and item.config.option.no_skips:
        report.outcome = "failed"
        report.longrepr = f"skipped where nothing may be: {call.excinfo and call.excinfo.value}"
    return report


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of the real corpora and judgements (ARGSEARCH_DATA)."""
    return _folder("ARGSEARCH_DATA", "the real corpora and judgements")


@pytest.fixture(scope="session")
def models_dir() -> Path:
    """The folder of the real encoder weights (ARGSEARCH_MODELS)."""
    return _folder("ARGSEARCH_MODELS", "the real encoder weights (use-lite/)")


SAMPLE = Path(__file__).parent.parent / "indexer" / "sample"


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Indexes by corpus, settings and parts, each built once; not to be written to."""
    from tests.indexes import Built

    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # that of the session, which its processes share
    (folder / "built").mkdir(exist_ok=True)
    return Built(folder / "built")


@pytest.fixture(scope="session")
def sample_index(built: Built) -> Path:
    """The sample corpus, indexed as `argsearch index` does by default; not to be written to."""
    return built()


@pytest.fixture(scope="session")
def counter_index(built: Built) -> Path:
    """The same with the parts vectors and counter; not to be written to."""
    return built(added=["counter"])


@pytest.fixture(scope="session")
def premises_index(built: Built) -> Path:
    """That index with the part `premises`; not to be written to."""
    return built(added=["premises"])


@pytest.fixture(scope="session")
def every_part(built: Built) -> Path:
    """The sample corpus with every part but `meaning`; not to be written to."""
    return built(added=["near_duplicates", "counter", "pairs", "premises"])


@pytest.fixture(scope="session")
def real_corpus(data_dir: Path) -> Path:
    """The args.me subset."""
    return data_dir / "argsme-subset" / "args-me-subset.json.xz"


@pytest.fixture(scope="session")
def real_index(built: Built, real_corpus: Path) -> Path:
    """The args.me subset, indexed by the settings of a library's user; not to be written to."""
    from argsearch.indexer.format.settings import IndexSettings

    return built(real_corpus, IndexSettings())


@pytest.fixture(scope="session")
def real_parts(built: Built, real_corpus: Path) -> Path:
    """The same with every part but `meaning`; not to be written to."""
    from argsearch.indexer.format.settings import IndexSettings
    from argsearch.indexer.parts.adding import PARTS

    added = tuple(name for name in PARTS if name != "meaning")
    return built(real_corpus, IndexSettings(), added=added)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """A running Chromium."""
    api = pytest.importorskip(
        "playwright.sync_api", reason="install playwright: pip install playwright"
    )
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip(f"install Chromium: none of {', '.join(NAMES)} is on the PATH")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=SWITCHES)
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium: Browser, address: str) -> Iterator:
    """Opens a path at a width and colour scheme, and waits for the answer to a question.

    Any error in the page fails the test.
    """
    from tests.browser.pages import done
    from tests.processes import PATIENCE

    contexts = []
    errors: list[str] = []

    def open_at(path: str, width: int = 1280, scheme: str = "light") -> Page:
        context = chromium.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=scheme,
            reduced_motion="reduce",
            base_url=address,
            accept_downloads=True,
        )
        context.set_default_timeout(1000 * PATIENCE)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on(
            "console", lambda message: errors.append(message.text) if _is_error(message) else None
        )
        page.on(
            "request", lambda request: errors.append(request.url) if _foreign(request) else None
        )
        page.goto(path)
        if "/?" in path:
            done(page)
        return page

    def _foreign(request: object) -> bool:
        return not request.url.startswith(("http://127.0.0.1:", "data:", "blob:"))

    yield open_at
    for context in contexts:
        context.close()
    assert errors == []


def _is_error(message: object) -> bool:
    """An error or warning of the page itself; a refused request is also told by its answer."""
    return message.type in ("error", "warning") and "Failed to load resource" not in message.text
