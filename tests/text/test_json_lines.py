"""JSON laid out without being parsed: everything that is written is shown, in its order, as it is written."""

from __future__ import annotations

import json
import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from toolpair.text.cells import width
from toolpair.text.json_lines import JsonLines, decoded
from toolpair.text.safe import visible

TEXTS = st.text(st.sampled_from('ab "\\\n\t{}[],:/é漢\u202e\x1b1'), max_size=60) | st.text(max_size=200)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4), max_leaves=25
)
SPACE = re.compile(r'("(?:[^"\\]|\\.)*")|[ \t\r\n]+')


def laid_out(text: str, cells: int = 0, without: tuple[str, ...] = ()) -> JsonLines:
    lines = JsonLines(text, cells, without)
    while lines.more(7):
        pass
    return lines


def written(lines: JsonLines) -> str:
    """The JSON that the lines stand for, from what is written on each."""
    out: list[str] = []
    open_: list[tuple[int, str]] = []

    def close(n: int) -> None:
        while open_ and open_[-1][0] < n:
            out.append(open_.pop()[1])

    n = 0
    while n < len(lines):
        close(n)
        if out and out[-1] not in ("{", "["):
            out.append(",")
        if lines.raw_key(n):
            out.append(lines.raw_key(n) + ":")
        kind = lines.kind(n)
        if n in lines.nested:
            out.append(f'"{lines.raw_value(n)}"')
            n = lines.last(n) + 1
            continue
        if kind in ("object", "array"):
            sign = "{}" if kind == "object" else "[]"
            out.append(sign[0])
            open_.append((lines.last(n), sign[1]))
        elif kind in ("text", "first"):
            words = lines.raw_value(n)
            while n + 1 < len(lines) and lines.kind(n + 1) == "more":
                n += 1
                words += lines.raw_value(n)
            out.append(f'"{words}"')
        else:
            out.append(lines.raw_value(n))
        n += 1
    close(n)
    return "".join(out)


@given(VALUES, st.sampled_from([0, 8, 30, 80]), st.sampled_from([None, 1]), st.booleans())
def test_everything_that_is_written_is_on_a_line(value: Any, cells: int, indent: int | None, as_ascii: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=as_ascii)
    lines = laid_out(text, cells)
    assert not lines.broken
    assert written(lines) == SPACE.sub(lambda found: found.group(1) or "", text)


@given(st.text(st.sampled_from('{}[],:"\\ 1ae-.\ntruefalsnl'), max_size=80) | st.text(max_size=80))
def test_no_text_is_too_broken_to_lay_out(text: str) -> None:
    lines = laid_out(text, 20)
    for n in range(len(lines)):
        assert lines.last(n) >= n
        lines.shown(n), lines.key(n), lines.preview(n)
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        pass
    else:
        assert not lines.broken


@given(st.dictionaries(st.sampled_from("abc"), TEXTS, min_size=1), st.integers(40, 90))
def test_texts_are_wrapped_at_the_width(value: dict[str, str], cells: int) -> None:
    lines = laid_out(json.dumps(value), cells)
    for n in range(1, len(lines)):
        if lines.kind(n) in ("first", "more"):
            assert width(visible(lines.shown(n))) <= cells - 2


def test_numbers_and_duplicate_keys_stay_as_they_are_written() -> None:
    lines = laid_out('{"n": 1.50e+400, "n": 12345678901234567890123, "m": -0.0}')
    assert [(lines.key(n), lines.shown(n)) for n in range(1, 4)] == [
        ("n", "1.50e+400"), ("n", "12345678901234567890123"), ("m", "-0.0"),
    ]  # fmt: skip


def test_texts_keep_their_line_breaks_and_what_could_be_mistaken_is_quoted() -> None:
    lines = laid_out(json.dumps({"note": "Call before.\nSecond floor.", "total": "19.90", "empty": "", "name": "Ann"}))
    assert [lines.shown(n) for n in range(1, 6)] == ["Call before.", "Second floor.", '"19.90"', '""', "Ann"]


def test_json_in_a_text_is_laid_out_as_json() -> None:
    lines = laid_out(json.dumps({"arguments": json.dumps({"cmd": "ls", "n": [1, 2]})}))
    assert lines.nested.keys() == {1} and lines.opens(1)
    assert [lines.key(n) for n in range(len(lines))] == ["", "arguments", "cmd", "n", "0", "1"]
    assert laid_out('{"a": "{not json}"}').nested == {}


def test_members_can_be_left_out() -> None:
    lines = laid_out('{"a": {"b": [1, "]}"]}, "c": 2, "a": 3, "d": "x"}', without=("a", "d"))
    assert [lines.key(n) for n in range(len(lines))] == ["", "c"] and not lines.broken


@each("text", ["[", '{"a": 1', "[1} 2", "[1] 2", "{1: 2}", "hello"])
def test_what_is_not_json_says_so(text: str) -> None:
    assert laid_out(text).broken


def test_the_first_lines_are_there_before_the_rest_is_read() -> None:
    lines = JsonLines(json.dumps([{"n": n} for n in range(100_000)]))
    assert lines.more(50) and len(lines) == 50 and lines.last(0) == 49


def test_backslashes_before_an_n_are_no_line_break() -> None:
    assert decoded(r"a\\n\nb") == "a\\n\nb"
    lines = laid_out(r'["C:\\new\\next", "a\\\nb"]')
    assert [lines.shown(n) for n in range(1, 4)] == ["C:\\new\\next", "a\\", "b"]
