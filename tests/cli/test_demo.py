"""`toolpair demo`: a new copy of a sample each time, whatever became of the one before."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.rounds import some
from tests.terminal import Terminal, program
from toolpair.cli.stories import SESSIONS, STORIES, names


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    return tmp_path


def test_a_try_and_a_second_one(temporary: Path) -> None:
    pytest.importorskip("toolpair.tui.app")
    before = {path.name: path.read_bytes() for path in SESSIONS.iterdir()}
    for number in (1, 2):
        terminal = Terminal([*program(), "demo"], columns=200)
        terminal.read(until=b"review")
        terminal.read(1.0)
        terminal.press("A")
        terminal.read(until=b"stay byte for byte")
        terminal.read(1.5)  # a held key must not open and confirm the review
        terminal.press("\r")
        terminal.read(until=b"restore")
        terminal.read(0.5)
        terminal.press("q")
        assert terminal.close() == 0
        copies = sorted(temporary.glob("toolpair-demo-*/sanitised-on-one-side.json"))
        assert len(copies) == number
        assert all(copy.read_bytes() != before[copy.name] for copy in copies)
        assert "This copy is yours: " in terminal.text()
    assert {path.name: path.read_bytes() for path in SESSIONS.iterdir()} == before


@pytest.mark.parametrize("name", some(names(), 6))
def test_without_a_terminal_it_says_what_to_do(run: Run, name: str) -> None:
    ran = run("demo", name)
    assert ran.code == 0
    (path,) = map(Path, shlex.split(ran.out))
    assert path.read_bytes() == (SESSIONS / path.name).read_bytes()
    assert f"This copy is yours: {path}\n" in ran.err
    told = [shlex.split(line)[1:] for line in ran.err.splitlines() if line.startswith("  toolpair ")]
    assert [words[0] for words in told] == ["check", "fix", "fix"]
    for words in told:
        assert run(*words).code in ((0, 1, 4) if path.suffix != ".txt" else (0, 1, 2, 3))


def test_the_stories_are_listed(run: Run) -> None:
    ran = run("demo", "--list")
    assert ran.code == 0 and len(ran.out.splitlines()) == len(STORIES)
    assert all(len(line) <= 110 for line in ran.out.splitlines())
    listed = run("demo", "--list", "--output-format", "json").json["samples"]
    assert [entry["file"] for entry in listed] == list(STORIES)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("codex", "codex-killed"), ("codex-kiled", "codex-killed"), ("Damage", "damaged"), ("interupted-call", "interrupted-call")],
)  # fmt: skip
def test_an_unknown_story_gets_a_suggestion(run: Run, typed: str, meant: str, temporary: Path) -> None:
    ran = run("demo", typed)
    assert ran.code == 2 and ran.err == f"toolpair: There is no sample {typed!r}. Did you mean {meant}?\n"
    assert not list(temporary.iterdir())


def test_one_that_is_like_nothing(run: Run) -> None:
    assert run("demo", "zzz").err == "toolpair: There is no sample 'zzz'. `toolpair demo --list` lists them.\n"
