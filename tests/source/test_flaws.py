"""Repairing the bytes of a record, and finding the flaws of readable records."""

from __future__ import annotations

import json
from typing import Any, get_args

import orjson
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.each import each
from tests.rounds import tries
from toolpair.formats.codex.light import CodexLight
from toolpair.formats.engine.reading.light import Doubtful
from toolpair.formats.lists.light import ListLight
from toolpair.history.open_windows import values_of
from toolpair.source.container import lines_document
from toolpair.source.indexed_records import IndexedRecords
from toolpair.source.json_spans import scan
from toolpair.source.record_values import parse, pieces
from toolpair.source.repairing import bad_bytes, close, doubled_keys, joined_lines, repaired
from toolpair.source.rewriting import repair_all
from toolpair.transcript.edits import Mending
from toolpair.transcript.model import Damaged

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(alphabet='ab"\\\n\U0001f600é', max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(alphabet="abc", max_size=3), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(alphabet="abc", min_size=1, max_size=3), JSON, min_size=1, max_size=4)


@each(
    ("raw", "text", "cut", "whole"),
    [
        (b'{"a":{"b":1}', b'{"a":{"b":1}}', b"", True),
        (b'{"a":"x"', b'{"a":"x"}', b"", True),
        (b'{"a":"x', b'{"a":"x"}', b"", False),
        (b'{"a":"x\\', b'{"a":"x"}', b"\\", False),
        (b'{"a":"\\\\', b'{"a":"\\\\"}', b"", False),
        (b'{"a":"x\\u12', b'{"a":"x"}', b"\\u12", False),
        (b'{"a":"\\ud83d', b'{"a":""}', b"\\ud83d", False),
        (b'{"a":"\xc3', b'{"a":""}', b"\xc3", False),
        (b'{"a":[1,2', b'{"a":[1]}', b",2", False),
        (b'{"a":12,"b', b'{"a":12}', b',"b', False),
        (b'{"a":1,"b":tru', b'{"a":1}', b',"b":tru', False),
        (b'{"a":1,', b'{"a":1}', b",", False),
    ],
)
def test_closing_a_cut_off_record(raw: bytes, text: bytes, cut: bytes, whole: bool) -> None:
    closed = close(raw)
    assert closed is not None
    assert (closed.text, closed.cut, closed.whole) == (text, cut, whole)


@settings(max_examples=tries(60))
@given(OBJECTS, st.integers(1, 200))
def test_a_record_cut_anywhere_is_closed_with_what_it_held(value: dict[str, Any], at: int) -> None:
    raw = json.dumps(value, ensure_ascii=False).encode()
    torn = raw[: min(at, len(raw) - 1)]
    closed = close(torn)
    if closed is None:
        return
    assert not isinstance(parse(closed.text), Damaged)
    assert torn.endswith(closed.cut)
    kept = torn[: len(torn) - len(closed.cut)]
    assert closed.text.startswith(kept) and set(closed.text[len(kept) :]) <= set(b'"]}')


