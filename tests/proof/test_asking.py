"""Each agent that can be asked: its home is furnished with the copy and what points it at the API."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.conftest import SAMPLES
from tests.formats.test_vibe_unified import SOUND, store
from tests.openhands_conversations import chained, conversation
from tests.openhands_conversations import sound as openhands_sound
from toolpair.formats import all_agents
from toolpair.formats.asking import Stage
from toolpair.proof import inside
from toolpair.proof.inside import Copy, environment, furnished
from toolpair.session.session import open_session

_SAMPLES = {
    "claude-code": "damaged.jsonl",
    "codex": "codex-killed.jsonl",
    "pi": "pi-lost-line.jsonl",
    "oh-my-pi": "pi-lost-line.jsonl",
    "openclaw": "openclaw-cut-history.db",
    "qwen-code": "qwen-late-result.jsonl",
    "copilot-cli": "copilot-damaged-line.jsonl",
    "opencode": "opencode-failed-response.db",
    "kilo-cli": "opencode-failed-response.db",
    "continue": "continue-cancelled.json",
    "goose": "goose-left-out.db",
    "kimi-cli": "valid.json",
    "gemini-cli": "gemini-doubled.jsonl",
    "hermes": "hermes-other-id.db",
    "kimi-code": "kimi-code-late-result.jsonl",
    "vibe": "vibe-words-between.jsonl",
}
"""Of some the file of another, which is only copied."""


_FOLDERS: dict[str, Callable[[Path], Path]] = {
    "openhands": lambda root: conversation(root, chained(openhands_sound())),
    "vibe-unified": lambda root: store(root, SOUND),
}


def test_the_agents_that_can_be_asked() -> None:
    asked = [agent for agent in all_agents() if agent.ask is not None]
    assert {agent.id for agent in asked} == _SAMPLES.keys() | _FOLDERS.keys()
    page = " ".join((SAMPLES.parent / "docs/prove.md").read_text().partition("## Who can be asked")[2].split())
    assert [agent.title for agent in asked if agent.title not in page] == []


def _bytes(path: Path) -> dict[str, bytes]:
    return {str(one): one.read_bytes() for one in (path, *path.rglob("*")) if one.is_file()}


@pytest.mark.parametrize("id_", [*_SAMPLES, *_FOLDERS])
def test_a_home_is_furnished(id_: str, tmp_path: Path) -> None:
    agent = next(one for one in all_agents() if one.id == id_)
    if id_ in _FOLDERS:
        sample = _FOLDERS[id_](tmp_path)
    else:
        sample = Path(shutil.copyfile(SAMPLES / _SAMPLES[id_], tmp_path / _SAMPLES[id_]))
    before = _bytes(sample)
    transcript = open_session(sample).conversation.transcript
    home = tmp_path / "home"
    home.mkdir()
    copy = Copy(str(sample), transcript.session_id or "", transcript.folder, "openai-chat")
    start = furnished(agent.ask.found, ("agent",), copy, home, "http://127.0.0.1:1")
    assert start.session.exists() and start.session.is_relative_to(home)
    assert _bytes(sample) == before, "it is the copy that changes"
    given = environment("/bin", home, start)
    assert given["HOME"] == str(home) and given["PATH"] == "/bin"
    said = [*given.values(), *(path.read_text(errors="replace") for path in home.rglob("*") if path.is_file())]
    assert any("http://127.0.0.1:1" in one for one in said), "it is told where the API is"
    assert "go on" in start.arguments


def test_a_database_of_kilo_s_own_is_furnished(tmp_path: Path) -> None:
    """Its indices call functions that SQLite refuses where a schema is not trusted."""
    agent = next(one for one in all_agents() if one.id == "kilo-cli")
    copy, home = tmp_path / "kilo.db", tmp_path / "home"
    shutil.copyfile(SAMPLES / "opencode-failed-response.db", copy)
    with closing(sqlite3.connect(copy)) as db:
        db.execute("CREATE INDEX roles ON message (id, json_extract(data, '$.role'))")
        ((id_,),) = db.execute("SELECT id FROM session LIMIT 1")
    home.mkdir()
    start = furnished(agent.ask.found, ("kilo",), Copy(str(copy), id_, None, "openai-chat"), home)
    with closing(sqlite3.connect(start.session)) as db:
        assert db.execute("SELECT DISTINCT directory FROM session").fetchall() == [(str(home / "project"),)]


def test_a_copy_is_put_into_its_home_alone(tmp_path: Path) -> None:
    home, copy = tmp_path / "home", tmp_path / "copy"
    home.mkdir()
    copy.write_text("{}")
    (home / "link").symlink_to(tmp_path)
    stage = Stage(home, home / "project", "http://127.0.0.1:1", copy, "", None, ("agent",), "anthropic")
    for place in (tmp_path / "x.jsonl", home / ".." / "new" / "x.jsonl", home / "link" / "x.jsonl"):
        with pytest.raises(ValueError, match="outside the home"):
            stage.put(place)
    assert sorted(tmp_path.iterdir()) == [copy, home]
    stage.put(home / "deep" / "x.jsonl")
    assert (home / "deep" / "x.jsonl").read_text() == "{}"


def test_what_an_agent_made_of_a_folder_is_kept_with_a_link_to_nothing(tmp_path: Path) -> None:
    """As a program leaves one for a lock when it is killed."""
    (tmp_path / "session").mkdir()
    (tmp_path / "session" / "lock").symlink_to("host-123")
    inside._keep(tmp_path / "session", tmp_path / "after")
    assert (tmp_path / "after" / "lock").is_symlink()


def test_a_pipe_that_an_agent_leaves_in_its_folder_is_not_handed_back(tmp_path: Path) -> None:
    folder, kept = store(tmp_path, SOUND), tmp_path / "kept"
    os.mkfifo(folder / "pipe")
    (folder / "lock").symlink_to("nobody")
    inside._keep(folder, kept)
    assert (kept / "lock").is_symlink() and not (kept / "pipe").exists()
    assert (kept / "CURRENT").read_bytes() == (folder / "CURRENT").read_bytes()
