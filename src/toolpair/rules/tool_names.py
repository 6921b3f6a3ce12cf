"""Rules about tool names: in calls, and in results that carry one."""

from __future__ import annotations

import json
import re
from typing import Final

from toolpair.dialects.besides import said_besides
from toolpair.dialects.block_texts import arguments
from toolpair.dialects.block_values import field_of, is_object, with_fields
from toolpair.dialects.openai_chat import with_function
from toolpair.rules.context import Context, keep_as_text
from toolpair.rules.problem import Cause, Fix
from toolpair.rules.rule import Rule
from toolpair.rules.where import Where, at_call, at_result
from toolpair.transcript.counting import plural
from toolpair.transcript.edits import Edit, ReplaceWithText, SetValue
from toolpair.transcript.model import Block
from toolpair.transcript.pairing import Pair

_NAME_REFUSED: Final = re.compile(r"[^a-zA-Z0-9_-]")


def check(context: Context) -> None:
    _nameless_results(context)
    accepted: set[str | None] = set()
    for pair in context.pairing.pairs:
        for result in pair.results:
            if result.name:
                _result_names(context, pair)
                break
        call = pair.call
        if call is not None and call.name not in accepted and is_object(call):
            if call.name and context.profile.name_pattern.fullmatch(call.name):
                accepted.add(call.name)
            else:
                _name(context, pair, call)


RULES: Final = (
    Rule("name.missing", "arguments", check, fix_order=240, whole_history=True),
    Rule("name.pattern", "arguments", check, fix_order=240),
    Rule("result.name", "results", check, whole_history=True, of_pair=True, of_result=True),
)


def _refused_name(context: Context) -> Cause:
    provider = f"this provider {context.refuses('name.pattern')}"
    return Cause("name_pattern", f"the name has characters or a length that {provider}")


def _name(context: Context, pair: Pair, call: Block) -> None:
    """A missing name, or one that is not accepted."""
    if call.name:
        better = _accepted_name(context, call.name)
        context.add(
            "name.pattern",
            f"{context.profile.title} {context.accepts_not('name.pattern')} the tool name {call.name}.",
            Where(at=pair.call_at, pairs=(pair,), call=call),
            cause=_refused_name(context),
            fixes=(
                Fix(
                    "rename-tool",
                    f"rename it to {better}",
                    (_renamed(context, call, better), *_named_after(pair, call.name, better)),
                    recommended=True,
                    several="rename the tools, with accepted characters",
                    note="the tool must be declared under the same name in the request",
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
                f"rename it to {named}, as in its result",
                (_renamed(context, call, named),),
                recommended=True,
            )
        )
    edits: list[Edit] = [
        ReplaceWithText(
            call,
            "[Earlier tool call without a tool name, kept by toolpair.]\n"
            + json.dumps(arguments(call), ensure_ascii=False)
            + said_besides(call),
        ),
        *(keep_as_text(result, None) for result in pair.results),
    ]
    fixes.append(Fix("pair-as-text", "keep the call and its output as text", tuple(edits), recommended=not named))
    fixes.append(Fix("name-unknown", "name it unknown_tool", (_renamed(context, call, "unknown_tool"),)))
    context.add(
        "name.missing",
        "This call has no tool name.",
        at_call(pair),
        cause=Cause("name_missing", "the name was lost while the call was streaming"),
        fixes=fixes,
    )


def _accepted_name(context: Context, name: str) -> str:
    better = _NAME_REFUSED.sub("_", name)[: context.profile.name_max]
    while not context.profile.name_pattern.fullmatch(better) and len(better) < min(context.profile.name_max, 8):
        better = f"_{better}"
    if not context.profile.name_pattern.fullmatch(better):
        better = f"_{better}"[: context.profile.name_max]
    return better


def _named_after(pair: Pair, old: str, new: str) -> list[Edit]:
    """The edits that give the new name to results that repeat the tool's name."""
    return [with_fields(result, name=new) for result in pair.results if result.name == old and is_object(result)]


def _result_names(context: Context, pair: Pair) -> None:
    """Names that results carry themselves, as tool messages may."""
    call = pair.call
    for result in pair.results:
        if not result.name or not is_object(result):
            continue
        if call is not None and call.name and call.name != result.name and context.judges("result.name"):
            _name_differs(context, pair, result, call.name)
        elif context.provider == "mistral" and not context.profile.name_pattern.fullmatch(result.name):
            if call is not None and call.name == result.name:
                continue  # reported for the call
            better = _accepted_name(context, result.name)
            context.add(
                "name.pattern",
                f"{context.profile.title} {context.accepts_not('name.pattern')} the tool name {result.name} of this "
                "result.",
                at_result(pair, result),
                cause=_refused_name(context),
                fixes=(
                    Fix(
                        "rename-tool",
                        f"rename it to {better}",
                        (with_fields(result, name=better),),
                        recommended=True,
                        several="rename the tools, with accepted characters",
                    ),
                ),
            )


def _name_differs(context: Context, pair: Pair, result: Block, name: str) -> None:
    context.add(
        "result.name",
        f"This result says that it comes from {result.name}, but its call is to {name}.",
        at_result(pair, result),
        # A converter may also take the name from the call.
        severity="warning" if context.is_error("result.name") else None,
        cause=Cause("result_name", "the result was written with another tool's name"),
        fixes=(
            Fix(
                "name-from-call",
                f"rename it to {name}, as in its call",
                (with_fields(result, name=name),),
                recommended=True,
            ),
        ),
    )


def _nameless_results(context: Context) -> None:
    """Results without a name: one problem for all. Gemini's name their function, and so does Moonshot's own example."""
    if not context.judges("result.name"):
        return
    results = [(pair, result) for pair in context.pairing.pairs for result in pair.results]
    if context.wire == "gemini":
        # Where none has a name, a converter takes it from the call.
        expected = any(result.name is not None for _, result in results)
        says = f"which {context.profile.title} refuses"
    else:
        expected = context.provider == "moonshot" and context.written == "chat"
        results = [(pair, result) for pair, result in results if field_of(result, "role") == "tool"]
        says = "which the provider's own examples have"
    found = [
        (pair, one)
        for pair, one in results
        if pair.call is not None and pair.call.name and not one.name and not one.form
    ]
    if not expected or not found:
        return
    first, result = found[0]
    context.add(
        "result.name",
        f"{plural(len(found), 'result has', 'results have')} no tool name, {says}.",
        at_result(first, result, pairs=[pair for pair, _ in found]),
        cause=Cause("result_name", "most APIs find the name by the call's id"),
        fixes=(
            Fix(
                "name-from-call",
                "write the tool names of their calls",
                tuple(with_fields(block, name=pair.call.name) for pair, block in found if pair.call is not None),
                recommended=True,
            ),
        ),
    )


def _renamed(context: Context, call: Block, name: str) -> SetValue:
    return with_function(call, name=name) if context.tool_messages else with_fields(call, name=name)
