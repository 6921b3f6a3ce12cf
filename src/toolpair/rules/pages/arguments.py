"""Pages about the arguments of calls, the names of tools, and the tools of the request."""

from __future__ import annotations

from typing import Final

from toolpair.rules.pages.rule_page import Example, Offered, RulePage

PAGES: Final = (
    RulePage(
        "args.not_object",
        "Arguments that are not an object",
        "Anthropic, Bedrock and Gemini require a call's input to be an object; here it is a string, a list or null. "
        "This comes from streams that were saved as they came in, and from other providers' clients.",
        "A string that contains an object becomes that object, a missing input becomes an empty object, and anything "
        "else is wrapped in an object.",
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
    RulePage(
        "args.unparseable",
        "Arguments that are not JSON",
        "The arguments of a call are a string that should contain JSON and does not, often because the stream was "
        "cut off. OpenAI is not known to refuse it. MiniMax does, and clients that parse the arguments fail on it.",
        "On request the broken text is kept, word for word, inside a JSON object.",
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
    RulePage(
        "name.missing",
        "A call without a name",
        "A call must name its tool. The name gets lost when a stream breaks off, or when a call is assembled from "
        "parts that do not belong together.",
        "The name is taken from the result if it has one. Otherwise the call is kept as text, with its result.",
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
    RulePage(
        "name.pattern",
        "A tool name with characters that are refused",
        "Names may have letters, digits, `_` and `-`, up to a certain length; a Gemini name must not start with a "
        "digit. Names of MCP servers with slashes or spaces are refused; dots are accepted by Gemini alone.",
        "Refused characters are replaced. The tool must be declared under the same name in the request.",
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
    RulePage(
        "tools.undeclared",
        "A call of a tool that the request does not declare",
        "The tool that was called is not among the request's tools. Most providers accept this today, so it is a "
        "note; Bedrock refuses calls and results in a request that declares no tools.",
        "Nothing is wrong with the messages: declare the tool in the request.",
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
