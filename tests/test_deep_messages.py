"""Lists in a program's memory that are nested deeper than they are read."""

from __future__ import annotations

from typing import Any

import pytest

import toolpair
from toolpair.source.deep_values import is_deeper


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def depth_of(value: Any) -> int:
    found = 0
    while isinstance(value, list):
        value = value[0]
        found += 1
    return found


def messages(depth: int, id_: str = "toolu_1", *, answered: bool = True) -> list[dict[str, Any]]:
    call = {"type": "tool_use", "id": id_, "name": "Bash", "input": {"x": nested(depth)}}
    result = {"type": "tool_result", "tool_use_id": id_, "content": "done"}
    return [
        {"role": "user", "content": "go on"},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result] if answered else "next"},
    ]


DEPTHS = [100, 300, 990, 1100, 100_000]


@pytest.mark.parametrize("depth", DEPTHS)
def test_they_are_checked_like_any_other(depth: int) -> None:
    assert toolpair.check(messages(depth)).ok
    assert [found.rule for found in toolpair.check(messages(depth, answered=False)).problems] == ["result.missing"]


@pytest.mark.parametrize("depth", DEPTHS)
def test_what_is_deep_is_handed_back_whole(depth: int) -> None:
    given = messages(depth, answered=False)
    repaired = toolpair.repair(given)
    assert repaired.ok
    assert repaired.messages[1] is given[1]
    renamed = toolpair.repair(messages(depth, "not an id!")).messages
    assert renamed[1]["content"][0]["id"] != "not an id!"
    assert depth_of(renamed[1]["content"][0]["input"]["x"]) == depth


def test_one_that_contains_itself_is_refused() -> None:
    given = messages(1)
    itself: list[Any] = []
    itself += [itself, itself]
    given[1]["content"][0]["input"] = {"x": itself}
    with pytest.raises(ValueError, match="contains itself"):
        toolpair.repair(given)
    assert is_deeper(itself, 100)


def test_one_object_in_many_places_is_walked_once() -> None:
    value: Any = []
    for _ in range(2000):
        value = [value, value]
    given = messages(1)
    given[1]["content"][0]["name"] = value
    assert is_deeper(value, 1999)
    assert not is_deeper(value, 2001)
