"""The files of Kimi CLI's sessions: whose a file is, its project, sub-agents' sessions, outputs in the file beside it.

A session is a folder `sessions/<md5 of the project's path>/<id>`: `context.jsonl`, `wire.jsonl`, which is what was
shown, and a folder for each sub-agent in `subagents`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from hashlib import md5
from pathlib import Path
from typing import Any, Final, NamedTuple

from toolpair.dialects.block_texts import text_of
from toolpair.formats.format import Beside, SubagentSession
from toolpair.source import peek
from toolpair.transcript.id_shapes import usable
from toolpair.transcript.model import Block
from toolpair.transcript.output_copies import Copies, Copy

CONTEXT: Final = "context.jsonl"
SESSIONS: Final = "sessions"
_SUBAGENTS: Final = "subagents"
_SHOWN: Final = "wire.jsonl"


class Place(NamedTuple):
    home: Path
    project: str
    """The name of the folder of its project's sessions."""
    session: str
    sub_agent: bool


def place_of(path: Path) -> Place | None:
    """Whose file it is; None where Kimi CLI would not find it."""
    parents = path.parents
    deep = 2 if len(parents) > 2 and parents[1].name == _SUBAGENTS else 0
    if path.name != CONTEXT or len(parents) < deep + 4 or parents[deep + 2].name != SESSIONS:
        return None
    return Place(parents[deep + 3], parents[deep + 1].name, parents[deep].name, bool(deep))


def hash_of(folder: str) -> str:
    """The name of the folder of a project's sessions."""
    return md5(folder.encode("utf-8", "surrogateescape"), usedforsecurity=False).hexdigest()


def projects_in(home: Path) -> Mapping[str, str]:
    """The name of the folder of its sessions -> a project's path, as far as `kimi.json` knows them."""
    listed = peek.small_json(str(home / "kimi.json")).get("work_dirs")
    paths = (one.get("path") for one in (listed if isinstance(listed, list) else ()) if isinstance(one, dict))
    return {hash_of(path): path for path in paths if isinstance(path, str)}


def subagent_sessions(results: Iterable[Block], beside: Beside) -> Iterator[SubagentSession]:
    """The sessions of sub-agents: the result of the call that started one names its id."""
    names = [name for name in beside.names(_SUBAGENTS) if beside.start(f"{_SUBAGENTS}/{name}/{CONTEXT}", 1)]
    calls = {block.text.partition("\n")[0]: block.id for block in results if isinstance(block.id, str)} if names else {}
    for name in names:
        about = peek.parse(beside.read(f"{_SUBAGENTS}/{name}/meta.json") or b"")
        known = about if isinstance(about, dict) else {}
        label, kind = (known.get(key) for key in ("description", "subagent_type"))
        yield SubagentSession(
            beside.path.parent / _SUBAGENTS / name / CONTEXT,
            label if isinstance(label, str) else name,
            calls.get(f"agent_id: {name}"),
            kind if isinstance(kind, str) else None,
        )


class ShownOutputs(Copies):
    """The outputs in `wire.jsonl`, read when one is missing. An id may come again after a compaction."""

    def __init__(self, beside: Beside, calls: Iterable[Block]) -> None:
        self._beside = beside
        self._calls = Counter(call.id for call in calls if isinstance(call.id, str))

    def of_call(self, call: Block, is_open: bool = False) -> list[Copy]:
        if not usable(call.id):
            return []
        shown = json.dumps(call.id, ensure_ascii=False).encode("utf-8", "surrogatepass")
        lines = self._beside.lines_with(_SHOWN, [shown]).get(shown, ())
        said = [message for line in lines if (message := _message(line))]
        results = [found for kind, found in said if kind == "ToolResult" and found.get("tool_call_id") == call.id]
        started = [found for kind, found in said if kind == "ToolCall" and found.get("id") == call.id]
        own = len(started) == 1 and self._calls[call.id] == 1 and _name(started[0]) == call.name
        contents = {text_of(content): content for content in map(content_of, results) if content is not None}
        return [Copy(content, f"in {_SHOWN}", certain=own) for content in contents.values()]

    def __iter__(self) -> Iterator[str]:
        return (id_ for id_ in self._calls if id_ in self)


def _message(line: bytes) -> tuple[Any, dict[str, Any]] | None:
    record = peek.parse(line)
    message = record.get("message") if isinstance(record, dict) else None
    if not isinstance(message, dict) or not isinstance(payload := message.get("payload"), dict):
        return None
    return message.get("type"), payload


def _name(call: dict[str, Any]) -> Any:
    function = call.get("function")
    return function.get("name") if isinstance(function, dict) else None


def content_of(result: dict[str, Any]) -> list[Any] | None:
    """The content of the message that Kimi CLI makes of a result (`tool_result_to_message`)."""
    said = result.get("return_value")
    if not isinstance(said, dict) or not isinstance(said.get("message"), str):
        return None
    note = f"ERROR: {said['message']}" if said.get("is_error") is True else said["message"]
    output = said.get("output")
    parts = [{"type": "text", "text": output}] if isinstance(output, str) and output else output
    made = [{"type": "text", "text": f"<system>{note}</system>"}] if note else []
    made += parts if isinstance(parts, list) else []
    return made or [{"type": "text", "text": "<system>Tool output is empty.</system>"}]
