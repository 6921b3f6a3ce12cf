"""Texts that stand where a result is missing are known by whose they are, and never taken for output; nor output for them."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.each import each
from tests.rounds import tries
from toolpair.dialects.block_texts import is_placeholder_text, is_real_output
from toolpair.session.session import open_session
from toolpair.transcript.model import PLACEHOLDER, Block
from toolpair.transcript.placeholders import KNOWN, known_placeholder

# As each system writes it, whole.
WRITTEN = {
    "toolpair": [PLACEHOLDER],
    "Claude Code": [
        "[Tool call interrupted: the session ended before this call's result was recorded, so its outcome is unknown. "
        "Check whether it took effect before relying on it or running it again.]",
        "[Tool result missing due to internal error]",
        "[Tool use interrupted]",
        "[Orphaned tool result removed due to conversation resume]",
        "(no content)",
        "<tool_use_error>Error: this call did not run. It came with no tool_use id, or with one that Claude Code keeps "
        "for its own calls.</tool_use_error>",
    ],
    "Roo Code": [
        "Tool execution was interrupted before completion.",
        "Context condensation triggered. Tool execution deferred.",
        "Task was interrupted before this tool call could be completed.",
    ],
    "a fork of Roo Code": ["No result available for this tool call."],
    "Cline": [
        "[migration] Tool result missing in legacy conversation history.",
        "result missing",
    ],
    "Cline CLI": ["Tool execution was interrupted before a result was produced. Tool: read_file."],
    "Codex": ["aborted"],
    "oh-my-pi": [
        "Tool execution was aborted.",
        "Tool execution was aborted: Request was aborted",
        "Tool call was not executed because the assistant ended its turn.",
        "Tool call was not executed because the provider stream ended with an error before the tool could run.",
        "Tool call was not executed because the assistant hit its output token limit (stop_reason: length) before the "
        "arguments could complete; the recorded arguments are truncated and unsafe to run.",
        "[Output truncated - 1234 tokens]",
        "[Superseded by a newer read of this file]",
        "[Uneventful result elided]",
    ],
    "opencode, Kilo CLI": ["[Tool execution was interrupted]", "Tool execution aborted"],
    "opencode, Kilo CLI, Claude Code": ["[Old tool result content cleared]"],
    "Gemini CLI": ["The tool execution result was lost due to context management truncation."],
    "goose": ["(empty result)"],
    "Zed": ["<Tool returned an empty string>"],
    "Pydantic AI": ["The tool call was interrupted before a result was produced."],
    "LiteLLM": [
        "[System: Tool execution skipped/interrupted by user. No result provided for tool 'get_weather'.]",
    ],
    "Vercel AI SDK": ["Tool result is missing for tool call call_1."],
    "pi, docker-agent": ["No result provided", "No result provided."],
    "docker-agent": ["(tool execution failed)"],
    "OpenClaw": [
        "[openclaw] missing tool result in session history; inserted synthetic error result for transcript repair.",
    ],
    "Crush": [
        "tool call was interrupted and did not produce a result, you may retry this call if the result is still needed",
    ],
    "Continue": ["No tool output", "Tool cancelled"],
    "GitHub Copilot CLI": [
        "The execution of this tool, or a previous tool was interrupted.",
        "Tool execution was interrupted before a result was recorded. Its effects may be absent, partial, or already "
        "complete, and other tools may have completed successfully. Check the current state before retrying; do not "
        "assume success or replay this operation blindly.",
    ],
    "Hermes Agent": [
        "[Result unavailable — see context summary above]",
        "[Orphan recovery: this tool may have executed before Hermes stopped; its effect is UNKNOWN. Inspect current "
        "state before retrying.]",
        "[Orphan recovery: this read-only tool did not complete and had no effect.]",
        "[Orphan recovery: interrupted side-effecting tool may have executed; its effect is UNKNOWN. Inspect state "
        "before retrying.]",
        "[Orphan recovery: interrupted read-only tool did not complete.]",
    ],
    "Kimi Code": [
        "Tool execution was interrupted before its result was recorded. Do not assume the tool completed successfully.",
        "Tool result is not available in the current context. Do not assume the tool completed successfully.",
    ],
    "Qwen Code": [
        "Tool execution result was not recorded — likely interrupted by network failure, abort, or process exit. Treat "
        "as failure and retry if needed.",
    ],
    "Deep Agents (LangChain)": [
        "Tool call ls with id call_1 was cancelled - another message came in before it could be completed.",
    ],
    "OpenHands": [
        "Tool call interrupted before completion. The conversation was paused.",
        "Tool call cancelled by interrupt.",
    ],
    "Mistral Vibe": [
        "<user_cancellation>Tool execution interrupted - no response available</user_cancellation>",
    ],
}
CASES = [(product, text) for product, texts in WRITTEN.items() for text in texts]
TEXTS = [text for _, text in CASES]


def block(content: Any, **fields: Any) -> Block:
    return Block("result", {"type": "tool_result", "tool_use_id": "a", "content": content, **fields}, 0, id="a")


def product_of(text: str) -> str | None:
    found = known_placeholder(text)
    return found.product if found is not None else None


@each(("product", "text"), CASES)
def test_each_systems_text_is_known_as_its_own(product: str, text: str) -> None:
    assert product_of(text) == product
    for content in (text, f"\n{text}  ", [{"type": "text", "text": text}], [{"type": "text", "text": f"{text}\n"}]):
        assert not is_real_output(block(content))
        assert not is_real_output(block(content, is_error=True))


def test_every_known_text_is_tried() -> None:
    assert {known.product for known in KNOWN} == set(WRITTEN)
    assert {known for text in TEXTS if (known := known_placeholder(text)) is not None} >= {
        known for known in KNOWN if "results are missing" not in known.text
    }


@each("text", [text for text in TEXTS if not text.startswith("<") and "\n" not in text])
def test_wrapped_as_an_error_or_in_json_it_is_the_same(text: str) -> None:
    known = known_placeholder(text)
    assert known is not None
    wrapped = [
        f"Error: {text}",
        f"<tool_use_error>{text}</tool_use_error>",
        json.dumps(text),
        json.dumps({"error": text}),
        json.dumps({"output": text, "success": False}),
        json.dumps([{"type": "text", "text": text}]),
    ]
    for words in wrapped:
        assert is_placeholder_text(words) == (not known.alone), words


@each("text", TEXTS)
def test_an_output_that_begins_with_the_words_or_quotes_them_is_output(text: str) -> None:
    for words in (
        f"{text}\nsrc/app.py:12: that was the log's last line",
        f"src/log.txt:1: {text}",
        f"2026-11-21 08:00 {text}\n2026-11-21 08:01 {text}",
        f"{text}{'x' * 3000}",
        json.dumps({"error": text, "stdout": "3 passed"}),
        json.dumps({"output": text, "metadata": {"exit_code": 0}}),
        json.dumps([text, text]),
    ):
        assert product_of(words) is None, words
        assert is_real_output(block(words))


@each(
    "text",
    [
        "aborted by user",
        "Wall time: 1.5 seconds\naborted by user",
        "aborted by user after 3.1s",
        "aborted by user after 3 of 4 tests, see log",
        "Tool canceled by user",
        "aborted: core dumped",
        "Error: aborted",
        "No result provided for `x`, since the table is empty",
        "Tool execution was interrupted before completion. 3 of 4 files were written.",
        "[Tool use interrupted] is what the log says",
        "<tool_use_error>File has not been read yet.</tool_use_error>",
        "",
        "{",
        '{"error": 3}',
        "[]",
        "[" * 1500,
    ],
)
def test_real_words_are_none(text: str) -> None:
    assert product_of(text) is None


@given(st.text(max_size=60), st.sampled_from(TEXTS), st.text(max_size=60))
@settings(max_examples=tries(60))
def test_only_whole_texts_are_taken(before: str, text: str, behind: str) -> None:
    found = known_placeholder(f"{before}\n{text}\n{behind}")
    blank = not before.strip() and not behind.strip()
    assert (found is not None) >= blank
    if any(character.isalnum() for character in before):
        assert found is None


def test_the_real_result_stays_where_a_placeholder_stands_beside_it() -> None:
    for text in TEXTS:
        messages = [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "R", "input": {}}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": text},
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": "the real output"},
            ]},
        ]  # fmt: skip
        session = open_session("s.json", data=json.dumps(messages).encode(), profile="anthropic")
        session.stage_recommended()
        [kept] = json.loads(session.to_bytes())[2]["content"]
        assert kept["content"] == "the real output", text


@each("text", TEXTS)
def test_what_an_agent_cleared_to_make_room_is_not_brought_back(text: str) -> None:
    known = known_placeholder(text)
    assert known is not None
    call = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "pytest"}}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": text}
    records = [
        ("user", "u1", None, {"role": "user", "content": "go"}, {}),
        ("assistant", "a1", "u1", {"id": "msg_1", "role": "assistant", "content": [call]}, {}),
        ("user", "r1", "a1", {"role": "user", "content": [result]}, {"toolUseResult": {"stdout": "3 passed"}}),
    ]
    lines = [
        {"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s", "message": message, **beside}
        | {"timestamp": f"2026-11-21T08:00:0{number}Z"}
        for number, (kind, uuid, parent, message, beside) in enumerate(records)
    ]
    session = open_session("s.jsonl", data="\n".join(map(json.dumps, lines)).encode())
    rules = {problem.rule for problem in session.problems}
    assert ("result.placeholder" in rules) is not known.cleared


@each(
    "text",
    [
        "[Request interrupted by user]",
        "[Request interrupted by user for tool use]",
        "User rejected tool use",
        "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the "
        "new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to "
        "proceed.",
        "Tool canceled by user",
        "The user cancelled this tool call.",
    ],
)
def test_what_a_person_refused_or_stopped_is_what_happened(text: str) -> None:
    for words in (text, f"Error: {text}", json.dumps({"error": text})):
        assert known_placeholder(words) is None
        assert is_real_output(block(words, is_error=True))


def test_what_is_as_long_as_a_page_says_more_than_that_there_is_nothing() -> None:
    interrupted = WRITTEN["Claude Code"][0]
    assert known_placeholder(interrupted) is not None
    assert known_placeholder(interrupted + " And this is the file: " + "x" * 3000) is None
