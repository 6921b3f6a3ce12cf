"""Commands on a database: all of its sessions, or the one that is named."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
from contextlib import closing
from copy import deepcopy
from pathlib import Path

import pytest

from tests import goose_sessions, opencode_folders, opencode_sessions
from tests.cli.conftest import Run
from tests.docker_agent_databases import SAMPLE, copies_of_sample, items_of
from tests.rounds import mixed


@pytest.fixture
def several(tmp_path: Path) -> Path:
    return copies_of_sample(tmp_path / "session.db", "newest", "middle", "oldest")


def beside(path: Path) -> dict[str, bytes]:
    return {one.name: one.read_bytes() for one in path.parent.iterdir()}


def test_check_has_an_entry_for_each_session(run: Run, several: Path) -> None:
    before = beside(several)
    ran = run("check", several, "--output-format", "json")
    assert ran.code == 1
    assert [entry["path"] for entry in ran.json["files"]] == [
        f"{several}::{name}" for name in ("newest", "middle", "oldest")
    ]
    for entry in ran.json["files"]:
        assert [problem["rule"] for problem in entry["problems"]] == ["result.not_adjacent", "result.missing"]
        assert entry["problems"][0]["on_resume"]["loses"] == "the result, 391 bytes"
    assert beside(several) == before


def test_a_folder_is_walked_into_databases_too(run: Run, several: Path) -> None:
    with closing(sqlite3.connect(several.with_name("places.db"))) as other:
        other.execute("CREATE TABLE moz_places (id INTEGER, url TEXT)")
        other.commit()
    ran = run("check", several.parent)
    assert "3 files: 6 errors" in ran.out + ran.err
    assert "1 file skipped" in ran.err


def test_the_list_of_its_sessions(run: Run, several: Path) -> None:
    ran = run("sessions", several, "--output-format", "json")
    assert ran.code == 0
    first = ran.json["sessions"][0]
    assert first["id"] == "newest" and first["path"] == f"{several}::newest" and first["title"] == "About newest"
    assert first["folder"] == "/home/dev/shop" and first["last_words"] == "It stopped. Go on."
    text = run("sessions", several).out
    assert "About middle: It stopped. Go on." in text


def test_a_title_of_nothing_is_none(run: Run, several: Path) -> None:
    with closing(sqlite3.connect(several)) as made:
        made.execute("UPDATE sessions SET title = '   ' || char(10)")
        made.commit()
    assert {one["title"] for one in run("sessions", several, "--output-format", "json").json["sessions"]} == {None}


def test_the_list_can_be_of_one_folder_or_agent(run: Run, several: Path) -> None:
    with closing(sqlite3.connect(several)) as made:
        made.execute("UPDATE sessions SET working_dir = '/home/dev/other' WHERE id = 'oldest'")
        made.commit()

    def ids(*options: str) -> list[str]:
        return [one["id"] for one in run("sessions", several, *options, "--output-format", "json").json["sessions"]]

    assert ids("--agent", "docker-agent") == ["newest", "middle", "oldest"]
    assert ids("--folder", "/home/dev/other") == ["oldest"]
    none = run("sessions", several, "--agent", "codex")
    assert none.code == 1 and f"There are no such sessions in {several}." in none.err


def test_one_session_is_fixed_and_the_others_stay(run: Run, several: Path) -> None:
    others = [items_of(several, name) for name in ("newest", "oldest")]
    before = several.read_bytes()
    ran = run("fix", f"{several}::middle", "--in-place")
    assert ran.code == 0, ran.err
    assert run("check", f"{several}::middle").code == 0
    assert [items_of(several, name) for name in ("newest", "oldest")] == others
    assert "restore" in ran.err and "--session middle" in ran.err
    (backup,) = several.parent.glob("session.db.toolpair-*.bak")
    assert backup.stat().st_mode & 0o777 == 0o600
    again = run("fix", f"{several}::middle", "--in-place")
    assert again.code == 0 and "nothing to fix" in again.err
    restored = run("restore", several, "--backup", "latest")
    assert restored.code in (0, 4) and "the rest stays as it is now" in restored.err
    with closing(sqlite3.connect(several)) as now, closing(sqlite3.connect(":memory:")) as then:
        then.deserialize(before)
        tables = "SELECT * FROM session_items ORDER BY id", "SELECT * FROM sessions ORDER BY id"
        assert [now.execute(one).fetchall() for one in tables] == [then.execute(one).fetchall() for one in tables]


def of_a_folder(folder: Path) -> tuple[Path, list[str]]:
    """A folder with three sessions in the same condition."""
    session = opencode_sessions.corpus()["message_failed"].session
    ids = [session.id, *(f"{session.id[:-1]}{letter}" for letter in "XY")]
    storage = opencode_folders.written(folder)
    for name in ids:
        opencode_folders.write(storage, renamed(session, name))
    return storage, ids


def renamed(session: opencode_sessions.OpencodeSession, name: str) -> opencode_sessions.OpencodeSession:
    copy = deepcopy(session)
    copy.id = name
    for row in (*copy.messages, *copy.parts):
        for key in ("id", "message"):
            if key in row:
                row[key] = row[key][:-1] + name[-1]
    return copy


@pytest.mark.parametrize("kind", ["database", "folder"])
def test_the_newest_save_of_a_session_is_undone_not_another_sessions(run: Run, tmp_path: Path, kind: str) -> None:
    if kind == "database":
        held, ids = (
            copies_of_sample(tmp_path / "session.db", "newest", "middle", "oldest"),
            ["newest", "middle", "oldest"],
        )
    else:
        held, ids = of_a_folder(tmp_path)

    def codes() -> list[int]:
        return [run("check", f"{held}::{name}").code for name in ids]

    assert codes() == [1, 1, 1]
    assert run("fix", f"{held}::{ids[0]}", "--in-place").code == 0
    printed = run("fix", f"{held}::{ids[1]}", "--in-place").err
    assert f"restore {held}::{ids[1]} --backup latest" in printed
    listed = run("restore", held, "--output-format", "json").json["backups"]
    assert [one["session"] for one in listed] == [ids[1], ids[0]]
    assert f"(session {ids[0]})" in run("restore", held).out
    assert [
        one["session"] for one in run("restore", f"{held}::{ids[0]}", "--output-format", "json").json["backups"]
    ] == ids[:1]
    refused = run("restore", f"{held}::{ids[2]}", "--backup", "latest")
    assert refused.code == 2 and f"no backup of {held}::{ids[2]}; nothing was changed." in refused.err
    assert f"restore {held}` lists those of other sessions" in refused.err
    other = run("restore", f"{held}::{ids[0]}", "--backup", listed[0]["path"])
    assert other.code == 2 and f"is not a backup of {held}::{ids[0]}" in other.err
    assert codes() == [0, 0, 1]
    assert run("restore", f"{held}::{ids[0]}", "--backup", "latest").code == 0
    assert codes() == [1, 0, 1]
    assert run("restore", f"{held}::{ids[0]}", "--backup", "latest").code == 0, "that is undone as well"
    assert codes() == [0, 0, 1]


def test_the_beginning_of_an_id_names_its_backups(run: Run, several: Path) -> None:
    run("fix", f"{several}::middle", "--in-place")
    run("fix", f"{several}::oldest", "--in-place")
    assert run("restore", f"{several}::mid", "--backup", "latest").code == 0
    assert [run("check", f"{several}::{name}").code for name in ("middle", "oldest")] == [1, 0]


def test_a_session_has_to_be_named_where_there_are_several(run: Run, several: Path) -> None:
    for command in ("fix", "sees"):
        ran = run(command, several, *(["--in-place"] if command == "fix" else []))
        assert ran.code == 2
        assert f"name one as {several}::newest" in ran.err
    assert run("sees", f"{several}::mid").code == 0, "the beginning of an id is enough"
    ran = run("check", f"{several}::nothing")
    assert ran.code == 2 and "has no session 'nothing'" in ran.err


def test_the_only_session_needs_no_name(run: Run, tmp_path: Path) -> None:
    path = Path(shutil.copyfile(SAMPLE, tmp_path / "session.db"))
    assert run("fix", path, "--in-place").code == 0
    assert run("check", path).code == 0


@pytest.mark.parametrize("named", [False, True])
def test_the_sessions_of_sub_agents_are_told_of_and_stay(run: Run, several: Path, named: bool) -> None:
    with closing(sqlite3.connect(several)) as made:
        made.execute("UPDATE sessions SET parent_id = 'newest' WHERE id <> 'newest'")
        made.commit()
    ran = run("fix", f"{several}::newest" if named else several, "--in-place")
    assert ran.code == 0
    said = f"{several} also holds 2 sessions of sub-agents, which were left as they are: `toolpair check {several}`."
    assert (said in ran.err) is not named
    assert "3 files: 4 errors" in run("check", several).out


@pytest.mark.parametrize("name", ["copy.db", "copy.jsonl"])
def test_a_copy_holds_this_session_alone(run: Run, several: Path, name: str) -> None:
    copy = several.with_name(name)
    before = several.read_bytes()
    assert run("fix", f"{several}::middle", "-o", copy).code == 0
    assert several.read_bytes() == before
    assert b"newest" not in copy.read_bytes()
    ran = run("check", copy, "--output-format", "json")
    assert ran.code == 0
    assert ran.json["files"][0]["format"] == "docker-agent"
    assert ran.json["files"][0]["counts"]["results"] == 3


def test_what_is_handed_on_is_of_one_session(run: Run, several: Path, tmp_path: Path) -> None:
    body = run("export", f"{several}::newest", "--to", "openai-chat")
    assert body.code == 0
    roles = [message["role"] for message in body.json["messages"]]
    assert roles[-5:] == ["assistant", "tool", "tool", "user", "assistant"]
    page = tmp_path / "page.md"
    assert run("report", f"{several}::newest", "-o", page).code == 0
    assert "middle" not in page.read_text() and "call_Shop0001" in page.read_text()
    differ = run("diff", f"{several}::newest", f"{several}::oldest")
    assert differ.code == 0, differ.out


@pytest.mark.parametrize(
    ("make", "says"),
    [
        ("CREATE TABLE moz_places (id INTEGER)", "no agent's that is known"),
        ("CREATE TABLE threads (id TEXT, data_type TEXT, data BLOB)", "Zed's database of threads"),
        (
            "CREATE TABLE sessions (id TEXT, tools_approved INT, messages TEXT); CREATE TABLE migrations (id INT)",
            "start a newer docker-agent",
        ),
    ],
)
def test_other_databases_are_refused_in_a_sentence(run: Run, tmp_path: Path, make: str, says: str) -> None:
    path = tmp_path / "some.db"
    with closing(sqlite3.connect(path)) as made:
        made.executescript(make)
    before = beside(path)
    ran = run("check", path)
    assert ran.code == 2 and says in ran.err and len(ran.err.strip().splitlines()) == 1
    assert beside(path) == before


def test_standard_input_cannot_be_a_database(run: Run) -> None:
    ran = run("check", "-", stdin=SAMPLE.read_bytes())
    assert ran.code == 2 and "open it by its path" in ran.err


@pytest.mark.parametrize(
    ("name", "file"),
    mixed(
        ["a::b", "::", "a::", "", "../x", "a b ", "x\ny\x1b[31m", "100%?#", "--help", "[b]"],
        ["session.db", "a::b?#%41.db", "b\udcff\udcfe d.db"],
    ),
)
def test_an_id_may_be_anything(run: Run, tmp_path: Path, name: str, file: str) -> None:
    path = copies_of_sample(tmp_path / file, name, "other")
    ran = run("check", path, "--output-format", "json")
    assert ran.code == 1
    assert [one["path"] for one in ran.json["files"]] == [f"{path}::{name}", f"{path}::other"]
    assert all("error" not in one for one in ran.json["files"])
    assert "\x1b" not in run("check", path).out
    assert run("fix", f"{path}::{name}", "--in-place").code == 0
    assert run("check", f"{path}::{name}").code == 0
    assert run("check", f"{path}::other").code == 1


def test_an_empty_name_is_none(run: Run, several: Path) -> None:
    ran = run("fix", f"{several}::", "--diff")
    assert ran.code == 2 and f"{several} holds 3 sessions; name one as {several}::newest" in ran.err


def test_a_session_without_messages_is_in_order(run: Run, several: Path) -> None:
    with closing(sqlite3.connect(several)) as made:
        made.execute("DELETE FROM session_items WHERE session_id = 'newest'")
        made.commit()
    ran = run("check", f"{several}::newest")
    assert ran.code == 0 and "docker-agent" in ran.out


def test_a_database_without_sessions(run: Run, several: Path) -> None:
    with closing(sqlite3.connect(several)) as made:
        made.execute("DELETE FROM sessions")
        made.commit()
    ran = run("check", several)
    assert ran.code == 2 and f"There are no sessions in {several}." in ran.err


@pytest.mark.parametrize("every", [False, True])
def test_a_session_whose_parent_is_gone_is_listed(run: Run, several: Path, every: bool) -> None:
    with closing(sqlite3.connect(several)) as made:
        made.execute("UPDATE sessions SET parent_id = 'gone' WHERE id = 'middle' OR ?", (every,))
        made.execute("UPDATE sessions SET parent_id = 'middle' WHERE id = 'oldest'")
        made.commit()
    listed = [one["id"] for one in run("sessions", several, "--output-format", "json").json["sessions"]]
    assert listed == ["newest", "middle"]


def test_kilos_sessions_are_kilos_wherever_the_database_is(run: Run, tmp_path: Path) -> None:
    sample = SAMPLE.with_name("opencode-failed-response.db")
    for name, agent in (("opencode.db", "opencode"), ("kilo.db", "kilo-cli")):
        path = tmp_path / name
        shutil.copyfile(sample, path)
        if agent == "kilo-cli":
            with closing(sqlite3.connect(path)) as made:
                made.execute("CREATE TABLE kilo_board_message (id)")
        (one,) = run("sessions", path, "--output-format", "json").json["sessions"]
        assert one["agent"] == agent


@pytest.mark.parametrize(
    ("sample", "place", "starts"),
    [
        ("goose-left-out.db", ".local/share/goose/sessions/sessions.db", "goose session --resume --session-id "),
        ("opencode-failed-response.db", ".local/share/opencode/opencode.db", "opencode -s "),
    ],
)
def test_the_way_back_is_to_the_agents_own_database(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sample: str, place: str, starts: str
) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("HOME", str(home))
    for name in ("XDG_DATA_HOME", "GOOSE_PATH_ROOT", "OPENCODE_DB"):
        monkeypatch.delenv(name, raising=False)
    path = home / place
    path.parent.mkdir(parents=True)
    shutil.copyfile(SAMPLE.with_name(sample), path)
    saved = run("fix", path, "--in-place").err
    assert f"Next: cd /home/dev/shop && {starts}" in saved


@pytest.mark.parametrize("agent", ["opencode", "kilo"])
def test_a_database_elsewhere_is_the_agents_that_it_is_named_after(run: Run, tmp_path: Path, agent: str) -> None:
    path = tmp_path / f"{agent}-old.db"
    shutil.copyfile(SAMPLE.with_name("opencode-failed-response.db"), path)
    if agent == "kilo":
        with closing(sqlite3.connect(path)) as made:
            made.execute("CREATE TABLE kilo_board_message (id)")
    assert f" {agent} -s " in run("fix", path, "--in-place").err


def test_what_happens_before_anything_is_sent_is_said(run: Run, tmp_path: Path) -> None:
    planted = goose_sessions.corpus()["unknown_block"]
    goose = goose_sessions.database(tmp_path / "sessions.db", planted.rows)
    said = run("check", f"{goose}::{goose_sessions.SESSION}").out
    assert "on resume: goose 1.52.0: crashes when it opens the session; lost: history\n" in said

    def opencode(name: str) -> str:
        path = opencode_sessions.corpus()[name].write(tmp_path / f"{name}.db")
        return run("check", f"{path}::{opencode_sessions.ID}").out

    stops = "no prompt works in this session any more; lost: history\n"
    assert f"cannot send this call: {stops}" in opencode("no_output")
    assert f"cannot load this row: {stops}" in opencode("message_without_time")
    assert "opencode 1.18.33: sends it as it is, and the API refuses the session\n" in opencode("no_input")
    assert "opencode 1.18.33: drops it without telling you; lost: its outputs\n" in opencode("message_without_role")


def test_no_api_answers_what_is_not_sent(run: Run, tmp_path: Path) -> None:
    path = opencode_sessions.corpus()["no_output"].write(tmp_path / "opencode.db")
    page = run("report", f"{path}::{opencode_sessions.ID}", "-o", tmp_path / "report.md")
    assert page.code in (0, 1), page.err
    said = (tmp_path / "report.md").read_text()
    assert "cannot send this call" in said and not re.search("The API (says|would say)", said)


def test_an_issue_says_what_happens(run: Run, several: Path) -> None:
    """docker-agent leaves the result out; nobody gets an answer from an API."""
    dropped = run("excerpt", f"{several}::middle", "--issue").out
    assert "docker-agent drops this result of " in dropped
    assert not re.search("The API (says|would say)", dropped)
    refused = run("excerpt", SAMPLE.with_name("openai-chat-missing.json"), "--issue").out
    assert "- The API would say: An assistant message with" in refused


def test_each_command_says_what_it_cannot_do_with_a_session(run: Run, several: Path) -> None:
    def said(*arguments: object) -> str:
        ran = run(*arguments)
        assert ran.code == 2 and not ran.out and len(ran.err.strip().splitlines()) == 1, ran
        return ran.err

    for name in (several, f"{several}::middle", f"{several}::nothing"):
        assert f"{name} is not a log of requests; `" in said("first-break", name)
    assert f"sessions {several}` lists all that are there." in said("sessions", f"{several}::middle")
    assert "gone.db does not exist; check the name." in said("sessions", several.with_name("gone.db"))
    assert "has no session 'nothing'" in said("restore", f"{several}::nothing")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_database_that_may_not_be_read(run: Run, several: Path) -> None:
    several.chmod(0)
    for command in ("check", "sessions"):
        ran = run(command, several)
        assert ran.code == 2 and "You are not allowed to read" in ran.err


@pytest.mark.parametrize("kind", ["database", "folder"])
def test_no_output_takes_the_place_of_what_holds_sessions(run: Run, tmp_path: Path, kind: str) -> None:
    """Not even with --force: all other sessions would be gone, and no backup is made."""
    if kind == "database":
        held, name = copies_of_sample(tmp_path / "session.db", "newest", "middle"), "middle"
    else:
        held, (name, *_) = of_a_folder(tmp_path)
    page = ["--output-format", "html"]
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    for target in (held, f"{held}::{name}", f"{held}::another"):
        for command, *options in (["fix"], ["excerpt"], ["report", *page], ["export", "--to", "anthropic"]):
            ran = run(command, f"{held}::{name}", *options, "-o", target, "--force")
            assert ran.code in (2, 3), (command, target)
            assert re.search(
                r"is a database|is the database itself|is the name of a session|not a regular file|is the (file|session) itself",
                ran.err,
            )
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_the_command_that_resumes_a_copy_names_it(run: Run, several: Path, tmp_path: Path) -> None:
    copy = tmp_path / "a copy.db"
    opencode = opencode_sessions.corpus()["message_failed"].write(tmp_path / "opencode.db")
    goose = goose_sessions.database(tmp_path / "goose.db", goose_sessions.corpus()["result_gone"].rows)

    def next_of(name: str) -> str:
        copy.unlink(missing_ok=True)
        ran = run("fix", name, "-o", copy)
        assert ran.code == 0, ran.err
        return ran.err.partition("Next: ")[2]

    assert f"--session-db '{copy}' --session middle" in next_of(f"{several}::middle")
    assert f"OPENCODE_DB='{copy}' opencode -s {opencode_sessions.ID}" in next_of(f"{opencode}::{opencode_sessions.ID}")
    assert next_of(f"{goose}::{goose_sessions.SESSION}").startswith("goose resumes only sessions of its own database")


def test_a_copy_takes_the_place_of_a_copy_alone(run: Run, several: Path) -> None:
    copy = several.with_name("copy.db")
    for times in range(2):
        assert run("fix", f"{several}::middle", "-o", copy, *(["--force"] * times)).code == 0
    ran = run("fix", f"{several}::oldest", "-o", copy, "--force")
    assert ran.code == 3 and "copy.db is a database, and all that it holds would be gone" in ran.err
    single = copies_of_sample(several.with_name("single.db"), "only")
    for name in (single, f"{single}::only"):
        ran = run("fix", name, "-o", single, "--force")
        assert (ran.code in (2, 3) and "in-place" in ran.err) or "in place" in ran.err
