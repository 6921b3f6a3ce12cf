"""Calls and responses without ids, as Gemini's API takes them."""

from __future__ import annotations

from typing import Any

from toolpair.formats.format import Item
from toolpair.formats.forms.registry import form_named
from toolpair.transcript.pairing import pair


def _call(name: str, **more: Any) -> dict[str, Any]:
    return {"functionCall": {"name": name, "args": {}, **more}}


def _response(name: str, text: str, **more: Any) -> dict[str, Any]:
    return {"functionResponse": {"name": name, "response": {"output": text}, **more}}


def _pairs(*turns: list[dict[str, Any]]) -> list[tuple[str | None, list[str]]]:
    contents = [{"role": ("model", "user")[number % 2], "parts": parts} for number, parts in enumerate(turns)]
    transcript = form_named("gemini-contents").read([Item(number, one) for number, one in enumerate(contents)])
    found = pair(transcript).pairs
    return [(one.call.name if one.call else None, [result.value["content"] for result in one.results]) for one in found]


def test_they_belong_together_by_name_and_order() -> None:
    calls = [_call("look"), _call("list"), _call("look")]
    answers = [_response("look", "a"), _response("look", "c"), _response("list", "b")]
    assert _pairs(calls, answers) == [("look", ["a"]), ("list", ["b"]), ("look", ["c"])]


def test_an_exchange_answers_no_call_of_an_earlier_one() -> None:
    assert _pairs([_call("look")], [{"text": "And?"}], [_call("look")], [_response("look", "b")]) == [
        ("look", []),
        ("look", ["b"]),
    ]


def test_an_id_in_place_of_a_name_leaves_the_order() -> None:
    """docker-agent writes it so."""
    assert _pairs([_call("look")], [_response("call_1338bc52", "a")]) == [("look", ["a"])]
    assert _pairs([_call("look", id="call_1")], [_response("call_1", "a")]) == [("look", ["a"])]


def test_a_response_of_another_tool_is_no_answer() -> None:
    assert ("look", []) in _pairs([_call("look")], [_response("list", "b")])
    assert (None, ["b"]) in _pairs([_call("look")], [_response("list", "b")])
