"""Pages about tools that the provider runs itself."""

from __future__ import annotations

from typing import Final

from toolpair.rules.pages.rule_page import Example, RulePage

PAGES: Final = (
    RulePage(
        "server.call_unpaired",
        "A server tool's call without a result",
        "Calls of tools that the provider runs itself, such as its web search, need their result in the same "
        "message. Only in the very last message may they still be open.",
        "The call is kept as text; you can choose to remove it instead.",
        Example(
            """
[
  {"role": "user", "content": "Is there a newer version?"},
  {"role": "assistant", "content": [
    {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search",
     "input": {"query": "pytest"}}]},
  {"role": "user", "content": "Well?"}
]
"""
        ),
    ),
    RulePage(
        "server.result_orphan",
        "A server tool's result without a call",
        "The result of a tool that the provider runs itself needs its call before it in the same message. It is what "
        "remains when a message was cut or split up.",
        "Its content is kept as labelled text.",
        Example(
            """
[
  {"role": "user", "content": "Is there a newer version?"},
  {"role": "assistant", "content": [
    {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
    {"type": "text", "text": "No."}]},
  {"role": "user", "content": "Good."}
]
"""
        ),
    ),
    RulePage(
        "server.id_pattern",
        "A server tool id that is refused",
        "Such ids start with `srvtoolu_` and have letters, digits and `_`. Proxies and repairs that rewrite all ids "
        "break them.",
        "Both sides of the pair get an id of that form.",
        Example(
            """
[
  {"role": "user", "content": "Is there a newer version?"},
  {"role": "assistant", "content": [
    {"type": "server_tool_use", "id": "call-1", "name": "web_search",
     "input": {"query": "pytest"}},
    {"type": "web_search_tool_result", "tool_use_id": "call-1", "content": []},
    {"type": "text", "text": "No."}]},
  {"role": "user", "content": "Good."}
]
"""
        ),
    ),
    RulePage(
        "mcp.unpaired",
        "An MCP call and its result are separated",
        "Calls of MCP tools that the provider runs have their result in the same message. No API error text is known "
        "for it, so it is a warning.",
        "Nothing is changed unless you ask. On request the half that is there is kept as text.",
        Example(
            """
[
  {"role": "user", "content": "Which issues are open?"},
  {"role": "assistant", "content": [
    {"type": "mcp_tool_use", "id": "mcptoolu_1", "name": "list",
     "server_name": "git", "input": {}}]},
  {"role": "user", "content": "Well?"}
]
"""
        ),
    ),
)
