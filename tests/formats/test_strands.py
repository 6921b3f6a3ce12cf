"""Strands' folders, in which each message is a file: read, fixed, and written back under the names of their order."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.formats.fixing import sent_messages
from tests.forms.made_lists import BERGEN, B, made_lists
from tests.source.faults import at_step, in_a_child, kill
from toolpair.cli.main import main
from toolpair.formats import address_of, folder_layout
from toolpair.formats.engine.agents.databases import named_sessions
from toolpair.formats.strands.writing import apply
from toolpair.session.session import Session, SessionError, open_session
from toolpair.session.surroundings import finish_killed_save
from toolpair.source.errors import Refused, SaveFailed
from toolpair.source.folders.save import FilesSave
from toolpair.transcript.edits import RemoveMessage

NO_SUCH = '{"type": "none"}'


def strands(root: Path, *agents: str, without: str = "", state: Any = None) -> Path:
    """A session folder as Strands writes it; the agents' messages have no result for the call `without`."""
    folder = root / "session_s1"
    for agent in agents or ("a",):
        place = folder / "agents" / f"agent_{agent}"
        (place / "messages").mkdir(parents=True)
        about = {"agent_id": agent, "state": {}, "conversation_manager_state": state or {}}
        (place / "agent.json").write_text(json.dumps(about))
        for element in messages(without):
            path = place / "messages" / f"message_{element['message_id']}.json"
            path.write_text(json.dumps(element, indent=2, ensure_ascii=False), encoding="utf-8")
    (folder / "session.json").write_text('{"session_id": "s1", "session_type": "AGENT"}')
    return folder


def messages(without: str = "") -> list[Any]:
    found = made_lists()["strands"].elements
    for element in found:
        content = element["message"]["content"]
        content[:] = [one for one in content if one.get("toolResult", {}).get("toolUseId", NO_SUCH) != without]
    return found


def of_agent(folder: Path, agent: str = "a") -> Path:
    return folder / "agents" / f"agent_{agent}" / "messages"


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def read(session: Session) -> list[Any]:
    """What the session's files hold, in order."""
    return [json.loads(line)["strands_message"]["data"] for line in session.to_bytes().splitlines()]


def ids(session: Session) -> list[str]:
    return [problem.rule for problem in session.problems if problem.severity == "error"]


def test_each_path_in_the_folder_is_the_agents_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = strands(tmp_path, without=B)
    place = of_agent(folder)
    for path in (folder, place.parent, place, place / "message_1.json"):
        session = open_session(path)
        assert session.format.id == "strands-folder"
        assert ids(session) == ["result.missing"]
    assert open_session(folder).file.name == "session_s1::a"
    monkeypatch.chdir(place)
    assert address_of("message_0.json") == address_of(".") == f"{folder}::a"
    monkeypatch.chdir(tmp_path)
    assert address_of("session_s1/agents/agent_a") == "session_s1::a"


def test_messages_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    """Not of their names: 10 comes after 9."""
    folder = strands(tmp_path)
    place = of_agent(folder)
    for number in range(len(messages()), 12):
        element = {**messages()[0], "message_id": number}
        element["message"] = {"role": "user", "content": [{"text": f"message {number}"}]}
        (place / f"message_{number}.json").write_text(json.dumps(element))
    assert [one["message_id"] for one in read(open_session(folder))] == list(range(12))


def test_what_is_fixed_is_saved_in_the_folder_and_put_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, out = strands(tmp_path, "a", "b", without=B), tmp_path / "out.jsonl"
    before = tree(folder)
    assert main(["fix", f"{folder}::a", "-o", str(out)]) == 0
    assert ids(open_session(out)) == [] and tree(folder) == before
    assert main(["fix", f"{folder}::a", "--in-place"]) == 0
    after = tree(folder)
    changed = [name for name in before.keys() | after.keys() if before.get(name) != after.get(name)]
    assert [Path(name).name for name in changed] == ["message_2.json"] and "agent_a" in changed[0]
    assert [json.loads(after[name])["message_id"] for name in changed] == [2]
    session = open_session(f"{folder}::a")
    assert ids(session) == [] and session.stage_recommended() is None
    assert main(["restore", f"{folder}::a", "--backup", "latest"]) == 0
    assert tree(folder) == before


