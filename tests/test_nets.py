"""The nets: an output in a place that nobody thought of is never gone unsaid, and gets no placeholder beside it.

Each sample's outputs are put into invented places, with the call's id beside them. By default a few of each sample;
TOOLPAIR_TEST_ROUNDS multiplies their number.
"""

from __future__ import annotations

import json
import os
import random
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.each import each
from tests.test_samples import EXPECTED, READ_ONLY, SAMPLES
from tests.work import work_of
from toolpair import repair
from toolpair.history import id_places
from toolpair.session.session import Session, SessionError, open_session

ROUNDS = int(os.environ.get("TOOLPAIR_TEST_ROUNDS", "1"))
SAID = "the output number 7351 of an invented place"
PLACES: dict[str, Callable[[dict[str, Any], str], Any]] = {
    "an unknown block": lambda old, id_: {"type": "tool_answer", "ref": id_, "payload": {"said": SAID}},
    "a text with more": lambda old, id_: {"type": "text", "text": "", "tool_use_id": id_, "content": SAID},
    "thinking with more": lambda old, id_: {"type": "thinking", "thinking": "", "tool_use_id": id_, "content": SAID},
    "a block of Anthropic's": lambda old, id_: {"type": "tool_result", "tool_use_id": id_, "content": SAID},
    "a message of chat": lambda old, id_: {"role": "tool", "tool_call_id": id_, "content": SAID},
    "an item of Responses": lambda old, id_: {"type": "function_call_output", "call_id": id_, "output": SAID},
    "a part of Gemini's": lambda old, id_: {"functionResponse": {"id": id_, "name": "x", "response": {"said": SAID}}},
    "JSON in a text": lambda old, id_: {"type": "text", "text": json.dumps({"id": id_, "more": {"said": SAID}})},
    "a text": lambda old, id_: {"type": "text", "text": f"[{id_}] {SAID}"},
    "a message of the user": lambda old, id_: {"role": "user", "content": f"{id_} says: {SAID}"},
    "an unknown record": lambda old, id_: {"kind": "kept", "of": id_, "what": [SAID]},
    "an unknown key": lambda old, id_: {**_without_texts(old, id_), "recorded": SAID},
}


def _without_texts(value: Any, id_: str) -> Any:
    """The value with nothing said in it: what says whose it is stays."""
    if isinstance(value, dict):
        return {key: _without_texts(part, id_) for key, part in value.items()}
    if isinstance(value, list):
        return []
    return "" if isinstance(value, str) and value != id_ and " " in value else value


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _strings(part)
    elif isinstance(value, str):
        yield value


def _replaced(value: Any, id_: str, output: str, make: Callable[[dict[str, Any], str], Any]) -> tuple[Any, int]:
    """The value with the innermost objects that hold both the id and the output replaced, and how many these are."""
    if not isinstance(value, dict | list):
        return value, 0
    parts = value.items() if isinstance(value, dict) else enumerate(value)
    made = [(key, *_replaced(part, id_, output, make)) for key, part in parts]
    count = sum(number for _, _, number in made)
    if not count and isinstance(value, dict):
        texts = [*_strings(value)]
        if id_ in texts and any(output in text for text in texts):
            return make(value, id_), 1
    if isinstance(value, dict):
        return {key: part for key, part, _ in made}, count
    return [part for _, part, _ in made], count


def _planted_file(path: Path, id_: str, output: str, make: Callable[[dict[str, Any], str], Any]) -> bool:
    if path.suffix == ".db":
        return _planted_database(path, id_, output, make)
    text = path.read_text("utf-8", "surrogateescape")
    if path.suffix == ".json":
        value, count = _replaced(json.loads(text), id_, output, make)
        path.write_text(json.dumps(value))
        return count > 0
    lines, found = [], 0
    for line in text.splitlines():
        try:
            value, count = _replaced(json.loads(line), id_, output, make)
        except ValueError:
            value, count = None, 0
        lines.append(json.dumps(value) if count else line)
        found += count
    path.write_text("\n".join(lines) + "\n", "utf-8", "surrogateescape")
    return found > 0


