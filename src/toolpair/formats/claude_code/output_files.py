"""Files beside a Claude Code session that may hold an output: sub-agents', stored outputs, forked sessions."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

from toolpair.dialects.block_texts import arguments
from toolpair.formats.claude_code.outputs import as_persisted, persisted_at, without_reminder, worth_keeping
from toolpair.formats.claude_code.record_kinds import content_of, parts_of_type, text_or_none
from toolpair.formats.format import Beside
from toolpair.source.limits import GB, in_words
from toolpair.transcript.counting import plural
from toolpair.transcript.model import Block
from toolpair.transcript.output_copies import Copy

_MOST: Final = 2 * GB
"""Bytes of other sessions that are searched, those written last first."""
_BEGINNING: Final = 64 << 10
"""In bytes. A forked session starts with the records that it shares."""
_STARTING: Final = ("Agent", "Task")
"""The tools that start a sub-agent."""
_LEAST_ID: Final = 12
"""In characters. A shorter id such as `call_0` means nothing in another file."""


class FilesOfSession:
    """The session's own folder `<session id>/`, and the other sessions of its project."""

    @classmethod
    def of(cls, beside: Beside, uuids: Sequence[str]) -> FilesOfSession:
        """The same for all windows of a session."""
        return beside.once(f"files of the session that begins with {' '.join(uuids)}", lambda: cls(beside, uuids))

    def __init__(self, beside: Beside, uuids: Sequence[str]) -> None:
        """`uuids` are those of the session's first records."""
        self._beside = beside
        self._uuids = uuids
        self._lines: dict[str, Mapping[bytes, Sequence[bytes]]] = {}

    @cached_property
    def _own(self) -> str:
        return _stem(self._beside)

    def outputs(self, call: Block, unanswered: Iterable[str], shared: bool, is_open: bool) -> Sequence[Copy]:
        """The copies of one call's output from the most trusted place that has any; of a call that may be running still
        only what the session itself has.
        """
        forks = () if is_open else self._forks(call, unanswered, shared)
        return forks or self._sub_agent(call) or self._stored(call, shared)

    def not_searched(self, id_: str) -> str | None:
        """The other sessions that were too many bytes to look for this call in, as the beginning of a sentence."""
        sizes = self._others[1] if len(id_) >= _LEAST_ID else ()
        were = "was" if len(sizes) == 1 else "were"
        return f"{plural(len(sizes), 'other session')} ({in_words(sum(sizes))}) {were} not searched" if sizes else None

    def may_tell(self, id_: str, name: str, others: Iterable[str]) -> bool:
        """Whether any file may hold the output of a call of the tool `name`; `others` are ids to be looked up later."""
        if len(id_) >= _LEAST_ID:
            if any(self._lines_of(relative, id_, others) for relative in self._others[0]):
                return True
            if not {f"{id_}.txt", f"{id_}.json"}.isdisjoint(self._stored_names):
                return True
        return name in _STARTING and bool(self._beside.names(f"{self._own}/subagents"))

    def naming(self, id_: str) -> Sequence[str]:
        """The sub-agents' descriptions that name this call id."""
        return [meta for meta, named in self._sub_agents if named == id_]

    def persisted(self, path: Any) -> str | None:
        """The output that the agent stored under this path, as it would send it: searched for in its own folder."""
        if not isinstance(path, str) or not path:
            return None
        return self._persisted_text(_last_part(path), path)

    def _persisted_text(self, base: str, path: str) -> str | None:
        data = self._beside.read(f"{self._own}/tool-results/{base}") if base else None
        return as_persisted(data.decode("utf-8", "replace"), len(data), path) if data else None

    def _stored(self, call: Block, shared: bool) -> Sequence[Copy]:
        if shared or len(str(call.id)) < _LEAST_ID:
            return ()
        folder = f"{self._own}/tool-results"
        for name in self._stored_names:
            if name in (f"{call.id}.txt", f"{call.id}.json"):
                said = self._persisted_text(name, str(self._beside.path.parent / folder / name))
                if worth_keeping(said):
                    return [Copy(said, f"in the stored output {folder}/{name}")]
        return ()

    @cached_property
    def _stored_names(self) -> Sequence[str]:
        return self._beside.names(f"{self._own}/tool-results")

    @cached_property
    def _others(self) -> tuple[Sequence[str], Sequence[int]]:
        """The other sessions in the folder that start with records of this one, and the sizes of those that are not
        searched.
        """
        relatives: list[str] = []
        left: list[int] = []
        if not self._uuids:
            return relatives, left
        # Keys end so whose values name records; the bytes that all begin with make it four times as fast.
        named = b"|".join(re.escape(uuid.encode("utf-8", "replace")) for uuid in self._uuids)
        shared = re.compile(rb'uid":\s?"(?:%b)"' % named)
        read = 0
        for name, size in self._beside.newest("", ".jsonl"):
            read += min(size, _BEGINNING)
            is_relative = read <= _MOST and shared.search(self._beside.start(name, _BEGINNING))
            if read > _MOST or (is_relative and read + size > _MOST):
                left.append(size)
            elif is_relative:
                relatives.append(name)
                read += size
        return relatives, left

    def _forks(self, call: Block, unanswered: Iterable[str], shared: bool) -> Sequence[Copy]:
        """The result of the same call in a session forked from this one, or that this one was forked from."""
        if len(str(call.id)) < _LEAST_ID:
            return ()
        copies = []
        for name in self._others[0]:
            for line in self._lines_of(name, str(call.id), unanswered):
                value = _parsed(line)
                if value.get("type") != "user":
                    continue
                links = (value.get("sourceToolAssistantUUID"), value.get("parentUuid"))
                if shared and (call.link is None or call.link not in links):
                    continue
                for part in parts_of_type(value, "tool_result"):
                    content = without_reminder(part.get("content"))
                    if part.get("tool_use_id") == call.id and worth_keeping(content):
                        copies.append(Copy(content, f"in the forked session {name}", part.get("is_error") is True))
        return copies

    def _lines_of(self, name: str, id_: str, unanswered: Iterable[str]) -> Sequence[bytes]:
        """The lines of another session with a result of this call. All unanswered calls are searched for
        in one pass.
        """
        known = self._lines.get(name)
        if known is None or _named(id_) not in known:
            wanted = {_named(one) for one in (id_, *unanswered) if len(one) >= _LEAST_ID}
            known = self._lines[name] = self._beside.lines_with(name, wanted)
        return known[_named(id_)]

    @cached_property
    def _sub_agents(self) -> Sequence[tuple[str, str]]:
        """(description file, call id that it names) of each sub-agent."""
        folder = f"{self._own}/subagents"
        found = []
        for name in self._beside.names(folder):
            if name.endswith(".meta.json"):
                named = text_or_none(_parsed(self._beside.read(f"{folder}/{name}") or b"").get("toolUseId"))
                if named is not None:
                    found.append((f"{folder}/{name}", named))
        return found

    def _sub_agent(self, call: Block) -> Sequence[Copy]:
        """The last text of the sub-agent that the call started."""
        if call.name not in _STARTING:
            return ()
        folder = f"{self._own}/subagents"
        described = {meta.removesuffix(".meta.json"): named for meta, named in self._sub_agents}
        copies = []
        for name in self._beside.names(folder):
            if not name.endswith(".jsonl"):
                continue
            stem = f"{folder}/{name.removesuffix('.jsonl')}"
            if described.get(stem, call.id) != call.id:
                continue
            records = [_parsed(line) for line in (self._beside.read(f"{stem}.jsonl") or b"").splitlines()]
            if stem in described or _asks(records, call):
                copies += _last_words(records, f"{stem}.jsonl")
        return copies


