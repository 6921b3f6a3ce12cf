"""Themes: their contrasts, following the terminal's background, and being remembered."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest
from textual.color import Color
from textual.css.stylesheet import Stylesheet
from textual.pilot import Pilot
from textual.theme import BUILTIN_THEMES

from tests.terminal import Terminal, program
from tests.tui.driving import at_rest, drive, frame, press
from toolpair.session.session import open_session
from toolpair.tui.app import ToolpairApp
from toolpair.tui.paint import Painter, Palette
from toolpair.tui.preferences import Preferences
from toolpair.tui.terminal_driver import BackgroundAnswer
from toolpair.tui.theme import DARK, LIGHT, OWN, READABLE, ROLES, THEMES, contrast, roles_of

WORDS = ("words", "muted", "quiet", "hint", "stops", "loses", "ready", "applied")
UNDER = ("background", "surface", "panel", "cursor-row", "removed", "added")
CODE = tuple(role for role in ROLES if role.startswith("code-"))


def test_a_theme_is_followed_tried_and_chosen_and_its_styles_are_the_same_for_all_widgets(broken: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        before = app.theme
        await press(pilot, "colon", "text:theme", "enter", "j", "j")
        await at_rest(pilot, app)
        assert app.theme == LIGHT.name, "it is seen while the cursor is on it"
        assert app.asks_terminal, "it is not chosen yet"
        await press(pilot, "escape")
        assert app.theme == before == DARK.name and app.asks_terminal

        dark = app.palette
        assert dark["dim"].color == Color.parse(DARK.variables["muted"]).rich_color
        await press(pilot, "slash", "escape")
        assert app.palette is dark, "it is made once"
        app.choose_theme(LIGHT.name)
        await pilot.pause()
        assert app.palette["dim"].color == Color.parse(LIGHT.variables["muted"]).rich_color
        painters = [each for each in app.screen.walk_children() if isinstance(each, Painter) and each.display]
        assert all(each.style_of("dim").color == app.palette["dim"].color for each in painters)

        app.choose_theme("")
        await pilot.pause()
        assert app.theme == DARK.name
        app.note_background(True)
        await pilot.pause()
        assert app.theme == LIGHT.name
        app.choose_theme("nord")
        app.note_background(False)
        await pilot.pause()
        assert app.theme == "nord", "what the user has chosen is kept"

    drive(broken, play)


def test_without_colours_what_they_would_show_is_bold_underlined_or_faint() -> None:
    plain = Palette({"foreground": DARK.foreground or "", **DARK.variables}, no_color=True)
    assert plain["cursor"].bold and plain["dim"].dim
    assert plain["added-mark"].bold and plain["added-mark"].underline and plain["differ"].underline


def test_a_key_that_opens_a_dialog_works_out_no_style_twice(broken: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Textual applies its rules to each widget that is mounted, and around the focus when that moves."""
    applied: list[str] = []
    apply = Stylesheet.apply

    def counted(self: Stylesheet, node: Any, **settings: Any) -> None:
        applied.append(type(node).__name__)
        apply(self, node, **settings)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        monkeypatch.setattr(Stylesheet, "apply", counted)
        await press(pilot, "ampersand")
        widgets = sum(len(list(screen.walk_children(with_self=True))) for screen in app.screen_stack)
        assert "DOMNode" not in applied or applied.count("DOMNode") <= widgets, "no component classes of ours"
        assert len(applied) <= 3 * widgets

    drive(broken, play)


def spread_of(colour: Color) -> float:
    """How saturated a colour looks: the distance of its strongest part from its weakest."""
    return max(colour.normalized) - min(colour.normalized)


def colours_of(name: str) -> dict[str, Color]:
    """The roles of a theme, and what it has below words."""
    theme = next((each for each in OWN if each.name == name), None) or BUILTIN_THEMES[name]
    named = theme.to_color_system().generate()
    roles = {role: theme.variables[role] for role in ROLES} if theme in OWN else roles_of(theme)
    assert roles.keys() == set(ROLES)
    return {role: Color.parse(value) for role, value in {**roles, **{n: named[n] for n in UNDER[:3]}}.items()}


@pytest.mark.parametrize("name", THEMES)
def test_all_words_can_be_read_on_all_that_they_stand_on(name: str) -> None:
    colours = colours_of(name)
    for under in UNDER:
        for role in (*WORDS, *CODE):
            assert contrast(colours[role], colours[under]) >= READABLE, (role, under)
    for under in (*UNDER, "removed-mark", "added-mark"):
        assert contrast(colours["words"], colours[under]) >= READABLE, under


