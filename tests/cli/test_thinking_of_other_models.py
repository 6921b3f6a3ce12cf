"""Unsigned thinking counts by the models that a session was written with: only Anthropic's own check signatures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.formats.claude_code_files import Log, call, text
from toolpair.rules.problem import Problem
from toolpair.session.session import open_session

RULE = "reasoning.bad_signature"
_UNSIGNED: dict[str, Any] = {"type": "thinking", "thinking": "I look at the clock.", "signature": ""}


def session_by(*models: str) -> bytes:
    """A turn of each model: unsigned thinking, a call, its result, and words."""
    log = Log()
    for number, model in enumerate(models):
        log.user(f"u{number}", "Which day is it?")
        log.says(f"t{number}", f"m{number}", _UNSIGNED)
        log.says(f"c{number}", f"m{number}", call(f"call_{number}"))
        log.result(f"r{number}", f"c{number}", f"call_{number}", "Saturday")
        log.says(f"e{number}", f"n{number}", text("It is Saturday."))
        for value in log.values:
            if value.get("type") == "assistant" and value["uuid"].endswith(str(number)):
                value["message"]["model"] = model
    return b"".join(json.dumps(value).encode() + b"\n" for value in log.values)


def problems(data: bytes, profile: str | None = None) -> list[Problem]:
    return [found for found in open_session("s.jsonl", data=data, profile=profile).problems if found.rule == RULE]


@pytest.mark.parametrize("model", ["qwen3.5", "glm-4.7", "kimi-k2-thinking", "deepseek-reasoner", "openai/gpt-5.2"])
def test_it_is_a_note_where_another_providers_model_wrote_it(model: str) -> None:
    data = session_by(model)
    (found,) = problems(data)
    assert (found.severity, found.impact, found.recommended) == ("info", "harmless", None)
    assert model in found.text and "check --profile anthropic" in found.text
    session = open_session("s.jsonl", data=data)
    assert session.stage_recommended() is None and not session.left


@pytest.mark.parametrize("model", ["claude-sonnet-4-6", "anthropic/claude-opus-4.5", "arn:aws:bedrock:eu:1:profile/x"])
def test_it_is_an_error_where_anthropics_did_or_may_have(model: str) -> None:
    (found,) = problems(session_by(model))
    assert found.severity == "error"


def test_the_newest_model_counts_since_the_session_goes_there() -> None:
    assert {found.severity for found in problems(session_by("glm-4.7", "claude-sonnet-4-6"))} == {"error"}
    assert {found.severity for found in problems(session_by("claude-sonnet-4-6", "glm-4.7"))} == {"info"}


def test_a_profile_that_was_named_is_where_it_goes(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(session_by("qwen3.5"))
    plain = run("check", path)
    assert plain.code == 0 and "check --profile anthropic" in plain.out and "refuses" not in plain.out
    named = run("check", path, "--profile", "anthropic")
    assert named.code == 1 and f"error {RULE}" in named.out
    before = path.read_bytes()
    assert run("fix", path, "--in-place").code == 0
    assert path.read_bytes() == before


def test_another_profile_in_the_session_is_one_that_was_chosen() -> None:
    session = open_session("s.jsonl", data=session_by("qwen3.5"))
    session.set_profile("anthropic")
    assert [found.severity for found in session.problems if found.rule == RULE] == ["error"]
