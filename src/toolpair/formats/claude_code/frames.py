"""Reading records that are a window of a longer file, between sentinels for the records around them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from toolpair.dialects.anthropic import STAND_INS
from toolpair.formats.claude_code.history import ChainHistory
from toolpair.formats.claude_code.record_kinds import content_of, text_or_none, value_of
from toolpair.formats.format import FileFacts, Item, SentMessage
from toolpair.transcript.model import Block, Slot, StandIns, Transcript

_BEFORE: Final = -11
_TAIL: Final = -12
_PROMPT: Final = -13
_TAIL_UUID: Final = "\0behind"
_CALL: Final = "\0call"
_LATEST: Final = "9999-12-31T23:59:59.999Z"
"""Later than any record, for agents whose history ends at the newest record."""
_SLOT: Final = ("message", "content", 0)
_NAMED_IN: Final = {"tool_use": "id", "tool_result": "tool_use_id"}
"""The key that holds the id of a call, by the type of the part."""


class LogFacts(Struct, frozen=True):
    """What surrounds a window in this agent's files only."""

    on_results: bool = False
    """After the window there is no more user text, and the last turn breaks off."""
    leaf_before: bool = False
    """The agent's note on where the history ends names a record before the window."""
    first_uuids: tuple[str, ...] = ()
    """The uuids of the file's first records."""


def log_facts(surroundings: FileFacts) -> LogFacts:
    return surroundings.agent_facts if isinstance(surroundings.agent_facts, LogFacts) else LogFacts()


class ChainFrame(Struct, eq=False):
    """The window's records with their sentinels."""

    items: Sequence[Item]
    """All of them, in the order of the file."""
    stand_ins: dict[int, Item]
    """Sentinels by uid; the one right after the window has the uid of the record it replaces."""
    after: int | None
    """uid of the sentinel right after the window."""
    history: ChainHistory | None = None
    spills: bool = False
    """Reading the records depends on what is outside the window, so the whole file must be read."""
    by_block: bool = False

    @property
    def around(self) -> StandIns:
        return STAND_INS

    def without(self, items: Sequence[Item]) -> list[Item] | None:
        """The records without sentinels, after a change; None when a sentinel was changed too."""
        kept = [item for item in items if self.stand_ins.get(item.uid) is item]
        if len(kept) < len(self.stand_ins):
            return None
        return [item for item in items if item.uid not in self.stand_ins]

    @property
    def front(self) -> tuple[int, ...]:
        """The uid of the sentinel before the window."""
        return (_BEFORE,) if _BEFORE in self.stand_ins else ()

    @property
    def blocks(self) -> dict[tuple[int, Slot], Block]:
        """The sentinels' blocks, by (uid, slot)."""
        found: dict[tuple[int, Slot], Block] = {(_BEFORE, _SLOT): STAND_INS.before[0].blocks[0]}
        if self.after is not None:
            found[self.after, _SLOT] = STAND_INS.after[0].blocks[0]
            found[_TAIL, _SLOT] = STAND_INS.after[1].blocks[0]
        return found

    def theirs(self, sent: Sequence[SentMessage]) -> Sequence[SentMessage] | None:
        """The messages that are sent from these records; None when they merge with their neighbours."""
        first, end = 0, len(sent)
        for number, message in enumerate(sent):
            blocks = [part.block for part in message.parts]
            if any(block is STAND_INS.before[0].blocks[0] for block in blocks):
                if len(blocks) > 1 or number:
                    return None
                first = 1
            elif any(block is STAND_INS.after[0].blocks[0] for block in blocks):
                end = number
                break
        return sent[first:end]