def _planted_database(path: Path, id_: str, output: str, make: Callable[[dict[str, Any], str], Any]) -> bool:
    found = 0
    with closing(sqlite3.connect(path)) as database, database:
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            columns = [row[1] for row in database.execute(f'PRAGMA table_info("{table}")')]
            for column in columns:
                try:
                    rows = [*database.execute(f'SELECT rowid, "{column}" FROM "{table}"')]
                except sqlite3.Error:
                    continue
                for row, said in rows:
                    if isinstance(said, str) and said[:1] in ("{", "[") and id_ in said:
                        value, count = _replaced(json.loads(said), id_, output, make)
                        if count:
                            new = json.dumps(value)
                            database.execute(f'UPDATE "{table}" SET "{column}" = ? WHERE rowid = ?', (new, row))
                            found += count
    return found > 0


def _pairs(session: Session) -> list[tuple[str, str]]:
    """The ids of calls with an output that is text, and the output's beginning; not of ids that several calls have."""
    pairs = session.conversation.whole.pairs
    asked = Counter(repr(pair.call.id) for pair in pairs if pair.call is not None)
    found = []
    for pair in pairs:
        if pair.call is not None and asked[repr(pair.call.id)] > 1:
            continue
        if pair.call is not None and isinstance(pair.call.id, str) and len(pair.call.id) > 3 and pair.results:
            said = pair.results[0].text.strip().split("\n")[0][:40]
            if len(said) > 3 and '"' not in said and "\\" not in said:
                found.append((pair.call.id, said))
    return found


@pytest.mark.parametrize("name", sorted(name for name in EXPECTED if name not in READ_ONLY))
def test_an_output_in_an_invented_place_is_kept_or_said(name: str, tmp_path: Path) -> None:
    sample = SAMPLES / name
    pairs = _pairs(open_session(sample))
    chance = random.Random(name if ROUNDS == 1 else None)
    cases = [(pair, place) for pair in pairs for place in PLACES]
    for number, ((id_, output), place) in enumerate(chance.sample(cases, min(len(cases), 6 * ROUNDS))):
        path = tmp_path / f"{number}{sample.suffix}"
        path.write_bytes(sample.read_bytes())
        if not _planted_file(path, id_, output, PLACES[place]):
            continue
        try:
            session = open_session(path)
        except SessionError:
            continue  # not understood any more: nothing is touched
        assert SAID.encode() in session.to_bytes()
        session.stage_recommended()
        staging = session.staging
        kept = SAID.encode() in session.to_bytes() or any(
            SAID.encode() in piece for found in session.conversations for piece in found.document.aside
        )
        assert kept or staging.losses, (name, id_, place)
        filled = [
            row for row in session.staged if row.placeholders for one in row.decisions if one.call_id == repr(id_)
        ]
        assert not filled, (name, id_, place)


@each("place", sorted(PLACES))
@each("profile", ["anthropic", "openai-chat"])
def test_a_list_in_memory_is_held_to_the_same(profile: str, place: str) -> None:
    placed = PLACES[place]({"call": "call_one_1"}, "call_one_1")
    if profile == "anthropic":
        asked: Any = [{"type": "tool_use", "id": "call_one_1", "name": "read", "input": {"path": "a"}}]
        messages: list[Any] = [{"role": "user", "content": "go"}, {"role": "assistant", "content": asked}]
    else:
        asked = [{"id": "call_one_1", "type": "function", "function": {"name": "read", "arguments": "{}"}}]
        messages = [{"role": "user", "content": "go"}, {"role": "assistant", "content": None, "tool_calls": asked}]
    answer = placed if "role" in placed else {"role": "user", "content": [{"type": "text", "text": "so"}, placed]}
    repaired = repair([*messages, answer, {"role": "user", "content": "go on"}], profile)
    assert SAID in json.dumps(repaired.messages)
    assert not any(taken.fix == "insert-placeholder" for taken in repaired.taken)


def _opened(path: Path, records: list[Any], glued: bool = False) -> Session:
    lines = [json.dumps(record) for record in records]
    path.write_text(("".join(lines[:2]) + "\n" + "\n".join(lines[2:]) if glued else "\n".join(lines)) + "\n")
    return open_session(path)


def test_a_call_in_a_line_that_a_fix_splits_is_looked_at_like_any_other(tmp_path: Path) -> None:
    odd = {"type": "function", "id": "call_one_1", "function": {"name": "read", "arguments": "{}"}, "content": SAID}
    records = [
        {"role": "user", "content": "Read it."},
        {"role": "assistant", "content": None, "tool_calls": [odd]},
        {"role": "user", "content": "And now?"},
        {"role": "assistant", "content": "Done."},
    ]
    session = _opened(tmp_path / "glued.jsonl", records, glued=True)
    session.stage_recommended()
    assert SAID.encode() in session.to_bytes()
    assert not any(row.placeholders for row in session.staged)
    left = [problem.no_fix or "" for problem in session.problems if problem.rule == "result.missing"]
    assert left == ["In a record that a fix writes, the call itself has a text that may be its output."]


