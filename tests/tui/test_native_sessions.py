"""What a person meets in a session of Claude Code: outputs to choose from, ways back, what is said after saving."""

from __future__ import annotations

import json
import os
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from textual.color import Color
from textual.pilot import Pilot

from tests.formats.claude_code_files import Log, call, looping, session, text
from tests.tui.driving import at_rest, drive, frame, lines_of, press
from toolpair.tui.app import ToolpairApp
from toolpair.tui.screens.review import ReviewScreen

PRESS_AGAIN = 0.45
"""Seconds after which a key counts as pressed by somebody who has read the question."""


def write(path: Path, values: list[Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(value) + "\n" for value in values), encoding="utf-8")
    return path


def without_result(*copies: str) -> list[Any]:
    """The session without the result of toolu_D; what was sent of it once stands in `copies`."""
    values = [deepcopy(value) for value in session().values if value.get("uuid") != "r4"]
    for value in values:
        if value.get("parentUuid") == "r4":
            value["parentUuid"] = "a6"
    for content in copies:
        part = {"tool_use_id": "toolu_D", "type": "tool_result", "content": content}
        values.append({"type": "api-request-blob", "hash": "h", "message": {"role": "user", "content": [part]}})
    return values


async def go_to(app: ToolpairApp, pilot: Pilot[Any], rule: str) -> None:
    for _ in app.overview.walk:
        if app.overview.current is not None and app.overview.current.rule == rule:
            return
        await press(pilot, "right_square_bracket")
    assert app.overview.current is not None and app.overview.current.rule == rule


def test_of_two_outputs_that_were_found_both_are_shown_and_one_is_chosen(tmp_path: Path) -> None:
    path = write(tmp_path / "mine.jsonl", without_result("first words\nmore of it", "other words"))

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        assert "lost here, found elsewhere" in frame(app) and "no result anywhere" not in frame(app)
        await press(pilot, "space")
        shown = frame(app)
        assert "Which one is this call's?" in shown and "belong together" not in shown
        assert "more of it" in shown and "other words" in shown and "(none)" not in shown
        await pilot.pause(PRESS_AGAIN)
        await press(pilot, "2")
        assert "other words" in frame(app) and "first words" not in frame(app)
        await press(pilot, "u", "f", "home", "enter")
        assert "Is this the output of the call?" in frame(app) and "more of it" in frame(app)

    drive(path, play, (80, 30))


def test_a_call_whose_output_is_nowhere_says_so(tmp_path: Path) -> None:
    path = write(tmp_path / "mine.jsonl", without_result())

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        assert "no result anywhere in this file" in frame(app)

    drive(path, play, (80, 24))


def test_a_sub_agents_history_leads_back_to_its_session(tmp_path: Path) -> None:
    path = write(tmp_path / "0d3f3a52.jsonl", session().values)
    log = Log()
    log.user("s1", "look into it", agentId="a1", isSidechain=True)
    log.says("s2", "m1", text("Found nothing."), agentId="a1", isSidechain=True)
    write(tmp_path / "0d3f3a52" / "subagents" / "agent-a1.jsonl", log.values)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "b", "enter")
        await pilot.pause()
        assert "Found nothing." in frame(app)
        await press(pilot, "b")
        assert "Back to the session" in frame(app)
        await press(pilot, "enter")
        await pilot.pause()
        assert app.session.path == path and "Found nothing." not in frame(app)
        await press(pilot, "b")
        assert "Back to the session" not in frame(app)

    drive(path, play, (100, 30))


def broken_with_sub_agent(folder: Path) -> Path:
    """A session in which a result is missing, and its sub-agent's, in which one is missing, too."""
    path = write(folder / "0d3f3a52.jsonl", without_result())
    log = Log()
    log.user("s1", "look into it", agentId="a1", isSidechain=True)
    log.says("s2", "m1", call("toolu_S"), agentId="a1", isSidechain=True)
    log.user("s3", "and the other", agentId="a1", isSidechain=True)
    log.says("s4", "m2", text("Found nothing."), agentId="a1", isSidechain=True)
    write(folder / "0d3f3a52" / "subagents" / "agent-a1.jsonl", log.values)
    return path


