"""The cases of the systems that toolpair grew out of: detected, mended to valid, nothing real lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import toolpair
from tests.each import each
from toolpair.dialects.block_texts import is_placeholder_text, text_of
from toolpair.session.session import open_session

FOLDER = Path(__file__).parent / "data" / "systems"
CASES = [
    case
    for file in sorted(FOLDER.glob("*.jsonl"))
    for line in file.read_text(encoding="utf-8").splitlines()
    if isinstance((case := json.loads(line))["input"], list)
]
RULES = {
    "missing_result": ("result.missing", "turn.trailing_call", "result.id_mismatch"),
    "orphan_result": ("result.orphan", "result.id_mismatch", "result.duplicate"),
    "duplicate_result": ("result.duplicate",),
    "result_order": ("result.order", "result.not_first"),
    "string_content": ("result.missing",),
    "empty_id": ("id.empty", "result.orphan", "result.id_mismatch"),
    # One broken pair is one problem: the most specific one stands for the others.
    "text_before_result": ("result.not_first", "result.not_adjacent", "result.orphan", "result.duplicate"),
    "duplicate_call": ("call.duplicate_id",),
    "duplicate_call_id": ("call.duplicate_id",),
    "invalid_id": ("id.pattern",),
    "split_results": ("result.split_over_messages",),
}


def outputs_and_words(messages: list[dict[str, Any]]) -> list[str]:
    """Every real tool output and every word from the user."""
    found: list[str] = []
    for message in messages:
        content = message.get("content")
        if message["role"] == "tool":
            found.append(text_of(content))
        elif message["role"] == "user":
            for block in content if isinstance(content, list) else [{"type": "text", "text": content}]:
                found.append(
                    text_of(block.get("content")) if block.get("type") == "tool_result" else block.get("text") or ""
                )
    return [text for text in found if text.strip() and not is_placeholder_text(text)]


@each("case", CASES)
def test_detected_mended_and_nothing_lost(case: dict[str, Any]) -> None:
    messages = case["input"]
    data = json.dumps(messages).encode()
    session = open_session("case.json", data=data)
    rules = {problem.rule for problem in session.problems}
    for defect in case["defects"]:
        assert rules.intersection(RULES[defect]), (defect, rules)
    if not case["defects"]:
        assert not [problem for problem in session.problems if problem.severity == "error"]

    session.stage_recommended()

    assert all(problem.guess for problem in session.left)
    text = session.to_bytes().decode()
    for words in outputs_and_words(messages):
        assert json.dumps(words)[1:-1] in text, words
    assert json.loads(text) == list(toolpair.repair(messages).messages)
