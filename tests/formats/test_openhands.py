"""OpenHands' folders, in which each event is a file that names the one before it: read, judged and mended in place."""

from __future__ import annotations

import json
import os
import shutil
import socket
import time
from pathlib import Path
from typing import Any

import pytest

from tests.formats.fixing import errors, seen_of, sent_results, sent_text
from tests.openhands_conversations import (
    DEFECTS,
    IN_FILES,
    NAME,
    Events,
    chained,
    conversation,
    event,
    id_of,
    said,
    sound,
)
from toolpair.agents import catalog
from toolpair.cli.main import main
from toolpair.formats import address_of
from toolpair.session.session import Session, SessionError, open_session
from toolpair.shell.machine import Machine
from toolpair.source.errors import Refused
from toolpair.source.folders.exchange import Exchange

ALONE = [name for name in DEFECTS if name != "condensed_a_pair_apart"]


def with_defects(*names: str) -> Events:
    events = sound()
    for name in names:
        DEFECTS[name](events)
    return chained(events)


def tree(folder: Path) -> dict[str, bytes]:
    """Without the mark of how many events there are."""
    return {str(path): path.read_bytes() for path in folder.rglob("[!.]*") if path.is_file()}


def ids(session: Session) -> list[int]:
    """The events that messages are made of, in order."""
    numbers = {}
    for uid, line in zip(
        (item.uid for item in session.conversation.items), session.to_bytes().splitlines(), strict=True
    ):
        row = json.loads(line).get("openhands_event", {})
        numbers[uid] = int(row.get("data", {}).get("id", "0").partition("-")[0], 16)
    return [numbers[uid] for message in session.conversation.transcript.messages for uid in message.records]


def test_each_path_in_the_folder_is_the_conversation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = conversation(tmp_path, chained(sound()))
    address = f"{folder}::{folder.name}"
    for path in (folder, folder / "events", next((folder / "events").glob("event-00002*"))):
        session = open_session(path)
        assert session.format.id == "openhands" and not errors(session) and ids(session) == list(range(1, 14))
    assert address_of(str(folder / "events")) == address
    assert main(["check", "--output-format", "jsonl", str(tmp_path)]) == 0
    assert [json.loads(line).get("path") for line in capsys.readouterr().out.splitlines()][:1] == [address]
    assert main(["sessions", str(folder)]) == 0 and "more" in capsys.readouterr().out


@pytest.mark.parametrize("defect", ALONE)
def test_a_defect_is_mended_in_the_folder_and_put_back(defect: str, tmp_path: Path) -> None:
    folder = conversation(tmp_path, with_defects(defect))
    before, session = tree(folder), open_session(folder)
    sent = dict(sent_results(session))
    if session.stage_recommended() is None:
        assert errors(session) == []
        return
    shown = session.to_bytes()
    session.save()
    again = open_session(folder)
    assert again.to_bytes() == shown and errors(again) == [] and again.stage_recommended() is None
    told = sent_text(seen_of(again))
    assert [text for id_, text in sent.items() if text not in told and "runs again" not in text] == []
    names = sorted(path.name for path in (folder / "events").glob("event-*"))
    assert [int(name.split("-")[1]) for name in names] == list(range(len(names)))
    assert main(["restore", f"{folder}::{NAME}", "--backup", "latest"]) == 0
    assert tree(folder) == before


