"""Pages about ids that a provider refuses."""

from __future__ import annotations

from typing import Final

from toolpair.rules.pages.rule_page import Example, Offered, RulePage

PAGES: Final = (
    RulePage(
        "id.empty",
        "A call or a result without an id",
        "The id is empty, absent or not text, so nothing can be matched by it. Some gateways leave it out, and "
        "streams that were cut off lose it.",
        "Both sides of the pair get a new id that fits the profile.",
        Example(
            """
[
  {"role": "user", "content": "Do the tests pass?"},
  {"role": "assistant", "content": [
    {"type": "tool_use", "id": "", "name": "Bash",
     "input": {"command": "pytest"}}]},
  {"role": "user", "content": [
    {"type": "tool_result", "tool_use_id": "", "content": "passed"}]}
]
"""
        ),
    ),
    RulePage(
        "id.pattern",
        "An id with characters that are refused",
        "Anthropic accepts letters, digits, `_` and `-`; Bedrock also `.` and `:`; Mistral nine letters and digits. "
        "Other providers make ids such as `functions.read_file:0`, and a session that switches provider carries them "
        "along.",
        (
            "Both sides of the pair get an id that the profile accepts and that no other pair has, the same one on every "
            "run."
        ),
        Example(
            """
[
  {"role": "user", "content": "What is in notes.txt?"},
  {"role": "assistant", "content": [
    {"type": "tool_use", "id": "functions.read:0", "name": "read",
     "input": {"path": "notes.txt"}}]},
  {"role": "user", "content": [
    {"type": "tool_result", "tool_use_id": "functions.read:0", "content": "buy tea"}]}
]
"""
        ),
        (Offered("native-id", "change the id of the call and its result back to Kimi's own"),),
    ),
    RulePage(
        "id.length",
        "An id that is too long",
        "Providers accept ids up to a certain length: 64 at Bedrock and OpenAI, 40 at Azure and GitHub Copilot, nine "
        "at Mistral. Ids made of two parts, or made by proxies, are longer.",
        "Both sides of the pair get a shorter id that no other pair has, the same one on every run.",
        Example(
            """
[
  {"role": "user", "content": "Do the tests pass?"},
  {"role": "assistant", "content": null, "tool_calls": [
    {"id": "call_QkwxhvXgYBTzRsmcNCy2V0aa|fc_0b1c2d3e4f5a6b7c", "type": "function",
     "function": {"name": "run", "arguments": "{}"}}]},
  {"role": "tool", "tool_call_id": "call_QkwxhvXgYBTzRsmcNCy2V0aa|fc_0b1c2d3e4f5a6b7c",
   "content": "passed"}
]
""",
            profile="azure-openai",
        ),
        (Offered("without-item-id", "remove the id of a Responses API item, which needs none"),),
    ),
)
