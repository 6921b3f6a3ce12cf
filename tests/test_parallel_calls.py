"""A turn with very many calls at once, whatever is wrong with them, is judged at a cost in proportion to their number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import toolpair
from tests.rounds import mixed
from tests.work import work_of

Messages = list[dict[str, Any]]
ASKS: dict[str, Any] = {"role": "user", "content": "go"}


def turn(ids: list[str], answered: list[str], **more: Any) -> Messages:
    """One response with calls of these ids, and one message with results of those."""
    calls = [{"type": "tool_use", "id": id_, "name": "look", "input": {}} for id_ in ids]
    results = [{"type": "tool_result", "tool_use_id": id_, "content": "seen", **more} for id_ in answered]
    return [ASKS, {"role": "assistant", "content": calls}, {"role": "user", "content": results}]


def names(count: int, spelling: str = "t_{}") -> list[str]:
    return [spelling.format(number) for number in range(count)]


def half_answered(count: int) -> Messages:
    return turn(names(count), names(count)[::2])


def renamed(count: int) -> Messages:
    return turn(names(count), names(count, "t.{}"))


def answered_twice(count: int) -> Messages:
    return turn(names(count), names(count) * 2)


def answered_backwards(count: int) -> Messages:
    return turn(names(count), names(count)[::-1])


def refused_ids(count: int) -> Messages:
    return turn(names(count, "t.{}"), names(count, "t.{}"))


def empty_errors(count: int) -> Messages:
    return turn(names(count), names(count), content=[], is_error=True)


def strays(count: int) -> Messages:
    return [ASKS, {"role": "assistant", "content": "yes"}, *turn(names(1), names(count))[2:]]


@pytest.mark.parametrize(
    ("messages", "profile"),
    mixed(
        [half_answered, renamed, answered_twice, answered_backwards, refused_ids, empty_errors, strays],
        ["anthropic", "gemini", "openai-chat"],
    ),
)
def test_twice_the_calls_are_twice_the_work(messages: Callable[[int], Messages], profile: str) -> None:
    def work(count: int) -> int:
        given = messages(count)
        return work_of(lambda: toolpair.check(given, profile))

    work(2)  # what is read at first use is read
    few, more, many = work(60), work(140), work(300)
    # Each step adds 80 calls, then 160.
    assert many - more < 2.25 * (more - few)
