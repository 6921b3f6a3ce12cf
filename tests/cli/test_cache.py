"""Verdicts kept between runs say what a new check would say, and hold nothing of a session."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import toolpair
from tests.cli.conftest import Run
from tests.rounds import some, tries
from tests.session_folders import claude_bytes, claude_records, line
from tests.source.faults import in_a_child
from toolpair.cli import check, file_report
from toolpair.session import verdict_cache
from toolpair.session.session import open_session
from toolpair.session.verdict_cache import Question, VerdictCache, findings_of, kept_of

LATER = 10**18
"""A time, in nanoseconds after now, at which no file has just been written."""
FORMS = (
    ("-q",),
    ("--statistics",),
    ("--output-format", "json", "--inactive"),
    ("--output-format", "jsonl", "--profile", "anthropic", "--profile", "openai-chat"),
    ("--output-format", "github", "--agent-version", "2.1.0"),
    (),
)


@pytest.fixture(autouse=True)
def nothing_is_new(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files count as if they had been written long ago."""
    monkeypatch.setattr(verdict_cache, "JUST_NOW", -LATER)
    monkeypatch.setattr(verdict_cache, "_OWN", os.path.dirname(toolpair.__file__))


@pytest.fixture
def folder(tmp_path: Path, samples: Path) -> Path:
    """Sessions, and what is none, in folders."""
    shutil.copytree(samples, tmp_path / "many" / "a", ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    (tmp_path / "many" / "b").mkdir()
    (tmp_path / "many" / "b" / "none.json").write_text('{"name": "package"}')
    shutil.copy(samples / "valid.json", tmp_path / "many" / "b")
    records = list(claude_records(3))
    rewound = {"uuid": "00000009-0000-4000-8000-000000000000", "parentUuid": records[2]["uuid"]}
    records.insert(3, records[0] | rewound)
    (tmp_path / "many" / "b" / "branches.jsonl").write_bytes(b"".join(map(line, records)))
    return tmp_path / "many"


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that are read."""
    names: list[str] = []
    really = file_report.judge_file

    def judge_file(source: Any, *others: Any) -> Any:
        names.append(source.name)
        return really(source, *others)

    monkeypatch.setattr(check, "judge_file", judge_file)
    return names


def test_what_is_kept_says_what_a_check_says(run: Run, folder: Path, judged: list[str]) -> None:
    for options in some(FORMS, 3):
        plain = run("check", folder, *options, "--no-cache")
        first = run("check", folder, *options)
        judged.clear()
        again = run("check", folder, *options)
        assert plain == first == again, options
        names = {os.path.relpath(name, folder) for name in judged}
        assert "b/valid.json" not in names, options
        assert "a/interrupted-call.json" in names, "its problems are told, and not kept"
        assert ("b/branches.jsonl" in names) == ("json" in options or "jsonl" in options)


def test_workers_find_what_is_kept(run: Run, samples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "LITTLE", 1)
    first = run("check", samples, "--jobs", "2")  # not a copy, which would be new to the workers
    assert len(VerdictCache.of_user()) > 9
    assert run("check", samples, "--jobs", "2") == first


def _flip(path: Path, at: int) -> None:
    """Change one byte, and put back what can be of the file's times."""
    before = path.stat()
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    with path.open("r+b") as file:
        file.write(data)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_any_byte_and_any_way_of_asking_counts(folder: Path) -> None:
    chance = random.Random(7)
    path, cache = folder / "b" / "valid.json", VerdictCache.of_user()

    def keep(question: Question = verdict_cache.AS_LISTED) -> None:
        kept = kept_of(open_session(path, format=question.format, profile=question.profile), question, LATER)
        assert kept is not None
        cache.keep(*kept)
        assert cache.find(str(path), question) is not None

    for _ in range(tries(60)):
        keep()
        _flip(path, at := chance.randrange(path.stat().st_size))
        assert cache.find(str(path)) is None
        _flip(path, at)
    session = open_session(path)
    session.reader.view.beside.names("\udcff")  # type: ignore[union-attr]
    assert kept_of(session, verdict_cache.AS_LISTED, LATER) is None, "it could not be written"
    keep()
    for question in (
        Question(format="anthropic"),
        Question(profile="openai-chat"),
        Question(agent_version="2.1.0"),
        Question(max_size=10**6),
        Question(inactive=True),
    ):
        assert cache.find(str(path), question) is None
    os.link(path, folder / "b" / "other-name.json")
    assert cache.find(str(folder / "b" / "other-name.json")) is None
    assert cache.find(str(path)) is None, "its links were changed"


def test_a_change_of_anything_else_is_seen(
    run: Run, tmp_path: Path, samples: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    folder = tmp_path / "some"
    results = folder / "session" / "tool-results"
    results.mkdir(parents=True)
    session, rows = folder / "session.jsonl", folder / "sessions.db"
    content = claude_bytes(4, missing=2).replace(b"toolu_", b"toolu_01HqfLWi")
    session.write_bytes(content)
    (folder / "fork.jsonl").write_bytes(content[: content.find(b"\n") + 1])
    [lost] = {
        found["call_id"] for found in run("check", session, "--output-format", "json").json["files"][0]["problems"]
    }
    shutil.copy(samples / "docker-agent-late-result.db", rows)
    log = sqlite3.connect(rows)
    log.execute("pragma journal_mode = wal")
    log.execute("create table before (x)")
    stored = f"{rows}::{log.execute('select id from sessions').fetchone()[0]}"
    program = tmp_path / "program"
    program.mkdir()
    monkeypatch.setattr(verdict_cache, "_OWN", str(program))
    changes: list[tuple[str, Callable[[], object]]] = [
        (str(session), lambda: (program / "new.py").write_text("")),
        (str(session), lambda: (tmp_path / "config" / "toolpair" / "forms").mkdir(parents=True)),
        (str(session), lambda: (results / f"{lost}.txt").write_text("found")),
        (str(session), lambda: _flip(results / f"{lost}.txt", 2)),
        (str(session), lambda: _flip(folder / "fork.jsonl", 9)),
        (str(session), (folder / "fork.jsonl").unlink),
        (stored, lambda: log.execute("insert into before values (1)") and log.commit()),
        (stored, lambda: log.execute("pragma wal_checkpoint(truncate)")),
    ]
    for number, (address, change) in enumerate(changes):
        run("check", folder, "-q")
        assert VerdictCache.of_user().find(address) is not None, number
        change()
        assert VerdictCache.of_user().find(address) is None, number
        assert run("check", folder, "-q") == run("check", folder, "-q", "--no-cache"), number
    log.close()


def test_all_that_a_check_looks_into_is_watched(folder: Path) -> None:
    """A folder that is read around the session's `beside` would change the verdict unseen."""
    # In a process of its own: there is no way to remove an audit hook, and it costs all who open a file their time.
    assert not in_a_child(lambda: _all_is_watched(folder))


def _all_is_watched(folder: Path) -> None:
    opened: set[str] = set()

    def note(event: str, arguments: tuple[Any, ...]) -> None:
        if event in ("open", "os.listdir", "os.scandir") and isinstance(arguments[0], str):
            opened.add(os.path.realpath(arguments[0]))

    sys.addaudithook(note)
    for path in sorted(folder.rglob("*")):
        home = folder / "c" / ".config" / "sessions" / "2026" / path.stem
        home.mkdir(parents=True, exist_ok=True)
        (home.parent / ".project_root").write_text("/home/dev/shop")  # Gemini CLI's, which it asks for by name
        if not path.is_file() or folder / "c" in path.parents:
            continue
        shutil.copy(path, file := home / path.name)
        shutil.copy(path, home / f"other{path.suffix}")
        opened.clear()
        try:
            session = open_session(file)
            findings_of(session, inactive=True)
        except Exception:
            continue  # it is none, or there are several in it
        beside = session.reader.view.beside
        assert beside is not None
        own = {str(file), *(f"{file}{ending}" for ending in ("-wal", "-journal", "-shm"))}
        watched = {os.path.realpath(home / one) for one in beside.folders}  # type: ignore[attr-defined]
        seen = {one for one in opened - own if one.startswith(str(folder))}
        assert {one if os.path.isdir(one) else os.path.dirname(one) for one in seen} <= watched, path.name


def test_nothing_of_a_session_is_kept(run: Run, folder: Path) -> None:
    run("check", folder, "-q")
    path = VerdictCache.of_user().path
    assert path.stat().st_mode & 0o777 == 0o600
    kept = path.read_bytes().decode("latin-1")
    assert kept.count("claude-code") and kept.count("result.missing")
    words: set[str] = set()
    for file in folder.rglob("*.json*"):
        words |= set(re.findall(r"[\w.:/ -]{7,}", file.read_text("utf-8", "replace")))
    of_toolpair = {"claude-code", "anthropic", "result.", "message", "messages", "results", "response"}
    of_toolpair |= {"completion", "content"}  # in names of causes and rules
    found = {word for word in words if word in kept} - of_toolpair
    left = [word for word in found if not re.fullmatch(r"[\d.]+", word)]
    assert left == [], "but the version of the agent that wrote it"


def test_what_is_damaged_or_not_ones_own_is_ignored(run: Run, folder: Path, tmp_path: Path) -> None:
    shutil.rmtree(folder / "a")
    for number in range(10):
        shutil.copy(folder / "b" / "valid.json", folder / f"{number}.json")
    plain = run("check", folder, "-q", "--no-cache")
    path = VerdictCache.of_user().path
    assert not path.exists()

    def linked() -> None:
        path.rename(tmp_path / "kept")
        path.symlink_to(tmp_path / "kept")

    for damage in (
        lambda: path.write_bytes(path.read_bytes()[:-9]),
        lambda: path.write_bytes(b""),
        lambda: path.write_bytes(json.dumps([1, {}]).encode()),
        lambda: path.chmod(0o644),
        linked,
    ):
        run("check", folder, "-q")
        assert len(VerdictCache.of_user()) > 9
        damage()
        assert len(VerdictCache.of_user()) == 0
        assert run("check", folder, "-q") == plain
        assert not path.is_symlink()
    assert "verdicts" in run("cache").out
    assert run("cache", "clear").code == 0
    assert not path.exists()
    assert run("cache", "clear").code == 0
    path.mkdir()
    assert run("check", folder, "-q") == plain
    assert run("cache", "clear").code == 5


def test_a_file_of_this_moment_is_not_kept(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdict_cache, "JUST_NOW", 2 * 10**9)
    run("check", folder, "-q")
    assert len(VerdictCache.of_user()) == 0


def test_only_lists_ask_it(run: Run, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(*_: object) -> None:
        raise AssertionError("it is asked")

    for name in ("__init__", "find", "keep", "save"):
        monkeypatch.setattr(VerdictCache, name, asked)
    file = folder / "a" / "interrupted-call.json"
    for arguments in (
        ("check", file, folder / "b" / "valid.json"),
        ("check", folder, "--no-cache"),
        ("fix", file, "-o", tmp_path / "out.json"),
        ("fix", file, folder / "b" / "valid.json", "--in-place"),
        ("sees", folder / "a" / "claude-code-branches.jsonl"),
    ):
        assert "asked" not in run(*arguments).err