@each(
    ("raw", "how", "bodies", "aside"),
    [
        (b'{"a":1}{"b":2}', "split", (b'{"a":1}', b'{"b":2}'), ()),
        (b'xx{"a":1}yy{"b":2}zz', "trim", (b'{"a":1}', b'{"b":2}'), (b"xx", b"yy", b"zz")),
        (b'{"a":1},', "trim", (b'{"a":1}',), ()),
        (b'{"a":1}\0\0{"b":2}', "nul", (b'{"a":1}', b'{"b":2}'), ()),
        (b'{"a":"x\0y"}', "nul", (b'{"a":"xy"}',), ()),
        (b"\0\0", "nul", (), (b"\0\0",)),
        (b'{"a":"\x1b\t"}', "escape", (b'{"a":"\\u001b\\t"}',), ()),
        (b'{"a":"\xff","b":"\\ud83d"}', "utf8", (b'{"a":"\xef\xbf\xbd","b":"\\ud83d"}',), ()),
        (b'{"a":"\xff","b":"\\ud83d"}', "halves", (b'{"a":"\xff","b":"\\ufffd"}',), ()),
        (b'\xef\xbb\xbf{"a":1}', "bom", (b'{"a":1}',), ()),
        (b'{"a":1, "b":2, "a":3}', "keep_last", (b'{"b":2, "a":3}',), ()),
        (b'{"a":1, "b":2, "a":3}', "keep_first", (b'{"a":1, "b":2}',), ()),
        (b'{"c":{"x":1,"\\u0078":2}}', "keep_last", (b'{"c":{"\\u0078":2}}',), ()),
        (b"junk", "aside", (), (b"junk",)),
    ],
)
def test_each_repair_changes_only_what_it_names(
    raw: bytes, how: str, bodies: tuple[bytes, ...], aside: tuple[bytes, ...]
) -> None:
    made = repaired(raw, how)
    assert made is not None and (made.bodies, made.aside) == (bodies, aside)


@settings(max_examples=tries(100))
@given(st.text(alphabet='{}[]",:\\u1ae \0\n-x', max_size=30).map(str.encode), st.sampled_from(get_args(Mending)))
def test_no_repair_raises_or_drops_a_byte(raw: bytes, how: str) -> None:
    made = repaired(raw, how)
    if made is None or how in ("escape", "halves", "utf8", "keep_last", "keep_first", "bom"):
        return
    there = b"".join((*made.bodies, *made.aside)).replace(b"\0", b"")
    for byte in set(raw) - {0, 0x20, 0x0A}:
        assert there.count(byte) >= raw.count(byte)


def test_a_record_on_several_lines() -> None:
    assert joined_lines([b'{"a":"x', b'y"}', b"z"], [b"\r\n", b"\n"]) == (b'{"a":"x\\r\\ny"}', 2)
    assert joined_lines([b"{", b'"a":1', b"}"], [b"\n  ", b"\n"]) == (b'{ "a":1 }', 3)
    assert joined_lines([b'{"a":"x', b'{"b":1}'], [b"\n"]) is None
    assert joined_lines([b'{"a":1}', b'{"b":1}'], [b"\n"]) is None


def test_each_flaw_is_named() -> None:
    assert bad_bytes(b'{"a":"\xff\xfe"}') == (b"\xff", 2)
    assert bad_bytes("é".encode()) == (b"", 0)
    assert doubled_keys(b'{"a":1,"b":{"c":1,"c":2}}') == ("c",)


def test_flaws_of_a_document() -> None:
    lines = [
        b'{"a":1}',
        b'{"a":"\xff"}',
        b'{"a":1,"a":1}',
        b'{"a":123456789012345678901234}',
        b'{"a":"123456789012345678901234"}',
        b'{"a":12345678901234567}',
        b'\xef\xbb\xbf{"a":1}',
        b'{ "a" : [1.50, "\\u0041"] }',
        b'{"a":1e999}',
        b'{"a":"torn',
    ]
    document = lines_document(b"\n".join(lines))
    always = {1: ("record.bad_utf8",), 6: ("record.bom",), 8: ("record.big_number",)}
    assert document.flaws() == always
    quiet = {2: ("record.duplicate_key",), 3: ("record.big_number",)}
    assert document.flaws(range(len(lines))) == always | quiet
    assert document.flaws() == always


def test_what_is_set_aside_is_kept_through_later_changes() -> None:
    data = b'{"a":1}\njunk\n{"b":2}\n'
    document = lines_document(data)
    after = repair_all(repair_all(document, [(1, "aside", ()), (0, "bom", ())]), [(2, "aside", ())])
    assert after.to_bytes() == b'{"a":1}\n' and after.aside == (b"junk", b'{"b":2}')
    assert document.to_bytes() == data and document.aside == ()


def test_only_the_mark_at_the_start_of_the_file_is_removed() -> None:
    document = lines_document(b'\xef\xbb\xbf \n{"a":1}\r\n')
    assert repair_all(document, [(0, "mark", ())]).to_bytes() == b' \n{"a":1}\r\n'


