"""Mistral Vibe's sessions as it writes them, and many ways in which they break. Every output says a word of its own."""

from __future__ import annotations

import json
from itertools import combinations
from typing import Any

from tests.broken_sessions import UNLINKED, Breaks, Places, Planted, Record, break_lines, lines, tell, word

NAME = "session_20260101_000000_5a1f3c8e/messages.jsonl"
_NUMBERS = {name: number for number, name in enumerate(("one", "two", "three", "four", "five", "six"))}


def id_of(name: str) -> str:
    return f"Ab{_NUMBERS[name]}dEf{_NUMBERS[name]}Gh"


def call(name: str) -> Record:
    arguments = json.dumps({"command": f"echo {name}"})
    return {"id": id_of(name), "index": 0, "function": {"name": "bash", "arguments": arguments}, "type": "function"}


def output(name: str, text: str | None = None) -> Record:
    said = word(name) if text is None else text
    return {"role": "tool", "content": said, "injected": False, "name": "bash", "tool_call_id": id_of(name)}


class VibeSession:
    def __init__(self) -> None:
        self.records: list[Record] = []

    def _add(self, role: str, text: str, **more: Any) -> None:
        id_ = f"00000000-0000-4000-8000-{len(self.records):012}"
        self.records.append({"role": role, "content": text, "injected": False, **more, "message_id": id_})

    def user(self, text: str) -> None:
        self._add("user", text)

    def says(self, text: str, *names: str) -> None:
        self._add("assistant", text, **({"tool_calls": [call(name) for name in names]} if names else {}))

    def result(self, name: str) -> None:
        self.records.append(output(name))

    def data(self) -> bytes:
        return lines(self.records)


def sound() -> VibeSession:
    made = VibeSession()
    tell(made)
    return made


AT = Places(*range(len(sound().records)))
BREAKS = _breaks = Breaks(sound)
corpus = _breaks.corpus
break_lines(
    _breaks,
    AT,
    UNLINKED,
    but=("parent_null", "cycle"),
)
broken = _breaks


@broken()
def _ids_differ(records: list[Any]) -> None:
    records[AT.one]["tool_call_id"] = id_of("one").lower() + "x"


@broken()
def _one_id_twice_in_a_message(records: list[Any]) -> None:
    records[AT.more]["tool_calls"][1]["id"] = id_of("two")
    records[AT.three]["tool_call_id"] = id_of("two")


@broken()
def _an_id_again(records: list[Any]) -> None:
    records[AT.calls]["tool_calls"][0]["id"] = id_of("one")
    records[AT.five]["tool_call_id"] = id_of("one")


@broken("one", "three")
def _two_results_lost(records: list[Any]) -> None:
    records[:] = [one for one in records if one.get("tool_call_id") not in (id_of("one"), id_of("three"))]


@broken("one", "two", "three", "four")
def _compacted(records: list[Any]) -> None:
    summary = {"role": "user", "content": "SO FAR", "injected": True, "context_boundary": "compaction"}
    records.insert(AT.once, {**summary, "message_id": "00000000-0000-4000-8000-00000000000a"})


@broken("one", "two", "three", "four")
def _compacted_as_before(records: list[Any]) -> None:
    text = "<previous_user_messages>Begin.</previous_user_messages><compaction_summary>SO FAR</compaction_summary>"
    summary = {"role": "user", "content": text, "injected": True}
    records.insert(AT.once, {**summary, "message_id": "00000000-0000-4000-8000-00000000000a"})


def together() -> dict[str, Planted]:
    """Two and three results lost, moved or renamed at once."""
    ways = ("one", "two", "four", "five")
    made: dict[str, Planted] = {}
    for some in (*combinations(ways, 2), *combinations(ways, 3)):
        for way in ("lost", "late", "renamed"):
            records = sound().records
            for name in some:
                at = next(n for n, one in enumerate(records) if one.get("tool_call_id") == id_of(name))
                if way == "renamed":
                    records[at]["tool_call_id"] = id_of(name).lower()
                else:
                    taken = records.pop(at)
                    records += [taken] if way == "late" else []
            kept = tuple(
                word(name) for name in ("one", "two", "three", "four", "five") if way != "lost" or name not in some
            )
            made[f"{way}: {', '.join(some)}"] = Planted(lines(records), kept)
    return made
