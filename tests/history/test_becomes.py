"""What becomes of a problem follows from the request that would be sent, whatever agent sends it."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import pytest

from tests.each import each
from toolpair.formats import get_format
from toolpair.formats.agent import Agent, FoundSession
from toolpair.formats.engine.sending import fates_of
from toolpair.formats.format import Item, SentMessage, SentPart, SentRequest
from toolpair.history import judged_request
from toolpair.history.becomes import what_becomes
from toolpair.history.judged_request import JudgedRequest
from toolpair.rules.judge import judge
from toolpair.rules.problem import OnResume, Problem
from toolpair.rules.profiles import profile
from toolpair.transcript.model import Transcript

Sent = list[tuple[str, list[Any]]]
"""Role and parts: what stands in a message at (message, block), or what the agent adds."""
FILLED = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "stopped", "is_error": True}


class Anybody(Agent):
    id = "anybody"
    title = "Anybody"

    def roots(self, machine: Any) -> tuple[Any, ...]:
        return ()

    def sessions(self, machine: Any) -> Iterator[FoundSession]:
        return iter(())


def call(number: int) -> dict[str, Any]:
    return {"type": "tool_use", "id": f"toolu_{number}", "name": "run", "input": {}}


def result(number: int, said: str = "the output") -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": said}


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def read(*messages: tuple[str, list[Any]]) -> Transcript:
    items = [Item(number, {"role": role, "content": parts}) for number, (role, parts) in enumerate(messages)]
    return get_format("anthropic").read(items)


def becomes(transcript: Transcript, sent: Sent, rule: str, refuses: str | None = None) -> OnResume | None:
    """What becomes of the problem of a rule, where this is sent."""

    def part(value: Any) -> SentPart:
        if not isinstance(value, tuple):
            return SentPart(value)
        block = transcript.messages[value[0]].blocks[value[1]]
        return SentPart(block.value if len(value) == 2 else value[2], block)

    messages = tuple(SentMessage(role, tuple(map(part, parts))) for role, parts in sent)
    blocks = [block for message in transcript.messages for block in message.blocks]
    seen = SentRequest("Anybody", "1.0", messages, fates_of(blocks, messages), refuses)
    judged_by = profile("anthropic")
    (problem,) = [found for found in judge(transcript, judged_by).problems if found.rule == rule]
    return what_becomes(Anybody(), problem, JudgedRequest(seen, transcript, judged_by))


UNANSWERED = read(("user", [text("Go.")]), ("assistant", [call(1)]), ("user", [text("Well?")]))
GO: tuple[str, list[Any]] = ("user", [(0, 0)])
LATE = read(
    ("user", [text("Go.")]), ("assistant", [call(1)]), ("user", [text("Wait.")]), ("user", [result(1)]),
    ("assistant", [text("Done.")]),
)  # fmt: skip
ORPHAN = read(("user", [text("Go.")]), ("assistant", [text("I look.")]), ("user", [result(1)]))


@each(
    ("transcript", "rule", "sent", "effect", "loses", "says"),
    [
        (UNANSWERED, "result.missing", [GO, ("assistant", [(1, 0)]), ("user", [FILLED, (2, 0)])],
         "placeholder", None, 'tells the model "stopped" for this call'),
        (UNANSWERED, "result.missing", [GO, ("assistant", [(1, 0)]), ("user", [(2, 0)])],
         "rejected", None, "sends the call without a result, and the API refuses the session"),
        (UNANSWERED, "result.missing", [GO, ("user", [(2, 0)])],
         "dropped", "the call", "leaves this call out without telling you"),
        (LATE, "result.not_adjacent", [GO, ("assistant", [(1, 0)]), ("user", [(3, 0), (2, 0)]), ("assistant", [(4, 0)])],
         "healed", None, "sends the result after its call"),
        (LATE, "result.not_adjacent", [GO, ("assistant", [(1, 0)]), ("user", [FILLED, (2, 0)]), ("assistant", [(4, 0)])],
         "dropped", "the result, 10 bytes", "drops this result of 1 line without telling you"),
        (LATE, "result.not_adjacent", [GO, ("assistant", [(1, 0)]), ("user", [(2, 0)]), ("assistant", [(4, 0)])],
         "rejected", "the result, 10 bytes", "leaves this result out, and the API refuses the call without it"),
        (ORPHAN, "result.orphan", [GO, ("assistant", [(1, 0)]), ("user", [(2, 0)])],
         "rejected", None, "sends it as it is, and the API refuses the session"),
        (ORPHAN, "result.orphan", [GO, ("assistant", [(1, 0)]), ("user", [(2, 0, text("stale: the output"))])],
         "healed", None, "sends the result as a text"),
    ],
)  # fmt: skip
def test_it_follows_from_what_is_sent(
    transcript: Transcript, rule: str, sent: Sent, effect: str, loses: str | None, says: str
) -> None:
    found = becomes(transcript, sent, rule)
    assert found is not None
    assert (found.effect, found.loses, found.text, found.version) == (effect, loses, f"Anybody {says}.", "1.0")


def test_where_nothing_is_sent_that_is_said() -> None:
    found = becomes(UNANSWERED, [], "result.missing", refuses="Anybody does not start.")
    assert found is not None
    assert (found.effect, found.text, found.sends, found.loses) == ("rejected", "Anybody does not start.", False, None)


def test_what_is_judged_around_a_problem_is_as_in_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    before: list[tuple[str, list[Any]]] = [
        message
        for number in range(10, 20)
        for message in (("user", [text("More.")]), ("assistant", [call(number)]), ("user", [result(number)]))
    ]
    transcript = read(*before, ("assistant", [call(1)]), ("user", [text("Well?")]), ("assistant", [text("Done.")]))
    every: Sent = [
        (str(message.role), [(number, place) for place in range(len(message.blocks))])
        for number, message in enumerate(transcript.messages)
    ]
    near = becomes(transcript, every, "result.missing")
    monkeypatch.setattr(judged_request, "_LONG", -1)
    assert near == becomes(transcript, every, "result.missing")
    assert near is not None and near.effect == "rejected"


def test_what_becomes_of_a_problem_is_found_once_when_it_is_asked_for() -> None:
    asked: list[str] = []

    def on_resume(_: Transcript, problem: Problem) -> OnResume:
        asked.append(problem.rule)
        return OnResume("Anybody", "1.0", "dropped", "the call", "Anybody leaves it out.")

    found = judge(UNANSWERED, profile("anthropic"), on_resume)
    (problem,) = found.problems
    assert problem.recommended is not None and problem.severity == "error" and not asked
    sent = pickle.loads(pickle.dumps(problem))
    assert (problem.impact, sent.impact, sent.on_resume) == ("loses", "loses", problem.on_resume)
    assert asked == [problem.rule]


def test_the_end_of_a_session_asks_since_its_severity_follows_from_it() -> None:
    def on_resume(_: Transcript, problem: Problem) -> OnResume:
        return OnResume("Anybody", "1.0", "rejected", None, "Anybody sends it.")

    interrupted = read(("user", [text("Go.")]), ("assistant", [call(1)]))
    (problem,) = judge(interrupted, profile("anthropic"), on_resume).problems
    assert (problem.rule, problem.severity, problem.impact) == ("turn.trailing_call", "error", "stops")
