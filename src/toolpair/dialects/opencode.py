"""opencode's and Kilo's messages: parts, of which one holds a call and its result as the state that the call is in.

They are read as the blocks of Anthropic's Messages API, which all rules know, and written back from these.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from toolpair.dialects.anthropic_writer import AnthropicWriter
from toolpair.dialects.block_texts import WrittenBlock, text_of
from toolpair.dialects.block_values import words
from toolpair.dialects.item_types import type_name
from toolpair.transcript.edits import ABSENT
from toolpair.transcript.model import Block, Slot

PART: Final = "part"
DATA: Final[Slot] = (PART, "data")
STATE: Final[Slot] = (*DATA, "state")
RESULT: Final[Slot] = (*STATE, "result")
"""The slot of a result, which is made of several fields of the state."""
INTERRUPTED: Final = "[Tool execution was interrupted]"
CLEARED: Final = "[Old tool result content cleared]"
WAITING: Final = ("pending", "running")
_SAID_FOR: Final = {
    "compaction": "What did we do so far?",
    "subtask": "The following tool was executed by the user",
}
"""Type of a user's part -> what is sent for it."""
_LISTED: Final = ("text/plain", "application/x-directory")
"""Types of files that are not sent: their text is a part of its own."""


# --- from parts --------------------------------------------------------------------------------------------


def data_of(value: Any, table: str = PART) -> dict[str, Any]:
    """What a row says."""
    row = value.get(table) if isinstance(value, dict) else None
    found = row.get("data") if isinstance(row, dict) else None
    return found if isinstance(found, dict) else {}


def state_of(data: Mapping[str, Any]) -> dict[str, Any]:
    found = data.get("state")
    return found if isinstance(found, dict) else {}


def user_blocks(data: dict[str, Any], record: int) -> Iterator[Block]:
    """What is sent of a user's part."""
    kind = type_name(data)
    if kind == "text" and not data.get("ignored"):
        yield WrittenBlock("text", {"type": "text", "text": data.get("text")}, record, DATA)
    elif kind == "file" and data.get("mime") not in _LISTED:
        yield WrittenBlock("media", media_of(data), record, DATA)
    elif kind in _SAID_FOR:
        yield WrittenBlock("text", _SAID_FOR[kind], record, DATA)


def assistant_blocks(
    data: dict[str, Any], record: int, with_files: bool = True, before: bool = False
) -> Iterator[Block]:
    """What is sent of a part of the model's; a result follows its call, with its files if they are sent inside it.

    `before`: by an agent from before 1.2. Where two calls have one id, the row says which of them a result is of.
    """
    kind = type_name(data)
    if kind == "text":
        yield WrittenBlock("text", {"type": "text", "text": data.get("text")}, record, DATA)
    elif kind == "reasoning":
        yield WrittenBlock("thinking", thinking_of(data), record, DATA)
    elif kind == "tool" and is_of_provider(data):
        yield WrittenBlock("other", data, record, DATA)
    elif kind == "tool":
        state = state_of(data)
        call: dict[str, Any] = {"type": "tool_use", "name": data.get("tool"), "input": state.get("input", {})}
        if "callID" in data:
            call["id"] = data["callID"]
        name = call["name"] if isinstance(call["name"], str) else None
        yield WrittenBlock("call", call, record, STATE, call.get("id"), name, link=str(record))
        result = result_of(data, with_files, before)
        if result is not None:
            error = result.get("is_error") is True
            yield WrittenBlock("result", result, record, RESULT, call.get("id"), name, error, str(record))


def is_of_provider(data: Mapping[str, Any]) -> bool:
    """Whether the provider ran the call itself."""
    metadata = data.get("metadata")
    return isinstance(metadata, dict) and bool(metadata.get("providerExecuted"))