def framed(items: Sequence[Item], surroundings: FileFacts) -> ChainFrame:
    """The records between their sentinels."""
    front: list[Item] = []
    after_items: list[Item] = []
    first = next((value for item in items if isinstance(value := value_of(item), dict) and value.get("uuid")), {})
    if surroundings.before:
        prompts = (
            text_or_none(item.value.get("promptId"))
            for item in surroundings.before
            if isinstance(item.value, dict) and item.value.get("type") == "user"
        )
        front = [Item(_BEFORE, _record(first, "user", first.get("parentUuid"), None, _words("user"), prompts))]
    leaf = first.get("parentUuid") if log_facts(surroundings).leaf_before else None
    if surroundings.after is not None:
        value = surroundings.after.value
        message = {**value["message"], "content": [_text()]}
        tail = _words("user")
        if log_facts(surroundings).on_results:
            message["content"].append({"type": "tool_use", "id": _CALL, "name": "_", "input": {}})
            tail["content"] = [{"type": "tool_result", "tool_use_id": _CALL, "content": "."}]
        after_items = [
            Item(surroundings.after.uid, {**value, "message": message}),
            Item(_TAIL, _record({"timestamp": _LATEST}, "user", _TAIL_UUID, value["uuid"], tail)),
        ]
        leaf = _TAIL_UUID
    if leaf is not None:
        after_items.append(Item(_PROMPT, {"type": "last-prompt", "leafUuid": leaf}))
    stand_ins = {item.uid: item for item in (*front, *after_items)}
    after = surroundings.after.uid if surroundings.after is not None else None
    return ChainFrame([*front, *items, *after_items], stand_ins, after)


def _text() -> dict[str, Any]:
    return {"type": "text", "text": "."}


def _words(role: str) -> dict[str, Any]:
    return {"role": role, "content": [_text()]}


def _record(
    like: dict[str, Any], type_: str, uuid: Any, parent: Any, message: Any, prompts: Iterable[str | None] = ()
) -> dict[str, Any]:
    value = {
        "parentUuid": parent,
        "isSidechain": False,
        "type": type_,
        "message": message,
        "uuid": uuid,
        "timestamp": like.get("timestamp"),
    }
    prompt = next((found for found in prompts if found is not None), None)
    return value if prompt is None else {**value, "promptId": prompt}


def unframed(transcript: Transcript, frame: ChainFrame, surroundings: FileFacts) -> Transcript:
    """The transcript without the sentinels, and with the head of the whole."""
    own = frame.stand_ins
    compacted = frame.history is not None and frame.history.boundary is not None
    messages = tuple(message for message in transcript.messages if not all(uid in own for uid in message.records))
    frame.spills = (
        any(uid in own for message in messages for uid in message.records)
        or any(boundary.cut is not None for boundary in transcript.boundaries)
        or (not compacted and any(scope == "inactive" for scope in transcript.scopes.values()))
        or bool(transcript.tree.broken or transcript.tree.branches)
    )
    head = surroundings.head
    return replace(
        transcript,
        messages=messages,
        agent_version=head.agent_version,
        agent_facts=head.agent_facts,
        session_id=head.session_id,
        folder=head.folder,
        model=head.model,
        thinking=head.thinking,
        scopes={uid: scope for uid, scope in transcript.scopes.items() if uid not in own},
        tree=transcript.tree if surroundings.after is None else replace(transcript.tree, retries=None),
        frame=frame,
    )


class WithCopies(Sequence[Item]):
    """The records, plus those elsewhere in the file that may hold copies of their calls' outputs, read during
    iteration.
    """

    def __init__(self, items: Sequence[Item], surroundings: FileFacts) -> None:
        self._items = items
        self._surroundings = surroundings

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, key: Any) -> Any:
        return self._items[key]

    def __iter__(self) -> Iterator[Item]:
        ids: dict[str, None] = {}
        for item in self._items:
            value = value_of(item)
            content = content_of(value) if isinstance(value, dict) else None
            if not isinstance(content, list) or value.get("type") not in ("assistant", "user"):
                continue
            for part in content:
                kind = part.get("type") if isinstance(part, dict) else None
                id_ = part.get(_NAMED_IN[kind]) if isinstance(kind, str) and kind in _NAMED_IN else None
                if isinstance(id_, str):
                    ids[id_] = None
        own = {item.uid for item in self._items}
        others = [item for item in self._surroundings.copies(ids) if item.uid not in own]
        first = self._items[0].uid if self._items else 0
        yield from (item for item in others if item.uid < first)
        yield from self._items
        yield from (item for item in others if item.uid > first)
