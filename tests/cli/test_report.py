"""`toolpair report`: files that only their owner reads, one clear sentence for every mistake, exit codes."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import toolpair
from tests.cli.conftest import Run
from tests.patience import PATIENCE
from tests.reports.page.parsed import assert_only_the_template, words
from tests.reports.page.sessions import one_of_everything, written
from tests.reports.page.test_pages import long
from tests.words import wrong_words

Copy = Callable[[str], Path]


def test_a_page_is_written(run: Run, copy: Copy, tmp_path: Path) -> None:
    out = tmp_path / "out.html"
    before = os.umask(0)
    try:
        ran = run("report", copy("sanitised-on-one-side.json"), "-o", out)
    finally:
        os.umask(before)
    assert ran.code == 0 and ran.out == ""
    assert re.fullmatch(
        rf"toolpair: Wrote {out} \(\d+ KB\)\.\ntoolpair: It contains the session's content: read it before you share it\.\n",
        ran.err,
    )
    assert out.stat().st_mode & 0o777 == 0o600
    assert "WON'T RESUME" in words(assert_only_the_template(out.read_bytes()))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.html", "sanitised-on-one-side.json"]


def test_the_form_follows_from_the_name(run: Run, copy: Copy, tmp_path: Path) -> None:
    sample = copy("valid.json")
    for name, begin in (("a.html", "<!DOC"), ("a.HTM", "<!DOC"), ("a.md", "<!-- "), ("a.markdown", "<!-- ")):
        assert run("report", sample, "-o", tmp_path / name).code == 0
        assert (tmp_path / name).read_text("utf-8").startswith(begin)
    assert run("report", sample, "-o", tmp_path / "a.txt", "--output-format", "markdown").code == 0
    assert (tmp_path / "a.txt").read_text("utf-8").startswith("<!-- ")


def test_an_existing_file_stays(run: Run, copy: Copy, tmp_path: Path) -> None:
    out = tmp_path / "out.html"
    out.write_text("mine")
    ran = run("report", copy("valid.json"), "-o", out)
    assert (ran.code, out.read_text()) == (3, "mine") and "already exists" in ran.err
    assert run("report", copy("valid.json"), "-o", out, "--force").code == 0
    assert out.read_text("utf-8").startswith("<!DOC")


def test_an_existing_later_page_stays_and_one_of_an_earlier_report_is_named(
    run: Run, samples: Path, tmp_path: Path
) -> None:
    session = written(tmp_path, long(1400))
    later = tmp_path / "out-2.html"
    later.write_text("mine")
    ran = run("report", session, "-o", tmp_path / "out.html")
    assert ran.code == 3 and "out-2.html already exists" in ran.err
    assert later.read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out-2.html", "session.json"]
    ran = run("report", session, "-o", tmp_path / "out.html", "--force")
    assert ran.code == 0 and "and 2 more pages, up to out-3.html" in ran.err
    assert "mine" not in later.read_text("utf-8")
    ran = run("report", samples / "valid.json", "-o", tmp_path / "out.html", "--force")
    assert "out-2.html to out-3.html belong to an earlier report and can be deleted." in ran.err


def test_the_session_is_never_overwritten(run: Run, copy: Copy) -> None:
    sample = copy("valid.json")
    before = sample.read_bytes()
    ran = run("report", sample, "-o", sample, "--force", "--output-format", "html")
    assert ran.code == 3 and "is the session itself" in ran.err
    assert sample.read_bytes() == before


def test_standard_output_takes_one_page(run: Run, copy: Copy, tmp_path: Path) -> None:
    ran = run("report", copy("valid.json"), "-o", "-")
    assert ran.code == 0 and ran.out.startswith("<!DOC") and ran.err == ""
    assert_only_the_template(ran.raw)
    assert run("report", copy("valid.json"), "-o", "-", "--output-format", "markdown").out.startswith("<!-- ")
    ran = run("report", written(tmp_path, long(700)), "-o", "-")
    assert (ran.code, ran.out) == (3, "") and "has 2 pages, and standard output takes one" in ran.err


def test_a_reader_that_has_gone(copy: Copy) -> None:
    command = f"{sys.executable} -m toolpair report {shlex.quote(str(copy('valid.json')))} -o -"
    closed = subprocess.run(["sh", "-c", f"{command} >&-"], capture_output=True, text=True, timeout=PATIENCE)
    assert closed.returncode == 2 and "closed; give -o report.html" in closed.stderr
    gone = subprocess.run(["sh", "-c", f"{command} | true"], capture_output=True, text=True, timeout=PATIENCE)
    assert "Traceback" not in gone.stderr


def test_progress_is_told_and_ends(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    session = toolpair.open(written(tmp_path, long(300)))
    files = toolpair.report(session, tmp_path / "x.html", progress=lambda done, total: told.append((done, total)))
    assert files.paths == (tmp_path / "x.html",)
    assert told == sorted(told) and told[-1] == (599, 601) and len(told) > 100

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        toolpair.report(session, tmp_path / "y.html", progress=stop)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["session.json", "x.html"]


def test_standard_input(run: Run, copy: Copy) -> None:
    ran = run("report", "-", "-o", "-", stdin=copy("valid.json").read_bytes())
    assert ran.code == 0 and "standard input" in words(assert_only_the_template(ran.raw))


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((), 2, "Say where the report goes"),
        (("-o", "x.pdf"), 2, "ends in neither .html nor .md"),
        (("-o", "x.md", "--images"), 2, "--images belongs to HTML"),
        (("-o", "-", "--force"), 2, "--force belongs to a file"),
        (("-o", "no/such/folder/x.html"), 3, "does not exist"),
        (("-o", "x.html", "--leaf", "nowhere"), 2, "no history that ends at"),
        (("-o", "x.html", "--profile", "nobody"), 2, "nobody"),
        (("-o", "x.html", "--redacted"), 2, "There is no option"),
    ],
)
def test_mistakes(
    run: Run,
    copy: Copy,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    code: int,
    said: str,
) -> None:
    sample = copy("valid.json")
    monkeypatch.chdir(tmp_path)
    ran = run("report", sample, *arguments)
    assert ran.code == code and said in ran.err and ran.out == ""
    assert ran.err.count("\n") == 1 and not wrong_words(ran.err)
    assert [path.name for path in tmp_path.iterdir()] == [sample.name]


def test_what_is_no_session(run: Run, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"a": 1}')
    assert run("report", tmp_path / "x.json", "-o", tmp_path / "x.html").code == 2
    assert run("report", tmp_path / "gone.json", "-o", tmp_path / "x.html").code == 2
    assert not (tmp_path / "x.html").exists()


def test_full_and_images(run: Run, tmp_path: Path) -> None:
    session = written(tmp_path, one_of_everything())
    small, large = tmp_path / "small.html", tmp_path / "large.html"
    assert (
        run("report", session, "-o", small).code == run("report", session, "-o", large, "--full", "--images").code == 0
    )
    assert "not shown; --full shows all" in small.read_text("utf-8")
    assert "not shown" not in large.read_text("utf-8") and "<img src=" in large.read_text("utf-8")


def test_help_names_the_limits(run: Run) -> None:
    ran = run("report", "--help")
    assert ran.code == 0 and "2,000 calls, results and texts" in ran.out and "0600" in ran.out
    assert not wrong_words(ran.out)


def test_a_hostile_name_reaches_the_terminal_as_signs(run: Run, copy: Copy, tmp_path: Path) -> None:
    sample = copy("valid.json").rename(tmp_path / "a\x1b[31m<b>.json")
    ran = run("report", sample, "-o", tmp_path / "o\x1b]0;x\x07.html")
    assert ran.code == 0 and "\x1b" not in ran.err
    (page,) = tmp_path.glob("o*.html")
    assert "a␛[31m<b>.json" in words(assert_only_the_template(page.read_bytes()))
