"""A large document whose list is at no usual place: the one that makes it large is read without the whole."""

from __future__ import annotations

import json
from typing import Any

import pytest

from toolpair.source.large import read_large


def _document(**around: Any) -> tuple[bytes, int]:
    contents = [{"role": ("user", "model")[n % 2], "parts": [{"text": f"{n} " * 500}]} for n in range(1500)]
    return json.dumps({"model": "m", **around, "contents": contents}).encode(), len(contents)


@pytest.mark.parametrize("around", [{}, {"tools": [{"n": 1}] * 60}, {"deep": {"contents": []}}])
def test_the_list_that_makes_it_large_is_found(around: dict[str, Any]) -> None:
    data, count = _document(**around)
    (source,) = read_large(data, "s").conversations
    assert (source.path, len(source.document)) == (("contents",), count)
    assert source.outer is not None
    assert source.outer["model"] == "m"


def test_a_list_at_a_usual_place_comes_first() -> None:
    data, _ = _document(messages=[{"role": "user", "content": "hello"}])
    (source,) = read_large(data, "s").conversations
    assert (source.path, len(source.document)) == (("messages",), 1)
