"""Databases of more sessions than are listed at once: the newest come without a look at the others."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from benchmarks.generate import generate
from benchmarks.sessions.options import Options
from tests.listed import listed
from toolpair.agents import catalog
from toolpair.agents.catalog import describe, described, pages_of
from toolpair.cli.main import main
from toolpair.formats.engine.agents import databases
from toolpair.formats.engine.agents.databases import sessions_in, top_level

AGENTS = ("docker-agent", "goose", "opencode", "openclaw")
MANY = 60


@pytest.fixture(autouse=True)
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(databases, "AT_ONCE", 8)
    monkeypatch.setattr(catalog, "_FIRST", 4)


def _many(agent: str, path: Path) -> Path:
    generate(Options(format=agent, shape="small", pairs=1, sessions=MANY), path)
    return path


@pytest.mark.parametrize("agent", AGENTS)
def test_the_pages_are_the_whole_list(agent: str, tmp_path: Path) -> None:
    path = _many(agent, tmp_path / "some.db")
    sizes = [len(page) for page, _ in pages_of(str(path))]
    assert sizes[0] == 8 and sum(sizes) == MANY
    found, notice = listed(path)
    whole = top_level(sessions_in(str(path), "x").sessions)
    assert [(one.session_id, one.size, one.name) for one in found] == [(one.id, one.size, one.title) for one in whole]
    assert notice is None


@pytest.mark.parametrize("agent", AGENTS)
def test_sessions_described_together_say_what_each_says_alone(
    agent: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, _ = listed(_many(agent, tmp_path / "some.db"))
    alone = [describe(one) for one in found]
    opened: list[tuple[str, ...]] = []
    asked = databases.words_of
    monkeypatch.setattr(databases, "words_of", lambda path, *ids: (opened.append(ids), asked(path, *ids))[1])
    assert list(described(found)) == alone
    assert [len(ids) for ids in opened] == [4, 8, 16, 32]
    assert all(one.words for one in alone)


def test_the_newest_are_printed_before_the_others_are_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _many("goose", tmp_path / "some.db")
    assert main(["sessions", str(path), "--output-format", "jsonl"]) == 0
    whole = capsys.readouterr().out.splitlines()
    assert len(whole) == MANY
    asked = databases.sessions_in
    early: list[str] = []

    def seen_by_then(path: str, shown: str) -> databases.Listed:
        early.extend(capsys.readouterr().out.splitlines())
        return asked(path, shown)

    monkeypatch.setattr(databases, "sessions_in", seen_by_then)
    assert main(["sessions", str(path), "--output-format", "jsonl"]) == 0
    assert early == whole[: len(early)] and len(early) >= 4
    assert early + capsys.readouterr().out.splitlines() == whole
    early.clear()
    assert main(["sessions", str(path), "-n", "5"]) == 0
    assert not early


@pytest.mark.parametrize("kept", ["the parent", "no parent"])
def test_sub_agents_sessions_are_left_out_of_the_newest(kept: str, tmp_path: Path) -> None:
    """Their parents may be far down in the list, or gone."""
    path = _many("goose", tmp_path / "some.db")
    oldest = listed(path)[0][-1].session_id
    newest = [one.session_id for one in listed(path)[0][:3]]
    parent = oldest if kept == "the parent" else "gone"
    with closing(sqlite3.connect(path)) as db:
        if "parent_session_id" not in {row[1] for row in db.execute("PRAGMA table_info(sessions)")}:
            db.execute("ALTER TABLE sessions ADD COLUMN parent_session_id TEXT")
        db.executemany("UPDATE sessions SET parent_session_id = ? WHERE id = ?", [(parent, one) for one in newest])
        db.commit()
    found = [one.session_id for one in listed(path)[0]]
    first = [one.session_id for page, _ in list(pages_of(str(path)))[:1] for one in page]
    assert found[: len(first)] == first
    assert (set(newest) <= set(found)) is (kept == "no parent")
    assert len(found) == len(set(found)) == (MANY if kept == "no parent" else MANY - 3)


def test_where_all_are_sub_agents_all_are_listed(tmp_path: Path) -> None:
    path = _many("opencode", tmp_path / "some.db")
    with closing(sqlite3.connect(path)) as db:
        (first,) = db.execute("SELECT min(id) FROM session").fetchone()
        (last,) = db.execute("SELECT max(id) FROM session").fetchone()
        db.execute("UPDATE session SET parent_id = ?", (first,))
        db.execute("UPDATE session SET parent_id = ? WHERE id = ?", (last, first))
        db.commit()
    assert len({one.session_id for one in listed(path)[0]}) == MANY


def test_a_session_that_one_cannot_describe_leaves_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found, _ = listed(_many("goose", tmp_path / "some.db"))
    bad = found[5].session_id
    asked = databases.words_of

    def words_of(path: str, *sessions: str) -> list[str | None]:
        if bad in sessions:
            raise databases.UnreadableFile("damaged")
        return asked(path, *sessions)

    monkeypatch.setattr(databases, "words_of", words_of)
    assert [one.session_id for one in described(found) if one.words is None] == [bad]