def said(role: str, *parts: Any) -> Any:
    return {"role": role, "content": list(parts)}


def call(*ids: str) -> Any:
    return said("assistant", *({"toolUse": {"toolUseId": id_, "name": "look", "input": {}}} for id_ in ids))


def gives(*ids: str) -> Any:
    parts = (
        {"toolResult": {"toolUseId": id_, "status": "success", "content": [{"text": f"OUT-{id_}"}]}} for id_ in ids
    )
    return said("user", *parts)


ASK, DONE = said("user", {"text": "go on"}), said("assistant", {"text": "done"})


def of(root: Path, *messages: Any, **fields: Any) -> Path:
    """A folder with these messages of one agent; `fields` are in the last file."""
    folder = strands(root)
    for path in of_agent(folder).iterdir():
        path.unlink()
    for number, message in enumerate(messages):
        element = {
            "message": message,
            "message_id": number,
            "redact_message": None,
            "created_at": "2026-01-01T00:00:00",
        }
        element |= fields if number == len(messages) - 1 else {}
        (of_agent(folder) / f"message_{number}.json").write_text(json.dumps(element, indent=2))
    return folder


def test_a_new_message_moves_the_names_of_those_behind_it(tmp_path: Path) -> None:
    folder = of(tmp_path, ASK, call("c1"), DONE, ASK, call("c2"), gives("c2"), DONE)
    before, content = tree(folder), {path.name: path.read_bytes() for path in of_agent(folder).iterdir()}
    session = open_session(folder)
    assert ids(session) == ["result.missing"]
    session.stage_recommended()
    session.save()
    now = [json.loads((of_agent(folder) / f"message_{number}.json").read_text()) for number in range(8)]
    assert [one["message_id"] for one in now] == list(range(8))
    assert "toolResult" in now[2]["message"]["content"][0] and now[3]["message"] == DONE
    moved = (of_agent(folder) / "message_7.json").read_bytes()
    assert moved == content["message_6.json"].replace(b'"message_id": 6', b'"message_id": 7')
    assert open_session(folder).to_bytes() == session.to_bytes()
    assert main(["restore", f"{folder}::a", "--backup", "latest"]) == 0
    assert tree(folder) == before


def test_a_kill_of_a_save_that_moves_names_leaves_no_message_out(tmp_path: Path) -> None:
    messages = [ASK, call("c1"), DONE, said("user", {"text": "one"}), said("assistant", {"text": "two"})]

    def saving(folder: Path, step: Callable[[str], None]) -> FilesSave:
        session = open_session(folder)
        session.stage_recommended()
        documents = [found.document for found in session.conversations]
        return FilesSave(session.file.snapshot, session.file.container, documents, step=step)

    steps: list[str] = []
    wanted = of(tmp_path / "wanted", *messages)
    saving(wanted, steps.append).write()
    contents = {path.name: path.read_bytes() for path in of_agent(wanted).iterdir()}
    assert steps.count("exchange") == 4
    for at in (place for place, name in enumerate(steps) if name == "exchange"):
        folder = of(tmp_path / str(at), *messages)
        before = {path.name: path.read_bytes() for path in of_agent(folder).iterdir()}
        assert in_a_child(saving(folder, at_step(at, kill)).write) == signal.SIGKILL
        there = [json.loads(path.read_bytes())["message"] for path in of_agent(folder).iterdir()]
        assert all(one in there for one in messages)
        finish_killed_save(f"{folder}::a")
        assert {path.name: path.read_bytes() for path in of_agent(folder).iterdir()} in (before, contents)


def test_what_was_redacted_is_what_is_sent_judged_and_changed(tmp_path: Path) -> None:
    """A message that was redacted is kept, and what stands in its place is sent."""
    folder = of(tmp_path, ASK, call("c1", "c2"), gives("c1"), redact_message=gives("c1"))
    session = open_session(folder)
    assert ids(session) == ["result.missing"]
    session.stage_recommended()
    session.save()
    last = json.loads((of_agent(folder) / "message_2.json").read_text())
    assert last["message"] == gives("c1") and len(last["redact_message"]["content"]) == 2
    assert ids(open_session(folder)) == []


