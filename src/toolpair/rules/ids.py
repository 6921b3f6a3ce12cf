"""Ids that a provider refuses, and ids that several calls share."""

from __future__ import annotations

from collections import defaultdict

from toolpair.rules import causes
from toolpair.rules.base import Cause, Fix, Severity
from toolpair.rules.context import Context, keep_as_text
from toolpair.rules.elsewhere import fixes as fixes_of
from toolpair.transcript.edits import Answer, Edit, Rename
from toolpair.transcript.ids import usable
from toolpair.transcript.pairing import Pair


def check(context: Context) -> None:
    _shared(context)
    _refused(context)


def _renames(pair: Pair, new: str, *, nearest: bool = True) -> list[Edit]:
    """Unless `nearest`, results that are a call's by their order alone are kept as text."""
    blocks = ([pair.call] if pair.call is not None else []) + list(pair.results)
    if pair.ambiguous and not nearest:
        blocks = blocks[:1]
    return [Rename(block, new) for block in blocks]


def _found_output(context: Context, pair: Pair) -> list[Edit]:
    """The real output of a call without result, put in with the new id: elsewhere it is known by the old one."""
    if pair.call is None or pair.results:
        return []
    call = pair.call
    fixes = fixes_of(context.elsewhere.of_call(call), lambda content, error: Answer(call, content, error))
    return [edit for fix in fixes if fix.recommended for edit in fix.edits]


def _shared(context: Context) -> None:
    """Calls that share an id: within one message (duplicate) and over several (reused)."""
    by_id: dict[str, list[Pair]] = defaultdict(list)
    for pair in context.pairing.pairs:
        if pair.call is not None and usable(pair.call.id):
            by_id[pair.call.id].append(pair)
    for id_, pairs in by_id.items():
        if len(pairs) < 2:
            continue
        by_message: dict[int, list[Pair]] = defaultdict(list)
        for pair in pairs:
            assert pair.call_at is not None
            by_message[pair.call_at[0]].append(pair)
        number = 1
        reused: list[Pair] = []
        for together in by_message.values():
            if len(together) > 1:
                number = _report(context, "call.duplicate_id", id_, together, together[1:], number)
            reused.append(together[0])
        if len(reused) > 1:
            _report(context, "call.reused_id", id_, reused, reused[1:], number)


def _report(context: Context, rule: str, id_: str, pairs: list[Pair], later: list[Pair], number: int) -> int:
    """Report calls that share `id_`; the fix renames the `later` ones and their results. Returns the last number."""
    if not context.judges(rule):
        return number
    edits: list[Edit] = []
    nearest: list[Edit] = []
    for pair in later:
        number += 1
        new = context.new_id(id_, number)
        nearest.extend(_renames(pair, new))
        edits.extend(_renames(pair, new, nearest=False))
        edits.extend(_found_output(context, pair))
    unclear = [result for pair in pairs if pair.ambiguous for result in pair.results]
    edits.extend(keep_as_text(result, result.name) for result in unclear)
    title = (
        "give the later calls and their results new ids"
        if len(later) > 1
        else "give the later call and its result a new id"
    )
    fixes = [
        Fix(
            "new-ids",
            f"{title}, keep what may be any call's as text" if unclear else title,
            tuple(edits),
            recommended=True,
            note=context.files_naming(id_),
        )
    ]
    if unclear:
        fixes.append(Fix("nearest", f"{title}, late results to the nearest call", tuple(nearest), certain=False))
    calls = [pair.call for pair in pairs if pair.call is not None]
    second = later[0]
    severity: Severity | None = None
    if context.tool_messages and rule == "call.duplicate_id" and sum(bool(pair.results) for pair in pairs) > 1:
        severity = "error"  # two tool messages with one tool_call_id are refused, whatever is thought of the calls
    families = [call.family for call in calls if call.family]
    if len(set(families)) < len(families):
        severity = "error"  # outputs are found by id alone: one call has two, or nobody answers the other
    context.add(
        rule,
        f"{len(pairs)} calls share the id {id_}, so their results cannot be told apart.",
        at=second.call_at,
        pairs=later,
        call=second.call,
        result=second.result,
        others=(*calls, *(result for pair in pairs for result in pair.results)),
        severity=severity,
        cause=causes.of_shared_id(calls, pairs),
        fixes=fixes,
        guess=bool(unclear),
    )
    return number


def _refused(context: Context) -> None:
    profile = context.profile
    for pair in context.pairing.pairs:
        call = pair.call
        if call is None or id(call) in context.renamed or call.slot[-1:] == ("function_call",):
            continue  # a legacy function_call has no id
        if not usable(call.id) or any(not usable(result.id) for result in pair.results):
            _empty(context, pair)
        elif profile.id_pattern is not None and not profile.id_pattern.fullmatch(call.id):
            _rename_problem(
                context,
                pair,
                "id.pattern",
                f"{profile.title} does not accept the id {call.id}: bad characters.",
                Cause("id.characters", "the provider that made the id allows characters that this one refuses"),
            )
        elif profile.id_max is not None and len(call.id) > profile.id_max:
            _rename_problem(
                context,
                pair,
                "id.length",
                f"{profile.title} does not accept the id {call.id}: {len(call.id)} long, {profile.id_max} allowed.",
                Cause("id.too_long", "the provider that made the id allows longer ones"),
            )


def _empty(context: Context, pair: Pair) -> None:
    assert pair.call is not None
    context.renamed.add(id(pair.call))
    _rename_problem(
        context,
        pair,
        "id.empty",
        f"{context.profile.title} does not accept the id of {pair.call.name or 'this call'}: {_what(pair)}.",
        Cause("id.empty", "the provider or the agent wrote no id"),
    )


def _what(pair: Pair) -> str:
    blocks = [block for block in (pair.call, *pair.results) if block is not None and not usable(block.id)]
    return "it is empty" if any(block.id in (None, "") for block in blocks) else "it is no text"


def _rename_problem(context: Context, pair: Pair, rule: str, text: str, cause: Cause) -> None:
    call = pair.call
    assert call is not None
    if not context.judges(rule):
        return
    new = context.new_id(call.id)
    found = _found_output(context, pair)
    what = "the call and its result" if pair.results else "the call"
    context.add(
        rule,
        text,
        at=pair.call_at,
        pair=pair,
        call=call,
        result=pair.result,
        cause=cause,
        fixes=(
            Fix(
                "new-id",
                f"give {what} the id {new}{', and the real output that is found elsewhere' if found else ''}",
                (*_renames(pair, new), *found),
                recommended=True,
                several="give the calls and their results ids that are accepted",
                note=context.files_naming(call.id),
            ),
        ),
    )
