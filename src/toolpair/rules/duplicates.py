"""Several results of one call: copies, and outputs that differ."""

from __future__ import annotations

from collections.abc import Sequence

from toolpair.dialects.block_texts import is_output, is_real_output, output_key, result_text
from toolpair.dialects.openai_responses import call_family, output_family
from toolpair.rules import causes
from toolpair.rules.context import Context, keep_as_text, tool_of
from toolpair.rules.pair_states import moved
from toolpair.rules.problem import Fix
from toolpair.rules.where import at_result
from toolpair.transcript.counting import plural
from toolpair.transcript.edits import Edit, MoveResult, Remove, Rename
from toolpair.transcript.id_shapes import usable
from toolpair.transcript.pairing import Pair


def duplicate(context: Context, pair: Pair) -> None:
    call = pair.call
    assert call is not None
    texts = [result_text(result) for result in pair.results]
    real = [number for number, result in enumerate(pair.results) if is_real_output(result)]
    # A tool that ran and returned nothing still says more than a placeholder.
    given = real or [number for number, result in enumerate(pair.results) if is_output(result)]
    first = _first_of_its_kind(pair, given) if given else 0
    last = given[-1] if given else len(texts) - 1
    differ = len({output_key(pair.results[number]) for number in real}) > 1
    cause = causes.of_duplicate(context, pair)
    fixes = [
        Fix(
            "keep-first",
            "keep the first real one as the result, the others as text"
            if differ
            else _dropping(pair, len(real))
            if real
            else "drop all but one",
            _keep_one(context, pair, first, as_text=True),
            recommended=True,
            several="keep the first real result of each call, others as text" if differ else "drop the copies",
        )
    ]
    if differ:
        fixes.append(
            Fix(
                "keep-last",
                "keep the last one as the result, the others as text",
                _keep_one(context, pair, last, as_text=True),
            )
        )
        fixes += [
            Fix(
                f"keep-{which}-only",
                f"keep the {which} one and drop the others",
                _keep_one(context, pair, kept, as_text=False),
                loses=plural(len(real) - 1, "other output"),
            )
            for which, kept in (("first", first), ("last", last))
        ]
    how = "they differ" if differ or len(set(texts)) > 1 else "they are the same"
    context.add(
        "result.duplicate",
        f"{tool_of(call)} has {len(texts)} results, and only one is allowed ({how}).",
        at_result(pair, pair.results[1], others=pair.results),
        cause=cause,
        fixes=fixes,
    )


def _first_of_its_kind(pair: Pair, given: Sequence[int]) -> int:
    """The first result; of copies of it the first that is of the call's kind, the only kind that an agent may send."""
    copies = [number for number in given if output_key(pair.results[number]) == output_key(pair.results[given[0]])]
    wanted = call_family(pair.call) if pair.call is not None else None
    return next((number for number in copies if output_family(pair.results[number]) == wanted), given[0])


def _dropping(pair: Pair, real: int) -> str:
    """What is dropped when `real` results are the same and the others are empty."""
    silent = [is_output(result) for result in pair.results if not is_real_output(result)]
    nothing = "empty result" if any(silent) else "placeholder"
    gone = [(real - 1, "copy", "copies"), (len(silent), nothing, f"{nothing}s")]
    return "drop " + " and ".join(f"the {one if count == 1 else many}" for count, one, many in gone if count)


def _keep_one(context: Context, pair: Pair, keep: int, *, as_text: bool) -> tuple[Edit, ...]:
    kept = pair.results[keep]
    edits: list[Edit] = []
    seen = {output_key(kept)}
    for number, result in enumerate(pair.results):
        if number == keep:
            continue
        key = output_key(result)
        if as_text and is_real_output(result) and key not in seen:
            edits.append(keep_as_text(result, tool_of(pair.call) if pair.call and pair.call.name else None))
        else:
            edits.append(Remove(result))
        seen.add(key)
    call = pair.call
    assert call is not None
    if usable(call.id) and kept.id != call.id:
        edits.append(Rename(kept, call.id))
    first_left = keep == 0 or pair.results_at[keep][0] == pair.results_at[0][0]
    if not first_left or moved(context, pair, kept, keep) is not None:
        edits.append(MoveResult(kept, call))
    return tuple(edits)