FILLED = "Tool was interrupted."
SENT: dict[str, tuple[list[Any], list[list[str]]]] = {
    "a call without a result": ([ASK, call("c1"), DONE], [["go on"], ["c1"], [FILLED], ["done"]]),
    "one of two": ([ASK, call("c1", "c2"), gives("c2"), DONE], [["go on"], ["c1", "c2"], [FILLED, "OUT-c2"], ["done"]]),
    "the last": ([ASK, call("c1")], [["go on"], ["c1"], [FILLED]]),
    "an orphan": ([ASK, DONE, gives("x"), DONE], [["go on"], ["done"], ["done"]]),
    "another id": ([ASK, call("c1"), gives("x"), DONE], [["go on"], ["c1"], [FILLED], ["done"]]),
    "too late": ([ASK, call("c1"), ASK, gives("c1"), DONE], [["go on"], ["c1"], [FILLED], ["go on"], ["done"]]),
}


@pytest.mark.parametrize("name", SENT)
def test_what_is_sent(name: str, tmp_path: Path) -> None:
    """As strands-agents 1.62.0 mends these messages before the next prompt."""
    given, wanted = SENT[name]
    sent = sent_messages(open_session(of(tmp_path, *given)))
    assert [[_words(value) for value in values] for _, values in sent] == wanted


def _words(value: Any) -> str:
    content = value.get("text", value.get("content", value.get("id")))
    return content if isinstance(content, str) else content[0]["text"]


@pytest.mark.parametrize("where", ["messages", "agent_a"])
def test_a_save_follows_no_planted_link(where: str, tmp_path: Path) -> None:
    folder = of(tmp_path, ASK, call("c1"), DONE)
    session = open_session(folder)
    session.stage_recommended()
    link = {"messages": of_agent(folder), "agent_a": of_agent(folder).parent}[where]
    link.rename(tmp_path / "elsewhere")
    link.symlink_to(tmp_path / "elsewhere")
    before = tree(tmp_path / "elsewhere")
    with pytest.raises((Refused, SaveFailed)):
        session.save()
    assert tree(tmp_path / "elsewhere") == before
    assert [path.name for path in folder.iterdir() if path.name.startswith(".")] == []


