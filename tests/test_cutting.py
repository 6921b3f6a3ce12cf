"""`toolpair cut`: what is before a place, or after it, left out, as a new session of its own."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

import toolpair
from tests import opencode_folders, opencode_sessions
from tests.cli.conftest import Run, run
from tests.formats.test_langgraph import ASK, DONE, database, state
from tests.formats.test_strands import strands
from tests.rounds import some
from tests.tui.driving import drive, frame, press
from toolpair.session.cutting import Part, Side, cut, cut_at
from toolpair.session.session import Session, open_session
from toolpair.source.errors import Refused
from toolpair.tui.app import ToolpairApp

__all__ = ["run"]

NATIVE = (
    "claude-code-branches.jsonl",
    "codex-killed.jsonl",
    "pi-lost-line.jsonl",
    "qwen-late-result.jsonl",
    "gemini-doubled.jsonl",
    "copilot-damaged-line.jsonl",
    "continue-cancelled.json",
    "cline-late-result.json",
    "sanitised-on-one-side.json",
)
DATABASES = (
    "goose-left-out.db",
    "docker-agent-late-result.db",
    "openclaw-cut-history.db",
    "opencode-failed-response.db",
)
LISTS = ("valid.json", "parallel-swapped.json", "reused-ids.json", "openai-chat-missing.json", "responses-request.json")


def chat(*more: dict[str, Any]) -> list[dict[str, Any]]:
    asks = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    return [
        {"role": "system", "content": "Be short."},
        {"role": "user", "content": "first"},
        {"role": "assistant", "content": None, "tool_calls": [asks, {**asks, "id": "c2"}]},
        {"role": "tool", "tool_call_id": "c1", "content": "one"},
        {"role": "tool", "tool_call_id": "c2", "content": "two"},
        {"role": "assistant", "content": "Seen."},
        {"role": "user", "content": "second"},
        {"role": "assistant", "content": "Done."},
        *more,
    ]


def of_list(messages: list[dict[str, Any]]) -> Session:
    return open_session("x.json", data=json.dumps(messages).encode())


def written(part: Part) -> Any:
    return json.loads(part.session.to_bytes())


@pytest.mark.parametrize(
    ("where", "side", "kept", "moved", "added"),
    [
        ("messages.6", "before", [0, 6, 7], 0, False),
        ("messages.7", "before", [0, 6, 7], 1, False),
        ("messages.5", "before", [0, 5, 6, 7], 0, True),
        ("messages.4", "before", [0, 1, 2, 3, 4, 5, 6, 7], 3, False),
        ("c2", "after", [0, 1, 2, 3, 4], 2, False),
        ("messages.1", "after", [0, 1], 0, False),
        ("messages.6", "after", [0, 1, 2, 3, 4, 5, 6], 0, False),
    ],
)
def test_pairs_stay_whole_and_the_system_prompt_stays(
    where: str, side: Side, kept: list[int], moved: int, added: bool
) -> None:
    messages = chat()
    session = of_list(messages)
    if len(kept) == len(messages):
        with pytest.raises(ValueError, match="nothing to leave out"):
            cut(session, where, side)
        return
    part = cut(session, where, side)
    made = written(part)
    if added:
        assert made.pop(1) == {"role": "user", "content": part.added} and "4 earlier messages" in str(part.added)
    assert made == [messages[number] for number in kept]
    assert (part.kept, part.moved, part.added is not None) == (len(kept), moved, added)
    assert not part.session.problems or side == "after"
    assert session.to_bytes() == json.dumps(messages).encode() and not session.changed


def test_what_the_model_no_longer_sees_is_said() -> None:
    part = cut(of_list(chat()), "messages.6", "before")
    assert part.text == "The model no longer sees 5 messages, with 2 outputs and 1 message of yours."
    assert part.estimate.startswith("About 5 of 10 tokens stay: an estimate, ")


@pytest.mark.parametrize("name", [*NATIVE, *LISTS])
def test_every_format_is_cut_and_keeps_the_rest(name: str, samples: Path) -> None:
    """A part has the messages that stay, its agent resumes it, its records name only the new session."""
    session = open_session(samples / name)
    messages = session.conversation.transcript.messages
    old = session.conversation.transcript.session_id
    done = 0
    for side in ("before", "after"):
        for number in range(len(messages)):
            try:
                part = cut_at(session, number, side)
            except ValueError:
                continue
            done += 1
            data = part.session.to_bytes()
            again = open_session(part.file_name, data=data, format=session.format.id)
            assert len(again.conversation.transcript.messages) == part.kept + (part.added is not None)
            assert part.kept + len(part.left_out) == len(messages)
            assert len(again.left) <= len(session.left)
            assert not again.conversation.sends_nothing or session.conversation.sends_nothing
            if part.session_id is not None:
                assert again.conversation.transcript.session_id == part.session_id != old
                assert part.session_id in part.file_name or old not in (name, None)
            assert cut_at(session, number, side).session.to_bytes() == data  # the same on every run
    assert done >= 2


@pytest.mark.parametrize("name", some(DATABASES, 2))
def test_a_session_of_a_database_is_cut_into_one_of_its_own(name: str, samples: Path, tmp_path: Path) -> None:
    before = (samples / name).read_bytes()
    session = open_session(samples / name)
    format, count = session.format.id, len(session.conversation.transcript.messages)
    with pytest.raises(Refused, match=r"ends in \.db"):
        cut(session, "message:1", "after", "part.jsonl")
    done = 0
    for side in ("before", "after"):
        for number in range(count):
            with suppress(ValueError):
                part = cut_at(session, number, side)
                assert part.session_id is None and part.file_name == name.replace(".db", ".part.db")
                out = part.session.save_as(tmp_path / f"{side}{number}.db").path
                again = open_session(out, format=format)
                assert len(again.conversation.transcript.messages) == part.kept + (part.added is not None) < count + 1
                assert len(again.left) <= len(session.left)
                done += 1
    assert done and (samples / name).read_bytes() == before


def _opencode_folder(folder: Path) -> str:
    stored = opencode_sessions.OpencodeSession()
    for word in ("one", "two", "three"):
        stored.user(f"See {word}.")
        stored.assistant(opencode_sessions.done(word))
    child = opencode_sessions.another()
    child.parent = opencode_sessions.ID
    return f"{opencode_folders.written(folder, stored, child)}::{opencode_sessions.ID}"


def _strands_folder(folder: Path) -> str:
    return str(strands(folder, "a", "b", state={"removed_message_count": 1}) / "agents" / "agent_a")


@pytest.mark.parametrize("made", [_opencode_folder, _strands_folder])
def test_a_session_of_a_folder_is_cut_into_a_folder_of_its_own(made: Callable[[Path], str], tmp_path: Path) -> None:
    where = made(tmp_path / "all")
    files = {path: path.read_bytes() for path in (tmp_path / "all").rglob("*") if path.is_file()}
    session = toolpair.open(where)
    rows = session.file.snapshot.rows
    assert rows is not None
    with pytest.raises(Refused, match="name of a new folder"):
        cut(session, "message:1", "after", "part.jsonl")
    done = 0
    for side in ("before", "after"):
        for number in range(len(session.conversation.transcript.messages)):
            with suppress(ValueError):
                part = cut_at(session, number, side)
                assert part.file_name == Path(rows.path).name
                out = tmp_path / f"{side}{number}" / part.file_name
                out.parent.mkdir()
                saved = part.session.save_as(out)
                assert (saved.path, saved.backup) == (out, None)
                (note,) = saved.notes
                assert note in (
                    f"Not in the copy: 1 session of a sub-agent ({opencode_sessions.OTHER}).",
                    "Not in the copy: 1 other agent of the session (b).",
                )
                assert rows.session == "a" or (out / "session_diff" / f"{rows.session}.json").is_file()
                again = toolpair.open(f"{out}::{rows.session}")
                assert len(again.conversation.transcript.messages) == part.kept + (part.added is not None)
                assert len(again.left) <= len(session.left)
                own = [path for path in out.rglob("*") if path.is_file()]
                assert all(opencode_sessions.OTHER not in str(path) and "agent_b" not in str(path) for path in own)
                assert own and os.listdir(out.parent) == [part.file_name]
                with pytest.raises(Refused, match="new folder"):
                    part.session.save_as(out, force=True)
                done += 1
    assert done > 2
    assert files == {path: path.read_bytes() for path in (tmp_path / "all").rglob("*") if path.is_file()}


def test_a_folder_that_a_copy_is_to_go_into_is_a_new_one(tmp_path: Path) -> None:
    session = toolpair.open(_strands_folder(tmp_path / "all"))
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "other").write_text("mine")
    (tmp_path / "link").symlink_to("full")
    before = sorted(tmp_path.rglob("*"))
    for name in ("full", "full/", "link", "link/", "full/other", "full/.", ".", ".."):
        with pytest.raises(Refused, match="a session that is many files goes into a new folder"):
            session.save_as(f"{tmp_path}/{name}", force=True)
        assert sorted(tmp_path.rglob("*")) == before
    for name, made in (("new/", "new"), ("session_1.5", "session_1.5"), ("link/in", "full/in")):
        assert session.save_as(f"{tmp_path}/{name}").path == tmp_path / made
        assert toolpair.open(f"{tmp_path / made}::a").to_bytes() == session.to_bytes()


def test_what_cannot_be_cut_says_why(samples: Path, tmp_path: Path) -> None:
    session = open_session(samples / "proxy-log.jsonl")
    with pytest.raises(Refused, match="conversations"):
        cut_at(session, 1, "before")
    with pytest.raises(Refused, match=r"only reads.*toolpair export"):
        cut_at(open_session(f"{database(tmp_path / 'some.db', ('it', 0, state(ASK, DONE)))}::it"), 1, "after")
    session = open_session(samples / "openai-chat-missing.json")
    session.stage(session.problems[0])
    with pytest.raises(Refused, match="applied fixes"):
        cut_at(session, 2, "before")


def test_the_command(run: Run, tmp_path: Path, samples: Path) -> None:
    path, out = tmp_path / "list.json", tmp_path / "part.json"
    path.write_text(json.dumps(chat()))
    before = path.read_bytes()
    ran = run("cut", path, "--before", "messages.6", "-o", out)
    assert ran.code == 0 and "3 messages written to" in ran.err and "no longer sees 5 messages" in ran.err
    assert json.loads(out.read_text()) == [chat()[n] for n in (0, 6, 7)] and path.read_bytes() == before
    assert run("cut", path, "--before", "messages.6", "-o", out).code == 3  # it is there
    assert run("cut", path, "--after", "messages.99", "-o", out).code == 2
    assert run("cut", path, "-o", out).code == 2 and run("cut", path, "--after", "c1", "-o", "-").code == 2
    name = "codex-killed.jsonl"
    ran = run("cut", samples / name, "--after", "message:5", "-o", tmp_path)
    assert ran.code in (0, 1) and "session of its own" in ran.err
    assert toolpair.cut is cut


def test_how_a_folder_of_its_own_is_opened_is_said(run: Run, tmp_path: Path) -> None:
    where = Path(_strands_folder(tmp_path / "all"))
    ran = run("cut", where, "--before", "message:2", "-o", tmp_path)
    assert ran.code == 0 and "It is in a folder of its own, where it is still called a." in ran.err
    assert f'FileSessionManager(session_id="s1", storage_dir="{tmp_path}")' in ran.err
    assert toolpair.open(f"{tmp_path / 'session_s1'}::a").conversation.transcript.messages
    ran = run("cut", where, "--before", "message:2", "-o", tmp_path / "part")
    assert ran.code == 0 and "Strands finds it under a name that begins with session_." in ran.err


def test_the_interface(tmp_path: Path) -> None:
    path = tmp_path / "list.json"
    path.write_text(json.dumps(chat()))

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "G", "C")
        assert "leave out everything before this" in frame(app)
        await press(pilot, "1")
        assert "The model no longer sees" in frame(app) and "list.part.json" in frame(app)
        await press(pilot, "enter")
        await asyncio.sleep(0)
        assert "messages written to" in frame(app)

    drive(path, play)
    assert json.loads((tmp_path / "list.part.json").read_text())[-1] == chat()[-1]
    assert json.loads(path.read_text()) == chat()


def test_the_interface_names_a_new_folder_for_a_session_that_is_one(tmp_path: Path) -> None:
    where = Path(_strands_folder(tmp_path))

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "G", "C", "1")
        assert "session_s1-part" in frame(app)
        await press(pilot, "enter")
        await asyncio.sleep(0)
        assert "written to" in frame(app)

    drive(where, play)
    assert toolpair.open(f"{tmp_path / 'session_s1-part'}::a").conversation.transcript.messages
