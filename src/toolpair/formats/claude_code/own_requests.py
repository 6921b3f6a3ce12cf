"""What the records say besides the conversation: requests, put together again; what a call took; an edit's patch.

`api-request` names a request it continues (`base`), how many of its messages it keeps, and the hashes of the others.
`api-request-blob` holds messages by hash; those of the assistant are joined from the records of their response.
`api-request-shape` holds the system prompt and the tools.
"""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from toolpair.formats.claude_code.record_kinds import parts_of_type
from toolpair.formats.engine.reading.clock import count_in, usage_of
from toolpair.formats.format import FileRecords, Item, KeptRequest, Patch, Usage

_BETAS: Final = "betas"
_LONGEST_CHAIN: Final = 100_000


def request_kept(items: Sequence[Item], response: int | None) -> KeptRequest:
    """The request that the response in a record answered, or the newest one, as far as the file has it."""
    named = None
    keys = {"api-request": "id", "api-request-shape": "shapeHash"}

    def noted() -> Iterator[Item]:
        nonlocal named
        for item in items.naming([*keys], response) if isinstance(items, FileRecords) else items:
            if item.uid == response and isinstance(item.value, dict):
                named = item.value.get("requestRef")
            yield item

    requests, shapes = _by_key(noted(), keys)
    request = requests.get(named) if isinstance(named, str) else None
    exact = request is not None
    if request is None:
        request = next(reversed(requests.values()), None)
    if request is None:
        return KeptRequest()
    shape_of = shapes.get(_text(request.get("shapeHash")))
    shape = shape_of.get("shape") if shape_of is not None else None
    shape = dict(shape) if isinstance(shape, dict) else {}
    parameters = dict(request["params"]) if isinstance(request.get("params"), dict) else {}
    betas = parameters.pop(_BETAS, None)
    messages, altered, missing = _messages(items, requests, request) if exact else (None, 0, 0)
    body = {**shape, "messages": messages if messages is not None else []}
    _mark(body, request.get("cacheControl"))
    model = parameters.pop("model", None)
    return KeptRequest(
        system=body.pop("system", None),
        tools=body.pop("tools", None) or (),
        model=model if isinstance(model, str) else None,
        parameters={**parameters, **{key: value for key, value in body.items() if key != "messages"}},
        betas=tuple(str(beta) for beta in betas) if isinstance(betas, list) else (),
        messages=body["messages"] if messages is not None and shape else None,
        altered=altered,
        unresolved=missing + (exact and not shape),
        unrecorded=not exact and response is not None,
        api="anthropic",
    )


def _by_key(items: Iterable[Item], keys: Mapping[str, str]) -> list[dict[str, dict[str, Any]]]:
    """The records of each of these types, by what they have under its key, found in one pass through all."""
    found: dict[Any, dict[str, dict[str, Any]]] = {type_: {} for type_ in keys}
    for item in items:
        type_ = item.value.get("type") if isinstance(item.value, dict) else None
        if isinstance(type_, str) and type_ in keys and isinstance(name := item.value.get(keys[type_]), str):
            found[type_][name] = item.value
    return [*found.values()]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _messages(
    items: Sequence[Item], requests: Mapping[str, dict[str, Any]], request: dict[str, Any]
) -> tuple[list[Any] | None, int, int]:
    """The messages, how many of them no longer have their hash, and how many are missing."""
    hashes = _hashes(requests, request)
    if hashes is None:
        return None, 0, 1
    (blobs,) = _by_key(items, {"api-request-blob": "hash"})
    known: dict[str, Any] = {hash_: blob.get("message") for hash_, blob in blobs.items()}
    if any(hash_ not in known for hash_ in hashes):
        for message in _responses(items):
            known.setdefault(_hash(message), message)
    missing = sum(hash_ not in known for hash_ in hashes)
    if missing:
        return None, 0, missing
    altered = sum(hash_ in blobs and _hash(known[hash_]) != hash_ for hash_ in hashes)
    return [copy.deepcopy(known[hash_]) for hash_ in hashes], altered, 0


