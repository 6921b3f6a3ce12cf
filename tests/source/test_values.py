"""Reading records: what is a value, what is damage, and the flaws of readable records."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from toolpair.source.record_values import flaws, parse, pieces
from toolpair.transcript.model import Damaged


@each(
    ("raw", "value"),
    [
        (b'{"a":"\\ud83d"}', {"a": "\ud83d"}),
        (b"[1" + b"0" * 400 + b"]", [10**400]),
        (b'\xef\xbb\xbf{"a":1}', {"a": 1}),
        (b'{"a":"\xff"}', {"a": "\ufffd"}),
        (b'{"a":1,"a":2}', {"a": 2}),
        (b"[" + b"9" * 5000 + b"]", [float("inf")]),
    ],
)
def test_readable(raw: bytes, value: Any) -> None:
    assert parse(raw) == value


@pytest.mark.parametrize(
    ("raw", "rule"),
    [
        (b'{"a":"x', "record.torn"),
        (b'{"a":{"b":1}', "record.torn"),
        (b'{"a":tru', "record.torn"),
        (b'{"a":1}{"b":2}', "record.glued"),
        (b'{"a":1} {"b":', "record.glued"),
        (b'{"type":"pr-link","prNu{"parentUuid":"x"}', "record.glued"),
        (b"\0\0\0", "record.nul"),
        (b'\0\0{"a":1}', "record.nul"),
        (b'{"a":1}\0', "record.nul"),
        (b"hello", "record.bad_json"),
        (b'{"a":1}}', "record.bad_json"),
        (b'{"a":"\x01"}', "record.bad_json"),
        (b"[" * 100_000 + b"]" * 99_999 + b"}", "record.bad_json"),
        (b'{"a":' * 100_000, "record.torn"),
        (b"", "record.torn"),
    ],
)
def test_damaged(raw: bytes, rule: str) -> None:
    value = parse(raw)
    assert isinstance(value, Damaged)
    assert value.rule == rule


@given(st.binary(max_size=40) | st.text(alphabet='{}[]",:\\u01ae \0\n-', max_size=30).map(str.encode))
def test_never_raises(raw: bytes) -> None:
    parse(raw)
    flaws(raw)
    assert b"".join(pieces(raw)) == raw


def test_pieces() -> None:
    assert pieces(b'{"a":1}{"b":2}') == (b'{"a":1}', b'{"b":2}')
    assert pieces(b'{"t":"p","prNu{"b":2}') == (b'{"t":"p","prNu', b'{"b":2}')


@each(
    ("raw", "found"),
    [
        (b'{"a":1}', ()),
        (b'{"a":"\\ud83d\\ude00"}', ()),
        (b'{"a":"\\\\ud83d"}', ()),
        (b'{"a":"\\ud83d"}', ("record.lone_surrogate",)),
        (b'{"a":"\xff"}', ("record.bad_utf8",)),
        (b'{"a":{"b":1,"\\u0062":2}}', ("record.duplicate_key",)),
        (b'{"a":123456789012345678901}', ("record.big_number",)),
        (b'{"a":"123456789012345678901"}', ()),
        (b'{"a":[9007199254740993,-9223372036854775808,18446744073709551615]}', ()),
        (b'{"a":18446744073709551617}', ("record.big_number",)),
        (b'{"a":1e999}', ("record.big_number",)),
    ],
)
def test_flaws(raw: bytes, found: tuple[str, ...]) -> None:
    assert flaws(raw) == found


def test_a_long_bad_line_is_quick() -> None:
    assert isinstance(parse(b"{" + b"a" * 50_000_000), Damaged)
    assert isinstance(parse(b'{"' + b"a" * 10_000_000), Damaged)
