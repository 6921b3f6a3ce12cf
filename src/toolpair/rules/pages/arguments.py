"""Pages about the arguments of calls, the names of tools, and the tools of the request."""

from __future__ import annotations

from typing import Final

from toolpair.rules.pages.base import Example, Offered, Page

PAGES: Final = (
    Page(
        "args.not_object",
        "Arguments that are no object",
        "Anthropic, Bedrock and Gemini want a call's input to be an object; here it is a text, a list or null. It "
        "comes from streams that were saved as they came in, and from other providers' clients.",
        "A text that holds an object is replaced by that object, nothing by an empty one; anything else is put into an "
        "object.",
        Example(
            """
[
  {"role": "user", "content": "Do the tests pass?"},
  {"role": "assistant", "content": [
    {"type": "tool_use", "id": "toolu_1", "name": "Bash",
     "input": "{\\"command\\": \\"pytest\\"}"}]},
  {"role": "user", "content": [
    {"type": "tool_result", "tool_use_id": "toolu_1", "content": "passed"}]}
]
"""
        ),
    ),
    Page(
        "args.unparseable",
        "Arguments that are no JSON",
        "The arguments of a call are a text that should hold JSON and does not, often since the stream was cut off. "
        "No refusal by OpenAI is known. MiniMax refuses it, and clients that read the arguments stumble over it.",
        "On request they are kept, word for word, inside a JSON object.",
        Example(
            """
[
  {"role": "user", "content": "Do the tests pass?"},
  {"role": "assistant", "content": null, "tool_calls": [
    {"id": "call_1", "type": "function",
     "function": {"name": "run", "arguments": "{\\"command\\": \\"pyt"}}]},
  {"role": "tool", "tool_call_id": "call_1", "content": "passed"}
]
"""
        ),
    ),
    Page(
        "name.missing",
        "A call without a name",
        "A call must name its tool. The name is lost when a stream breaks off, or when a call is put together from "
        "parts that do not belong together.",
        "The name is taken from the result where that has one. Otherwise the call is kept as text, with its result.",
        Example(
            """
[
  {"role": "user", "content": "Do the tests pass?"},
  {"role": "assistant", "content": [
    {"type": "tool_use", "id": "toolu_1", "name": "",
     "input": {"command": "pytest"}}]},
  {"role": "user", "content": [
    {"type": "tool_result", "tool_use_id": "toolu_1", "content": "passed"}]}
]
"""
        ),
        (Offered("name-from-result", "give it the name that its result has"),),
    ),
    Page(
        "name.pattern",
        "A tool's name with characters that are refused",
        "Names may hold letters, digits, `_` and `-`, up to a certain length; Gemini's may not begin with a digit. "
        "Names of MCP servers with slashes or spaces are refused; dots are taken by Gemini alone.",
        "Refused characters are replaced. The tool's declaration in the request must bear the same name.",
        Example(
            """
[
  {"role": "user", "content": "What is in notes.txt?"},
  {"role": "assistant", "content": [
    {"type": "tool_use", "id": "toolu_1", "name": "fs/read file",
     "input": {"path": "notes.txt"}}]},
  {"role": "user", "content": [
    {"type": "tool_result", "tool_use_id": "toolu_1", "content": "buy tea"}]}
]
"""
        ),
    ),
    Page(
        "tools.undeclared",
        "A call of a tool that the request does not declare",
        "The tools of the request do not contain the tool that was called. Most providers take it today and it is a "
        "note; Bedrock refuses calls and results in a request that declares no tools.",
        "Nothing in the messages is wrong: declare the tool in the request.",
        Example(
            """
{
  "tools": [{"name": "read", "input_schema": {"type": "object"}}],
  "messages": [
    {"role": "user", "content": "Do the tests pass?"},
    {"role": "assistant", "content": [
      {"type": "tool_use", "id": "toolu_1", "name": "Bash",
       "input": {"command": "pytest"}}]},
    {"role": "user", "content": [
      {"type": "tool_result", "tool_use_id": "toolu_1",
       "content": "passed"}]}
  ]
}
"""
        ),
    ),
)
