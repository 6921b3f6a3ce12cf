"""Windows of a list checked one by one say what a check of the whole list says."""

from __future__ import annotations

import copy
import json
import random
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from benchmarks.generate import messages as made
from benchmarks.sessions.options import Options
from tests.each import each
from tests.history.opening import SIZES
from tests.history.reports import told
from tests.history.unlit import unlit
from tests.properties.odd_contents import add_odd
from tests.properties.transcripts import anthropic, chat, plant
from tests.rounds import tries
from toolpair.formats import get_format
from toolpair.formats.engine.detection.list_evidence import ListEvidence
from toolpair.formats.format import Item
from toolpair.formats.lists.anthropic_light import AnthropicLight
from toolpair.formats.lists.openai_chat_light import ChatLight
from toolpair.history import list_windows
from toolpair.history import outline as outlines
from toolpair.history.checked_records import CheckedRecords
from toolpair.history.list_windows import windows_in
from toolpair.history.scan import Scan
from toolpair.rules.profiles import profile

SEEDS = st.integers(min_value=0, max_value=2**32)
MAKERS = {"anthropic": anthropic, "openai-chat": chat}
LIGHTS = {"anthropic": AnthropicLight, "openai-chat": ChatLight}
PROFILES = [
    ("anthropic", "anthropic"),
    ("anthropic", "vertex-anthropic"),
    ("openai-chat", "openai-chat"),
    ("openai-chat", "azure-openai"),
]


def whole(messages: list[Any], kind: str, name: str) -> list[tuple[Any, ...]]:
    items = [Item(number, message) for number, message in enumerate(messages)]
    return told(CheckedRecords(items, get_format(kind), profile(name)).problems)


def broken(seed: int, kind: str) -> list[Any]:
    rng = random.Random(seed)
    made = plant(rng, MAKERS[kind](rng, rng.randrange(1, 30)), rng.choice([0, 0, 1, 1, 2, 3, 6]))
    messages = add_odd(rng, made, rng.choice([0, 0, 0, 1, 2])).messages
    if kind == "anthropic" and rng.random() < 0.3:
        for message in messages:
            if message["role"] == "assistant" and isinstance(message["content"], list) and rng.random() < 0.3:
                message["content"].insert(0, {"type": "thinking", "thinking": "hm", "signature": "c2ln"})
    if kind == "anthropic" and rng.random() < 0.3:
        for message in messages:
            content = message["content"]
            for part in content if isinstance(content, list) else ():
                if isinstance(part, dict) and part.get("type") == "tool_result" and rng.random() < 0.3:
                    part["content"] = [{"type": "text", "text": "seen"}, _image(rng)][rng.randrange(2) :]
                    if rng.random() < 0.1:
                        part["is_error"] = True
    return messages


def _image(rng: random.Random) -> dict[str, Any]:
    kind = rng.choice(["image/png", "image/webp", "image/png", "image/tiff", None])
    source = {"type": "base64", "media_type": kind, "data": "aGVsbG8="}
    image: dict[str, Any] = {"type": "image", "source": source}
    if rng.random() < 0.1:
        source["type"] = "url"
    if rng.random() < 0.1:
        image["detail"] = "high"
    return image


@pytest.mark.parametrize(("kind", "other"), [("anthropic", "openai-chat"), ("openai-chat", "anthropic")])
@given(seed=SEEDS, listed=st.booleans())
@settings(derandomize=True, max_examples=tries(40), deadline=None, suppress_health_check=list(HealthCheck))
def test_a_scan_hears_what_all_messages_tell(kind: str, other: str, seed: int, listed: bool) -> None:
    """Also of those that it takes for plain without a further look."""
    messages = [*broken(seed, kind), *broken(seed + 1, other)[: seed % 5]]
    if listed:
        messages.insert(0, {"role": "user", "content": [{"type": "text", "text": "go"}]})
    light = LIGHTS[kind]()
    Scan(light, profile(kind)).feed(messages)

    heard = ListEvidence().hear_all(messages)

    assert light.evidence == (heard if not heard.by else replace(heard, listed=light.evidence.listed))
    assert light.evidence.shape() == heard.shape()


@each("arguments", ['{"a":', "", "[]", "7", {}, None])
def test_arguments_that_are_no_object_are_left_to_the_rules(arguments: Any) -> None:
    messages: list[Any] = [{"role": "user", "content": "go"}]
    for number in range(9):
        function = {"name": "look", "arguments": arguments if number == 4 else "{}"}
        call = {"id": f"call_{number}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"call_{number}", "content": "seen"})
    found = windows_in(copy.deepcopy(messages), "openai-chat", profile("openai-chat"), 1)
    assert found is not None and len(found.judged) == 1
    assert told(found.problems) == whole(messages, "openai-chat", "openai-chat")


@pytest.mark.parametrize("least", [3, *SIZES])
@pytest.mark.parametrize(("kind", "name"), PROFILES)
@given(seed=SEEDS)
@settings(derandomize=True, max_examples=tries(25), suppress_health_check=list(HealthCheck))
def test_windows_together_say_what_the_whole_says(kind: str, name: str, least: int, seed: int) -> None:
    messages = broken(seed, kind)
    before = json.dumps(messages)

    found = windows_in(copy.deepcopy(messages), kind, profile(name), least)

    if found is not None:
        assert told(found.problems) == whole(messages, kind, name)
    assert json.dumps(messages) == before


@pytest.mark.parametrize(("kind", "name"), PROFILES[::2])
def test_what_stands_far_in_front_of_a_broken_pair_is_not_looked_at(kind: str, name: str) -> None:
    messages = made(Options(pairs=2_000, format=kind, shape="small", problems=8, kinds=("missing",)))
    scan = Scan(LIGHTS[kind](), profile(name))

    scan.feed(messages)
    outline = scan.outline()

    assert outline is not None
    windows = [outline.windows[found.start : found.stop] for found in outline.ranges]
    spans = [(found[0].first, found[-1].end) for found in windows]
    found = windows_in(messages, kind, profile(name))
    assert found is not None
    problems = found.problems
    assert len(problems) == len(spans) == 8
    assert all(first <= (problem.message or 0) < end for problem, (first, end) in zip(problems, spans, strict=True))
    assert max(end - first for first, end in spans) <= 20


@pytest.mark.parametrize("least", SIZES)
@pytest.mark.parametrize(("kind", "name"), [*PROFILES[::2], ("anthropic", "gemini"), ("openai-chat", "anthropic")])
@given(seed=SEEDS)
@settings(derandomize=True, max_examples=tries(15), suppress_health_check=list(HealthCheck))
def test_a_format_without_a_light_is_judged_window_by_window(kind: str, name: str, least: int, seed: int) -> None:
    """No code of its own is needed for that: the rules look at all of its windows."""
    messages, slow = broken(seed, kind), unlit(kind)
    items = [Item(number, message) for number, message in enumerate(messages)]

    with patch.object(outlines, "MANY", 0), patch.object(list_windows, "get_format", lambda id_: slow):
        found = windows_in(messages, kind, profile(name), least)

    assert found is not None
    assert told(found.problems) == told(CheckedRecords(items, slow, profile(name)).problems)
