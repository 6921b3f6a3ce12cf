"""Our verdicts on chat messages beside those of Mistral's own validator, and what we mend given to it."""

from __future__ import annotations

import json
import random
import warnings
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import toolpair
from tests.each import each
from tests.properties.odd_contents import add_odd
from tests.properties.transcripts import chat, plant
from tests.rounds import tries
from tests.vendors.sdk import Sdk

pytestmark = pytest.mark.usefixtures("sdks")
MESSAGES = Sdk("mistral_common.protocol.instruct.messages")
VALIDATOR = Sdk("mistral_common.protocol.instruct.validator")
TOKENIZERS = Sdk("mistral_common.tokens.tokenizers.base")
TYPES = {"user": "UserMessage", "assistant": "AssistantMessage", "system": "SystemMessage", "tool": "ToolMessage"}
VERSIONS = [
    ("mistral", "v11"),
    ("mistral/v2", "v2"),
    ("mistral/v3", "v3"),
    ("mistral/v7", "v7"),
    ("mistral/v11", "v11"),
    ("mistral/v13", "v13"),
    ("mistral/v13", "v15"),
]
COUNTING = {"v2", "v3", "v7"}
MANY = settings(max_examples=tries(60), suppress_health_check=list(HealthCheck))

HOSTED = "the hosted API refuses a user straight behind a result; the library lets it pass"
FIRST = "the library does not look at the first message: a result there is no orphan, a call there wants none"
UNREAD = "the library reads the content of a user's message alone, so a call that stands there is gone without a word"
COUNTED = "versions that only count results take one that answers no call, when another is missing"
MODELS = "what some versions take and others refuse is an error for none but the family that was chosen"
NO_IMAGES = "a user's images are another matter than calls and results: v2 has none at all"


def refused(messages: Sequence[dict[str, Any]], version: str) -> str | None:
    """Why the vendor's validator refuses the messages."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = [getattr(MESSAGES, TYPES[message["role"]]).from_openai(message) for message in messages]
            mode, kind = VALIDATOR.ValidationMode.serving, TOKENIZERS.TokenizerVersion(version)
            VALIDATOR.get_validator(kind, mode).validate_messages(made)
    except Exception as error:  # the library raises a good dozen of kinds, pydantic's and KeyError among them
        return f"{type(error).__name__}: {error}"
    return None


def excused(messages: Sequence[dict[str, Any]], name: str, version: str) -> dict[str, str]:
    """Our rules that the library does not hold here, and why not."""
    found = {"turn.user_after_tool": HOSTED}
    if messages[0]["role"] == "tool":
        found["result.orphan"] = FIRST
    if messages[0].get("tool_calls"):
        found["result.missing"] = FIRST
    if any(message.get("tool_calls") for message in messages if message["role"] != "assistant"):
        found["role.call_in_user"] = UNREAD
    if version in COUNTING:
        counted = ("result.orphan", "result.missing", "result.duplicate", "result.not_adjacent")
        found |= dict.fromkeys(counted, COUNTED)
    if name == "mistral":
        found["content.empty_message"] = MODELS
    return found


def passed_by(theirs: str, name: str, version: str) -> str | None:
    """Why we have nothing against what the library refuses with these words; None when there is no known reason."""
    if "ImageURLChunk" not in theirs:
        return None
    if "in tool message" in theirs and name in ("mistral", "mistral/v13"):
        return MODELS
    return NO_IMAGES if "in user message" in theirs and version == "v2" else None


def transcript(seed: int) -> list[dict[str, Any]]:
    """Chat messages with planted defects, half of them with ids as Mistral makes them."""
    rng = random.Random(seed)
    made = plant(rng, chat(rng, rng.randrange(1, 5)), rng.randrange(0, 4))
    add_odd(rng, made, rng.choice([0, 0, 1, 2]))
    if rng.random() < 0.5:
        for message in made.messages:
            for holder in [message, *(message.get("tool_calls") or [])]:
                for key in ("id", "tool_call_id"):
                    if holder.get(key):
                        digits = "".join(letter for letter in holder[key] if letter.isascii() and letter.isdigit())
                        holder[key] = f"call{digits[-5:]:0>5}"
    return made.messages


def errors(messages: Sequence[dict[str, Any]], name: str) -> set[str]:
    return {problem.rule for problem in toolpair.check(messages, profile=name).errors}


@pytest.mark.parametrize(("name", "version"), VERSIONS)
@given(seed=st.integers(min_value=0, max_value=2**32))
@MANY
def test_judged_as_the_vendor_judges(name: str, version: str, seed: int) -> None:
    messages = transcript(seed)
    if not any(message["role"] == "tool" or message.get("tool_calls") for message in messages):
        return
    ours, theirs = errors(messages, name), refused(messages, version)
    if theirs is None:
        assert ours <= set(excused(messages, name, version)), (ours, json.dumps(messages))
    elif not ours:
        assert passed_by(theirs, name, version), (theirs, json.dumps(messages))


@pytest.mark.parametrize(("name", "version"), VERSIONS)
@given(seed=st.integers(min_value=0, max_value=2**32))
@MANY
def test_what_we_mend_is_taken(name: str, version: str, seed: int) -> None:
    messages = transcript(seed)
    if not any(message["role"] == "tool" or message.get("tool_calls") for message in messages):
        return
    repaired = toolpair.repair(messages, profile=name)
    assert all(problem.guess for problem in repaired.left)
    if repaired.left:
        return  # a person decides first
    theirs = refused(repaired.messages, version)
    assert theirs is None or passed_by(theirs, name, version), (theirs, json.dumps(messages))


CALL: dict[str, Any] = {"id": "abcDEF123", "type": "function", "function": {"name": "look", "arguments": "{}"}}
OUTPUT: dict[str, Any] = {"role": "tool", "tool_call_id": "abcDEF123", "content": "seen"}
ASKS: dict[str, Any] = {"role": "user", "content": "Look."}
CALLS: dict[str, Any] = {"role": "assistant", "content": None, "tool_calls": [CALL]}
TWO_CALLS = {**CALLS, "tool_calls": [CALL, {**CALL, "id": "ghiJKL456"}]}


@each(
    ("messages", "name", "version", "rule", "why"),
    [
        ([ASKS, CALLS, OUTPUT, ASKS], "mistral/v11", "v11", "turn.user_after_tool", HOSTED),
        ([OUTPUT, CALLS, OUTPUT], "mistral/v11", "v11", "result.orphan", FIRST),
        ([ASKS, TWO_CALLS, OUTPUT, {**OUTPUT, "content": "seen too"}], "mistral/v7", "v7", "result.duplicate", COUNTED),
        ([{**ASKS, "tool_calls": [CALL]}, ASKS], "mistral/v11", "v11", "role.call_in_user", UNREAD),
        ([ASKS, {"role": "assistant", "content": ""}, ASKS], "mistral", "v11", "content.empty_message", MODELS),
    ],
)
def test_each_known_difference_is_there(
    messages: list[dict[str, Any]], name: str, version: str, rule: str, why: str
) -> None:
    ours, known = errors(messages, name), excused(messages, name, version)
    assert rule in ours
    assert ours <= set(known)
    assert refused(messages, version) is None
    assert known[rule] == why


@each(("name", "version"), VERSIONS)
def test_a_sound_history_is_taken_by_both(name: str, version: str) -> None:
    messages = [{"role": "system", "content": "Be kind."}, ASKS, CALLS, OUTPUT]
    assert errors(messages, name) == set()
    assert refused(messages, version) is None
