"""Pages about items of the Responses API."""

from __future__ import annotations

from typing import Final

from toolpair.rules.pages.rule_page import Example, Offered, RulePage

PAGES: Final = (
    RulePage(
        "item.duplicate_id",
        "Two items have the same id",
        "Each item of a Responses request may have its own `id` next to its `call_id`, and the API refuses an `id` "
        "that occurs twice. It comes from lines that were written twice and histories joined with a part of "
        "themselves. Codex sends such items as they are.",
        "A copy is dropped; where the items differ, the later one loses its id but stays.",
        Example(
            """
[
  {"type": "message", "role": "user", "content": "Do the tests pass?"},
  {"type": "message", "role": "assistant", "id": "msg_1",
   "content": [{"type": "output_text", "text": "Let me look."}]},
  {"type": "message", "role": "assistant", "id": "msg_1",
   "content": [{"type": "output_text", "text": "Both pass."}]},
  {"type": "message", "role": "user", "content": "Good."}
]
"""
        ),
        (Offered("drop-copies", "drop the second copy of the same item"),),
    ),
    RulePage(
        "item.id_prefix",
        "An item id with the wrong prefix",
        "The API requires ids that start with `fc` on function calls, `rs` on reasoning, `ctc` on custom tool calls "
        "and `msg` on messages. Proxies and converters write others. There is no such rule for `call_id`.",
        "The item's id is removed, since it needs none; its `call_id` stays.",
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
