"""Sessions as Mistral Vibe keeps them in its newer store, with planted defects."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

ID = "6dcd7399-7f05-6641-eb88-afc096d51b0f"
Json = dict[str, Any]
Messages = list[Json]
ONE, TWO, THREE = "Ab0dEf0Gh", "Ab1dEf1Gh", "Ab2dEf2Gh"


def text(words: str) -> Json:
    return {"text": words, "type": "text"}


def call(id_: str) -> Json:
    arguments = {"raw": json.dumps({"command": id_}), "type": "json", "value": {"command": id_}}
    return {"arguments": arguments, "id": id_, "name": "bash", "type": "tool_call"}


def gives(id_: str, words: str = "") -> Json:
    content = [text(words or f"OUT-{id_}")]
    return {"content": content, "name": "bash", "outcome": "success", "role": "tool", "tool_call_id": id_}


SOUND: Messages = [
    {"content": [text("begin")], "role": "user"},
    {"content": [text("let me"), call(ONE), call(TWO)], "role": "assistant"},
    gives(ONE),
    gives(TWO),
    {"content": [{"content": [text("hm")], "type": "reasoning"}, text("done")], "role": "assistant"},
]


def sound() -> Messages:
    more: Messages = [
        {"content": [text("more")], "role": "user"},
        {"content": [call(THREE)], "role": "assistant"},
        gives(THREE),
        {"content": [text("all done")], "role": "assistant"},
    ]
    made: Messages = json.loads(json.dumps([*SOUND, *more]))
    return made


def store(root: Path, messages: Messages, *, journal: str = "", minor: int = 9) -> Path:
    """The folder of a session, its messages in chunks of two."""
    folder = root / "logs" / "session" / "unified" / ID
    generation = folder / "generations" / f"{8:016}"
    for one in (generation, folder / "chunks", folder / "journal"):
        one.mkdir(parents=True)

    def write(path: Path | None, value: Any) -> str:
        data = json.dumps(value, separators=(",", ":"), sort_keys=True).encode()
        digest = hashlib.sha256(data).hexdigest()
        (path or folder / "chunks" / f"{digest}.json").write_bytes(data + b"\n")
        return digest

    elements = [{"message": one, "source": "history", "turn_index": 0} for one in messages]
    chunks = [write(None, elements[start : start + 2]) for start in range(0, len(elements), 2)]
    checkpoint = {"checkpoint_version": 1, "context": {"messages": []}}
    held = {"path": "checkpoint.json", "sha256": write(generation / "checkpoint.json", checkpoint), "chunks": chunks}
    segment = {"first_sequence": 9, "path": f"journal/{9:016}.jsonl"}
    (folder / segment["path"]).write_text(journal)
    manifest = {"checkpoint": held, "recovery_journal_segment": segment, "generation": generation.name}
    current = {
        "generation": generation.name,
        "manifest_sha256": write(generation / "manifest.json", manifest),
        "session_id": ID,
        "store_format": "mistral.vibe.unified-session-store/v1",
        "store_format_minor": minor,
    }
    write(folder / "CURRENT", current)
    about = {"session_id": ID, "title": "A look", "environment": {"working_directory": "/work"}}
    (folder / "meta.json").write_text(json.dumps(about))
    return folder


def _result(messages: Messages, id_: str) -> int | None:
    return next((n for n, one in enumerate(messages) if one.get("tool_call_id") == id_), None)


def _without(id_: str) -> Callable[[Messages], None]:
    def plant(messages: Messages) -> None:
        messages[:] = [one for one in messages if one.get("tool_call_id") != id_]

    return plant


def _without_call(id_: str) -> Callable[[Messages], None]:
    def plant(messages: Messages) -> None:
        for one in messages:
            one["content"] = [part for part in one["content"] if part.get("id") != id_]
        messages[:] = [one for one in messages if one["content"]]

    return plant


def _named(id_: str, other: str) -> Callable[[Messages], None]:
    """Its result says another id."""

    def plant(messages: Messages) -> None:
        if (at := _result(messages, id_)) is not None:
            messages[at]["tool_call_id"] = other

    return plant


def _moved(id_: str, to: int) -> Callable[[Messages], None]:
    def plant(messages: Messages) -> None:
        if (at := _result(messages, id_)) is not None:
            messages.insert(to, messages.pop(at))

    return plant


def _added(one: Json, to: int) -> Callable[[Messages], None]:
    return lambda messages: messages.insert(to, dict(one))


def _id_again(messages: Messages) -> None:
    written = json.dumps(messages[6:]).replace(THREE, ONE)
    messages[6:] = json.loads(written)


DEFECTS: dict[str, Callable[[Messages], None]] = {
    "no_result": _without(THREE),
    "no_result_of_two": _without(TWO),
    "no_call": _without_call(THREE),
    "no_call_of_two": _without_call(ONE),
    "id_differs": _named(THREE, THREE.lower()),
    "id_elsewhere": _named(TWO, "Zz9yX8wVu"),
    "id_again": _id_again,
    "late": _moved(ONE, 5),
    "early": _moved(THREE, 1),
    "at_the_end": _moved(TWO, 99),
    "second_result": _added(gives(ONE, "OUT-second"), 4),
    "result_twice": _added(gives(ONE), 3),
    "words_between": _added({"content": [text("wait")], "role": "user"}, 3),
}


def planted() -> Iterator[tuple[str, Messages]]:
    """Each defect alone, two, and some of three together."""
    yield "sound", sound()
    for some in (*combinations(DEFECTS, 1), *combinations(DEFECTS, 2), *list(combinations(DEFECTS, 3))[::8]):
        messages = sound()
        for name in some:
            DEFECTS[name](messages)
        yield "+".join(some), messages
