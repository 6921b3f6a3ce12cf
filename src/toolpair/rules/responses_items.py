"""Items of the Responses API: outputs of another kind than their call, item ids, reasoning that nothing follows.

An item is a JSON object with a `type` of its own. Its `id` names the item; a call and its output are tied by `call_id`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from toolpair.rules.context import Context, call_as_text, keep_as_text, tool_of
from toolpair.rules.pair_fixes import BOTH_AS_TEXT, PLACEHOLDER_TITLE
from toolpair.rules.pair_states import kinds, of_another_kind
from toolpair.rules.problem import Cause, Fix
from toolpair.rules.rule import Rule
from toolpair.transcript.content import is_real_output, output_lines
from toolpair.transcript.edits import ABSENT, Answer, Edit, Remove, SetField, SetValue
from toolpair.transcript.item_types import OUTPUT_OF
from toolpair.transcript.model import PLACEHOLDER, Block, Message
from toolpair.transcript.pairing import Pair
from toolpair.transcript.words import plural

ITEM_PREFIXES: Final = {
    "reasoning": "rs",
    "function_call": "fc",
    "custom_tool_call": "ctc",
    "message": "msg",
}
"""How the Responses API wants the ids of these items to begin."""
_OF_THE_MODEL: Final = frozenset(
    {
        "reasoning",
        "function_call",
        "custom_tool_call",
        "local_shell_call",
        "shell_call",
        "apply_patch_call",
        "tool_search_call",
        "web_search_call",
        "file_search_call",
        "code_interpreter_call",
        "computer_call",
        "image_generation_call",
        "mcp_call",
    }
)
"""What may follow a reasoning item as that which was reasoned out; so may a message of the assistant."""


class _Item(Struct, frozen=True, eq=False):
    """One item: a block of its own, or a message (`block` None)."""

    value: dict[str, Any]
    kind: str
    at: tuple[int, int | None]
    message: Message
    block: Block | None

    @property
    def id(self) -> str | None:
        found = self.value.get("id")
        return found if isinstance(found, str) and found else None

    @property
    def noun(self) -> str:
        return self.kind.replace("_", " ") + " item"

    @property
    def record(self) -> int:
        return self.block.record if self.block is not None else self.message.records[0]

    def without_id(self) -> Edit:
        if self.block is None:
            return SetField(self.message, "id", ABSENT)
        return SetValue(self.block, {key: value for key, value in self.value.items() if key != "id"})


def check(context: Context) -> None:
    if context.written != "items":
        return
    for pair in context.pairing.pairs:
        if of_another_kind(context, pair):
            _kind(context, pair)
    judged = ("item.duplicate_id", "item.id_prefix", "reasoning.dangling")
    if not any(context.judges(rule) for rule in judged):
        return
    items = list(_items(context))
    repeated = _repeated(context, items)
    for item in items:
        if id(item) not in repeated:
            _prefix(context, item)
    _dangling(context, items)


RULES: Final = (
    Rule("result.kind", "results", check, fix_order=320),
    Rule("item.duplicate_id", "items", check, fix_order=160),
    Rule("item.id_prefix", "items", check, fix_order=160),
    Rule("reasoning.dangling", "reasoning", check),
)


def _kind(context: Context, pair: Pair) -> None:
    """An output of another kind than its call: to the API the call has none. What else is wrong is mended first."""
    call, result, differ = pair.call, pair.result, kinds(pair)
    assert call is not None and result is not None and differ is not None
    wants, _ = differ
    said = Fix(
        "placeholder-and-text",
        f"{PLACEHOLDER_TITLE} and keep the output as text",
        (Answer(call, PLACEHOLDER, True), keep_as_text(result, call.name)),
        placeholder=True,
    )
    both = Fix("both-as-text", BOTH_AS_TEXT, (call_as_text(call), keep_as_text(result, call.name)))
    gone = Fix(
        "remove-call",
        "remove the call",
        (Remove(call), Remove(result)),
        loses="its input" + (f" and its output ({output_lines([result])})" if is_real_output(result) else ""),
    )
    # An item id tells its kind by how it begins, so it does not stay.
    retyped = {key: value for key, value in result.value.items() if key != "id"} | {"type": OUTPUT_OF[wants]}
    text = isinstance(result.value.get("output"), (str, list))
    fixes = (
        (
            Fix(
                "retype",
                f"make it a {OUTPUT_OF[wants]}",
                (SetValue(result, retyped),),
                recommended=True,
                several="give the outputs the type that their calls require",
            ),
            said,
            both,
            gone,
        )
        if text and wants != "tool_search"
        else (replace(said, recommended=True), both, gone)
    )
    context.add(
        "result.kind",
        f"The output of {tool_of(call)} is a {_type(result)}, and its {_type(call)} requires a {OUTPUT_OF[wants]}.",
        at=pair.results_at[0],
        pair=pair,
        call=call,
        result=result,
        record=result.record,
        cause=Cause("result.kind", "a client used one output type for every tool"),
        fixes=fixes,
    )


def _type(block: Block) -> str:
    return str(block.value.get("type")) if isinstance(block.value, dict) else ""


def _items(context: Context) -> Iterator[_Item]:
    """The items in their order. A message's parts are not items, the message is."""
    for number, message in enumerate(context.messages):
        seen: set[int] = set()
        for position, block in enumerate(message.blocks):
            value = block.value
            if isinstance(value, dict) and isinstance(value.get("type"), str) and _is_item(value):
                yield _Item(value, value["type"], (number, position), message, block)
                seen.add(id(value))
        whole = message.value
        if isinstance(whole, dict) and whole.get("type") == "message" and id(whole) not in seen:
            yield _Item(whole, "message", (number, None), message, None)


