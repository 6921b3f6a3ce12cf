"""Why a call has several results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from toolpair.dialects.block_texts import is_placeholder_text, output_key, result_text
from toolpair.rules.causes.known_causes import named
from toolpair.rules.problem import Cause
from toolpair.transcript.counting import plural
from toolpair.transcript.known_systems import Placeholder
from toolpair.transcript.model import Block
from toolpair.transcript.pairing import Pair
from toolpair.transcript.placeholders import known_placeholder

if TYPE_CHECKING:
    from toolpair.rules.context import Context


def of_duplicate(context: Context, pair: Pair) -> Cause:
    texts = [result_text(result) for result in pair.results]
    empty = [is_placeholder_text(text) for text in texts]
    if any(empty) and not all(empty):
        number = empty.index(True)
        found = known_placeholder(texts[number])
        whose = f"{found.product}'s text" if found is not None else "a known text"
        which = ", ".join(_number(n) for n, is_one in enumerate(empty) if is_one)
        cause = named("duplicate.placeholder", f"the {which} of {len(texts)} is a placeholder ({whose})")
        return _by(cause, found)
    keys = set(map(output_key, pair.results))
    if len(keys) == 1:
        doubled, answered = context.whole.doubled
        if context.whole.doubled_on_resume:
            calls = f"{doubled:,} of {plural(answered, 'answered call')}"
            evidence = f"{calls} have the same result more than once"
            return named("duplicate.on_resume", evidence, agent=context.transcript.agent)
        across = len(set(pair.result_messages)) > 1
        where = "in a later message" if across else "in the same message"
        return named("duplicate.same", f"there is a copy {where}, identical to the last character")
    return named("duplicate.differ", f"{len(keys)} different outputs, none of them a known placeholder")


def of_placeholder(result: Block) -> Cause:
    """The cause of a placeholder in the place of the real output."""
    found = known_placeholder(result_text(result))
    whose = f"the text is {found.product}'s" if found is not None else ""
    return _by(named("placeholder", whose), found)


def _by(cause: Cause, found: Placeholder | None) -> Cause:
    """The cause with the product whose placeholder it is: the text proves it."""
    return cause if found is None else replace(cause, product=found.product, link=found.link)


def _number(n: int) -> str:
    return ("first", "second", "third")[n] if n < 3 else f"{n + 1}th"
