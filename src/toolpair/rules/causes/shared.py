"""Why several calls share an id, and why an id is refused."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from toolpair.rules.causes.known_causes import named
from toolpair.rules.causes.makers import maker_of
from toolpair.rules.causes.whole import given, is_counter
from toolpair.rules.problem import Cause
from toolpair.transcript.counting import plural
from toolpair.transcript.model import Block
from toolpair.transcript.pairing import Pair

_ODD: Final = re.compile(r"[^A-Za-z0-9_-]")
_SHOWN: Final = 64

if TYPE_CHECKING:
    from toolpair.rules.context import Context


def of_shared_id(context: Context, calls: list[Block], pairs: list[Pair]) -> Cause:
    id_ = str(calls[0].id)
    whole = context.whole
    together = len({pair.call_message for pair in pairs}) == 1
    crossed = _crossed(calls, pairs) if together else ""
    alike = len({(call.name, given(call)) for call in calls}) == 1
    if together and alike:
        return named("call.written_twice", f"name, input and id ({id_}) are the same")
    copies = len(whole.repeated)
    if copies > 1 and id_ in whole.repeated:
        return named("fork", f"{copies:,} calls come back with the same id, input and output")
    if is_counter(id_):
        maker = maker_of(id_)
        many = f"{whole.counters:,} ids" if whole.counters > 1 else "an id"
        evidence = f"{many} such as `{id_}` in several turns" + (f"; {crossed}" if crossed else "")
        if together:
            evidence = f"ids such as `{id_}`" + (f"; {crossed}" if crossed else "")
        return named("id.counter_restarts", evidence, maker.name if maker is not None else None)
    if alike:
        return named("call.repeated", f"name, input and id ({id_}) are the same")
    return named("id.shared", crossed or f"the inputs differ, the id ({id_}) does not")


def _crossed(calls: list[Block], pairs: list[Pair]) -> str:
    answered = [pair for pair in pairs if pair.results]
    first = next((pair for pair in pairs if pair.call is calls[0]), None)
    if not answered or first is None or min(answered, key=lambda pair: pair.results_at[0]) is first:
        return ""
    return "another call finished first: going by the id alone, its output is taken for the first call's"


def of_refused(context: Context, id_: str, rule: str) -> Cause:
    """Why the profile does not accept an id: `rule` is id.pattern or id.length."""
    maker = maker_of(id_)
    if rule == "id.length" and "|" in id_:
        call, _, item = id_.partition("|")
        return named("id.call_item_long", f"{len(call)} and {len(item)} characters, joined by `|`")
    if maker is None or context.profile.base in maker.profiles:
        if rule == "id.length":
            return named("id.too_long", f"{len(id_)} characters")
        odd = sorted({character for character in id_[:_SHOWN] if _ODD.match(character)})
        return named("id.characters", f"it has {' '.join(f'`{one}`' for one in odd)}" if odd else "")
    made = context.whole.made_by
    _, count, first = made.get(maker.name, (maker, 1, id_))
    whose = f"{plural(count, 'id')} {'looks' if count == 1 else 'look'} like {maker.name}'s, such as `{first}`"
    others = [f"{number:,} of {name}'s" for name, (_, number, _) in made.items() if name != maker.name]
    return named("provider_switch", whose + (f", next to {' and '.join(others)}" if others else ""), maker.name)
