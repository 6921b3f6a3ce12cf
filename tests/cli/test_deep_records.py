"""Records that are nested deeper than a parser goes: read, paired and kept, and never called damaged."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cli.conftest import Ran, Run
from tests.rounds import ROUNDS, mixed, tries
from toolpair.formats.format import Item
from toolpair.session.session import SessionError, open_session
from toolpair.source.container_reading import read_container
from toolpair.source.deep_values import is_deeper
from toolpair.source.json_spans import LEVELS
from toolpair.source.record_values import flaws, parse
from toolpair.source.rewriting import rewritten
from toolpair.transcript.model import Damaged, DeepValue

DEPTHS = (1000, 1100, 5000, 100_000 if ROUNDS else 30_000)
NATIVE = (
    "claude-code-branches.jsonl",
    "pi-lost-line.jsonl",
    "qwen-late-result.jsonl",
    "gemini-doubled.jsonl",
    "cline-late-result.json",
    "continue-cancelled.json",
    "openai-chat-missing.json",
    "responses-request.json",
    "reused-ids-anthropic.json",
    "opencode-failed-response.db",
    "openclaw-cut-history.db",
    "docker-agent-late-result.db",
)
"""Of each kind of file one. Codex and goose read less than others: see below."""
ANY_DEPTH = ("pi-lost-line.jsonl", "cline-late-result.json", "opencode-failed-response.db")
COMMANDS = (
    ("check",),
    ("sees",),
    ("fix", "--diff"),
    ("report", "-o", "report.html"),
    ("export", "--to", "openai-chat"),
    ("excerpt", "--redact", "-o", "excerpt"),
)


def nested(depth: int, kind: str = "[") -> bytes:
    return b"[" * depth + b"]" * depth if kind == "[" else b'{"a":' * depth + b"1" + b"}" * depth


def with_value(record: bytes, value: bytes) -> bytes:
    return record.rstrip()[:-1] + b',"x":' + value + b"}"


def made(sample: Path, to: Path, value: bytes) -> Path:
    """A copy of a sample that has this value beside what each third record says."""
    if sample.suffix == ".db":
        shutil.copy(sample, to)
        with closing(sqlite3.connect(to)) as database:
            for (table,) in database.execute("select name from sqlite_master where type='table'").fetchall():
                for column in [row[1] for row in database.execute(f'pragma table_info("{table}")')]:
                    rows = database.execute(f'select rowid, "{column}" from "{table}"').fetchall()
                    for row, text in rows[::3]:
                        if isinstance(text, str) and text.startswith('{"'):
                            changed = with_value(text.encode(), value).decode()
                            database.execute(f'update "{table}" set "{column}"=? where rowid=?', (changed, row))
            database.commit()
        return to
    data = bytearray(sample.read_bytes())
    container = read_container(bytes(data), sample.name)
    spans = [
        (start, start + record.size)
        for source in container.conversations
        for record in source.document.records
        for start in [(source.offset or 0) + (record.start or 0)]
        if isinstance(record.value, dict)
    ]
    if not container.conversations[0].offset and sample.suffix == ".jsonl":
        spans = [(record.start or 0, (record.start or 0) + record.size) for record in _records(container)]
    for start, end in reversed(spans[1::3]):
        data[start:end] = with_value(bytes(data[start:end]), value)
    to.write_bytes(data)
    return to


def _records(container: Any) -> list[Any]:
    return [record for record in container.conversations[0].document.records if isinstance(record.value, dict)]


@pytest.mark.parametrize(("kind", "depth"), mixed("[{", DEPTHS))
def test_the_first_levels_are_read(depth: int, kind: str) -> None:
    value = parse(b'{"id":"a","x":' + nested(depth, kind) + b',"y":[1.5,"\\u00e9",null]}')
    assert (value["id"], value["y"]) == ("a", [1.5, "é", None])
    assert is_deeper(value, depth)
    assert not is_deeper(value, depth + 1)
    assert flaws(b'{"x":' + nested(depth, kind) + b"}") == ()


def test_what_is_wrong_with_it_otherwise_is_still_found() -> None:
    deep = nested(2000)
    assert parse(b'{"x":' + deep).rule == "record.torn"
    assert parse(b'{"x":' + deep[:-1] + b"}}").rule == "record.bad_json"
    assert parse(b'{"x":' + deep + b"}{}").rule == "record.glued"
    assert flaws(b'{"a":"\\ud800","n":123456789012345678901,"x":' + deep + b"}") == (
        "record.lone_surrogate",
        "record.big_number",
    )
    assert parse(b'{"a":"\\ud800","n":NaN,"x":' + deep + b"}")["a"] == "\ud800"


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.text(max_size=3), below, max_size=3),
    max_leaves=12,
)


@settings(max_examples=tries(100))
@given(value=st.dictionaries(st.text(max_size=3), VALUES, max_size=4))
def test_all_else_is_read_as_by_any_parser(value: dict[str, Any]) -> None:
    read = parse(json.dumps({**value, "deep": 0}).encode()[:-2] + nested(1500) + b"}")
    assert list(read)[-1] == "deep"
    del read["deep"]
    assert read == {key: member for key, member in value.items() if key != "deep"}


@pytest.mark.parametrize("depth", [1100, 5000])
def test_edits_are_splices(depth: int) -> None:
    deep = nested(depth)
    lines = [
        b'{ "a" : 1.50, "x":' + deep + b', "b" : {"c":"\\u0041", "k":[ 1,2 ]} }',
        b'{"in":{"x":[ ' + deep + b' ], "e":1e3}}',
    ]
    data = b"\n".join(lines) + b"\n"
    container = read_container(data, "s")
    (source,) = container.conversations
    first, second = (record.value for record in source.document.records)
    changed = {**first, "b": {**first["b"], "c": "B"}}
    moved = {"out": {"of": second["in"]}}  # another part of it is now below the levels that are read
    after = rewritten(source.document, [Item(0, changed), Item(1, moved)])
    assert container.to_bytes([after]) == b"\n".join(
        [lines[0].replace(b'"\\u0041"', b'"B"'), b'{"out":{"of":' + lines[1][6:-1] + b"}}", b""]
    )


def test_two_values_are_equal_if_their_bytes_are() -> None:
    one, other = DeepValue(b"[[1]]"), DeepValue(b"[[2]]")
    assert one != other
    assert one == DeepValue(b"[[1]]")
    assert len({one, other, DeepValue(b"[[1]]")}) == 2
    assert one != str(one)


@pytest.mark.parametrize("name", NATIVE)
def test_it_is_checked_and_fixed_like_a_flat_one(run: Run, samples: Path, tmp_path: Path, name: str) -> None:
    found = []
    for folder, value in (("flat", b"[]"), ("deep", nested(1100))):
        (tmp_path / folder).mkdir()
        path = made(samples / name, tmp_path / folder / name, value)
        ran = run("check", path, "--output-format", "json")
        (entry,) = ran.json["files"]
        problems = [(one["rule"], one["message"], [fix["id"] for fix in one["fixes"]]) for one in entry["problems"]]
        fixed = tmp_path / folder / f"fixed{path.suffix}"
        code = run("fix", path, "-o", fixed).code
        text = b"" if path.suffix == ".db" else fixed.read_bytes().replace(nested(1100), b"[]")
        found.append((ran.code, problems, entry["counts"], code, text))
    flat, deep = found
    assert deep == flat


@pytest.mark.parametrize(("name", "command"), mixed(NATIVE, COMMANDS), ids=str)
def test_every_command_says_the_same(
    run: Run, samples: Path, tmp_path: Path, name: str, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    codes = []
    for folder, value in (("flat", b"[]"), ("deep", nested(1100))):
        (tmp_path / folder).mkdir()
        path = made(samples / name, tmp_path / folder / name, value)
        options = [f"{folder}-{word}{path.suffix}" if word == "excerpt" else word for word in command[1:]]
        codes.append(run(command[0], path, *options, *(("--force",) if command[0] == "report" else ())).code)
    assert codes[0] == codes[1]


def rules(ran: Ran) -> list[str]:
    return [problem["rule"] for problem in ran.json["files"][0]["problems"]]


@pytest.mark.parametrize(("name", "depth"), mixed(ANY_DEPTH, DEPTHS))
def test_at_any_depth(run: Run, samples: Path, tmp_path: Path, name: str, depth: int) -> None:
    (tmp_path / "flat").mkdir()
    flat = run("check", made(samples / name, tmp_path / "flat" / name, b"[]"), "--output-format", "json")
    deep = run("check", made(samples / name, tmp_path / name, nested(depth)), "--output-format", "json")
    assert rules(deep) == rules(flat)
    assert deep.code == flat.code


def parts(value: Any, slot: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield (*slot, key)
            yield from parts(part, (*slot, key))


def replaced(value: Any, slot: tuple[Any, ...]) -> Any:
    if not slot:
        return "DEEP"
    members = value.items() if isinstance(value, dict) else enumerate(value)
    made = [(key, replaced(part, slot[1:]) if key == slot[0] else part) for key, part in members]
    return dict(made) if isinstance(value, dict) else [part for _, part in made]


@pytest.mark.parametrize("name", ["codex-killed.jsonl", *(name for name in NATIVE if not name.endswith(".db"))])
def test_whatever_is_nested_where_a_parser_goes_and_a_program_does_not(samples: Path, name: str) -> None:
    """The parser reads 1,024 levels; Python's own calls go about as deep, some with two or three for each level."""
    text = (samples / name).read_text("utf-8")
    lines = text.splitlines() if name.endswith(".jsonl") else [text]
    chance = random.Random(name)
    for _ in range(tries(15, 5)):
        at = chance.randrange(len(lines))
        try:
            value = json.loads(lines[at])
        except ValueError:
            continue
        record = json.dumps(replaced(value, chance.choice([*parts(value)])))
        deep = nested(chance.choice((300, 600, 900, 980)), chance.choice("[{"))
        data = "\n".join([*lines[:at], record, *lines[at + 1 :]]).encode().replace(b'"DEEP"', deep) + b"\n"
        try:
            session = open_session(name, data=data)
        except SessionError:
            continue  # what makes it a session of this agent was replaced
        session.stage_recommended()
        assert b"nested too deeply" not in session.to_bytes()


