"""Random transcripts with planted defects, for property tests. Each real output and user text has a unique marker."""

from __future__ import annotations

import copy
import random
from dataclasses import dataclass, field
from typing import Any

Messages = list[dict[str, Any]]


@dataclass
class Made:
    """Messages, the markers that must never be lost, and the names of the planted defects."""

    messages: Messages
    markers: list[str]
    defects: list[str] = field(default_factory=list)


def anthropic(rng: random.Random, turns: int = 6) -> Made:
    """A valid Anthropic conversation."""
    messages: Messages = []
    markers: list[str] = []
    number = 0

    def word(kind: str) -> str:
        nonlocal number
        number += 1
        markers.append(f"<{kind}-{number}>")
        return markers[-1]

    messages.append({"role": "user", "content": word("user")})
    for _ in range(turns):
        calls = rng.choice([0, 1, 1, 1, 2, 3])
        blocks: list[dict[str, Any]] = []
        if rng.random() < 0.5 or not calls:
            blocks.append({"type": "text", "text": "thinking aloud"})
        results: list[dict[str, Any]] = []
        for _ in range(calls):
            number += 1
            id_ = f"toolu_{number:04d}"
            blocks.append({"type": "tool_use", "id": id_, "name": rng.choice(["Read", "Bash"]), "input": {"n": number}})
            text = word("output")
            results.append(
                {
                    "type": "tool_result",
                    "tool_use_id": id_,
                    "content": rng.choice([text, [{"type": "text", "text": text}]]),
                }
            )
        messages.append({"role": "assistant", "content": blocks})
        tail = [{"type": "text", "text": word("user")}] if not calls or rng.random() < 0.3 else []
        messages.append({"role": "user", "content": [*results, *tail]})
    return Made(messages, markers)


def chat(rng: random.Random, turns: int = 6) -> Made:
    """A valid chat conversation."""
    source = anthropic(rng, turns)
    messages: Messages = []
    for message in source.messages:
        content = message["content"]
        if isinstance(content, str):
            messages.append({"role": "user", "content": content})
        elif message["role"] == "assistant":
            calls = [
                {"id": block["id"], "type": "function", "function": {"name": block["name"], "arguments": '{"n": 1}'}}
                for block in content
                if block["type"] == "tool_use"
            ]
            texts = [block["text"] for block in content if block["type"] == "text"]
            made: dict[str, Any] = {"role": "assistant", "content": texts[0] if texts else None}
            if calls:
                made["tool_calls"] = calls
            messages.append(made)
        else:
            for block in content:
                if block["type"] == "tool_result":
                    body = block["content"]
                    messages.append(
                        {
                            "role": "tool",
                            "tool_call_id": block["tool_use_id"],
                            "content": body if isinstance(body, str) else body[0]["text"],
                        }
                    )
                else:
                    messages.append({"role": "user", "content": block["text"]})
    return Made(messages, source.markers)


def _calls(messages: Messages) -> list[tuple[int, int]]:
    found = []
    for number, message in enumerate(messages):
        if message.get("tool_calls"):
            found += [(number, position) for position in range(len(message["tool_calls"]))]
        elif isinstance(message["content"], list):
            found += [
                (number, position)
                for position, block in enumerate(message["content"])
                if block.get("type") == "tool_use"
            ]
    return found


def _results(messages: Messages) -> list[tuple[int, int]]:
    found = []
    for number, message in enumerate(messages):
        if message["role"] == "tool":
            found.append((number, 0))
        elif isinstance(message["content"], list):
            found += [
                (number, position)
                for position, block in enumerate(message["content"])
                if block.get("type") == "tool_result"
            ]
    return found


def _take(messages: Messages, at: tuple[int, int]) -> dict[str, Any]:
    number, position = at
    if messages[number]["role"] == "tool":
        return messages.pop(number)
    block: dict[str, Any] = messages[number]["content"].pop(position)
    if not messages[number]["content"]:
        messages.pop(number)
    return block


def _put(messages: Messages, number: int, block: dict[str, Any]) -> None:
    number = min(number, len(messages))
    messages.insert(number, block if block.get("role") == "tool" else {"role": "user", "content": [block]})


def _result_id(block: dict[str, Any]) -> str:
    return "tool_call_id" if block.get("role") == "tool" else "tool_use_id"


def _at(messages: Messages, at: tuple[int, int]) -> dict[str, Any]:
    message = messages[at[0]]
    if message["role"] == "tool":
        return message
    if message.get("tool_calls"):
        found: dict[str, Any] = message["tool_calls"][at[1]]
        return found
    block: dict[str, Any] = message["content"][at[1]]
    return block


