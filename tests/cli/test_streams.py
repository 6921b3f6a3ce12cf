"""Standard output and error that are closed, full, or read by nobody: a sentence or silence, and the right exit code."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from tests.rounds import mixed, some

TOOLPAIR = [sys.executable, "-m", "toolpair"]
BROKEN = "sanitised-on-one-side.json"
COMMANDS: dict[str, tuple[list[str], int]] = {
    "--version": (["--version"], 0),
    "--help": (["--help"], 0),
    "check --help": (["check", "--help"], 0),
    "check": (["check", "FILE"], 1),
    "check a folder": (["check", "."], 1),
    "check by workers": (["check", "FILE", "FILE", "--jobs", "2"], 1),
    "check json": (["check", "FILE", "--output-format", "json"], 1),
    "check jsonl": (["check", "FILE", "--output-format", "jsonl"], 1),
    "check sarif": (["check", "FILE", "--output-format", "sarif"], 1),
    "fix --diff": (["fix", "FILE", "--diff"], 1),
    "fix --diff json": (["fix", "FILE", "--diff", "--output-format", "json"], 1),
    "fix --diff patch": (["fix", "FILE", "--diff", "--output-format", "patch"], 1),
    "fix --diff of a folder": (["fix", ".", "--diff"], 1),
    "fix -o OUT": (["fix", "FILE", "-o", "OUT"], 0),
    "sees": (["sees", "FILE"], 0),
    "report": (["report", "FILE", "-o", "OUT.html", "--force"], 0),
    "compare": (["compare", "FILE"], 0),
    "explain": (["explain", "result.missing"], 0),
    "explain a text": (["explain", "nothing that any API says"], 1),
    "restore": (["restore", "FILE"], 0),
    "sessions": (["sessions"], 1),
    "formats": (["formats"], 0),
    "demo": (["demo"], 0),
    "demo --list": (["demo", "--list"], 0),
    "profiles": (["profiles"], 0),
    "rules": (["rules"], 0),
    "a rule": (["rules", "result.missing"], 0),
    "recipes": (["recipes"], 0),
    "no file": (["check", "gone.json"], 2),
    "no such option": (["check", "--nonsense"], 2),
    "the interface without a terminal": (["FILE"], 2),
}
SILENT = {
    "fix -o OUT",
    "report",
    "explain a text",
    "no file",
    "no such option",
    "the interface without a terminal",
    "sessions",
}
"""These print nothing on standard output."""
FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="no /dev/full here")


@pytest.fixture
def folder(tmp_path: Path, samples: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copy(samples / BROKEN, tmp_path / "FILE")
    shutil.copy(samples / BROKEN, tmp_path / "FILE.toolpair-20261121-091240.bak")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ran(words: list[str], redirected: str) -> subprocess.CompletedProcess[str]:
    command = f"{shlex.join([*TOOLPAIR, *words])} {redirected}"
    return subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=PATIENCE)


def unread(words: list[str], *, errors: bool = False) -> tuple[int, str]:
    """Exit code and standard error of a command whose output nobody reads; its errors neither, if that is said."""
    with subprocess.Popen([*TOOLPAIR, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        if errors:
            process.stderr.close()
        said = "" if errors else process.stderr.read()
        return process.wait(PATIENCE), said


def in_order(said: str) -> None:
    assert "Traceback" not in said and "Exception ignored" not in said and "itself failed" not in said, said


CLOSED = [(name, streams) for name in COMMANDS for streams in ("", ">&-", "2>&-", "<&- >&- 2>&-")]


@pytest.mark.parametrize(("name", "redirected"), some(CLOSED, 9))
def test_closed(folder: Path, name: str, redirected: str) -> None:
    words, code = COMMANDS[name]
    done = ran(words, redirected)
    assert done.returncode == code, done.stderr
    in_order(done.stderr)
    assert bool(done.stdout) == (name not in SILENT and ">&-" not in redirected.replace("2>&-", ""))


@needs_full
@pytest.mark.parametrize("name", some(COMMANDS, 3))
def test_full(folder: Path, name: str) -> None:
    words, code = COMMANDS[name]
    done = ran(words, ">/dev/full")
    in_order(done.stderr)
    if name in SILENT:
        assert done.returncode == code
    else:
        assert done.returncode == 5
        assert done.stderr.count("Standard output cannot be written to (No space left on device).") == 1
    (folder / "OUT").unlink(missing_ok=True)
    done = ran(words, "2>/dev/full")
    assert done.returncode == code
    assert bool(done.stdout) == (name not in SILENT)
    (folder / "OUT").unlink(missing_ok=True)
    assert ran(words, ">/dev/full 2>/dev/full").returncode == (code if name in SILENT else 5)


@pytest.mark.parametrize("name", some(COMMANDS, 3))
def test_nobody_reads(folder: Path, name: str) -> None:
    words, code = COMMANDS[name]
    got, said = unread(words)
    assert got == code
    in_order(said)
    assert "Standard output" not in said
    (folder / "OUT").unlink(missing_ok=True)
    assert unread(words, errors=True)[0] == code


@pytest.mark.parametrize(
    ("way", "errors"), [*mixed([">/dev/full", ">&-", "| true"], ["", "2>&-", "2>/dev/full"]), (">/dev/full", "2>&-")]
)
def test_what_is_saved_is_saved(folder: Path, way: str, errors: str) -> None:
    """A save that has happened never ends as one that failed."""
    before = (folder / "FILE").read_bytes()
    words = ["fix", "FILE", "--in-place", "--output-format", "json"]
    done = ran(words, f"{errors} {way}")
    assert (folder / "FILE").read_bytes() != before
    assert len(list(folder.glob("FILE.toolpair-*.bak"))) == 2
    in_order(done.stderr)
    assert done.returncode == (4 if way == ">/dev/full" else 0)  # behind a pipe the shell tells that of `true`
    if way == ">/dev/full" and not errors:
        said = done.stderr.splitlines()
        assert said[0] == "FILE: fixed" and said[-1].startswith("toolpair: Standard output cannot be written to")
        assert any("The original is kept as" in line for line in said)
    done = ran(["restore", "FILE", "--backup", "latest", "--output-format", "json"], f"{errors} {way}")
    assert (folder / "FILE").read_bytes() == before
    assert done.returncode == (4 if way == ">/dev/full" else 0)


@needs_full
@pytest.mark.parametrize(("redirected", "code"), [(">/dev/full", 5), (">&-", 2), ("| true", 0)])
def test_the_session_itself_goes_to_standard_output(folder: Path, redirected: str, code: int) -> None:
    done = ran(["fix", "FILE", "-o", "-"], redirected)
    assert done.returncode == code
    in_order(done.stderr)
    assert ("tandard output" in done.stderr) == bool(code)


def test_a_file_that_is_opened_never_takes_the_place_of_a_closed_stream(folder: Path) -> None:
    """Else what is said of it would be written into it."""
    ran(["fix", "FILE", "--in-place"], "<&- >&- 2>&-")
    done = ran(["check", "FILE"], "")
    assert done.returncode == 0, done.stdout


def test_a_full_output_ends_a_long_check(folder: Path, samples: Path) -> None:
    for number in range(200):
        shutil.copy(samples / BROKEN, folder / f"{number}.json")
    with subprocess.Popen([*TOOLPAIR, "check", "."], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(PATIENCE) == 1


def test_nothing_is_printed_by_another_way() -> None:
    """All goes through the one place that knows of closed and full streams."""
    root = Path(__file__).resolve().parents[2] / "src" / "toolpair" / "cli"
    own = {"streams.py", "worker.py"}
    for path in root.rglob("*.py"):
        text = path.read_text()
        if path.name not in own:
            for word in ("print(", "stdout.write", "stderr.write", "stdout.flush", "stdout.buffer"):
                assert f" {word}" not in text.replace("_print(", "").replace("sys.", " "), (path, word)


@needs_full
def test_the_goodbye_of_the_interface(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was saved is said on the terminal, where standard output takes nothing."""
    import toolpair.tui
    from toolpair.cli import main, open
    from toolpair.tui import RunResult

    result = RunResult(saved=[folder / "FILE"], report_lines=["Saved FILE"])
    monkeypatch.setattr(open, "has_terminal", lambda: True)
    monkeypatch.setattr(toolpair.tui, "run", lambda *_, **__: result)
    with FULL.open("w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert main.main(["FILE"]) == 4
    monkeypatch.setattr(sys, "stdout", None)
    assert main.main(["FILE"]) == 0
    said = capsys.readouterr().err.splitlines()
    assert said == [
        "Saved FILE",
        "toolpair: Standard output cannot be written to (No space left on device).",
        "Saved FILE",
    ]
