"""Rules about call arguments, and about the tools that a request declares for its calls."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import orjson

from toolpair.dialects import anthropic, openai_chat
from toolpair.dialects.block_texts import arguments
from toolpair.dialects.block_values import is_object, with_fields
from toolpair.rules.context import Context, tool_of
from toolpair.rules.problem import Cause, Fix
from toolpair.rules.rule import Rule
from toolpair.rules.where import Where, at_call
from toolpair.transcript.edits import ABSENT, SetValue
from toolpair.transcript.model import Block
from toolpair.transcript.pairing import Pair

if TYPE_CHECKING:
    from toolpair.dialects.argument_texts import SaidArguments


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
        if not isinstance(given, dict):
            _not_an_object(context, pair, call, given)
        return
    if not openai_chat.has_json_arguments(call):
        return
    raw = openai_chat.given_arguments(call)
    if context.in_turns:
        nothing = raw is None or (isinstance(raw, str) and not raw.strip())
        if not nothing and not isinstance(_parsed(raw), dict):
            _not_an_object(context, pair, call, raw)
        return
    if isinstance(raw, str):
        if raw.strip() == "":
            return
        if _holds_json(call, raw):
            if context.judges("args.not_object") and not isinstance(arguments(call), dict):
                _not_an_object(context, pair, call, raw)
            return
        _not_json(context, pair, call, raw)
        return
    if (raw is None or isinstance(raw, dict)) and context.provider == "mistral":
        return  # it accepts an object as well, and no arguments
    is_given_as_object = raw is None or isinstance(raw, dict)
    text = json.dumps((raw or {}) if is_given_as_object else {"raw_arguments": raw}, ensure_ascii=False)
    title = "write them as a JSON string" if is_given_as_object else "keep them as a single argument"
    context.add(
        "args.unparseable",
        f"The arguments of {tool_of(call)} are not a string.",
        at_call(pair),
        cause=Cause("args_not_object", "the arguments were written by a client of another API"),
        fixes=(Fix("arguments-json", title, (openai_chat.with_function(call, arguments=text),), recommended=True),),
        # A value that these types declare a string is refused if it is anything else; what is in the string is up to
        # the tool.
        severity="error" if context.wire in ("chat", "responses") else None,
    )


def _not_json(context: Context, pair: Pair, call: Block, raw: str) -> None:
    """A string that should hold JSON, for an API that takes one."""
    said = _said(raw)
    kept = json.dumps({"raw_arguments": raw}, ensure_ascii=False)
    fixes = [_read_as(said, openai_chat.with_function(call, arguments=said.text))] if said is not None else []
    fixes.append(
        Fix(
            "arguments-json",
            "keep the broken text as a single argument",
            (openai_chat.with_function(call, arguments=kept),),
            recommended=said is None,
        )
    )
    context.add(
        "args.unparseable",
        f"The arguments of {tool_of(call)} are not valid JSON.",
        at_call(pair),
        cause=_cause(said),
        fixes=fixes,
    )


def _not_an_object(context: Context, pair: Pair, call: Block, given: Any) -> None:
    """Arguments for an API that takes an object; in chat messages they are JSON in a string, all the same."""
    said = _said(given) if isinstance(given, str) else None
    value, as_string = _parsed(given), context.tool_messages
    key = "raw_arguments" if as_string else "raw_input"

    def written(value: dict[str, Any]) -> SetValue:
        if as_string:
            return openai_chat.with_function(call, arguments=json.dumps(value, ensure_ascii=False))
        return with_fields(call, input=value)

    fixes: list[Fix] = []
    if said is not None:
        fixes.append(_read_as(said, written(said.value)))
    elif isinstance(value, dict):
        fixes.append(Fix("input-object", _INSIDE, (written(value),), recommended=True))
    elif given is ABSENT or given in (None, ""):
        fixes.append(Fix("input-object", "write an empty object", (written({}),), recommended=True))
    if given is not ABSENT and given not in (None, "") and not isinstance(value, dict):
        wrapped = written({key: given})
        fixes.append(Fix("input-wrapped", f"wrap it as {key}", (wrapped,), recommended=not fixes))
    context.add(
        "args.not_object",
        f"The arguments of {tool_of(call)} are not an object, and {context.profile.title} requires one."
        if as_string
        else f"The input of {tool_of(call)} is {_kind(given)}, and it must be an object.",
        at_call(pair),
        cause=_cause(said)
        if isinstance(given, str) and value is given
        else Cause("args_not_object", "the input was saved as it streamed in, or by another provider's client"),
        fixes=fixes,
    )


_INSIDE: Final = "turn the string into the object it contains"
_TITLES: Final = {
    "inside": _INSIDE,
    "glued": "keep the one object in them that says something",
    "closed": "close them where they were cut off",
    "python": "write the same as JSON",
}


def _said(text: str) -> SaidArguments | None:
    from toolpair.dialects.argument_texts import said_arguments  # few sessions have such arguments

    return said_arguments(text)


def _read_as(said: SaidArguments, edit: SetValue) -> Fix:
    note = "what came after the cut is not known, and is not made up" if said.how == "closed" else None
    return Fix(f"arguments-{said.how}", _TITLES[said.how], (edit,), recommended=True, note=note)


def _cause(said: SaidArguments | None) -> Cause:
    return _CAUSES[said.how if said is not None else None]


_CAUSES: Final = {
    None: Cause("args_unparseable", "the arguments were cut off while streaming, or the model wrote them wrongly"),
    "closed": Cause("args_cut", "the arguments were cut off while streaming"),
    "python": Cause("args_python", "the model wrote Python or raw control characters in place of JSON"),
    "glued": Cause("args_glued", "a client put two answers of a stream together"),
    "inside": Cause("args_not_object", "the input was saved as it streamed in, or by another provider's client"),
}


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
