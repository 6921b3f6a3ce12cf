"""The copied systems, reimplemented on plain lists of dicts without toolpair."""

from __future__ import annotations

from typing import Any

Message = dict[str, Any]

INTERRUPTED = "Tool execution was interrupted before completion."
NO_RESULT = "No result provided"


def roo_code(messages: list[Message], reorder: bool = False, by_position: bool = True) -> list[Message]:
    """`validateAndFixToolResultIds` on each message, with the earlier ones as the history."""
    return [_validated(message, messages[:number], reorder, by_position) for number, message in enumerate(messages)]


def _validated(message: Message, history: list[Message], reorder: bool, by_position: bool) -> Message:
    if message["role"] != "user" or not isinstance(message["content"], list):
        return message
    assistants = [found for found in history if found["role"] == "assistant"]
    if not assistants or not isinstance(assistants[-1]["content"], list):
        return message
    calls = [block["id"] for block in assistants[-1]["content"] if block["type"] == "tool_use"]
    if not calls:
        return message
    content: list[Any] = []
    seen: list[Any] = []
    for block in message["content"]:
        if block["type"] == "tool_result":
            if block["tool_use_id"] in seen:
                continue
            seen.append(block["tool_use_id"])
        content.append(block)
    if any(call not in seen for call in calls) or any(id_ not in calls for id_ in seen):
        content = _matched(content, calls, by_position)
    if reorder:
        content = _reordered(content, calls)
    return {**message, "content": content}


def _matched(content: list[Any], calls: list[str], by_position: bool) -> list[Any]:
    used: list[str] = []
    fixed: list[Any] = []
    position = -1
    for block in content:
        if block["type"] != "tool_result":
            fixed.append(block)
            continue
        position += 1
        if block["tool_use_id"] in calls and block["tool_use_id"] not in used:
            used.append(block["tool_use_id"])
            fixed.append(block)
        elif by_position and position < len(calls) and calls[position] not in used:
            used.append(calls[position])
            fixed.append({**block, "tool_use_id": calls[position]})
    return [*(placeholder(call) for call in calls if call not in used), *fixed]


def placeholder(id_: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id_, "content": INTERRUPTED}


def _reordered(content: list[Any], calls: list[str]) -> list[Any]:
    last = {id_: number for number, id_ in enumerate(calls)}
    results = sorted(
        (block for block in content if block["type"] == "tool_result"),
        key=lambda block: last.get(block["tool_use_id"], len(calls)),
    )
    return [results.pop(0) if block["type"] == "tool_result" else block for block in content]


def pre_send(messages: list[Message]) -> list[Message]:
    """`validateMessageHistoryBeforeSend`."""
    made: list[Message] = []
    number = 0
    while number < len(messages):
        message = messages[number]
        number += 1
        made.append(message)
        if message["role"] != "assistant" or not isinstance(message["content"], list):
            continue
        calls = list(dict.fromkeys(block["id"] for block in message["content"] if block["type"] == "tool_use"))
        if not calls:
            continue
        following = messages[number] if number < len(messages) and messages[number]["role"] == "user" else None
        content = following["content"] if following is not None and isinstance(following["content"], list) else []
        known = [block["tool_use_id"] for block in content if block["type"] == "tool_result"]
        missing = [placeholder(call) for call in calls if call not in known]
        if not missing:
            continue
        if following is None:
            made.append({"role": "user", "content": missing})
        else:
            made.append({**following, "content": [*missing, *content]})
            number += 1
    return made


def docker_agent(messages: list[Message]) -> list[Message]:
    """`sanitizeToolCalls` on chat messages, including the removal of second results."""
    out: list[Message] = []
    pending: list[str] = []
    answered: set[str] = set()

    def flush() -> None:
        out.extend(
            {"role": "tool", "tool_call_id": id_, "content": NO_RESULT}
            for id_ in pending
            if id_ and id_ not in answered
        )
        pending.clear()
        answered.clear()

    for message in messages:
        if message["role"] == "tool":
            id_ = message["tool_call_id"]
            if not id_ or id_ not in pending or id_ in answered:
                continue
            answered.add(id_)
        elif message["role"] in ("user", "assistant"):
            flush()
            pending.extend(call["id"] for call in message.get("tool_calls") or ())
        out.append(message)
    flush()
    return out


def as_turns(messages: list[Message]) -> list[Message]:
    """Chat as Roo Code sees it: consecutive results and the text directly after them are one user message.

    A block keeps its original message under "of".
    """
    turns: list[Message] = []
    for message in messages:
        words = {"type": "words", "of": message}
        if message["role"] == "assistant":
            calls = [{"type": "tool_use", "id": call["id"]} for call in message.get("tool_calls") or ()]
            turns.append({"role": "assistant", "content": [words, *calls]})
        elif message["role"] == "tool":
            result = {"type": "tool_result", "tool_use_id": message["tool_call_id"], "of": message}
            if not (turns and turns[-1].get("open")):
                turns.append({"role": "user", "content": [], "open": True})
            turns[-1]["content"].append(result)
        elif message["role"] == "user" and turns and turns[-1].get("open"):
            turns[-1]["content"].append(words)
            turns[-1]["open"] = False
        else:
            listed = isinstance(message["content"], list)
            turns.append({"role": message["role"], "content": [words] if listed else "words", "of": message})
    return turns


def as_chat(turns: list[Message]) -> list[Message]:
    made: list[Message] = []
    for turn in turns:
        if isinstance(turn["content"], str):
            made.append(turn["of"])
            continue
        for block in turn["content"]:
            if block["type"] == "words":
                made.append(block["of"])
            elif block["type"] == "tool_result":
                old = block.get("of", {"role": "tool", "content": block.get("content")})
                made.append({**old, "tool_call_id": block["tool_use_id"]})
    return made
