"""Sessions of any length in the form of each agent that keeps lists in JSON or rows, broken in one way all over."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any, Final

from tests import cline_sessions, continue_sessions, copilot_sessions, gemini_sessions, pi_sessions, qwen_sessions

Record = dict[str, Any]
BREAKS: Final = ("missing", "twice", "renamed", "late", "alone", "one_id")
"""Ways in which the result of a call is broken: there is none, two, one with another id, a late one, one without its
call, or all calls have one id."""


def gemini(turns: int, how: str, every: int = 1) -> tuple[str, bytes]:
    made = gemini_sessions.GeminiSession(copies=True)
    for number in range(turns):
        made.user(f"And {number}?")
        made.says(f"I look {number}.", _name(number, how))
    own = [record for record in made.records if "toolCalls" in record]
    for number, record in enumerate(own):
        if number % every == 0:
            results = made.records[made.records.index(record) + 1]["content"]
            called = record["toolCalls"][0]
            if how == "missing":
                called.pop("result")
                results[:] = [{"text": "so"}]
            elif how == "twice":
                results *= 2
            elif how == "renamed":
                results[0] = deepcopy(results[0])
                results[0]["functionResponse"]["id"] += "-x"
                called.pop("result")
            elif how == "late":
                called.pop("result")
                results[:] = []
            elif how == "alone":
                record.pop("toolCalls")
    return gemini_sessions.NAME, made.data()


def _name(number: int, how: str) -> str:
    return "one" if how == "one_id" else f"n{number}"


def _by_record(made: Any, turns: int, how: str, every: int) -> None:
    """The turns of a session whose results are records of their own."""
    late: str | None = None
    for number in range(turns):
        name = _name(number, how)
        broken = number % every == 0
        if number % 4 == 0:
            made.user(f"And {number}?")
        made.says(f"I look {number}.", *(() if how == "alone" and broken else (name,)))
        if late is not None:
            made.result(late)
            late = None
        if how == "late" and broken:
            late = name
        elif how == "renamed" and broken:
            made.result(f"{name}-x")
        elif how != "missing" or not broken:
            made.result(name)
        if how == "twice" and broken:
            made.result(name)
    made.says("That was all.")


def qwen(turns: int, how: str, every: int = 1) -> tuple[str, bytes]:
    made = qwen_sessions.QwenSession()
    _by_record(made, turns, how, every)
    return qwen_sessions.NAME, made.data()


def copilot(turns: int, how: str, every: int = 1) -> tuple[str, bytes]:
    made = copilot_sessions.CopilotSession()
    _by_record(made, turns, how, every)
    return copilot_sessions.NAME, made.data()


def pi(turns: int, how: str, every: int = 1) -> tuple[str, bytes]:
    made = pi_sessions.PiSession()
    _by_record(made, turns, how, every)
    return pi_sessions.NAME, made.data()


def cline(turns: int, how: str, every: int = 1) -> tuple[str, bytes]:
    made = cline_sessions.ClineSession()
    _by_record(made, turns, how, every)
    return cline_sessions.NAME, made.data()


def continue_dev(turns: int, how: str, every: int = 1) -> tuple[str, bytes]:
    history: list[Record] = []
    for number in range(turns):
        call = continue_sessions.call(number, "call_0001" if how == "one_id" else f"call_{number:04}")
        done = [continue_sessions.state(call, number)]
        if number % every == 0:
            if how == "missing":
                done = []
            elif how == "twice":
                done *= 2
            elif how == "renamed":
                done = [{**done[0], "toolCallId": f"call-x-{number:04}"}]
        if number % 4 == 0:
            history.append(continue_sessions.user(f"And {number}?"))
        called = [] if how == "alone" and number % every == 0 else [call]
        if how == "late" and number % every == 0:
            history += [continue_sessions.model("", call, states=[{}]), continue_sessions.model("Next.", states=done)]
        else:
            history.append(continue_sessions.model(f"I look {number}.", *called, states=done))
    return continue_sessions.NAME, continue_sessions.written(history)


AGENTS: Final[dict[str, Callable[..., tuple[str, bytes]]]] = {
    "gemini-cli": gemini,
    "qwen-code": qwen,
    "copilot-cli": copilot,
    "cline-cli": cline,
    "continue": continue_dev,
}
