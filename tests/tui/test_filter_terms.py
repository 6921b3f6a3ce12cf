"""The terms of a filter mean what they say, and a wrong one is answered in a sentence."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.pilot import Pilot

from tests.rounds import some
from tests.tui.driving import SIZES, array_file, drive, frame, lines_of, press
from tests.tui.test_timeline import records
from toolpair.session.session import open_session
from toolpair.tui.app import ToolpairApp
from toolpair.tui.filter_terms import Term, completed, seconds_range, size_range, terms_of, time_range
from toolpair.tui.overview import Overview
from toolpair.tui.row_search import filter_test
from toolpair.tui.screens.pair_screen import PairScreen
from toolpair.tui.screens.prompt import FilterPrompt


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("typed", "terms"),
    [
        ("tool:Bash -is:error", [Term("tool", "Bash"), Term("is", "error", True)]),
        ('text:"two words" x', [Term("text", "two words"), Term("", "x")]),
        ('-text:"a b"', [Term("text", "a b", True)]),
        ("took>5s -size>=1M", [Term("took", ">5s"), Term("size", ">=1M", True)]),
        ("--verbose - -q", [Term("", "--verbose"), Term("", "-"), Term("", "q", True)]),
        ('http://x size>a "os": text:"open', [Term("", "http://x"), Term("", "size>a"), Term("", '"os":'), Term("text", '"open')]),
        ("  ", []),
    ],
)  # fmt: skip
def test_how_words_become_terms(typed: str, terms: list[Term]) -> None:
    assert terms_of(typed) == terms


@given(st.text(max_size=40))
def test_any_words_are_terms_or_a_sentence(words: str) -> None:
    for term in terms_of(words):
        for read in (seconds_range, size_range, time_range):
            try:
                read(term.wanted)(5.0)
            except ValueError as error:
                assert " is not a filter" in str(error)
    assert completed(words, ["Bash"], 2).lower().startswith(words.lower())


@pytest.mark.parametrize(
    ("value", "yes", "no"),
    [(">10s", [10.1, 99], [10, 0]), (">=10", [10], [9.9]), ("<500ms", [0, 0.4], [0.5]), ("<=1.5m", [90], [91]),
     ("1m..5m", [60, 300], [59, 301]), ("1h..2h", [3_600], [3_599])],
)  # fmt: skip
def test_durations(value: str, yes: list[float], no: list[float]) -> None:
    fits = seconds_range(value)
    assert all(map(fits, yes)) and not any(map(fits, no))


@pytest.mark.parametrize(
    ("value", "yes", "no"),
    [(">100K", [100_001], [100_000]), ("<1M", [999_999], [1_000_000]), ("10K..2MB", [10_000, 2_000_000], [9_999])],
)
def test_sizes(value: str, yes: list[float], no: list[float]) -> None:
    fits = size_range(value)
    assert all(map(fits, yes)) and not any(map(fits, no))


@pytest.mark.parametrize(
    ("value", "yes", "no"),
    [
        ("10:30..11:00", ["21T10:30:00", "22T11:00:59"], ["21T10:29:59", "21T11:01:00"]),
        ("23:00..01:00", ["21T23:30:00", "22T00:30:00", "22T01:00:10"], ["21T22:59:59", "21T12:00:00"]),
        (">10:30", ["21T10:30:01", "22T23:00:00"], ["21T10:30:00", "22T09:00:00"]),
        ("<=10:30", ["21T10:30:59"], ["21T10:31:00"]),
        ("10:30", ["21T10:30:59"], ["21T10:31:00"]),
        ("10:30:05", ["21T10:30:05"], ["21T10:30:06"]),
        ("2026-11-21", ["21T00:00:00", "21T23:59:59"], ["20T23:59:59", "22T00:00:00"]),
        (">=2026-11-22", ["22T00:00:00"], ["21T23:59:59"]),
        ("2026-11-21T23:00..2026-11-22", ["21T23:00:00", "22T23:59:59"], ["21T22:59:59", "23T00:00:00"]),
    ],
)
def test_times(value: str, yes: list[str], no: list[str]) -> None:
    fits = time_range(value)
    assert all(fits(datetime.fromisoformat(f"2026-11-{one}").timestamp()) for one in yes)
    assert not any(fits(datetime.fromisoformat(f"2026-11-{one}").timestamp()) for one in no)


MIXED = [
    ("Bash", "2026-11-21T08:00:00Z", "2026-11-21T08:00:01Z", ["small"]),
    ("Read", "2026-11-21T09:00:00Z", "2026-11-21T09:00:30Z", ["x" * 150_000]),
    ("Bash", "2026-11-21T10:30:00Z", "2026-11-21T10:32:00Z", ["é" * 60_000, "two words"]),
    ("Grep", "2026-11-22T10:45:00Z", None, ["never"]),
]


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    path = tmp_path / "7c3e1b2a-0d1f-4c57-9f0e-2f9a3a1c7e11.jsonl"
    path.write_bytes(records(MIXED))
    return path


@pytest.mark.parametrize(
    ("words", "pairs"),
    [
        ("took:>10s", {1, 2, 3}), ("took:<=1s", {0}), ("-took:>10s tool:Bash", {0}), ("size:>100K", {1, 2}),
        ("size:>100K -tool:Read", {2}), ("time:10:30..11:00 -tool:x text:make", {2, 3, 4}), ("time:2026-11-22", {4}),
        ("time:<09:30 tool:Read", {1}), ('text:"two words"', {3}), ("tool:Bash -make", set()), ("took:>1h", set()),
    ],
)  # fmt: skip
def test_which_pairs_match(mixed: Path, words: str, pairs: set[int]) -> None:
    overview = Overview(open_session(mixed))
    test = filter_test(overview, words)
    rows = overview.rows
    assert {row.pair.index for n, row in enumerate(rows) if row.pair is not None and test(n)} == pairs


WRONG = [
    ("took:fast", "took:fast is not a filter; took:>10s"), ("size:>10X", "size:>100K"), ("time:noon", "time:10:30..11:00"),
    ("is:odd", "is:error"), ("cause:7", "there is no cause 7; the list"), ("-took:x", "took:x is not a filter"),
]  # fmt: skip


def test_a_wrong_term_is_answered_and_can_be_corrected(mixed: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        for words, said in WRONG:
            await press(pilot, "ampersand")
            app.screen.query_one("SafeInput").value = words  # type: ignore[attr-defined]
            await press(pilot, "enter")
            assert said in " ".join(frame(app).split()) and isinstance(app.screen, FilterPrompt), words
            await press(pilot, "escape")
            assert isinstance(app.screen, PairScreen)

    mixed.write_bytes(b"\n".join(line for line in mixed.read_bytes().split(b"\n") if b'"small"' not in line))
    drive(mixed, play)


def test_a_file_without_times_says_so(tmp_path: Path) -> None:
    overview = Overview(open_session(array_file(tmp_path / "a.json", 3)))
    for words in ("took:>1s", "time:>10:30"):
        with pytest.raises(ValueError, match="does not say when"):
            filter_test(overview, words)


@pytest.mark.parametrize("size", some(SIZES, 2))
def test_the_terms_are_listed_and_completed(mixed: Path, size: tuple[int, int]) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "g", "ampersand")
        assert (
            "took:>10s" in frame(app)
            and "size:>100K" in frame(app)
            and {len(one) for one in lines_of(app)} == {size[0]}
        )
        await press(pilot, "text:to", "text:o", "tab", "text:B", "tab")
        field = app.screen.query_one("SafeInput")
        assert field.value == "tooB", "what nothing begins with stays"  # type: ignore[attr-defined]
        field.value = ""  # type: ignore[attr-defined]
        await press(pilot, "text:tool:B", "tab", "text: -si", "tab")
        assert field.value == "tool:Bash -size:"  # type: ignore[attr-defined]

    drive(mixed, play, size)


@pytest.mark.parametrize(
    ("typed", "after"),
    [
        ("t", "t"),
        ("ti", "time:"),
        ("-is:e", "-is:error"),
        ("tool:r", "tool:Read"),
        ("a cau", "a cause:"),
        ("", ""),
        ("x ", "x "),
    ],
)
def test_completion(typed: str, after: str) -> None:
    assert completed(typed, ["Bash", "Read"], 2) == after


def test_a_cause_by_its_number_stays_the_same_cause(broken: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        screen = app.screen
        assert isinstance(screen, PairScreen)
        await press(pilot, "ampersand", "text:cause:1", "enter")
        words = screen.row_filter.words
        assert words != "cause:1" and words.startswith("cause:") and "cause:" in frame(app)
        await press(pilot, "a")
        assert screen.row_filter.words in (words, "")

    drive(broken, play)
