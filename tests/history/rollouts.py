"""Rollouts of Codex, long enough to fall into stretches, with defects near and far."""

from __future__ import annotations

import json
import random
from typing import Any

from tests.formats.codex_files import FOLDER, Rollout
from tests.properties.test_codex import KINDS, at, plant

TYPES = frozenset({"message", "reasoning", *KINDS, "function_call_output", "custom_tool_call_output"})


def in_order(rng: random.Random, turns: int) -> Rollout:
    """A session in which nothing is wrong, in one of the ways that Codex has of writing it."""
    made = Rollout(paginated=rng.random() < 0.5)
    made.begins("t0", "<user-0>")
    number = 0
    with_ids = rng.random() < 0.5
    for turn in range(1, turns):
        for _ in range(rng.randrange(1, 4)):
            if rng.random() < 0.4:
                made.thinks(f"rs_{number}")
            if rng.random() < 0.3:
                made.event("item_completed", item={"type": "AgentMessage", "id": f"msg_{number}", "content": []})
                made.says("so")
            asked = []
            for _ in range(rng.choice([1, 1, 2, 3])):
                number += 1
                asked.append((f"call_{number:03d}", rng.choice(KINDS)))
                made.call(*asked[-1])
                prefix = {"function_call": "fc", "custom_tool_call": "ctc"}.get(asked[-1][1], "lsh")
                if with_ids:
                    made.values[-1]["payload"]["id"] = f"{prefix}_{number}"
            made.uses()
            for id_, kind in asked:
                if rng.random() < 0.3:
                    made.ran(id_, f"<output-{id_}>")
                long = "x" * rng.choice([12_000, 12_001, 48_000, 48_001]) if rng.random() < 0.08 else ""
                made.output(id_, f"<output-{id_}>{long}", kind)
            made.event("token_count", info=None)
        if rng.random() < 0.7:
            made.says("done")
        made.ends()
        made.begins(f"t{turn}", f"<user-{turn}>")
        if rng.random() < 0.1:
            made.user("<permissions instructions>", "developer")
    made.says("the end")
    if rng.random() < 0.3:
        model = rng.choice(["gpt-5.5-mini", "my-model", "openai/gpt-6-sol"])
        made.record("turn_context", {"turn_id": "t", "cwd": FOLDER, "model": model})
    return made


def spoil(made: Rollout, rng: random.Random) -> None:
    """Something that goes edges what `plant` does."""
    out, call = at(made, rng, "out"), at(made, rng, "call")
    if out is None or call is None:
        return
    items = [value for value in made.values if value["type"] == "response_item"]
    item = rng.choice(items)
    place = made.values.index(item)
    match rng.randrange(17):
        case 16:  # a field of a kind that Codex cannot read
            key = rng.choice(["status", "phase", "id", "internal_chat_message_metadata_passthrough", "role", "content"])
            item["payload"][key] = rng.choice([5, {}, [], "final", {"turn_id": 5}, None])
        case 0:  # an id that stands elsewhere, too
            call["payload"]["call_id"] = rng.choice(items)["payload"].get("call_id", "call_x")
        case 1:
            item["payload"]["id"] = rng.choice(items)["payload"].get("id", "fc_x")
        case 2:  # written once more, here or far away
            made.values.insert(rng.randrange(place, len(made.values)) + 1, json.loads(json.dumps(item)))
            made.remove()
        case 3:  # the output is lost, and an event has it
            made.remove(
                *[
                    value
                    for value in items
                    if value["payload"].get("call_id") == out["payload"].get("call_id")
                    and value["payload"]["type"].endswith("_output")
                ]
            )
            made.ran(out["payload"]["call_id"], "what it said")
            if rng.random() < 0.5:
                moved = made.values.pop()
                made.values.insert(rng.randrange(1, len(made.values)), moved)
                made.remove()
        case 4:
            out["payload"]["output"] = rng.choice(
                [
                    "aborted",
                    "",
                    " ",
                    None,
                    [],
                    [{"type": "input_text", "text": "x"}],
                    [{"type": "text", "text": "x"}],
                    [{"type": "input_image"}],
                    {"a": 1},
                ]
            )
        case 5:
            call["payload"]["name"] = rng.choice(["", "a b", None, "x" * 130, "shell"])
        case 6:
            call["payload"]["arguments"] = rng.choice(["{", "[]", '"x"', None, {}, ""])
        case 7:
            item["payload"]["id"] = rng.choice(["", "x_1", "rs_" + "y" * 70, 5])
        case 8:
            made.values.insert(place, json.loads(json.dumps(item)))
            made.values[place]["payload"] = {"type": "reasoning", "id": f"rs_d{place}", "summary": []}
            made.remove()
        case 9:
            made.values.insert(place, json.loads(json.dumps(item)))
            made.values[place]["payload"] = {
                "type": rng.choice(["web_search_call", "ghost_snapshot", "tool_search_call", "compaction", "strange"]),
                "id": f"ws_{place}",
            }
            made.remove()
        case 10:
            made.remove(item)
        case 11:
            other = rng.randrange(place, min(place + rng.choice([3, 40]), len(made.values)))
            made.values.insert(other, made.values.pop(place))
            made.remove()
        case 12 if made.paginated:
            by = rng.randrange(1, 4)
            for value in made.values[place:]:
                if "ordinal" in value:
                    value["ordinal"] += by
        case 13:
            kinds: list[tuple[str, dict[str, Any]]] = [
                ("event_msg", {"type": "turn_aborted", "turn_id": "t1"}),
                ("event_msg", {"type": "thread_rolled_back", "num_turns": 1}),
                ("compacted", {"message": "S", "replacement_history": []}),
                ("world_state", {"full": True}),
                ("inter_agent_communication", {"content": "hi"}),
                ("event_msg", {"type": "token_count"}),
                (
                    "response_item",
                    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "w"}]},
                ),
                ("response_item", {"type": "message", "role": "system", "content": []}),
                ("response_item", {"type": "message", "role": "assistant", "content": "bare"}),
                ("response_item", {"role": "user", "content": "bare"}),
            ]
            kind, payload = rng.choice(kinds)
            made.record(kind, payload)
            made.values.insert(place, made.values.pop())
            made.remove()
        case 14:
            rng.choice(made.values).pop(rng.choice(["timestamp", "ordinal", "payload"]), None)
        case _:
            call["payload"]["call_id"], out["payload"]["call_id"] = (
                out["payload"].get("call_id"),
                call["payload"].get("call_id"),
            )


def rollout(seed: int, turns: int = 10) -> Rollout:
    """A rollout with any number of defects."""
    rng = random.Random(seed)
    made = in_order(rng, rng.randrange(2, turns))
    for _ in range(rng.choice([0, 1, 1, 1, 2, 3])):
        payloads = [value.get("payload", {}) for value in made.values]
        if {} in payloads or any("role" in found and "type" not in found for found in payloads):
            break
        (plant if rng.random() < 0.4 else spoil)(made, rng)
    return made
