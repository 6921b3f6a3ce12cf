"""Pages about the shape of the conversation: how it begins, alternates and ends."""

from __future__ import annotations

from typing import Final

from toolpair.rules.pages.base import Example, Offered, Page

PAGES: Final = (
    Page(
        "turn.trailing_call",
        "The history ends with a call",
        "The last message calls a tool, and nothing follows: the run was interrupted, or the history was saved before "
        "the tool came back. In an agent's own file this is a note, since the call may just be running.",
        "A placeholder answers it; removing the call is a choice.",
        Example(
            """
[
  {"role": "user", "content": "Do the tests pass?"},
  {"role": "assistant", "content": [
    {"type": "tool_use", "id": "toolu_1", "name": "Bash",
     "input": {"command": "pytest"}}]}
]
"""
        ),
        (
            Offered("use-copy", "use the real output found elsewhere"),
            Offered("mend-line", "make the damaged line readable in which the result stands"),
        ),
    ),
    Page(
        "turn.trailing_assistant",
        "The history ends with the assistant",
        "Newer models refuse a request whose last message is the assistant's, since it asks them to go on with words "
        "that are written already. A finished conversation ends so, and the next prompt mends it by itself.",
        "Where it is refused for certain a short message of the user is added; else nothing is changed unasked.",
        Example(
            """
[
  {"role": "user", "content": "Do the tests pass?"},
  {"role": "assistant", "content": "Both pass."}
]
""",
            format="anthropic",
        ),
    ),
    Page(
        "turn.alternation",
        "Two messages of one role in a row",
        "Anthropic joins them, and most others take them. Bedrock refuses them: there the user and the assistant must "
        "take turns.",
        "Where it is refused they are joined to one message; else nothing is changed.",
        Example(
            """
[
  {"role": "user", "content": "Do the tests pass?"},
  {"role": "user", "content": "And is it fast?"}
]
""",
            profile="bedrock-converse",
        ),
    ),
    Page(
        "turn.first_not_user",
        "The history does not begin with the user",
        "Bedrock wants the user to speak first, and Gemini refuses a history that begins with a call. Histories that "
        "were cut at the front begin so, and those with a greeting. The Messages API takes it.",
        "Where it is refused a short message of the user is put in front; else nothing is changed unasked.",
        Example(
            """
[
  {"role": "assistant", "content": "How can I help?"},
  {"role": "user", "content": "Do the tests pass?"}
]
""",
            profile="bedrock-converse",
        ),
    ),
    Page(
        "turn.user_after_tool",
        "The user speaks straight behind a result",
        "Mistral's hosted API wants the assistant to speak between a tool's result and the user: "
        "`Unexpected role 'user' after role 'tool'`. It comes when a run was interrupted behind a result, or when a "
        "prompt was queued.",
        "A short message of the assistant is put between them.",
        Example(
            """
[
  {"role": "user", "content": "Do the tests pass?"},
  {"role": "assistant", "content": "", "tool_calls": [
    {"id": "abcDEF123", "type": "function",
     "function": {"name": "run", "arguments": "{}"}}]},
  {"role": "tool", "tool_call_id": "abcDEF123", "name": "run",
   "content": "passed"},
  {"role": "user", "content": "Good. Commit it."}
]
""",
            profile="mistral",
        ),
    ),
    Page(
        "turn.call_after_model",
        "A call behind words of the assistant",
        "Gemini wants a turn that calls functions to come right behind the user or behind the functions' responses. A "
        "model that speaks in one message and calls in the next is refused.",
        "The messages are joined to one.",
        Example(
            """
[
  {"role": "user", "content": "Do the tests pass?"},
  {"role": "assistant", "content": "I look."},
  {"role": "assistant", "content": "", "tool_calls": [
    {"id": "call_1", "type": "function",
     "function": {"name": "run", "arguments": "{}"}}]},
  {"role": "tool", "tool_call_id": "call_1", "name": "run",
   "content": "passed"}
]
""",
            profile="gemini",
            also=("turn.alternation",),
        ),
    ),
    Page(
        "turn.failed_retries",
        "Failed retries at the end of a session",
        "The API refused a request, and the prompts that were to go on piled up, each with the agent's own error "
        "message behind it. They do no harm: error messages are never sent, and repeated words only take room.",
        "Nothing is changed unasked. On request the repeated prompts and the error messages are removed; a prompt with "
        "words of its own stays.",
        Example(
            """
{"type":"user","uuid":"u1","parentUuid":null,"message":{"role":"user","content":"Do the tests pass?"},"sessionId":"s","timestamp":"2026-11-21T08:00:00Z"}
{"type":"assistant","uuid":"e1","parentUuid":"u1","message":{"id":"x1","role":"assistant","model":"<synthetic>","content":[{"type":"text","text":"API Error: 400"}]},"isApiErrorMessage":true,"sessionId":"s","timestamp":"2026-11-21T08:00:01Z"}
{"type":"user","uuid":"u2","parentUuid":"e1","message":{"role":"user","content":"continue"},"sessionId":"s","timestamp":"2026-11-21T08:00:02Z"}
{"type":"assistant","uuid":"e2","parentUuid":"u2","message":{"id":"x2","role":"assistant","model":"<synthetic>","content":[{"type":"text","text":"API Error: 400"}]},"isApiErrorMessage":true,"sessionId":"s","timestamp":"2026-11-21T08:00:03Z"}
{"type":"user","uuid":"u3","parentUuid":"e2","message":{"role":"user","content":"continue"},"sessionId":"s","timestamp":"2026-11-21T08:00:04Z"}
{"type":"assistant","uuid":"e3","parentUuid":"u3","message":{"id":"x3","role":"assistant","model":"<synthetic>","content":[{"type":"text","text":"API Error: 400"}]},"isApiErrorMessage":true,"sessionId":"s","timestamp":"2026-11-21T08:00:05Z"}
"""
        ),
    ),
)
