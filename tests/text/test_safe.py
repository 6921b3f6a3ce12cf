"""The choke point: nothing that a terminal acts on gets through."""

from __future__ import annotations

import sys
import unicodedata

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len, get_character_cell_size

from tests.each import each
from toolpair.text.safe import _NO_MARKS, MARKS, _is_mark, visible, visible_lines, visible_text

HOSTILE = {"Cc", "Cf", "Cs", "Zl", "Zp"}
any_text = st.text(st.characters(codec=None, exclude_categories=()), max_size=80)


def hostile_in(text: str) -> list[str]:
    return [f"{ord(c):x}" for c in text if unicodedata.category(c) in HOSTILE]


def test_every_character_alone_and_in_a_row() -> None:
    for start in range(0, sys.maxunicode + 1, 0x1000):
        chunk = "a".join(chr(code) for code in range(start, min(start + 0x1000, sys.maxunicode + 1)))
        assert hostile_in(visible(chunk)) == []


@given(any_text)
def test_no_hostile_character_is_left(text: str) -> None:
    shown = visible(text)
    assert hostile_in(shown) == []
    assert "\n" not in shown and "\t" not in shown
    assert not any(0xFE00 <= ord(c) <= 0xFE0F for c in shown)


@given(any_text)
def test_a_second_pass_changes_nothing(text: str) -> None:
    once = visible(text)
    assert visible(once) == once


@given(any_text)
def test_marks_never_pile_up_and_never_stand_first(text: str) -> None:
    shown = visible(text)
    run = 0
    for number, char in enumerate(shown):
        run = run + 1 if get_character_cell_size(char) == 0 else 0
        assert run <= MARKS
        assert not (number == 0 and run)


def test_no_character_without_a_cell_stands_first() -> None:
    """Of no version of Unicode: the terminal's is younger than Python's."""
    without = [char for char in map(chr, range(0xA0, 0x20000)) if get_character_cell_size(char) == 0]
    assert len(without) > 2000
    assert [line for line in map(visible, without) if line and get_character_cell_size(line[0]) == 0] == []


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126)))
def test_plain_text_is_untouched(text: str) -> None:
    assert visible(text) == text
    assert cell_len(visible(text)) == len(text)


@each(
    ("raw", "shown"),
    [
        ("\x1b[31mred", "␛[31mred"),
        ("\x1b]52;c;aGk=\x07", "␛]52;c;aGk=␇"),
        ("\x00\x7f\r\n", "␀␡␍␊"),
        ("\x9b2J", "\\x9b2J"),
        ("a\u202eb", "a\\u202eb"),
        ("a\u200bb", "a\\u200bb"),
        ("\ud800", "\\ud800"),
        ("\U000e0041", "\\U000e0041"),
        ("\ufffe", "\\ufffe"),
        ("x\ty", "x   y"),
        ("漢\ty", "漢  y"),
        ("e" + "\u0301" * 9, "e" + "\u0301" * MARKS),
        ("\u0301a", "◌\u0301a"),
        ("⚠\ufe0f!", "⚠!"),
        ("a\ufe00\ufe01", "a\\ufe00\\ufe01"),
        ("[/] [@click=app.quit]", "[/] [@click=app.quit]"),
    ],
)
def test_signs(raw: str, shown: str) -> None:
    assert visible(raw) == shown


def test_values_that_are_no_text() -> None:
    assert visible(None) == "None"
    assert visible(["\x1b"]) == "['\\x1b']"


def test_lines_part_at_newlines_only() -> None:
    assert visible_lines("a\r\nb\u2028c\x0bd") == ["a", "b\\u2028c␋d"]
    assert visible_text("a\nb\x1b") == "a\nb␛"


def test_what_is_taken_to_have_no_marks_has_none() -> None:
    for code in range(sys.maxunicode + 1):
        if _NO_MARKS.fullmatch(chr(code)):
            assert not _is_mark(chr(code)), f"{code:x}"
    assert _NO_MARKS.fullmatch("── …·×✗≠│┬┄═▌→“”–◌␊▾▸⋮\xe9") and not _NO_MARKS.fullmatch("e\u0301")


@given(st.text(st.one_of(st.characters(), st.sampled_from("a \t\n\r\x1b\u0301\ufe0f\u202eé漢\xa0"))))
def test_a_text_as_a_whole_is_shown_as_its_lines_are(text: str) -> None:
    assert visible_text(text) == "\n".join(visible_lines(text))
