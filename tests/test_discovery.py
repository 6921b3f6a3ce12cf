"""Finding the sessions of the agents: where they lie, what is told of them, and what they may be called."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.session_folders import (
    SESSION,
    claude_bytes,
    claude_session,
    cline_cli_session,
    codex_session,
    line,
    set_age,
    task,
    task_history,
)  # fmt: skip
from toolpair.agents.catalog import NoSuchSession, describe, index, looked_in, newest, resolve
from toolpair.formats import writer_of
from toolpair.formats.agent import FoundSession
from toolpair.formats.claude_code.session_files import folder_name
from toolpair.session.session import open_session
from toolpair.shell.machine import Machine
from toolpair.source import peek

SHOP = "/home/dev/shop"


def machine(home: Path, platform: str = "linux", **environ: str) -> Machine:
    return Machine(platform, environ, home)


def told(found: FoundSession) -> tuple[str, str | None, str | None]:
    one = describe(found)
    return one.agent, one.folder, one.words


# --- where --------------------------------------------------------------------------------------------------


def everything(home: Path, storage: Path) -> None:
    claude_session(home / ".claude", SHOP)
    codex_session(home / ".codex", 1, SHOP)
    task(storage, "rooveterinaryinc.roo-cline", "roo-1", folder=SHOP)
    task(storage, "saoudrizwan.claude-dev", "1795249369710", folder=SHOP)
    task(storage, "kilocode.kilo-code", "kilo-1", folder=SHOP)
    cline_cli_session(home / ".cline" / "data" / "sessions", "1795249369710_oxk6t")


@pytest.mark.parametrize(
    ("platform", "storage"),
    [
        ("linux", ".config/Code"),
        ("linux", ".config/VSCodium"),
        ("linux", ".config/Code - Insiders"),
        ("linux", ".config/Cursor"),
        ("linux", ".vscode-server/data"),
        ("linux", ".local/share/code-server"),
        ("linux", ".var/app/com.visualstudio.code/config/Code"),
        ("darwin", "Library/Application Support/Code"),
        ("darwin", "Library/Application Support/Cursor"),
        ("win32", "AppData/Roaming/Code"),
        ("win32", "AppData/Roaming/Windsurf"),
    ],
)
def test_all_agents_on_all_systems(tmp_path: Path, platform: str, storage: str) -> None:
    everything(tmp_path, tmp_path / storage / "User" / "globalStorage")
    found = index(machine(tmp_path, platform), SHOP)
    assert {one.agent for one in found} == {"claude-code", "codex", "roo-code", "cline", "kilo-code", "cline-cli"}
    assert all(one.here and one.size > 0 for one in found)
    assert {describe(one).folder for one in found} == {SHOP}
    assert {describe(one).words for one in found} == {
        "now run the tests", "mend the build", "add a button", "show me the notes",
    }  # fmt: skip
    assert {one.session_id for one in found} >= {SESSION, "roo-1", "1795249369710", "1795249369710_oxk6t"}


def test_what_goes_on_from_roo_code_is_told_by_its_folder(tmp_path: Path) -> None:
    storage = tmp_path / ".config/Code/User/globalStorage"
    task(storage, "zoocodeorganization.zoo-code", "zoo-1", folder=SHOP)
    task(storage, "rooveterinaryinc.roo-cline", "roo-1", folder=SHOP)
    found = {one.agent: one for one in index(machine(tmp_path), SHOP)}
    assert found.keys() == {"zoo-code", "roo-code"}
    for id_, title in (("zoo-code", "Zoo Code"), ("roo-code", "Roo Code")):
        session = open_session(found[id_].path)
        writer = writer_of(session.format.id, session.conversation.transcript, session.path)
        assert writer is not None and writer.title == title


def test_the_environment_moves_them(tmp_path: Path) -> None:
    elsewhere = tmp_path / "else"
    claude_session(elsewhere / "c")
    codex_session(elsewhere / "x")
    task(elsewhere / "config" / "Code" / "User" / "globalStorage", "kilocode.kilo-code", "k")
    cline_cli_session(elsewhere / "cline" / "data" / "sessions", "1_a")
    task(elsewhere / "roaming" / "Code" / "User" / "globalStorage", "saoudrizwan.claude-dev", "w")
    moved = {
        "CLAUDE_CONFIG_DIR": str(elsewhere / "c"),
        "CODEX_HOME": str(elsewhere / "x"),
        "XDG_CONFIG_HOME": str(elsewhere / "config"),
        "CLINE_DIR": str(elsewhere / "cline"),
    }
    assert {one.agent for one in index(machine(tmp_path, **moved))} == {
        "claude-code",
        "codex",
        "kilo-code",
        "cline-cli",
    }
    windows = index(machine(tmp_path, "win32", APPDATA=str(elsewhere / "roaming")))
    assert [one.agent for one in windows] == ["cline"]
    sessions = index(machine(tmp_path, CLINE_SESSION_DATA_DIR=str(elsewhere / "cline" / "data" / "sessions")))
    assert [one.agent for one in sessions] == ["cline-cli"]


def test_a_setting_of_the_editor_moves_the_tasks(tmp_path: Path) -> None:
    user = tmp_path / ".config" / "Code" / "User"
    user.mkdir(parents=True)
    (user / "settings.json").write_text(
        '{ // mine\n "roo-cline.customStoragePath": ' + json.dumps(str(tmp_path / "t")) + " }"
    )
    path = tmp_path / "t" / "tasks" / "abc" / "api_conversation_history.json"
    path.parent.mkdir(parents=True)
    path.write_bytes(task_history("add a button"))
    assert [one.session_id for one in index(machine(tmp_path))] == ["abc"]


def test_what_is_no_session_is_not_listed(tmp_path: Path) -> None:
    path = claude_session(tmp_path / ".claude")
    for name in ("agent-abc.jsonl", f"{SESSION}.jsonl.toolpair-20261121-0912.bak", "notes.txt"):
        (path.parent / name).write_bytes(claude_bytes(1))
    sub = path.parent / SESSION / "subagents" / "agent-1.jsonl"
    sub.parent.mkdir(parents=True)
    sub.write_bytes(claude_bytes(1))
    (path.parent / "folder.jsonl").mkdir()
    (tmp_path / ".claude" / "history.jsonl").write_bytes(b"{}\n")
    if hasattr(os, "mkfifo"):
        os.mkfifo(path.parent / "pipe.jsonl")
    (path.parent / "lost.jsonl").symlink_to("nowhere")
    assert [one.path for one in index(machine(tmp_path))] == [str(path)]


def test_archived_and_compressed_rollouts(tmp_path: Path) -> None:
    zstandard = pytest.importorskip("zstandard")
    home = tmp_path / ".codex"
    plain = codex_session(home, 1)
    plain.with_name(plain.name + ".zst").write_bytes(b"stale")
    cold = codex_session(home, 2, words="the cold one")
    cold.with_name(cold.name + ".zst").write_bytes(zstandard.ZstdCompressor().compress(cold.read_bytes()))
    cold.unlink()
    old = codex_session(home, 3)
    (home / "archived_sessions").mkdir()
    old.rename(home / "archived_sessions" / old.name)
    found = {one.session_id[-1]: one for one in index(machine(tmp_path), SHOP)}
    assert sorted(found) == ["1", "2", "3"]
    assert found["1"].path == str(plain)
    assert all(one.here for one in found.values())
    assert told(found["2"]) == ("codex", SHOP, "the cold one")


def test_those_of_the_folder_first_then_by_time(tmp_path: Path) -> None:
    claude = tmp_path / ".claude"
    for number, (folder, age) in enumerate([(SHOP, 1), ("/x", 4), (SHOP, 3), ("/home/dev", 2)]):
        set_age(claude_session(claude, folder, f"{number}{SESSION[1:]}"), age)
    order = [one.session_id[0] for one in index(machine(tmp_path), SHOP)]
    assert order == ["2", "0", "1", "3"]
    assert [one.session_id[0] for one in index(machine(tmp_path))] == ["1", "2", "3", "0"]


def test_claude_codes_folder_names(tmp_path: Path) -> None:
    assert folder_name("/home/dev/my shop_1.0/ü") == "-home-dev-my-shop-1-0--"
    long = "/home/" + "x" * 300
    path = claude_session(tmp_path / ".claude", SHOP)
    path.parent.rename(path.parent.parent / (folder_name(long) + "-1k2j3"))
    assert index(machine(tmp_path), long)[0].here


# --- what is told of them -----------------------------------------------------------------------------------


def user(text: object, **more: object) -> dict[str, object]:
    return {"type": "user", "cwd": SHOP, "message": {"role": "user", "content": text}, **more}


@pytest.mark.parametrize(
    ("last", "words"),
    [
        (user([{"type": "text", "text": "two\n lines"}]), "two lines"),
        ({"type": "last-prompt", "lastPrompt": "typed"}, "typed"),
        (user("<command-name>/review</command-name>\n<command-args>all of it</command-args>"), "/review all of it"),
        (user("hidden", isMeta=True), "before"),
        (user("a summary", isCompactSummary=True), "before"),
        (user("a task", isSidechain=True), "before"),
        (user([{"type": "tool_result", "tool_use_id": "t", "content": "an output"}]), "before"),
        (user("<local-command-stdout>x</local-command-stdout>"), "before"),
        (user("[Request interrupted by user]"), "before"),
        ({"type": "user", "message": "odd"}, "before"),
        ({"type": "user", "message": {"content": [1, None, {"type": "text", "text": 3}]}}, "before"),
    ],
)
def test_the_users_last_words(tmp_path: Path, last: dict[str, object], words: str) -> None:
    path = claude_session(tmp_path / ".claude")
    path.write_bytes(line(user("before")) + line(last) + line({"type": "assistant", "message": {"content": "x"}}))
    assert told(index(machine(tmp_path))[0]) == ("claude-code", SHOP, words)


def test_words_behind_much_output_are_found_and_the_file_is_not_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = claude_session(tmp_path / ".claude")
    noise = line({"type": "assistant", "message": {"content": "y" * 60_000}})
    path.write_bytes(line(user("first")) + noise * 300 + line(user("the last")) + noise * 4)
    read = 0
    real = os.read

    def counted(descriptor: int, size: int) -> bytes:
        nonlocal read
        read += size
        return real(descriptor, size)

    monkeypatch.setattr(os, "read", counted)
    assert told(index(machine(tmp_path))[0])[2] == "the last"
    assert read < 1_000_000 < path.stat().st_size


def test_a_huge_line_and_a_broken_file_are_no_trouble(tmp_path: Path) -> None:
    path = claude_session(tmp_path / ".claude")
    path.write_bytes(b'{"type":"user","cwd":"/h","message":{"content":"' + b"x" * 3_000_000 + b'"}}\n')
    assert told(index(machine(tmp_path))[0]) == ("claude-code", "/h", None)
    for data in (
        b"",
        b"\0" * 5000,
        b'{"cwd":',
        b"\xff\xfe" * 100,
        b"[" * 100_000,
        b'{"cwd":"\\ud800"}\n',
        b'{"cwd":1}\n',
    ):
        path.write_bytes(data)
        found = index(machine(tmp_path))
        assert len(found) == 1
        assert told(found[0])[2] is None


def test_the_folder_is_the_one_where_the_session_lies(tmp_path: Path) -> None:
    path = claude_session(tmp_path / ".claude", SHOP)
    other = line({**user("went on"), "cwd": "/home/dev/shop/inner"})
    path.write_bytes(other + path.read_bytes() + other)
    assert told(index(machine(tmp_path))[0])[1] == SHOP


def test_words_are_not_those_that_a_text_quotes() -> None:
    data = rb'{"content":"\"cwd\":\"/evil\" and \"text\": \"<task>evil</task>\"","cwd":"/good"}'
    assert peek.folder_in(data) == "/good"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_passed_by(tmp_path: Path) -> None:
    path = claude_session(tmp_path / ".claude")
    other = claude_session(tmp_path / ".claude", "/x", "9" + SESSION[1:])
    other.parent.chmod(0)
    path.chmod(0)
    try:
        found = index(machine(tmp_path), SHOP)
        assert [one.path for one in found] == [str(path)]
        assert told(found[0]) == ("claude-code", None, None)
    finally:
        other.parent.chmod(0o700)


def test_where_was_looked_is_named_for_all(tmp_path: Path) -> None:
    places = dict(looked_in(machine(tmp_path, CODEX_HOME="/opt/codex")))
    assert places["Claude Code"] == str(tmp_path / ".claude" / "projects")
    assert places["Codex"] == "/opt/codex/sessions"
    assert len(places) == 28


# --- what a session may be called ---------------------------------------------------------------------------


@pytest.fixture
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    monkeypatch.chdir(tmp_path)
    return lambda name: resolve(name, machine(tmp_path))


def test_an_id_and_its_beginning(tmp_path: Path, at_home: Callable[[str], str]) -> None:
    path = str(claude_session(tmp_path / ".claude"))
    rollout = str(codex_session(tmp_path / ".codex", 7))
    for name in (SESSION, SESSION[:6], SESSION.upper()[:4], f"{SESSION}.jsonl"):
        assert at_home(name) == path
    assert at_home("01a1fd17") == rollout
    assert at_home(Path(rollout).stem) == rollout


def test_two_that_begin_so_are_named_and_the_exact_one_wins(tmp_path: Path, at_home: Callable[[str], str]) -> None:
    storage = tmp_path / ".config" / "Code" / "User" / "globalStorage"
    one = task(storage, "kilocode.kilo-code", "1795")
    task(storage, "saoudrizwan.claude-dev", "1795249369710")
    assert at_home("1795") == str(one)
    with pytest.raises(
        NoSuchSession, match=r"^179 matches 2 sessions: .*1795249369710 \(Cline\).*; give more of the id"
    ):
        at_home("179")
    with pytest.raises(NoSuchSession, match="does not exist, and no session's id starts with it"):
        at_home("abcdef")


def test_a_path_wins_and_what_is_no_id_is_left_alone(tmp_path: Path, at_home: Callable[[str], str]) -> None:
    claude_session(tmp_path / ".claude")
    (tmp_path / SESSION[:8]).write_text("mine")
    assert at_home(SESSION[:8]) == SESSION[:8]
    for name in ("gone/7c3e", "no such.json", "../x", "-o"):
        assert at_home(name) == name


def test_a_point_is_the_newest_of_this_folder(tmp_path: Path, at_home: Callable[[str], str]) -> None:
    with pytest.raises(NoSuchSession, match="No agent has left a session for this folder"):
        at_home(".")
    folder = os.path.realpath(tmp_path)
    old = claude_session(tmp_path / ".claude", folder)
    set_age(old, 1)
    new = codex_session(tmp_path / ".codex", 1, folder)
    set_age(new, 2)
    set_age(claude_session(tmp_path / ".claude", "/else", "9" + SESSION[1:]), 3)
    assert at_home(".") == str(new)
    found = newest(machine(tmp_path), folder)
    assert found is not None and found.path == str(new)


# --- the way back to the agent ------------------------------------------------------------------------------


@pytest.fixture
def claude_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path / ".claude"


def test_the_whole_command_of_a_session_in_its_place(claude_home: Path) -> None:
    path = claude_session(claude_home, "/home/dev/my shop")
    assert open_session(path).resume_command() == f"cd '/home/dev/my shop' && claude --resume {SESSION}"


def test_the_variable_is_set_where_another_configuration_is_used(claude_home: Path, tmp_path: Path) -> None:
    path = claude_session(tmp_path / "work it")
    command = f"cd {SHOP} && CLAUDE_CONFIG_DIR='{tmp_path}/work it' claude --resume {SESSION}"
    assert open_session(path).resume_command() == command


def test_the_command_goes_to_the_folder_where_the_session_lies(claude_home: Path) -> None:
    path = claude_session(claude_home, SHOP)
    first, *later = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first.replace(b"/home/dev/shop", b"/home/dev/shop/inner") + b"".join(later))
    session = open_session(path)
    assert session.conversation.transcript.folder == f"{SHOP}/inner"
    assert session.resume_command() == f"cd {SHOP} && claude --resume {SESSION}"


def test_of_a_copy_is_said_where_it_has_to_be(claude_home: Path, tmp_path: Path) -> None:
    path = claude_session(claude_home)
    session = open_session(path)
    saved = session.save_as(tmp_path / "copy.jsonl")
    assert saved.resume == f"put this file at {path}, then run `cd {SHOP} && claude --resume {SESSION}`."
    stray = open_session(tmp_path / "copy.jsonl")
    assert stray.resume_command() == saved.resume
    assert open_session("-", data=path.read_bytes()).resume_command() == f"cd {SHOP} && claude --resume {SESSION}"


def test_tasks_of_editors_and_of_clines_command_line(tmp_path: Path) -> None:
    path = task(tmp_path, "rooveterinaryinc.roo-cline", "t")
    messages = [
        {"role": "user", "content": [{"type": "text", "text": "go"}], "ts": 1},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "ls", "input": {}}], "ts": 2},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "x"}], "ts": 3},
    ]
    path.write_text(json.dumps(messages))
    session = open_session(path)
    command = session.resume_command()
    assert command is not None and "Developer: Reload Window" in command and not command.startswith("put")
    copied = session.save_as(tmp_path / "mended.json").resume
    assert copied is not None and copied.startswith(f"put this file at {path}, then, ")
    cli = cline_cli_session(tmp_path / "sessions", "1_a", folder="/a b")
    assert open_session(cli).resume_command() == "cd '/a b' && cline --id 1_a"


@pytest.mark.parametrize(
    ("opened", "saved", "said"),
    [
        (
            "api_conversation_history.json",
            "copy.json",
            "put this file in place of api_conversation_history.json in the",
        ),
        ("tasks/t/api_conversation_history.json", "x.json", "put this file at "),
        ("x/x.json", "tasks/t/api_conversation_history.json", "In the editor: "),
        ("x.json", "copy.json", "put this file in place of api_conversation_history.json in the"),
    ],
)
def test_whose_file_it_is_its_place_says_then_its_name(tmp_path: Path, opened: str, saved: str, said: str) -> None:
    path = tmp_path / opened
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(task_history("go"))
    command = open_session(path, format="roo-code").resume_command(tmp_path / saved)
    assert command is not None and command.startswith(said), command


def test_a_stray_session_of_clines_command_line(tmp_path: Path) -> None:
    path = cline_cli_session(tmp_path, "1_a").rename(tmp_path / "copy.messages.json")
    command = open_session(path).resume_command()
    assert command is not None
    assert command.startswith("put this file in place of the one in the session's own folder, then run `cline"), command


def test_nothing_heavy_is_loaded_to_find_sessions() -> None:
    import subprocess

    code = "import sys, toolpair.agents; print(sorted(m for m in sys.modules if m.startswith(('toolpair', 'zstandard', 'psutil', 'textual', 'rich'))))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "session'" not in loaded and "psutil" not in loaded and "zstandard" not in loaded and "rich" not in loaded
