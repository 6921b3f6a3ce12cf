"""What the journal holds of a session: enough to apply everything again, and nothing of what was said in it."""

from __future__ import annotations

import json
import random
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.generate import generate
from benchmarks.sessions.options import Options
from tests.conftest import SAMPLES
from tests.formats.claude_code_files import session as claude_session
from tests.rounds import tries
from tests.session_folders import line
from toolpair.recipes import RECIPES
from toolpair.session.decisions import LONGEST_ID
from toolpair.session.journal.journal_entry import DamagedEntry, JournalEntry, Mark, Newer
from toolpair.session.journal.left import since, take_up
from toolpair.session.session import Session, SessionError, open_session

FILES = sorted(path.name for path in SAMPLES.iterdir() if path.suffix in (".json", ".jsonl"))


def entry_of(session: Session) -> JournalEntry:
    """As it comes back from the disk."""
    from msgspec.structs import replace

    return JournalEntry.from_bytes(
        replace(JournalEntry.of(session, 1.5), mark=Mark.of(session.file.snapshot)).to_bytes()
    )


def stage_at_random(session: Session, chance: random.Random, steps: int) -> None:
    for _ in range(steps):
        session.current = chance.randrange(len(session.conversations))
        fixable = [problem for problem in session.problems if problem.fixes]
        kind = chance.random()
        if kind < 0.15:
            session.stage_recommended()
        elif kind < 0.25:
            session.stage_recipe(chance.choice([recipe.name for recipe in RECIPES.values()]))
        elif kind < 0.35:
            session.undo()
        elif fixable:
            problem = chance.choice(fixable)
            fix = chance.choice(problem.fixes)
            session.stage(problem, fix, "my own words" if fix.placeholder and chance.random() < 0.5 else None)


@pytest.mark.parametrize("seed", range(tries(3, 2)))
@pytest.mark.parametrize("name", FILES)
def test_all_that_was_applied_is_applied_again(name: str, seed: int) -> None:
    session = open_session(SAMPLES / name)
    stage_at_random(session, random.Random(f"{name}{seed}"), 4)
    entry = entry_of(session)
    again = open_session(SAMPLES / name)
    taken = take_up(again, entry)
    assert not taken.dropped
    assert again.to_bytes() == session.to_bytes()
    assert len(again.staging.steps) == len(session.staging.steps)
    assert since(again, entry) == "same"
    for _ in session.staging.steps:
        session.undo()
        again.undo()
        assert again.to_bytes() == session.to_bytes()


def test_a_long_history_is_applied_again(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    generate(Options(size=3_000_000, pairs=1_500, problems=60), path)
    session = open_session(path)
    session.stage_recommended()
    entry = entry_of(session)
    again = open_session(path)
    assert take_up(again, entry).fixes == entry.fixes == sum(row.count for row in session.staged) > 10
    assert again.to_bytes() == session.to_bytes()


def words_of(value: Any) -> set[str]:
    """Every word that stands anywhere in a value."""
    if isinstance(value, dict):
        return {word for key, item in value.items() for word in (*words_of(key), *words_of(item))}
    if isinstance(value, list):
        return {word for item in value for word in words_of(item)}
    return set(re.findall(r"\w+", str(value)))


def test_no_word_of_the_session_is_in_it(tmp_path: Path) -> None:
    """Every text, argument and output is made of words that stand nowhere else."""
    chance = random.Random(7)
    secrets: list[str] = []

    def secret() -> str:
        secrets.append("s" + "".join(chance.choice("bcdfghjklmnp") for _ in range(12)))
        return secrets[-1]

    messages: list[Any] = [{"role": "user", "content": secret()}]
    for n in range(12):
        call = {"type": "tool_use", "id": f"toolu_{n:02}", "name": secret(), "input": {secret(): secret()}}
        messages.append({"role": "assistant", "content": [{"type": "text", "text": secret()}, call]})
        given_id: Any = [f"toolu_{n:02}", f"toolu.{n:02}", None, {"id": secret()}, [secret()], secret() * 40][n % 6]
        if given_id is not None:
            result = {"type": "tool_result", "tool_use_id": given_id, "content": secret()}
            messages.append({"role": "user", "content": [result, {"type": "text", "text": secret()}]})
        else:
            messages.append({"role": "user", "content": secret()})
    path = tmp_path / "secret.json"
    path.write_text(json.dumps(messages))
    kept = b""
    for seed in range(12):
        session = open_session(path)
        stage_at_random(session, random.Random(seed), 6)
        entry = entry_of(session)
        kept += entry.to_bytes()
        again = open_session(path)
        assert not take_up(again, entry).dropped and again.to_bytes() == session.to_bytes()
    assert b"my own words" in kept
    assert not [word for word in secrets if word.encode() in kept]


def test_an_id_that_may_be_anything_is_a_digest(tmp_path: Path) -> None:
    long = "x" * (LONGEST_ID + 1)
    messages: list[Any] = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": long, "name": "Read", "input": {}}]},
        {"role": "user", "content": "and then?"},
    ]
    path = tmp_path / "long.json"
    path.write_text(json.dumps(messages))
    session = open_session(path)
    session.stage_recommended()
    entry = entry_of(session)
    assert long.encode() not in entry.to_bytes()
    again = open_session(path)
    assert not take_up(again, entry).dropped and again.to_bytes() == session.to_bytes()


