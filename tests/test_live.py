"""A session that its agent is still writing: following the file, and seeing who works with it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.each import each
from tests.rounds import tries
from tests.session_folders import claude_bytes, claude_records, claude_session, line, set_age, task
from toolpair.agents.processes import agent_of, other_session
from toolpair.history.conversation import weight
from toolpair.session.session import Session, SessionError, open_session


def state_of(session: Session) -> object:
    """All that a user could see of it, and its bytes."""
    conversation = session.conversation
    return (
        session.to_bytes(),
        [(pair.state, pair.start, pair.results_at) for pair in session.conversation.pairs],
        [(found.rule, found.severity, found.text, found.record) for found in session.problems],
        [(record.uid, record.line, record.start, record.glue) for record in session.conversation.document.records],
        conversation.verdict.sentence,
        [message.role for message in session.conversation.transcript.messages],
    )


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


@settings(max_examples=tries(25), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    pairs=st.integers(1, 4),
    missing=st.sampled_from([None, 0, 1]),
    open_end=st.booleans(),
    cuts=st.lists(st.floats(0, 1), max_size=6),
    end=st.booleans(),
)
def test_following_in_steps_is_opening_the_end(
    tmp_path: Path, pairs: int, missing: int | None, open_end: bool, cuts: list[float], end: bool
) -> None:
    data = claude_bytes(pairs, missing=missing, open_end=open_end)
    data = data if end else data.rstrip(b"\n")
    first = data.index(b"\n") + 1
    path = tmp_path / "s.jsonl"
    path.write_bytes(data[:first])
    session = open_session(path)
    place = first
    for cut in [*sorted(first + int(cut * (len(data) - first)) for cut in cuts), len(data)]:
        append(path, data[place:cut])
        place = cut
        session.follow()
    assert state_of(session) == state_of(open_session(path))


def test_nothing_new_costs_one_stat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(claude_bytes(3))
    session = open_session(path)
    before = session.conversation.document

    def refused(*arguments: object, **settings: object) -> None:
        raise AssertionError("the file was opened")

    monkeypatch.setattr("builtins.open", refused)
    monkeypatch.setattr("os.open", refused)
    assert session.follow() is None
    assert session.conversation.document is before


def test_what_comes_is_told_and_a_waiting_call_is_no_error(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    records = list(claude_records(2, open_end=True))
    path.write_bytes(b"".join(map(line, records[:-1])))
    session = open_session(path)
    append(path, line(records[-1]))
    followed = session.follow()
    assert followed is not None
    assert (followed.change, followed.records, followed.calls, followed.results) == ("grown", 1, 1, 0)
    assert followed.text == "1 record added: 1 call."
    assert session.conversation.pairs[1].state == "pending" and session.conversation.pairs[0].state != "pending"
    assert not [problem for problem in session.problems if problem.severity == "error"]
    append(path, claude_bytes(2)[len(claude_bytes(2, open_end=True)) :])
    assert session.follow() is not None
    assert session.conversation.pairs[1].state != "pending"
    assert not session.problems


def test_a_record_that_is_being_written_waits(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    data = claude_bytes(2)
    cut = data.rindex(b"\n", 0, -1) + 20
    path.write_bytes(data[: data.index(b"\n") + 1])
    session = open_session(path)
    append(path, data[data.index(b"\n") + 1 : cut])
    assert session.follow() is not None
    assert not session.conversation.damaged
    assert session.follow() is None
    append(path, data[cut:])
    followed = session.follow()
    assert followed is not None and followed.records == 1
    assert session.to_bytes() == data


def test_staged_fixes_stay_and_save_what_came(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    whole = claude_bytes(4, missing=0)
    cut = whole.index(b"toolu_0003")
    cut = whole.rindex(b"\n", 0, cut) + 1
    path.write_bytes(whole[:cut])
    session = open_session(path)
    problem = min(session.problems, key=weight)
    assert problem is not None and problem.rule == "result.missing"
    session.stage(problem)
    append(path, whole[cut:])
    followed = session.follow()
    assert followed is not None and not followed.dropped
    assert session.changed and len(session.staged) == 1
    assert not [problem for problem in session.problems if problem.severity == "error"]
    session.undo()
    assert session.to_bytes() == whole
    session.redo()
    session.save()
    again = open_session(path)
    assert not [problem for problem in again.problems if problem.severity == "error"]
    assert b'"ok 3"' in path.read_bytes()


def test_a_placeholder_gives_way_to_the_result_that_comes(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    begun = claude_bytes(3, open_end=True)
    path.write_bytes(begun)
    session = open_session(path)
    waiting = next(problem for problem in session.problems if problem.rule == "turn.trailing_call")
    session.stage(waiting, next(fix for fix in waiting.fixes if fix.id == "insert-placeholder"))
    append(path, claude_bytes(3)[len(begun) :])
    followed = session.follow()
    assert followed is not None
    assert [one.reason for one in followed.dropped] == ["its result has arrived"]
    assert "1 fix no longer applies: its result has arrived" in followed.text
    assert not session.changed and not session.staged
    assert session.to_bytes() == claude_bytes(3)


def test_of_several_fixes_each_is_kept_or_its_reason_said(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(claude_bytes(4, missing=0, open_end=True))
    session = open_session(path)
    for rule in ("result.missing", "turn.trailing_call"):
        problem = next(problem for problem in session.problems if problem.rule == rule)
        session.stage(problem, next(fix for fix in problem.fixes if fix.id == "insert-placeholder"))
    path.write_bytes(claude_bytes(4, missing=0))
    followed = session.follow()
    assert followed is not None
    assert [one.rule for one in followed.dropped] == ["turn.trailing_call"]
    assert [staged.rules for staged in session.staged] == [("result.missing",)]
    path.write_bytes(claude_bytes(4))
    followed = session.follow()
    assert followed is not None
    assert [one.rule for one in followed.dropped] == ["result.missing"]
    path.write_bytes(claude_bytes(4, missing=0, open_end=True))
    assert session.follow() is not None
    for rule in ("result.missing", "turn.trailing_call"):
        problem = next(problem for problem in session.problems if problem.rule == rule)
        session.stage(problem, next(fix for fix in problem.fixes if fix.id == "insert-placeholder"))
    path.write_bytes(claude_bytes(4) + claude_bytes(1, session="x"))
    followed = session.follow()
    assert followed is not None
    assert {one.rule for one in followed.dropped} == {"result.missing", "turn.trailing_call"}
    assert "2 fixes no longer apply: its result has arrived." in followed.text


@pytest.mark.parametrize("change", ["truncated", "replaced", "rewritten"])
def test_another_file_is_read_anew_and_it_is_said(tmp_path: Path, change: str) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(claude_bytes(4, missing=2))
    session = open_session(path)
    problem = min(session.problems, key=weight)
    assert problem is not None
    session.stage(problem)
    new = claude_bytes(2) if change == "truncated" else claude_bytes(4, missing=1, folder="/x")
    if change == "replaced":
        (tmp_path / "n").write_bytes(new)
        os.replace(tmp_path / "n", path)
    else:
        path.write_bytes(new if change == "truncated" else new + claude_bytes(9))
    followed = session.follow()
    assert followed is not None
    assert followed.change == change
    assert [one.reason for one in followed.dropped] in (["its result has arrived"], ["the problem is gone"])
    assert not session.changed
    assert session.to_bytes() == path.read_bytes()
    assert session.follow() is None


def test_a_file_with_another_start_has_not_only_grown(tmp_path: Path) -> None:
    """However much there is between its start and its end."""
    path = tmp_path / "s.jsonl"
    data = claude_bytes(400)
    path.write_bytes(data)
    session = open_session(path)
    with path.open("r+b") as file:
        file.write(data.splitlines(keepends=True)[0].replace(b"/", b"|"))
    append(path, claude_bytes(1, session="x"))
    followed = session.follow()
    assert followed is not None and followed.change == "rewritten"
    assert session.to_bytes() == path.read_bytes() != data + claude_bytes(1, session="x")


def test_a_file_of_the_same_size_is_read_anew_line_by_line(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(claude_bytes(3))
    session = open_session(path)
    assert not any(found.severity == "error" for found in session.problems)
    call = next(pair.call.id for pair in session.conversation.pairs if pair.call is not None)
    at = path.read_bytes().rindex(call.encode())
    with path.open("r+b") as file:
        file.seek(at)
        file.write(b"x" * len(call))
    followed = session.follow()
    assert followed is not None and followed.change == "rewritten"
    opened = open_session(path)
    assert any(found.severity == "error" for found in opened.problems)
    assert state_of(session) == state_of(opened)


def test_a_file_that_is_gone_is_said_once(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(claude_bytes(2))
    session = open_session(path)
    path.unlink()
    followed = session.follow()
    assert followed is not None and followed.change == "gone"
    assert session.follow() is None
    assert session.to_bytes() == claude_bytes(2)
    path.write_bytes(claude_bytes(3))
    assert session.follow() is not None
    assert session.to_bytes() == claude_bytes(3)


def test_a_file_that_cannot_be_read_is_one_sentence_and_keeps_what_there_was(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(claude_bytes(2))
    session = open_session(path)
    path.write_bytes(b"\x7fELF" * 4000)
    assert session.follow() is None  # it may be on its way to become something else
    set_age(path, 0)
    with pytest.raises(SessionError, match="is a program"):
        session.follow()
    assert session.to_bytes() == claude_bytes(2)


def test_a_saved_session_is_followed_from_what_was_saved(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(claude_bytes(3, missing=0))
    session = open_session(path)
    session.stage_recommended()
    session.save()
    assert session.follow() is None
    append(path, line({"type": "summary", "summary": "tests", "leafUuid": "x"}))
    followed = session.follow()
    assert followed is not None and followed.records == 1


WRITER = """
import sys, time
path, pieces = sys.argv[1], sys.stdin.buffer.read().split(b"\\0")
with open(path, "ab", buffering=0) as file:
    for piece in pieces:
        file.write(piece)
        time.sleep(0.002)
