"""Conversations as OpenHands keeps them, with planted defects."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

Json = dict[str, Any]
Events = list[Json]
ID = "47a38f70-801a-4c76-8000-000000000001"
NAME = ID.replace("-", "")


def id_of(number: int) -> str:
    return f"{number:08x}-0000-4000-8000-000000000000"


def event(number: int, kind: str, source: str = "agent", **fields: Any) -> Json:
    return {"id": id_of(number), "timestamp": "2026-01-01T00:00:00", "source": source, **fields, "kind": kind}


def system(number: int) -> Json:
    return event(number, "SystemPromptEvent", system_prompt={"type": "text", "text": "You help."}, tools=[])


def said(number: int, words: str, source: str = "user") -> Json:
    role = "user" if source == "user" else "assistant"
    message = {"role": role, "content": [{"type": "text", "text": words}]}
    return event(number, "MessageEvent", source, llm_message=message)


def call(number: int, id_: str, response: str = "", thought: str = "") -> Json:
    """A call of the one tool that every agent of OpenHands has."""
    return event(
        number,
        "ActionEvent",
        thought=[{"type": "text", "text": thought}] if thought else [],
        thinking_blocks=[],
        action={"thought": id_, "kind": "ThinkAction"},
        tool_name="think",
        tool_call_id=id_,
        tool_call={"id": id_, "name": "think", "arguments": json.dumps({"thought": id_}), "origin": "completion"},
        llm_response_id=response or f"r-{id_}",
    )


def gives(number: int, id_: str, action: int, words: str = "") -> Json:
    observed = {
        "content": [{"type": "text", "text": words or f"OUT-{id_}"}],
        "is_error": False,
        "kind": "ThinkObservation",
    }
    fields = {"tool_name": "think", "tool_call_id": id_, "observation": observed, "action_id": id_of(action)}
    return event(number, "ObservationEvent", "environment", **fields)


def failed(number: int, id_: str) -> Json:
    return event(number, "AgentErrorEvent", tool_name="think", tool_call_id=id_, error=f"ERROR-{id_}")


def sound() -> Events:
    return [
        system(0),
        said(1, "begin"),
        call(2, "call_a1", thought="let me"),
        gives(3, "call_a1", 2),
        call(4, "call_b1", "rb"),
        call(5, "call_b2", "rb"),
        gives(6, "call_b1", 4),
        gives(7, "call_b2", 5),
        said(8, "more"),
        call(9, "call_c1"),
        failed(10, "call_c1"),
        call(11, "call_d1"),
        gives(12, "call_d1", 11),
        said(13, "done", "agent"),
    ]


def chained(events: Events) -> Events:
    """The events, each linked to the one before it."""
    ids = [None, *(one["id"] for one in events)]
    return [one if id_ is None else {**one, "parent_id": id_} for one, id_ in zip(events, ids, strict=False)]


def conversation(root: Path, events: Events, **state: Any) -> Path:
    """The folder of a conversation of these events, named by their places."""
    folder = root / "conversations" / NAME
    (folder / "events").mkdir(parents=True)
    for number, one in enumerate(events):
        (folder / "events" / f"event-{number:05}-{one['id']}.json").write_text(json.dumps(one))
    (folder / "events" / f".eventlog-len-{len(events)}.marker").write_text("")
    agent = {"llm": {"model": "openai/mock", "usage_id": "default"}, "tools": [], "kind": "Agent"}
    about: Json = {"id": ID, "agent": agent, "workspace": {"working_dir": "/somewhere", "kind": "LocalWorkspace"}}
    about |= {"leaf_event_id": events[-1]["id"], **state}
    (folder / "base_state.json").write_text(json.dumps({key: one for key, one in about.items() if one is not None}))
    return folder


def _without(number: int) -> Callable[[Events], None]:
    def plant(events: Events) -> None:
        events[:] = [one for one in events if one["id"] != id_of(number)]

    return plant


def _with(number: int, **fields: Any) -> Callable[[Events], None]:
    def plant(events: Events) -> None:
        for one in events:
            if one["id"] == id_of(number):
                one |= fields

    return plant


def _moved(number: int, behind: int) -> Callable[[Events], None]:
    def plant(events: Events) -> None:
        one = next((one for one in events if one["id"] == id_of(number)), None)
        at = next((place for place, other in enumerate(events) if other["id"] == id_of(behind)), None)
        if one is not None and at is not None:
            events.remove(one)
            at = next(place for place, other in enumerate(events) if other["id"] == id_of(behind))
            events.insert(at + 1, one)

    return plant


def _added(one: Json, behind: int) -> Callable[[Events], None]:
    def plant(events: Events) -> None:
        at = next((place for place, other in enumerate(events) if other["id"] == id_of(behind)), len(events) - 1)
        events.insert(at + 1, dict(one))

    return plant


def _condensed(number: int, forgotten: tuple[int, ...], offset: int | None) -> Callable[[Events], None]:
    made = event(number, "Condensation", "environment", forgotten_event_ids=[id_of(one) for one in forgotten])
    made |= {"summary": "SO FAR", "llm_response_id": "rs"} | ({} if offset is None else {"summary_offset": offset})
    return _added(made, 8)


DEFECTS: dict[str, Callable[[Events], None]] = {
    "no_result": _without(3),
    "no_result_of_two": _without(7),
    "no_error": _without(10),
    "no_call": _without(2),
    "no_call_of_two": _without(5),
    "id_differs": _with(3, tool_call_id="call-a1"),
    "id_differs_of_two": _with(6, tool_call_id="call-b1"),
    "other_action": _with(12, action_id=id_of(77)),
    "second_result": _added(gives(20, "call_a1", 2, "OUT-second"), 3),
    "second_result_late": _added(gives(21, "call_a1", 2, "OUT-late"), 8),
    "error_and_result": _added(failed(22, "call_d1"), 11),
    "id_again": _with(12, tool_call_id="call_a1"),
    "late": _moved(12, 13),
    "words_between": _moved(8, 6),
    "early": _moved(3, 1),
    "cannot_run": _with(11, action=None),
    "thinks": _with(4, thinking_blocks=[{"type": "thinking", "thinking": "hm", "signature": "sig"}]),
    "second_thought": _with(5, thought=[{"type": "text", "text": "and"}]),
    "condensed": _condensed(40, (2, 3), 2),
    "condensed_a_pair_apart": _condensed(41, (2, 5), 1),
    "condensed_without_place": _condensed(42, (2, 3, 4, 5, 6, 7), None),
    "unanswered_end": _without(13),
}


def planted(seed: int = 7) -> Iterator[tuple[str, Events]]:
    """Each defect alone, and some of two and three together."""
    yield "sound", chained(sound())
    chance = random.Random(seed)
    names = [*((name,) for name in DEFECTS), *combinations(DEFECTS, 2)]
    names += [tuple(chance.sample(sorted(DEFECTS), 3)) for _ in range(60)]
    for some in names:
        events = sound()
        for name in some:
            DEFECTS[name](events)
        yield "+".join(some), chained(events)


def _file(folder: Path, number: int) -> Path:
    return next((folder / "events").glob(f"event-{number:05}-*"))


def _leaf(folder: Path, id_: str | None) -> None:
    path = folder / "base_state.json"
    about = json.loads(path.read_text())
    path.write_text(json.dumps({key: value for key, value in {**about, "leaf_event_id": id_}.items() if value}))


def _cut(folder: Path) -> None:
    path = _file(folder, 6)
    path.write_bytes(path.read_bytes()[:150])


def _empty(folder: Path) -> None:
    _file(folder, 6).write_bytes(b"")


def _lost(folder: Path) -> None:
    _file(folder, 6).unlink()


def _last_lost(folder: Path) -> None:
    _file(folder, 13).unlink()


def _no_leaf(folder: Path) -> None:
    _leaf(folder, None)


def _gap_without_leaf(folder: Path) -> None:
    """As versions wrote it that knew no links: what is behind the gap is forgotten."""
    _leaf(folder, None)
    _lost(folder)
    for path in (folder / "events").glob("event-*"):
        event = json.loads(path.read_text())
        event.pop("parent_id", None)
        path.write_text(json.dumps(event))


def _link_to_nowhere(folder: Path) -> None:
    path = _file(folder, 9)
    path.write_text(json.dumps({**json.loads(path.read_text()), "parent_id": id_of(77)}))


def _loop(folder: Path) -> None:
    path = _file(folder, 4)
    path.write_text(json.dumps({**json.loads(path.read_text()), "parent_id": id_of(9)}))


def _cut_beside(folder: Path) -> None:
    """An event of another way through the conversation."""
    (folder / "events" / f"event-00014-{id_of(50)}.json").write_text(json.dumps(said(50, "another"))[:40])


def _not_an_event(folder: Path) -> None:
    _file(folder, 6).write_text("[]")


def _holding(data: bytes) -> Callable[[Path], None]:
    """An output that says something odd."""

    def befall(folder: Path) -> None:
        path = _file(folder, 6)
        path.write_bytes(path.read_bytes().replace(b'"OUT-', b'"' + data + b"OUT-"))

    return befall


def _marked(folder: Path) -> None:
    path = _file(folder, 6)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())


def _key_twice(folder: Path) -> None:
    path = _file(folder, 6)
    path.write_bytes(
        path.read_bytes().replace(b'"kind": "ObservationEvent"', b'"source": "environment", "kind": "ObservationEvent"')
    )


def _cut_without_links(folder: Path) -> None:
    _gap_without_leaf(folder)
    (folder / "events" / f"event-00006-{id_of(6)}.json").write_text("{")


IN_FILES: dict[str, tuple[Callable[[Path], None], bool]] = {
    "cut": (_cut, False),
    "empty": (_empty, False),
    "lost": (_lost, False),
    "last_lost": (_last_lost, False),
    "no_leaf": (_no_leaf, True),
    "gap_without_leaf": (_gap_without_leaf, True),
    "link_to_nowhere": (_link_to_nowhere, False),
    "loop": (_loop, False),
    "cut_beside": (_cut_beside, True),
    "half_a_character": (_holding(rb"\ud83d"), False),
    "bad_utf8": (_holding(b"\xff"), False),
    "byte_order_mark": (_marked, False),
    "key_twice": (_key_twice, True),
    "cut_without_links": (_cut_without_links, False),
    "not_an_event": (_not_an_event, False),
}
"""What can befall the files, and whether OpenHands loads the conversation all the same."""


def kept_words(events: Events) -> list[str]:
    """What tools said, where no condensation has taken it out."""
    gone = {id_ for one in events for id_ in one.get("forgotten_event_ids", ())}
    found = []
    for one in events:
        if one["id"] not in gone:
            said = one.get("observation", {}).get("content", [])
            found += [one["error"]] if "error" in one else [part["text"] for part in said]
    return found
