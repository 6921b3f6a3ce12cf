"""Rules about misplaced results: too late, spread over messages, after text, in an assistant message, out of order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from toolpair.rules import causes
from toolpair.rules.context import (
    BOTH_AS_TEXT,
    NO_CALL,
    PLACEHOLDER_TITLE,
    Context,
    call_as_text,
    keep_as_text,
    remove_call,
    tool_of,
)
from toolpair.rules.pair_states import fit_of
from toolpair.rules.problem import Fix
from toolpair.rules.where import Where, at_result
from toolpair.transcript.counting import plural
from toolpair.transcript.edits import Edit, InsertResult, MoveResult, Remove, Reorder
from toolpair.transcript.model import PLACEHOLDER
from toolpair.transcript.pairing import Pair


def report(context: Context, pairs: Sequence[Pair]) -> None:
    """Report pairs whose results are in a wrong place; those of one message are one problem."""
    split: dict[int, list[Pair]] = defaultdict(list)
    after_text: dict[int, list[Pair]] = defaultdict(list)
    for pair in pairs:
        fit = fit_of(context, pair)
        if fit == "late":
            _late(context, pair)
        elif fit == "result_in_assistant":
            if context.judges("role.result_in_assistant"):
                _result_in_assistant(context, pair)
        elif fit == "split":
            assert pair.call_at is not None
            split[pair.call_at[0]].append(pair)
        else:
            after_text[pair.results_at[0][0]].append(pair)
    if context.judges("result.split_over_messages"):
        for together in split.values():
            _split_over(context, together)
    if context.judges("result.not_first"):
        for message, together in after_text.items():
            _not_first(context, message, together)


def _result_in_assistant(context: Context, pair: Pair) -> None:
    call, result = pair.call, pair.result
    assert call is not None and result is not None
    context.add(
        "role.result_in_assistant",
        f"The result of {tool_of(call)} is in an assistant message.",
        at_result(pair),
        fixes=(
            Fix("move", "move it after its call", (MoveResult(result, call),), recommended=True),
            Fix(
                "remove-pair",
                "remove the call and its result",
                (Remove(call), Remove(result)),
                loses="the call and its output",
            ),
        ),
    )


def _late(context: Context, pair: Pair) -> None:
    call, result = pair.call, pair.result
    assert call is not None and result is not None and pair.call_at is not None
    home, at = pair.call_at[0], pair.results_at[0][0]
    between = context.passed.between(home + 1, at)
    what, cause = causes.of_late(context, between)
    context.add(
        "result.not_adjacent",
        f"The result of {tool_of(call)} comes {plural(between.messages, 'message')} too late, after {what}.",
        at_result(pair),
        cause=cause,
        fixes=(
            Fix(
                "move",
                "move it after its call" if pair.certain else "move it after the nearest call with that id",
                (MoveResult(result, call),),
                recommended=pair.certain,
                certain=pair.certain,
            ),
            Fix(
                "placeholder-and-text",
                f"{PLACEHOLDER_TITLE} at the call and keep the output as text here",
                (InsertResult(call, PLACEHOLDER, True), keep_as_text(result, call.name)),
                recommended=not pair.certain,
                placeholder=True,
            ),
            Fix(
                "both-as-text",
                BOTH_AS_TEXT,
                (call_as_text(call), keep_as_text(result, call.name)),
                note=NO_CALL,
            ),
            remove_call(pair),
        ),
        guess=not pair.certain,
    )


def _split_over(context: Context, pairs: list[Pair]) -> None:
    first = pairs[0]
    assert first.call_at is not None
    home = first.call_at[0]
    family = [
        found
        for block in context.messages[home].blocks
        if block.kind == "call" and (found := context.pairing.pair_of(block)) is not None and found.results
    ]
    spread = {found.results_at[0][0] for found in family}
    edits: list[Edit] = []
    for pair in pairs:
        assert pair.call is not None and pair.result is not None
        edits.append(MoveResult(pair.result, pair.call))
    context.add(
        "result.split_over_messages",
        f"The results of {len(family)} parallel calls are spread over {len(spread)} messages.",
        at_result(first, pairs=pairs),
        cause=causes.of_split(context, len(family), len(spread)),
        fixes=(Fix("gather", "collect the results in one message", tuple(edits), recommended=True),),
    )


def _not_first(context: Context, message: int, pairs: list[Pair]) -> None:
    first = pairs[0]
    what = next((block for block in context.messages[message].blocks if block.kind != "result"), None)
    noun = "An image" if what is not None and what.kind == "media" else "Text"
    must = "must" if context.is_error("result.not_first") else "should"
    context.add(
        "result.not_first",
        f"{noun} stands before the result of {tool_of(first.call)}, and results {must} come first.",
        at_result(first, pairs=pairs, about=context.messages[message]),
        cause=causes.named("text_before_result"),
        fixes=(
            Fix(
                "results-first",
                "move the results to the front",
                (Reorder(context.messages[message], "results_first"),),
                recommended=True,
            ),
        ),
    )


def in_another_order(context: Context, family: Sequence[Pair]) -> None:
    """Results of one message's calls in a different order from the calls."""
    places = [found.results_at[0] for found in family]
    results = tuple(found.results[0] for found in family)
    context.add(
        "result.order",
        "Results came back in a different order from the calls, which most APIs accept.",
        Where(
            at=places[0],
            pairs=family,
            call=family[0].call,
            result=family[0].result,
            about=context.messages[min(places)[0]],
        ),
        cause=causes.of_order(context, family),
        fixes=(
            Fix(
                "call-order",
                "put the results in the order of the calls",
                (Reorder(context.messages[min(places)[0]], "call_order", results),),
                recommended=True,
            ),
        ),
    )
