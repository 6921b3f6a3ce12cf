"""OpenHands' folders, in which each event is a file that names the one before it: read, judged and mended in place."""

from __future__ import annotations

import json
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
from toolpair.cli.main import main
from toolpair.formats import address_of
from toolpair.session.session import Session, SessionError, open_session
from toolpair.source.errors import Refused

ALONE = [name for name in DEFECTS if name != "condensed_a_pair_apart"]


def with_defects(*names: str) -> Events:
    events = sound()
    for name in names:
        DEFECTS[name](events)
    return chained(events)


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


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
