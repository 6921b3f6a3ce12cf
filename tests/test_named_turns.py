"""What an error text says of turns and of the content's form: the fix is there, in lists and in agents' own files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run, run
from toolpair.session.session import open_session

__all__ = ["run"]

ALTERNATE = "jinja2.exceptions.TemplateError: Conversation roles must alternate user/assistant/user/assistant/..."
PREFILL = "This model does not support assistant message prefill. The conversation must end with a user message."
FIRST = "A conversation must start with a user message. Try again with a conversation that starts with a user message."
NOBODY = '{"error":{"code":500,"message":"Value is not callable: No user query found in messages."}}'
OLLAMA = "json: cannot unmarshal array into Go struct field ChatRequest.messages.content of type string"
NOVA = "Malformed input request: #/messages/0/content: expected type: JSONArray, found: String, please reformat your input and try again."
LISTED = "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1.content' : value must be a string)]"


CALLS = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
}
OUTPUT = {"role": "tool", "tool_call_id": "c", "content": "ok"}


def said(role: str, content: Any) -> dict[str, Any]:
    return {"role": role, "content": content}


@pytest.mark.parametrize(
    ("messages", "error", "wanted"),
    [
        ([said("user", "a"), said("user", "b"), said("assistant", "c"), said("user", "d")], ALTERNATE, [said("user", "a\n\nb"), said("assistant", "c"), said("user", "d")]),
        ([said("user", "a"), said("assistant", "b")], PREFILL, [said("user", "a"), said("assistant", "b"), said("user", "Continue.")]),
        ([said("assistant", "Hello."), said("user", "b")], FIRST, [said("user", "(conversation resumed)"), said("assistant", "Hello."), said("user", "b")]),
        (
            [said("user", "a"), said("assistant", [{"type": "text", "text": "b"}, {"type": "text", "text": "c"}]), said("user", "d"), said("assistant", [{"type": "text", "text": "e"}]), said("user", [{"type": "text", "text": "f"}])],
            LISTED,
            [said("user", "a"), said("assistant", "b\n\nc"), said("user", "d"), said("assistant", "e"), said("user", [{"type": "text", "text": "f"}])],
        ),
        ([said("system", "s"), CALLS, OUTPUT], NOBODY, [said("system", "s"), said("user", "(conversation resumed)"), CALLS, OUTPUT]),
        (
            [said("user", [{"type": "text", "text": "a"}]), CALLS, {**OUTPUT, "content": [{"type": "text", "text": "b"}]}, said("user", "c")],
            OLLAMA,
            [said("user", "a"), CALLS, {**OUTPUT, "content": "b"}, said("user", "c")],
        ),
        ([said("user", "a"), said("assistant", "b"), said("user", "c")], NOVA, [said("user", [{"text": "a"}]), said("assistant", [{"text": "b"}]), said("user", [{"text": "c"}])]),
    ],
)  # fmt: skip
def test_the_error_leads_to_its_fix(
    messages: list[Any], error: str, wanted: list[Any], tmp_path: Path, run: Run
) -> None:
    path, out, plain = tmp_path / "list.json", tmp_path / "out.json", tmp_path / "plain.json"
    path.write_text(json.dumps(messages))
    assert (
        run("fix", path, "--format", "openai-chat", "-o", plain).code == 0 and json.loads(plain.read_text()) == messages
    )
    ran = run("fix", path, "--format", "openai-chat", "--for-error", error, "-o", out)
    assert ran.code == 0, ran.err
    assert json.loads(out.read_text()) == wanted


def test_a_list_with_more_than_texts_stays(tmp_path: Path, run: Run) -> None:
    image = {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}
    messages = [said("user", "a"), said("assistant", [{"type": "text", "text": "b"}, image]), said("user", "c")]
    path = tmp_path / "list.json"
    path.write_text(json.dumps(messages))
    (problem,) = open_session(path, format="openai-chat", profile="groq").problems
    assert problem.rule == "content.not_a_string" and not problem.fixes and problem.no_fix
    ran = run("fix", path, "--format", "openai-chat", "--for-error", LISTED, "-o", tmp_path / "out.json")
    assert ran.code != 0 or json.loads((tmp_path / "out.json").read_text()) == messages


@pytest.mark.parametrize("name", ["continue-cancelled.json", "cline-late-result.json", "pi-lost-line.jsonl"])
def test_an_agents_own_file_gets_the_message_that_its_api_asks_for(name: str, samples: Path) -> None:
    """The agent is trusted to send what its API takes, until the API says that it was not."""
    session = open_session(samples / name)
    if session.conversation.transcript.messages[-1].role != "assistant":
        pytest.skip("it ends with the user")
    assert "turn.trailing_assistant" not in {problem.rule for problem in session.problems}
    found = session.find(PREFILL)
    assert found is not None
    problem = next((one for one in (found.problem, *found.offers) if one is not None), None)
    assert problem is not None and problem.rule == "turn.trailing_assistant" and problem.severity == "error"
    session.stage(problem)
    last = session.conversation.transcript.messages[-1]
    assert last.role == "user" and "Continue." in last.blocks[-1].text