def test_what_is_added_at_the_end_is_the_last_event(tmp_path: Path) -> None:
    """As when OpenHands was killed while a tool ran: nothing else in the folder is touched."""
    events = sound()[:10]
    folder = conversation(tmp_path, chained(events))
    before = tree(folder)
    session = open_session(folder)
    session.stage_recommended()
    (problem,) = [one for one in open_session(folder).problems if one.severity == "error"]
    assert problem.rule == "result.missing" or problem.rule == "turn.trailing_call"
    assert problem.on_resume is not None and "runs it again" in problem.on_resume.text and problem.impact == "stops"
    session.save()
    after = tree(folder)
    changed = sorted(Path(name).name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    assert [name[:11] for name in changed] == ["base_state.", "event-00010"]
    new = json.loads((folder / "events" / changed[1]).read_text())
    assert json.loads((folder / "base_state.json").read_text())["leaf_event_id"] == new["id"]
    assert (new["kind"], new["tool_call_id"], new["parent_id"]) == ("AgentErrorEvent", "call_c1", id_of(9))


@pytest.mark.parametrize("defect", ["no_result", "no_result_of_two", "late", "words_between", "unanswered_end"])
def test_events_without_links_get_none(defect: str, tmp_path: Path) -> None:
    """The versions that write none do not load an event that has one."""
    events = sound()
    DEFECTS[defect](events)
    folder = conversation(tmp_path, events, leaf_event_id=None)
    session = open_session(folder)
    session.stage_recommended()
    session.save()
    assert errors(open_session(folder)) == []
    assert not [data for data in tree(folder).values() if b"parent_id" in data or b"leaf_event_id" in data]


def test_what_was_condensed_is_not_sent_and_its_summary_keeps_its_place(tmp_path: Path) -> None:
    folder = conversation(tmp_path, with_defects("condensed", "no_error"))
    session = open_session(folder)
    assert ids(session) == [1, 40, 4, 5, 6, 7, 8, 9, 11, 12, 13]
    session.stage_recommended()
    session.save()
    assert [one for one in ids(open_session(folder)) if one < 50][:3] == [1, 40, 4]
    other = open_session(conversation(tmp_path / "b", with_defects("words_between", "condensed")))
    other.stage_recommended()
    assert errors(other) == [] and ids(other)[:3] == [1, 40, 4]
    events = with_defects("no_result")
    summary = {"summary": "SO FAR", "summary_offset": 3, "llm_response_id": "rs"}
    gone = event(40, "Condensation", "environment", forgotten_event_ids=[*map(id_of, range(4, 8))], **summary)
    behind = open_session(conversation(tmp_path / "c", chained([*events[:7], gone, *events[7:]])))
    assert ids(behind)[:4] == [1, 2, 40, 8]
    behind.stage_recommended()
    said = ids(behind)
    assert (said[:2], said[3:5]) == ([1, 2], [40, 8]), "the new result is in front of it, where its call is"


def test_only_the_branch_that_goes_on_is_read(tmp_path: Path) -> None:
    events = chained(sound())
    other = {**said(20, "another way"), "parent_id": id_of(1)}
    session = open_session(conversation(tmp_path / "a", [*events, other]))
    assert ids(session) == [1, 20] and len(session.conversation.transcript.tree.branches) == 2
    state = event(21, "ConversationStateUpdateEvent", "environment")
    plain = conversation(tmp_path / "b", [*sound(), said(20, "x"), state], leaf_event_id=None)
    assert ids(open_session(plain)) == [*range(1, 14), 20], "events that name none follow each other"
    again = {**said(20, "anew"), "parent_id": "__root__"}
    assert ids(open_session(conversation(tmp_path / "c", [*events, again]))) == [20]


def test_a_byte_order_mark_is_told_whatever_number_its_file_gets(tmp_path: Path) -> None:
    folder = conversation(tmp_path, with_defects("no_result"))
    IN_FILES["byte_order_mark"][0](folder)
    session, before = open_session(folder), tree(folder)
    assert session.stage_recommended() is not None and errors(session) == ["record.bom"]
    shown = session.to_bytes()
    session.save()
    assert open_session(folder).to_bytes() == shown and errors(open_session(folder)) == ["record.bom"]
    assert tree(folder)[str(folder / "base_state.json")] == before[str(folder / "base_state.json")]


@pytest.mark.parametrize("data", [b'{"id": "47a38f70-80', b"", b"[]", b"null", b"{}"])
def test_a_file_of_the_conversation_that_says_nothing_is_told_and_kept(data: bytes, tmp_path: Path) -> None:
    folder = conversation(tmp_path, with_defects("no_result"))
    (folder / "base_state.json").write_bytes(data)
    session = open_session(folder)
    assert seen_of(session).refuses is not None
    session.stage_recommended()
    session.save()
    again = open_session(folder)
    assert [(one.rule.partition(".")[0], bool(one.no_fix)) for one in again.problems if one.severity == "error"] == [
        ("record", True)
    ]
    assert (folder / "base_state.json").read_bytes() == data and seen_of(again).refuses is not None
    names = sorted(path.name for path in (folder / "events").glob("event-*"))
    assert [int(name.split("-")[1]) for name in names] == list(range(len(names)))


@pytest.mark.parametrize("befalls", ["cut_without_links", "cut", "not_an_event"])
def test_a_file_before_a_condensation_is_not_set_aside_unasked(befalls: str, tmp_path: Path) -> None:
    """OpenHands would load what is before it, run its last calls again and forget the rest."""
    folder = conversation(tmp_path, with_defects("condensed"))
    IN_FILES["no_leaf"][0](folder)
    IN_FILES[befalls][0](folder)
    before, session = tree(folder), open_session(folder)
    session.stage_recommended()
    try:
        session.save()
    except Refused:
        assert tree(folder) == before
    else:
        assert '"done"' in sent_text(seen_of(open_session(folder)))


@pytest.mark.parametrize("name", IN_FILES)
def test_what_befalls_files_is_told_and_mended(name: str, tmp_path: Path) -> None:
    befall, loaded = IN_FILES[name]
    folder = conversation(tmp_path, chained(sound()))
    befall(folder)
    session = open_session(folder)
    assert (seen_of(session).refuses is None) is loaded
    assert bool(errors(session)) is (not loaded or name == "gap_without_leaf")
    while session.stage_recommended() is not None:
        session.save()
        session = open_session(folder)
    assert errors(session) == (["record.bom"] if name == "byte_order_mark" else [])
    assert (seen_of(session).refuses is None) is not bool(errors(session))


def test_a_link_in_place_of_a_file_is_not_followed(tmp_path: Path) -> None:
    folder = conversation(tmp_path, chained(sound()))
    target = next((folder / "events").glob("event-00003*"))
    target.rename(tmp_path / "elsewhere.json")
    target.symlink_to(tmp_path / "elsewhere.json")
    with pytest.raises(SessionError, match="symbolic link that is not followed"):
        open_session(folder)


@pytest.mark.parametrize("leaf", [[], {}, "nowhere"])
def test_a_last_event_that_is_none_is_told(leaf: Any, tmp_path: Path) -> None:
    session = open_session(conversation(tmp_path, chained(sound()), leaf_event_id=leaf or ["x"]))
    assert errors(session) == ["chain.wrong_leaf"]
    session.stage_recommended()
    assert errors(session) == []


# --- OpenHands itself ------------------------------------------------------------------------------------------


def test_conversations_are_found_described_and_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = conversation(tmp_path / ".openhands", chained(sound()))
    (folder.parent / "empty" / "events").mkdir(parents=True)
    machine = Machine("linux", {}, tmp_path)
    (found,) = catalog.index(machine, "/somewhere")
    described = catalog.describe(found)
    assert (found.agent, found.session_id, found.here, found.understood) == ("openhands", NAME, True, True)
    assert (described.folder, described.words) == ("/somewhere", "more")
    assert catalog.resolve(NAME[:8], machine) == found.path == f"{folder}::{NAME}"
    resumed = f"cd /somewhere && OPENHANDS_CONVERSATIONS_DIR={folder.parent} openhands --resume {NAME}"
    assert open_session(folder).resume_command() == resumed
    monkeypatch.setenv("OPENHANDS_PERSISTENCE_DIR", str(tmp_path / ".openhands"))
    assert open_session(folder).resume_command() == f"cd /somewhere && openhands --resume {NAME}"
    folder.rename(folder.with_name("copy"))
    says = open_session(folder.with_name("copy")).resume_command()
    assert says == f"OpenHands finds it under the name {NAME}: give the folder that name."
    lines = tmp_path / "copy.jsonl"
    open_session(folder.with_name("copy")).save_as(lines)
    says = open_session(lines, format="openhands").resume_command()
    assert says is not None and "save into its folder" in says


def test_what_its_server_has_open_is_not_written(tmp_path: Path) -> None:
    folder = conversation(tmp_path, with_defects("no_result"))
    lease = folder / "owner_lease.json"
    held = {"owner_instance_id": "x", "generation": 1, "expires_at": time.time() + 40}
    here = {"owner_host": socket.gethostname(), "owner_pid": os.getpid()}
    session = open_session(folder)
    assert session.stage_recommended() is not None
    for owner, who in (({}, "OpenHands' server;"), (here, f"OpenHands' server, process {os.getpid()};")):
        lease.write_text(json.dumps(held | owner))
        before = tree(folder)
        with pytest.raises(Refused, match=who):
            session.save()
        assert tree(folder) == before
    for gone in (held | here | {"owner_pid": 1 << 30}, held | {"expires_at": time.time() - 1}):
        lease.write_text(json.dumps(gone))
        folder_of_its_own = shutil.copytree(folder, tmp_path / f"{gone['expires_at']}")
        again = open_session(folder_of_its_own)
        again.stage_recommended()
        again.save()


def test_the_mark_of_how_many_events_there_are_is_kept_true(tmp_path: Path) -> None:
    """While the old one is there, a program of OpenHands that has the conversation open does not count them again, and gives
    its next event a number that the save has given.
    """
    folder = conversation(tmp_path, with_defects("no_result"))
    session = open_session(folder)
    assert session.stage_recommended() is not None
    assert [path.name for path in folder.rglob(".*")] == [".eventlog-len-13.marker"]
    session.save()
    assert [path.name for path in folder.rglob(".*")] == [".eventlog-len-14.marker"]
    assert main(["restore", f"{folder}::{NAME}", "--backup", "latest"]) == 0
    assert [path.name for path in folder.rglob(".*")] == [".eventlog-len-13.marker"]


def test_no_mark_is_touched_through_a_link_and_one_that_is_there_again_is_no_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = conversation(tmp_path / "linked", chained(sound()), leaf_event_id="gone")
    shutil.move(folder / "events", tmp_path / "elsewhere")
    (folder / "events").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere" / ".eventlog-len-999.marker").write_text("precious")
    before = tree(tmp_path / "elsewhere")
    session = open_session(folder)
    assert errors(session) == ["chain.wrong_leaf"] and session.stage_recommended() is not None
    session.save()
    assert tree(tmp_path / "elsewhere") == before and errors(open_session(folder)) == []

    folder = conversation(tmp_path, with_defects("no_result"))
    session = open_session(folder)
    assert session.stage_recommended() is not None
    finish = Exchange.finish

    def with_a_mark(exchange: Exchange) -> None:
        finish(exchange)
        (folder / "events" / ".eventlog-len-14.marker").touch()

    monkeypatch.setattr(Exchange, "finish", with_a_mark)
    session.save()
    assert errors(open_session(folder)) == []
