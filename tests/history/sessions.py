"""Random sessions in Claude Code's format, long enough for several windows, with planted defects."""

from __future__ import annotations

import random
from copy import deepcopy
from datetime import datetime, timedelta
from typing import Any

from tests.formats.claude_code_files import Log, call, text

START = datetime(2026, 11, 21, 8)


def written(rng: random.Random, turns: int, compacts: float = 0.0) -> list[dict[str, Any]]:
    """The records of a session without defects. `compacts`: how often a turn begins with a compaction."""
    log = Log()
    log.record("user", "u", None, message={"role": "user", "content": "begin"}, promptId="p")
    log.record("attachment", "e", attachment={"type": "environment"})
    calls = 0
    thinks = rng.random() < 0.5
    for turn in range(turns):
        if turn and rng.random() < compacts:
            _compact(rng, log, turn)
        for exchange in range(rng.randrange(1, 4)):
            name = f"{turn}-{exchange}"
            if thinks and rng.random() < 0.5:
                log.says(f"h{name}", f"m{name}", {"type": "thinking", "thinking": "hm", "signature": "s" * 20})
            if rng.random() < 0.4:
                log.says(f"t{name}", f"m{name}", text(f"I look at {name}."))
            asked = []
            for _ in range(rng.choice([1, 1, 1, 2, 3])):
                calls += 1
                log.says(f"a{calls}", f"m{name}", call(f"toolu_{calls:03d}"))
                asked.append(calls)
            if rng.random() < 0.5:
                log.note("last-prompt", leafUuid=log.last)
            if rng.random() < 0.2:
                log.record("attachment", f"k{name}", attachment={"type": "hook_success", "toolUseID": "x"})
                if rng.random() < 0.5:
                    log.last = f"a{calls}"
            if rng.random() < 0.1:
                data = {"type": "bash_progress", "fullOutput": f"so far {calls}"}
                log.record("progress", f"g{name}", data=data, parentToolUseID=f"toolu_{calls:03d}")
                log.last = f"a{calls}"
            if rng.random() < 0.2:
                rng.shuffle(asked)
            straight = rng.random() < 0.3
            for one in asked:
                said = _output(rng, one)
                beside = said if rng.random() < 0.5 else _output(rng, one)
                details = rng.choice([{"stdout": beside, "stderr": ""}, f"Error: {beside}"])
                more = {"toolUseResult": details} if rng.random() < 0.5 else {}
                parent = log.last if straight else None
                made = log.result(f"r{one}", f"a{one}", f"toolu_{one:03d}", said, parent, promptId=f"p{turn}", **more)
                if not said.strip() and rng.random() < 0.5:
                    made["message"]["content"][0]["is_error"] = True
            if rng.random() < 0.3:
                rendered = [{"content": "1 token left"}]
                log.record("attachment", f"k{name}x", attachment={"type": "total_tokens_reminder"}, rendered=rendered)
            if rng.random() < 0.3:
                sent = [
                    {"type": "tool_result", "tool_use_id": f"toolu_{n:03d}", "content": _output(rng, n)} for n in asked
                ]
                log.note("api-request-blob", message={"role": "user", "content": sent})
            if rng.random() < 0.1:
                log.record("system", f"s{name}", subtype="informational", content="x")
        if rng.random() < 0.6:
            log.says(f"d{turn}", f"n{turn}", text("Done."))
            log.note("last-prompt", leafUuid=log.last)
            if turn < turns - 1 or rng.random() < 0.3:
                log.record(
                    "user", f"u{turn}", message={"role": "user", "content": f"words {turn}"}, promptId=f"p{turn + 1}"
                )
    values = log.values
    step = rng.choice([1.0, 7.0])
    for number, value in enumerate(values):
        if "timestamp" in value:
            value["timestamp"] = (START + timedelta(seconds=step * number)).isoformat(timespec="milliseconds") + "Z"
    return values


def _output(rng: random.Random, number: int) -> str:
    """The tool's output: sometimes empty, or a note that it is empty."""
    if rng.random() < 0.93:
        return f"output {number}"
    return rng.choice(["", " ", "\n", "[Tool use interrupted]", "(no content)", "User rejected tool use"])


def _compact(rng: random.Random, log: Log, turn: int) -> None:
    """A compaction, which may keep some of the last records."""
    linked = [value["uuid"] for value in log.values if value.get("uuid")]
    kept = linked[-rng.randrange(1, 9) :] if rng.random() < 0.6 else []
    metadata: dict[str, Any] = {"trigger": "auto"}
    ends = {"headUuid": kept[0], "anchorUuid": f"y{turn}", "tailUuid": kept[-1]} if kept else {}
    if kept:
        metadata["preservedSegment"] = ends
        if rng.random() < 0.8:
            metadata["preservedMessages"] = {"anchorUuid": f"y{turn}", "uuids": kept, "allUuids": kept}
    log.record(
        "system", f"c{turn}", None, subtype="compact_boundary", logicalParentUuid=log.last, compactMetadata=metadata
    )
    if rng.random() < 0.3:
        log.record("attachment", f"k{turn}c", attachment={"type": "date"}, rendered=[{"content": "today"}])
    log.user(f"y{turn}", "The summary.", isCompactSummary=True)
    if rng.random() < 0.5:
        log.record("attachment", f"k{turn}y", attachment={"type": "environment"})


