"""The item types of OpenAI's Responses API: calls, their families and their outputs, and all others."""

from __future__ import annotations

from typing import Any, Final

CALL_FAMILY: Final = {
    "function_call": "function",
    "local_shell_call": "function",
    "custom_tool_call": "custom",
    "tool_search_call": "tool_search",
}
"""Call item type -> its family. An output of another family does not answer it, even with the same id."""
OUTPUT_FAMILY: Final = {
    "function_call_output": "function",
    "custom_tool_call_output": "custom",
    "tool_search_output": "tool_search",
}
OUTPUT_OF: Final = {family: type_ for type_, family in OUTPUT_FAMILY.items()}
"""Family -> the type of its output items."""

ITEMS: Final = frozenset(
    {
        *CALL_FAMILY,
        *OUTPUT_FAMILY,
        "apply_patch_call",
        "apply_patch_call_output",
        "code_interpreter_call",
        "compaction",
        "computer_call",
        "computer_call_output",
        "file_search_call",
        "image_generation_call",
        "item_reference",
        "local_shell_call_output",
        "mcp_approval_request",
        "mcp_approval_response",
        "mcp_call",
        "mcp_list_tools",
        "reasoning",
        "shell_call",
        "shell_call_output",
        "web_search_call",
    }
)
"""Item types of the Responses API that no other API's messages have."""


def type_name(value: Any) -> str | None:
    """The `type` of an object; None where the value is not an object or its type not a string."""
    type_ = value.get("type") if isinstance(value, dict) else None
    return type_ if isinstance(type_, str) else None


def is_output_item(value: Any) -> bool:
    """Whether it is an output item: its content is in `output` or `tools`, not in `content`."""
    return type_name(value) in OUTPUT_FAMILY


def content_key(value: Any) -> str:
    """The key of a result's content: "output" for items of the Responses API, else "content"."""
    if not isinstance(value, dict):
        return "content"
    return "output" if is_output_item(value) or ("call_id" in value and "output" in value) else "content"


def output_content(item: dict[str, Any]) -> Any:
    """An output item's content: a string, a list of parts, or None. Early files wrapped it in an object."""
    if item.get("type") == "tool_search_output":
        return item.get("tools")
    output = item.get("output")
    if isinstance(output, dict) and "content" in output:
        return output["content"]
    return output
