"""Arguments and names of calls."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from toolpair.rules.base import Cause, Fix
from toolpair.rules.context import Context, keep_as_text, tool_of
from toolpair.transcript.content import arguments
from toolpair.transcript.edits import ABSENT, Edit, SetValue, ToText
from toolpair.transcript.model import Block
from toolpair.transcript.pairing import Pair

_NAME_REFUSED: Final = re.compile(r"[^a-zA-Z0-9_-]")


def check(context: Context) -> None:
    undeclared: dict[str, Pair] = {}
    for pair in context.pairing.pairs:
        call = pair.call
        if call is None or not isinstance(call.value, dict):
            continue
        _arguments(context, pair, call)
        _name(context, pair, call)
        declared = context.transcript.declared_tools
        if declared is not None and call.name and call.name not in declared:
            undeclared.setdefault(call.name, pair)
    for name, pair in undeclared.items():
        context.add(
            "tools.undeclared",
            f"{name} is called here but is not among the declared tools.",
            at=pair.call_at,
            pair=pair,
            call=pair.call,
            no_fix="Declare the tool in the request; nothing in the messages is wrong.",
        )


def function_of(call: Block) -> dict[str, Any] | None:
    """The object of a chat call that holds `name` and `arguments`; a legacy `function_call` is it itself."""
    for key in ("function", "custom"):
        if isinstance(call.value.get(key), dict):
            holder: dict[str, Any] = call.value[key]
            return holder
    return call.value if "arguments" in call.value or call.slot[-1:] == ("function_call",) else None


def with_function(call: Block, **changes: Any) -> dict[str, Any]:
    """The call's value with `changes` made to its function object. ABSENT removes a key."""
    for key in ("function", "custom"):
        if isinstance(call.value.get(key), dict):
            return {**call.value, key: _changed(call.value[key], changes)}
    return _changed(call.value, changes)


def _changed(value: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    return {key: item for key, item in {**value, **changes}.items() if item is not ABSENT}


def _arguments(context: Context, pair: Pair, call: Block) -> None:
    if not context.tool_messages:
        given = call.value.get("input")
        if isinstance(given, dict):
            return
        mended = _as_object(given)
        context.add(
            "args.not_object",
            f"The input of {tool_of(call)} is {_kind(given, 'input' in call.value)}, and an object is wanted.",
            at=pair.call_at,
            pair=pair,
            call=call,
            result=pair.result,
            cause=Cause("args_not_object", "the input was saved as it streamed in, or by another provider's client"),
            fixes=(
                Fix(
                    "input-object",
                    _object_title(given, mended),
                    (SetValue(call, {**call.value, "input": mended}),),
                    recommended=True,
                ),
            ),
        )
        return
    holder = function_of(call)
    if holder is None or call.value.get("type") in ("custom", "tool_search_call"):
        return  # free text, and an object: neither is JSON in a string
    raw = holder.get("arguments")
    if isinstance(raw, str):
        if raw.strip() == "" or not isinstance(arguments(call), str):
            return
        mended_text = json.dumps({"raw_arguments": raw}, ensure_ascii=False)
        title, text = "keep the broken text as one argument", "are no JSON"
    else:
        mended_text = json.dumps(raw if isinstance(raw, dict) else {}, ensure_ascii=False)
        title, text = "write them as a JSON string", "are no string"
    context.add(
        "args.unparseable",
        f"The arguments of {tool_of(call)} {text}.",
        at=pair.call_at,
        pair=pair,
        call=call,
        result=pair.result,
        cause=Cause("args_unparseable", "the arguments were cut off while they streamed in"),
        fixes=(
            Fix(
                "arguments-json", title, (SetValue(call, with_function(call, arguments=mended_text)),), recommended=True
            ),
        ),
    )


def _kind(value: Any, present: bool) -> str:
    if not present:
        return "absent"
    return {"NoneType": "null", "str": "a string", "list": "a list", "bool": "true or false"}.get(
        type(value).__name__, "a number"
    )


def _as_object(value: Any) -> dict[str, Any]:
    if value is None or value == "":
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
        else "read the string as the object that it holds"
    )


def _name(context: Context, pair: Pair, call: Block) -> None:
    if call.name:
        if context.profile.name_pattern.fullmatch(call.name):
            return
        better = _NAME_REFUSED.sub("_", call.name)[: context.profile.name_max]
        context.add(
            "name.pattern",
            f"{context.profile.title} does not accept the tool name {call.name}.",
            at=pair.call_at,
            pair=pair,
            call=call,
            cause=Cause("name_pattern", "the name has characters or a length that this provider refuses"),
            fixes=(
                Fix(
                    "rename-tool",
                    f"call it {better}",
                    (SetValue(call, _renamed(context, call, better)),),
                    recommended=True,
                    several="write the tools' names with accepted characters",
                    note="the tool's declaration in the request must have the same name",
                ),
            ),
        )
        return
    named = next((result.name for result in pair.results if result.name), None)
    fixes: list[Fix] = []
    if named:
        fixes.append(
            Fix(
                "name-from-result",
                f"call it {named}, as its result does",
                (SetValue(call, _renamed(context, call, named)),),
                recommended=True,
            )
        )
    edits: list[Edit] = [
        ToText(
            call,
            "[Earlier tool call without a tool name, kept by toolpair.]\n"
            + json.dumps(arguments(call), ensure_ascii=False),
        ),
        *(keep_as_text(result, None) for result in pair.results),
    ]
    fixes.append(Fix("pair-as-text", "keep the call and its output as text", tuple(edits), recommended=not named))
    fixes.append(
        Fix("name-unknown", "call it unknown_tool", (SetValue(call, _renamed(context, call, "unknown_tool")),))
    )
    context.add(
        "name.missing",
        "This call has no tool name.",
        at=pair.call_at,
        pair=pair,
        call=call,
        result=pair.result,
        cause=Cause("name_missing", "the name was lost while the call streamed in"),
        fixes=fixes,
    )


def _renamed(context: Context, call: Block, name: str) -> dict[str, Any]:
    return with_function(call, name=name) if context.tool_messages else {**call.value, "name": name}
