"""opencode's sessions from before 1.2, which are files of a folder: found, read, checked, fixed and written."""

from __future__ import annotations

import json
import os
import random
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.formats.fixing import assert_whole, errors, sent_rows
from tests.formats.test_opencode import PLANTED, _broken
from tests.listed import listed
from tests.opencode_folders import NOT_BEFORE, files, planted_in, sent_before, write, written
from tests.opencode_sessions import FOLDER, ID, OTHER, Planted, another, plain
from tests.opencode_sessions import written as database
from tests.rounds import some, tries
from toolpair.cli.main import main
from toolpair.formats import address_of, folder_layout, get_agent
from toolpair.formats.agent import SessionFile
from toolpair.formats.engine.agents.databases import sessions_in, words_of
from toolpair.session.session import Session, open_session
from toolpair.session.surroundings import how_to_resume
from toolpair.shell.machine import Machine
from toolpair.source.errors import Refused, UnreadableFile
from toolpair.source.folders.stored_session import StoredFiles
from toolpair.source.record_values import BOM
from toolpair.source.rows.layout import Row
from toolpair.transcript.edits import InsertMessage, InsertResult, RemoveMessage, ReplaceWithText

OTHERWISE = (
    *("part_that_is_null", "damaged_before_a_compaction", "half_a_character", "message_without_time"),
    *("image_as_result", "interrupted_with_its_output", "reasoning_of_another_model", "question_gone", "message_gone"),
)
"""What is damage in one form alone, or is sent otherwise since 1.2."""


def opened(storage: Path, session: str = ID) -> Session:
    return open_session(f"{storage}::{session}")


def others(storage: Path) -> dict[str, bytes]:
    """The files of the other session, and those of no session."""
    session, mine = another(), files(storage)
    of_other = (session.id, *(message["id"] for message in session.messages))
    kinds = ("migration", "project", "session_diff")
    return {name: data for name, data in mine.items() if name.startswith(kinds) or any(id_ in name for id_ in of_other)}


# --- each way to break one ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", some(sorted(PLANTED), 15))
def test_what_is_fixed_is_valid_and_nothing_is_lost(name: str, tmp_path: Path) -> None:
    """A save is also what was seen, and the same as in a database; a restore takes it back."""
    planted = PLANTED[name]
    storage = planted_in(tmp_path, planted)
    before, beside = files(storage), others(storage)
    session = opened(storage)
    assert session.conversation.transcript.agent == "opencode"
    lines, rules = session.to_bytes(), sorted(problem.rule for problem in session.problems)
    staged = session.stage_recommended()
    if name == "message_that_is_no_json":  # its text stands nowhere else, and a message that is written again has none
        assert staged is None and any("would be gone from the file" in held.text for held in session.staging.held_back)
        return
    if staged is not None:
        session.undo()
        assert session.to_bytes() == lines
        session.redo()
        fixed = session.to_bytes()
        session.save()
        assert session.to_bytes() == fixed
    after, now = opened(storage), files(storage)
    assert_whole(after, sent_before(name, planted))
    assert others(storage) == beside
    if name not in NOT_BEFORE and name not in OTHERWISE:
        assert (rules, sent_rows(after)) == fixed_in_a_database(planted, tmp_path / "opencode.db")
    if staged is None:
        assert now == before
    else:
        assert after.to_bytes() == fixed
        assert_only_its_records_change(before, now)
    assert after.stage_recommended() is None
    if staged is not None:
        assert main(["restore", str(storage), "--backup", "latest"]) == 0
        assert files(storage) == before


def fixed_in_a_database(planted: Planted, path: Path) -> tuple[list[str], Any]:
    """The rules that are broken, and what is sent once they are fixed."""
    session = open_session(f"{planted.write(path)}::{ID}")
    rules = sorted(problem.rule for problem in session.problems)
    if session.stage_recommended() is not None:
        session.save()
    return rules, sent_rows(open_session(session.file.address or ""))


