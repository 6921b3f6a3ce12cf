"""OpenHands' folders: the events that count are read as a list, with condensations applied, and the folder stays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.formats.fixing import errors
from toolpair.cli.main import main
from toolpair.formats import address_of
from toolpair.session.session import Session, SessionError, open_session
from toolpair.source.errors import Refused

Json = dict[str, Any]


def event(number: int, kind: str, source: str = "agent", **fields: Any) -> Json:
    id_ = f"{number:08x}-0000-4000-8000-000000000000"
    parent = {} if number == 0 else {"parent_id": f"{number - 1:08x}-0000-4000-8000-000000000000"}
    return {"id": id_, "timestamp": "2026-01-01T00:00:00", "source": source, **parent, **fields, "kind": kind}


def said(number: int, words: str, source: str = "user") -> Json:
    role = "user" if source == "user" else "assistant"
    message = {"role": role, "content": [{"type": "text", "text": words}]}
    return event(number, "MessageEvent", source, llm_message=message)


def call(number: int, id_: str) -> Json:
    tool = {"id": id_, "name": "look", "arguments": "{}", "origin": "completion"}
    fields = {
        "thought": [],
        "tool_name": "look",
        "tool_call_id": id_,
        "tool_call": tool,
        "llm_response_id": f"r{number}",
    }
    return event(number, "ActionEvent", **fields)


def gives(number: int, id_: str, words: str) -> Json:
    observed = {"content": [{"type": "text", "text": words}], "is_error": False}
    return event(number, "ObservationEvent", "environment", tool_name="look", tool_call_id=id_, observation=observed)


SOUND = [
    event(0, "SystemPromptEvent"),
    said(1, "begin"),
    call(2, "call_a1"),
    gives(3, "call_a1", "OUT-a1"),
    said(4, "done", "agent"),
]


def conversation(root: Path, *events: Json, **state: Any) -> Path:
    folder = root / "conversations" / "47a38f70801a4c76"
    (folder / "events").mkdir(parents=True)
    for number, one in enumerate(events):
        (folder / "events" / f"event-{number:05}-{one['id']}.json").write_text(json.dumps(one))
    (folder / "events" / f".eventlog-len-{len(events)}.marker").write_text("")
    about = {"workspace": {"working_dir": "/somewhere"}, "leaf_event_id": events[-1]["id"], **state}
    (folder / "base_state.json").write_text(json.dumps(about))
    return folder


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def ids(session: Session) -> list[int]:
    return [int(one["id"][:8], 16) for one in json.loads(session.to_bytes())]


def test_each_path_in_the_folder_is_the_conversation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = conversation(tmp_path, *SOUND)
    address = f"{folder}::{folder.name}"
    for path in (folder, folder / "events", next((folder / "events").glob("event-00002*"))):
        session = open_session(path)
        assert session.format.id == "openhands-events" and not errors(session) and ids(session) == [0, 1, 2, 3, 4]
    assert address_of(str(folder / "events")) == address
    assert main(["check", "--output-format", "jsonl", str(tmp_path)]) == 0
    assert [json.loads(line).get("path") for line in capsys.readouterr().out.splitlines()][:1] == [address]
    assert main(["sessions", str(folder)]) == 0 and "begin" in capsys.readouterr().out


def test_the_mended_list_is_saved_beside_it(tmp_path: Path) -> None:
    folder = conversation(tmp_path, *SOUND[:3], said(3, "more"))
    before = tree(folder)
    session = open_session(folder)
    assert errors(session) == ["result.missing"]
    session.stage_recommended()
    with pytest.raises(Refused, match="an event names the one before it"):
        session.save()
    assert main(["fix", str(folder), "-o", str(tmp_path / "out.json")]) == 0
    assert not errors(open_session(tmp_path / "out.json")) and tree(folder) == before


def test_what_was_condensed_is_not_sent_and_its_summary_is(tmp_path: Path) -> None:
    forgotten = [one["id"] for one in SOUND[1:4]]
    made = event(5, "Condensation", "environment", forgotten_event_ids=forgotten, summary="SO FAR", summary_offset=1)
    session = open_session(conversation(tmp_path, *SOUND, made, said(6, "go on")))
    assert ids(session) == [0, 5, 4, 6] and not errors(session)
    (summary,) = [m for m in session.conversation.transcript.messages if "SO FAR" in str(m.blocks[0].value)]
    assert summary.role == "user"


def test_only_the_branch_that_goes_on_is_read(tmp_path: Path) -> None:
    other = {**said(5, "another way"), "parent_id": SOUND[1]["id"]}
    state = event(6, "ConversationStateUpdateEvent", "environment")
    assert ids(open_session(conversation(tmp_path / "a", *SOUND, other, leaf_event_id=other["id"]))) == [0, 1, 5]
    plain = [{key: value for key, value in one.items() if key != "parent_id"} for one in (*SOUND, said(5, "x"), state)]
    folder = conversation(tmp_path / "b", *plain, leaf_event_id=None)
    assert ids(open_session(folder)) == [0, 1, 2, 3, 4, 5], "events that name none follow each other"
    again = {**said(5, "anew"), "parent_id": "__root__"}
    assert ids(open_session(conversation(tmp_path / "c", *SOUND, again))) == [5]


@pytest.mark.parametrize("content", [b"", b'{"kind": "Obs', b"[]", None, "link"])
def test_what_openhands_cannot_load_is_named(content: bytes | str | None, tmp_path: Path) -> None:
    folder = conversation(tmp_path, *SOUND)
    target = next((folder / "events").glob("event-00003*"))
    if isinstance(content, bytes):
        target.write_bytes(content)
    else:
        target.rename(tmp_path / "elsewhere.json")
    if content == "link":
        target.symlink_to(tmp_path / "elsewhere.json")
    with pytest.raises(SessionError, match=r"OpenHands cannot load|symbolic link that is not followed"):
        open_session(folder)


@pytest.mark.parametrize("leaf", [[], {}, "nowhere", SOUND[2]["id"]])
def test_a_way_that_leads_nowhere_is_said(leaf: Any, tmp_path: Path) -> None:
    events = [*SOUND[:2], {**SOUND[2], "parent_id": SOUND[2]["id"]}]
    folder = conversation(tmp_path, *events, leaf_event_id=leaf or ["x"])
    with pytest.raises(SessionError, match="lacks an event that others follow"):
        open_session(folder)