@each("raw", [rb'{"a":"\u"}', rb'{"a":"x\u12"}', rb'{"a":"\n\x"}', b'{"a":1E}', b'{"a":1.}', b'{"a":1.e5}'])
def test_half_an_escape_or_a_number_is_an_error(raw: bytes) -> None:
    """Before 3.11.5, Python accepts them where a possessive group holds alternatives."""
    assert scan(raw).state == "error"


@each(
    ("raw", "parts"),
    [
        (b'{"a":1,"b":{"x":2},{"c":{"d":3}}', (b'{"a":1,"b":{"x":2},', b'{"c":{"d":3}}')),
        (b'{"a":1,"b":"cut o{"c":{"d":3}}', (b'{"a":1,"b":"cut o', b'{"c":{"d":3}}')),
        (b'{"a":tru{"c":{"d":3}}', (b'{"a":tru', b'{"c":{"d":3}}')),
        (b'{"a":1_"b":{"c":3}}', (b'{"a":1_"b":{"c":3}}',)),
        (b'{"a":1_"b":{"c":3}}{"d":4}', (b'{"a":1_"b":{"c":3}}', b'{"d":4}')),
        (b'{"a":[{"b":1},{"c" 2},{"d":3}]}', (b'{"a":[{"b":1},{"c" 2},{"d":3}]}',)),
    ],
)
def test_no_value_inside_a_broken_record_is_taken_for_a_record(raw: bytes, parts: tuple[bytes, ...]) -> None:
    assert pieces(raw) == parts
    kept = repaired(raw, "trim")
    assert kept is None or (b'{"c":3}' not in kept.bodies and b'{"b":1}' not in kept.bodies)


def test_a_key_that_stands_twice_is_found_beside_a_number_that_grows_when_it_is_written_again() -> None:
    """Together they are as long as before."""
    raw = b'{"a":1,"a":2,"x":1e6}'
    assert len(orjson.dumps(orjson.loads(raw))) == len(raw)
    document = lines_document(b"\n".join([raw] * 3) + b"\n")
    assert [record.flaws(sent=True) for record in document.records] == [("record.duplicate_key",)] * 3
    document = lines_document(b"\n".join([raw] * 3) + b"\n")
    assert isinstance(document.records, IndexedRecords)
    document.records.read()
    assert [record.flaws(sent=True) for record in document.records] == [("record.duplicate_key",)] * 3
    sent = b'{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","content":[],"metadata":%b}}'
    for light, odd in ((ListLight(), raw), (CodexLight(), sent % raw)):
        assert [type(value) for value in values_of([odd, odd], light)] == [Doubtful] * 2
        sound = odd.replace(b'"a":1,"a"', b'"b":1.5,"a"').replace(b"1e6", b"2.5")
        assert Doubtful not in map(type, values_of([sound, sound], light))


@each("space", [b"", b" ", b"\n  ", b"\t"])
def test_white_space_between_values_hides_no_flaw_and_is_none(space: bytes) -> None:
    """Neither where the values are known already."""
    flawed = (b'"a":1,"a":1', b'"a ":1,"a":1,"a ":1', b'"a":123456789012345678901234', b'"a":"x ","b":1,"a":"x"')
    sound = (b'"a":1,"b":1.5', b'"a ":1,"a":1', b'"a":"x \\n","b":[{},[" "]]')
    for members in (*flawed, *sound):
        raw = b"{%b%b%b}" % (space, members.replace(b",", b"," + space).replace(b'":', b'":' + space), space)
        for known in (None, [orjson.loads(raw)] * 2):
            found = {type(value) for value in values_of([raw, raw], ListLight(), known)}
            assert found == {Doubtful if members in flawed else dict}
        document = lines_document(raw.replace(b"\n", b"\t"))
        assert bool(document.flaws([0])) == (members in flawed)
