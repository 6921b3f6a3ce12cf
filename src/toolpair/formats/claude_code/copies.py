"""Copies of real tool outputs that Claude Code leaves in its files: where to look for a lost one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, Final

from msgspec import Struct, field

from toolpair.dialects.block_texts import text_of
from toolpair.formats.claude_code.output_files import FilesOfSession
from toolpair.formats.claude_code.outputs import said_by, without_reminder, worth_keeping
from toolpair.formats.claude_code.record_kinds import (
    CHAIN_TYPES,
    call_ids,
    message_id,
    parts_of_type,
    text_or_none,
    value_of,
)
from toolpair.formats.format import Beside, Item
from toolpair.transcript.id_shapes import usable
from toolpair.transcript.model import Block
from toolpair.transcript.output_copies import Copies, Copy

_CHOICES: Final = 5
"""Maximum different outputs shown to a person."""
_FIRST: Final = 20
"""How many of a session's first records identify a fork of it."""


def copies_of(items: Sequence[Item], beside: Beside | None = None, first: Sequence[str] | None = None) -> Copies:
    """The copies of outputs in the records and in the files beside them; read only when needed.

    `first` are the uuids of the file's first records, if `items` start later.
    """
    return _Found(items, beside, first)


class _InFile(Struct):
    """What one pass over the records finds: outputs by call id, the calls' records, and which ids are shared."""

    requests: dict[str, list[Copy]] = field(default_factory=lambda: defaultdict(list))
    unknown: dict[str, list[tuple[Copy, str | None]]] = field(default_factory=lambda: defaultdict(list))
    """Results in records of types that the agent does not know, with the uuid of the call's record."""
    details: dict[str, list[tuple[Copy, str | None]]] = field(default_factory=lambda: defaultdict(list))
    """With the uuid of the call's record, if known."""
    progress: dict[tuple[str, str | None], Copy] = field(default_factory=dict)
    """(call id, record of the call) -> the last report; with record None, the last of all."""
    results: dict[str, dict[str | None, Any]] = field(default_factory=lambda: defaultdict(dict))
    """id -> record of the call -> the result's content: these outputs belong to other calls."""
    calls: dict[str, list[tuple[str | None, Any]]] = field(default_factory=lambda: defaultdict(list))
    """id -> (record, input) of the calls with the id, one per distinct input."""
    answered: set[str] = field(default_factory=set)


class _Found(Copies):
    def __init__(self, items: Sequence[Item], beside: Beside | None, first: Sequence[str] | None) -> None:
        self._items = items
        self._beside = beside
        self._first = first
        self._known: dict[tuple[str, str | None, bool], Sequence[Copy]] = {}
        self._sent: dict[str, Sequence[Copy]] = {}
        self._linked: dict[str, dict[str, list[Copy]]] = {}

    @cached_property
    def _files(self) -> FilesOfSession | None:
        if self._beside is None:
            return None
        if self._first is None:
            return FilesOfSession(self._beside, _first_uuids(self._items))
        return FilesOfSession.of(self._beside, self._first)

    def not_searched(self, id_: str) -> str | None:
        return self._files.not_searched(id_) if self._files is not None else None

    def of_call(self, call: Block, is_open: bool = False) -> Sequence[Copy]:
        if not usable(call.id):
            return ()
        key = (call.id, call.link, is_open)
        if key not in self._known:
            self._known[key] = self._look(call, is_open)
        return self._known[key]

    def files_naming(self, id_: str) -> Sequence[str]:
        return self._files.naming(id_) if self._files is not None else ()

    # As a mapping: everything found by id alone.

    def __iter__(self) -> Iterator[str]:
        found = self._in_file
        for id_ in dict.fromkeys(
            (*found.unknown, *found.requests, *found.details, *(id_ for id_, _ in found.progress))
        ):
            if id_ in self:
                yield id_

    def _look(self, call: Block, is_open: bool) -> Sequence[Copy]:
        """The sources in order of trust: results, what was sent, what the agent recorded, other files."""
        found = self._in_file
        id_ = str(call.id)
        shared = len(found.calls.get(id_, ())) > 1
        own = [copy for copy, link in found.unknown.get(id_, ()) if not shared or link == call.link]
        copies = _chosen(own, set(), certain=True) or self._sent_for(id_)
        if copies:
            return copies
        linked = self._noted_by_link(id_).get(call.link, ()) if call.link is not None else ()
        if linked or not shared:
            copies = _chosen(linked or [copy for copy, _ in found.details.get(id_, ())], set(), certain=True)
            if copies:
                return copies
        if self._files is not None:
            copies = _chosen(self._files.outputs(call, self._unanswered, shared, is_open), set(), certain=True)
            if copies:
                return copies
        report = found.progress.get((id_, call.link if shared else None))
        return [report] if report is not None else ()

    def _sent_for(self, id_: str) -> Sequence[Copy]:
        """What was sent under an id; the same for all its calls."""
        if id_ not in self._sent:
            found = self._in_file
            calls, results = found.calls.get(id_, ()), found.results.get(id_, {})
            others = set(map(_text, results.values())) if len(calls) > 1 else set()
            # If all other calls of that id are answered, what is left over must belong to this one.
            certain = len(calls) <= 1 or len(calls) - len(results) <= 1
            self._sent[id_] = _chosen(found.requests.get(id_, ()), others, certain=certain)
        return self._sent[id_]

    def _noted_by_link(self, id_: str) -> Mapping[str, Sequence[Copy]]:
        known = self._linked.get(id_)
        if known is None:
            known = self._linked[id_] = defaultdict(list)
            for copy, link in self._in_file.details.get(id_, ()):
                if link is not None:
                    known[link].append(copy)
        return known

    @cached_property
    def _unanswered(self) -> Sequence[str]:
        """The ids of all calls without a real result; they are searched for together."""
        found = self._in_file
        return [id_ for id_ in found.calls if id_ not in found.answered]

    @cached_property
    def _in_file(self) -> _InFile:
        found = _InFile()
        calls_of_record: dict[str, list[Any]] = {}
        for given in self._items:
            value = value_of(given)
            if not isinstance(value, dict):
                continue
            item = given if value is given.value else Item(given.uid, value)
            match value.get("type"):
                case "assistant":
                    uuid = text_or_none(value.get("uuid"))
                    if uuid is not None:
                        calls_of_record[uuid] = call_ids(value)
                    _note_calls(found, value, uuid)
                case "api-request-blob":
                    for part in parts_of_type(value, "tool_result"):
                        content = without_reminder(part.get("content"))
                        if usable(part.get("tool_use_id")) and worth_keeping(content):
                            where = f"in the copy of an earlier request{_at(item)}"
                            error = part.get("is_error") is True
                            found.requests[part["tool_use_id"]].append(Copy(content, where, error))
                case "user":
                    self._note_results(found, item, calls_of_record)
                case "progress":
                    _note_progress(found, item)
                case kind if not isinstance(kind, str) or kind not in CHAIN_TYPES:
                    _note_unknown(found, item)
                case _:
                    pass
        return found

    def _note_results(self, found: _InFile, item: Item, calls_of_record: dict[str, list[Any]]) -> None:
        value = item.value
        parts = parts_of_type(value, "tool_result")
        link = text_or_none(value.get("sourceToolAssistantUUID")) or text_or_none(value.get("parentUuid"))
        empty = []
        for part in parts:
            id_ = part.get("tool_use_id")
            if usable(id_) and worth_keeping(part.get("content")):
                found.answered.add(id_)
                found.results[id_][link] = part.get("content")
            else:
                empty.append(id_)
        if "toolUseResult" not in value or len(parts) > 1:
            return
        ids = empty if parts else calls_of_record.get(link or "", [])
        if len(ids) != 1 or not usable(ids[0]):
            return
        details = value["toolUseResult"]
        said, error = said_by(details)
        if self._files is not None and isinstance(details, dict):
            said = self._files.persisted(details.get("persistedOutputPath")) or said
        if worth_keeping(said):
            where = f"in the details stored with the result{_at(item)}"
            found.details[ids[0]].append((Copy(said, where, error), link))


