"""Twice the records are twice the work: whatever is wrong with them, in every format, for all that is asked of a file.

Work is counted by the function that does it, so that a small part that grows with the square shows at small sizes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import toolpair
from tests.formats.claude_code_files import Log
from tests.formats.codex_files import Rollout
from tests.rounds import some
from tests.work import calls_by_function, growing
from toolpair.history import id_places
from toolpair.history.sent_rows import seen_rows
from toolpair.session.session import open_session

SIZES = (4, 8, 16)
Part = tuple[str, Any]
"""("call", id), ("result", id) or ("text", words)."""
History = list[tuple[str, list[Part]]]
"""Role and parts of each message."""
SHAPES: dict[str, Callable[[int], History]] = {}


def shape(made: Callable[[int], History]) -> Callable[[int], History]:
    SHAPES[made.__name__] = made
    return made


def _turns(count: int, call: Callable[[int], Any], results: Callable[[int], list[Any]]) -> History:
    history: History = [("user", [("text", "go")])]
    for number in range(count):
        answers: list[Part] = [("result", id_) for id_ in results(number)]
        history.append(("assistant", [("call", call(number))]))
        history.append(("user", answers or [("text", f"and {number}?")]))
    return [*history, ("assistant", [("text", "done")])]


def _at_once(calls: list[Any], answers: list[Part]) -> History:
    """One response with all calls, and one message behind it."""
    asked: list[Part] = [("call", id_) for id_ in calls]
    return [("user", [("text", "go")]), ("assistant", asked), ("user", answers), ("assistant", [("text", "done")])]


def _ids(count: int, spelling: str = "call_{}") -> list[Any]:
    return [spelling.format(number) for number in range(count)]


@shape
def one_id_for_all(count: int) -> History:
    return _turns(count, lambda _: "call_0", lambda _: ["call_0", "call_0"])


@shape
def every_call_unanswered(count: int) -> History:
    return _turns(count, "call_{}".format, lambda _: [])


@shape
def every_result_spelled_otherwise(count: int) -> History:
    return _turns(count, "fn.read:{}".format, lambda number: [f"fn_read_{number}"])


@shape
def every_result_of_another(count: int) -> History:
    return _turns(count, lambda number: "p" * 60 + str(number), lambda number: ["p" * 60 + f"{number}x"])


@shape
def without_ids(count: int) -> History:
    return _turns(count, lambda _: None, lambda _: [None])


@shape
def results_far_away(count: int) -> History:
    asked = _turns(count, "call_{}".format, lambda _: [])
    answered: History = []
    for number in range(count):
        answered += [("user", [("result", f"call_{number}")]), ("assistant", [("text", "ok")])]
    return [*asked, *answered]


@shape
def at_once_unanswered(count: int) -> History:
    return _at_once(_ids(count), [("text", "so?")])


@shape
def at_once_half_answered(count: int) -> History:
    return _at_once(_ids(count), [("result", id_) for id_ in _ids(count)[::2]])


@shape
def at_once_answered_twice(count: int) -> History:
    return _at_once(_ids(count), [("result", id_) for id_ in _ids(count) * 2])


@shape
def at_once_backwards(count: int) -> History:
    return _at_once(_ids(count, "call.{}"), [("result", id_) for id_ in _ids(count, "call.{}")[::-1]])


@shape
def strays_at_once(count: int) -> History:
    return _at_once([], [("result", id_) for id_ in _ids(count)])


@shape
def calls_of_the_user(count: int) -> History:
    return _at_once([], [part for id_ in _ids(count) for part in (("call", id_), ("result", id_))])


@shape
def texts_without_words(count: int) -> History:
    return [("user", [("text", "go")]), ("assistant", [("text", "")] * count), ("user", [("text", "so?")])]


@shape
def one_role(count: int) -> History:
    return [("user", [("result", id_)]) for id_ in _ids(count)]


def _blocks(role: str, parts: list[Part]) -> Iterator[dict[str, Any]]:
    for kind, value in parts:
        if kind == "text":
            yield {"type": "text", "text": value}
        elif kind == "call":
            yield {"type": "tool_use", "name": "look", "input": {}} | ({"id": value} if value is not None else {})
        else:
            made = {"type": "tool_result", "content": f"seen by {value}"}
            yield made | ({"tool_use_id": value} if value is not None else {})


def anthropic(history: History) -> list[dict[str, Any]]:
    return [{"role": role, "content": list(_blocks(role, parts))} for role, parts in history]


def roo_code(history: History) -> list[dict[str, Any]]:
    return [{**message, "ts": 1_700_000_000_000 + number} for number, message in enumerate(anthropic(history))]


def chat(history: History) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    for role, parts in history:
        words = [value for kind, value in parts if kind == "text"]
        calls = [value for kind, value in parts if kind == "call"]
        asked = [{"id": id_, "type": "function", "function": {"name": "look", "arguments": "{}"}} for id_ in calls]
        if words or calls:
            content = [{"type": "text", "text": text} for text in words]
            messages.append({"role": role, "content": content or None} | ({"tool_calls": asked} if asked else {}))
        results = [value for kind, value in parts if kind == "result"]
        messages += [{"role": "tool", "tool_call_id": id_, "content": f"seen by {id_}"} for id_ in results]
    return messages


def claude_code(history: History) -> list[dict[str, Any]]:
    log = Log(0.1)
    sources: dict[Any, str] = {}
    for number, (role, parts) in enumerate(history):
        for place, block in enumerate(_blocks(role, parts)):
            uuid = f"{number:04d}-{place:04d}"
            if role == "assistant":
                log.says(uuid, f"msg_{number}", block)
                if block["type"] == "tool_use":
                    sources[block.get("id")] = uuid
            elif block["type"] == "tool_result":
                source = sources.get(block.get("tool_use_id"), str(log.last))
                message = {"role": "user", "content": [block]}
                log.record("user", uuid, source, message=message, sourceToolAssistantUUID=source)
            else:
                log.record("user", uuid, message={"role": "user", "content": [block]})
    return log.values


def codex(history: History) -> list[dict[str, Any]]:
    rollout = Rollout()
    for role, parts in history:
        for kind, value in parts:
            if kind == "text":
                _ = rollout.says(value) if role == "assistant" else rollout.user(value)
            elif kind == "call":
                rollout.call(value)
            else:
                rollout.output(value, f"seen by {value}")
    return rollout.values


def file_of(made: Callable[[History], list[dict[str, Any]]], history: History) -> tuple[str, bytes]:
    values = made(history)
    if made in (claude_code, codex):
        return "session.jsonl", b"".join(json.dumps(value).encode() + b"\n" for value in values)
    return "messages.json", json.dumps(values).encode()


def all_that_is_asked(name: str, data: bytes, recipe: str) -> None:
    """What a person does with a file, one thing after the other."""
    session = open_session(name, data=data)
    assert session.conversation.rows is not None
    for problem in session.problems:
        session.location(problem)
    for _ in seen_rows(session.conversation.judged):
        pass
    session.find("call_3")
    session.conversation.inactive_problems()
    if session.stage_recipe(recipe) is not None:
        session.staging.changes()
        assert session.staging.losses is not None
        session.to_bytes()
        row = session.staged[-1]
        session.staging.unstage(row)
        session.staging.include(row)


FORMS = (anthropic, roo_code, chat, claude_code, codex)
RECIPES = ("recommended", "keep", "drop", "roo-code")


def _cases() -> Iterator[tuple[str, Callable[[History], list[dict[str, Any]]], str]]:
    """What was asked or answered at once in every form, the other shapes in one, each with another recipe."""
    for number, name in enumerate(SHAPES):
        if name.startswith("at_once"):
            yield from ((name, form, "recommended") for form in (anthropic, chat, claude_code, codex))
        yield name, FORMS[(2 + number) % len(FORMS)], RECIPES[(1 + number) % len(RECIPES)]


@pytest.mark.parametrize(("name", "form", "recipe"), some(_cases(), 6))
def test_twice_the_records_are_twice_the_work(
    name: str, form: Callable[[History], list[dict[str, Any]]], recipe: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(id_places, "_FEW", 0)  # a few are looked for in a way of their own

    def work(count: int) -> Callable[[], None]:
        file = file_of(form, SHAPES[name](count))
        return lambda: all_that_is_asked(*file, recipe)

    assert growing(work, SIZES) == []


@pytest.mark.parametrize("recipe", ["recommended", "minimal"])
@pytest.mark.parametrize("name", SHAPES)
def test_more_problems_are_not_judged_more_often(name: str, recipe: str) -> None:
    def judged(count: int) -> int:
        messages = anthropic(SHAPES[name](count))
        calls = calls_by_function(lambda: toolpair.repair(messages, "anthropic", recipe), frozenset({"mend", "judge"}))
        return calls["judge"]

    assert judged(12) <= judged(4)


def _conversation(number: int) -> list[dict[str, Any]]:
    return anthropic(_turns(1, lambda _: f"call_{number}", lambda _: []))


LAYOUTS: dict[str, Callable[[list[Any]], bytes]] = {
    "lists in a list": lambda found: json.dumps(found, indent=1).encode(),
    "requests in a list": lambda found: json.dumps([{"model": "m", "messages": one} for one in found]).encode(),
    "lists in a request": lambda found: json.dumps({"request": {"history": found}}).encode(),
    "requests in a text": lambda found: json.dumps(
        {"input": json.dumps([{"messages": one} for one in found])}
    ).encode(),
    "texts in requests": lambda found: json.dumps([{"messages": json.dumps(one)} for one in found], indent=1).encode(),
    "one a line": lambda found: b"".join(json.dumps({"messages": one}).encode() + b"\n" for one in found),
    "cut off": lambda found: json.dumps(found).encode()[:-9],
}


@pytest.mark.parametrize("layout", some(LAYOUTS, 3))
def test_twice_the_conversations_of_a_file_are_twice_the_work(layout: str) -> None:
    def asked(data: bytes) -> None:
        session = open_session("log.json", data=data)
        assert len(session.conversations) > 3
        assert all(found.problems for found in session.conversations)
        session.stage_recommended()
        session.to_bytes()

    def work(count: int) -> Callable[[], None]:
        data = LAYOUTS[layout]([_conversation(number) for number in range(count)])
        return lambda: asked(data)

    assert growing(work, SIZES) == []


@pytest.mark.parametrize(
    "layout", ["lists in a list", "requests in a list", "lists in a request", "requests in a text"]
)
def test_how_a_document_is_written_is_looked_at_once(layout: str) -> None:
    def looked(count: int) -> int:
        data = LAYOUTS[layout]([_conversation(number) for number in range(count)])
        return calls_by_function(lambda: open_session("log.json", data=data), frozenset({"detect"}))["detect"]

    assert looked(16) == looked(4)


def test_a_long_text_is_not_tried_from_each_quote_in_it() -> None:
    """How a text is written is told by its first bytes, which may end in the middle of a string full of quotes."""
    from toolpair.source.encode import COMPACT, detect

    for quotes in (1_000, 40_000):
        assert detect(b'["' + b'\\"a' * quotes) == COMPACT
