"""Odd values in every field of a native record: whatever is asked of such a file ends in an answer or a sentence.

A short run is part of the tests. A long one: `python -m tests.hostile.test_odd_fields SECONDS [FIRST_SEED]`.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import kimi_sessions
from tests.each import each
from tests.history.opening import judged_by
from tests.hostile.everything import all_commands, everything_asked, opened
from tests.hostile.sessions import DOCUMENTS, LINES, written
from tests.hostile.values import spoilt
from tests.rounds import tries

KINDS = {**LINES, **DOCUMENTS}
NAMES = {
    "claude-code": "projects/-home-dev-my-project/0d3f3a52-6c0a-4a57-9f0e-2f9a3a1c7e11.jsonl",
    "codex": "sessions/2026/11/21/rollout-2026-11-21T09-12-00-0c0ffee0-1234-4abc-8def-001122334455.jsonl",
    "pi": "sessions/--home-dev-project--/2026-11-21T08-07-00-801Z_01a1fd24-f7c0-7065-9091-a3b140f571fc.jsonl",
    "oh-my-pi": "sessions/-project/2026-11-21T08-07-00-801Z_01a1fd24-f7c0-7065-9091-a3b140f571fc.jsonl",
    "openclaw": "agents/main/sessions/01a1fd24-f7c0-7065-9091-a3b140f571fc.jsonl",
    "qwen": "projects/-home-dev-project/chats/01a1fd11-0000-4000-8000-000000000001.jsonl",
    "kimi": kimi_sessions.NAME,
    "gemini": "tmp/project/chats/session-2026-11-21T08-04-1d1598d1.jsonl",
    "cline": "sessions/1795248706802_5vjda/1795248706802_5vjda.messages.json",
    "continue": "sessions/5a1f3c8e-7d42-4b6f-9e0a-1c2d3e4f5a6b.json",
    "roo": "tasks/1763000000000/api_conversation_history.json",
}
"""Where their agents keep them."""


def case(seed: int) -> tuple[str, Any, int | None]:
    """A format, a spoilt session of it, and in windows of how many messages it is read (None: whole)."""
    rng = random.Random(seed)
    name = rng.choice(sorted(KINDS))
    return name, spoilt(rng, KINDS[name]()), rng.choice((None, 0, 3))


def laid_down(folder: str, name: str, value: Any) -> Path:
    path = Path(folder, NAMES.get(name, f"{name}.json"))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(written(name, value))
    return path


def asked(name: str, value: Any, least: int | None) -> None:
    """The session's own questions, read whole or in windows."""
    with tempfile.TemporaryDirectory() as folder, judged_by(least):
        path = laid_down(folder, name, value)
        session = opened(path)
        if session is not None:
            everything_asked(session)


def commanded(name: str, value: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        all_commands(laid_down(folder, name, value))


@settings(max_examples=tries(60))
@given(seed=st.integers(0, 2**32))
def test_a_session_answers_what_it_is_asked(seed: int) -> None:
    asked(*case(seed))


@settings(max_examples=tries(12, 3))
@given(seed=st.integers(0, 2**32))
def test_every_command_ends_as_it_says(seed: int) -> None:
    commanded(*case(seed)[:2])


@settings(max_examples=tries(4, 2))
@given(seed=st.integers(0, 2**32))
def test_the_interface_shows_it(seed: int) -> None:
    shown(*case(seed)[:2])


KEYS = ("j", "l", "enter", "escape", "f", "escape", "p", "escape", "m", "escape", "b", "escape", "y", "escape", "P", "escape",
        "right_square_bracket", "A", "escape", "a", "escape", "space", "u", "G", "g")  # fmt: skip


def shown(name: str, value: Any) -> None:
    """The interface draws it, and its keys do what they do."""
    from textual.pilot import Pilot

    from tests.tui.driving import drive, frame, press
    from toolpair.tui.app import ToolpairApp

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        for key in KEYS:
            await press(pilot, key)
            assert app.result.error is None, repr(app.result.error)
            frame(app)

    with tempfile.TemporaryDirectory() as folder:
        path = laid_down(folder, name, value)
        if opened(path) is not None:
            app = drive(path, play)
            if app.result.error is not None:
                raise app.result.error


@pytest.mark.parametrize("name", sorted(KINDS))
def test_the_sessions_are_what_they_are_called(name: str, tmp_path: Path) -> None:
    """Else nothing would be tried with them."""
    session = opened(laid_down(str(tmp_path), name, KINDS[name]()))
    assert session is not None
    assert session.format.id == {
        "claude-code": "claude-code", "codex": "codex", "pi": "pi", "openclaw": "openclaw", "qwen": "qwen-code", "kimi": "kimi-cli", "gemini": "gemini-cli", "cline": "cline-cli", "continue": "continue",
        "roo": "roo-code", "responses": "openai-responses",
        "chat": "openai-chat", "chat-lines": "openai-chat",
    }.get(name, session.format.id)  # fmt: skip
    assert session.problems or name in ("kimi", "log", "oh-my-pi", "openclaw", "pi", "qwen")


@each("name", sorted(KINDS))
def test_what_is_spoilt_belongs_to_one_session_alone(name: str) -> None:
    """Else a spoilt value would be in the sessions of other tests, and in two places of this one."""
    ids = [id(inner) for value in (KINDS[name](), KINDS[name]()) for inner in _containers(value)]
    assert len(set(ids)) == len(ids)


def _containers(value: Any) -> Iterator[Any]:
    if isinstance(value, (dict, list)):
        yield value
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _containers(inner)


def main(seconds: float, first: int) -> None:
    """Try one seed after the other until the time is over, and tell of each that fails."""
    os.environ["NO_COLOR"] = "1"
    until, seed = time.monotonic() + seconds, first
    while time.monotonic() < until:
        name, value, least = case(seed)
        try:
            if seed % 20 == 0:
                shown(name, value)
            elif seed % 5 == 0:
                commanded(name, value)
            else:
                asked(name, value, least)
        except Exception:
            print(f"seed {seed}, {name}, {least}")
            traceback.print_exc(file=sys.stdout)
        seed += 1
    print(f"{seed - first:,} cases tried")


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
