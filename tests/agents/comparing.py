"""What the tests of every agent ask of it: is sent what the model says, and is a repaired session sent valid and whole?"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import pytest

from tests.agents.running import Messages, Resumed
from tests.formats.fixing import Open, errors, seen_of
from toolpair.formats.asking import PROMPT
from toolpair.formats.format import SentRequest
from toolpair.session.session import open_session

Row = tuple[str, str, str, str]
"""Role, kind, id and text of a part of a request."""
Differs = Callable[[SentRequest, Resumed], str | None]
"""Where a request differs from the model of it."""


class Kept(Protocol):
    """A broken session; `words` are those that a repaired one still sends."""

    @property
    def words(self) -> Sequence[str]: ...


def skip_for(reason: str | None) -> None:
    """Skips the tests where the agent cannot be asked."""
    if reason is not None:
        pytest.skip(reason)


def errors_of(messages: Messages, folder: Path, format: str = "openai-chat", profile: str | None = None) -> list[str]:
    """What an API has against a request without its system prompt, judged as a list of its own."""
    path = folder / "sent.json"
    path.write_text(json.dumps([message for message in messages if message["role"] != "system"]))
    return errors(open_session(path, format=format, profile=profile))


def row_difference(
    seen: SentRequest,
    resumed: Resumed,
    said: Callable[[SentRequest], Sequence[Any]],
    sent: Callable[[Messages], Sequence[Any]],
) -> str | None:
    """Where a request differs from the model of it, each as rows; or what is wrong if only one of them refuses, be it by
    beginning an empty session in place of this one.
    """
    if resumed.messages is not None and seen.refuses is None:
        return first_difference(said(seen), sent(resumed.messages))
    nothing = resumed.messages is None or not sent(resumed.messages)
    agree = nothing == (seen.refuses is not None)
    return None if agree else f"the model says {seen.refuses!r}, the agent says {resumed.note!r}"


def first_difference(said: Sequence[Any], sent: Sequence[Any]) -> str | None:
    """The first rows of the model that are sent otherwise; None if there are none."""
    first = next((n for n, (a, b) in enumerate(zip(said, sent, strict=False)) if a != b), min(len(said), len(sent)))
    return None if said == sent else f"row {first}: {said[first : first + 2]} is sent as {sent[first : first + 2]}"


def without_prompt(rows: Sequence[Row]) -> list[Row]:
    """The rows without the words that the agent was asked with, which end them. Rows may be without spaces."""
    role, kind, id_, text = rows[-1]
    prompt = PROMPT if text.endswith(PROMPT) else "".join(PROMPT.split())
    assert text.endswith(prompt)
    rest = text.removesuffix(prompt).strip()
    return [*rows[:-1], *([(role, kind, id_, rest)] if rest else [])]


def rows_of(messages: Iterable[dict[str, Any]], without: Callable[[str], str] = str) -> list[Row]:
    """The rows of messages in chat's form or in blocks; what is said in a row is one text, without spaces."""
    found: list[Row] = []

    def add(role: str, kind: str, id_: Any, text: Any) -> None:
        said = "".join(without(text if isinstance(text, str) else json.dumps(text)).split())
        if kind == "text" and found and found[-1][:2] == (role, "text"):
            found[-1] = (role, "text", "", found[-1][3] + said)
        elif said or kind != "text":
            found.append((role, kind, str(id_), said))

    for message in messages:
        role, content = message["role"], message.get("content")
        if role == "tool":
            add("user", "result", message.get("tool_call_id"), content)
        elif role != "system":
            parts = [{"type": "text", "text": content}] if isinstance(content, str) else list(content or ())
            parts += message.get("tool_calls") or []
            for part in sorted(parts, key=lambda part: part["type"] == "function"):
                match part["type"]:
                    case "tool_result":
                        add(role, "result", part["tool_use_id"], part["content"])
                    case "tool_use":
                        add(role, "call", part["id"], part["input"])
                    case "function":
                        add(role, "call", part["id"], part["function"]["arguments"])
                    case "thinking" | "redacted_thinking" | "media":
                        pass
                    case kind:
                        add(role, kind[:5], "", part.get("text", ""))
    return found


def modelled_rows(seen: SentRequest, without: Callable[[str], str] = str) -> list[Row]:
    messages = ({"role": one.role, "content": [part.value for part in one.parts]} for one in seen.messages)
    return rows_of(messages, without)


def seen_in(files: Mapping[str, bytes], opened: Open) -> Callable[[str], SentRequest]:
    """What the model says is sent of each of the files, by its name."""
    return lambda name: seen_of(opened(files[name]))


def all_differences(
    answers: Mapping[str, Resumed], seen: Callable[[str], SentRequest], differs: Differs
) -> dict[str, str]:
    """Name of a session -> how what is sent of it differs from what the model says."""
    found = {name: differs(seen(name), resumed) for name, resumed in answers.items()}
    return {name: said for name, said in found.items() if said is not None}


def all_faults(
    answers: Mapping[str, Resumed],
    planted: Mapping[str, Kept],
    seen: Callable[[str], SentRequest],
    differs: Differs,
    refused: Callable[[Messages], Sequence[str]],
) -> dict[str, str]:
    """Name of a repaired session -> what is wrong with what is sent of it: words are lost, or an API refuses it."""
    wrong: dict[str, str] = {}
    for name, resumed in answers.items():
        if resumed.messages is None:
            wrong[name] = f"does not resume: {resumed.note}"
            continue
        text = json.dumps(resumed.messages)
        gone = [said for said in planted[name].words if said not in text]
        against, other = refused(resumed.messages), differs(seen(name), resumed)
        if gone or against or other:
            wrong[name] = f"lost {gone}, refused for {against}, {other}"
    return wrong