DEFECTS = (
    "lost result",
    "lost call",
    "sanitised",
    "twice",
    "characters",
    "blank result",
    "empty text",
    "placeholder",
    "reused id",
    "words between",
    "error",
    "moved result",
    "cleaned twice",
    "unsigned",
    "parent",
    "same message",
    "two in one",
    "synthetic",
    "lost words",
)


def plant(rng: random.Random, values: list[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    values = deepcopy(values)
    for _ in range(count):
        results = [n for n, value in enumerate(values) if str(value.get("uuid")).startswith("r")]
        calls = [n for n, value in enumerate(values) if str(value.get("uuid")).startswith("a")]
        if len(results) < 2 or len(calls) < 2:
            break
        at, call_at = rng.choice(results), rng.choice(calls)
        block = values[at]["message"]["content"][0]
        match rng.choice(DEFECTS):
            case "lost result":
                _out(values, at)
            case "lost call":
                _out(values, call_at)
            case "lost words":
                words = [n for n, value in enumerate(values) if str(value.get("uuid")).startswith(("u", "d", "t"))]
                if len(words) > 1:
                    _out(values, rng.choice(words[1:]))
            case "sanitised":
                block["tool_use_id"] = block["tool_use_id"].replace("_", ".")
            case "twice":
                copied = deepcopy(values[at])
                copied["uuid"] = f"x{rng.random()}"
                values.insert(at + rng.randrange(1, 9), copied)
            case "characters":
                for part in (block, values[call_at]["message"]["content"][0]):
                    key = "id" if "id" in part else "tool_use_id"
                    if key not in part:
                        continue
                    part[key] = f"{part[key]}:1"
            case "blank result":
                block["content"] = rng.choice(["", " ", None, [], [{"type": "text", "text": ""}]])
            case "empty text":
                values[call_at]["message"]["content"].insert(rng.randrange(2), text(rng.choice(["", " ", "late"])))
            case "placeholder":
                block["content"] = "[Tool result missing due to internal error]"
            case "reused id":
                ids = [part["id"] for part in values[call_at]["message"]["content"] if "id" in part]
                block["tool_use_id"] = ids[-1]
            case "words between":
                _behind(values, call_at, "user", {"role": "user", "content": "wait"}, rng)
            case "error":
                block.update(is_error=True, content=rng.choice(["", "failed", [{"type": "image"}]]))
            case "moved result":
                values.insert(rng.randrange(len(values) + 1), values.pop(at))
            case "cleaned twice":
                block["tool_use_id"] = f"{block['tool_use_id']}"[:-1] + "-"
            case "unsigned":
                thinking = {"type": "thinking", "thinking": "hm", "signature": ""}
                values[call_at]["message"]["content"].insert(0, thinking)
            case "parent":
                values[call_at]["parentUuid"] = rng.choice(["lost", None, values[at].get("uuid")])
            case "same message":
                values[call_at]["message"]["id"] = values[rng.choice(calls)]["message"]["id"]
            case "two in one":
                other = values[rng.choice(results)]["message"]["content"]
                other.append(deepcopy(block))
            case "synthetic":
                message = {"id": f"y{rng.random()}", "role": "assistant", "model": "<synthetic>"}
                message["content"] = [text(rng.choice(["API Error: 500", "No response requested."]))]
                _behind(values, rng.choice(results), "assistant", message, rng)
    return values


def _out(values: list[dict[str, Any]], at: int) -> None:
    gone = values.pop(at)
    for value in values:
        if value.get("parentUuid") == gone["uuid"]:
            value["parentUuid"] = gone["parentUuid"]


def _behind(values: list[dict[str, Any]], at: int, type_: str, message: Any, rng: random.Random) -> None:
    """A record between one and its children."""
    before = values[at]
    uuid = f"w{rng.random()}"
    for value in values:
        if value.get("parentUuid") == before["uuid"]:
            value["parentUuid"] = uuid
    made = {**before, "type": type_, "uuid": uuid, "parentUuid": before["uuid"], "message": message}
    made.pop("toolUseResult", None)
    made.pop("sourceToolAssistantUUID", None)
    values.insert(at + 1, made)


def session(seed: int) -> list[dict[str, Any]]:
    rng = random.Random(seed)
    return plant(rng, written(rng, rng.randrange(1, 16), rng.choice([0, 0, 0.2])), rng.choice([0, 0, 1, 1, 1, 2, 3]))
