"""Broken pairs: calls without result, results without call, ids that differ, results too many or elsewhere."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from dataclasses import replace
from itertools import accumulate
from typing import Any

from toolpair.rules import causes
from toolpair.rules.base import Cause, Fix, Severity
from toolpair.rules.context import Context, keep_as_text, tool_of, with_edits
from toolpair.rules.elsewhere import fixes as fixes_of
from toolpair.rules.unreadable import Lost, repair
from toolpair.transcript.content import is_real_output, output_lines, result_text
from toolpair.transcript.edits import (
    Answer,
    Arrange,
    Edit,
    InsertMessage,
    Place,
    Remove,
    RemoveRecord,
    Rename,
    SetValue,
)
from toolpair.transcript.ids import usable
from toolpair.transcript.model import PLACEHOLDER, Block
from toolpair.transcript.pairing import Pair
from toolpair.transcript.words import plural

PLACEHOLDER_TITLE = 'write "no result was recorded"'


def check(context: Context) -> None:
    """At most one problem a broken pair, the most specific."""
    split: dict[int, list[Pair]] = defaultdict(list)
    behind: dict[int, list[Pair]] = defaultdict(list)
    for pair in context.pairing.pairs:
        if pair.call is None:
            _orphan(context, pair)
        elif not pair.results:
            _missing(context, pair)
        elif pair.evidence == "early":
            _orphan(context, pair)
        elif len(pair.results) > 1:
            _duplicate(context, pair)
        elif pair.evidence in ("spelling", "link", "name", "guess"):
            _mismatch(context, pair)
        else:
            place = where(context, pair)
            if place == "result_in_assistant":
                _result_in_assistant(context, pair)
            elif place == "late":
                _late(context, pair)
            elif place == "split":
                assert pair.call_at is not None
                split[pair.call_at[0]].append(pair)
            elif place == "behind":
                behind[pair.results_at[0][0]].append(pair)
            else:
                _placeholder(context, pair)
    for pairs in split.values():
        _split(context, pairs)
    for message, pairs in behind.items():
        _not_first(context, message, pairs)
    _order(context)
    _unreached(context)


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
        run = (messages[number].role in ("tool", "function") for number in range(home + 1, at + 1))
        return "right" if at > home and all(run) else "late"
    if at == home + 1:
        if any(block.kind != "result" for block in messages[at].blocks[:position]):
            return "behind"
        return "right"
    between = (messages[number] for number in range(home + 1, at))
    split = at > home + 1 and all(
        message.role == "user" and message.blocks and message.blocks[0].kind == "result" for message in between
    )
    return "split" if split else "late"


def _moved(context: Context, pair: Pair, result: Block, position: int = 0) -> Place | None:
    """The move that the result needs to stand right, if any."""
    assert pair.call is not None
    single = Pair(pair.index, pair.call, pair.call_at, (result,), (pair.results_at[position],), pair.evidence)
    return None if where(context, single) == "right" else Place(result, pair.call)


def _remove_call(pair: Pair, *, results: bool = True) -> Fix:
    assert pair.call is not None
    real = [result for result in pair.results if is_real_output(result)]
    loses = "the call and its input"
    if real and results:
        loses += f", and its output ({output_lines(real[:1])})"
    edits: tuple[Edit, ...] = (Remove(pair.call), *(Remove(result) for result in pair.results if results))
    return Fix("remove-call", "remove the call", edits, loses=loses)


def _missing(context: Context, pair: Pair) -> None:
    call = pair.call
    assert call is not None and pair.call_at is not None
    if context.messages[pair.call_at[0]].role != "assistant" and context.judges("role.call_in_user"):
        pair.state = "missing"
        return
    trailing = pair.call_at[0] == len(context.messages) - 1
    copies = context.elsewhere.of_call(call)
    fixes = fixes_of(copies, lambda content, error: Answer(call, content, error))
    lost = context.unreadable.of_call(call)
    if lost is not None:
        fixes = _with_repair(fixes, lost, call, first=lost.fix is not None and all(copy.partial for copy in copies))
    fixes.append(
        Fix(
            "insert-placeholder",
            PLACEHOLDER_TITLE,
            (Answer(call, PLACEHOLDER, True),),
            recommended=not any(fix.recommended for fix in fixes),
            placeholder=True,
        )
    )
    fixes.append(_remove_call(pair))
    cause = causes.of_missing(context, pair) if lost is None else lost.cause
    severity: Severity | None = None
    if trailing:
        rule, text = "turn.trailing_call", f"{tool_of(call)} was called at the very end, and nothing follows."
        if context.transcript.native:
            severity, text = "info", f"{tool_of(call)} was called at the very end: still running, or interrupted."
    else:
        rule, text = "result.missing", f"{tool_of(call)} was called, but no result for it is in this file."
        if context.transcript.native and _only_open_tail(context, pair):
            rule, severity = "turn.trailing_call", "info"
            text = f"{tool_of(call)} was called in the last turn: still running, or interrupted."
    if lost is not None:
        text = f"The result of {tool_of(call)} stands in {lost.where}, which cannot be read ({lost.reason})."
    pair.state = "pending" if severity == "info" else "missing"
    context.add(
        rule,
        text,
        at=pair.call_at,
        pair=pair,
        call=call,
        cause=cause,
        fixes=fixes,
        guess=bool(pair.candidates) or any(not fix.certain for fix in fixes),
        severity=severity,
    )


def _with_repair(fixes: list[Fix], lost: Lost, call: Block | None, *, first: bool) -> list[Fix]:
    """The fixes with the one that brings back what stands in a damaged line: before the others or behind them."""
    if first:
        found = repair(lost, call, recommended=True)
        return [*found, *(replace(fix, recommended=False) for fix in fixes)] if found else fixes
    return [*fixes, *repair(lost, call, recommended=not any(fix.recommended for fix in fixes))]


def _only_open_tail(context: Context, pair: Pair) -> bool:
    """Whether nothing but results of the same turn follows the call: parallel calls of an agent that still runs."""
    assert pair.call_at is not None
    rest = context.messages[pair.call_at[0] + 1 :]
    return bool(rest) and all(block.kind == "result" for message in rest for block in message.blocks)


def _placeholder(context: Context, pair: Pair) -> None:
    """A result that says only that there is none, though the real one can be found.

    No API refuses it; an agent's own history that keeps a known output from the model is an error, as a lost link is.
    """
    call, result = pair.call, pair.result
    assert call is not None and result is not None
    text = result_text(result)
    if is_real_output(result) or not isinstance(result.value, dict) or result.slot[-1:] == ("function_call",):
        return
    copies = [copy for copy in context.elsewhere.of_call(call) if text.strip() or not copy.partial]
    if not copies:
        return

    def put(content: Any, is_error: bool) -> Edit:
        kept = {key: value for key, value in result.value.items() if key != "is_error"}
        key = "output" if "output" in kept and "content" not in kept else "content"
        return SetValue(result, {**kept, key: content, **({"is_error": True} if is_error else {})})

    found = fixes_of(copies, put)
    what = "only a placeholder stands" if text.strip() else "nothing stands"
    context.add(
        "result.placeholder",
        f"For the result of {tool_of(call)} {what} here, but its real output is known.",
        at=pair.results_at[0],
        pair=pair,
        call=call,
        result=result,
        cause=Cause("placeholder", "a placeholder was put in, and the real output stands elsewhere"),
        fixes=found,
        guess=not found[0].certain,
        severity="error" if context.transcript.native and found[0].certain else "warning",
        impact="loses" if context.transcript.native else "harmless",
        record=result.record,
    )


def _unreached(context: Context) -> None:
    """A result whose call was lost, beside the history: nobody is told of it."""
    if not context.transcript.unreached or not context.messages:
        return
    # How far each message reaches in the file's own order.
    begins = list(accumulate((min(message.records, default=0) for message in context.messages), max))
    for result in context.transcript.unreached:
        number = max(bisect_left(begins, result.record) - 1, 0)
        # Between calls and their results nothing may be put.
        if context.messages[number].calls and number + 1 < len(context.messages):
            number += 1
        kept = keep_as_text(result, result.name)
        words: list[Any] = [{"type": "text", "text": kept.text}, *kept.media]
        insert = InsertMessage(context.messages[number], "user", words if kept.media else kept.text)
        context.add(
            "result.unreached",
            f"This result is in the file but not in the history: the line of its call is lost ({result.id}).",
            at=(number, None),
            result=result,
            cause=Cause("call_lost", "the record of its call was lost, so nothing leads to the result"),
            fixes=(
                Fix(
                    "keep-as-text",
                    "keep the output as text in the history",
                    (insert, RemoveRecord(result.record)),
                    recommended=True,
                    note="it is tool output in a user's place: it is labelled as data",
                ),
            ),
            severity="error",
            impact="loses",
            record=result.record,
        )


def _orphan(context: Context, pair: Pair) -> None:
    result = pair.result
    assert result is not None
    pair.state = "orphan"
    real = is_real_output(result)
    fixes: list[Fix] = []
    if pair.call is not None:
        fixes.append(
            Fix("move", "move it behind its call", (Place(result, pair.call),), recommended=True),
        )
    for candidate in pair.candidates[:20]:
        call = candidate.call
        assert call is not None
        fixes.append(
            Fix(
                f"link-{candidate.index}" if len(pair.candidates) > 1 else "link",
                f"link it to the call of {tool_of(call)} ({call.id})",
                with_edits(
                    Rename(result, call.id)
                    if context.profile.accepts_id(call.id)
                    else Rename(result, call.id if isinstance(call.id, str) else ""),
                    Place(result, call),
                ),
                certain=False,
            )
        )
    fixes.append(
        Fix(
            "keep-as-text",
            "keep the output as text",
            (keep_as_text(result, result.name),),
            recommended=real and pair.call is None,
            note="it is tool output in a user's place: it is labelled as data",
        )
    )
    fixes.append(
        Fix(
            "drop",
            "drop the output",
            (Remove(result),),
            recommended=not real and pair.call is None,
            loses=f"its output ({output_lines([result])})" if real else None,
        )
    )
    id_ = result.id if usable(result.id) else "it has no id"
    text = f"This result stands before the call that it answers ({id_})."
    cause = causes.of_orphan(context, pair)
    if pair.call is None:
        text = f"This result answers a call that is not in this history ({id_})."
        lost = context.unreadable.of_result(result)
        if lost is not None:
            text = f"This result answers a call that stands in {lost.where}, which cannot be read ({lost.reason})."
            cause = lost.cause
            fixes = _with_repair(fixes, lost, None, first=True)
    context.add(
        "result.orphan",
        text,
        at=pair.results_at[0],
        pair=pair,
        result=result,
        call=pair.call,
        cause=cause,
        fixes=fixes,
        guess=bool(pair.candidates),
    )


def _mismatch(context: Context, pair: Pair) -> None:
    call, result = pair.call, pair.result
    assert call is not None and result is not None and pair.call_at is not None
    pair.state = "mismatch"
    move = _moved(context, pair, result)
    certain = pair.certain
    call_good = context.profile.accepts_id(call.id)
    result_good = context.profile.accepts_id(result.id)
    fixes: list[Fix] = []
    best = "rename-result" if call_good else "rename-call" if result_good else "rename-both"
    if usable(call.id):
        fixes.append(
            Fix(
                "rename-result",
                "give the result the call's id",
                with_edits(Rename(result, call.id), move),
                recommended=certain and best == "rename-result",
                certain=certain,
                loses=None,
            )
        )
    if usable(result.id):
        fixes.append(
            Fix(
                "rename-call",
                "give the call the result's id",
                with_edits(Rename(call, result.id), move),
                recommended=certain and best == "rename-call",
                certain=certain,
            )
        )
    clean = context.new_id(call.id if usable(call.id) else result.id)
    fixes.append(
        Fix(
            "rename-both",
            f"give both a new id, {clean}",
            with_edits(Rename(call, clean), Rename(result, clean), move),
            recommended=certain and best == "rename-both",
            certain=certain,
            several="give both sides a new id",
        )
    )
    if not certain:
        real = is_real_output(result)
        fixes.append(
            Fix(
                "placeholder-and-text",
                f"{PLACEHOLDER_TITLE} and keep the output as text",
                (Answer(call, PLACEHOLDER, True), keep_as_text(result, result.name) if real else Remove(result)),
                recommended=True,
                placeholder=True,
            )
        )
    fixes.append(_remove_call(pair))
    text = f"This result is written under another id than its call, {tool_of(call)}."
    cause = causes.of_mismatch(pair)
    lost = None if certain else context.unreadable.of_call(call) or context.unreadable.of_result(result)
    if lost is not None and lost.fix is not None:
        # What each of them waits for stands in a damaged line: there is nothing to guess.
        text = (
            f"What belongs to this call and this result stands in {lost.where}, which cannot be read ({lost.reason})."
        )
        fixes, cause, certain = _with_repair(fixes, lost, None, first=True), lost.cause, True
    context.renamed.update({id(call), id(result)})
    context.add(
        "result.id_mismatch",
        text,
        at=pair.results_at[0],
        pair=pair,
        call=call,
        result=result,
        cause=cause,
        fixes=fixes,
        guess=not certain,
        record=result.record,
    )


def _duplicate(context: Context, pair: Pair) -> None:
    call = pair.call
    assert call is not None
    pair.state = "duplicate"
    texts = [result_text(result) for result in pair.results]
    real = [number for number, result in enumerate(pair.results) if is_real_output(result)]
    first = real[0] if real else 0
    last = real[-1] if real else len(texts) - 1
    differ = len({texts[number] for number in real}) > 1
    cause = causes.of_duplicate(pair, texts)
    fixes = [
        Fix(
            "keep-first",
            "keep the first real one, the others as text"
            if differ
            else "drop the copies"
            if real
            else "drop all but one",
            _keep_one(context, pair, first, as_text=True),
            recommended=True,
        )
    ]
    if differ:
        fixes.append(
            Fix("keep-last", "keep the last one, the others as text", _keep_one(context, pair, last, as_text=True))
        )
        fixes.append(
            Fix(
                "keep-first-only",
                "keep the first one and drop the others",
                _keep_one(context, pair, first, as_text=False),
                loses=f"{len(real) - 1} other output{'s' if len(real) > 2 else ''}",
            )
        )
        fixes.append(
            Fix(
                "keep-last-only",
                "keep the last one and drop the others",
                _keep_one(context, pair, last, as_text=False),
                loses=f"{len(real) - 1} other output{'s' if len(real) > 2 else ''}",
            )
        )
    how = "they differ" if len(set(texts)) > 1 else "they are the same"
    context.add(
        "result.duplicate",
        f"{tool_of(call)} has {len(texts)} results, and only one is allowed ({how}).",
        at=pair.results_at[1],
        pair=pair,
        call=call,
        result=pair.results[1],
        others=pair.results,
        cause=cause,
        fixes=fixes,
        record=pair.results[1].record,
    )


def _keep_one(context: Context, pair: Pair, keep: int, *, as_text: bool) -> tuple[Edit, ...]:
    kept = pair.results[keep]
    edits: list[Edit] = []
    seen = {result_text(kept)}
    for number, result in enumerate(pair.results):
        if number == keep:
            continue
        text = result_text(result)
        if as_text and is_real_output(result) and text not in seen:
            edits.append(keep_as_text(result, tool_of(pair.call) if pair.call and pair.call.name else None))
        else:
            edits.append(Remove(result))
        seen.add(text)
    call = pair.call
    assert call is not None
    if usable(call.id) and kept.id != call.id:
        edits.append(Rename(kept, call.id))
    first_left = keep == 0 or pair.results_at[keep][0] == pair.results_at[0][0]
    if not first_left or _moved(context, pair, kept, keep) is not None:
        edits.append(Place(kept, call))
    return tuple(edits)


def _result_in_assistant(context: Context, pair: Pair) -> None:
    call, result = pair.call, pair.result
    assert call is not None and result is not None
    pair.state = "misplaced"
    context.add(
        "role.result_in_assistant",
        f"The result of {tool_of(call)} stands in a message of the assistant.",
        at=pair.results_at[0],
        pair=pair,
        call=call,
        result=result,
        fixes=(
            Fix("move", "move it behind its call", (Place(result, call),), recommended=True),
            Fix(
                "remove-pair",
                "remove the call and its result",
                (Remove(call), Remove(result)),
                loses="the call and its output",
            ),
        ),
        record=result.record,
    )


def _late(context: Context, pair: Pair) -> None:
    call, result = pair.call, pair.result
    assert call is not None and result is not None and pair.call_at is not None
    pair.state = "misplaced"
    home, at = pair.call_at[0], pair.results_at[0][0]
    between = context.passed.between(home + 1, at)
    what, cause = causes.what_stands_between(between)
    context.add(
        "result.not_adjacent",
        f"The result of {tool_of(call)} comes {plural(between.messages, 'message')} too late, behind {what}.",
        at=pair.results_at[0],
        pair=pair,
        call=call,
        result=result,
        cause=Cause(cause, f"{what} came between the call and its result"),
        fixes=(
            Fix(
                "move",
                "move it behind its call" if pair.certain else "move it behind the nearest call of that id",
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
            _remove_call(pair),
        ),
        guess=not pair.certain,
        record=result.record,
    )


def _split(context: Context, pairs: list[Pair]) -> None:
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
        cause=Cause("split", "each result was written as a message of its own"),
        fixes=(Fix("gather", "gather the results in one message", tuple(edits), recommended=True),),
        record=first.result.record if first.result else None,
    )


def _not_first(context: Context, message: int, pairs: list[Pair]) -> None:
    for pair in pairs:
        pair.state = "misplaced"
    first = pairs[0]
    what = next((block for block in context.messages[message].blocks if block.kind != "result"), None)
    noun = "An image" if what is not None and what.kind == "media" else "Text"
    context.add(
        "result.not_first",
        f"{noun} stands before the result of {tool_of(first.call)}, and results must come first.",
        at=first.results_at[0],
        pairs=pairs,
        call=first.call,
        result=first.result,
        about=context.messages[message],
        cause=Cause("text_before_result", "the message begins with something else than results"),
        fixes=(
            Fix(
                "results-first",
                "move the results in front",
                (Arrange(context.messages[message], "results_first"),),
                recommended=True,
            ),
        ),
        record=first.result.record if first.result else None,
    )


def _order(context: Context) -> None:
    """Results in another order than their calls; only where nothing else is wrong with them."""
    for message in context.messages:
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
            "Results came back in another order than the calls, which most APIs accept.",
            at=places[0],
            pairs=family,
            call=family[0].call,
            result=family[0].result,
            about=context.messages[min(places)[0]],
            cause=Cause("completion_order", "results came back in the order of completion"),
            fixes=(
                Fix(
                    "call-order",
                    "put the results into the order of the calls",
                    (Arrange(context.messages[min(places)[0]], "call_order", results),),
                    recommended=True,
                ),
            ),
        )