@pytest.mark.parametrize("depth", [300, 2000])
def test_no_fix_writes_as_text_what_is_only_held(samples: Path, depth: int) -> None:
    chat = json.loads((samples / "openai-chat-missing.json").read_text("utf-8"))
    data = json.dumps(replaced(chat, ("messages", 3, "content"))).encode().replace(b'"DEEP"', nested(depth))
    session = open_session("chat.json", data=data)
    session.stage_recommended()
    assert nested(depth) in session.to_bytes()
    assert session.staging.held_back


def test_what_is_exported_is_all_of_it(run: Run, tmp_path: Path) -> None:
    call = b'{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"x":' + nested(2000) + b"}}"
    result = b'{"type":"tool_result","tool_use_id":"toolu_1","content":"done"}'
    path = tmp_path / "s.json"
    path.write_bytes(
        b'[{"role":"user","content":"go"},{"role":"assistant","content":[%s]},{"role":"user","content":[%s]}]'
        % (call, result)
    )
    ran = run("export", path, "--to", "anthropic")
    assert ran.code == 0
    assert ran.raw.count(b"[") > 2000
    assert b"nested too deeply" not in ran.raw


# Agents whose parsers go less deep than others


def codex(samples: Path, depth: int, *, inside: bool = False) -> bytes:
    lines = (samples / "codex-killed.jsonl").read_bytes().split(b"\n")
    at = next(n for n, line in enumerate(lines) if b'"function_call_output"' in line and b"call_Shop0001" in line)
    value = b',"x":' + nested(depth)
    lines[at] = lines[at][:-2] + value + b"}}" if inside else lines[at][:-1] + value + b"}"
    return b"\n".join(lines)


