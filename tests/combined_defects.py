"""Sessions with two or three planted defects at once: whatever breaks one alone, in any order, on top of each other."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any, NamedTuple

from tests import (
    broken_sessions,
    cline_sessions,
    continue_sessions,
    copilot_sessions,
    gemini_sessions,
    hermes_sessions,
    kimi_code_sessions,
    kimi_sessions,
    oh_my_pi_sessions,
    openclaw_sessions,
    pi_sessions,
    qwen_sessions,
    vibe_sessions,
)
from tests.agents import codex_planted, planted
from tests.agents.codex_rollouts import whole
from tests.properties import transcripts

Made = Any
"""What defects change: records, or a rollout."""
Defect = Callable[[Made, random.Random], Made | bytes | None]
"""Changes it where it is, or gives the changed one, or the bytes of a file: nothing can be done to that any more."""


class Agent(NamedTuple):
    file: str
    begin: Callable[[Sequence[str]], Made]
    """The sound session that these defects are planted in."""
    defects: dict[str, Defect]
    write: Callable[[Made], bytes]
    output: re.Pattern[bytes] = re.compile(rb"word-[a-z]+-word")
    """Each real output says something that is nowhere else."""


class Combined(NamedTuple):
    defects: tuple[str, ...]
    data: bytes


def combined(agent: Agent, seed: int) -> Combined | None:
    """Two or three defects, the same for a seed; None where one takes away what the others would break."""
    rng = random.Random(seed)
    names = rng.sample(sorted(agent.defects), rng.choice((2, 2, 3)))
    made = agent.begin(names)
    for name in names:
        try:
            found = agent.defects[name](made, rng)
        except (LookupError, ValueError, AttributeError, TypeError, AssertionError, RuntimeError, StopIteration):
            return None
        if isinstance(found, bytes):
            return Combined(tuple(names[: names.index(name) + 1]), found) if name != names[0] else None
        made = made if found is None else found
    return Combined(tuple(names), agent.write(made))


def _of_breaks(
    file: str, breaks: broken_sessions.Breaks, begin: Callable[[], Any] | None = None, but: Sequence[str] = ()
) -> Agent:
    def planting(name: str) -> Defect:
        return lambda records, _: breaks[name](records)

    def begun(names: Sequence[str]) -> list[Any]:
        return breaks.begin_for(names) if begin is None else deepcopy(begin().records)

    return Agent(file, begun, {name: planting(name) for name in breaks.names if name not in but}, breaks.write)


def _of_continue() -> Agent:
    def planting(name: str) -> Defect:
        return lambda history, _: continue_sessions.WAYS[name][0](history)

    defects = {name: planting(name) for name in continue_sessions.WAYS}
    begin, file = continue_sessions.sound, continue_sessions.NAME
    return Agent(file, lambda names: begin(), defects, continue_sessions.written, re.compile(rb"output-\d"))


def _of_codex() -> Agent:
    def planting(name: str) -> Defect:
        return lambda made, _: codex_planted.CHANGES[name](made)

    defects = {name: planting(name) for name in codex_planted.CHANGES}
    return Agent("rollout.jsonl", lambda names: whole(False), defects, lambda made: made.data())


def _of_lists(file: str, begin: Callable[[random.Random], transcripts.Made], write: Callable[[Any], Any]) -> Agent:
    """Of a list of an API's messages, which no agent resumes."""

    def planting(name: str) -> Defect:
        return lambda made, rng: transcripts.plant_one(rng, made, name)

    return Agent(
        file,
        lambda names: begin(random.Random(" ".join(names))),
        {name: planting(name) for name in transcripts.DEFECTS},
        lambda made: json.dumps(write(made.messages)).encode(),
        re.compile(rb"<(?:output|wedge|differ|user)-[0-9]+>"),
    )


def _responses(messages: transcripts.Messages) -> list[dict[str, Any]]:
    """Items of the Responses API that say what chat messages do."""
    items: list[dict[str, Any]] = []
    for message in messages:
        if message["role"] == "tool":
            items.append(
                {"type": "function_call_output", "call_id": message["tool_call_id"], "output": message["content"]}
            )
            continue
        if message["content"] is not None or not message.get("tool_calls"):
            items.append({"type": "message", "role": message["role"], "content": message["content"]})
        items += [
            {"type": "function_call", "call_id": call["id"], **call["function"]}
            for call in message.get("tool_calls", ())
        ]
    return items


AGENTS = {
    "claude-code": Agent(
        "session.jsonl",
        lambda names: planted.sound(),
        dict(planted.DEFECTS),
        planted.written,
        re.compile(rb"output [A-H]"),
    ),
    "codex": _of_codex(),
    "pi": _of_breaks(pi_sessions.NAME, pi_sessions.BREAKS),
    "openclaw": _of_breaks(pi_sessions.NAME, pi_sessions.BREAKS, openclaw_sessions.sound),
    "oh-my-pi": _of_breaks(oh_my_pi_sessions.NAME, oh_my_pi_sessions.BREAKS),
    "kimi-cli": _of_breaks(kimi_sessions.NAME, kimi_sessions.BREAKS),
    "qwen-code": _of_breaks(qwen_sessions.NAME, qwen_sessions.BREAKS),
    "gemini-cli": _of_breaks(gemini_sessions.NAME, gemini_sessions.BREAKS),
    "copilot-cli": _of_breaks("events.jsonl", copilot_sessions.BREAKS),
    "cline-cli": _of_breaks(cline_sessions.NAME, cline_sessions.BREAKS),
    "continue": _of_continue(),
    "kimi-code": _of_breaks(kimi_code_sessions.NAME, kimi_code_sessions.broken),
    "vibe": _of_breaks(vibe_sessions.NAME, vibe_sessions.BREAKS),
    "hermes": _of_breaks("rows.jsonl", hermes_sessions.broken, but=("id_of_item",)),
}
LISTS = {
    "anthropic list": _of_lists("messages.json", transcripts.anthropic, list),
    "chat list": _of_lists("messages.json", transcripts.chat, list),
    "responses list": _of_lists("items.json", transcripts.chat, _responses),
}