@pytest.mark.parametrize("theme", OWN, ids=lambda theme: theme.name)
def test_problems_have_the_only_saturated_colours(theme: Any) -> None:
    for role in CODE:
        assert spread_of(Color.parse(theme.variables[role])) <= 0.25, role
    for role in ("stops", "loses"):
        assert spread_of(Color.parse(theme.variables[role])) >= 0.38, role


@pytest.mark.parametrize(
    ("sent", "light", "left"),
    [
        (["\x1b]11;rgb:ffff/ffff/ffff\x1b\\"], True, ""),
        (["\x1b]11;rgb:0000/0000/0000\x07"], False, ""),
        (["\x1b]11;rgb:fd/f6/e3\x07"], True, ""),
        (["j\x1b]11;rgb:1c1c/", "1c1c/1c1c\x1b", "\\k"], False, "jk"),
        (["\x1b]1", "1;rgb:eeee/eeee/eeee\x07x"], True, "x"),
        (["\x1b", "[A", "\x1b[B"], None, "\x1b[A\x1b[B"),
        (["\x1b]11;nonsense and more of it, longer than any answer could be\x07"], None, None),
        (["abc"], None, "abc"),
    ],
)
def test_the_terminals_answer_is_found_among_the_keys(sent: list[str], light: bool | None, left: str | None) -> None:
    answer = BackgroundAnswer()
    parts = [answer.split(text) for text in sent]
    out = "".join(text for text, _ in parts) + answer.rest()
    assert next((found for _, found in parts if found is not None), None) is light
    assert out == ("".join(sent) if left is None else left)


def test_a_single_escape_does_not_wait_for_an_answer() -> None:
    answer = BackgroundAnswer()
    assert answer.split("\x1b") == ("\x1b", None) and not answer.holds


def with_preferences(path: Path, preferences: Preferences, *keys: str) -> tuple[str, str]:
    async def run() -> tuple[str, str]:
        app = ToolpairApp(open_session(path), preferences=preferences)
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.pause()
            await press(pilot, *keys)
            return app.theme, frame(app)

    return asyncio.run(run())


def test_a_chosen_theme_is_there_the_next_time(broken: Path, tmp_path: Path) -> None:
    preferences = Preferences(tmp_path / "state" / "toolpair")
    # "As the terminal is", our own two, then Textual's.
    theme, _ = with_preferences(broken, preferences, "colon", "text:theme", "enter", "j", "j", "enter")
    assert theme == LIGHT.name
    assert with_preferences(broken, preferences)[0] == LIGHT.name
    theme, _ = with_preferences(broken, preferences, "colon", "text:theme", "enter", "g", "enter")
    assert theme == DARK.name and preferences.theme == ""


def test_whatever_is_kept_the_interface_starts(broken: Path, tmp_path: Path) -> None:
    for content in (b"", b"no such theme\n", b"x" * 5000, b"ansi-dark", b"\xff\xfe"):
        (tmp_path / "theme").write_bytes(content)
        assert ToolpairApp(None, preferences=Preferences(tmp_path)).theme == DARK.name, content
    assert with_preferences(broken, Preferences(tmp_path))[0] == DARK.name


def test_a_theme_that_cannot_be_remembered_is_used_now(broken: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    preferences = Preferences(tmp_path / "file")
    theme, shown = with_preferences(broken, preferences, "colon", "text:theme", "enter", "3")
    assert theme == LIGHT.name and "cannot be remembered" in shown


def test_the_terminal_is_asked_and_its_answer_is_no_key(broken: Path, tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("TOOLPAIR", "XDG_"))}
    environment |= {"HOME": str(tmp_path), "TERM": "xterm-256color", "COLORTERM": "truecolor"}
    environment.pop("NO_COLOR", None)
    terminal = Terminal([*program(), str(broken)], environment=environment)
    try:
        assert b"\x1b]11;?" in terminal.read(until=b"\x1b]11;?")
        terminal.read(until=b"quit")
        mark = len(terminal.output)
        terminal.press("\x1b]11;rgb:ffff/ffff/ffff\x1b\\")
        assert b"48;2;251;251;248" in terminal.read(until=b"48;2;251;251;248", since=mark), "it is light now"
        terminal.press("q")
        terminal.read(until=b"Nothing was changed.", since=mark)
        assert terminal.close() == 0
    finally:
        terminal.kill()
