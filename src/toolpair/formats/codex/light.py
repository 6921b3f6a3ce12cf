"""Quick reading of Codex's records: which items are well-formed, and what events and other records add about them.

Compactions, rolled-back turns, messages between agents, forks, and anything not written the way Codex writes it mean
that
the file must be checked as a whole.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Any, Final

import orjson

from toolpair.formats.codex.cutting import BYTES, TOKENS, is_cut, limit_for
from toolpair.formats.codex.meta import unread_fields
from toolpair.formats.codex.readable import is_loaded, passes_through
from toolpair.formats.codex.reading import AGENT
from toolpair.formats.codex.rollout_lines import LEVELS, Ordinals, is_too_deep
from toolpair.formats.engine.reading.id_index import IdIndex
from toolpair.formats.engine.reading.light import (
    ANSWERED,
    CALL,
    MODEL,
    RESULT,
    SAME,
    TEXT,
    THINKING,
    USER,
    WORDS,
    Event,
    Finding,
    Light,
    Odd,
    Whole,
    parsed,
)
from toolpair.formats.format import FileFacts, Read, View
from toolpair.transcript.model import Transcript

_ENVELOPE: Final = 4
"""How many keys a record has."""
_MAY_BE_CUT: Final = BYTES.bytes // 4
"""In characters: no shorter output is ever cut."""
_ENDS: Final = frozenset(
    {"token_count", "task_started", "turn_started", "task_complete", "turn_complete", "turn_aborted"}
)
"""Events that lie between two responses."""
_PASSED: Final = "internal_chat_message_metadata_passthrough"
_BESIDE: Final = frozenset({"type", "id", "status", "metadata", _PASSED})
_PHASES: Final = (None, "commentary", "final_answer")
_KEYS: Final = {
    "message": _BESIDE | {"role", "content", "phase", "end_turn"},
    "reasoning": _BESIDE | {"summary", "content", "encrypted_content"},
    "function_call": _BESIDE | {"name", "arguments", "call_id"},
    "custom_tool_call": _BESIDE | {"name", "input", "call_id"},
    "local_shell_call": _BESIDE | {"action", "call_id"},
    "function_call_output": _BESIDE | {"output", "call_id"},
    "custom_tool_call_output": _BESIDE | {"output", "call_id"},
}
_BEGINS: Final = {"message": "msg", "reasoning": "rs", "function_call": "fc", "custom_tool_call": "ctc"}
"""Item type -> the prefix of its ids."""
_PART: Final = frozenset({"type", "text", "annotations", "logprobs"})
_SHALLOW: Final = LEVELS - 2
"""So many values in each other are read, within an item within a record."""
_NO_ITEMS: Final = frozenset({"ghost_snapshot"})
"""Items that Codex leaves out of its history."""
_OTHERS: Final = frozenset({"world_state", "inter_agent_communication_metadata", "retained_context"})
"""Records that do not affect the history."""


class CodexLight(Light):
    """A rollout is a sequence of records: items, and records about them."""

    calls_last = False
    native = True
    as_items = True
    words_after = Light.words_after | {WORDS, ANSWERED}
    sends = frozenset({"response_item"})

    def __init__(self) -> None:
        self._at = -1
        """The newest record in Codex's current form."""
        self._first_item = -1
        self._called = self._ended = False
        """The last item is a call; a response ended after it."""
        self._ends = False
        """The file records where responses end."""
        self._cut = {TOKENS: array("q"), BYTES: array("q")}
        """limit -> outputs longer than it. Which limit applies depends on the model named last."""
        self._ids, self._ids_at = array("q"), array("q")
        """Hashes of all item ids, and their record numbers."""
        self._meta: dict[str, Any] = {}
        self._model: str | None = None
        self._numbered = False
        self._ordinal = 0
        """The last ordinal."""
        self._gaps = array("q")
        """Records before which ordinals are missing."""
        self._events = IdIndex()
        """Events about calls, which are in other records than the calls."""

    def read(self, value: Any, number: int) -> Event | None:
        kind, payload = value["type"], value["payload"]
        if type(value["timestamp"]) is not str or type(payload) is not dict:
            raise Whole
        if self._numbered:
            self._count(value["ordinal"], number)
        elif number and "ordinal" in value:
            raise Whole
        if not self._meta and kind != "session_meta":
            raise Whole
        self._at = number
        if kind == "response_item":
            if len(value) > _ENVELOPE and _may_be_deep([value[key] for key in value if key != "payload"]):
                raise Odd
            return self._item(payload, number)
        if len(value) > _ENVELOPE and is_too_deep(value):
            raise Odd
        if kind == "event_msg":
            self._event(payload, number)
        elif kind == "token_usage_record":
            self._ended = self._ends = True
        elif kind == "turn_context":
            self._ended = self._ends = True
            model = payload.get("model")
            self._model = model if type(model) is str and model else self._model
        elif kind == "session_meta" and not number:
            self._begin(value, payload)
        elif kind not in _OTHERS:
            raise Whole
        return None

    def left(self, value: Any, number: int, strict: bool) -> tuple[Iterable[Any], int]:
        if self._at != number or value["type"] != "response_item" or self._first_item in (-1, number):
            raise Whole  # the form of the first item applies to all
        self._called = False
        item = value["payload"]
        id_ = item.get("id")
        if type(id_) is not str or not id_:
            return (item.get("call_id"),), 0
        if not self._ids_at or self._ids_at[-1] != number:
            self._name(id_, number)
        return ((item["call_id"],) if "call_id" in item else (id_,)), 0

    # Records about the session

    def _begin(self, value: dict[str, Any], payload: dict[str, Any]) -> None:
        if "history_base" in payload or unread_fields(value):
            raise Whole
        if "ordinal" in value:
            if type(value["ordinal"]) is not int:
                raise Whole
            self._numbered, self._ordinal = True, value["ordinal"]
        elif payload.get("history_mode") == "paginated":
            raise Whole
        self._meta = payload

    def _count(self, ordinal: Any, number: int) -> None:
        if type(ordinal) is not int or ordinal <= self._ordinal:
            raise Whole
        if ordinal != self._ordinal + 1:
            self._gaps.append(number)
        self._ordinal = ordinal

    def _event(self, payload: dict[str, Any], number: int) -> None:
        event = payload["type"]
        if event in _ENDS:
            self._ended = self._ends = True
        elif event == "thread_rolled_back":
            raise Whole
        item = payload.get("item")
        for id_ in (payload.get("call_id"), item.get("id") if type(item) is dict else None):
            if type(id_) is str and self.so_far.ids.get(id_, -1) < self.so_far.first:
                self._events.note(id_, number)

    # Items

    def _item(self, item: dict[str, Any], number: int) -> Event | None:
        kind, id_ = item["type"], item.get("id")
        if kind in _NO_ITEMS:
            return None
        if self._first_item < 0:
            self._first_item = number
        elif self._gaps and self._gaps[-1] == number:
            raise Odd  # a record inserted before it would fill the gap
        status, passed = item.get("status"), item.get(_PASSED)
        if (
            not item.keys() <= _KEYS[kind]
            or _may_be_deep(item.values())
            or (status is not None and type(status) is not str)
            or (passed is not None and not passes_through(passed))
        ):
            raise Odd
        if id_ is not None:
            if not id_.startswith(_BEGINS.get(kind, "")) or not 0 < len(id_) <= 64:
                raise Odd
            self._name(id_, number)
        if kind == "function_call_output" or kind == "custom_tool_call_output":
            self._called = False
            return USER, (self._output(item, kind, number),), None
        if kind == "message" and item["role"] != "assistant":
            if item["role"] not in ("user", "developer"):
                raise Odd
            self._called = False
            return USER, (_words(item),), None
        if self._called and self._ended:
            raise Odd  # the previous response is still waiting
        self._called = False
        if kind == "message":
            return MODEL, (_words(item),), SAME
        if kind == "reasoning":
            if not is_loaded(item):
                raise Odd
            return MODEL, ((THINKING, 0, id_ is not None),), SAME
        self._called, self._ended = True, False
        return MODEL, (_call(item, kind),), SAME

    def _name(self, id_: str, number: int) -> None:
        self._ids.append(hash(id_))
        self._ids_at.append(number)

    def _output(self, item: dict[str, Any], kind: str, number: int) -> tuple[Any, ...]:
        said = item["output"]
        if type(said) is not str:
            said = _joined(said)
        if len(said) > _MAY_BE_CUT:
            for limit, at in self._cut.items():
                if is_cut(item, limit):
                    at.append(number)
        return RESULT, item["call_id"], said, "function" if kind == "function_call_output" else "custom", False

    # At the end

    def finish(self) -> Finding | None:
        if not self._ends or self._first_item < 0:
            return None
        head = self._head()

        def around(first: int, end: int, count: int, read: Read) -> FileFacts:
            numbered = None
            if self._numbered:
                at = bisect_left(self._gaps, end)
                gap = self._gaps[at] if at < len(self._gaps) else count
                numbered = Ordinals(count - end, gap - end, not self._gaps)
            return FileFacts(
                head=head,
                agent_facts=numbered,
                copies=lambda ids: self._events.items(ids, read, first, end),
            )

        return Finding(
            joined=self._copies(),
            shortened=self._cut[limit_for(self._model)],
            head=head,
            around=around,
            named=lambda id_: [at for known, at in zip(self._ids, self._ids_at, strict=True) if known == hash(id_)],
        )

    def _copies(self) -> list[tuple[int, int]]:
        """Pairs of items with the same id, which must be checked together."""
        if len(set(self._ids)) == len(self._ids):
            return []
        first: dict[int, int] = {}
        pairs = ((first.setdefault(id_, at), at) for id_, at in zip(self._ids, self._ids_at, strict=True))
        return [(known, at) for known, at in pairs if known != at]

    def _head(self) -> Transcript:
        def told(key: str) -> str | None:
            found = self._meta.get(key)
            return found if isinstance(found, str) and found else None

        return Transcript(
            (),
            layout="tool_messages",
            native=True,
            agent=AGENT,
            agent_version=told("cli_version"),
            session_id=told("id"),
            folder=told("cwd"),
            model=self._model,
        )


