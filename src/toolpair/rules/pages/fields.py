"""Pages about fields that are wanted, and fields that are refused."""

from __future__ import annotations

from typing import Final

from toolpair.rules.pages.base import Example, Offered, Page

PAGES: Final = (
    Page(
        "field.missing",
        "A field is missing",
        "A call, a message or a block lacks a field that the provider wants, such as the `type` of a call, or has a "
        "value of another type there: a number where a text belongs, no block where a block belongs. Clients that "
        "build messages by hand do that, and lenient servers let some of it pass.",
        "The field is added; a value of the wrong type is written as what is wanted there, its words kept.",
        Example(
            """
[
  {"role": "user", "content": "Do the tests pass?"},
  {"role": "assistant", "content": null, "tool_calls": [
    {"id": "call_1", "function": {"name": "run", "arguments": "{}"}}]},
  {"role": "tool", "tool_call_id": "call_1", "content": "passed"}
]
"""
        ),
        (
            Offered("as-list", "write a single call as a list of one"),
            Offered("as-block", "write a bare text as a text block"),
            Offered("remove-key", "remove tool_calls that are no calls", "what stood in their place"),
            Offered("right-type", "write a value of the wrong type as what is wanted there"),
        ),
    ),
    Page(
        "field.unsupported",
        "A field that the API does not know",
        "A message or a block carries a field that the provider may refuse: a time, a cost, an id of a client's own. "
        "Groq refuses every field that it does not know, others some of them.",
        "The field can be taken out; where it is refused for certain that is done by itself.",
        Example(
            """
[
  {"role": "user", "content": "Do the tests pass?"},
  {"role": "assistant", "content": "Shall I run them?", "timestamp": 1763712000},
  {"role": "user", "content": "Yes."}
]
""",
            format="anthropic",
        ),
    ),
)