def test_an_id_that_is_no_text_is_no_name_of_a_lost_text(tmp_path: Path) -> None:
    call = {"id": {"kept": SAID}, "type": "function", "function": {"name": "read", "arguments": "{}"}}
    records = [
        {"role": "user", "content": "Read it."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "user", "content": "And now?"},
    ]
    session = _opened(tmp_path / "odd.jsonl", records)
    session.stage_recommended()
    assert SAID.encode() in session.to_bytes() or session.staging.losses


@pytest.mark.parametrize("id_", ["call_one_1", "call one 1"])
def test_a_call_that_is_left_keeps_the_id_that_its_output_may_have(id_: str) -> None:
    call = {"type": "tool_use", "id": id_, "name": "read", "input": {}}
    calls = [call, dict(call)] if id_ == "call_one_1" else [call]
    answer = {"type": "tool_answer", "ref": id_, "payload": {"said": SAID}}
    messages: list[Any] = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": calls},
        {"role": "user", "content": [answer, {"type": "text", "text": "and now?"}]},
    ]
    repaired = repair(messages, "anthropic")
    assert repaired.messages is messages
    rules = {problem.rule: problem.no_fix for problem in repaired.left}
    parting = rules.get("call.duplicate_id") or rules.get("id.pattern")
    assert parting is not None and parting.startswith("A call has no result, and its id also")


def _asked_and_then(*later: Any) -> list[Any]:
    call = {"type": "tool_use", "id": "toolu_01UnansweredCall", "name": "read", "input": {}}
    return [{"role": "user", "content": "go"}, {"role": "assistant", "content": [call]}, *later]


def test_past_the_limit_of_the_search_no_placeholder_is_recommended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(id_places, "IdPlaces", partial(id_places.IdPlaces, most=1_000))
    talk = [{"role": role, "content": "and so on"} for _ in range(600) for role in ("user", "assistant")]
    long = _asked_and_then(*talk)
    repaired = repair(long, "anthropic")
    assert repaired.messages is long
    (left,) = repaired.left
    assert left.no_fix == "Its id was only looked for in the first 1 KB, and its output may come later."
    short = repair(_asked_and_then({"role": "user", "content": "so " * 1_000}), "anthropic")  # all was looked at
    assert [taken.fix for taken in short.taken] == ["insert-placeholder"] and not short.left


_QUOTED = (
    "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: {}. Each `tool_use` block "
    "must have a corresponding `tool_result` block in the next message."
)


@pytest.mark.parametrize(
    ("said", "answered"),
    [
        (_QUOTED, True),
        (
            'API Error: 400 {{"type":"error","error":{{"type":"invalid_request_error","message":"' + _QUOTED + '"}}}}',
            True,
        ),
        ("Why does it say this for ever?\n\n" + _QUOTED + "\n\nWhat can I do?", True),
        ("No tool output found for function call {}.", True),
        ("What {} said is the number 7351.", False),
        ("I found this: {}", False),
    ],
)
def test_an_error_that_quotes_the_id_is_no_place_of_its_output(said: str, answered: bool) -> None:
    messages = _asked_and_then({"role": "user", "content": said.format("toolu_01UnansweredCall")})
    repaired = repair(messages, "anthropic")
    assert [taken.fix for taken in repaired.taken] == (["insert-placeholder"] if answered else [])
    if not answered:
        assert repaired.messages is messages
        assert [str(problem.no_fix) for problem in repaired.left] == [
            "Its id also stands in message 2, where its output may be."
        ]


def test_twice_the_calls_that_are_left_are_twice_the_work() -> None:
    def work(count: int) -> int:
        messages: list[Any] = []
        for number in range(count):
            id_ = f"toolu_{number:06d}"
            call = {"type": "tool_use", "id": id_, "name": "read", "input": {}}
            messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": f"{id_} says: {SAID}"}]
        return work_of(lambda: repair(messages, "anthropic"))

    assert work(400) < 2.3 * work(200)
