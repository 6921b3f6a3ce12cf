"""A report in a real browser: nothing runs, nothing is fetched, no policy is violated, all of it prints."""

from __future__ import annotations

import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from tests.reports.page.conftest import Writing
from tests.reports.page.sessions import hostile, one_of_everything, written

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--virtual-time-budget=3000",
    "--enable-logging=stderr",
]
VIOLATION = re.compile(r"violates the following|Refused to|Content Security Policy", re.IGNORECASE)


class Browser:
    """Opens pages, each time with a profile of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __call__(self, page: Path, *what: str) -> tuple[str, str]:
        """What the browser prints, and what it logs."""
        assert CHROMIUM is not None
        profile = self._folder / "profile"
        command = [CHROMIUM, *FLAGS, f"--user-data-dir={profile}", *what, page.as_uri()]
        ran = subprocess.run(command, capture_output=True, timeout=PATIENCE)
        shutil.rmtree(profile, ignore_errors=True)
        return ran.stdout.decode("utf-8", "replace"), ran.stderr.decode("utf-8", "replace")


@pytest.fixture
def browser(tmp_path: Path) -> Browser:
    return Browser(tmp_path)


@pytest.fixture
def hits() -> Iterator[tuple[int, list[str]]]:
    """A server on this machine: its port, and what was asked of it."""
    asked: list[str] = []

    class Counting(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Counting)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server.server_address[1], asked
    server.shutdown()
    thread.join()
    server.server_close()


def test_hostile_content_runs_nothing_and_fetches_nothing(
    tmp_path: Path, write: Writing, browser: Browser, hits: tuple[int, list[str]]
) -> None:
    port, asked = hits
    (page,) = write(written(tmp_path, hostile(port)), full=True, images=True).paths
    shown, log = browser(page, "--dump-dom")
    assert asked == []
    assert not VIOLATION.search(log), log
    assert "<title>session.json – session report</title>" in shown
    assert "&lt;script&gt;document.title='owned'&lt;/script&gt;" in shown and "<script" not in shown


def test_the_browser_would_tell(tmp_path: Path, write: Writing, browser: Browser, hits: tuple[int, list[str]]) -> None:
    """The same with something planted behind the escaping: the policy holds it off, and the log says so."""
    port, asked = hits
    (page,) = write(written(tmp_path, one_of_everything())).paths
    planted = (
        f"<img src='http://127.0.0.1:{port}/image'><script>document.title='owned'</script><b style='color:red'>x</b>"
    )
    page.write_text(page.read_text("utf-8").replace("<main>", f"<main>{planted}"), "utf-8")
    shown, log = browser(page, "--dump-dom")
    assert VIOLATION.search(log) and asked == [] and "<title>owned" not in shown


@pytest.mark.parametrize("images", [False, True])
def test_the_style_applies(tmp_path: Path, write: Writing, browser: Browser, images: bool) -> None:
    (page,) = write(written(tmp_path, one_of_everything()), images=images).paths
    _, log = browser(page, f"--screenshot={tmp_path / 'shot.png'}", "--window-size=360,800")
    assert not VIOLATION.search(log), log
    assert (tmp_path / "shot.png").stat().st_size > 10_000


def test_all_of_it_prints(tmp_path: Path, write: Writing, browser: Browser) -> None:
    """What is folded on the screen is open on paper: a long output takes many pages."""
    (page,) = write(written(tmp_path, one_of_everything()), full=True).paths
    pdf = tmp_path / "report.pdf"

    def printed() -> int:
        browser(page, f"--print-to-pdf={pdf}", "--no-pdf-header-footer")
        return len(re.findall(rb"/Type\s*/Page\b", pdf.read_bytes()))

    open_ = printed()
    style = page.read_text("utf-8")
    page.write_text(style.replace("details::details-content", "details::nothing"), "utf-8")
    assert open_ > 10
    # Without its rule for print (here the style no longer has the policy's hash, so it has none) the output is folded.
    assert printed() < open_