"""


def test_following_a_process_that_writes(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    data = claude_bytes(12)
    first = data.index(b"\n") + 1
    path.write_bytes(data[:first])
    session = open_session(path)
    pieces = [data[n : n + 333] for n in range(first, len(data), 333)]
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdin=subprocess.PIPE)
    assert writer.stdin is not None
    writer.stdin.write(b"\0".join(pieces))
    writer.stdin.close()
    while writer.poll() is None:
        session.follow()
        assert not session.conversation.damaged
        assert path.read_bytes().startswith(session.to_bytes())
    session.follow()
    assert session.to_bytes() == data


def test_a_document_that_is_written_anew_is_followed(tmp_path: Path) -> None:
    path = tmp_path / "api_conversation_history.json"
    text = '[{"role":"user","content":"go","ts":1},{"role":"assistant","content":"well","ts":2}'
    path.write_text(text + "]")
    session = open_session(path, format="roo-code")
    more = text + ',{"role":"user","content":"thanks","ts":3}]'
    for half in ("", text[:30], more[:-20]):
        path.write_text(half)
        assert session.follow() is None
    path.write_text(more)
    followed = session.follow()
    assert followed is not None and (followed.change, followed.records) == ("rewritten", 1)
    assert len(session.conversation.document.records) == 3


# --- processes ----------------------------------------------------------------------------------------------


@each(
    ("name", "command", "agent"),
    [
        ("claude", ["claude", "--resume", "x"], "claude-code"),
        ("claude", ["/home/me/.local/bin/claude"], "claude-code"),
        ("node", ["node", "/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js"], "claude-code"),
        ("node", ["node", "--max-old-space-size=4096", "/home/me/.nvm/bin/claude"], "claude-code"),
        ("codex", ["codex", "resume"], "codex"),
        ("node", ["node", "/usr/lib/node_modules/@openai/codex/bin/codex.js"], "codex"),
        ("cline", ["cline"], "cline-cli"),
        ("code", ["/usr/share/code/code", "."], "editor"),
        ("Cursor.exe", ["C:\\Programs\\cursor\\Cursor.exe"], "editor"),
        ("claude.exe", [], "claude-code"),
        ("bash", ["bash", "-c", "claude --resume x"], None),
        ("vim", ["vim", "claude.md"], None),
        ("node", ["node", "server.js", "claude"], None),
        ("python3", ["python3", "-m", "toolpair", "/home/me/.claude/projects/x.jsonl"], None),
        ("tail", ["tail", "-f", "codex"], None),
        ("claude", ["claude", "mcp", "serve"], None),
        ("Claude", ["/Applications/Claude.app/Contents/MacOS/Claude"], None),
        ("codex", ["codex", "login"], None),
        ("", [], None),
        ("openhands", ["/opt/v/bin/python3.12", "/opt/v/bin/openhands", "--resume", "x"], "openhands"),
        ("hermes", ["/opt/v/bin/python3", "-P", "/opt/v/bin/hermes-agent"], "hermes"),
        ("python3", ["python3", "/opt/v/bin/openhands", "serve"], None),
    ],
)
def test_agents_are_told_by_name_and_command(name: str, command: Sequence[str], agent: str | None) -> None:
    assert agent_of(name, command) == agent


def test_a_command_that_names_another_session() -> None:
    one, two = "7c3e1b2a-0d1f-4c57-9f0e-2f9a3a1c7e11", "00000000-0d1f-4c57-9f0e-2f9a3a1c7e11"
    assert other_session(["claude", "--resume", two], one)
    assert other_session(["codex", "resume", two], one)
    assert not other_session(["claude", f"--resume={one}"], one)
    assert not other_session(["claude", "--continue"], one)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Processes to end with the test. A look at them may take its time, however busy the machine is."""
    monkeypatch.setattr("toolpair.agents.processes.LONGEST", 60.0)
    processes: list[subprocess.Popen[bytes]] = []
    yield processes
    for process in processes:
        process.kill()
        process.wait()