def _is_item(value: dict[str, Any]) -> bool:
    kind = value["type"]
    return kind in _OF_THE_MODEL or kind == "message" or kind.endswith(("_call", "_output", "_call_output"))


def _repeated(context: Context, items: list[_Item]) -> set[int]:
    """Report ids that several items share. Returns id() of the items whose id the fix takes away."""
    if not context.judges("item.duplicate_id"):
        return set()
    first: dict[str, _Item] = {}
    again: dict[str, list[_Item]] = {}
    for item in items:
        if item.id is not None and first.setdefault(item.id, item) is not item:
            again.setdefault(item.id, []).append(item)
    reported: set[int] = set()
    for id_, later in again.items():
        later = [item for item in later if not _told_as_second_output(context, item)]
        if not later:
            continue
        edits: list[Edit] = []
        copies = 0
        for item in later:
            reported.add(id(item))
            if item.block is not None and _is_copy(context, first[id_], item):
                edits.append(Remove(item.block))
                copies += 1
            else:
                edits.append(item.without_id())
        if copies == len(later):
            fix = Fix("drop-copies", "drop the copies" if copies > 1 else "drop the copy", tuple(edits), True)
        else:
            fix = Fix(
                "without-item-id",
                "remove the id from the later items" if len(later) > 1 else "remove the id from the later item",
                tuple(edits),
                recommended=True,
                note="an item does not need its own id; its call_id stays",
            )
        second = later[0]
        pair = context.pairing.pair_of(second.block) if second.block is not None else None
        context.add(
            "item.duplicate_id",
            f"{plural(len(later) + 1, 'item has', 'items have')} the same id, {id_}"
            + (", and they are the same." if copies == len(later) else "."),
            at=second.at,
            pair=pair,
            call=second.block if second.block is not None and second.block.kind == "call" else None,
            result=second.block if second.block is not None and second.block.kind == "result" else None,
            about=second.message,
            others=tuple(item.block for item in (first[id_], *later) if item.block is not None),
            record=second.record,
            cause=Cause("item.duplicate", "lines were written twice, or a history was joined with a part of itself"),
            fixes=(fix,),
        )
    return reported


def _told_as_second_output(context: Context, item: _Item) -> bool:
    """Whether it is one of several outputs of one call, which is a problem of its own."""
    if item.block is None or item.block.kind != "result":
        return False
    pair = context.pairing.pair_of(item.block)
    return pair is not None and pair.call is not None and len(pair.results) > 1


def _is_copy(context: Context, first: _Item, item: _Item) -> bool:
    """Whether dropping the item loses nothing: an equal one stands before it, and no output hangs on this one alone."""
    if first.kind == "message" or not _same(first.value, item.value) or first.block is None or item.block is None:
        return False
    if item.block.kind != "call":
        return True
    own, whole = context.pairing.pair_of(item.block), context.pairing.pair_of(first.block)
    outputs = [result.value for result in whole.results] if whole is not None else []
    return own is None or all(any(_same(result.value, known) for known in outputs) for result in own.results)


_BESIDE: Final = ("metadata", "internal_chat_message_metadata_passthrough")
"""What agents write into an item that is not sent."""


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return {key: value for key, value in one.items() if key not in _BESIDE} == {
            key: value for key, value in other.items() if key not in _BESIDE
        }
    return bool(one == other)


def _prefix(context: Context, item: _Item) -> None:
    wanted, written = ITEM_PREFIXES.get(item.kind), item.value.get("id")
    if not isinstance(written, str):
        return
    limit = context.profile.id_max
    if limit is not None and len(written) > limit:
        rule, words = "id.length", f"The id of this {item.noun} is {len(written)} long, and {limit} are allowed."
    elif wanted is not None and not written.startswith(wanted):
        rule, words = "item.id_prefix", f"The id of this {item.noun}, {written}, does not start with {wanted}."
    else:
        return
    block = item.block
    pair = context.pairing.pair_of(block) if block is not None else None
    context.add(
        rule,
        words,
        at=item.at,
        pair=pair,
        call=block if block is not None and block.kind == "call" else None,
        about=item.message,
        others=(block,) if block is not None else (),
        record=item.record,
        cause=Cause("item.id_prefix", "another provider's or a proxy's id was written in place of the item's own"),
        fixes=(
            Fix(
                "without-item-id",
                "remove the item's id",
                (item.without_id(),),
                recommended=True,
                note="an item does not need its own id; its call_id stays",
                several="remove the ids of these items",
            ),
        ),
    )


def _dangling(context: Context, items: list[_Item]) -> None:
    """Reasoning with an id behind which nothing of the model's follows; at an agent's end it may come yet."""
    follows: _Item | None = None
    for item in reversed(items):
        if item.kind != "reasoning":
            follows = item
            continue
        if item.id is None or item.block is None or (follows is None and context.transcript.native):
            continue
        if follows is not None and (
            follows.kind in _OF_THE_MODEL or (follows.kind == "message" and follows.value.get("role") == "assistant")
        ):
            continue
        sealed = bool(item.value.get("encrypted_content"))
        removal = Fix(
            "remove-thinking",
            "remove the reasoning",
            (Remove(item.block),),
            recommended=not sealed,
            loses="the model's reasoning at this place",
        )
        nameless = Fix(
            "without-item-id", "remove its id, and keep the reasoning", (item.without_id(),), recommended=True
        )
        context.add(
            "reasoning.dangling",
            "What the model wrote after this reasoning is gone.",
            at=item.at,
            about=item.message,
            others=(item.block,),
            record=item.record,
            severity="warning" if sealed else None,
            cause=Cause("reasoning_dangling", "the call or the text that it led to was removed or given another id"),
            fixes=(nameless, removal) if sealed else (removal,),
        )