def _may_be_deep(fields: Iterable[Any]) -> bool:
    """Whether so many values begin in fields of a record that they may be nested deeper than Codex's parser goes."""
    nested = [field for field in fields if type(field) is dict or type(field) is list]
    if not nested:
        return False
    written = orjson.dumps(nested)
    return written.count(b"[") + written.count(b"{") > _SHALLOW


def _call(item: dict[str, Any], kind: str) -> tuple[Any, ...]:
    if kind == "function_call":
        return CALL, item["call_id"], item["name"], parsed(item["arguments"]), "function"
    if kind == "custom_tool_call":
        if type(item["input"]) is not str:
            raise Odd
        return CALL, item["call_id"], item["name"], item["input"], "custom"
    if not is_loaded(item):
        raise Odd
    return CALL, item["call_id"], "local_shell", item["action"], "function"


def _words(item: dict[str, Any]) -> tuple[Any, ...]:
    content = item["content"]
    if type(content) is not list or item.get("phase") not in _PHASES:
        raise Odd
    for part in content:
        kind = part["type"]
        if (
            (kind != "input_text" and kind != "output_text")
            or type(part["text"]) is not str
            or not (len(part) == 2 or part.keys() <= _PART)
        ):
            raise Odd
    text = content[0]["text"]
    return TEXT, text if text and not text[0].isspace() else "\n".join([part["text"] for part in content])


def _joined(parts: Sequence[Any]) -> str:
    """The text of an output in parts, all of which must be text. Raises Odd."""
    if type(parts) is not list or not parts:
        raise Odd
    for part in parts:
        if part["type"] != "input_text" or len(part) != 2 or type(part["text"]) is not str or not part["text"]:
            raise Odd
    return "\n".join([part["text"] for part in parts])


def light(view: View) -> Light:
    return CodexLight()