on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are named as on Linux")


@on_linux
def test_who_writes_to_the_file_is_named(tmp_path: Path, started: list[subprocess.Popen[bytes]]) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(claude_bytes(2))
    session = open_session(path)
    assert session.warnings == () == session.look_around()
    with path.open("rb") as reading, path.open("ab") as writing:
        started.append(subprocess.Popen(["sleep", "60"], stdin=reading))
        assert session.look_around() == ()
        started.append(subprocess.Popen(["sleep", "60"], stdout=writing))
    found = session.look_around()
    assert found == session.warnings
    assert found == (
        f"sleep (pid {started[1].pid}) has this file open for writing: let it finish first, or save a copy.",
    )


@on_linux
def test_an_agent_in_the_folder_is_named_and_no_other(
    tmp_path: Path, started: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    shop, other = tmp_path / "shop", tmp_path / "other"
    shop.mkdir()
    other.mkdir()
    sleep = shutil.which("sleep")
    assert sleep is not None
    session = open_session(claude_session(tmp_path / ".claude", str(shop)))
    for name, folder in (("claude", other), ("codex", shop), ("code", shop), ("sleep", shop)):
        program = tmp_path / name
        program.exists() or shutil.copy(os.path.realpath(sleep), program)
        started.append(subprocess.Popen([program, "60"], cwd=folder))
    assert session.look_around() == ()
    started.append(subprocess.Popen([tmp_path / "claude", "60"], cwd=shop))
    pid = started[-1].pid
    assert session.look_around() == (
        f"Claude Code is running in ~/shop (pid {pid}) with the old history: quit it first.",
    )
    started[-1].kill()
    started[-1].wait()
    assert session.look_around() == ()


@on_linux
def test_an_agent_that_goes_on_with_another_session_is_left_out(
    tmp_path: Path, started: list[subprocess.Popen[bytes]]
) -> None:
    shop = tmp_path / "shop"
    shop.mkdir()
    session = open_session(claude_session(tmp_path / ".claude", str(shop)))
    own = session.conversation.transcript.session_id
    assert own is not None
    other = own[:-1] + ("0" if own[-1] != "0" else "1")
    for resumed in (other, own):
        assert session.look_around() == ()
        command = ["claude", "-c", "import time; time.sleep(60)", "--resume", resumed]
        started.append(subprocess.Popen(command, executable=sys.executable, cwd=shop))
    (said,) = session.look_around()
    assert f"(pid {started[1].pid})" in said


@on_linux
def test_the_folder_of_a_task_is_known_too(tmp_path: Path, started: list[subprocess.Popen[bytes]]) -> None:
    shop = tmp_path / "shop"
    shop.mkdir()
    sleep = shutil.which("sleep")
    assert sleep is not None
    program = tmp_path / "code"
    shutil.copy(os.path.realpath(sleep), program)
    path = task(tmp_path, "saoudrizwan.claude-dev", "1", folder=str(shop))
    session = open_session(path, format="roo-code")
    started.append(subprocess.Popen([program, "60"], cwd=tmp_path))
    assert session.look_around() == ()
    started.append(subprocess.Popen([program, "60"], cwd=shop))
    (said,) = session.look_around()
    assert f"(pid {started[1].pid})" in said and "close the task" in said
