"""Widths: nothing is too wide, nothing wide is split."""

from __future__ import annotations

import textwrap

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from toolpair.text.cells import cut, cut_start, fit, pad, take, width, wrap
from toolpair.text.fold import Fold
from toolpair.text.safe import SafeText, visible

texts = st.text(st.sampled_from("ab 漢字é\u0301\u200b\t😀\x1b\ud800\ufe0f\U000e0001"), max_size=60).map(visible)
sizes = st.integers(0, 40)


@given(texts, sizes)
def test_cut_and_fit(text: SafeText, cells: int) -> None:
    assert width(cut(text, cells)) <= cells
    assert cell_len(fit(text, cells)) == cells
    assert cell_len(cut_start(text, cells)) <= cells
    if width(text) <= cells:
        assert cut(text, cells) == text


@given(texts, sizes)
def test_take_gives_the_start(text: SafeText, cells: int) -> None:
    head = take(text, cells)
    assert text.startswith(head)
    assert width(head) >= min(width(text), cells) - 1


@given(texts, st.integers(2, 40))
def test_wrap_loses_no_word(text: SafeText, cells: int) -> None:
    lines = wrap(text, cells)
    assert all(width(line) <= cells for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_pad_keeps_what_is_too_long() -> None:
    assert pad(SafeText("abc"), 2) == "abc"


raw = st.text(st.sampled_from("ab 漢字é\u0301\u200b\t😀\x1b\ud800\ufe0f\U000e0001\n\r"), max_size=300)


@given(raw, st.integers(10, 60))
def test_a_fold_holds_every_character_once(text: str, cells: int) -> None:
    fold = Fold(text, cells)
    starts = list(fold.starts)
    assert starts == sorted(set(starts))
    pieces = [text[a:b] for a, b in zip(starts, [*starts[1:], len(text)], strict=True)]
    assert "".join(pieces) == text
    for number in range(len(fold)):
        assert width(visible(fold.raw(number))) <= cells + 1  # A mark at the start stands on a circle.
        assert width(fold.line(number)) <= cells
    for offset in range(0, len(text), 7):
        line = fold.at(offset)
        assert starts[line] <= offset


@given(raw, st.integers(10, 60))
def test_a_fold_between_words_holds_every_character_once_too(text: str, cells: int) -> None:
    fold, starts = Fold(text, cells, words=True), list(Fold(text, cells, words=True).starts)
    assert starts == sorted(set(starts))
    assert "".join(text[a:b] for a, b in zip(starts, [*starts[1:], len(text)], strict=True)) == text
    for number in range(len(fold)):
        assert width(visible(fold.raw(number))) <= cells + 1


def test_a_fold_between_words_breaks_no_word_that_fits() -> None:
    for text in ("It may have run; check before repeating it. " * 4, "Größe prüfen, bevor es wiederholt wird. " * 4):
        fold = Fold(text, 30, words=True)
        assert [fold.raw(n).strip() for n in range(len(fold))] == textwrap.wrap(text, 29), text


def test_big_texts_open_at_once() -> None:
    lines = Fold("x" * 110 + "\n", 80)
    assert len(lines) == 3
    assert len(Fold(("x" * 110 + "\n") * 44_000, 80)) == 88_001
    assert len(Fold("漢" * 1_000_000, 80)) == 25_000
    assert len(Fold("漢a" * 500_000, 80)) == 25_000
    assert len(Fold("é\x1b[1m\t" * 200_000, 80)) > 10_000
