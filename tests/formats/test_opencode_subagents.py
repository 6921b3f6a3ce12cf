"""The sessions that opencode's and Kilo's sub-agents leave: found by the calls that started them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import opencode_folders
from tests.listed import listed
from tests.opencode_sessions import ID, OTHER, OpencodeSession, another, done, running, tool, word, written
from toolpair.session.session import Session, open_session
from toolpair.session.surroundings import subagent_sessions_of

LATER = "ses_dfd36768eeee6r8ixk98Ar5DTd"


def asking() -> OpencodeSession:
    """Two sub-agents, of which one was asked again, and the other runs; one was never started."""
    session = OpencodeSession()
    session.user("Ask them.")
    asked = {"description": "Count the files", "prompt": "Count.", "subagent_type": "general"}
    session.assistant(_task("a", done("a", input=asked, metadata={"sessionId": OTHER}, title="Counted")))
    session.assistant(_task("b", done("b", input=asked, metadata={"sessionId": OTHER})))
    session.assistant(tool("c", {"status": "error", "input": asked, "error": "Unknown agent type"}, "task"))
    session.assistant(done("d", metadata={"sessionId": "ses_of_another_tool"}))
    waits = running("e")
    waits["state"].update(input={**asked, "description": "Look around"}, metadata={"sessionId": LATER})
    session.assistant(_task("e", waits))
    return session


def _task(name: str, part: dict[str, object]) -> dict[str, object]:
    return {**part, "tool": "task", "callID": f"call_{name}"}


def children() -> list[OpencodeSession]:
    found = [another(), OpencodeSession(LATER, title="Later", prefix="2e00")]
    found[1].user("Look around.")
    found[1].assistant(done("z"))
    for one in found:
        one.parent = ID
    return found


def stored(folder: Path, kind: str) -> Path:
    sessions = (asking(), *children())
    if kind == "folder":
        return opencode_folders.written(folder, *sessions)
    return written(folder / f"{kind}.db", *sessions, kilo=kind == "kilo")


def found_in(session: Session) -> list[tuple[str, str, str | None, str | None]]:
    found = subagent_sessions_of(session.conversation, session.reader.view.beside)
    return [(str(one.path), one.label, one.call, one.kind) for one in found]


@pytest.mark.parametrize("kind", ["opencode", "kilo", "folder"])
def test_a_call_leads_to_the_session_that_it_started(kind: str, tmp_path: Path) -> None:
    path = stored(tmp_path, kind)
    session = open_session(f"{path}::{ID}")
    there = path.resolve()
    assert found_in(session) == [
        (f"{there}::{OTHER}", "Counted", "call_a", "general"),
        (f"{there}::{LATER}", "Look around", "call_e", "general"),
    ]
    child = open_session(found_in(session)[1][0])
    assert child.conversation.transcript.session_id == LATER and found_in(child) == []
    assert word("z") in str(child.conversation.transcript.messages)
    assert [one.session_id for one in listed(path)[0]] == [ID]


@pytest.mark.parametrize("kind", ["opencode", "folder"])
def test_it_still_does_in_a_session_that_was_fixed(kind: str, tmp_path: Path) -> None:
    path = stored(tmp_path, kind)
    session = open_session(f"{path}::{ID}")
    before = found_in(session)
    session.stage_recommended()
    session.save()
    assert found_in(open_session(f"{path}::{ID}")) == before


def test_lines_lead_to_those_of_a_sub_agent_beside_them(tmp_path: Path) -> None:
    path = stored(tmp_path, "opencode")
    copy = tmp_path / "copies" / f"opencode-{ID}.fixed.jsonl"
    copy.parent.mkdir()
    copy.write_bytes(open_session(f"{path}::{ID}").to_bytes())
    assert found_in(open_session(copy)) == []
    beside = copy.with_name(f"opencode-{LATER}.fixed.jsonl")
    beside.write_bytes(open_session(f"{path}::{LATER}").to_bytes())
    (found,) = found_in(open_session(copy))
    assert found == (str(beside), "Look around", "call_e", "general")
    assert open_session(found[0]).conversation.transcript.session_id == LATER
