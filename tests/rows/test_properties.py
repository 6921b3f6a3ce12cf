"""Any fixes, undone, saved and put back in any order."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

import toolpair
from tests.docker_agent_databases import BREAKS, StoredRows, child, database, dump, sound
from tests.rounds import tries
from tests.rows.test_saving import messages, opened
from toolpair.source.errors import Refused
from toolpair.source.saving.backups import backups
from toolpair.source.saving.restoring import restore

STEPS = st.lists(
    st.sampled_from(["fix", "other fix", "all", "undo", "save", "restore", "open"]), min_size=3, max_size=12
)
NAMES = [name for name in BREAKS if "kept" not in name and "glued" not in name]
"""Without what only newer versions write, and a row that nobody can repair, which is in the way of others."""


@st.composite
def broken_twice(draw: st.DrawFn) -> StoredRows:
    """A session that is broken in up to two ways at once."""
    made = sound()
    for how in draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=2, unique=True)):
        try:
            BREAKS[how](made)
        except (IndexError, KeyError, TypeError, ValueError, AttributeError):
            pass  # what it would break is broken already
    return made


def broken_by(*ways: str) -> StoredRows:
    made = sound()
    for how in ways:
        BREAKS[how](made)
    return made


def step(name: str, number: int, session: toolpair.Session, path: Path, saved: list[Path]) -> toolpair.Session:
    problems = [problem for problem in session.problems if problem.fixes]
    if name == "all":
        session.stage_recommended()
    elif name == "undo":
        session.undo()
    elif name in ("fix", "other fix") and problems:
        problem = problems[number % len(problems)]
        session.stage(problem, problem.fixes[0 if name == "fix" else number % len(problem.fixes)])
    elif name == "save" and session.changed:
        found = session.save()
        if found.backup is not None:
            saved.append(found.backup)
    elif name == "restore" and saved:
        restore(path, saved.pop())
        return opened(path)
    elif name == "open":
        return opened(path)
    return session


@settings(max_examples=tries(40))
@given(broken_twice(), STEPS, st.sampled_from([(19, False), (29, True)]), st.integers(0, 5))
def test_what_is_put_back_is_what_was_there(
    rows: StoredRows, steps: list[str], kind: tuple[int, bool], number: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = database(
            Path(folder) / "session.db", sound("newest", day=23), rows, child(), version=kind[0], wal=kind[1]
        )
        before, others = dump(path), dump(path, "sound")
        session, saved = opened(path), list[Path]()
        for at, name in enumerate(steps):
            try:
                session = step(name, number + at, session, path, saved)
            except Refused as error:
                # A fix by hand may make what is no row; nothing is written then.
                assert error.reason == "form", error
                session = opened(path)
            assert dump(path, "sound") == others
        while saved:
            restore(path, saved.pop())
        assert dump(path) == before
        assert len(backups(path)) <= 2 * len(steps)


@settings(max_examples=tries(40))
@given(broken_twice(), st.sampled_from([19, 29]))
@example(broken_by("sanitised id", "bad UTF-8"), 29)
def test_a_save_changes_exactly_what_differs(rows: StoredRows, version: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = database(Path(folder) / "session.db", rows, child(), sound("newest"), version=version)
        then = {row[1]: row for row in dump(path)["session_items"]}
        session = opened(path)
        lines = set(session.to_bytes().split(b"\n"))
        if not session.stage_recommended():
            return
        wanted = session.to_bytes().split(b"\n")
        texts = messages(session)
        session.save()
        now = {row[1]: row for row in dump(path)["session_items"]}
        named = {
            json.loads(line.decode(errors="replace"))["session_items"]["id"]
            for line in wanted
            if line and line not in lines
        }
        changed = {id_ for id_ in now if now[id_] != then.get(id_)}
        assert changed == named, "each row whose line differs, and no other"
        for id_ in changed & then.keys():
            (line,) = (one for one in wanted if one and line_id(one) == id_)
            (old,) = [one for one in lines if line_id(one) == id_] or [b""]
            said, was = values(line), values(old)
            differ = {place for place, (one, other) in enumerate(zip(now[id_], then[id_], strict=True)) if one != other}
            assert was is None or len(differ) == sum(said[name] != was[name] for name in said)  # type: ignore[index]
        assert messages(opened(path)) == texts


def line_id(line: bytes) -> int | None:
    found = values(line)
    return found.get("id") if found is not None else None


def values(line: bytes) -> dict[str, Any] | None:
    """The columns of a line as they are written; None for one that cannot be read."""
    try:
        row = json.loads(line.decode(errors="replace")).get("session_items")
    except ValueError:
        return None
    return row if isinstance(row, dict) else None
