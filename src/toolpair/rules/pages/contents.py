"""Pages about contents: empty, null, or of a kind that is refused."""

from __future__ import annotations

from typing import Final

from toolpair.rules.pages.rule_page import Example, Offered, RulePage

PAGES: Final = (
    RulePage(
        "content.empty_text",
        "An empty text",
        "Anthropic, Bedrock and Kimi refuse texts that are empty or blank. Agents write them next to calls when the "
        "model said nothing.",
        "The block is removed, or becomes `(no content)` where something is required.",
        Example(
            """
[
  {"role": "user", "content": "Do the tests pass?"},
  {"role": "assistant", "content": [
    {"type": "text", "text": ""},
    {"type": "tool_use", "id": "toolu_1", "name": "Bash",
     "input": {"command": "pytest"}}]},
  {"role": "user", "content": [
    {"type": "tool_result", "tool_use_id": "toolu_1", "content": "passed"}]}
]
"""
        ),
        (Offered("remove-text", "remove the empty text from a chat message"),),
    ),
    RulePage(
        "content.empty_result",
        "A result without content",
        "A chat tool message must have content; null or no content is refused. It comes from tools that print "
        "nothing. Anthropic accepts it.",
        "An empty string is written in its place.",
        Example(
            """
[
  {"role": "user", "content": "Delete old.log."},
  {"role": "assistant", "content": null, "tool_calls": [
    {"id": "call_1", "type": "function",
     "function": {"name": "delete", "arguments": "{}"}}]},
  {"role": "tool", "tool_call_id": "call_1", "content": null}
]
"""
        ),
    ),
    RulePage(
        "content.empty_message",
        "A message without content",
        "Most APIs refuse a message with nothing in it; Anthropic accepts an empty assistant message. It is what "
        "remains when everything in a message was removed.",
        "The message is removed, or becomes `(no content)` where something is required.",
        Example(
            """
[
  {"role": "user", "content": "Do the tests pass?"},
  {"role": "assistant", "content": "Shall I run them?"},
  {"role": "user", "content": []},
  {"role": "assistant", "content": "I'll wait."},
  {"role": "user", "content": "Yes, run them."}
]
"""
        ),
    ),
    RulePage(
        "content.null",
        "Content that is null",
        "The content of a message is null where text or blocks are required. Chat completions write null next to "
        "calls; the Messages API requires text or blocks.",
        "The assistant gets an empty list, the user `(no content)`.",
        Example(
            """
[
  {"role": "user", "content": "Do the tests pass?"},
  {"role": "assistant", "content": null},
  {"role": "user", "content": [{"type": "text", "text": "Well?"}]}
]
""",
            format="anthropic",
        ),
        (Offered("empty-text", "write an empty text, in a file of Continue's"),),
    ),
    RulePage(
        "content.empty_tool_calls",
        "An empty list of tool calls",
        "OpenAI refuses `tool_calls: []`: where there is no call, the field must be absent. It comes from clients "
        "that always write the field.",
        "The empty list is removed.",
        Example(
            """
[
  {"role": "system", "content": "You are a build agent."},
  {"role": "user", "content": "Hello."},
  {"role": "assistant", "content": "How can I help?", "tool_calls": []},
  {"role": "user", "content": "Do the tests pass?"}
]
"""
        ),
    ),
    RulePage(
        "content.mixed_with_tool",
        "Text in the same message as calls",
        "Some older models on Bedrock and Mistral's early tokenizers accept either text or calls in one message, not "
        "both. Newer ones accept both, so it is a warning.",
        "Nothing is changed unless you ask. On request the text moves into a message of its own before the calls, "
        "where two assistant messages in a row are accepted.",
        Example(
            """
[
  {"role": "user", "content": "Do the tests pass?"},
  {"role": "assistant", "content": "Let me look.", "tool_calls": [
    {"id": "abcDEF123", "type": "function",
     "function": {"name": "run", "arguments": "{}"}}]},
  {"role": "tool", "tool_call_id": "abcDEF123", "name": "run",
   "content": "passed"}
]
""",
            profile="mistral",
        ),
    ),
    RulePage(
        "error.non_text",
        "An error result with more than text",
        "With Anthropic, a result that is marked as an error may contain only text. It comes from tools that fail "
        "but still return a screenshot.",
        "The text says that it failed, the error mark is removed, and the image stays.",
        Example(
            """
[
  {"role": "user", "content": "Open the page."},
  {"role": "assistant", "content": [
    {"type": "tool_use", "id": "toolu_1", "name": "browse",
     "input": {"url": "https://a.example"}}]},
  {"role": "user", "content": [
    {"type": "tool_result", "tool_use_id": "toolu_1", "is_error": true,
     "content": [
      {"type": "text", "text": "404"},
      {"type": "image", "source": {"type": "file", "file_id": "file_1"}}]}]}
]
"""
        ),
    ),
    RulePage(
        "error.empty_content",
        "An error result that says nothing",
        "A result is marked as an error and has no content. Bedrock refuses it; for the Messages API it is a note.",
        "`(no output)` is written where it is refused, and on request elsewhere.",
        Example(
            """
[
  {"role": "user", "content": "Do the tests pass?"},
  {"role": "assistant", "content": [
    {"type": "tool_use", "id": "tooluse_1", "name": "Bash",
     "input": {"command": "pytest"}}]},
  {"role": "user", "content": [
    {"type": "tool_result", "tool_use_id": "tooluse_1", "is_error": true, "content": ""}]}
]
""",
            profile="bedrock-converse",
        ),
    ),
)
