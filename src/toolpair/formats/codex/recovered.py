"""Outputs that exist only in event records: those that a killed Codex had shown but not yet sent to the model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

from msgspec import Struct

from toolpair.dialects.block_texts import is_real_output
from toolpair.dialects.openai_responses import block_of, foreign_blocks, is_mislabelled
from toolpair.formats.codex.rollout_lines import RolloutLine
from toolpair.formats.codex.sent_items import is_sent
from toolpair.transcript.model import Block, Message

_UNIFIED: Final = frozenset({"exec_command", "write_stdin"})
"""Tools whose outputs start with the state of the process."""


class _Event(Struct, frozen=True, eq=False):
    """An event that reports how a call ended. `body` holds the report."""

    uid: int
    id: str
    type: str
    body: dict[str, Any]


def recovered_outputs(lines: Sequence[RolloutLine], messages: Sequence[Message]) -> dict[str, tuple[Any, str]]:
    """Call id -> (output, where) for calls of the history whose real output is only in an event.

    Records are named by their position in the file as opened, which their uids preserve.
    """
    wanted = unanswered(messages)
    if not wanted:
        return {}
    times = Counter(
        block.id
        for line in lines
        if line.kind == "item" and (block := block_of(line.payload, line.uid, line.slot)).kind == "call"
        if isinstance(block.id, str)
    )
    found: dict[str, list[tuple[Any, int]]] = {}
    elsewhere: dict[str, str] = {}
    for line in lines:
        payload = line.payload
        if _holds_output(line) and payload["call_id"] in wanted and times[payload["call_id"]] == 1:
            found.setdefault(payload["call_id"], []).append((payload["output"], line.uid))
            elsewhere[payload["call_id"]] = "in a record of another type"
        for block in _in_another_form(line):
            if block.id in wanted and times[block.id] == 1:
                found.setdefault(block.id, []).append((block.value["output"], line.uid))
                elsewhere[block.id] = "in another API's form"
    for event in _events(lines):
        call = wanted.get(event.id)
        if call is None or times[event.id] > 1:
            continue  # any of the calls with this id may be meant
        content = _output(event, call)
        if content is not None:
            found.setdefault(event.id, []).append((content, event.uid))
    return {
        id_: (contents[0][0], f"{elsewhere.get(id_, 'in an event')}, line {contents[0][1] + 1:,}")
        for id_, contents in found.items()
        if all(content == contents[0][0] for content, _ in contents)
    }


def _in_another_form(line: RolloutLine) -> Iterator[Block]:
    """The results in an item that Codex does not read, because they are written as another API spells them."""
    if line.kind in ("item", "other") and line.value.get("type") != "event_msg" and not is_mislabelled(line.payload):
        yield from (block for block in foreign_blocks(line.payload, line.uid) if block.kind == "result")


def _holds_output(line: RolloutLine) -> bool:
    """Whether it is a record of a type unknown to Codex with a call's id and its output."""
    if line.kind not in ("item", "other") or line.value.get("type") == "event_msg" or is_sent(line.payload):
        return False
    return is_mislabelled(line.payload) and isinstance(line.payload["output"], (str, list))


def unanswered(messages: Sequence[Message]) -> dict[str, Block]:
    """Call id -> a call of the history without a real output."""
    answered = {
        block.id
        for message in messages
        for block in message.results
        if isinstance(block.id, str) and is_real_output(block)
    }
    return {
        block.id: block
        for message in messages
        for block in message.calls
        if isinstance(block.id, str) and block.id and block.id not in answered
    }


def _events(lines: Sequence[RolloutLine]) -> Iterator[_Event]:
    for line in lines:
        payload = line.payload
        if line.value.get("type") != "event_msg" or not isinstance(payload, dict):
            continue
        if payload.get("type") == "item_completed":
            body, id_ = payload.get("item"), None
            if isinstance(body, dict):
                id_ = body.get("id")
        else:
            body, id_ = payload, payload.get("call_id")
        if isinstance(body, dict) and isinstance(id_, str) and isinstance(body.get("type"), str):
            yield _Event(line.uid, id_, body["type"], body)


def _output(event: _Event, call: Block) -> Any:
    """The output as Codex writes it for the model; None if the event has none."""
    body = event.body
    match event.type:
        case "CommandExecution" | "exec_command_end":
            return _of_command(body, call)
        case "FileChange" | "patch_apply_end":
            return _of_patch(body)
        case "mcp_tool_call_end":
            return _of_mcp(body.get("result"))
        case "McpToolCall":
            failed = body.get("error")
            if isinstance(failed, dict):
                failed = failed.get("message")
            return _of_mcp({"Err": failed} if failed else body.get("result"))
        case "dynamic_tool_call_response":
            return _parts(body.get("content_items"))
        case _:
            return None


def _of_command(body: dict[str, Any], call: Block) -> str | None:
    formatted = body.get("formatted_output")
    if isinstance(formatted, str) and formatted:
        return formatted
    said = body.get("aggregated_output")
    if not isinstance(said, str):
        streams = [body.get(key) for key in ("stdout", "stderr")]
        if not any(isinstance(stream, str) for stream in streams):
            return None
        said = "".join(stream for stream in streams if isinstance(stream, str))
    code = body.get("exit_code")
    if not isinstance(code, int) or (body.get("status") == "in_progress"):
        return None
    if code == -1 and not said:
        return None  # the call was stopped; this says nothing more
    seconds = _seconds(body.get("duration"))
    if call.name in _UNIFIED:
        return f"Wall time: {seconds:.4f} seconds\nProcess exited with code {code}\nOutput:\n{said}"
    return f"Exit code: {code}\nWall time: {seconds:.1f} seconds\nOutput:\n{said}"


def _seconds(duration: Any) -> float:
    if not isinstance(duration, dict):
        return 0.0
    secs, nanos = (found if isinstance(found := duration.get(key), int) else 0 for key in ("secs", "nanos"))
    try:
        return secs + nanos / 1e9
    except OverflowError:
        return 0.0


def _of_patch(body: dict[str, Any]) -> str | None:
    said = "".join(stream for key in ("stdout", "stderr") if isinstance(stream := body.get(key), str))
    done = body.get("success")
    if not isinstance(done, bool):
        done = body.get("status") == "completed"
    if not said and not done:
        return None
    return f"Exit code: {0 if done else 1}\nWall time: 0 seconds\nOutput:\n{said}"


def _of_mcp(result: Any) -> Any:
    if not isinstance(result, dict):
        return None
    if "Err" in result:
        return f"tool call error: {result['Err']}" if isinstance(result["Err"], str) else None
    inside = result.get("Ok", result)
    return _parts(inside.get("content")) if isinstance(inside, dict) else None


def _parts(parts: Any) -> Any:
    """A tool's content as parts of an output; text-only content as one string."""
    if not isinstance(parts, list):
        return None
    made: list[dict[str, Any]] = []
    for part in parts:
        if not isinstance(part, dict):
            return None
        if isinstance(part.get("text"), str):
            made.append({"type": "input_text", "text": part["text"]})
        elif part.get("type") == "image" and isinstance(part.get("data"), str):
            url = f"data:{part.get('mimeType', 'image/png')};base64,{part['data']}"
            made.append({"type": "input_image", "image_url": url})
        else:
            return None
    if all("text" in part for part in made):
        return "\n".join(part["text"] for part in made)
    return made
