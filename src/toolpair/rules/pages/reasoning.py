"""Pages about thinking and reasoning: signatures, and what must accompany calls."""

from __future__ import annotations

from typing import Final

from toolpair.rules.pages.rule_page import Example, Offered, RulePage

PAGES: Final = (
    RulePage(
        "reasoning.bad_signature",
        "Thinking without its signature",
        "Thinking is sent back with the signature that it came with; without a signature, or with another model's, "
        "the API refuses the request. It comes from sessions that switched provider. Whether a signature that is "
        "there is valid, only the provider knows.",
        "All thinking in that message is removed; the rest of the message stays.",
        Example(
            """
[
  {"role": "user", "content": "Do the tests pass?"},
  {"role": "assistant", "content": [
    {"type": "thinking", "thinking": "I should run them.", "signature": ""},
    {"type": "tool_use", "id": "toolu_1", "name": "Bash",
     "input": {"command": "pytest"}}]},
  {"role": "user", "content": [
    {"type": "tool_result", "tool_use_id": "toolu_1", "content": "passed"}]}
]
"""
        ),
    ),
    RulePage(
        "reasoning.missing_signature",
        "A call without its thought signature",
        "Gemini 3 signs the first call of each step of the current turn and requires the signature back with it. "
        "Calls that another model made, or that a client saved without it, are refused.",
        "The value that Google documents for calls without a signature, `skip_thought_signature_validator`, is "
        "written. The model continues without what it thought before this call.",
        Example(
            """
{
  "model": "gemini-3-pro",
  "messages": [
    {"role": "user", "content": "Do the tests pass?"},
    {"role": "assistant", "content": "", "tool_calls": [
      {"id": "call_1", "type": "function",
       "function": {"name": "run", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "call_1", "name": "run",
     "content": "passed"}
  ]
}
""",
            profile="gemini",
        ),
    ),
    RulePage(
        "reasoning.prefix_changed",
        "Something before signed thinking was changed",
        "Newer Claude models bind the signature of thinking to everything before it: the system prompt, the tools, "
        "every earlier message. If any of that changes, even through a repair, they refuse the thinking after it. A "
        "file does not show it, so every fix that comes before signed thinking says so.",
        "The fix is also offered together with dropping the thinking after it (`FIX+drop-thinking`). Or the request "
        'asks the API to drop it: `thinking.block_binding.prefix_mismatch_behavior: "drop_block"`.',
        no_example="A file does not show what was changed before it was written.",
    ),
    RulePage(
        "reasoning.missing_before_call",
        "No thinking before a call",
        "With thinking on, Claude requires the last assistant message with calls to start with its thinking. "
        "DeepSeek and Kimi require `reasoning_content` back with each call, and the Responses API requires the "
        "reasoning before a call that kept its own item id.",
        "Thinking cannot be written afterwards: turn it off for the next request, or go back one turn. An empty one "
        "is offered where it is said to be accepted.",
        Example(
            """
{
  "thinking": {"type": "enabled", "budget_tokens": 2000},
  "messages": [
    {"role": "user", "content": "Do the tests pass?"},
    {"role": "assistant", "content": [
      {"type": "tool_use", "id": "toolu_1", "name": "Bash",
       "input": {"command": "pytest"}}]},
    {"role": "user", "content": [
      {"type": "tool_result", "tool_use_id": "toolu_1",
       "content": "passed"}]}
  ]
}
"""
        ),
        (Offered("empty-thinking", "write an empty reasoning_content, for DeepSeek and Kimi"),),
    ),
    RulePage(
        "reasoning.final_thinking_disabled",
        "Thinking in the history while thinking is off",
        "The last message is the assistant's and has thinking in it, and the request does not ask for thinking. "
        "Claude would have to continue from thoughts that it may not have.",
        "Nothing is changed: turn thinking on in the request, or let the user speak last.",
        Example(
            """
{
  "thinking": {"type": "disabled"},
  "messages": [
    {"role": "user", "content": "Do the tests pass?"},
    {"role": "assistant", "content": [
      {"type": "thinking", "thinking": "I should ask.", "signature": "EqQB"},
      {"type": "text", "text": "Shall I run them?"}]}
  ]
}
""",
            also=("turn.trailing_assistant",),
        ),
    ),
    RulePage(
        "reasoning.dangling",
        "Reasoning with nothing after it",
        "A reasoning item of the Responses API belongs to the call or the text that the model wrote next. If that "
        "was removed, the API may refuse the request. It does not if the request says `store: false` and sends the "
        "reasoning encrypted, as Codex does: then this is a note.",
        "The reasoning is removed; encrypted reasoning stays and loses its item id on request.",
        Example(
            """
[
  {"type": "message", "role": "user", "content": "Do the tests pass?"},
  {"type": "reasoning", "id": "rs_1", "summary": []},
  {"type": "message", "role": "user", "content": "Well?"}
]
"""
        ),
    ),
    RulePage(
        "reasoning.unresolvable_ref",
        "An item that the provider cannot find",
        "The request names an item by an id that the provider has not stored: the response was made with `store: "
        "false`, by another organisation, or too long ago. The API answers `Item with id … not found`.",
        "Remove the item's id, or send the reasoning encrypted (`include: reasoning.encrypted_content`).",
        no_example="Nothing in a file shows what the provider has stored.",
    ),
)