def test_how_the_session_was_looked_at_comes_back(tmp_path: Path) -> None:
    path = Path(shutil.copy(SAMPLES / "sanitised-on-one-side.json", tmp_path))
    session = open_session(path)
    session.set_profile("mistral")
    session.stage_recommended()
    again = open_session(path)
    assert again.profile.id != "mistral"
    assert not take_up(again, entry_of(session)).dropped
    assert again.profile.id == "mistral" and again.to_bytes() == session.to_bytes()
    branches = open_session(SAMPLES / "claude-code-branches.jsonl")
    leaf = branches.conversation.transcript.tree.branches[-1].leaf
    branches.choose_leaf(leaf)
    assert entry_of(branches).leaf == leaf


def test_what_does_not_fit_any_more_says_why(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    values = [value for value in claude_session().values if value.get("uuid") not in ("r4", "a7")]
    path.write_bytes(b"".join(map(line, values)))
    session = open_session(path)
    problem = next(each for each in session.problems if each.rule == "turn.trailing_call")
    session.stage(problem)
    entry = entry_of(session)
    path.write_bytes(b"".join(map(line, claude_session().values)))
    again = open_session(path)
    taken = take_up(again, entry)
    assert not again.changed and taken.fixes == 0
    assert [one.reason for one in taken.dropped] == ["its result has arrived"]


def test_what_only_its_place_names_is_not_looked_for_elsewhere(tmp_path: Path) -> None:
    path = Path(shutil.copy(SAMPLES / "damaged.jsonl", tmp_path))
    session = open_session(path)
    torn = next(each for each in session.problems if each.call is None and each.result is None and each.fixes)
    session.stage(torn, torn.fixes[0])
    entry = entry_of(session)
    path.write_bytes(b'{"role":"user","content":"first of all"}\n' + path.read_bytes())
    again = open_session(path)
    assert since(again, entry) == "changed"
    taken = take_up(again, entry)
    assert not again.changed and ["by its position" in one.reason for one in taken.dropped] == [True]


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda data: data, "same"), (lambda data: data + b'{"role":"user","content":"more"}\n', "grown"),
        (lambda data: data[:-10] + b"x" * 10, "changed"), (lambda data: b" " + data, "changed"), (lambda data: data[:-40], "changed"),
    ],
)  # fmt: skip
def test_the_mark_tells_what_has_become_of_the_file(tmp_path: Path, change: Any, what: str) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text(
        "".join(
            json.dumps({"role": role, "content": f"{n}"}) + "\n" for n, role in enumerate(["user", "assistant"] * 9)
        )
    )
    mark = Mark.of(open_session(path).file.snapshot)
    path.write_bytes(change(path.read_bytes()))
    try:
        assert mark.since(open_session(path).file.snapshot) == what
    except SessionError:
        assert what == "changed"


@given(
    st.binary()
    | st.recursive(
        st.none() | st.booleans() | st.integers() | st.text() | st.floats(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(
                st.sampled_from(["journal", "path", "time", "fixes", "file", "profile", "leaf", "steps", "x"]), inner
            )
        ),
    ).map(lambda value: json.dumps(value).encode())
)
def test_anything_else_is_damaged(data: bytes) -> None:
    with pytest.raises((DamagedEntry, Newer)):
        JournalEntry.from_bytes(data)


@given(st.data())
def test_a_damaged_one_is_damaged_or_says_what_it_said(data: st.DataObject) -> None:
    session = open_session(SAMPLES / "interrupted-call.json")
    session.stage_recommended()
    whole = entry_of(session).to_bytes()
    at = data.draw(st.integers(0, len(whole) - 1))
    cut = data.draw(st.sampled_from(["end", "byte", "nul"]))
    damaged = (
        whole[:at]
        if cut == "end"
        else whole[:at] + (b"\0" if cut == "nul" else data.draw(st.binary(min_size=1, max_size=1))) + whole[at + 1 :]
    )
    try:
        entry = JournalEntry.from_bytes(damaged)
    except (DamagedEntry, Newer):
        return
    take_up(open_session(SAMPLES / "interrupted-call.json"), entry)