def assert_only_its_records_change(before: dict[str, bytes], now: dict[str, bytes]) -> None:
    touched = {path for path in now.keys() | before.keys() if now.get(path) != before.get(path)}
    assert touched and all(path.startswith(("message/", "part/")) for path in touched)
    for path in touched & now.keys() - before.keys():
        data = json.loads(now[path])
        kind, above, id_ = path.removesuffix(".json").split("/")
        assert (data["id"], data["sessionID"]) == (id_, ID)
        assert above == (data["messageID"] if kind == "part" else ID)


@pytest.mark.parametrize("seed", range(tries(60, 15)))
def test_no_file_is_too_odd(seed: int, tmp_path: Path) -> None:
    planted = _broken(seed)
    if planted.session.revert is not None and planted.session.revert.startswith("{") and seed % 2:
        planted.session.revert = None
    try:
        storage = planted_in(tmp_path, planted)
    except ValueError:
        planted.session.revert = None
        storage = planted_in(tmp_path, planted)
    before, beside = files(storage), others(storage)
    session = opened(storage)
    if session.stage_recommended() is not None:
        session.save()
        assert session.to_bytes() == opened(storage).to_bytes()
    after = opened(storage)
    assert after.stage_recommended() is None
    assert others(storage) == beside
    if session.file.snapshot.data == after.file.snapshot.data and not list(tmp_path.rglob("*.bak")):
        assert files(storage) == before


