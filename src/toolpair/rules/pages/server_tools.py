"""Pages about tools that the provider runs itself."""

from __future__ import annotations

from typing import Final

from toolpair.rules.pages.base import Example, Page

PAGES: Final = (
    Page(
        "server.call_unpaired",
        "A server tool's call without a result",
        "Calls of tools that the provider runs itself, such as its web search, need their result in the same message. "
        "Only in the very last message they may still wait for it.",
        "The call is kept as text; taking it out is a choice.",
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
    Page(
        "server.result_orphan",
        "A server tool's result without a call",
        "The result of a tool that the provider runs itself needs its call before it in the same message. It is left "
        "over when a message was cut or taken apart.",
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
    Page(
        "server.id_pattern",
        "A server tool's id that is refused",
        "Such ids begin with `srvtoolu_` and hold letters, digits and `_`. Proxies and repairs that rewrite all ids "
        "spoil them.",
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
    Page(
        "mcp.unpaired",
        "An MCP call and its result are parted",
        "Calls of MCP tools that the provider runs have their result in the same message. No error text of an API is "
        "known for it, so it is a warning.",
        "Nothing is changed unasked. On request the half that is there is kept as text.",
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