DEFECTS = (
    "lose_result", "lose_call", "sanitise", "rename", "copy_near", "copy_far", "late", "early", "reuse", "dup_id",
    "bad_chars", "empty_id", "text_first", "split", "swap", "text_after_call", "bad_args", "no_name", "wedge",
    "call_in_user", "result_in_assistant", "null_content", "empty_text", "differ",
)  # fmt: skip


def plant(rng: random.Random, made: Made, count: int) -> Made:
    """`count` random defects planted in a copy."""
    planted = Made(copy.deepcopy(made.messages), list(made.markers))
    for _ in range(count):
        if not _results(planted.messages) or not _calls(planted.messages):
            break
        kind = rng.choice(DEFECTS)
        plant_one(rng, planted, kind)
        planted.defects.append(kind)
    return planted


def plant_one(rng: random.Random, made: Made, kind: str) -> None:
    """Plant this defect at a random place."""
    messages, markers = made.messages, made.markers
    results, calls = _results(messages), _calls(messages)
    is_chat = any(message["role"] == "tool" or message.get("tool_calls") for message in messages)
    at = rng.choice(results)
    call_at = rng.choice(calls)
    match kind:
        case "lose_result":
            lost = str(_take(messages, at))
            markers[:] = [marker for marker in markers if marker not in lost]
        case "lose_call":
            message = messages[call_at[0]]
            holder = message["tool_calls"] if message.get("tool_calls") else message["content"]
            holder.pop(call_at[1])
            if message.get("tool_calls") == []:
                message.pop("tool_calls")
                message["content"] = message["content"] or "words"
            elif not holder:
                messages.pop(call_at[0])
        case "sanitise":
            block = _at(messages, at)
            key = _result_id(block)
            id_ = block[key]
            new = str(id_).replace("_", ".")
            block[key] = new
        case "rename":
            block = _at(messages, at)
            block[_result_id(block)] = f"other{rng.randrange(10**6)}"
        case "copy_near" | "copy_far" | "differ":
            block = copy.deepcopy(_at(messages, at))
            if kind == "differ":
                markers.append(f"<differ-{rng.randrange(10**9)}>")
                block["content"] = markers[-1]
            _put(messages, at[0] + 1 if kind == "copy_near" else rng.randrange(at[0] + 1, len(messages) + 1), block)
        case "late":
            block = _take(messages, at)
            _put(messages, rng.randrange(at[0], len(messages) + 1), block)
        case "early":
            block = _take(messages, at)
            _put(messages, rng.randrange(0, max(at[0] - 1, 1)), block)
        case "reuse" | "dup_id":
            other = rng.choice(calls)
            source, target = _at(messages, call_at)["id"], _at(messages, other)["id"]
            for place in [*calls, *results]:
                block = _at(messages, place)
                for key in ("id", "tool_use_id", "tool_call_id"):
                    if block.get(key) == target:
                        block[key] = source
        case "bad_chars" | "empty_id":
            source = _at(messages, call_at)["id"]
            new = "" if kind == "empty_id" else f"functions.{source}:é"
            for place in [*calls, *results]:
                block = _at(messages, place)
                for key in ("id", "tool_use_id", "tool_call_id"):
                    if block.get(key) == source:
                        block[key] = new
        case "text_first" | "wedge":
            markers.append(f"<wedge-{rng.randrange(10**9)}>")
            if is_chat or kind == "wedge":
                messages.insert(at[0], {"role": "user", "content": markers[-1]})
            else:
                messages[at[0]]["content"].insert(0, {"type": "text", "text": markers[-1]})
        case "split":
            if not is_chat:
                block = _take(messages, at)
                _put(messages, at[0], block)
        case "swap":
            other_at = rng.choice(results)
            one, two = _at(messages, at), _at(messages, other_at)
            key = _result_id(one)
            one[key], two[key] = two[key], one[key]
        case "text_after_call":
            if not is_chat:
                messages[call_at[0]]["content"].append({"type": "text", "text": "words behind"})
        case "bad_args":
            call = _at(messages, call_at)
            if is_chat:
                call["function"]["arguments"] = '{"cut": "of'
            else:
                call["input"] = rng.choice([None, "", '{"a": 1}', "words", [1]])
        case "no_name":
            call = _at(messages, call_at)
            (call["function"] if is_chat else call).update(name="")
        case "call_in_user":
            messages[call_at[0]]["role"] = "user"
        case "result_in_assistant":
            if not is_chat:
                messages[at[0]]["role"] = "assistant"
        case "null_content":
            messages.insert(rng.randrange(len(messages)), {"role": rng.choice(["user", "assistant"]), "content": None})
        case "empty_text":
            if not is_chat:
                messages[call_at[0]]["content"].insert(0, {"type": "text", "text": " "})
