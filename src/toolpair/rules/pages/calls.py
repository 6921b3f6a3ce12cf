"""Pages about calls: shared ids, and content after a call in its message."""

from __future__ import annotations

from typing import Final

from toolpair.rules.pages.rule_page import Example, Offered, RulePage

_NEAREST: Final = Offered(
    "nearest", "where results could belong to any of the calls: give late results to the nearest call, a guess"
)
_ONLY_CALLS: Final = Offered(
    "new-ids-only",
    "where results could belong to any of the calls: give the calls new ids, remove those results",
    "these outputs",
)

PAGES: Final = (
    RulePage(
        "call.duplicate_id",
        "Several calls of one message share an id",
        "Their results cannot be told apart, so Anthropic, Bedrock, Mistral and Kimi refuse such a message. It comes "
        "from gateways that give every call of a response the same id, and from streams that were put together twice.",
        "Each later pair gets its own id, on both sides, the same one on every run.",
        Example(
            """
[
  {"role": "user", "content": "Read both files."},
  {"role": "assistant", "content": [
    {"type": "tool_use", "id": "call_0", "name": "read",
     "input": {"path": "a.txt"}},
    {"type": "tool_use", "id": "call_0", "name": "read",
     "input": {"path": "b.txt"}}]},
  {"role": "user", "content": [
    {"type": "tool_result", "tool_use_id": "call_0", "content": "tea"},
    {"type": "tool_result", "tool_use_id": "call_0", "content": "milk"}]}
]
"""
        ),
        (_NEAREST, _ONLY_CALLS),
    ),
    RulePage(
        "call.reused_id",
        "An id is used again in a later turn",
        "This comes from gateways that number the calls of each response (`call_0`). Kimi requires every id to be "
        "unique in a request, and Anthropic's error text suggests the same; most chat APIs accept repeats. Claude "
        "Code keeps the first such pair and drops the others without telling you.",
        "Each later pair gets its own id, on both sides, the same one on every run.",
        Example(
            """
[
  {"role": "user", "content": "Read a.txt."},
  {"role": "assistant", "content": [
    {"type": "tool_use", "id": "call_0", "name": "read",
     "input": {"path": "a.txt"}}]},
  {"role": "user", "content": [
    {"type": "tool_result", "tool_use_id": "call_0", "content": "tea"}]},
  {"role": "assistant", "content": [
    {"type": "tool_use", "id": "call_0", "name": "read",
     "input": {"path": "b.txt"}}]},
  {"role": "user", "content": [
    {"type": "tool_result", "tool_use_id": "call_0", "content": "milk"}]}
]
"""
        ),
        (_NEAREST, _ONLY_CALLS),
    ),
    RulePage(
        "call.not_trailing",
        "Something follows a call in its message",
        "With Anthropic, only further calls may follow a call in the assistant's message. Text after it makes the "
        "API say that the result is missing, although all ids match.",
        "The calls are moved to the end of their message.",
        Example(
            """
[
  {"role": "user", "content": "Do the tests pass?"},
  {"role": "assistant", "content": [
    {"type": "tool_use", "id": "toolu_1", "name": "Bash",
     "input": {"command": "pytest"}},
    {"type": "text", "text": "Let me look."}]},
  {"role": "user", "content": [
    {"type": "tool_result", "tool_use_id": "toolu_1", "content": "passed"}]}
]
"""
        ),
    ),
)
