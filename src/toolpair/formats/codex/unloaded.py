"""Records that Codex cannot load although their JSON is good: they vanish, and their partners are healed or dropped."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

from toolpair.dataclass import replace
from toolpair.formats.base import Item
from toolpair.formats.codex.items import is_loaded
from toolpair.formats.codex.records import Line, needs_timestamp
from toolpair.rules.base import Cause, Fix, Problem
from toolpair.rules.context import Context, tool_of
from toolpair.transcript.content import is_real_output, output_lines
from toolpair.transcript.edits import SetInRecord, SetValue
from toolpair.transcript.items import output_content
from toolpair.transcript.model import Block

_MENDED_ELSEWHERE: Final = frozenset(
    {"id.empty", "name.missing", "args.unparseable", "result.type_not_allowed", "result.id_mismatch", "result.kind"}
)
"""Rules whose fix makes the item readable, too."""


def check(context: Context, items: Sequence[Item], lines: Sequence[Line]) -> None:
    _items(context)
    _timestamps(context, items, lines)


def _items(context: Context) -> None:
    """Items that lack a field, or have one of another type."""
    unread = {
        id(block): (block, at)
        for number, message in enumerate(context.messages)
        for place, block in enumerate(message.blocks)
        if (block.kind in ("call", "result") and not is_loaded(block.value)) and (at := (number, place))
    }
    if not unread:
        return
    told: set[int] = set()
    for number, problem in enumerate(context.problems):
        concerned = [block for block in _blocks(problem) if id(block) in unread]
        if problem.rule in _MENDED_ELSEWHERE and concerned:
            context.problems[number] = replace(problem, severity="error")
            told.update(id(block) for block in concerned)
    for key, (block, at) in unread.items():
        if key in told:
            continue
        mended = _mended(block)
        fixes = []
        if mended is not None:
            title, value = mended
            fixes.append(Fix("fix-item", title, (SetValue(block, value),), recommended=True))
        what = f"This output ({output_lines([block])})" if is_real_output(block) else f"This {_noun(block)}"
        pair = context.pairing.pair_of(block)
        context.add(
            "rollout.not_loaded",
            f"{what} lacks a field that Codex requires, or has one of the wrong type, so Codex skips it.",
            at=at,
            pair=pair,
            call=block if block.kind == "call" else None,
            result=block if block.kind == "result" else None,
            others=pair.results if pair is not None and block.kind == "call" else (),
            record=block.record,
            severity="error",
            impact="loses",
            cause=Cause("rollout.not_loaded", "an older version or another program wrote the record"),
            fixes=fixes,
            no_fix=None if fixes else "What the field should contain is not in the file.",
        )


def _blocks(problem: Problem) -> Iterator[Block]:
    yield from (block for block in (problem.call, problem.result) if block is not None)


def _noun(block: Block) -> str:
    return f"call of {tool_of(block)}" if block.name else "call" if block.kind == "call" else "output"


def _mended(block: Block) -> tuple[str, dict[str, Any]] | None:
    """How to write the item so that it can be read: a title and the value."""
    item = block.value
    if block.kind == "result":
        return _mended_output(item)
    match item.get("type"):
        case "function_call" if isinstance(item.get("call_id"), str) and isinstance(item.get("name"), str):
            given = item.get("arguments")
            text = "{}" if given is None else json.dumps(given, ensure_ascii=False)
            title = "write empty arguments" if given is None else "write the arguments as a JSON string"
            mended = {**item, "arguments": text}
        case "custom_tool_call" if isinstance(item.get("call_id"), str) and isinstance(item.get("name"), str):
            given = item.get("input")
            text = "" if given is None else json.dumps(given, ensure_ascii=False)
            title, mended = "write the input as text", {**item, "input": text}
        case _:
            return None
    return (title, mended) if is_loaded(mended) else None


def _mended_output(item: dict[str, Any]) -> tuple[str, dict[str, Any]] | None:
    if item.get("type") == "tool_search_output":
        return "write an empty list of tools", {**item, "tools": []}
    content = output_content(item)
    if isinstance(content, list):
        content = [_part(part) for part in content]
    elif not isinstance(content, str):
        content = "" if content is None else json.dumps(content, ensure_ascii=False)
    mended = {**item, "output": content}
    return ("write the output as text", mended) if is_loaded(mended) else None


def _part(part: Any) -> Any:
    if isinstance(part, dict) and part.get("type") != "input_image":
        if isinstance(part.get("text"), str):
            return {**part, "type": "input_text"}
    elif isinstance(part, dict):
        return part
    return {"type": "input_text", "text": part if isinstance(part, str) else json.dumps(part, ensure_ascii=False)}


def _timestamps(context: Context, items: Sequence[Item], lines: Sequence[Line]) -> None:
    """Records that lack a timestamp."""
    if not needs_timestamp(items):
        return
    blocks = {
        block.record: (block, (number, place))
        for number, message in enumerate(context.messages)
        for place, block in enumerate(message.blocks)
        if block.kind in ("call", "result")
    }
    before: str | None = None
    for line in lines:
        time = line.value.get("timestamp")
        if isinstance(time, str):
            before = time
            continue
        if line.kind not in ("item", "compacted", "rollback") or line.slot == ():
            continue
        block, at = blocks.get(line.uid, (None, None))
        pair = context.pairing.pair_of(block) if block is not None else None
        fixes = []
        if before is not None:
            title = "write the time of the line before it"
            fixes.append(Fix("write-time", title, (SetInRecord(line.uid, ("timestamp",), before),), recommended=True))
        context.add(
            "rollout.no_timestamp",
            "This line has no timestamp, so Codex skips it.",
            at=at,
            pair=pair,
            call=block if block is not None and block.kind == "call" else None,
            result=block if block is not None and block.kind == "result" else None,
            others=pair.results if pair is not None else (),
            record=line.uid,
            severity="error",
            impact="loses",
            cause=Cause("rollout.no_timestamp", "another program wrote the record"),
            fixes=fixes,
            no_fix=None if fixes else "No line before it has a time either.",
        )
