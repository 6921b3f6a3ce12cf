"""Pages about the shape of the conversation: how it begins, alternates and ends."""

from __future__ import annotations

from typing import Final

from toolpair.rules.pages.rule_page import Example, Offered, RulePage

PAGES: Final = (
    RulePage(
        "turn.trailing_call",
        "The history ends with a call",
        "The last message calls a tool, and nothing follows: the run was interrupted, or the history was saved "
        "before the tool returned. In an agent's own file this is a note, since the call may still be running.",
        "A placeholder answers it; you can choose to remove the call instead.",
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
            Offered("fix-line", "make the damaged line with the result readable"),
        ),
    ),
    RulePage(
        "turn.trailing_assistant",
        "The history ends with the assistant",
        "Newer models refuse a request whose last message is the assistant's, since it asks them to continue words "
        "that are already written. A finished conversation ends this way, and the next prompt fixes it by itself.",
        "Where it is certainly refused, a short user message is added; otherwise nothing is changed unless you ask.",
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
    RulePage(
        "turn.alternation",
        "Two messages of one role in a row",
        "Anthropic joins them, and most others accept them. Bedrock refuses them: there the user and the assistant "
        "must take turns.",
        "Where it is refused, they are joined into one message; otherwise nothing is changed.",
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
    RulePage(
        "turn.first_not_user",
        "The history does not start with the user",
        "Bedrock requires the user to speak first, and Gemini refuses a history that starts with a call. It comes "
        "from histories that were cut at the front, or that start with a greeting. The Messages API accepts it.",
        "Where it is refused, a short user message is added at the start; otherwise nothing is changed unless you ask.",
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
    RulePage(
        "turn.user_after_tool",
        "A user message right after a result",
        "Mistral's hosted API requires an assistant message between a tool's result and the user: `Unexpected role "
        "'user' after role 'tool'`. It comes from a run that was interrupted after a result, or from a prompt that "
        "was queued.",
        "A short assistant message is added between them.",
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
    RulePage(
        "turn.call_after_model",
        "A call right after an assistant message",
        "Gemini requires a turn that calls functions to come right after the user or after function responses. A "
        "model that speaks in one message and calls in the next is refused.",
        "The messages are joined into one.",
        Example(
            """
[
  {"role": "user", "content": "Do the tests pass?"},
  {"role": "assistant", "content": "Let me look."},
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
    RulePage(
        "turn.failed_retries",
        "Failed retries at the end of a session",
        "The API refused a request, and the prompts typed to continue piled up, each followed by the agent's own "
        "error message. They do no harm: error messages are never sent, and repeated words only take up room.",
        "Nothing is changed unless you ask. On request the repeated prompts and the error messages are removed; a "
        "prompt that says anything else stays.",
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
