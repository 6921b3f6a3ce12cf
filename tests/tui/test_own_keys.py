"""Keys and colours of the user's own: what is set holds on every screen and is what is shown, and is refused whole where
one key would mean two things.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.session_folders import claude_session
from tests.terminal import Terminal, program
from tests.tui.driving import drive, frame, lines_of, press
from tests.tui.test_picker import DirectJudge
from toolpair.cli.main import main
from toolpair.session.session import open_session
from toolpair.shell.machine import Machine
from toolpair.shell.settings import Settings, of_user
from toolpair.tui import screens
from toolpair.tui.app import ToolpairApp
from toolpair.tui.keys import SCREENS, SETTABLE, own_keys
from toolpair.tui.own import Own, own_of
from toolpair.tui.preferences import Preferences
from toolpair.tui.screens.base_screen import BaseScreen
from toolpair.tui.screens.confirm import ConfirmScreen
from toolpair.tui.screens.pair_screen import PairScreen
from toolpair.tui.screens.picker import PickerScreen
from toolpair.tui.screens.review import ReviewScreen
from toolpair.tui.session_list import Sessions
from toolpair.tui.theme import contrast, readable_in
from toolpair.tui.widgets.field import SafeInput


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "config/toolpair/config.toml"
    path.parent.mkdir(parents=True)
    return path


def test_no_screen_has_a_key_for_two_things_as_it_comes() -> None:
    assert own_keys(Settings({}).table("keys")) == {}
    shown = {f"{group.id}.{key.name}" for groups in SCREENS.values() for group in groups for key in group.keys}
    for module in iter_modules(screens.__path__, f"{screens.__name__}."):
        for screen in vars(import_module(module.name)).values():
            for binding in screen.BINDINGS if isinstance(screen, type) and issubclass(screen, BaseScreen) else ():
                assert binding.id in shown or binding.key in ("enter", "escape"), (screen, binding)


def test_the_page_of_settings_names_all_that_has_keys() -> None:
    page = (Path(__file__).parents[2] / "docs/settings.md").read_text(encoding="utf-8")
    listed = page.partition("completes, too:")[2].partition("The colours are")[0]
    assert re.findall("`([a-z-]+)`", listed) == list(SETTABLE)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('fix = "x"\nfind = "x"', ":3: x cannot be both fix and find in the list of pairs."),
        ('find = "u"', ":2: u cannot be both undo and find in the list of pairs."),
        ('exclude = "r"', ":2: r cannot be both exclude and read-again in the review."),
        ('find = "ctrl+c"', ':2: find takes a key such as "x"'),
        ('find = "ctrl+m"', ':2: find takes a key such as "x"'),
        ("find = 7", ':2: find takes a key such as "x"'),
        ("find = []", ':2: find takes a key such as "x"'),
        ('mark = "m"', ':2: mark takes a key that types nothing, such as "f5" or "ctrl+x", not m.'),
        ('mark = ["m", "ctrl+s"]', ":2: ctrl+s cannot be both sort-sessions and mark in the list of sessions."),
        ('complete = "down"', ":2: down cannot be both complete and down in the list of commands."),
        ('review = "D"', ":2: D cannot be both discard and review in the question about fixes that are not saved."),
        ('other-ways = "1"', ":2: 1 cannot be both one of the numbers and other-ways in the question about a guess."),
        ('edit = "tab"', ":2: tab cannot be both edit and pane in the ways to fix."),
        ('fnid = "x"', ":2: fnid has no keys that can be set. Did you mean find?"),
        ('save = "x"', ":2: save has no keys that can be set."),
    ],
)
def test_a_key_that_cannot_be_is_one_sentence_and_the_usual_ones_hold(
    config: Path, capsys: pytest.CaptureFixture[str], text: str, said: str
) -> None:
    config.write_text(f"[keys]\n{text}\n")
    wrong: list[str] = []
    assert own_of(of_user(), wrong).keys == {}
    assert (
        len(wrong) == 1 and wrong[0].startswith(f"{config}{said}") and wrong[0].endswith(" Nothing in [keys] is used.")
    )
    assert main(["config"]) == 2
    assert wrong[0] in capsys.readouterr().err


def test_what_is_set_is_listed_and_colours_are_looked_at(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config.write_text('[keys]\nfind = ["F5", "é"]\nnext-problem = "/"\n[signs]\nstops = "#ff00ff"\n')
    wrong: list[str] = []
    own = own_of(of_user(), wrong)
    assert (own, wrong) == (Own({"find": "f5,é", "next-problem": "slash"}, {"stops": "#ff00ff"}), [])
    assert main(["config"]) == 0
    printed = capsys.readouterr().out
    assert f'keys.next-problem = "/"  {config}:3\nsigns.stops = "#ff00ff"  {config}:5\n' in printed
    for bad, said in (('stops = "red"', "takes a colour such as"), ('stop = "#ff00ff"', "has no colour")):
        config.write_text(f"[signs]\n{bad}\n")
        assert own_of(of_user(), wrong).colours == {} and said in wrong[-1] and f"{config}:2: " in wrong[-1]


KEYS = {"next-problem": "x", "find": "f5,s", "fix-all": "right_curly_bracket", "exclude": "e", "help": "f2"}


def test_what_is_set_holds_and_is_shown(broken: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        keys = lines_of(app)[-1]
        assert keys.startswith(" x next") and "f5 find" in keys and "f2 all keys" in keys
        assert "} fix everything safe" in frame(app)
        await press(pilot, "A")
        assert isinstance(app.screen, PairScreen)
        await press(pilot, "question_mark")
        assert isinstance(app.screen, PairScreen)
        await press(pilot, "f2")
        shown = frame(app)
        assert "  x                next problem" in shown and "  f5 s             find text, tools and ids" in shown
        await press(pilot, "s", "text:suspend", "enter")
        assert "suspend; fg in the shell" in frame(app)
        await press(pilot, "q", "right_curly_bracket")
        assert isinstance(app.screen, ReviewScreen) and "e exclude one" in lines_of(app)[-1]
        staged = app.session.staged
        await press(pilot, "x")
        assert app.session.staged == staged
        await press(pilot, "e")
        assert len(app.session.staged) == len(staged) - 1
        await press(pilot, "escape", "colon", "text:next")
        assert any(line.startswith((" x ", "▌x ")) or " x " in line for line in lines_of(app) if "next-problem" in line)
        assert app.palette["error"].color.name == "#ffaaff"  # type: ignore[union-attr]

    drive(broken, play, (120, 40), own=Own(KEYS, {"stops": "#ffaaff"}))


def test_dialogs_and_the_list_of_sessions_have_them_too(broken: Path, tmp_path: Path) -> None:
    """Where letters are typed into a filter, only keys that type nothing; else the usual ones hold, and are shown."""
    keys = {"discard": "x", "review": "W", "next-problem": "right_curly_bracket", "down": "ctrl+n,e", "help": "f2",
            "sort-sessions": "f6", "mark": "f7", "complete": "ctrl+e", "quit": "Q"}  # fmt: skip
    for name in ("shop", "bank"):
        claude_session(tmp_path / ".claude", str(tmp_path / name), missing=0)
    listed = Sessions(open_session, Machine("linux", {}, tmp_path), str(tmp_path), DirectJudge)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "space", "Q")
        assert "W review and save    x discard them and quit" in frame(app)
        await press(pilot, "D", "w")
        assert isinstance(app.screen, ConfirmScreen)
        await press(pilot, "W")
        assert isinstance(app.screen, ReviewScreen)
        await press(pilot, "escape", "colon", "text:stat", "ctrl+e")
        assert "ctrl+e complete" in lines_of(app)[-1] and app.screen.query_one(SafeInput).value == "statistics"
        await press(pilot, "escape", "ctrl+o")
        assert (
            lines_of(app)[-1].startswith(" enter open  ↑ ctrl+n move  letters filter") and "] next" in lines_of(app)[-1]
        )
        picker = app.screen
        assert isinstance(picker, PickerScreen)
        await press(pilot, "text:e")
        assert picker.query_one(SafeInput).value == "e"
        await press(pilot, "escape")
        first = picker.current
        await press(pilot, "ctrl+n", "f7", "f6")
        assert picker.current != first and picker.note == "sorted by age" and picker._marked == picker.current
        await press(pilot, "f2")
        shown = frame(app)
        for line in ("ctrl+n           to the session below", "]                next broken session",
                     "f7               mark one, then", "f2               all keys"):  # fmt: skip
            assert line in shown, line

    drive(broken, play, (120, 150), own=Own(keys), sessions=lambda: listed)


def test_a_colour_that_cannot_be_read_in_a_theme_is_blended_until_it_can(theme: Mapping[str, str]) -> None:
    from textual.color import Color

    found = readable_in(theme, {"stops": theme["background"], "loses": "#ff8800"})
    assert contrast(Color.parse(found["stops"]), Color.parse(theme["background"])) >= 4.5


@pytest.fixture
def theme() -> Mapping[str, str]:
    from toolpair.tui.theme import DARK

    return {**DARK.to_color_system().generate(), **DARK.variables}


def test_a_theme_that_is_set_counts_more_than_the_chosen_one(broken: Path, config: Path, tmp_path: Path) -> None:
    chosen = Preferences(tmp_path)
    assert chosen.remember("theme", "dracula")
    for theme, shown in (("nord", "nord"), ("", "dracula")):
        assert ToolpairApp(None, preferences=chosen, theme=theme).theme == shown
    config.write_text('[open]\ntheme = "nrd"\n[keys]\nfind = "u"\n')
    terminal = Terminal(
        [*program(), str(broken)], environment={**os.environ, "XDG_CONFIG_HOME": str(tmp_path / "config")}
    )
    terminal.read(until=b"fix everything safe")
    terminal.press("q")
    assert terminal.close() == 0
    said = terminal.text()
    assert "There is no theme 'nrd'" in said and "u cannot be both undo and find in the list of pairs" in said
