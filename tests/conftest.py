"""Fixtures for every test: an environment independent of the machine."""

from __future__ import annotations

import gc
import hashlib
import os
import re
import sys
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import suppress
from functools import cache
from itertools import groupby
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, settings

from tests import source_code
from tests.rounds import ROUNDS

SAMPLES = Path(__file__).resolve().parent.parent / "sample_sessions"

_PINNED = {"NO_COLOR": "1", "TZ": "UTC", "COLUMNS": "100", "LINES": "30", "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}


# The installed program is started hundreds of times: it is compiled once, whatever is set here. Workers inherit this.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """`-n auto`: more workers than cores, since tests wait: for a terminal, a screen, a process. Each worker reads all of the tests."""
    wanted = os.environ.get("PYTEST_XDIST_AUTO_NUM_WORKERS", "")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return int(wanted) if wanted.isdecimal() else 2 * min(cores, 6)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """The tests that ask real agents are not even read unless they are wanted."""
    unwanted = config.option.markexpr == "not agents" and collection_path.parent.name == "agents"
    return True if unwanted and collection_path.name.startswith("test_") else None


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Each worker reads the files in an order of its own: what one has compiled is there when others come to it."""
    report = yield
    worker = getattr(collector.config, "workerinput", None)
    if worker and isinstance(collector, pytest.Directory) and report.result:
        Random(worker["workerid"]).shuffle(report.result)
    return report


_TOGETHER = ("modules", "sdks")
"""Fixtures that take a second: the tests that use one of them are as if they stood in one file, for one worker."""


def _file(item: pytest.Item) -> Path:
    fixtures = getattr(item, "fixturenames", ())
    return next((Path(name) for name in _TOGETHER if name in fixtures), item.path)


def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    if nextitem is None or _file(item) != _file(nextitem):
        source_code.modules.cache_clear()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Each worker begins with one stretch of the list, and takes of the others' ends: so that tests that wait, which
    lie side by side, are run beside tests that calculate, files are dealt out like cards, every second hand backwards.
    """
    workers: int = getattr(config, "workerinput", {}).get("workercount", 1)
    items.sort(key=lambda item: (_file(item), item.path))  # the same for all, wherever they began
    if workers > 1:
        files = [list(found) for _, found in groupby(items, _file)]
        hands = [files[number::workers][:: -1 if number % 2 else 1] for number in range(workers)]
        items[:] = [item for hand in hands for found in hand for item in found]


def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """A worker says how a test ended, not that it was set up and cleared away as thousands before it."""
    options = item.config.option
    if not hasattr(item.config, "workerinput") or options.xmlpath or options.durations:
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


gc.disable()  # nothing of what is collected is garbage


def pytest_collection_finish() -> None:
    """Thousands of tests stay until the end: the garbage collector need not look at them each time."""
    gc.enable()
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)  # what a test leaves is little, and looked for less often


_WORKER = os.getpid()


def _family(pid: int) -> Iterator[int]:
    """The process and those it has started: each save asks all that run what they have open, and many may run here."""
    yield pid
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            for child in children.read_text().split():
                yield from _family(int(child))


@pytest.fixture(autouse=True, scope="session")
def pinned_for_all(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The user's colours, Textual settings, agents' folders, settings and temporary files have no effect."""
    base = tmp_path_factory.getbasetemp()  # where pytest has it, and keeps it
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        os.chmod(temporary, 0o755)  # others may look into it, as into the one that holds it
        for name in list(os.environ):
            if name.startswith(("TEXTUAL", "TOOLPAIR", "CLAUDE_", "FORCE_COLOR", "GITHUB_")):
                patch.delenv(name)
        for name, value in _PINNED.items():
            patch.setenv(name, value)
        # The newest measured version resumes sessions, whatever is installed here.
        patch.setattr("toolpair.cli.inputs.version_here", lambda format_id: None)
        if not ROUNDS:  # what is waited for, a disk or another writer, is not there but in tests of their own
            patch.setattr(os, "fsync", lambda descriptor: None)
            patch.setattr("toolpair.source.rows.reading._TICK", 0)
            patch.setattr("toolpair.source.folders.stored_session._TICK", 0)
        if os.path.exists(f"/proc/{_WORKER}/task/{_WORKER}/children"):
            patch.setattr("toolpair.source.saving.holders._processes", lambda: list(_family(_WORKER)))
        patch.setenv("TMPDIR", temporary)
        patch.setattr("tempfile.tempdir", None)
        patch.setattr("toolpair.session.verdict_cache._OWN", str(SAMPLES))  # the program does not change meanwhile
        # Not created: hardly any test keeps something.
        patch.setenv("XDG_CONFIG_HOME", str(base / "no-config"))
        yield


@pytest.fixture(autouse=True)
def pinned_environment(
    pinned_for_all: None, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[None]:
    """Each test finds no other's state."""
    state = hashlib.sha256(request.node.nodeid.encode()).hexdigest()[:12]
    os.environ["XDG_STATE_HOME"] = str(tmp_path_factory.getbasetemp() / f"state-{state}")
    os.environ["XDG_CACHE_HOME"] = str(tmp_path_factory.getbasetemp() / f"cache-{state}")
    environment: dict[bytes, bytes] = os.environ._data  # type: ignore[attr-defined]  # to decode all takes its time
    before = environment.copy()
    yield
    for name in {name for name, _ in environment.items() ^ before.items()} - {b"PYTEST_CURRENT_TEST"}:
        if name in before:
            os.environb[name] = before[name]
        else:
            del os.environb[name]


_folders: Counter[str] = Counter()


@pytest.fixture
def tmp_path(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """As pytest's, but for the search through all folders that there are for a name that is free."""
    name = re.sub(r"\W", "_", request.node.name)[:30]
    while (path := tmp_path_factory.getbasetemp() / f"{name}{_folders[name]}").exists():
        _folders[name] += 1
    path.mkdir(mode=0o700)
    return path


@pytest.fixture
def modules() -> tuple[source_code.Module, ...]:
    """All modules of toolpair."""
    return source_code.modules()


@pytest.fixture
def sdks() -> None:
    """The test loads what a vendor's library is made of."""


@pytest.fixture
def samples() -> Path:
    """The folder of the sample sessions; read-only."""
    return SAMPLES


# Neither a slow machine nor chance decides whether a test fails: each run tries the same cases, unless new ones are
# wanted.
settings.register_profile("same", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
settings.register_profile("new", settings.get_profile("same"), derandomize=False)
settings.load_profile("new" if "TOOLPAIR_TEST_ROUNDS" in os.environ else "same")

if not ROUNDS:
    # What is tried does not depend on the modules that a worker has loaded, and none is searched for words and numbers.
    with suppress(ImportError):
        from hypothesis import core
        from hypothesis.internal.conjecture import providers
        from hypothesis.internal.constants_ast import Constants

        providers._get_local_constants = Constants
        core.function_digest = cache(core.function_digest)  # of one function for each of its parameters