def file_of(output: str, beside: Beside) -> str | None:
    """The file of the session's own folder that has the whole of a long output."""
    path = persisted_at(output)
    folder = f"{_stem(beside)}/tool-results"
    name = _last_part(path) if path is not None else ""
    return f"{folder}/{name}" if name and name in beside.names(folder) else None


def _stem(beside: Beside) -> str:
    return os.path.splitext(os.path.basename(beside.file))[0]


def _last_part(path: str) -> str:
    from pathlib import PurePosixPath, PureWindowsPath

    return PureWindowsPath(path).name if "\\" in path else PurePosixPath(path).name


def _named(id_: str) -> bytes:
    """The bytes in which the agent's records name a result's call."""
    return f'"tool_use_id":"{id_}"'.encode("utf-8", "replace")


def _parsed(data: bytes) -> dict[str, Any]:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _asks(records: Sequence[dict[str, Any]], call: Block) -> bool:
    """Whether the sub-agent's task is the call's own text."""
    given = arguments(call)
    prompt = given.get("prompt") if isinstance(given, dict) else None
    first = next((content_of(value) for value in records if value.get("type") == "user"), None)
    if isinstance(first, list) and len(first) == 1 and isinstance(first[0], dict):
        first = first[0].get("text")
    return isinstance(prompt, str) and bool(prompt) and first == prompt


def _last_words(records: Sequence[dict[str, Any]], name: str) -> list[Copy]:
    talk = [value for value in records if value.get("type") in ("user", "assistant")]
    for number, value in enumerate(reversed(talk)):
        if value.get("type") != "assistant":
            continue
        texts = [part["text"] for part in parts_of_type(value, "text") if isinstance(part.get("text"), str)]
        if texts and worth_keeping("\n".join(texts)):
            unfinished = number > 0 or bool(parts_of_type(value, "tool_use"))
            where = f"in the sub-agent's own file {name}"
            return [Copy([{"type": "text", "text": text} for text in texts], where, partial=unfinished)]
    return []
