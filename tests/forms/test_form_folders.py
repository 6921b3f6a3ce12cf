"""Folders in which each message is a file: a session is read as the list of them, and never saved there."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.forms.made_lists import BERGEN, B, made_lists
from toolpair.cli.main import main
from toolpair.formats import address_of, folder_layout
from toolpair.formats.engine.agents.databases import named_sessions
from toolpair.session.session import Session, SessionError, open_session
from toolpair.source.errors import Refused

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


def ids(session: Session) -> list[str]:
    return [problem.rule for problem in session.problems if problem.severity == "error"]


def test_each_path_in_the_folder_is_the_agents_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = strands(tmp_path, without=B)
    place = of_agent(folder)
    for path in (folder, place.parent, place, place / "message_1.json"):
        session = open_session(path)
        assert session.file.formats[0].id == "strands"
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
    written = json.loads(open_session(folder).to_bytes())
    assert [one["message_id"] for one in written] == list(range(12))


def test_what_is_fixed_is_written_as_a_list_and_the_folder_stays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, out = strands(tmp_path, without=B), tmp_path / "out.json"
    before = tree(folder)
    for given in (folder, of_agent(folder), of_agent(folder) / "message_0.json"):
        assert main(["fix", str(given), "-o", str(out), "--force"]) == 0
        assert ids(open_session(out)) == []
    kept = [one for one in json.loads(out.read_bytes()) if one in messages()]
    assert len(kept) == len(messages()) - 1  # all but the one that has the new result
    capsys.readouterr()
    assert main(["fix", f"{folder}::a", "--in-place"]) == 3
    assert "toolpair does not write such folders; save a copy instead" in capsys.readouterr().err
    session = open_session(folder)
    session.stage_recommended()
    with pytest.raises(Refused, match="a file of its own"):
        session.save()
    assert tree(folder) == before


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
    written = json.loads(open_session(folder).to_bytes())
    assert [one["message_id"] for one in written] == [one["message_id"] for one in messages()[3:]]


def test_a_summary_that_is_sent_before_the_messages_is_not_guessed_at(tmp_path: Path) -> None:
    said = {"role": "user", "content": [{"text": "so far"}]}
    folder = strands(tmp_path, state={"removed_message_count": 3, "summary_message": said})
    with pytest.raises(SessionError, match="holds a summary"):
        open_session(folder)


@pytest.mark.parametrize("content", [b"", b'{"message": {"role": "user", "con', BERGEN.encode(), b"\xff\xfe{}"])
def test_a_file_that_strands_cannot_read_is_named(tmp_path: Path, content: bytes) -> None:
    folder = strands(tmp_path)
    (of_agent(folder) / "message_1.json").write_bytes(content)
    with pytest.raises(SessionError, match=r"message_1\.json is not JSON"):
        open_session(folder)


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