@pytest.mark.parametrize(("depth", "inside", "read"), [(126, False, True), (127, False, False), (126, True, False)])
def test_codex_skips_what_is_nested_deeper_than_it_reads(
    run: Run, samples: Path, tmp_path: Path, depth: int, inside: bool, read: bool
) -> None:
    path = tmp_path / "rollout.jsonl"
    path.write_bytes(codex(samples, depth, inside=inside))
    ran = run("check", path, "--output-format", "json")
    told = [one for one in ran.json["files"][0]["problems"] if one["rule"] == "record.bad_json"]
    assert not told if read else (told[0]["impact"], told[0]["fixes"]) == ("loses", [])
    assert run("sees", path, "--output-format", "json").json["outputs"]["seen"] == (2 if read else 1)


@pytest.mark.parametrize("depth", [127, 1100])
def test_its_bytes_stay(run: Run, samples: Path, tmp_path: Path, depth: int) -> None:
    path, fixed = tmp_path / "rollout.jsonl", tmp_path / "fixed.jsonl"
    path.write_bytes(codex(samples, depth))
    ran = run("fix", path, "-o", fixed)
    assert ran.code == 1
    assert "nested more than 127 levels deep, so Codex skips it" in ran.err
    assert nested(depth) in fixed.read_bytes()


@pytest.mark.parametrize(("depth", "read"), [(125, True), (126, False), (1100, False)])
def test_goose_crashes_at_it(run: Run, samples: Path, tmp_path: Path, depth: int, read: bool) -> None:
    path = Path(shutil.copy(samples / "goose-left-out.db", tmp_path / "sessions.db"))
    with closing(sqlite3.connect(path)) as database:
        (text,) = database.execute("select content_json from messages where rowid=3").fetchone()
        text = text[:-2] + ',"x":' + nested(depth).decode() + "}]"
        database.execute("update messages set content_json=? where rowid=3", (text,))
        database.commit()
    ran = run("check", path, "--output-format", "json")
    told = [one["impact"] for one in ran.json["files"][0]["problems"] if one["rule"] == "record.bad_json"]
    assert told == ([] if read else ["stops"])


def test_levels_that_are_read_are_fewer_than_any_parser_reads() -> None:
    assert LEVELS < 250
    assert not isinstance(parse(nested(1024)), Damaged)
