"""Pages about items of the Responses API."""

from __future__ import annotations

from typing import Final

from toolpair.rules.pages.base import Example, Offered, Page

PAGES: Final = (
    Page(
        "item.duplicate_id",
        "Two items have the same id",
        "Each item of a Responses request may have an `id` of its own beside its `call_id`, and the API refuses one "
        "that stands there twice. Lines that were written twice and histories joined with a part of themselves have "
        "such items. Codex sends them as they are.",
        "A copy is dropped; where the items differ, the later one loses its id and stays.",
        Example(
            """
[
  {"type": "message", "role": "user", "content": "Do the tests pass?"},
  {"type": "message", "role": "assistant", "id": "msg_1",
   "content": [{"type": "output_text", "text": "I look."}]},
  {"type": "message", "role": "assistant", "id": "msg_1",
   "content": [{"type": "output_text", "text": "Both pass."}]},
  {"type": "message", "role": "user", "content": "Good."}
]
"""
        ),
        (Offered("drop-copies", "drop what is the same item once more"),),
    ),
    Page(
        "item.id_prefix",
        "An item's id of another kind",
        "The API wants ids that begin with `fc` on function calls, `rs` on reasoning, `ctc` on custom tool calls and "
        "`msg` on messages. Proxies and converters write others. The `call_id` has no such rule.",
        "The id is taken off the item, which needs none; its `call_id` stays.",
        Example(
            """
[
  {"type": "message", "role": "user", "content": "Do the tests pass?"},
  {"type": "function_call", "id": "call_1", "call_id": "call_1", "name": "run",
   "arguments": "{}"},
  {"type": "function_call_output", "call_id": "call_1", "output": "passed"}
]
"""
        ),
    ),
)
