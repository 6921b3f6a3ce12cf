"""Pages about roles: who may call, who may answer."""

from __future__ import annotations

from typing import Final

from toolpair.rules.pages.base import Example, Offered, Page

PAGES: Final = (
    Page(
        "role.call_in_user",
        "A call in a user's message",
        "Only the assistant can call a tool. Programs that rebuild a history from parts put calls under the wrong "
        "role.",
        "The call is put into an assistant's message at its place.",
        Example(
            """
[
  {"role": "user", "content": [
    {"type": "text", "text": "Do the tests pass?"},
    {"type": "tool_use", "id": "toolu_1", "name": "test", "input": {}}]},
  {"role": "user", "content": [
    {"type": "tool_result", "tool_use_id": "toolu_1", "content": "passed"}]}
]
""",
            also=("turn.alternation",),
        ),
    ),
    Page(
        "role.result_in_assistant",
        "A result in an assistant's message",
        "Results belong into the user's next message. Programs that keep a call and its result together write both "
        "under the assistant.",
        "The result is put into a user's message behind its call.",
        Example(
            """
[
  {"role": "user", "content": "Do the tests pass?"},
  {"role": "assistant", "content": [
    {"type": "tool_use", "id": "toolu_1", "name": "Bash",
     "input": {"command": "pytest"}},
    {"type": "tool_result", "tool_use_id": "toolu_1", "content": "passed"}]},
  {"role": "user", "content": "Good. Commit it."}
]
"""
        ),
    ),
    Page(
        "role.unknown",
        "A role that the API does not know",
        "A message's role is none of those that the provider takes. Often it is another provider's name for the same: "
        "`model`, `ai`, `human`, `developer`.",
        "The nearest role that is known is put in its place; the words stay.",
        Example(
            """
[
  {"role": "human", "content": "Do the tests pass?"},
  {"role": "assistant", "content": "Shall I run them?"},
  {"role": "user", "content": "Yes."}
]
"""
        ),
        (
            Offered("as-tool-call", "write an older function_call and its result as a tool call and its result"),
            Offered("role-tool", "make a result that stands in another's message the tool's"),
        ),
    ),
)