def _note_unknown(found: _InFile, item: Item) -> None:
    """Results in a record that the agent does not count as part of the conversation."""
    value = item.value
    for part in parts_of_type(value, "tool_result"):
        content = part.get("content")
        if usable(part.get("tool_use_id")) and worth_keeping(content):
            link = text_or_none(value.get("sourceToolAssistantUUID")) or text_or_none(value.get("parentUuid"))
            where = f"in a line of a type that Claude Code does not read{_at(item)}"
            copy = Copy(content, where, part.get("is_error") is True)
            found.unknown[part["tool_use_id"]].append((copy, link))


def _first_uuids(items: Sequence[Item]) -> Sequence[str]:
    uuids = (text_or_none(item.value.get("uuid")) for item in items if isinstance(item.value, dict))
    return list(islice((uuid for uuid in uuids if uuid is not None), _FIRST))


def _note_calls(found: _InFile, value: dict[str, Any], uuid: str | None) -> None:
    for part in parts_of_type(value, "tool_use"):
        id_, asked = part.get("id"), (message_id(value), part.get("name"), part.get("input"))
        if usable(id_) and all(asked != known for _, known in found.calls[id_][:_CHOICES]):
            found.calls[id_].append((uuid, asked))


def _note_progress(found: _InFile, item: Item) -> None:
    """Reports of a running call: what a command has printed so far, what a sub-agent said last."""
    value = item.value
    id_, data = value.get("parentToolUseID"), value.get("data")
    if not usable(id_) or not isinstance(data, dict):
        return
    said: Any = None
    if data.get("type") in ("bash_progress", "powershell_progress"):
        said = data.get("fullOutput") or data.get("output")
    elif data.get("type") == "agent_progress" and isinstance(data.get("message"), dict):
        message = data["message"]
        if message.get("type") == "assistant":
            said = "\n".join(str(part.get("text")) for part in parts_of_type(message, "text"))
    if isinstance(said, str) and worth_keeping(said):
        where = f"in the call's progress reports{_at(item)}"
        for record in (text_or_none(value.get("parentUuid")), None):
            found.progress[id_, record] = Copy(said, where, partial=True)


def _at(item: Item) -> str:
    return f", line {item.uid + 1:,}" if item.uid >= 0 else ""


def _text(content: Any) -> str:
    return text_of(without_reminder(content))


def _chosen(copies: Sequence[Copy], not_these: set[str], *, certain: bool) -> Sequence[Copy]:
    """One copy of each distinct output, naming the first of equal ones."""
    different: dict[str, Copy] = {}
    for copy in copies:
        text = _text(copy.content)
        if text not in not_these:
            different.setdefault(text, copy)
    found = list(different.values())[:_CHOICES]
    if certain:
        return found
    return [Copy(copy.content, copy.where, copy.is_error, copy.partial, certain=False) for copy in found]