def test_q_in_a_sub_agents_history_goes_back_to_where_one_came_from(tmp_path: Path) -> None:
    path = broken_with_sub_agent(tmp_path)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "space")
        assert app.session.changed
        before = await at_rest(pilot, app)
        await press(pilot, "b", "enter")
        assert "Found nothing." in frame(app) and "q back" in frame(app), "what is staged in the session stays there"
        await press(pilot, "q")
        assert app.session.path == path and await at_rest(pilot, app) == before
        await press(pilot, "u")
        assert not app.session.changed

    drive(path, play, (100, 30))


def test_what_is_staged_in_a_sub_agents_history_is_asked_about(tmp_path: Path) -> None:
    path = broken_with_sub_agent(tmp_path)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "space", "b", "enter", "right_square_bracket", "space", "q")
        assert "1 fix is applied but not saved." in frame(app) and "go back" in frame(app)
        await press(pilot, "escape")
        assert "Found nothing." in frame(app)
        await press(pilot, "ctrl+q")
        assert "2 fixes are applied but not saved." in frame(app)
        await press(pilot, "escape", "q", "D")
        assert app.session.path == path and app.session.changed
        await press(pilot, "b", "enter", "ctrl+q", "w")
        assert isinstance(app.screen, ReviewScreen) and app.session.path == path, "the one that has something to save"

    drive(path, play, (100, 30))


def test_a_sub_agents_file_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    path = broken_with_sub_agent(tmp_path)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "space", "b")
        (tmp_path / "0d3f3a52" / "subagents" / "agent-a1.jsonl").write_bytes(b"")
        await press(pilot, "enter")
        assert "not opened" in frame(app) and app.session.path == path and app.session.changed

    drive(path, play, (100, 30))


def test_following_keeps_saying_what_it_took_off(tmp_path: Path) -> None:
    values = [deepcopy(value) for value in session().values if value.get("uuid") not in ("r4", "a7")]
    path = write(tmp_path / "mine.jsonl", values)
    late = next(value for value in session().values if value.get("uuid") == "r4")
    log = Log()
    log.last = "r4"
    then = log.says("a9", "m9", call("toolu_E"))

    async def came(app: ToolpairApp, pilot: Pilot[Any], value: Any, words: str) -> None:
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(value) + "\n")
        for _ in range(100):
            await pilot.pause(0.1)
            if words in frame(app):
                return
        raise AssertionError(frame(app))

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await go_to(app, pilot, "turn.trailing_call")
        await press(pilot, "F", "space")
        assert app.session.changed
        await came(app, pilot, late, "1 fix no longer applies")
        assert not app.session.changed and "its result has arrived" in frame(app)
        await came(app, pilot, then, "1 call")
        assert "1 fix no longer applies" in frame(app)

    drive(path, play, (120, 30))


def test_what_was_set_aside_is_said_once(tmp_path: Path) -> None:
    path = write(tmp_path / "mine.jsonl", session().values)
    with path.open("ab") as file:
        file.write(b"\0" * 40 + b"\n")

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await go_to(app, pilot, "record.nul")
        await press(pilot, "space", "w")
        await pilot.pause(PRESS_AGAIN)
        await press(pilot, "enter")
        await pilot.pause()

    app = drive(path, play, (120, 30))
    assert sum(".aside" in line for line in app.result.lines) == 1


def test_the_head_names_the_folder_as_a_shell_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/dev")
    path = write(tmp_path / "mine.jsonl", session().values)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        assert "~/my project" in lines_of(app)[0] and "/home/dev" not in lines_of(app)[0]

    drive(path, play, (80, 24))


def test_a_long_name_leaves_the_size_and_the_end_of_a_path_in_view(tmp_path: Path) -> None:
    path = write(tmp_path / ("folder" * 12) / f"{'a' * 60}.jsonl", without_result("found"))

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "A")
        assert " KB" in lines_of(app)[0]
        await pilot.pause(PRESS_AGAIN)
        await press(pilot, "s")
        await pilot.pause()
        assert ".fixed.jsonl" in frame(app)

    drive(path, play, (80, 24))


def test_a_copy_is_offered_where_it_can_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "sessions" / "mine.jsonl", without_result("found"))
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    allowed = os.access
    monkeypatch.setattr(os, "access", lambda name, mode: Path(name) != path.parent and allowed(name, mode))

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "A")
        await pilot.pause(PRESS_AGAIN)
        await press(pilot, "s", "enter")
        await pilot.pause()
        assert (here / "mine.fixed.jsonl").exists()

    drive(path, play, (80, 24))