def _hashes(requests: Mapping[str, dict[str, Any]], request: dict[str, Any]) -> list[str] | None:
    """The hashes of all messages of a request; None where a request that it continues is missing."""
    chain = [request]
    while (base := chain[-1].get("base")) is not None:
        before = requests.get(base) if isinstance(base, str) else None
        if before is None or len(chain) > min(len(requests), _LONGEST_CHAIN):
            return None
        chain.append(before)
    hashes: list[str] = []
    for one in reversed(chain):
        keep, tail = one.get("keep"), one.get("tail")
        if not isinstance(keep, int) or not isinstance(tail, list) or not 0 <= keep <= len(hashes):
            return None
        hashes = [*hashes[:keep], *map(str, tail)]
    return hashes


def _responses(items: Sequence[Item]) -> list[dict[str, Any]]:
    """The messages of the assistant, each joined from its records."""
    content: dict[str, list[Any]] = {}
    for item in items:
        value = item.value
        message = value.get("message") if isinstance(value, dict) and value.get("type") == "assistant" else None
        if (
            isinstance(message, dict)
            and isinstance(message.get("id"), str)
            and isinstance(message.get("content"), list)
        ):
            content.setdefault(message["id"], []).extend(message["content"])
    return [{"role": "assistant", "content": blocks} for blocks in content.values()]


def _hash(message: Any) -> str:
    written = json.dumps(message, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str)
    return hashlib.sha256(written.encode("utf-8", "surrogatepass")).hexdigest()


def _mark(body: dict[str, Any], marks: Any) -> None:
    """Put the marks for caching back, which are recorded beside the messages; a place that is not there is passed."""
    for mark in marks if isinstance(marks, list) else ():
        path = mark.get("path") if isinstance(mark, dict) else None
        if not isinstance(path, list) or not path:
            continue
        if path[0] in ("system", "tools") and isinstance(body.get(path[0]), list):
            # Shared by all requests of this shape.
            body[path[0]] = [dict(one) if isinstance(one, dict) else one for one in body[path[0]]]
        place: Any = body
        try:
            for step in path:
                place = place[step]
        except (KeyError, IndexError, TypeError):
            continue
        if isinstance(place, dict):
            place["cache_control"] = mark.get("value")


_TIMES: Final = ("durationMs", "totalDurationMs")
_MOST: Final = 1e10
_SIGNS: Final = ("+", "-", " ", "\\")


def seconds_of(value: Any) -> float | None:
    """How long the call took, in seconds."""
    details = _details(value)
    for key in _TIMES:
        time = details.get(key)
        if isinstance(time, (int, float)) and not isinstance(time, bool) and 0 <= time < _MOST:
            return time / 1000
    return None


def patch_of(value: Any) -> Patch:
    """The hunks of an edit, which have line numbers; empty if anything in them is odd."""
    hunks = _details(value).get("structuredPatch")
    found = [_hunk(hunk) for hunk in hunks] if isinstance(hunks, list) else []
    return [] if None in found else [hunk for hunk in found if hunk is not None]


def _hunk(hunk: Any) -> tuple[int, int, list[str]] | None:
    if not isinstance(hunk, dict):
        return None
    old, new, lines = hunk.get("oldStart"), hunk.get("newStart"), hunk.get("lines")
    if not isinstance(old, int) or not isinstance(new, int) or not isinstance(lines, list):
        return None
    if not all(isinstance(line, str) and line.startswith(_SIGNS) for line in lines):
        return None
    return old, new, [line for line in lines if not line.startswith("\\")]


def _details(value: Any) -> dict[str, Any]:
    """What stands beside a result, which is about no particular one of several."""
    details = value.get("toolUseResult") if isinstance(value, dict) else None
    return details if isinstance(details, dict) and len(parts_of_type(value, "tool_result")) == 1 else {}


def usage(value: Any) -> Usage | None:
    message = value.get("message") if isinstance(value, dict) and value.get("type") == "assistant" else None
    usage = message.get("usage") if isinstance(message, dict) else None
    written = count_in(usage, "output_tokens")
    read = count_in(usage, "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return usage_of(read, written)