def test_each_agent_is_a_session(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = strands(tmp_path, "a", "b")
    assert sorted(named_sessions(str(folder))[0]) == [f"{folder}::a", f"{folder}::b"]
    with pytest.raises(SessionError, match="holds 2 sessions"):
        open_session(folder)
    assert main(["sessions", str(folder)]) == 0
    capsys.readouterr()
    for walked in (folder, tmp_path, folder / "agents"):
        assert main(["check", "-q", "--output-format", "jsonl", str(walked)]) in (0, 1)
        said = capsys.readouterr().out
        assert "::a" in said and "::b" in said and "message_" not in said


def test_messages_that_the_conversation_manager_removed_are_not_sent(tmp_path: Path) -> None:
    folder = strands(tmp_path, state={"removed_message_count": 3})
    assert [one["message_id"] for one in read(open_session(folder))] == [one["message_id"] for one in messages()[3:]]


def test_a_summary_is_sent_before_the_messages_that_it_did_not_replace(tmp_path: Path) -> None:
    """It is in the agent's own file, which is only written where the summary itself is changed."""
    summary = said("user", {"text": "so far"})
    folder = strands(tmp_path, without=B, state={"removed_message_count": 1, "summary_message": summary})
    before, session = tree(folder), open_session(folder)
    transcript = session.file.conversations[0].transcript
    assert [(one.note, one.blocks[0].text) for one in transcript.messages[:1]] == [("summary", "so far")]
    assert ids(session) == ["result.missing"]
    assert sent_messages(session)[0] == ("user", [{"type": "text", "text": "so far"}])
    session.stage_recommended()
    session.save()
    after = tree(folder)
    changed = [name for name in before if before[name] != after.get(name)]
    assert [Path(name).name for name in changed] == ["message_2.json"] and before.keys() <= after.keys()
    assert ids(open_session(folder)) == []


@pytest.mark.parametrize("summary", [7, "so far", {"role": "user"}, {"role": "user", "content": "so far"}])
def test_a_summary_that_is_no_message_is_not_guessed_at(tmp_path: Path, summary: Any) -> None:
    folder = strands(tmp_path, state={"summary_message": summary})
    with pytest.raises(SessionError, match="holds a summary that is not a message"):
        open_session(folder)


def test_a_summary_that_is_removed_leaves_the_file_of_its_agent(tmp_path: Path) -> None:
    summary = said("user", {"text": "so far"})
    session = open_session(strands(tmp_path, state={"removed_message_count": 1, "summary_message": summary}))
    found = session.file.conversations[0]
    edits = [RemoveMessage(found.transcript.messages[0])]
    made = apply(found.judged.items, found.transcript, edits)
    state = made[0].value["strands_agent"]["data"]["conversation_manager_state"]
    assert state == {"removed_message_count": 1, "summary_message": None}
    assert made[1:] == list(found.judged.items[1:])


@pytest.mark.parametrize("content", [b"", b'{"message": {"role": "user", "con', BERGEN.encode(), b"{}", b"7"])
def test_a_file_that_strands_cannot_read_stops_the_session(tmp_path: Path, content: bytes) -> None:
    folder = strands(tmp_path)
    (of_agent(folder) / "message_1.json").write_bytes(content)
    before, session = tree(folder), open_session(folder)
    broken = next(one for one in session.problems if one.rule.startswith("record."))
    assert broken.severity == "error" and broken.impact == "stops"
    aside = next(fix for fix in broken.fixes if fix.id == "set-aside")
    session.stage(broken, aside)
    session.save()
    assert len(tree(folder)) == len(before) - 1
    assert not any(one.rule.startswith("record.") for one in open_session(folder).problems)


def test_what_is_known_of_an_agent_has_to_be_readable(tmp_path: Path) -> None:
    """It says from which message on the agent goes on."""
    folder = strands(tmp_path)
    (of_agent(folder).parent / "agent.json").write_bytes(b'{"agent_id": "a", "conv')
    with pytest.raises(SessionError, match=r"agent\.json is not a JSON object"):
        open_session(folder)


def test_a_name_without_a_number_stops_strands(tmp_path: Path) -> None:
    folder = strands(tmp_path)
    (of_agent(folder) / "message_one.json").write_bytes(b"{}")
    with pytest.raises(SessionError, match="has no number in its name"):
        open_session(folder)


def test_links_are_not_followed(tmp_path: Path) -> None:
    folder = strands(tmp_path)
    target = of_agent(folder) / "message_1.json"
    target.rename(tmp_path / "elsewhere.json")
    target.symlink_to(tmp_path / "elsewhere.json")
    with pytest.raises(SessionError, match=r"message_1\.json is a symbolic link that is not followed"):
        open_session(folder)


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_not_a_file_is_named(tmp_path: Path, make: Callable[[Path], None]) -> None:
    folder = strands(tmp_path)
    target = of_agent(folder) / "message_1.json"
    target.unlink()
    make(target)
    with pytest.raises(SessionError, match=r"message_1\.json cannot be opened \(not a regular file\)"):
        open_session(folder)


def test_other_folders_with_agents_are_not_claimed(tmp_path: Path) -> None:
    (tmp_path / "agents" / "agent_a" / "messages").mkdir(parents=True)
    assert folder_layout(str(tmp_path)) is None
    (tmp_path / "session.json").write_text("{}")
    assert folder_layout(str(tmp_path)) is None  # without its own file an agent is not restored
    (tmp_path / "agents" / "agent_a" / "agent.json").write_text("{}")
    assert folder_layout(str(tmp_path)) is not None
    with pytest.raises(SessionError, match="no sessions"):
        open_session(tmp_path)


def test_an_agent_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SessionError, match="no session 'x'"):
        open_session(f"{strands(tmp_path)}::x")


def test_one_message_file_outside_its_folder_says_what_is_missing(tmp_path: Path) -> None:
    alone = tmp_path / "message_1.json"
    alone.write_bytes((of_agent(strands(tmp_path)) / "message_1.json").read_bytes())
    with pytest.raises(SessionError, match="lies in none that toolpair can read"):
        open_session(alone)
