"""What one must be able to read is not cut, and what is said is still true when it is read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.conftest import SAMPLES
from tests.forms.made_lists import B, made_lists
from tests.forms.test_shipped_forms import without_second_result
from tests.session_folders import claude_session
from tests.tui.driving import array_file, at_rest, drive, frame, lines_of, press
from toolpair.rules.pages import pages
from toolpair.session.session import Session, open_session
from toolpair.tui.app import ToolpairApp
from toolpair.tui.bodies.text_body import TextBody
from toolpair.tui.card_text import Card
from toolpair.tui.layout import NARROW, PREVIEW, Needs, areas, card_columns
from toolpair.tui.overview import Overview
from toolpair.tui.paint import STYLES
from toolpair.tui.row_lines import both_ids, carets_below, row_height
from toolpair.tui.screens.saved import SavedScreen
from toolpair.tui.styled_text import Glyphs, line_width, wrap_line
from toolpair.tui.widgets.field import SafeInput


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_the_title_of_a_filtered_list_keeps_how_many_rows_there_are(broken: Path, size: tuple[int, int]) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        for words in ("src a very long text that nothing has -tool:Nothing -tool:Neither",
                      "src -tool:Nothing -tool:Neither -tool:None -id:abcdef"):  # fmt: skip
            await press(pilot, "ampersand", "ctrl+u")
            app.screen.query_one(SafeInput).value = words
            await press(pilot, "enter")
        title = next(line for line in lines_of(app) if "─ call ·" in line)
        assert " · 20 rows (esc) " in title and "call · src" in title and "result" in title

    drive(broken, play, size)


def test_the_review_and_the_screen_after_saving_say_what_comes_of_it(broken: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "space", "w")
        assert "2 × This result has a different id from its call, Read." in frame(app)
        assert frame(app).count("This result has a different id") == 1, "problems that say the same are one line"
        await press(pilot, "escape", "A", "enter")
        shown = frame(app)
        assert isinstance(app.screen, SavedScreen)
        assert " ✓ Saved broken.json" in shown and " VALID " in shown and "Original  kept as" in shown
        assert "3 × give the result the call's id" in shown, "the same fix of two steps is one line"
        await press(pilot, "enter")
        assert "w reviews and saves" not in frame(app), "nothing is left to be saved"

    drive(broken, play)


def test_a_long_note_takes_as_many_lines_as_it_needs(broken: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        usual = lines_of(app)[-2:]
        said = "a note that nobody may miss, since it says what an error text means " * 3
        app.screen.say(said.strip())  # type: ignore[attr-defined]
        await press(pilot)
        assert said.strip() in " ".join(" ".join(lines_of(app)[-4:-1]).replace("─", "").split())
        assert lines_of(app)[-1] == usual[1], "the keys are there"
        app.screen.say("")  # type: ignore[attr-defined]
        await press(pilot)
        assert lines_of(app)[-2:] == usual

    drive(broken, play)


def test_free_lines_show_more_of_what_a_fix_does(native: Path) -> None:
    """The output of the pair under the cursor, then whole bytes; what a lost history holds."""

    async def review(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "A")
        shown = await at_rest(pilot, app)
        assert "   result  first line of 2\n           second line\n" in shown
        await press(pilot, "j")
        assert '"gitBranch": "main"}' in await at_rest(pilot, app)

    async def main(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        shown = await at_rest(pilot, app)
        assert "── what the fix brings back ──" in shown and " you: The total of an empty cart should be 0.00." in shown
        assert " read src/shop/cart.py" in shown
        for key in "fp":
            await press(pilot, key)
            shown = await at_rest(pilot, app)
            assert "The model will read again" in shown and " you: The total of an empty cart should be 0.00." in shown
            assert "── line " in shown, "what only points elsewhere is not folded where there is room"
            await press(pilot, "escape")
        await press(pilot, "enter")
        assert "── what the fix brings back ──" in frame(app) and " agent: I read the cart." in frame(app)

    async def damaged(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "right_square_bracket")
        assert "\n only NUL bytes\n\n ␀␀␀␀" in await at_rest(pilot, app), "what stands there"

    drive(native, review, (120, 40))
    drive(SAMPLES / "pi-lost-line.jsonl", main, (120, 40))
    drive(SAMPLES / "damaged.jsonl", damaged, (120, 40))


def test_a_card_shows_a_message_between_words_and_an_output_where_it_is_found(tmp_path: Path) -> None:
    said = "Find out why and fix it, please; then run all of the tests. " * 3
    output = "\n".join([f"line {n}" for n in range(60)] + ["here is the needle"])
    path = array_file(tmp_path / "a.json", 2, text=said.strip(), output=output)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "g")
        assert "run all of the tests. Find out why and fix it" in " ".join(frame(app).split())
        await press(pilot, "slash", "text:needle", "enter")
        assert "here is the needle" in frame(app)

    drive(path, play)


def test_how_a_list_is_checked_is_not_cut_in_the_head(tmp_path: Path) -> None:
    path = array_file(tmp_path / "a longer name.json", 2)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        assert "checked against Anthropic" in lines_of(app)[0] and "…" not in lines_of(app)[0]

    drive(path, play)


def test_a_folded_line_gets_the_colours_of_all_of_it() -> None:
    body = TextBody(Glyphs(), "one\n" + "word " * 40 + "**bold**", language="markdown")
    body.lay_out(40)
    for row in range(body.rows):
        body.line(row)
    asked = body.wanted()
    assert asked is not None and asked.lines == ("one", "word " * 40 + "**bold**")


def _broken(folder: Path) -> Iterator[Session]:
    """Every kind of problem that a page shows, the samples, and a list of each form, broken in two ways."""
    for name, page in pages().items():
        if page.example is not None:
            path = folder / name / (page.example.path or "session.jsonl")
            path.parent.mkdir(parents=True)
            path.write_bytes(page.example.data)
            yield open_session(path, format=page.example.format, profile=page.example.profile)
    for path in sorted(SAMPLES.iterdir()):
        if path.suffix in (".json", ".jsonl", ".db"):
            yield open_session(path)
    for name, made in made_lists().items():
        yield open_session(f"{name}.json", data=made.data().replace(B.encode(), f"{B}-x".encode(), 1))
        yield open_session(f"{name}.json", data=without_second_result(made).data())


SIZES = ((40, 10), (60, 20), (72, 24), (80, 24), (100, 30), (120, 40), (160, 45), (200, 60), (300, 80))


def test_every_kind_of_problem_is_told_in_full_at_every_size(tmp_path: Path) -> None:
    seen, forms, glyphs = set[str](), set[str](), Glyphs()
    for session in _broken(tmp_path):
        overview = Overview(session)
        for problem in overview.walk[:8]:
            seen.add(problem.rule)
            forms.add(session.format.id)
            for width, height in SIZES:
                card = Card(overview, glyphs, card_columns(width, height))
                parts = card.parts(problem)
                rows = sum(row_height(row, width < NARROW) for row in overview.rows[:height])
                full, least = card.needs(parts)
                divided = areas(width, height, 2 if height < 14 else 4, Needs(rows, full, least, 6, 12), False)
                shown = card.problem(problem, parts, divided.card)
                assert len(shown) == divided.card and all(line_width(line) <= card.cells for line in shown)
                whole = dict(parts)
                must = ("place", "title", "ids", "carets", "on resume", "api", "fix") if height >= 24 else ("fix",)
                gone = [name for name in must for line in whole.get(name, ()) if line not in shown]
                assert not gone or (height < 24 and len(whole["fix"]) > divided.card - 2), (problem.rule, width, gone)
                if (width, height) >= PREVIEW:
                    assert all(line in shown for name, lines in parts if name != "rule" for line in lines) or (
                        () not in shown and rows >= height - 4 - divided.lower - divided.below
                    ), f"{problem.rule}: something is cut while lines are free"
    assert len(seen) >= 90 and {made.form for made in made_lists().values()} <= forms


@pytest.mark.parametrize("length", [21, 68, 120])
@pytest.mark.parametrize("cells", [80, 200])
def test_what_differs_in_two_ids_is_never_cut(length: int, cells: int) -> None:
    """Long ids are cut in the middle, on both sides alike."""
    glyphs, at = Glyphs(), length - 9
    call = "toolu_" + "a" * (length - 6)
    result = call[:at] + "X" + call[at + 1 :]
    one, two = both_ids(call, result, glyphs, cells - 12)
    texts = ["".join(span.text for span in line) for line in (one, two)]
    assert [len(text) for text in texts] == [min(length, cells - 12)] * 2
    assert ("…" in texts[0]) == (length > cells - 12) and texts[0].startswith("toolu_")
    carets = carets_below(one, two)
    assert carets.strip() == "^" and texts[1][len(carets) - 1] == "X"
    assert texts[0].endswith("a" * 8) and "removed-mark" in STYLES["differ"].background
    both = both_ids("q" * length, "0123456789", glyphs, 20)
    assert ["".join(span.text for span in line) for line in both] == ["qqqqqqqqqq…qqqqqqqqq", "0123456789"]


def test_the_keys_of_a_preview_say_where_there_is_one(tmp_path: Path) -> None:
    path = claude_session(tmp_path / ".claude")

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "J")
        assert "120 x 40 has a preview" in frame(app)

    drive(path, play)


def test_keys_that_find_again_are_named_once_something_is_looked_for(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps([{"role": "user", "content": "one two"}, {"role": "assistant", "content": "yes"}]))

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "g", "enter")
        assert "next match" not in frame(app)
        await press(pilot, "slash", "text:two", "enter")
        assert "n next match" in frame(app)

    drive(path, play)


def test_a_fix_shows_what_it_writes_before_the_bytes(native: Path) -> None:
    """The call without a result: its placeholder where the result will be, in the ways to fix it, before the bytes."""
    words = "[No result was recorded for this call."

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "right_square_bracket", "right_square_bracket")
        await pilot.pause(0.2)
        [title] = [line for line in lines_of(app) if "will be written" in line]
        at = lines_of(app).index(title)
        assert words in lines_of(app)[at + 1] and lines_of(app)[at + 1].index(words) > 55, "beside its call"
        for key in ("f", "p"):
            await press(pilot, key)
            shown = frame(app)
            assert "The model will read as the result of Bash" in shown
            assert shown.index(words) < shown.index("new line · "), "words come before bytes"
            await press(pilot, "escape")
        await press(pilot, "space", "w")
        assert words in await at_rest(pilot, app)

    drive(native, play, (120, 40))


@pytest.mark.parametrize("size", [(120, 40), (160, 45), (200, 60)])
def test_rows_and_previews_share_what_is_free(tmp_path: Path, size: tuple[int, int]) -> None:
    """A call without a result has its whole id on a wide screen; a short message leaves its lines to the list."""
    path = array_file(tmp_path / "a.json", 60, missing={3}, suffix="_0123456789abcdef")

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        [row] = [line for line in lines_of(app) if "✗" in line and "┄┄" in line]
        assert ("toolu_read_file_003_0123456789abcdef" in row) == (size[0] >= 160)
        await press(pilot, "g")
        shown = (await at_rest(pilot, app)).split("\n")
        assert "── you ──" in "\n".join(shown) and sum(not line for line in shown) <= 3

    drive(path, play, size)


def test_prose_is_broken_between_words() -> None:
    glyphs = Glyphs()
    lines = wrap_line([glyphs.data("one two three fourth fivesix")], 10, prose=True)
    assert ["".join(span.text for span in line) for line in lines] == ["one two ", "three ", "fourth ", "fivesix"]
    assert [line_width(line) for line in wrap_line([glyphs.data("x" * 25)], 10, prose=True)] == [10, 10, 5]


def test_a_long_note_takes_lines_that_are_free(tmp_path: Path) -> None:
    path = array_file(tmp_path / "a.json", 3)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        rows = app.screen.pairs  # type: ignore[attr-defined]
        await at_rest(pilot, app)
        app.screen.say("a note that nobody may miss, since it says what an error text means " * 3)  # type: ignore[attr-defined]
        await at_rest(pilot, app)
        assert rows.size.height >= len(rows.shown) == 4, "the whole list is in view"

    drive(path, play, (120, 40))


def test_what_a_fix_changes_is_below_the_preview_where_lines_are_free(tmp_path: Path) -> None:
    few, many = (array_file(tmp_path / f"{n}.json", n, mismatched={1}) for n in (3, 60))

    async def free(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        below = (await at_rest(pilot, app)).partition("── what the fix changes ──")[2]
        assert "toolu.read.file:001" in below and "toolu_read_file_001" in below.partition("── Problem 1")[0]

    async def full(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        assert "what the fix changes" not in await at_rest(pilot, app), "the list needs its lines"

    drive(few, free, (120, 40))
    drive(many, full, (120, 40))
