"""Cache marks (`cache_control`): more than the API takes. Only its answer shows that: some are not in the file."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from toolpair.dialects.anthropic import cache_marked, without_cache_marks
from toolpair.rules.context import Context
from toolpair.rules.problem import Cause, Fix
from toolpair.rules.where import NamedPlace, Where
from toolpair.transcript.counting import plural
from toolpair.transcript.model import Block

_KEPT: Final = 2
"""How many marks stay, the last ones: they cover the most of the conversation. Four are allowed, and agents put one or
two on the system prompt and the tools, which are not in the file."""


def named(context: Context, place: NamedPlace) -> None:
    marked = [
        (number, message, block)
        for number, message in enumerate(context.messages)
        for block in message.blocks
        if cache_marked(block)
    ]
    if not marked:
        return
    number, message, block = marked[0]
    blocks = [block for _, _, block in marked]
    fixes = [_unmark("remove-all-cache-marks", "remove all cache marks", blocks)]
    if len(blocks) > 1:
        kept = min(_KEPT, len(blocks) - 1)
        title = f"remove all cache marks but the last {'two' if kept == _KEPT else 'one'}"
        fixes.insert(0, _unmark("remove-cache-marks", title, blocks[:-kept]))
    context.add(
        "content.too_many_cache_marks",
        f"This conversation has {plural(len(blocks), 'cache mark')}, and its system prompt and tools may have more.",
        Where(at=(number, message.blocks.index(block)), others=tuple(blocks), about=message, record=block.record),
        severity="error",
        cause=Cause("cache_marks", "each turn added a mark, and no older one was removed"),
        fixes=(replace(fixes[0], recommended=True), *fixes[1:]),
    )


def _unmark(id_: str, title: str, blocks: Iterable[Block]) -> Fix:
    note = "a mark says nothing to the model; it makes the next request cheaper"
    return Fix(id_, title, tuple(map(without_cache_marks, blocks)), note=note)
