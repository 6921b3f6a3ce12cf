"""Codex's rollouts: which records cannot be a problem, told from each record and those just before it.

A rollout is one row of records. It is cut in front of an item of the model's behind the user's words or behind the last
output of a response. Compactions, turns that were taken back, messages between agents, forks, and whatever is written
in another way than Codex writes it leave the file to be judged as a whole.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import Any, Final

import orjson
from msgspec.structs import replace

from toolpair.formats.codex.cutting import BYTES, TOKENS, Limit, is_cut, limit_for
from toolpair.formats.codex.meta import unread_fields
from toolpair.formats.codex.readable import is_loaded, passes_through
from toolpair.formats.codex.reading import AGENT
from toolpair.formats.format import FileFacts
from toolpair.history.outline import LEAST, Cutter, Odd, Outline, Range, Read
from toolpair.history.scans.id_index import IdIndex
from toolpair.rules.crossed import may_be_crossed
from toolpair.rules.profiles import Profile
from toolpair.transcript.model import KEPT_OUTPUT, Transcript
from toolpair.transcript.placeholders import known_placeholder

START, ODD, WORDS, RESPONSE, ANSWERING, ANSWERED = range(6)
"""What was said last: nothing, something odd, the user's words, the model's items, some or all of their outputs."""
_LONG: Final = 2000
_MAY_BE_CUT: Final = BYTES.bytes // 4
"""Characters: no shorter output is cut."""
_SHOWN: Final = 400
_ENDS: Final = frozenset(
    {"token_count", "task_started", "turn_started", "task_complete", "turn_complete", "turn_aborted"}
)
"""Events that stand between two responses."""
_PASSED: Final = "internal_chat_message_metadata_passthrough"
_BESIDE: Final = frozenset({"type", "id", "status", "metadata", _PASSED})
_PHASES: Final = (None, "commentary", "final_answer")
_MESSAGE: Final = _BESIDE | {"role", "content", "phase", "end_turn"}
_REASONING: Final = _BESIDE | {"summary", "content", "encrypted_content"}
_FUNCTION: Final = _BESIDE | {"name", "arguments", "call_id"}
_CUSTOM: Final = _BESIDE | {"name", "input", "call_id"}
_SHELL: Final = _BESIDE | {"action", "call_id"}
_OUTPUT: Final = _BESIDE | {"output", "call_id"}
_PART: Final = frozenset({"type", "text", "annotations", "logprobs"})
_FAMILY: Final = {"function_call_output": "function", "custom_tool_call_output": "custom"}
_PASSED_BY: Final = frozenset({"ghost_snapshot"})
"""Items that Codex keeps out of its history."""
_OTHERS: Final = frozenset({"world_state", "inter_agent_communication_metadata", "retained_context"})
"""Records that tell nothing of the history."""


class _Whole(Exception):
    """Only the whole file can be judged."""


class RolloutAround:
    """What a scan remembers of a whole file."""

    def __init__(self) -> None:
        self.head = Transcript(())
        self.records = 0
        self.numbered = False
        self.gaps = array("q")
        """The records in front of which ordinals are left out."""
        self.events = IdIndex()
        """Events that tell of a call, away from that."""

    def inside(self, outline: Outline, wanted: Range, read: Read) -> FileFacts:
        """What stands around the records of a range."""
        end = outline.windows[wanted.stop - 1].end
        numbered = None
        if self.numbered:
            at = bisect_left(self.gaps, end)
            gap = self.gaps[at] if at < len(self.gaps) else self.records
            numbered = self.records - end, gap - end
        return FileFacts(head=self.head, numbered=numbered, copies=lambda ids: self.events.items(ids, read))


class CodexScan(Cutter[None]):
    """Reads a rollout once."""

    sends: frozenset[str] | None = frozenset({"response_item"})

    def __init__(self, profile: Profile, least: int = LEAST) -> None:
        super().__init__(profile, least)
        self._number = self._first = 0
        self._messages = self._calls = self._rows = self._items = 0
        self._state = START
        self._asked: list[tuple[str, str]] = []
        """Of the calls of the response that was read last their ids and families."""
        self._given: list[Any] = []
        self._texts: list[str] = []
        self._called = False
        """The last item of the response is a call."""
        self._ended = False
        """A response ended behind it."""
        self._ends = False
        """The file notes where responses end."""
        self._thought = False
        """The last item is reasoning that something of the model's has to follow."""
        self._cut_by = {TOKENS: 0, BYTES: 0}
        """How many outputs of the stretch would be cut, by what holds for the model that is named last."""
        self._cut_in: list[dict[Limit, int]] = []
        """The same of the stretches before."""
        self._item_ids = array("q")
        """Hashes of the ids of all items."""
        self._begins = [0]
        """By the number of a stretch: how many of these are of those before."""
        self._last = 0
        """The ordinal before."""
        self._said = False
        """There was an item that is sent."""
        self._meta: dict[str, Any] = {}
        self._model: str | None = None
        self.around = RolloutAround()

    def feed(self, values: Iterable[Any]) -> None:
        number, numbered = self._number, self.around.numbered
        try:
            for value in values:
                # What lacks a key, or has another type there, is no record of the versions that are known.
                kind, payload = value["type"], value["payload"]
                if type(value["timestamp"]) is not str or type(payload) is not dict:
                    raise _Whole
                if numbered:
                    ordinal = value["ordinal"]
                    if type(ordinal) is not int or ordinal != self._last + 1:
                        self._leave_out(ordinal, number)
                    self._last = ordinal
                elif number and "ordinal" in value:
                    raise _Whole
                if kind == "response_item":
                    self._item(payload, number)
                elif kind == "event_msg":
                    self._event(payload, number)
                elif kind == "token_usage_record":
                    self._ended = self._ends = True
                elif kind == "turn_context":
                    self._ended = self._ends = True
                    model = payload.get("model")
                    self._model = model if type(model) is str and model else self._model
                elif kind == "session_meta" and not number:
                    self._begin_file(value, payload)
                    numbered = self.around.numbered
                elif kind not in _OTHERS:
                    raise _Whole
                number += 1
                if number == 1 and not self._meta:
                    raise _Whole
        except (_Whole, KeyError, TypeError):
            self.whole = True
        self._number = number

    # Records about the session

    def _begin_file(self, value: dict[str, Any], payload: dict[str, Any]) -> None:
        if "history_base" in payload or unread_fields(value):
            raise _Whole
        if "ordinal" in value:
            if type(value["ordinal"]) is not int:
                raise _Whole
            self.around.numbered, self._last = True, value["ordinal"]
        elif payload.get("history_mode") == "paginated":
            raise _Whole
        self._meta = payload

    def _leave_out(self, ordinal: Any, number: int) -> None:
        if type(ordinal) is not int or ordinal <= self._last:
            raise _Whole
        self.around.gaps.append(number)

    def _event(self, payload: dict[str, Any], number: int) -> None:
        event = payload["type"]
        if event in _ENDS:
            self._ended = self._ends = True
        elif event == "thread_rolled_back":
            raise _Whole
        here, ids = len(self.done), self.ids
        id_, item = payload.get("call_id"), payload.get("item")
        if type(id_) is str and ids.get(id_) != here:
            self.around.events.note(id_, number)
        if type(item) is dict:
            id_ = item.get("id")
            if type(id_) is str and ids.get(id_) != here:
                self.around.events.note(id_, number)

    # Items

    def _item(self, item: dict[str, Any], number: int) -> None:
        kind = item.get("type")
        if kind in _PASSED_BY:
            return
        try:
            id_ = item.get("id")
            if id_ is not None and (type(id_) is not str or not 0 < len(id_) <= self.id_max):
                raise Odd
            status, passed = item.get("status"), item.get(_PASSED)
            if (status is not None and type(status) is not str) or (passed is not None and not passes_through(passed)):
                raise Odd
            if kind == "function_call_output" or kind == "custom_tool_call_output":
                self._output(item, _FAMILY[kind])
            elif kind == "function_call":
                self._function(item, id_, number)
            elif kind == "reasoning":
                self._reasoning(item, id_, number)
            elif kind == "message":
                self._message(item, id_, number)
            elif kind == "custom_tool_call":
                self._custom(item, id_, number)
            elif kind == "local_shell_call":
                self._shell(item, number)
            else:
                raise Odd
        except (Odd, KeyError, TypeError):
            self._odd(item)
        else:
            if id_ is not None:
                self._item_ids.append(hash(id_))
            self._items += 1
            self._said = True

    def _odd(self, item: dict[str, Any]) -> None:
        if not self._said:
            raise _Whole  # how the first item is written tells how all are
        self._state = ODD
        self._thought = False
        self.suspect = True
        self._messages += 1
        self.note(item.get("call_id"))
        id_ = item.get("id")
        if type(id_) is str and id_:
            self._item_ids.append(hash(id_))
            if "call_id" not in item:
                self.note(id_)

    def _message(self, item: dict[str, Any], id_: str | None, number: int) -> None:
        content, role = item["content"], item["role"]
        if type(content) is not list or not content or (id_ is not None and not id_.startswith("msg")):
            raise Odd
        if not item.keys() <= _MESSAGE or item.get("phase") not in _PHASES:
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
        if not text or text[0].isspace():
            text = "\n".join([part["text"] for part in content])
        if text.startswith(KEPT_OUTPUT):
            raise Odd
        row = bool(text[:_SHOWN].strip())
        if role == "assistant":
            self._speak(number)
        elif role == "user" or role == "developer":
            state = self._state
            if state == ANSWERING or self._thought or (state == RESPONSE and self._asked):
                raise Odd
            self._messages += 1
            if state != ODD:
                self._state = WORDS
        else:
            raise Odd
        self._called = self._thought = False
        self._rows += row

    def _reasoning(self, item: dict[str, Any], id_: str | None, number: int) -> None:
        if not item.keys() <= _REASONING or (id_ is not None and not id_.startswith("rs")) or not is_loaded(item):
            raise Odd
        self._speak(number)
        self._called = False
        self._thought = id_ is not None

    def _function(self, item: dict[str, Any], id_: str | None, number: int) -> None:
        raw, name = item["arguments"], item["name"]
        if (
            not item.keys() <= _FUNCTION
            or (id_ is not None and not id_.startswith("fc"))
            or type(raw) is not str
            or (name not in self.names and not self.takes(name))
        ):
            raise Odd
        try:
            given = orjson.loads(raw)
        except ValueError:
            raise Odd from None
        if type(given) is not dict:
            raise Odd
        self._call(item["call_id"], "function", given, number)

    def _custom(self, item: dict[str, Any], id_: str | None, number: int) -> None:
        name = item["name"]
        if (
            not item.keys() <= _CUSTOM
            or (id_ is not None and not id_.startswith("ctc"))
            or type(item["input"]) is not str
            or (name not in self.names and not self.takes(name))
        ):
            raise Odd
        self._call(item["call_id"], "custom", item["input"], number)

    def _shell(self, item: dict[str, Any], number: int) -> None:
        if not item.keys() <= _SHELL or not is_loaded(item):
            raise Odd
        self._call(item["call_id"], "function", item["action"], number)

    def _call(self, id_: Any, family: str, given: Any, number: int) -> None:
        if type(id_) is not str or not self.id_min <= len(id_) <= self.id_max:
            raise Odd
        if self.accepts_id is not None and not self.accepts_id(id_):
            raise Odd
        self._speak(number)
        ids, here = self.ids, len(self.done)
        if id_ in ids:
            self.suspect = True
            self.joined.append((ids[id_], here))
        else:
            ids[id_] = here
        self._asked.append((id_, family))
        self._given.append(given)
        self._calls += 1
        self._rows += 1
        self._called, self._ended, self._thought = True, False, False

    def _speak(self, number: int) -> None:
        """An item of the model's: one more of a response, or the first of one."""
        state = self._state
        if state == RESPONSE:
            if self._called and self._ended:
                raise Odd  # the response before waits
            return
        if state == ANSWERING:
            raise Odd
        if state in (ANSWERED, WORDS) and (self.suspect or self._messages >= self.least):
            gaps = self.around.gaps
            if not gaps or gaps[-1] != number:
                self._cut(number)
        self._state = RESPONSE
        self._messages += 1
        self._asked, self._given, self._texts = [], [], []
        self._called = False

    def _output(self, item: dict[str, Any], family: str) -> None:
        """The output of the next of the calls that wait."""
        state = self._state
        if (state != RESPONSE and state != ANSWERING) or self._thought or not item.keys() <= _OUTPUT:
            raise Odd
        texts, asked = self._texts, self._asked
        id_, wanted = asked[len(texts)] if len(texts) < len(asked) else ("", "")
        if item["call_id"] != id_ or family != wanted:
            raise Odd
        said = item["output"]
        if type(said) is not str:
            said = _joined(said)
        if (len(said) < _LONG or said[0].isspace()) and (
            not said or said.isspace() or (len(said) < _LONG and known_placeholder(said) is not None)
        ):
            raise Odd
        if len(asked) > 1 and len(texts) + 1 == len(asked) and may_be_crossed(self._given, [*texts, said]):
            raise Odd
        if len(said) > _MAY_BE_CUT:
            for limit in self._cut_by:
                self._cut_by[limit] += is_cut(item, limit)
        texts.append(said)
        self._messages += 1
        self._state = ANSWERED if len(texts) == len(asked) else ANSWERING

    # The stretches

    def _cut(self, number: int) -> None:
        self.close(self._first, number, self._messages, self._calls, self._rows, self._calls)
        self.done[-1].items = self._items
        self._cut_in.append(self._cut_by)
        self._cut_by = {TOKENS: 0, BYTES: 0}
        self._first = number
        self._messages = self._calls = self._rows = self._items = 0
        self._begins.append(len(self._item_ids))

    def outline(self) -> Outline | None:
        if self.whole or not self._ends or not self._said:
            return None
        waits = self._state == RESPONSE and bool(self._asked)
        if self._state in (ODD, ANSWERING) or waits or self._thought:
            self.suspect = True
        end = self._number
        if end > self._first:
            self._cut(end)
            self._first = end
        if len(set(self._item_ids)) < len(self._item_ids):
            self._join_copies()
        limit = limit_for(self._model)
        for window, cut in zip(self.done, self._cut_in, strict=True):
            window.shortened = cut[limit]
        found = super().outline()
        if found is None:
            return None
        around = self.around
        around.head, around.records = self._head(), end
        return replace(found, head=around.head, around=around, named=self._stretches_with_item)

    def _stretches_with_item(self, id_: str) -> set[int]:
        wanted = hash(id_)
        return {self._stretch_of(number) for number, known in enumerate(self._item_ids) if known == wanted}

    def _join_copies(self) -> None:
        """Stretches in which items have the same id belong together."""
        first: dict[int, int] = {}
        for number, id_ in enumerate(self._item_ids):
            known = first.setdefault(id_, number)
            if known != number:
                self.joined.append((self._stretch_of(known), self._stretch_of(number)))

    def _stretch_of(self, number: int) -> int:
        return min(bisect_right(self._begins, number) - 1, len(self.done) - 1)

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


def _joined(parts: Sequence[Any]) -> str:
    """What an output in parts says, where each is words."""
    if type(parts) is not list or not parts:
        raise Odd
    for part in parts:
        if part["type"] != "input_text" or len(part) != 2 or type(part["text"]) is not str or not part["text"]:
            raise Odd
    return "\n".join([part["text"] for part in parts])