def test_a_menu_that_is_too_wide_says_that_it_is_cut(tmp_path: Path) -> None:
    path = write(tmp_path / "0d3f3a52.jsonl", session().values)
    log = Log()
    log.user("s1", "look into it", agentId="a1", isSidechain=True)
    write(tmp_path / "0d3f3a52" / "subagents" / f"agent-{'b' * 80}.jsonl", log.values)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "b")
        [entry] = [line for line in lines_of(app) if "sub-agent " in line]
        assert entry.rstrip().endswith("…")

    drive(path, play, (80, 24))


def test_a_sentence_that_does_not_fit_the_card_shows_that_it_goes_on(tmp_path: Path) -> None:
    log = Log()
    log.user("u1", "go")
    log.says("a1", "m1", {**call("toolu_" + "漢" * 20), "name": "Read"})
    log.result("r1", "a1", "toolu_" + "漢" * 20, "read")
    for n in range(12):  # so that the list leaves no line to the card
        log.says(f"b{n}", f"n{n}", call(f"toolu_{n}"))
        log.result(f"s{n}", f"b{n}", f"toolu_{n}", "done")
    log.says("a2", "m2", text("done"))
    path = write(tmp_path / "mine.jsonl", log.values)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        [said] = [line for line in lines_of(app) if "The API would say" in line]
        assert said.rstrip().endswith("…")

    drive(path, play, (80, 17))


@pytest.mark.parametrize("background", ["15;0", "0;15"])
def test_what_matters_less_is_drawn_paler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, background: str) -> None:
    monkeypatch.setenv("COLORFGBG", background)
    path = write(tmp_path / "mine.jsonl", session().values)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        under = Color.parse(app.current_theme.background or "")
        seen: dict[str, float] = {}
        for strip in app.screen._compositor.render_strips():
            for segment in strip:
                if segment.style is not None and segment.style.color is not None:
                    drawn = Color.from_rich_color(segment.style.color)
                    seen[segment.text.strip()] = abs(drawn.brightness - under.brightness)
        assert seen["do three things"] > seen["you:"] > seen["──"] > 0

    drive(path, play, (100, 30))


def test_a_cut_line_keeps_the_number_of_its_line_on_a_narrow_screen(tmp_path: Path) -> None:
    log = Log(step=8)
    log.user("u0", "go")
    for n in range(1200):
        log.says(f"a{n}", f"m{n}", text(f"step {n}"))
        log.user(f"u{n + 1}", "go on", parent="lost" if n == 1100 else "last")
    path = write(tmp_path / "mine.jsonl", log.values)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "g")
        [line] = [line for line in lines_of(app) if "Link lost" in line]
        assert "line 2,203" in line and "2,202 messages" in line

    drive(path, play, (80, 24))


def test_bytes_that_are_no_text_are_shown_at_their_row(tmp_path: Path) -> None:
    path = write(tmp_path / "mine.jsonl", session().values)
    path.write_bytes(path.read_bytes().replace(b'"output B', b'"output B\xff'))

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await go_to(app, pilot, "record.bad_utf8")
        [line] = [line for line in lines_of(app) if line.startswith("▌")]
        assert "output B" in line

    drive(path, play, (80, 24))


def test_mending_all_leaves_out_what_would_make_the_agent_send_less(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(looping(beside=True))

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        before = app.session.conversation
        await press(pilot, "A")
        await pilot.pause()
        assert isinstance(app.screen, ReviewScreen)
        assert "1 not applied: the agent would no longer send 1 word from the user" in frame(app)
        assert app.session.changed and app.session.conversation.sends_less(before).text is None

    drive(path, play)


def test_mending_all_says_why_nothing_is_applied_and_a_person_may_still(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(looping())

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "A")
        await pilot.pause()
        assert not app.session.changed
        assert "would no longer send 1 word from the user" in " ".join(frame(app).split())
        await press(pilot, "f")
        await press(pilot, "enter")
        await pilot.pause()
        assert app.session.changed
        assert "1 word from the user" in " ".join(frame(app).split())
        await press(pilot, "w")
        await pilot.pause()
        assert "no longer sent" in frame(app)

    drive(path, play, (120, 40))
