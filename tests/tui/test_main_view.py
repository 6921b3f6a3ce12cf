"""The main view: what its colours say, the causes, the preview, the rail, and how they share the screen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from textual import events
from textual.color import Color
from textual.pilot import Pilot

from tests.tui.driving import array_file, drive, frame, lines_of, press
from toolpair.tui.app import ToolpairApp
from toolpair.tui.layout import Needs, areas, shape_of
from toolpair.tui.preferences import Preferences
from toolpair.tui.screens.pair_screen import PairScreen
from toolpair.tui.styled_text import Glyphs, bar
from toolpair.tui.widgets.pair_view import PairView


def main_screen(app: ToolpairApp) -> PairScreen:
    return next(screen for screen in app.screen_stack if isinstance(screen, PairScreen))


def colours_of(app: ToolpairApp, words: str) -> tuple[str, bool]:
    """The colour in which a text is drawn, and whether it is reversed."""
    for strip in app.screen._compositor.render_strips():
        for segment in strip:
            if words in segment.text and segment.style is not None and segment.style.color is not None:
                return Color.from_rich_color(segment.style.color).hex.lower(), bool(segment.style.reverse)
    raise AssertionError(f"{words!r} is not on the screen")


def role(app: ToolpairApp, name: str) -> str:
    return app.current_theme.variables[name]


async def until(pilot: Pilot[Any], app: ToolpairApp, words: str) -> None:
    """Wait for what is drawn when no key is pressed."""
    for _ in range(200):
        if words in frame(app):
            return
        await pilot.pause(0.02)
    raise AssertionError(f"{words!r} never appeared:\n{frame(app)}")


# colours


def test_the_badge_says_in_colour_what_its_words_say(native: Path, broken: Path, sound: Path) -> None:
    async def loses(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        assert colours_of(app, " RESUMES, LOSES 2 OUTPUTS ") == (role(app, "loses"), True)
        await press(pilot, "A", "escape")
        assert "now LOSES 2 OUTPUTS · after saving READY TO RESUME" in frame(app)
        assert colours_of(app, "LOSES 2 OUTPUTS") == (role(app, "loses"), True)
        assert colours_of(app, "READY TO RESUME") == (role(app, "applied"), False), "it is not saved yet"
        await press(pilot, "w", "enter", "enter")
        assert colours_of(app, " READY TO RESUME ") == (role(app, "ready"), True)

    async def refused(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        assert colours_of(app, " API REFUSES IT ") == (role(app, "stops"), True)

    async def valid(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        assert colours_of(app, " VALID ") == (role(app, "ready"), True)

    drive(native, loses)
    drive(broken, refused)
    drive(sound, valid)


def test_where_there_is_nothing_to_check_the_badge_claims_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('[{"role": "user", "content": "Hello"}]')

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        assert colours_of(app, " NO CALLS YET ") == (role(app, "muted"), True)
        assert "Causes" not in frame(app) and "] next" not in frame(app)

    drive(path, play, (120, 40))


def test_sound_rows_are_dim_and_broken_ones_are_not(native: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "k", "k")
        assert colours_of(app, "echo 1")[0] == role(app, "muted")
        assert colours_of(app, "echo 2")[0] == app.current_theme.foreground
        assert colours_of(app, "≠")[0] == role(app, "loses"), "this one loses its output"
        await press(pilot, "space", "right_square_bracket", "space")
        assert colours_of(app, "✓")[0] == role(app, "applied")

    drive(native, play, (80, 30))


@given(st.integers(0, 10_000), st.integers(0, 10_000), st.integers(2, 60), st.booleans())
def test_a_bar_is_full_only_for_all_and_empty_only_for_nothing(part: int, whole: int, cells: int, ascii: bool) -> None:
    drawn = bar(Glyphs(ascii), part, whole, cells)
    assert len(drawn) == cells
    if whole:
        assert (drawn == ("#" if ascii else "█") * cells) == (part >= whole)
        assert (not drawn.strip(" .")) == (part == 0)


# the areas


def _least(keys: int, more: int, causes: int) -> Needs:
    return Needs(0, keys + more, keys, causes, 0)


@given(
    st.integers(40, 300),
    st.integers(10, 90),
    st.integers(2, 4),
    st.integers(0, 500),
    st.none() | st.builds(_least, st.integers(4, 12), st.integers(0, 20), st.integers(3, 40)),
    st.integers(0, 200),
    st.booleans(),
    st.integers(-40, 40),
)
def test_the_parts_always_fit_the_screen(
    width: int, height: int, head: int, rows: int, card: Needs | None, preview: int, in_causes: bool, lean: int
) -> None:
    if height < 14:
        head = 2
    needs = replace(card, rows=rows, preview=preview) if card is not None else Needs(rows)
    found = areas(width, height, head, needs, in_causes)
    room = height - head - 1 - (1 if height < 12 else 2)
    listed = room - found.below - found.lower
    other = areas(width, height, head, needs, in_causes, lean)
    leant = room - other.below - other.lower
    assert leant >= min(rows, 2) and other.lower >= 0 and (other.below > 0) == (found.below > 0)
    assert (leant - listed) * lean >= 0 and abs(leant - listed) <= abs(lean), "never the other way"
    assert min(rows, 2) <= listed <= rows, "the list is never squeezed out, and no line of it is empty"
    assert found.card + (found.causes if found.beside else 0) <= found.lower
    assert found.card_width + (found.beside + 1 if found.beside else 0) <= width
    assert not (found.below and found.beside)
    if card is not None and found.card:
        assert found.card >= min(card.least, room - found.below - 2)
        if height >= 24:
            assert found.card >= card.least, "ids, consequence and fix are never cut"
        if width >= 120 and height >= 40 and found.card < card.card:
            assert listed == min(rows, shape_of(width, height).rows), "nothing that could be shorter is longer"


def test_the_card_takes_the_lines_that_a_short_list_leaves(tmp_path: Path) -> None:
    path = array_file(tmp_path / "short.json", 2, missing={1})

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        shown = frame(app)
        assert "The API would say" in shown and "Fix: " in shown
        lines = lines_of(app)
        title = next(n for n, line in enumerate(lines) if "Problem 1 of 1" in line)
        assert title <= 9, "it begins right below the rows"

    drive(path, play, (80, 24))


# the preview


def test_a_small_screen_has_no_preview(native: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await pilot.pause(0.2)
        assert "$ echo" not in frame(app)

    drive(native, play, (119, 40))
    drive(native, play, (120, 39))


def test_a_tall_screen_has_the_preview_beside_the_card(native: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await until(pilot, app, "$ echo 2 \\")
        lines = lines_of(app)
        at = next(n for n, line in enumerate(lines) if "Problem 1 of 3" in line)
        assert "── 2 Bash" in lines[at], "beside the card"
        causes = next(n for n, line in enumerate(lines) if "── Causes" in line)
        assert causes > at and lines[causes].index("Causes") < 20, "and the causes are below it"

    drive(native, play, (160, 45))


def test_the_preview_scrolls_from_the_list(tmp_path: Path) -> None:
    output = "\n".join(f"row {n} of the output" for n in range(100))
    path = array_file(tmp_path / "long.json", 3, missing={2}, output=output)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "g", "j")
        await until(pilot, app, "row 1 of the output")
        await press(pilot, "J")
        assert "row 1 of the output" not in frame(app) and "row 20 of the output" in frame(app)
        await press(pilot, "K", "K", "K", "K", "K")
        assert "row 1 of the output" in frame(app)

    drive(path, play, (120, 40))


def test_a_sound_session_has_list_and_preview_alone(sound: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "j")
        await until(pilot, app, "── 0 Read")
        shown = frame(app)
        assert "Causes" not in shown and "] next" not in shown and "Pair 0" not in shown
        await press(pilot, "tab")
        assert "there are no problems" in frame(app)

    drive(sound, play, (120, 40))


def test_hostile_text_is_as_harmless_in_the_preview(tmp_path: Path) -> None:
    evil = "\x1b[31mred\x1b]0;title\x07 \u202e[bold]x[/bold]\x9b2J\r\nnext"
    path = array_file(
        tmp_path / "evil.json", 3, missing={2}, output=evil, tool="Bash\x1b[2J", argument="a\x1b]52;c;eA==\x07"
    )

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "g", "j")
        await until(pilot, app, "next")
        shown = frame(app)
        assert not any(
            (ord(char) < 32 and char != "\n") or 0x7F <= ord(char) < 0xA0 or char == "\u202e" for char in shown
        )
        assert "[bold]x" in shown

    drive(path, play, (120, 40))
    drive(path, play, (170, 46))


# the causes


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (170, 46)], ids=str)
def test_pairs_are_previewed_where_there_is_room_and_causes_are_walked(native: Path, size: tuple[int, int]) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        view = main_screen(app).pairs
        if size >= (120, 40):
            await until(pilot, app, "$ echo 2 \\")
            await until(pilot, app, "second line")
            assert "── 2 Bash" in frame(app)
            await press(pilot, "j")
            await until(pilot, app, "$ echo 3 \\")
            await press(pilot, "k", "k", "k")
            await until(pilot, app, "── 0 Bash")
            await press(pilot, "right_square_bracket")

        await press(pilot, "tab")
        assert "── Causes (2) ──" in frame(app) and "enter only these" in frame(app)
        assert any(line.startswith("▌≠ 2  same id") or "▌≠ 2  same id" in line for line in lines_of(app))
        await press(pilot, "j")
        assert view.row is not None and view.row.pair is not None and view.row.pair.index == 7, "the card follows"
        await press(pilot, "k", "enter")
        assert pairs_in(view) == [2, 4]
        assert "2 rows (esc)" in frame(app) and app.screen.focused is view
        await press(pilot, "escape")
        assert len(view.shown) > 9

        await press(pilot, "g", "tab")
        assert view.row is not None and view.row.pair is not None and view.row.pair.index == 2, "from a sound row"
        await press(pilot, "a")
        assert "Fix 2 like this?" in frame(app)

    drive(native, play, size)


def pairs_in(view: PairView) -> list[int | None]:
    """The pairs of the rows that are shown."""
    pairs = [view.overview.rows[n].pair for n in view.shown]
    return [pair.index if pair is not None else None for pair in pairs]


def test_causes_are_clicked_and_fixed_from_their_list(native: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        view = main_screen(app).pairs
        lines = lines_of(app)
        y = next(n for n, line in enumerate(lines) if "✗ 1  " in line[70:])
        x = lines[y].index("✗ 1  ", 70)
        await pilot.click(offset=(x + 4, y))
        await pilot.pause()
        assert view.row is not None and view.row.pair is not None and view.row.pair.index == 7
        await pilot.click(offset=(x + 4, y), times=2)
        await press(pilot)
        await pilot.pause(0.1)
        assert "1 row (esc)" in frame(app)
        # The title and the hint below the causes can be clicked too.
        y = next(n for n, line in enumerate(lines) if "tab causes" in line)
        await pilot.click(offset=(lines[y].index("tab causes") + 1, y))
        await pilot.pause()
        assert "enter only these" in frame(app)
        await press(pilot, "escape", "escape", "g", "right_square_bracket")

        assert "7/9 outputs reach the model" in frame(app), "wide heads draw the outputs as bars"
        await press(pilot, "space")
        [line] = [line for line in lines_of(app) if "after saving" in line]
        now, after = line.split("· after saving")
        assert "LOSES 2 OUTPUTS █" in now and "7/9" in now and "LOSES 1 OUTPUT █" in after and "8/9" in after
        assert now.count("█") < after.count("█")
        await press(pilot, "u")
        assert not app.session.changed

        await press(pilot, "tab", "j", "k", "a")
        assert "Fix 2 like this?" in frame(app)
        await press(pilot, "enter")
        assert sum(staged.count for staged in app.session.staged) == 2
        assert "Causes (2)" not in frame(app)
        await press(pilot, "A", "escape", "tab", "j")
        assert app.screen.focused is view, "no cause is left to walk"

    drive(native, play, (120, 40))


def test_rows_are_filtered_by_causes_and_by_what_is_broken(native: Path, sound: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        view = main_screen(app).pairs
        await press(pilot, "tab", "enter", "space")
        assert pairs_in(view) == [4], "only the pairs of a cause, while they are fixed"
        await press(pilot, "u")
        assert pairs_in(view) == [2, 4]
        await press(pilot, "space", "space")
        assert len(view.shown) > 9, "none is left, so all are shown"
        await press(pilot, "u", "u")
        assert not app.session.changed
        for words, pairs in (
            ("cause:1", [2, 4]), ("cause:2", [7]), ("cause:result.missing", [7]), ("cause:result.id_mismatch", [2, 4]),
        ):  # fmt: skip
            await press(pilot, "escape", "ampersand", f"text:{words}", "enter")
            assert pairs_in(view) == pairs, words
        await press(pilot, "escape", "g", "tab", "enter", "tab", "escape")
        assert "2 rows (esc)" in frame(app), "escape leaves the causes first: the filter is still there"
        assert app.screen.focused is view
        await press(pilot, "escape")
        assert "(esc)" not in frame(app)
        await press(pilot, "exclamation_mark")
        assert pairs_in(view) == [2, 4, 7]
        assert "only broken" in frame(app)
        await press(pilot, "exclamation_mark")
        assert len(view.shown) > 9

        assert "following" not in frame(app)
        await press(pilot, "F", "escape")
        assert "following (F) · nothing changed" in lines_of(app)[0]
        await press(pilot, "F", "escape")
        assert "following" not in frame(app)
        await press(pilot, "question_mark")
        assert lines_of(app)[2].strip().startswith("Problems and fixes"), "help begins with the keys of the screen"
        await press(pilot, "q", "enter", "question_mark")
        assert lines_of(app)[2].strip().startswith("In an open text")

    async def none(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "exclamation_mark")
        assert "there are no problems" in frame(app) and len(main_screen(app).pairs.shown) > 5

    drive(native, play)
    drive(sound, none)


# the rail


def rail_of(app: ToolpairApp) -> str:
    """The last column of the list."""
    region = main_screen(app).pairs.region
    return "".join(line[-1] for line in lines_of(app)[region.y : region.bottom])


async def ticks(app: ToolpairApp, pilot: Pilot[Any], count: int) -> None:
    for _ in range(200):
        if sum(rail_of(app).count(sign) for sign in "━╋#") == count:
            return
        await pilot.pause(0.02)
    raise AssertionError(rail_of(app))


def test_the_scroll_bar_shows_where_problems_are_and_a_click_goes_there(tmp_path: Path) -> None:
    path = array_file(tmp_path / "long.json", 400, missing={40, 200, 390})

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        view = main_screen(app).pairs
        await ticks(app, pilot, 3)
        cell = rail_of(app).rindex("━")
        top = view.region.y
        await pilot.click(offset=(app.size.width - 1, top + cell))
        await pilot.pause()
        assert view.row is not None and view.row.pair is not None and view.row.pair.index == 390
        await press(pilot, "space")
        await ticks(app, pilot, 2)

    drive(path, play)


@pytest.mark.parametrize("pairs", [300, 1_100])
def test_ticks_leave_the_list_where_it_is_and_its_end_in_reach(tmp_path: Path, pairs: int) -> None:
    path = array_file(tmp_path / "ids.json", pairs, mismatched={*range(40, pairs, 7)})

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        view = main_screen(app).pairs
        before = [line for line in lines_of(app) if "▌" in line]
        await pilot.pause(0.3)
        assert [line for line in lines_of(app) if "▌" in line] == before
        for key in ("G", "k", "G"):
            await press(pilot, key)
            assert 0 <= view.depth < view.size.height
        assert view.row is not None and view.row.pair is not None and view.row.pair.index == pairs - 1

    drive(path, play, (100, 30))


def test_in_a_short_list_a_tick_is_beside_its_row(native: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await ticks(app, pilot, 3)
        rail = rail_of(app)
        top = main_screen(app).pairs.region.y
        marked = [line for line, sign in zip(lines_of(app)[top:], rail, strict=False) if sign == "━"]
        assert [any(f" {n} {sign}" in line for sign in "≠✗") for n, line in zip((2, 4, 7), marked, strict=True)] == [
            True
        ] * 3

    drive(native, play, (120, 60))


def test_ascii_and_no_colours(native: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await ticks(app, pilot, 3)
        assert frame(app).isascii(), [char for char in frame(app) if not char.isascii()]
        for keys in (("tab",), ("j", "enter"), ("escape", "A"), ("escape", "exclamation_mark"), ("colon",)):
            await press(pilot, *keys)
            await pilot.pause(0.1)
            assert frame(app).isascii(), (keys, [char for char in frame(app) if not char.isascii()])

    drive(native, play, (120, 40), ascii=True)
    drive(native, play, (170, 46), ascii=True)


def test_a_person_gives_lines_to_the_list_and_they_are_remembered(native: Path, tmp_path: Path) -> None:
    preferences = Preferences(tmp_path / "state")

    def border(app: ToolpairApp) -> int:
        return next(n for n, line in enumerate(lines_of(app)) if "Problem 1 of 3" in line)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        app._preferences = preferences
        at = border(app)
        await press(pilot, "minus", "minus")
        assert border(app) == at - 2 and preferences.lean == -2
        await press(pilot, "plus")
        assert border(app) == at - 1
        await pilot.mouse_down(offset=(30, at - 1))
        where: dict[str, Any] = {"x": 30, "delta_x": 0, "delta_y": 1, "shift": False, "meta": False, "ctrl": False}
        for y, there in ((at, at), (at + 2, at + 2), (23, at + 2), (at + 1, at + 1)):
            app.post_message(events.MouseMove(None, y=y, button=1, **where))
            await press(pilot)
            assert border(app) == there, "it follows the pointer while there are lines to give"
        assert preferences.lean == -1, "remembered when it is let go"
        await pilot.mouse_up(offset=(30, at + 1))
        await press(pilot)
        assert preferences.lean == 1
        await press(pilot, *["minus"] * 30)
        assert "no line left to give" in frame(app) and border(app) >= 6

    drive(native, play)
    assert preferences.lean < 0
