"""The definitions of tools in request bodies of all APIs, and what else a body says beside its messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from toolpair.dialects.anthropic_content import read_content
from toolpair.dialects.neutral import Part, Text, Tool

_SCHEMAS: Final = ("input_schema", "parameters", "inputSchema", "parametersJsonSchema")


def read_tools(tools: Any) -> list[Tool]:
    """The tools that a body declares, whatever API it is for."""
    return [_tool(tool) for tool in (tools if isinstance(tools, list) else ()) if isinstance(tool, dict)]


def _tool(tool: dict[str, Any]) -> Tool:
    held = next((tool[key] for key in ("function", "custom") if isinstance(tool.get(key), dict)), tool)
    name = held.get("name")
    described = held.get("description")
    schema = next((held[key] for key in _SCHEMAS if isinstance(held.get(key), dict)), None)
    free = tool.get("type") == "custom" and schema is None
    if schema is None and not free and tool.get("type") == "function":
        schema = {"type": "object", "properties": {}}
    return Tool(
        name if isinstance(name, str) else "",
        described if isinstance(described, str) else "",
        schema,
        tool,
        free,
    )


def system_of(body: dict[str, Any]) -> list[Part]:
    """The system prompt that stands beside the messages."""
    said = body.get("system", body.get("instructions"))
    return [part for part in read_content(said) if isinstance(part, Text)]


def has_system(body: Mapping[str, Any]) -> bool:
    """Whether the body itself has a system prompt beside the messages."""
    return bool(body.get("system") or body.get("instructions"))


_EVERYWHERE: Final = "model tools tool_choice metadata service_tier stream"
FIELDS: Final[dict[str, frozenset[str]]] = {
    "anthropic": frozenset(
        f"{_EVERYWHERE} billing_policy cache_control compaction container context_management diagnostics fallbacks "
        "inference_geo max_tokens mcp_servers messages output_config output_format speed stop_sequences system "
        "temperature thinking thread top_k top_p user_profile_id workspace_id".split()
    ),
    "openai-chat": frozenset(
        f"{_EVERYWHERE} audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens "
        "max_tokens messages modalities moderation n parallel_tool_calls prediction presence_penalty prompt_cache_key "
        "prompt_cache_options prompt_cache_retention reasoning_effort response_format safety_identifier seed stop "
        "store stream_options temperature top_logprobs top_p user verbosity web_search_options".split()
    ),
    "openai-responses": frozenset(
        f"{_EVERYWHERE} background context_management conversation include input instructions max_output_tokens "
        "max_tool_calls moderation parallel_tool_calls previous_response_id prompt prompt_cache_key "
        "prompt_cache_options prompt_cache_retention reasoning safety_identifier store stream_options temperature "
        "text top_logprobs top_p truncation user".split()
    ),
}
"""API -> the fields of its request bodies."""
_CARRIED: Final = frozenset(
    {"messages", "input", "system", "instructions", "tools", "model", "stream"}
    | {"max_tokens", "max_completion_tokens", "max_output_tokens"}
)


def own_fields(body: dict[str, Any], api: str) -> dict[str, Any]:
    """What an API knows of a body's fields."""
    return {key: value for key, value in body.items() if key in FIELDS[api]}


def parameters_left(body: dict[str, Any]) -> list[str]:
    """The parameters of a body that are not carried to another API."""
    known = frozenset().union(*FIELDS.values())
    return sorted(key for key in body if key in known and key not in _CARRIED)


def most_tokens(body: dict[str, Any]) -> int | None:
    """How much the model may write, by the field of any API."""
    for key in ("max_tokens", "max_completion_tokens", "max_output_tokens"):
        found = body.get(key)
        if isinstance(found, int) and found > 0:
            return found
    return None
