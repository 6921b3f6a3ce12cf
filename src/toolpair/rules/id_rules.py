"""Rules about ids that a provider refuses, and ids that several calls share."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final

from toolpair.dialects.block_texts import output_lines
from toolpair.dialects.block_values import field_of
from toolpair.dialects.new_ids import restored
from toolpair.dialects.openai_chat import is_legacy
from toolpair.rules import causes
from toolpair.rules.context import PLACEHOLDER_TITLE, Context, keep_as_text
from toolpair.rules.elsewhere import fixes as fixes_of
from toolpair.rules.pair_states import fit_of, is_unanswered
from toolpair.rules.problem import Cause, Fix, Severity
from toolpair.rules.profiles import Profile
from toolpair.rules.rule import Rule
from toolpair.rules.where import Where, at_call
from toolpair.transcript.edits import Edit, InsertResult, Remove, Rename, ReplaceWithText
from toolpair.transcript.id_shapes import usable
from toolpair.transcript.model import PLACEHOLDER
from toolpair.transcript.pairing import Pair


def check(context: Context) -> None:
    _shared(context)
    _refused(context)


_REFUSED: Final = ("id.pattern", "id.length", "id.empty")
RULES: Final = (
    Rule(
        "call.duplicate_id",
        "calls",
        check,
        fix_order=220,
        whole_history=True,
        of_pair=True,
        alike=("call.reused_id",),
        decided_by="ids",
    ),
    Rule(
        "call.reused_id",
        "calls",
        check,
        fix_order=230,
        whole_history=True,
        of_pair=True,
        alike=("call.duplicate_id",),
        decided_by="ids",
    ),
    Rule("id.empty", "ids", check, fix_order=210, alike=_REFUSED),
    Rule("id.pattern", "ids", check, fix_order=210, alike=_REFUSED),
    Rule("id.length", "ids", check, fix_order=210, alike=_REFUSED),
)


def _renames(pair: Pair, new: str, *, nearest: bool = True) -> list[Edit]:
    """The renames for a pair; unless `nearest`, results matched to a call by order alone are kept as text."""
    blocks = ([pair.call] if pair.call is not None else []) + list(pair.results)
    if pair.ambiguous and not nearest:
        blocks = blocks[:1]
    return [Rename(block, new) for block in blocks]


def _found_output(context: Context, pair: Pair) -> list[Edit]:
    """The real output of a call without a result, inserted with the new id; elsewhere it has the old one."""
    if pair.call is None or pair.results or pair.ambiguous:
        return []
    call = pair.call
    fixes = fixes_of(context.elsewhere.of_call(call), lambda content, error: InsertResult(call, content, error))
    return [edit for fix in fixes if fix.recommended for edit in fix.edits]


def _shared(context: Context) -> None:
    """Calls that share an id: within one message (duplicate) or over several (reused)."""
    calls = [pair for pair in context.pairing.pairs if pair.call is not None and usable(pair.call.id)]
    if len({pair.call.id for pair in calls if pair.call is not None}) == len(calls):
        return
    by_id: dict[str, list[Pair]] = defaultdict(list)
    for pair in calls:
        assert pair.call is not None
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
    """Report calls that share `id_`; the fix renames the `later` ones and their results. Returns the last
    number used.
    """
    untold = [pair for pair in pairs if pair.ambiguous and pair.evidence == "exact"]
    unanswered = [pair for pair in untold if is_unanswered(context, pair)]
    if not context.judges(rule) and not unanswered:
        return number
    unclear = [result for pair in pairs if pair.ambiguous for result in pair.results]

    def fixes() -> list[Fix]:
        edits: list[Edit] = []
        nearest: list[Edit] = []
        for at, pair in enumerate(later, number + 1):
            new = context.new_id(id_, at, pair.call.name if pair.call else None)
            nearest.extend(_renames(pair, new))
            edits.extend(_renames(pair, new, nearest=False))
            edits.extend(_found_output(context, pair))
        edits.extend(keep_as_text(result, result.name) for result in unclear)
        edits.extend(_placeholders(untold))
        nearest.extend(_placeholders(unanswered))
        title = (
            "give the later calls and their results new ids"
            if len(later) > 1
            else "give the later call and its result a new id"
        )
        found = [
            Fix(
                "new-ids",
                f"{title}; {PLACEHOLDER_TITLE} and keep the output as text"
                if untold
                else f"{title}; keep outputs that could belong to any of the calls as text"
                if unclear
                else title,
                tuple(edits),
                recommended=True,
                note=context.note_on_new_id(id_),
                placeholder=bool(untold),
            )
        ]
        if unclear:
            found.append(
                Fix(
                    "new-ids-only",
                    f"{title}; remove outputs that could belong to any of the calls",
                    tuple(Remove(edit.block) if isinstance(edit, ReplaceWithText) else edit for edit in edits),
                    loses=f"the outputs that could belong to any of the calls ({output_lines(unclear)})",
                    note=context.files_naming(id_),
                )
            )
            by_order = f"{title}; give {'the output to the first' if untold else 'late results to the nearest'} call"
            found.append(Fix("nearest", by_order, tuple(nearest), certain=False))
        return found

    calls = [pair.call for pair in pairs if pair.call is not None]
    second = later[0]
    severity: Severity | None = None
    several_answered = sum(bool(pair.results) for pair in pairs) > 1
    if context.wire == "chat" and rule == "call.duplicate_id" and several_answered:
        severity = "error"  # two tool messages with one tool_call_id are refused, even if the calls are accepted
    families = [call.call_kind for call in calls if call.call_kind]
    if len(set(families)) < len(families):
        severity = "error"  # outputs are matched by id alone: one call gets two, and the other none
    if unanswered:
        severity = "error"  # one of them has no result, whichever it is
    context.add(
        rule,
        f"{len(pairs)} calls share the id {id_}, and only one of them has a result: nothing tells which."
        if untold and len(unclear) == 1
        else f"{len(pairs)} calls share the id {id_}, so their results cannot be told apart.",
        at_call(
            second,
            pairs=pairs if untold else later,
            others=(*calls, *(result for pair in pairs for result in pair.results)),
        ),
        severity=severity,
        cause=causes.of_shared_id(context, calls, pairs),
        fixes=fixes,
        guess=bool(unclear),
    )
    return number + len(later)


def _placeholders(pairs: Iterable[Pair]) -> Iterator[Edit]:
    for pair in pairs:
        if pair.call is not None:
            yield InsertResult(pair.call, PLACEHOLDER, True)


def _refused(context: Context) -> None:
    unclear = _unclear(context)
    native = context.provider == "moonshot"
    for pair in context.pairing.pairs:
        call = pair.call
        if call is None:
            _nameless_orphan(context, pair)
            continue
        if _has_new_id(context, pair) or is_legacy(call):
            continue  # a legacy function_call has no id
        own = call.id
        others = [result.id for result in pair.results if result.id != own]
        if not usable(own) or not all(map(usable, others)):
            _empty(context, pair)
            continue
        refusal = _refusal(context, own)
        if refusal is None and others:
            # If different ids are not an error, the result's own id may be what is refused.
            refusals = (_refusal(context, id_) for id_ in dict.fromkeys(others))
            refusal = next((found for found in refusals if found is not None), None)
        if refusal is None:
            if native:
                _sanitised_native(context, pair)
        elif call.id not in unclear:
            _rename_problem(context, pair, *refusal)
        elif unclear[call.id]:
            _rename_together(context, unclear[call.id], *refusal)
            unclear[call.id] = []


def _has_new_id(context: Context, pair: Pair) -> bool:
    """Whether the recommended fix of a mismatch gives the call an accepted id."""
    return fit_of(context, pair) == "mismatch" and context.is_error("result.id_mismatch")


def _refusal(context: Context, id_: str) -> tuple[str, str, Cause] | None:
    """(rule, what is wrong, cause) of an id that the profile does not accept."""
    profile = context.profile
    if profile.id_pattern is not None and not profile.id_pattern.fullmatch(id_):
        said = f"{context.profile.title} {context.accepts_not('id.pattern')} the id {id_}: bad characters."
        return "id.pattern", said, causes.of_refused(context, id_, "id.pattern")
    too_long = profile.id_max is not None and len(id_) > profile.id_max
    if not too_long and len(id_) >= profile.id_min:
        return None
    said = (
        f"{context.profile.title} {context.accepts_not('id.length')} the id {id_}: {len(id_)} long, {_length(profile)}."
    )
    if too_long:
        return "id.length", said, causes.of_refused(context, id_, "id.length")
    return "id.length", said, causes.named("id.too_short", f"{len(id_)} characters")


def _unclear(context: Context) -> dict[str, list[Pair]]:
    """The ids with a result that could belong to any of several calls, with all calls that have them."""
    ids = {pair.call.id for pair in context.pairing.pairs if pair.ambiguous and pair.call is not None}
    found: dict[str, list[Pair]] = defaultdict(list)
    for pair in context.pairing.pairs if ids else ():
        if pair.call is not None and usable(pair.call.id) and pair.call.id in ids:
            found[pair.call.id].append(pair)
    return dict(found)


def _rename_together(context: Context, pairs: list[Pair], rule: str, text: str, cause: Cause) -> None:
    """Calls that share a refused id, renamed together: one by one, the last might get a result of another."""
    if not context.judges(rule):
        return
    first = pairs[0]
    shared = first.call.id if first.call is not None else None

    def fixes() -> tuple[Fix, ...]:
        edits: list[Edit] = []
        nearest: list[Edit] = []
        for number, pair in enumerate(pairs, 1):
            assert pair.call is not None
            new = context.new_id(pair.call.id, number, pair.call.name)
            edits.extend(_renames(pair, new, nearest=False))
            nearest.extend(_renames(pair, new))
        edits.extend(keep_as_text(result, result.name) for pair in pairs if pair.ambiguous for result in pair.results)
        note = context.note_on_new_id(shared)
        title = "give each of these calls its own id"
        return (
            Fix(
                "new-ids",
                f"{title}; keep outputs that could belong to any of the calls as text",
                tuple(edits),
                recommended=True,
                note=note,
            ),
            Fix("nearest", f"{title}; give late results to the nearest call", tuple(nearest), certain=False, note=note),
        )

    context.add(
        rule,
        text,
        at_call(
            first,
            pairs=pairs,
            others=tuple(block for pair in pairs for block in (pair.call, *pair.results) if block is not None),
        ),
        cause=cause,
        fixes=fixes,
        guess=True,
    )


def _length(profile: Profile) -> str:
    return f"{profile.id_max} required" if profile.id_min == profile.id_max else f"{profile.id_max} allowed"


def _sanitised_native(context: Context, pair: Pair) -> None:
    """One of Kimi's own ids with characters replaced: it is accepted, but the model imitates it."""
    call = pair.call
    assert call is not None
    whole = restored(call.id, call.name)
    if whole is None or pair.ambiguous or not context.judges("id.pattern"):
        return

    def fixes() -> tuple[Fix, ...] | None:
        if not context.free_id(whole):
            return None
        return (
            Fix(
                "native-id",
                f"change the id of the call and its result back to {whole}",
                tuple(_renames(pair, whole)),
                recommended=True,
                several="change the ids of the calls and their results back to Kimi's own",
                note=context.files_naming(call.id),
            ),
        )

    context.add(
        "id.pattern",
        f"The id {call.id} is Kimi's own {whole} with its characters replaced, which is reported to make its later "
        "calls go wrong.",
        at_call(pair),
        cause=causes.named("id.native_sanitised"),
        fixes=fixes,
    )


