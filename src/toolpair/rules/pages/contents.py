"""Pages about contents: empty, null, or of a kind that is refused."""

from __future__ import annotations

from typing import Final

from toolpair.rules.pages.base import Example, Offered, Page

PAGES: Final = (
    Page(
        "content.empty_text",
        "An empty text",
        "Anthropic, Bedrock and Kimi refuse texts that are empty or blank. Agents write them beside calls, where the "
        "model said nothing.",
        "The block is taken out, or says `(no content)` where something must stand.",
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
        (Offered("remove-text", "take the empty text of a chat message out"),),
    ),
    Page(
        "content.empty_result",
        "A result without content",
        "A chat tool message must have content; null and absence are refused. Tools that print nothing leave it so. "
        "Anthropic takes it.",
        "An empty text is put in its place.",
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
    Page(
        "content.empty_message",
        "A message without content",
        "Most APIs refuse a message that holds nothing; Anthropic takes one of the assistant. It is what is left when "
        "all of a message was removed.",
        "The message is taken out, or says `(no content)` where something must stand.",
        Example(
            """
[
  {"role": "user", "content": "Do the tests pass?"},
  {"role": "assistant", "content": "Shall I run them?"},
  {"role": "user", "content": []},
  {"role": "assistant", "content": "I wait."},
  {"role": "user", "content": "Yes, run them."}
]
"""
        ),
    ),
    Page(
        "content.null",
        "Content that is null",
        "The content of a message is null where text or blocks must stand. Chat completions write null beside calls; "
        "the Messages API wants text or blocks.",
        "An empty list is written for the assistant, `(no content)` for the user.",
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
    ),
    Page(
        "content.empty_tool_calls",
        "An empty list of tool calls",
        "OpenAI refuses `tool_calls: []`: where there is no call the field must be absent. Clients that always write "
        "the field write it so.",
        "The empty list is taken out.",
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
    Page(
        "content.mixed_with_tool",
        "Text beside calls",
        "Some older models on Bedrock and Mistral's early tokenizers take either text or calls in one message, not "
        "both. Newer ones take it, so it is a warning.",
        "Nothing is changed unasked. On request the text moves into a message of its own in front, where two messages "
        "of the assistant in a row are accepted.",
        Example(
            """
[
  {"role": "user", "content": "Do the tests pass?"},
  {"role": "assistant", "content": "I look.", "tool_calls": [
    {"id": "abcDEF123", "type": "function",
     "function": {"name": "run", "arguments": "{}"}}]},
  {"role": "tool", "tool_call_id": "abcDEF123", "name": "run",
   "content": "passed"}
]
""",
            profile="mistral",
        ),
    ),
    Page(
        "error.non_text",
        "An error result with more than text",
        "With Anthropic a result that is marked as an error may hold text alone. Tools that fail and hand back a "
        "screenshot all the same write it.",
        "The words say that it failed, the mark is taken off, and the image stays.",
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
    Page(
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
