"""From an error text on the clipboard to the block that it means, and on to a saved session."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot

from tests.rounds import mixed
from tests.test_named_places import CHAT
from tests.tui.driving import array_file, drive, frame, press
from toolpair.session.session import open_session
from toolpair.tui.app import ToolpairApp
from toolpair.tui.screens.pair_screen import PairScreen

MISSING = (
    'API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"messages.18: `tool_use` '
    "ids were found without `tool_result` blocks immediately after: toolu_read_file_008. Each `tool_use` block must "
    'have a corresponding `tool_result` block in the next message."},"request_id":"req_011CX"}'
)
ANSWERS = {
    "anthropic, in a box that is 30 columns wide": "\n".join(
        f"│ {MISSING[at : at + 26]} │" for at in range(0, len(MISSING), 26)
    ),
    "bedrock": "ValidationException: Expected toolResult blocks at messages.18.content for the following Ids: "
    "toolu_read_file_008",
    "openai": "Error code: 400 - {'error': {'message': \"An assistant message with 'tool_calls' must be followed by tool "
    "messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: "
    "toolu_read_file_008\", 'type': 'invalid_request_error', 'param': 'messages.[18].role', 'code': None}}",
    "a client's words that name nothing": "API Error: 400 due to tool use concurrency issues.",
}


@pytest.fixture
def one_missing(tmp_path: Path) -> Path:
    return array_file(tmp_path / "one.json", 20, missing={8})


def sent(path: Path) -> list[Any]:
    found: list[Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def pair_under_cursor(app: ToolpairApp) -> int | None:
    assert isinstance(app.screen, PairScreen)
    row = app.screen.pairs.row
    return row.pair.index if row is not None and row.pair is not None else None


async def paste(app: ToolpairApp, pilot: Pilot[Any], text: str) -> None:
    app.post_message(events.Paste(text))
    await pilot.pause()


@pytest.mark.parametrize(("name", "with_at"), mixed(ANSWERS, [True, False]))
def test_four_keys_lead_from_a_paste_to_a_saved_session(one_missing: Path, name: str, with_at: bool) -> None:
    before = sent(one_missing)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        if with_at:
            await press(pilot, "at")
        await paste(app, pilot, ANSWERS[name])
        await press(pilot, "enter", "space", "w", "enter")
        await app.workers.wait_for_complete()
        await pilot.pause()

    drive(one_missing, play)
    after = sent(one_missing)
    changed = [at for at, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]
    assert changed == [18], "the message after the call, and nothing else"
    result = after[18]["content"][0]
    assert (result["type"], result["tool_use_id"]) == ("tool_result", "toolu_read_file_008")
    assert not [problem for problem in open_session(one_missing).problems if problem.severity == "error"]
    assert list(one_missing.parent.glob("*.bak"))


def test_what_only_the_provider_that_answered_refuses_is_mended_by_its_rules(sound: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await paste(app, pilot, "Tool call id was toolu_read_file_003 but must be a-z, A-Z, 0-9, with a length of 9.")
        await press(pilot, "enter")
        assert app.session.profile.id == "mistral"
        problem = app.overview.current
        assert problem is not None and problem.rule.startswith("id.") and problem.call is not None
        assert problem.call.id == "toolu_read_file_003"
        await press(pilot, "space", "w", "enter")
        await app.workers.wait_for_complete()
        await pilot.pause()

    before = sent(sound)
    drive(sound, play)
    after = sent(sound)
    new = after[7]["content"][0]["id"]
    assert len(new) == 9 and new.isalnum() and after[8]["content"][0]["tool_use_id"] == new
    assert after[:7] == before[:7] and after[9:] == before[9:]


def test_what_an_error_makes_acute_is_shown_fixed_and_comes_back_when_undone(tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(CHAT, indent=1))

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        assert [problem.severity for problem in app.session.problems] == ["warning"]
        await paste(app, pilot, "invalid params, invalid function arguments json string, tool_call_id: call_b (2013)")
        await press(pilot, "enter")
        problem = app.overview.current
        assert problem is not None and (problem.rule, problem.severity) == ("args.unparseable", "error")
        assert " API REFUSED IT   The error that you pasted points at message 2: " in frame(app)
        await press(pilot, "space")
        assert len(app.session.staged) == 1 and app.overview.current is None
        assert "now API REFUSED IT · after saving VALID" in frame(app)
        await press(pilot, "w")
        (refused,) = (line for line in frame(app).splitlines() if "Refused by the API?" in line)
        assert refused.split()[4:6] == ["yes", "no"]
        await press(pilot, "escape", "u")
        problem = app.overview.current
        assert problem is not None and problem.severity == "error"
        await press(pilot, "at")
        await paste(app, pilot, "Error: invalid value at messages[3]")
        await press(pilot, "enter")
        assert "This error is not known. It points here:" in " ".join(frame(app).split())
        await press(pilot, "escape")

    drive(path, play)


def test_words_that_are_not_known_are_said_to_be_and_nothing_is_lost_for_them(tmp_path: Path) -> None:
    path = tmp_path / "th.json"
    thinking = {"type": "thinking", "thinking": "hm", "signature": "c2lnbmVk" * 8}
    turns = [{"role": "assistant", "content": [thinking, {"type": "text", "text": "well"}]}]
    path.write_text(json.dumps([{"role": "user", "content": "look"}, *turns, {"role": "user", "content": "and"}]))

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await paste(app, pilot, "invalid reasoning signature")
        await press(pilot, "enter")
        shown = " ".join(frame(app).split())
        assert "These words are not known; they read like: The signature" in shown and "API REFUSED IT" not in shown
        problem = app.overview.current
        assert problem is not None and (problem.severity, problem.recommended) == ("info", None)
        await press(pilot, "space")
        assert not app.session.staged

    drive(path, play)


def test_a_text_that_leads_nowhere_and_an_error_that_nothing_raises_are_told_and_the_prompt_stays(sound: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "at")
        await paste(app, pilot, "the dog\nate my homework")
        await press(pilot, "enter")
        assert not isinstance(app.screen, PairScreen)
        shown = frame(app)
        assert "This is not an id, place, rule or error text" in shown and "the dog ate my homework" in shown
        await paste(app, pilot, "The toolUse blocks at some messages contain odd Ids")
        await press(pilot, "enter")
        shown = frame(app)
        assert "The nearest known error, which does not match, is from " in " ".join(shown.split())
        assert "homework" not in shown, "the next paste takes the place of what led nowhere"
        await press(pilot, "escape")
        assert isinstance(app.screen, PairScreen)
        await paste(app, pilot, MISSING.replace("toolu_read_file_008", "toolu_01Elsewhere"))
        await press(pilot, "enter")
        assert not isinstance(app.screen, PairScreen)
        assert "The id toolu_01Elsewhere is not in this file." in frame(app)

    drive(sound, play)


def test_a_paste_is_put_together_added_to_what_is_typed_and_taken_whole(one_missing: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await paste(app, pilot, "something unheard of about toolu_read_\n    file_011 happened")
        await press(pilot, "enter")
        assert pair_under_cursor(app) == 11
        await press(pilot, "at", "text:pair:")
        await paste(app, pilot, "13\n")
        await press(pilot, "enter")
        assert pair_under_cursor(app) == 13, "what is typed beside a paste counts"

        noise = "2026-11-21 INFO something happened\n" * 9_000
        await paste(app, pilot, f"{noise}{MISSING}\n{noise}")
        await press(pilot, "enter")
        problem = app.overview.current
        assert problem is not None and problem.call is not None and problem.call.id == "toolu_read_file_008"

    drive(one_missing, play)
