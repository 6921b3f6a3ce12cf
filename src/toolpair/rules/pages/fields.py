"""Pages about missing and refused fields."""

from __future__ import annotations

from typing import Final

from toolpair.rules.pages.rule_page import Example, Offered, RulePage

PAGES: Final = (
    RulePage(
        "field.missing",
        "A field is missing",
        "A call, a message or a block lacks a field that the provider requires, such as the `type` of a call, or has "
        "a value of the wrong type there: a number where a string belongs, or something that is not a block where a "
        "block belongs. Clients that build messages by hand do this, and lenient servers let some of it through. A call "
        "or a result that stands there in another API's form (a `tool_result` block among chat messages, a "
        "`functionResponse` among Anthropic's blocks) is one, too: it is paired by its id as any other.",
        "The field is added; a value of the wrong type is rewritten as what is required there, with its words kept; what "
        "is in another API's form is written in the form of its list.",
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
            Offered("remove-key", "remove tool_calls that are not calls", "what was there instead"),
            Offered("own-form", "write a call or a result of another API in the form of its list"),
            Offered("right-type", "write a value of the wrong type as what is required there"),
            Offered("complete", "write what is missing in a result of Cline's command line"),
        ),
    ),
    RulePage(
        "field.unsupported",
        "A field that the API does not know",
        "A message or a block has a field that the provider may refuse: a time, a cost, a client's own id. Groq "
        "refuses every field that it does not know, others refuse some.",
        "The field can be removed; where it is certainly refused, `fix` removes it.",
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
