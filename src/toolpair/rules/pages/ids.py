"""Pages about ids that a provider refuses."""

from __future__ import annotations

from typing import Final

from toolpair.rules.pages.base import Example, Offered, Page

PAGES: Final = (
    Page(
        "id.empty",
        "A call or a result without an id",
        "The id is empty, absent or no text, so nothing can be matched by it. Some gateways leave it out, and streams "
        "that were cut off lose it.",
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
    Page(
        "id.pattern",
        "An id with characters that are refused",
        "Anthropic takes letters, digits, `_` and `-`; Bedrock also `.` and `:`; Mistral nine letters and digits. "
        "Other providers make ids such as `functions.read_file:0`, and a session that changes its provider takes them "
        "along.",
        "Both sides of the pair get an id that the profile takes and that no other pair has, the same on every run.",
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
        (Offered("native-id", "give the call and its result Kimi's own id back"),),
    ),
    Page(
        "id.length",
        "An id that is too long",
        "Providers take ids up to a certain length: 64 on Bedrock and at OpenAI, 40 on Azure and GitHub Copilot, "
        "nine on Mistral. Ids made of two parts, or by proxies, are longer.",
        "Both sides of the pair get a shorter id that no other pair has, the same on every run.",
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
        (Offered("without-item-id", "take the id off an item of the Responses API, which needs none"),),
    ),
)
