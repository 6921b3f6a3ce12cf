"""`toolpair prove --corpus`: each session's agent is asked, and a page says what it loses and keeps the other agents."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import SAMPLES
from tests.proof.conftest import program
from tests.vibe_sessions import NAME, sound
from tests.vibe_stores import SOUND, store
from toolpair.cli.main import main
from toolpair.formats import get_agent
from toolpair.proof.corpus import Found, said, section, short_names
from toolpair.proof.inside import end_of
from toolpair.proof.proof import Proof
from toolpair.proof.who import Asked

_OTHER = "## Codex\n\nVersion 0.170.0, asked about 9 sessions on 2026-10-01. All are sent whole and valid, before and after.\n"


@pytest.fixture
def corpus(session: Path, tmp_path: Path) -> Path:
    """One that is sound, one that lacks a result, one of an agent that is not installed, and what is no session."""
    lines = session.read_text().splitlines(keepends=True)
    for name, data in (("sound", "".join(lines)), ("result gone", "".join([*lines[:2], *lines[3:]]))):
        (tmp_path / "corpus" / name).mkdir(parents=True)
        (tmp_path / "corpus" / name / "session.jsonl").write_text(data)
    (tmp_path / "corpus/codex.jsonl").write_bytes((SAMPLES / "codex-killed.jsonl").read_bytes())
    (tmp_path / "corpus/about.txt").write_text("planted")
    return tmp_path / "corpus"


def test_the_page_has_a_table_for_each_agent_and_keeps_the_others(
    corpus: Path, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = program(tmp_path, "whole")
    agent.write_text(
        agent.read_text().replace("mode =", "if '--version' in sys.argv: sys.exit('it is 2.1.330')\nmode =", 1)
    )
    monkeypatch.setenv("PATH", str(tmp_path))
    page = tmp_path / "page.md"
    words = ["prove", "--corpus", str(corpus), "--write", str(page)]
    assert main([*words, "--dry-run"]) == 0
    said = capsys.readouterr()
    assert f"Claude Code, {agent}, is started for each of 2 sessions, twice." in said.out
    assert "1 session left out: Codex is not installed here" in said.err
    assert main(words) == 2 and "add --yes" in capsys.readouterr().err
    assert not page.exists() and not (tmp_path / "seen.json").exists()

    before = {path: path.read_bytes() for path in corpus.rglob("*") if path.is_file()}
    page.write_text(f"# Old head\n\n## Claude Code\n\nold\n\n{_OTHER}")
    assert main([*words, "--yes"]) == 1, "this one does not heal what Claude Code would"
    text = page.read_text()
    assert text.startswith("# What each release loses") and text.count("## Claude Code") == 1 and text.endswith(_OTHER)
    assert "Version 2.1.330, asked about 2 sessions on " in text and "Not sent whole and valid: 1." in text
    row = next(line for line in text.splitlines() if line.startswith("| result gone"))
    assert "result.missing" in row and row.endswith("|  |") and "sound" not in text
    assert "2 sessions, 0 not sent whole after the fixes, 1 of which" in capsys.readouterr().out
    assert {path: path.read_bytes() for path in corpus.rglob("*") if path.is_file()} == before
    assert not list(home.rglob("*")) and not list((tmp_path / "tmp").iterdir())


def test_where_sees_is_wrong_and_where_none_can_be_asked(
    corpus: Path, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path, "drops")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["prove", "--corpus", "--yes", str(corpus / "sound"), str(corpus / "sound/session.jsonl")]) == 1
    said = capsys.readouterr().out
    assert (
        "1 session, 1 not sent whole after the fixes, 1 of which `sees` says something else" in said
        and "`sees`: not sent: 1 output, 1 call" in said
    )
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    for words, says in (
        ([corpus, "--corpus", "--yes"], "no session here whose agent can be asked"),
        ([corpus, "--corpus", "--yes", "--write", tmp_path / "none/page.md"], "page.md cannot be written"),
        ([corpus, "--corpus", "--yes", "--before"], "--corpus takes none of"),
        ([corpus / "codex.jsonl", "--write", "page.md"], "--write and several sessions belong to --corpus"),
    ):
        assert main(["prove", *map(str, words)]) == 2
        assert says in capsys.readouterr().err


def test_the_names_say_what_is_different() -> None:
    assert short_names(["/a/b/x/s.db::1", "/a/b/y/z/s.db::1", "/a/b/s.db::1"]) == [
        "x/s.db::1",
        "y/z/s.db::1",
        "s.db::1",
    ]
    assert short_names(["/a/b"]) == ["b"] and short_names(["/a/b", "/a/c"]) == ["b", "c"]


def test_what_an_agent_says_last_is_told_without_the_folder_of_its_copy() -> None:
    path = "/tmp/toolpair-prove-a1b2/toolpair-home-c3/.codex/a.jsonl"
    for words, told in (
        (f"Reading.\nError: failed to read {path}: it is empty", "not resumed: Error: failed to read …: it is empty"),
        (f"See log: {path}\n", "not resumed: See log: …"),
        (
            "\x1b[91m\x1b[1mError: \x1b[0mno such key {\n  at async f (file:///opt/x/y.js:1)\n}",
            "not resumed: Error: no such key {",
        ),
        ("see file:///opt/agents/x.js:3 (/usr/lib/y.js), ~/.x/a.db", "not resumed: see …:3 (…), ~/.x/a.db"),
        (
            "see https://api.example/docs/errors or a/b/c, 1/2",
            "not resumed: see https://api.example/docs/errors or a/b/c, 1/2",
        ),
        ("no " * 40, f"not resumed: {('no ' * 40)[:79]}…"),
        ("", "not resumed"),
    ):
        assert said(Proof(words, False, (0, 0), (0, 0), (), (), (), None, ())) == told
    long = "Error: " + "x" * 1_000
    assert end_of(f"before\n{long}") == f"{long[:399]}…"
    assert end_of("y" * 390 + "\nshort line\nlast") == "short line\nlast"
    assert end_of("all of it\nis short") == "all of it\nis short"


def test_two_stores_of_one_agent_are_each_asked_in_their_way(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Vibe's files, and the folders of its newer store."""
    folder = tmp_path / "corpus"
    store(folder / "new", SOUND)
    (folder / NAME).parent.mkdir()
    (folder / NAME).write_bytes(sound().data())
    (tmp_path / "vibe").write_text("#!/bin/sh\n")
    (tmp_path / "vibe").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["prove", "--corpus", "--dry-run", str(folder / NAME), str(next(folder.rglob("CURRENT")).parent)]) == 0
    started = f"Mistral Vibe, {tmp_path / 'vibe'}, is started for each of 1 session, twice."
    assert capsys.readouterr().out.count(started) == 2


def test_a_session_without_an_answer_in_time_is_not_counted(
    corpus: Path, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path, "hangs")
    monkeypatch.setenv("PATH", str(tmp_path))
    page = tmp_path / "page.md"
    lost = str(corpus / "result gone/session.jsonl")
    words = ["prove", "--corpus", lost, "--write", str(page), "--yes", "--seconds", "2"]
    assert main(words) == 2 and not page.exists()
    said = capsys.readouterr()
    assert "gave no answer about" in said.err and "what it sends is not known" in said.err and "`sees`" not in said.out


def test_the_page_says_how_many_sessions_got_no_answer_in_time() -> None:
    whole, late = (Proof("", known, (0, 0), (0, 0), (), (), (), None, (), known) for known in (True, False))
    asked = Asked(get_agent("claude-code"), "claude", "1.0")
    text = section(asked, [Found("a", whole, whole), Found("b", whole, late)], "2026-11-28")
    assert "asked about 1 session on" in text and "All are sent whole" in text
    assert "Besides these, 1 session got no answer in time." in text
