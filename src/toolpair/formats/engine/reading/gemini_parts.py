"""Quick reading of Gemini's parts, as the agents that keep them write them."""

from __future__ import annotations

from typing import Any, Final

from toolpair.formats.engine.reading.light import CALL, RESULT, TEXT, THINKING, Odd

_TEXT: Final = frozenset({"text"})
_THOUGHT: Final = frozenset({"text", "thought", "thoughtSignature"})
_CALL: Final = frozenset({"id", "name", "args"})
_RESPONSE: Final = frozenset({"id", "name", "response"})
_OUTPUT, _ERROR = frozenset({"output"}), frozenset({"error"})


def words_in(part: Any) -> tuple[Any, ...]:
    """A part with what the user says. Raises Odd."""
    text = part["text"]
    if part.keys() != _TEXT or type(text) is not str:
        raise Odd
    return TEXT, text


def said_in(part: Any) -> tuple[Any, ...]:
    """A part of a response. Raises Odd."""
    call = part.get("functionCall")
    if call is not None:
        if len(part) != 1:
            raise Odd
        return call_in(call, _CALL)
    if "thought" not in part:
        return words_in(part)
    if part["thought"] is not True or not part.keys() <= _THOUGHT or type(part["text"]) is not str:
        raise Odd
    return THINKING, bool(part.get("thoughtSignature")), False


def call_in(call: Any, keys: frozenset[str]) -> tuple[Any, ...]:
    """A call with no other keys than these. Raises Odd."""
    given = call["args"]
    if not call.keys() <= keys or type(given) is not dict:
        raise Odd
    return CALL, call["id"], call["name"], given, ""


def result_in(part: Any, names: dict[Any, Any]) -> tuple[Any, ...]:
    """A part with a result. `names`: those of the calls' tools, by their ids. Raises Odd."""
    response = part["functionResponse"]
    said = response["response"]
    keys, id_ = said.keys(), response["id"]
    if len(part) != 1 or response.keys() != _RESPONSE or response["name"] != names[id_]:
        raise Odd
    text = said["output"] if keys == _OUTPUT else said["error"] if keys == _ERROR else None
    if type(text) is not str:
        raise Odd
    return RESULT, id_, text, "", False
