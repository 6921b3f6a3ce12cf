"""Where results stand: too late, spread over messages, behind text, in the assistant's place, in another order."""

from __future__ import annotations

from toolpair.rules import causes
from toolpair.rules.context import Context, call_as_text, keep_as_text, tool_of
from toolpair.rules.pair_fixes import BOTH_AS_TEXT, NO_CALL, PLACEHOLDER_TITLE, remove_call
from toolpair.rules.problem import Fix
from toolpair.rules.wire import is_system
from toolpair.transcript.edits import Answer, Arrange, Edit, Place, Remove
from toolpair.transcript.model import PLACEHOLDER, Block, Message
from toolpair.transcript.pairing import Pair
from toolpair.transcript.words import plural

_RESULT_ROLES = ("tool", "function")


def where(context: Context, pair: Pair) -> str:
    """Where the first result stands, seen from its call.

    "right", "behind" (text in front of it), "split" (over several messages), "late" or "result_in_assistant".
    """
    assert pair.call_at is not None
    home, (at, position) = pair.call_at[0], pair.results_at[0]
    messages = context.messages
    if messages[at].role == "assistant":
        return "result_in_assistant"
    if context.tool_messages:
        return "right" if home < at < _reach(context, home) and messages[at].role in _RESULT_ROLES else "late"
    if not context.in_turns:
        # Results become messages of their own, in front of what else their message says.
        return "right" if home < at <= _reach(context, home) else "late"
    if at == home + 1:
        return "behind" if _first_words(context, at) < position else "right"
    return "split" if home + 1 < at <= _reach(context, home) else "late"


def _first_words(context: Context, at: int) -> int:
    """The place of the first block of a message that is no result; behind its end where there is none."""
    if at not in context.first_words:
        blocks = context.messages[at].blocks
        spoken = (number for number, block in enumerate(blocks) if block.kind != "result")
        context.first_words[at] = next(spoken, len(blocks))
    return context.first_words[at]


def _reach(context: Context, home: int) -> int:
    """The first message behind `home` that parts the calls there from results behind it."""
    known = context.reach.get(home)
    if known is None:
        known = home + 1
        while known < len(context.messages) and _parts_nothing(context, context.messages[known]):
            known += 1
        context.reach[home] = known
    return known


def _parts_nothing(context: Context, message: Message) -> bool:
    if context.tool_messages:
        # A system message is lifted out where the provider takes turns.
        return message.role in _RESULT_ROLES or (context.in_turns and is_system(message))
    if message.role != "user" or not message.blocks:
        return False
    if context.in_turns:
        return message.blocks[0].kind == "result"
    return all(block.kind == "result" for block in message.blocks)


def moved(context: Context, pair: Pair, result: Block, position: int = 0) -> Place | None:
    """The move that the result needs to stand right, if any."""
    assert pair.call is not None
    single = Pair(pair.index, pair.call, pair.call_at, (result,), (pair.results_at[position],), pair.evidence)
    return None if where(context, single) == "right" else Place(result, pair.call)


def result_in_assistant(context: Context, pair: Pair) -> None:
    call, result = pair.call, pair.result
    assert call is not None and result is not None
    pair.state = "misplaced"
    context.add(
        "role.result_in_assistant",
        f"The result of {tool_of(call)} is in an assistant message.",
        at=pair.results_at[0],
        pair=pair,
        call=call,
        result=result,
        fixes=(
            Fix("move", "move it after its call", (Place(result, call),), recommended=True),
            Fix(
                "remove-pair",
                "remove the call and its result",
                (Remove(call), Remove(result)),
                loses="the call and its output",
            ),
        ),
        record=result.record,
    )


def late(context: Context, pair: Pair) -> None:
    call, result = pair.call, pair.result
    assert call is not None and result is not None and pair.call_at is not None
    pair.state = "misplaced"
    home, at = pair.call_at[0], pair.results_at[0][0]
    between = context.passed.between(home + 1, at)
    what, cause = causes.of_late(context, between)
    context.add(
        "result.not_adjacent",
        f"The result of {tool_of(call)} comes {plural(between.messages, 'message')} too late, after {what}.",
        at=pair.results_at[0],
        pair=pair,
        call=call,
        result=result,
        cause=cause,
        fixes=(
            Fix(
                "move",
                "move it after its call" if pair.certain else "move it after the nearest call with that id",
                (Place(result, call),),
                recommended=pair.certain,
                certain=pair.certain,
            ),
            Fix(
                "placeholder-and-text",
                f"{PLACEHOLDER_TITLE} at the call and keep the output as text here",
                (Answer(call, PLACEHOLDER, True), keep_as_text(result, call.name)),
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
        record=result.record,
    )


def split_over(context: Context, pairs: list[Pair]) -> None:
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
        pair.state = "misplaced"
        assert pair.call is not None and pair.result is not None
        edits.append(Place(pair.result, pair.call))
    context.add(
        "result.split_over_messages",
        f"The results of {len(family)} parallel calls are spread over {len(spread)} messages.",
        at=first.results_at[0],
        pairs=pairs,
        call=first.call,
        result=first.result,
        cause=causes.of_split(context, len(family), len(spread)),
        fixes=(Fix("gather", "collect the results in one message", tuple(edits), recommended=True),),
        record=first.result.record if first.result else None,
    )


def not_first(context: Context, message: int, pairs: list[Pair]) -> None:
    for pair in pairs:
        pair.state = "misplaced"
    first = pairs[0]
    what = next((block for block in context.messages[message].blocks if block.kind != "result"), None)
    noun = "An image" if what is not None and what.kind == "media" else "Text"
    must = "must" if context.is_error("result.not_first") else "should"
    context.add(
        "result.not_first",
        f"{noun} stands before the result of {tool_of(first.call)}, and results {must} come first.",
        at=first.results_at[0],
        pairs=pairs,
        call=first.call,
        result=first.result,
        about=context.messages[message],
        cause=causes.named("text_before_result"),
        fixes=(
            Fix(
                "results-first",
                "move the results to the front",
                (Arrange(context.messages[message], "results_first"),),
                recommended=True,
            ),
        ),
        record=first.result.record if first.result else None,
    )


def order(context: Context) -> None:
    """Results in another order than their calls; only where nothing else is wrong with them."""
    for message in context.messages:
        if len(message.blocks) < 2:
            continue
        calls = [block for block in message.blocks if block.kind == "call"]
        if len(calls) < 2:
            continue
        family = [found for call in calls if (found := context.pairing.pair_of(call)) is not None and found.results]
        if len(family) < 2 or any(found.state != "ok" for found in family):
            continue
        places = [found.results_at[0] for found in family]
        if places == sorted(places):
            continue
        results = tuple(found.results[0] for found in family)
        context.add(
            "result.order",
            "Results came back in a different order from the calls, which most APIs accept.",
            at=places[0],
            pairs=family,
            call=family[0].call,
            result=family[0].result,
            about=context.messages[min(places)[0]],
            cause=causes.of_order(context, family),
            fixes=(
                Fix(
                    "call-order",
                    "put the results in the order of the calls",
                    (Arrange(context.messages[min(places)[0]], "call_order", results),),
                    recommended=True,
                ),
            ),
        )