def _empty(context: Context, pair: Pair) -> None:
    assert pair.call is not None
    _rename_problem(
        context,
        pair,
        "id.empty",
        f"{context.profile.title} {context.accepts_not('id.empty')} the id of "
        f"{pair.call.name or 'this call'}: {_what(pair)}.",
        causes.named("id.empty"),
    )


def _nameless_orphan(context: Context, pair: Pair) -> None:
    """A result without an id and without a call, unless the missing call is an error anyway."""
    result = pair.result
    if result is None or usable(result.id) or context.is_error("result.orphan"):
        return
    if field_of(result, "role") == "function":
        return
    context.add(
        "id.empty",
        f"{context.profile.title} {context.accepts_not('id.empty')} this result: it has no id.",
        Where(at=pair.results_at[0], pairs=(pair,), result=result, record=result.record),
        cause=causes.named("id.empty"),
        fixes=(
            Fix(
                "keep-as-text",
                "keep the output as text",
                (keep_as_text(result, result.name),),
                recommended=True,
                note="it is tool output in a user's place: it is labelled as data",
            ),
        ),
    )


def _what(pair: Pair) -> str:
    blocks = [block for block in (pair.call, *pair.results) if block is not None and not usable(block.id)]
    return "it is empty" if any(block.id in (None, "") for block in blocks) else "it is not text"


def _rename_problem(context: Context, pair: Pair, rule: str, text: str, cause: Cause) -> None:
    call = pair.call
    assert call is not None
    if not context.judges(rule):
        return

    def fixes() -> tuple[Fix, ...]:
        new = context.new_id(call.id, name=call.name)
        found = _found_output(context, pair)
        what = "the call and its result" if pair.results else "the call"
        return (
            Fix(
                "new-id",
                f"give {what} the id {new}{', and use the real output found elsewhere' if found else ''}",
                (*_renames(pair, new), *found),
                recommended=True,
                several="give the calls and their results ids that are accepted",
                note=context.note_on_new_id(call.id),
            ),
        )

    context.add(
        rule,
        text,
        at_call(pair),
        cause=cause,
        fixes=fixes,
    )