@pytest.mark.parametrize("seed", range(tries(25, 8)))
def test_any_edits_are_read_back_as_they_were_seen(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    planted = PLANTED[chance.choice(sorted(PLANTED))]
    storage = planted_in(tmp_path, planted)
    session = opened(storage)
    session.stage_recommended()
    messages = session.conversation.transcript.messages
    edits: list[Any] = []
    for message in chance.sample(messages, min(3, len(messages))):
        call = next(iter(message.calls), None)
        choices: list[Any] = [
            RemoveMessage(message),
            InsertMessage(message, chance.choice(["user", "assistant"]), "More."),
        ]
        choices += [ReplaceWithText(call, "what it was")] if call is not None else []
        edits.append(chance.choice(choices))
    edits.append(InsertMessage(None, "user", "First of all."))
    before = files(storage)
    session.staging.now = (session.conversation.apply(edits),)
    fixed = session.to_bytes()
    seen = sent_rows(session)
    session.save()
    again = opened(storage)
    assert again.to_bytes() == fixed and sent_rows(again) == seen
    now = files(storage)
    for path in before.keys() & now.keys():
        if now[path] != before[path]:
            assert path.startswith(("message/", "part/"))


# --- what a path means -------------------------------------------------------------------------------------


def test_a_session_is_named_by_its_file_its_folder_or_its_id(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    storage = written(tmp_path, plain())
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    own = storage / "session" / "global" / f"{ID}.json"
    names = (own, storage / "message" / ID, storage, f"{storage}::{ID}", f"{storage}::{ID[:9]}", ID, ID[:9])
    lines = [main(["check", str(name)]) or capsys.readouterr().out for name in names]
    assert all(f"::{ID}" in str(line) or ID[:9] in str(line) for line in lines)
    assert {open_session(str(name)).to_bytes() for name in names[:5]} == {opened(storage).to_bytes()}
    monkeypatch.chdir(own.parent)
    assert address_of(own.name) == f"{storage}::{ID}"
    monkeypatch.chdir(storage.parent)
    assert address_of(f"storage/message/{ID}/") == f"storage::{ID}"


def test_a_check_of_the_folder_has_an_entry_for_each_session(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    child = another()
    child.parent = ID
    storage = written(tmp_path, PLANTED["no_output"].session, child)
    for given in (storage, storage.parent, tmp_path):
        assert main(["check", str(given), "--output-format", "jsonl"]) == 1
        said = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert sorted(one["path"].rpartition("::")[2] for one in said if "path" in one) == sorted([ID, OTHER])


def test_the_list_says_title_folder_words_and_age(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    child = another()
    child.parent = ID
    storage = written(tmp_path, plain(), child)
    ((found,), notice) = listed(storage)
    assert notice is None
    assert (found.session_id, found.name, found.folder, found.agent) == (ID, "A session", FOLDER, "opencode")
    assert found.size > 1000
    assert main(["sessions", str(storage), "--output-format", "json"]) == 0
    (one,) = json.loads(capsys.readouterr().out)["sessions"]
    assert one["last_words"] == "Once more."


@pytest.mark.parametrize("name", ["opencode", "kilo"])
def test_the_agent_finds_its_own_and_says_how_to_resume(name: str, tmp_path: Path) -> None:
    agent = get_agent("kilo-cli" if name == "kilo" else "opencode")
    storage = written(tmp_path, plain())
    storage = (storage.parent.rename(tmp_path / name)) / "storage"
    machine = Machine("linux", {"XDG_DATA_HOME": str(tmp_path)}, tmp_path)
    (found,) = agent.sessions(machine)
    assert (found.path, found.session_id, found.name) == (f"{storage}::{ID}", ID, "A session")
    assert opened(storage).conversation.transcript.agent == agent.title
    file = SessionFile(storage, storage, ID, FOLDER)
    said = how_to_resume(agent, file, machine) or ""
    before = f"cd {FOLDER} && XDG_DATA_HOME={tmp_path}"
    if name == "kilo":
        assert said == f"{before} kilo -s {ID}"
    else:
        assert said.startswith(f"Run `{before} npx opencode-ai@1.2.1 -s {ID}`: 1.2.1 moves it into the database")
        assert said.endswith("opencode 1.18.33 no longer reads a folder.")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert "reads a folder only as" in (
        how_to_resume(agent, SessionFile(elsewhere, elsewhere, ID, FOLDER), machine) or ""
    )


@pytest.mark.parametrize("name", ["opencode", "kilo"])
def test_a_folder_beside_a_database_is_not_moved_into_it(name: str, tmp_path: Path) -> None:
    agent = get_agent("kilo-cli" if name == "kilo" else "opencode")
    storage = (written(tmp_path, plain()).parent.rename(tmp_path / name)) / "storage"
    database(storage.parent / f"{name}.db", another(), kilo=name == "kilo")
    machine = Machine("linux", {"XDG_DATA_HOME": str(tmp_path)}, tmp_path)
    said = how_to_resume(agent, SessionFile(storage, storage, ID, FOLDER), machine) or ""
    if name == "kilo":
        assert said == "Kilo CLI moves this folder into its database only while it has none: there is one already."
    else:
        assert f"npx opencode-ai@1.1.65 -s {ID}`: 1.1.65 reads it although there is a database." in said


def test_what_a_database_has_by_now_is_left_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    storage = written(tmp_path, plain(), another())
    path = database(storage.parent / "opencode.db", plain())
    with pytest.raises(UnreadableFile, match=rf"is left over: .* open {path}::{ID}\."):
        opened(storage)
    assert opened(storage, OTHER).conversation.transcript.agent == "opencode"
    assert main(["check", str(storage)]) == 2
    assert "is left over" in capsys.readouterr().err
    main(["check", str(tmp_path), "--output-format", "jsonl"])
    said = capsys.readouterr().out
    assert f"{path}::{ID}" in said and f"{storage}::{OTHER}" in said and f"{storage}::{ID}" not in said
    agent = get_agent("opencode")
    machine = Machine("linux", {"XDG_DATA_HOME": str(tmp_path)}, tmp_path)
    assert {found.path for found in agent.sessions(machine)} == {f"{path}::{ID}", f"{storage}::{OTHER}"}


@pytest.mark.parametrize("inside", [("session", "message"), ("session/x", "message/y"), ("message",)])
def test_other_folders_are_not_taken_for_one(inside: tuple[str, ...], tmp_path: Path) -> None:
    for name in inside:
        (tmp_path / "storage" / name).mkdir(parents=True)
    (tmp_path / "storage" / "message" / "notes.json").write_text("{}")
    assert folder_layout(str(tmp_path / "storage")) is None
    assert address_of(str(tmp_path / "storage")) is None
    with pytest.raises(UnreadableFile, match="is a directory"):
        open_session(str(tmp_path / "storage"))
    (tmp_path / "ses_1.json").write_text("[]")
    assert address_of(str(tmp_path / "ses_1.json")) is None


def test_a_folder_of_before_0_6_is_refused_by_its_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    storage = tmp_path / "opencode" / "project" / "home-dev-shop" / "storage"
    newer = written(tmp_path / "newer", plain())
    for name, of in (("info", "session/*"), ("message", "message"), ("part", "part")):
        (found,) = newer.glob(of)
        shutil.copytree(found, storage / "session" / name)
    own = storage / "session" / "info" / f"{ID}.json"
    for given in (str(storage), f"{storage}::{ID}", str(own)):
        with pytest.raises(UnreadableFile, match=r"from before 0\.6; start opencode 1\.1\.65 once"):
            open_session(given)
    assert main(["sessions", str(storage)]) == 2
    assert "from before 0.6" in capsys.readouterr().err
    assert main(["check", str(tmp_path / "opencode")]) == 2
    (storage / "session" / "info" / f"{ID}.json").unlink()
    assert folder_layout(str(storage)) is None


# --- odd folders -------------------------------------------------------------------------------------------


def test_reading_creates_and_changes_nothing(tmp_path: Path) -> None:
    storage = planted_in(tmp_path, PLANTED["both_running"])

    def state() -> dict[str, tuple[int, ...]]:
        found = (storage.parent, *storage.parent.rglob("*"))
        return {str(path): (path.stat().st_ino, path.stat().st_mtime_ns, path.stat().st_size) for path in found}

    before = state()
    session = opened(storage)
    session.stage_recommended()
    session.to_bytes()
    main(["check", str(storage)])
    main(["sessions", str(storage)])
    main(["fix", f"{storage}::{ID}", "--diff"])
    assert state() == before


@pytest.mark.parametrize("times", [1, 3, 100])
@pytest.mark.parametrize("gone", [False, True])
def test_what_changes_while_it_is_read_is_read_again(
    times: int, gone: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is read is what was there at one moment."""
    storage = written(tmp_path, plain())
    left = sorted((storage / "part").glob("*/*.json"))
    rows, reads = StoredFiles.rows, list[Path]()

    def reading(stored: StoredFiles, files: Iterable[Row]) -> Iterator[Row]:
        for number, row in enumerate(rows(stored, files)):
            if number == 2 and len(reads) < times and left:
                reads.append(left.pop(0))
                if gone:
                    reads[-1].unlink()
                else:
                    reads[-1].write_text(reads[-1].read_text() + " ")
            yield row

    monkeypatch.setattr(StoredFiles, "rows", reading)
    if times == 100:
        with pytest.raises(UnreadableFile, match="is being written to all the time"):
            opened(storage)
        return
    lines = opened(storage).to_bytes()
    monkeypatch.undo()
    assert len(reads) == times and opened(storage).to_bytes() == lines


def test_what_is_no_record_is_not_read(tmp_path: Path) -> None:
    """Hidden files, links, and the parts of messages that were undone."""
    storage = written(tmp_path, plain())
    lines = opened(storage).to_bytes()
    part = next((storage / "part").glob("*/*.json"))
    part.with_name(".oc-prt.json.1.2.tmp").write_text("{")
    part.with_name("prt_0.json").symlink_to(part)
    for folder in ("session", "message", "part"):
        (storage / folder / "loop.json").symlink_to("loop.json")
    left = storage / "part" / "msg_undone"
    left.mkdir()
    (left / "prt_1.json").write_text(json.dumps({"id": "prt_1", "sessionID": ID, "messageID": "msg_undone"}))
    assert opened(storage).to_bytes() == lines


@pytest.mark.parametrize("where", [f"message/{ID}/x.json.bak", "part/MESSAGE/notes.txt"])
def test_a_file_that_keeps_the_agent_from_loading_is_named(where: str, tmp_path: Path) -> None:
    storage = written(tmp_path, plain())
    path = where.replace("MESSAGE", plain().messages[0]["id"])
    (storage / path).write_text("{}")
    session = opened(storage)
    seen = session.conversation.judged.seen
    assert seen is not None and seen.refuses is not None and path in seen.refuses
    assert path in session.conversation.verdict.sentence
    assert errors(session) == []


@pytest.mark.parametrize(
    "content, stops", [(b"", True), (b"{", True), (b"null", True), (b"{}\0", True), (b"[]", False)]
)
def test_what_a_part_must_be(content: bytes, stops: bool, tmp_path: Path) -> None:
    storage = written(tmp_path, plain())
    path = next(path for path in (storage / "part").glob("*/*.json") if b"word-b" in path.read_bytes())
    path.write_bytes(content)
    session = opened(storage)
    seen = session.conversation.judged.seen
    assert seen is not None and (seen.refuses is not None) is stops
    assert ([problem.impact for problem in session.problems] == ["stops"]) is stops
    session.stage_recommended()
    assert errors(session) == []


@pytest.mark.parametrize("kind", ["session", "message", "part"])
def test_a_byte_order_mark_is_read_over_as_the_agent_does_and_stays(kind: str, tmp_path: Path) -> None:
    storage = planted_in(tmp_path, PLANTED["pending"])
    plainly = opened(storage)
    told_of = [problem.rule for problem in plainly.problems], sent_rows(plainly)
    marked = sorted((storage / kind).glob("*/*.json"))
    for path in marked:
        path.write_bytes(BOM + path.read_bytes())
    session = opened(storage)
    assert ([problem.rule for problem in session.problems], sent_rows(session)) == told_of
    assert session.to_bytes() == plainly.to_bytes()
    assert {one.title for one in sessions_in(str(storage), "").sessions} == {"A session", "Another session"}
    assert words_of(str(storage), ID) is not None
    before = files(storage)
    session.stage_recommended()
    session.save()
    after = files(storage)
    changed = {name for name in before if before[name] != after[name]}
    assert changed and before.keys() == after.keys()
    assert all(path.read_bytes().count(BOM) == 1 for path in marked)
    assert errors(opened(storage)) == []
    assert main(["restore", str(storage), "--backup", "latest"]) == 0
    assert files(storage) == before


def test_a_session_without_messages_and_messages_without_parts(tmp_path: Path) -> None:
    storage = written(tmp_path, plain())
    for path in (storage / "part").rglob("*.json"):
        path.unlink()
    assert opened(storage).problems == ()
    for path in (storage / "message" / ID).iterdir():
        path.unlink()
    (storage / "message" / ID).rmdir()
    assert opened(storage).problems == ()


def test_a_session_whose_own_file_is_gone_is_none(tmp_path: Path) -> None:
    storage = written(tmp_path, plain(), another())
    (storage / "session" / "global" / f"{ID}.json").unlink()
    with pytest.raises(UnreadableFile, match=f"has no session '{ID}'"):
        opened(storage)


@pytest.mark.parametrize("content", [b"", b"\0" * 413, b'{"id": "ses', b"null"])
def test_a_session_whose_own_file_is_damaged_gets_a_new_one(content: bytes, tmp_path: Path) -> None:
    """As a full disk, or a machine that went down, leaves it."""
    storage = planted_in(tmp_path, PLANTED["running_in_the_middle"])
    own = storage / "session" / "global" / f"{ID}.json"
    own.write_bytes(content)
    session = opened(storage)
    seen = session.conversation.judged.seen
    assert seen is not None and seen.refuses is not None and "its own file is not JSON" in seen.refuses
    assert errors(session)[:1] == ["record.bad_json"]
    assert session.stage_recommended()
    session.save()
    said = json.loads(own.read_text())
    assert (said["id"], said["projectID"], said["directory"], said["version"]) == (ID, "global", FOLDER, "1.1.65")
    assert errors(opened(storage)) == []
    assert main(["restore", str(storage), "--backup", "latest"]) == 0
    assert own.read_bytes() == content


def test_a_damaged_session_without_messages_gets_a_file_too(tmp_path: Path) -> None:
    storage = written(tmp_path, plain(), another())
    lost = storage / "session" / "global" / "ses_lost.json"
    lost.write_bytes(b"\0" * 413)
    session = opened(storage, "ses_lost")
    assert session.stage_recommended()
    session.save()
    assert json.loads(lost.read_text())["id"] == "ses_lost"
    assert {found.session_id for found in listed(storage)[0]} == {ID, OTHER, "ses_lost"}


def test_a_file_that_may_not_be_read_is_named(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may read all")
    storage = written(tmp_path, plain())
    part = next((storage / "part").glob("*/*.json"))
    part.chmod(0)
    with pytest.raises(UnreadableFile, match=f"You are not allowed to read .*{part.name}"):
        opened(storage)


def test_links_to_folders_are_followed(tmp_path: Path) -> None:
    storage = written(tmp_path, PLANTED["both_running"].session)
    real = storage.rename(tmp_path / "real")
    storage.symlink_to(real)
    messages = (real / "message" / ID).rename(tmp_path / "messages")
    (real / "message" / ID).symlink_to(messages)
    session = opened(storage)
    session.stage_recommended()
    session.save()
    assert opened(storage).to_bytes() == session.to_bytes() and storage.is_symlink()


def test_thousands_of_parts(tmp_path: Path) -> None:
    found = plain()
    for _ in range(tries(10_000 // 3, 400)):
        found.assistant("Still there.")
    storage = written(tmp_path, found)
    session = opened(storage)
    assert len(session.conversation.document.records) > tries(13_000, 1600)
    message = session.conversation.transcript.messages[0]
    session.staging.now = (session.conversation.apply([RemoveMessage(message)]),)
    session.save()
    assert opened(storage).to_bytes() == session.to_bytes()


# --- saving ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", ["null", "nothing", "{}"])
@pytest.mark.parametrize("at", [0, 2])
def test_a_message_that_is_written_again_has_a_time_between_its_neighbours(
    content: str, at: int, tmp_path: Path
) -> None:
    """The agent that moves the folder into a database sorts by time from then on."""
    storage = written(tmp_path, plain())
    path = sorted((storage / "message" / ID).iterdir())[at]
    path.write_text(content)
    session = opened(storage)
    staged = session.stage_recommended()
    if content == "nothing":  # a text that stands nowhere else is left to a person
        assert staged is None
        session.stage(session.problems[0])
    session.save()
    times = [json.loads(one.read_text())["time"]["created"] for one in sorted((storage / "message" / ID).iterdir())]
    assert times == sorted(times) and times[0] > 0


def test_what_no_fix_names_stays_byte_for_byte(tmp_path: Path) -> None:
    """Numbers, escapes, spaces, doubled keys, line ends, what follows the JSON: all but the value that is set."""
    storage = planted_in(tmp_path, PLANTED["running_with_its_output"])
    path = next(path for path in (storage / "part").glob("*/*.json") if b"word-b" in path.read_bytes())
    odd = (
        b'\t{\r\n"z": 1e5 , "z":-0,  "n": 123456789012345678901234567890, "u":"\\u00e9\\/",'
        + path.read_bytes()[1:]
        + b" \n\n"
    )
    path.write_bytes(odd)
    path.chmod(0o640)
    session = opened(storage)
    assert session.stage_recommended()
    session.save()
    now = path.read_bytes()
    head = odd[: odd.index(b'"state"')]
    assert now.startswith(head) and now.endswith(b"\n}} \n\n"[-4:]) and b'"completed"' in now
    assert path.stat().st_mode & 0o777 == 0o640


def test_mode_owner_and_attributes_are_kept_and_new_files_have_those_of_their_neighbours(tmp_path: Path) -> None:
    storage = planted_in(tmp_path, PLANTED["running_with_its_output"])
    for path in storage.rglob("*.json"):
        path.chmod(0o640)
    for path in (storage, *storage.rglob("*")):
        if os.geteuid() == 0:
            os.chown(path, 1234, 2345)
    path = next(path for path in (storage / "part").glob("*/*.json") if b"word-b" in path.read_bytes())
    try:
        os.setxattr(path, "user.kept", b"yes")
        has_attributes = True
    except (OSError, AttributeError):
        has_attributes = False
    session = opened(storage)
    session.stage_recommended()
    message = session.conversation.transcript.messages[-1]
    session.staging.now = (session.conversation.apply([InsertMessage(message, "user", "More.")]),)
    before = files(storage)
    session.save()
    assert path.name in {name.rpartition("/")[2] for name in files(storage) if files(storage)[name] != before.get(name)}
    for one in storage.rglob("*.json"):
        found = one.stat()
        assert found.st_mode & 0o777 == 0o640
        assert os.geteuid() != 0 or (found.st_uid, found.st_gid) == (1234, 2345)
    assert not has_attributes or os.getxattr(path, "user.kept") == b"yes"


def test_a_save_is_refused_when_a_file_has_changed(tmp_path: Path) -> None:
    storage = planted_in(tmp_path, PLANTED["both_running"])
    session = opened(storage)
    session.stage_recommended()
    own = storage / "session" / "global" / f"{ID}.json"
    own.write_text(own.read_text().replace("A session", "Another title"))
    before = files(storage)
    with pytest.raises(Refused, match="has changed since it was opened"):
        session.save()
    assert files(storage) == before


@pytest.mark.parametrize("how", ["read-only", "linked"])
def test_a_file_that_cannot_be_replaced_is_named(how: str, tmp_path: Path) -> None:
    storage = planted_in(tmp_path, PLANTED["running_in_the_middle"])
    path = next(
        path
        for path in (storage / "part").glob("*/*.json")
        if b'"running"' in path.read_bytes() and ID.encode() in path.read_bytes()
    )
    if how == "read-only":
        path.chmod(0o444)
    else:
        os.link(path, tmp_path / "other-name")
    session = opened(storage)
    assert session.stage_recommended()
    before = files(storage)
    with pytest.raises(Refused, match=path.name) as refused:
        session.save()
    assert refused.value.reason == {"read-only": "read-only", "linked": "form"}[how], "no option allows it"
    assert files(storage) == before and not list(tmp_path.rglob("*toolpair*"))


def test_a_folder_on_another_disk_is_named(tmp_path: Path) -> None:
    """Its files cannot be exchanged together with the others."""
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK) or memory.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("there is no other disk here")
    storage = planted_in(tmp_path, PLANTED["running_in_the_middle"])
    with tempfile.TemporaryDirectory(dir=memory) as elsewhere:
        for folder in (storage / "part").iterdir():
            moved = Path(shutil.copytree(folder, Path(elsewhere) / folder.name))
            shutil.rmtree(folder)
            folder.symlink_to(moved)
        session = opened(storage)
        assert session.stage_recommended()
        before = files(storage)
        with pytest.raises(Refused, match="is on another disk than"):
            session.save()
        assert files(storage) == before and not list(tmp_path.rglob("*toolpair*"))


def test_other_sessions_may_go_on_meanwhile(tmp_path: Path) -> None:
    storage = planted_in(tmp_path, PLANTED["both_running"])
    session = opened(storage)
    session.stage_recommended()
    more = another()
    more.user("And more.")
    write(storage, more)
    theirs = others(storage)
    session.save()
    assert others(storage) == theirs
    assert main(["restore", str(storage), "--backup", "latest"]) == 0
    assert others(storage) == theirs


def test_a_restore_is_refused_when_the_agent_has_gone_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    storage = planted_in(tmp_path, PLANTED["running_in_the_middle"])
    session = opened(storage)
    session.stage_recommended()
    session.save()
    saved = files(storage)
    assert main(["restore", str(storage), "--backup", "latest"]) == 0
    assert main(["restore", str(storage), "--backup", "latest"]) == 0  # of the restore itself
    assert files(storage) == saved
    path = next(path for path in (storage / "part").glob("*/*.json") if b"call_b" in path.read_bytes())
    path.write_text(path.read_text() + " ")
    capsys.readouterr()
    assert main(["restore", str(storage), "--backup", "latest"]) == 3
    assert "have changed since that save" in capsys.readouterr().err


def test_backups_are_private_limited_and_not_in_the_folder(tmp_path: Path) -> None:
    storage = planted_in(tmp_path, PLANTED["running_in_the_middle"])
    for number in range(4):
        session = opened(storage)
        message = session.conversation.transcript.messages[-1]
        session.staging.now = (session.conversation.apply([InsertMessage(message, "user", f"More {number}.")]),)
        session.save(keep_backups=2)
    kept = list(storage.parent.glob("storage.toolpair-*.bak"))
    assert len(kept) == 2 and all(path.stat().st_mode & 0o777 == 0o600 for path in kept)
    assert not [name for name in files(storage) if "toolpair" in name]


def test_a_copy_is_lines_and_opens_again(tmp_path: Path) -> None:
    storage = planted_in(tmp_path, PLANTED["running_in_the_middle"])
    session = opened(storage)
    session.stage_recommended()
    session.save_as(tmp_path / "copy.jsonl")
    copy = open_session(tmp_path / "copy.jsonl")
    assert errors(copy) == [] and sent_rows(copy) == sent_rows(session)
    said = session.resume_command(tmp_path / "copy.jsonl")
    assert said == "opencode does not read a file of lines: save into its folder to resume this session."
    with pytest.raises(Refused, match=r"name the copy with \.jsonl"):
        session.save_as(tmp_path / "copy.db")
    assert not (tmp_path / "copy.db").exists()


@pytest.mark.parametrize("name", ["both_running", "message_failed", "no_output", "two_steps_in_a_message"])
def test_a_redacted_report_and_an_excerpt_show_the_same_problems(name: str, tmp_path: Path) -> None:
    storage = planted_in(tmp_path, PLANTED[name])
    session = f"{storage}::{ID}"
    page, excerpt = tmp_path / "page.md", tmp_path / "excerpt.jsonl"
    assert main(["report", session, "--redact", "-o", str(page)]) == 0
    assert "word-a" not in page.read_text() and ID not in page.read_text() and str(tmp_path) not in page.read_text()
    if opened(storage).problems:
        assert main(["excerpt", session, "-o", str(excerpt)]) == 0
        assert opened(storage).problems[0].rule in [problem.rule for problem in open_session(excerpt).problems]
        assert ID not in excerpt.read_text() and "word-" not in excerpt.read_text()


def test_a_growing_session_is_followed(tmp_path: Path) -> None:
    from toolpair.source.growth import look

    planted = Planted(plain(), ())
    storage = planted_in(tmp_path, planted)
    session = opened(storage)
    assert look(session.file.snapshot, None) is None
    planted.session.user("One more thing.")
    write(storage, planted.session)
    growth = look(session.file.snapshot, None)
    assert growth is not None and growth.snapshot is not None
    assert growth.change == "rewritten", "its own file says when it went on"
    assert b"One more thing." in growth.snapshot.data[:]


def test_what_a_result_without_a_call_becomes_has_a_file_of_its_own(tmp_path: Path) -> None:
    storage = written(tmp_path, PLANTED["killed"].session)
    session = opened(storage)
    call = session.conversation.transcript.messages[-1].calls[0]
    before = files(storage)
    session.staging.now = (session.conversation.apply([InsertResult(call, "it was this", False)]),)
    session.save()
    now = files(storage)
    (path,) = [path for path in now if now[path] != before.get(path)]
    state = json.loads(now[path])["state"]
    assert (state["status"], state["output"]) == ("completed", "it was this")