def result_of(data: Mapping[str, Any], with_files: bool = True, before: bool = False) -> dict[str, Any] | None:
    """The result that a call is sent with; None where its state has none."""
    state = state_of(data)
    metadata, time = state.get("metadata"), state.get("time")
    value: dict[str, Any] = {"type": "tool_result", "content": None}
    if "callID" in data:
        value["tool_use_id"] = data["callID"]
    if state.get("status") == "completed" and state.get("output") is not None:
        if isinstance(time, dict) and time.get("compacted"):
            return {**value, "content": CLEARED}
        output = state["output"]
        if isinstance(output, (dict, list)):
            given = output.get("text") if isinstance(output, dict) else None
            output = given if isinstance(given, str) else ""
        output = output if isinstance(output, str) else _json(output)
        files = [media_of(file) for file in files_of(data)] if with_files else []
        return {**value, "content": [{"type": "text", "text": output}, *files] if files else output}
    if state.get("status") == "error":
        beside = metadata if isinstance(metadata, dict) else {}
        if beside.get("interrupted") is True and isinstance(beside.get("output"), str) and not before:
            return {**value, "content": beside["output"]}
        error = state.get("error", "unknown error")
        return {**value, "content": error if isinstance(error, str) else _json(error), "is_error": True}
    return None


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def files_of(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The files that came with the output of a call, unless it was cleared."""
    state = state_of(data)
    found, time = state.get("attachments"), state.get("time")
    if state.get("status") != "completed" or (isinstance(time, dict) and time.get("compacted")):
        return []
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def kept_output(data: Mapping[str, Any], before: bool = False) -> tuple[str, bool] | None:
    """The output of a call that a row keeps and that is not sent, and whether it is the text of an error.

    It came while the call ran, was cleared, or stands beside a state that says something else.
    """
    state = state_of(data)
    metadata, time = state.get("metadata"), state.get("time")
    beside = metadata if isinstance(metadata, dict) else {}
    status, output = state.get("status"), state.get("output")
    if status == "completed" and output is not None:
        cleared = isinstance(time, dict) and time.get("compacted")
        found = (output, False) if cleared else None
    elif status == "error" and beside.get("interrupted") is True and not before:
        found = None
    else:
        error = None if status == "error" else state.get("error")
        kept = ((output, False), (beside.get("output"), False), (error, True))
        found = next((one for one in kept if one[0]), None)
    if found is None or not (text := _words_of(found[0])).strip():
        return None
    return text, found[1]


def _words_of(output: Any) -> str:
    given = output.get("text") if isinstance(output, dict) else None
    return output if isinstance(output, str) else given if isinstance(given, str) else _json(output)


def media_of(file: Mapping[str, Any]) -> dict[str, Any]:
    """A file as an image or a document."""
    mime, url = file.get("mime"), file.get("url")
    kind = "image" if isinstance(mime, str) and mime.startswith("image/") else "document"
    if isinstance(url, str) and url.startswith("data:") and "," in url:
        return {"type": kind, "source": {"type": "base64", "media_type": mime, "data": url.partition(",")[2]}}
    return {"type": kind, "source": {"type": "url", "url": url}}


def thinking_of(data: Mapping[str, Any]) -> dict[str, Any]:
    metadata = data.get("metadata")
    given = metadata.get("anthropic") if isinstance(metadata, dict) else None
    given = given if isinstance(given, dict) else {}
    if given.get("redactedData"):
        return {"type": "redacted_thinking", "data": given["redactedData"]}
    signed = {"signature": given["signature"]} if given.get("signature") else {}
    return {"type": "thinking", "thinking": data.get("text"), **signed}


# --- into parts --------------------------------------------------------------------------------------------


def part_of(value: Any) -> dict[str, Any]:
    """A new part for a block that is neither a call nor a result."""
    kind = type_name(value)
    if kind in ("image", "document") and isinstance(value.get("source"), dict):
        source = value["source"]
        url = source.get("url") or f"data:{source.get('media_type')};base64,{source.get('data')}"
        mime = source.get("media_type") or ("image/png" if kind == "image" else "application/pdf")
        return {"type": "file", "mime": mime, "url": url}
    if kind == "thinking":
        return {"type": "reasoning", "text": words(value.get("thinking")), "time": {"start": 0}}
    text = value if isinstance(value, str) else value.get("text") if isinstance(value, dict) else None
    return {"type": "text", "text": text if isinstance(text, str) else words(value)}


def changes_of_text(block: Block, value: Any) -> dict[Slot, Any]:
    """What to set in the row of a text or of reasoning for another value of its block."""
    if not isinstance(value, dict) or not isinstance(block.value, dict):
        return {(*DATA, "text"): value if isinstance(value, str) else text_of(value)}
    if type_name(value) != type_name(block.value):
        return {DATA: part_of(value)}
    if block.kind == "media":
        return {(*DATA, key): field for key, field in part_of(value).items() if value is not block.value}
    key = "thinking" if block.kind == "thinking" else "text"
    changes: dict[Slot, Any] = {}
    if value.get(key) is not block.value.get(key):
        changes[*DATA, "text"] = value.get(key)
    if block.value.get("signature") and not value.get("signature"):
        changes[*DATA, "metadata"] = ABSENT
    return changes


def changes_of_call(data: Mapping[str, Any], was: Mapping[str, Any], value: Mapping[str, Any]) -> dict[Slot, Any]:
    """What to set in the row of a call for another value of its block."""
    slots: Mapping[str, Slot] = {"id": (*DATA, "callID"), "name": (*DATA, "tool"), "input": (*STATE, "input")}
    changes = {at: value[key] for key, at in slots.items() if key in value and value[key] is not was.get(key)}
    if not state_of(data) and slots["input"] in changes:
        changes[STATE] = {"status": "pending", "input": changes.pop(slots["input"]), "raw": ""}
    return changes


def changes_of_state(data: Mapping[str, Any], result: Mapping[str, Any] | None, time: Any) -> dict[Slot, Any]:
    """What to set in the row of a call for another result, or for none. `time`: when the row was made."""
    old = state_of(data)
    slots: dict[str, Any] = {} if old else {"input": {}}
    if not isinstance(old.get("input", {}), dict) or "input" not in old:
        slots["input"] = old.get("input", {})
    was = old.get("time")
    given = was if isinstance(was, dict) else {}
    start = given.get("start", time if isinstance(time, int) else 0)
    if result is None:
        slots.update(status="pending", raw="", output=ABSENT, error=ABSENT, attachments=ABSENT, time=ABSENT)
        slots.update(title=ABSENT, metadata=ABSENT)
    else:
        texts, files = _texts_and_files(result.get("content"))
        ended = {**{key: found for key, found in given.items() if key != "compacted"}, "start": start}
        ended.setdefault("end", start)
        slots.update(time=given if ended == given else ended, raw=ABSENT)
        unsent = old if result_of(data) is None else {}
        beside = {key: _left(unsent.get(key), texts) for key in ("output", "error")}
        if result.get("is_error") is True:
            slots.update(status="error", error=texts, output=beside["output"], attachments=ABSENT)
        else:
            slots.update(status="completed", output=texts, error=beside["error"], attachments=files or ABSENT)
            slots.update(complete(old))
        metadata = slots.get("metadata", old.get("metadata"))
        if isinstance(metadata, dict) and metadata.get("interrupted") is True:
            slots["metadata"] = {key: found for key, found in metadata.items() if key != "interrupted"}
    changes: dict[Slot, Any] = {
        (*STATE, key): found
        for key, found in slots.items()
        if (found is ABSENT and key in old) or (found is not ABSENT and old.get(key, ABSENT) != found)
    }
    return changes if old else {STATE: {at[-1]: found for at, found in changes.items()}}


def _left(unsent: Any, said: str) -> Any:
    """What stays of a text that was not sent: all of it, unless the result says it now."""
    return unsent if isinstance(unsent, str) and unsent.strip() and unsent not in said else ABSENT


def complete(state: Mapping[str, Any]) -> dict[str, Any]:
    """What a state that is completed lacks besides its output and its times."""
    lacks: dict[str, Any] = {}
    if not isinstance(state.get("title"), str):
        lacks["title"] = ""
    if not isinstance(state.get("metadata"), dict):
        lacks["metadata"] = {}
    return lacks


def _texts_and_files(content: Any) -> tuple[str, list[Any]]:
    """A result's text, and its images and documents as files."""
    parts = content if isinstance(content, list) else []
    files = [part_of(one) for one in parts if type_name(one) in ("image", "document")]
    texts = [one for one in parts if type_name(one) not in ("image", "document")]
    return text_of(texts if isinstance(content, list) else content), files


class OpencodeWriter(AnthropicWriter):
    """Blocks are Anthropic's, as they are read; the format puts them into rows."""

    def complete(self, value: Any, known: Sequence[Any]) -> Sequence[Any]:
        return known

    def with_blocks(self, value: Any, blocks: Any) -> Any:
        return value


WRITER: Final = OpencodeWriter()
