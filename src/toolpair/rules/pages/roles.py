"""Pages about roles: who may call, who may answer."""

from __future__ import annotations

from typing import Final

from toolpair.rules.pages.rule_page import Example, Offered, RulePage

PAGES: Final = (
    RulePage(
        "role.call_in_user",
        "A call in a user message",
        "Only the assistant can call a tool. It comes from programs that rebuild a history from parts and put calls "
        "under the wrong role.",
        "The call moves into an assistant message in the same place.",
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
    RulePage(
        "role.result_in_assistant",
        "A result in an assistant message",
        "Results belong in the next user message. It comes from programs that keep a call and its result together "
        "and write both under the assistant.",
        "The result moves into a user message after its call.",
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
    RulePage(
        "role.unknown",
        "A role that the API does not know",
        "The provider does not accept a message's role. Often it is another provider's name for the same thing: "
        "`model`, `ai`, `human`, `developer`.",
        "The nearest role that the provider knows is written instead; the text stays.",
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
