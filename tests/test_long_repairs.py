"""A long list is repaired in windows: only what the fixes reach is judged again, and it comes out as with the whole."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

import toolpair
from tests.rounds import mixed
from toolpair.library import message_lists
from toolpair.library.message_lists import Repaired

Messages = list[dict[str, Any]]
EXCHANGES = 150


def _anthropic(number: int, id_: str | None = None) -> Messages:
    id_ = id_ or f"toolu_{number:020d}"
    use = {"type": "tool_use", "id": id_, "name": "Bash", "input": {"command": f"echo {number}"}}
    result = {"type": "tool_result", "tool_use_id": id_, "content": f"output {number}"}
    return [
        {"role": "assistant", "content": [{"type": "text", "text": f"Step {number}."}, use]},
        {"role": "user", "content": [result]},
        {"role": "assistant", "content": f"Done {number}."},
        {"role": "user", "content": f"Go on {number}."},
    ]


def _chat(number: int, id_: str | None = None) -> Messages:
    id_ = id_ or f"call_{number:020d}"
    function = {"name": "run", "arguments": f'{{"command": "echo {number}"}}'}
    return [
        {"role": "assistant", "content": None, "tool_calls": [{"id": id_, "type": "function", "function": function}]},
        {"role": "tool", "tool_call_id": id_, "content": f"output {number}"},
        {"role": "assistant", "content": f"Done {number}."},
        {"role": "user", "content": f"Go on {number}."},
    ]


def _missing(part: Messages) -> Messages:
    return [part[0], *part[2:]]


def _late(part: Messages) -> Messages:
    return [part[0], part[2], part[3], part[1]]


def _twice(part: Messages) -> Messages:
    return [part[0], part[1], part[2], part[3], deepcopy(part[1])]


def _orphan(part: Messages) -> Messages:
    return part[1:]


def _renamed(part: Messages) -> Messages:
    text = part[1]
    if text["role"] == "tool":
        text["tool_call_id"] = text["tool_call_id"].replace("_", ".", 1)
    else:
        text["content"][0]["tool_use_id"] = text["content"][0]["tool_use_id"].replace("_", ".", 1)
    return part


def _words_first(part: Messages) -> Messages:
    if part[1]["role"] == "user":
        part[1]["content"].insert(0, {"type": "text", "text": "Here:"})
    return part


BREAKS: dict[str, Callable[[Messages], Messages]] = {
    "missing": _missing,
    "late": _late,
    "twice": _twice,
    "orphan": _orphan,
    "renamed": _renamed,
    "words first": _words_first,
}
MAKERS = {"anthropic": _anthropic, "chat": _chat}


def _list(api: str, broken: dict[int, str]) -> Messages:
    messages: Messages = [{"role": "user", "content": "Begin."}]
    for number in range(EXCHANGES):
        part = MAKERS[api](number)
        messages += BREAKS[broken[number]](part) if number in broken else part
    return messages


def _both(messages: Messages, monkeypatch: pytest.MonkeyPatch) -> tuple[Repaired, Repaired]:
    """In windows, and as a whole. The whole is never judged for the first."""
    with monkeypatch.context() as patch:
        patch.setattr(message_lists, "LONG", 0)
        patch.setattr(message_lists, "_judged", _never)
        windows = toolpair.repair(messages)
    with monkeypatch.context() as patch:
        patch.setattr(message_lists, "LONG", 1 << 40)
        return windows, toolpair.repair(messages)


def _never(*_: object) -> None:
    raise AssertionError("the whole list was judged")


def _assert_alike(windows: Repaired, whole: Repaired, messages: Messages) -> None:
    assert windows.messages == whole.messages
    assert Counter((one.rule, one.fix, one.loses) for one in windows.taken) == Counter(
        (one.rule, one.fix, one.loses) for one in whole.taken
    )
    assert [(one.rule, one.message, one.block, one.pair) for one in windows.left] == [
        (one.rule, one.message, one.block, one.pair) for one in whole.left
    ]
    assert windows.losses == whole.losses
    given = set(map(id, messages))
    kept = [[id(one) in given for one in found.messages] for found in (windows, whole)]
    assert kept[0] == kept[1]


@pytest.mark.parametrize("kind", BREAKS)
@pytest.mark.parametrize("api", MAKERS)
def test_one_broken_pair(api: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    messages = _list(api, {80: kind})
    before = deepcopy(messages)
    windows, whole = _both(messages, monkeypatch)
    _assert_alike(windows, whole, messages)
    assert messages == before
    assert [(one.rule, one.message) for one in windows.taken] == [(one.rule, one.message) for one in whole.taken]
    assert toolpair.check(windows.messages).ok


@pytest.mark.parametrize(("api", "seed"), mixed(MAKERS, range(12)))
def test_several_far_from_each_other(api: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    lot = random.Random(seed)
    places = range(5, EXCHANGES, 29)
    messages = _list(api, {place + lot.randrange(4): lot.choice(list(BREAKS)) for place in places})
    windows, whole = _both(messages, monkeypatch)
    _assert_alike(windows, whole, messages)


@pytest.mark.parametrize("api", MAKERS)
def test_what_several_windows_share_is_left_to_the_whole(api: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The result of one stands far away, and two others have one id and no result."""
    messages = _list(api, {20: "missing", 100: "missing"})
    far = MAKERS[api](20)[1]
    messages.insert(len(messages) - 4, far)
    monkeypatch.setattr(message_lists, "LONG", 0)
    windows = toolpair.repair(messages)
    monkeypatch.setattr(message_lists, "LONG", 1 << 40)
    _assert_alike(windows, toolpair.repair(messages), messages)


def test_nothing_to_fix_is_the_list_itself() -> None:
    messages = _list("anthropic", {}) * 1
    assert toolpair.repair(messages).messages is messages
    assert toolpair.guard(messages, mode="repair") is messages
