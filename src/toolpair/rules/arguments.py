"""Rules about call arguments, and about the tools that a request declares for its calls."""

from __future__ import annotations

import json
from typing import Any, Final

import orjson

from toolpair.dialects import anthropic, openai_chat
from toolpair.dialects.block_texts import arguments
from toolpair.dialects.block_values import is_object, with_fields
from toolpair.rules.context import Context, tool_of
from toolpair.rules.problem import Cause, Fix
from toolpair.rules.rule import Rule
from toolpair.rules.where import Where, at_call
from toolpair.transcript.edits import ABSENT
from toolpair.transcript.model import Block
from toolpair.transcript.pairing import Pair


def check(context: Context) -> None:
    undeclared: dict[str, Pair] = {}
    for pair in context.pairing.pairs:
        call = pair.call
        if call is None or not is_object(call):
            continue
        _arguments(context, pair, call)
        declared = context.transcript.declared_tools
        if declared is not None and call.name and call.name not in declared:
            undeclared.setdefault(call.name, pair)
    if context.wire == "bedrock" and context.transcript.declared_tools is not None:
        _no_tools(context)
        return
    for name, pair in undeclared.items():
        context.add(
            "tools.undeclared",
            f"{name} is called here but is not among the declared tools.",
            Where(at=pair.call_at, pairs=(pair,), call=pair.call),
            no_fix="Declare the tool in the request; nothing is wrong with the messages.",
        )


RULES: Final = (
    Rule("args.not_object", "arguments", check, fix_order=530),
    Rule("args.unparseable", "arguments", check, fix_order=530),
    Rule("tools.undeclared", "arguments", check, whole_history=True),
)


def _no_tools(context: Context) -> None:
    """Bedrock refuses calls and results in a request that declares no tools at all; which tools is not checked."""
    first = next(iter(context.pairing.pairs), None)
    if context.transcript.declared_tools or first is None:
        return
    context.add(
        "tools.undeclared",
        "There are calls and results here, but the request declares no tools.",
        Where(at=first.start, pairs=(first,), call=first.call, result=first.result),
        no_fix="Declare the tools in the request; nothing is wrong with the messages.",
    )


def _holds_json(call: Block, raw: str) -> bool:
    """Whether the arguments can be parsed and are not JSON text inside a JSON string."""
    try:
        return not isinstance(orjson.loads(raw), str)
    except ValueError:
        # This parser is stricter than others, and the fastest.
        return not isinstance(arguments(call), str)


def _arguments(context: Context, pair: Pair, call: Block) -> None:
    if not context.tool_messages:
        given = anthropic.input_of(call)
        if isinstance(given, dict):
            return
        mended = _as_object(given)
        context.add(
            "args.not_object",
            f"The input of {tool_of(call)} is {_kind(given)}, and it must be an object.",
            at_call(pair),
            cause=Cause("args_not_object", "the input was saved as it streamed in, or by another provider's client"),
            fixes=(
                Fix(
                    "input-object",
                    _object_title(given, mended),
                    (with_fields(call, input=mended),),
                    recommended=True,
                ),
            ),
        )
        return
    if not openai_chat.has_json_arguments(call):
        return
    raw = openai_chat.given_arguments(call)
    if context.in_turns:
        _string_for_object(context, pair, call, raw)
        return
    if isinstance(raw, str):
        if raw.strip() == "" or _holds_json(call, raw):
            return
        mended_text = json.dumps({"raw_arguments": raw}, ensure_ascii=False)
        title, text = "keep the broken text as a single argument", "are not valid JSON"
    elif (raw is None or isinstance(raw, dict)) and context.provider == "mistral":
        return  # it accepts an object as well, and no arguments
    elif raw is None or isinstance(raw, dict):
        mended_text = json.dumps(raw or {}, ensure_ascii=False)
        title, text = "write them as a JSON string", "are not a string"
    else:
        mended_text = json.dumps({"raw_arguments": raw}, ensure_ascii=False)
        title, text = "keep them as a single argument", "are not a string"
    context.add(
        "args.unparseable",
        f"The arguments of {tool_of(call)} {text}.",
        at_call(pair),
        cause=Cause("args_unparseable", "the arguments were cut off while streaming"),
        fixes=(
            Fix("arguments-json", title, (openai_chat.with_function(call, arguments=mended_text),), recommended=True),
        ),
        # A value that these types declare a string is refused if it is anything else; what is in the string is up to
        # the tool.
        severity="error" if not isinstance(raw, str) and context.wire in ("chat", "responses") else None,
    )


def _string_for_object(context: Context, pair: Pair, call: Block, raw: Any) -> None:
    """Arguments in a string, for an API that takes an object: the string must hold one."""
    if raw is None or isinstance(raw, dict) or (isinstance(raw, str) and raw.strip() == ""):
        return
    given = _parsed(raw)
    if isinstance(given, dict):
        return
    inner = _parsed(given)
    mended = inner if isinstance(inner, dict) else {"raw_arguments": raw}
    context.add(
        "args.not_object",
        f"The arguments of {tool_of(call)} are not an object, and {context.profile.title} requires one.",
        at_call(pair),
        cause=Cause("args_unparseable", "the arguments were cut off while streaming")
        if given is raw
        else Cause("args_not_object", "the arguments were written by a client that accepts any JSON"),
        fixes=(
            Fix(
                "arguments-json",
                "turn the string into the object it contains"
                if mended is inner
                else "keep the text as a single argument",
                (openai_chat.with_function(call, arguments=json.dumps(mended, ensure_ascii=False)),),
                recommended=True,
            ),
        ),
    )


def _parsed(value: Any) -> Any:
    """The JSON value that a string holds; the value itself when the string holds none."""
    try:
        return json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return value


def _kind(value: Any) -> str:
    if value is ABSENT:
        return "absent"
    return {"NoneType": "null", "str": "a string", "list": "a list", "bool": "true or false"}.get(
        type(value).__name__, "a number"
    )


def _as_object(value: Any) -> dict[str, Any]:
    if value is ABSENT or value is None or value == "":
        return {}
    if isinstance(value, str):
        try:
            parsed = json.loads(value)
        except (ValueError, RecursionError):
            parsed = None
        if isinstance(parsed, dict):
            return parsed
    return {"raw_input": value}


def _object_title(given: Any, mended: dict[str, Any]) -> str:
    if not mended:
        return "write an empty object"
    return (
        "wrap it as raw_input"
        if "raw_input" in mended and mended["raw_input"] == given
        else "turn the string into the object it contains"
    )
