"""Building blocks for replicas of other systems: actions, each with its problem and its description."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from toolpair.dialects.block_texts import is_real_output, media_of, output_bytes, output_key, result_content
from toolpair.dialects.block_values import is_bare_text, text_in, with_fields
from toolpair.dialects.item_types import OUTPUT_OF
from toolpair.dialects.openai_responses import output_family
from toolpair.recipes.recipe import RecipeStep, S
from toolpair.rules.problem import Fix, Problem
from toolpair.transcript.counting import plural
from toolpair.transcript.edits import (
    Edit,
    InsertResult,
    Remove,
    RemoveMessage,
    Rename,
    Reorder,
    SetValue,
    Spot,
)
from toolpair.transcript.model import Block, Message, Transcript

_ORDER: Final = (SetValue, Rename, InsertResult, Reorder, Remove, RemoveMessage)
"""Order of application: places are given by the blocks there, so edits that use places go last."""
_UNANSWERED: Final = ("result.missing", "turn.trailing_call", "result.not_adjacent", "result.split_over_messages")
_STRAY: Final = ("result.id_mismatch", "result.orphan", "result.not_adjacent", "result.duplicate")
_TWICE: Final = ("result.duplicate", "result.orphan", "result.id_mismatch")
_OF_IDS: Final = ("id.pattern", "id.length", "result.id_mismatch")


class ReplicaActions:
    """What a system does to one transcript, collected before any of it is applied."""

    def __init__(self, problems: Sequence[Problem], transcript: Transcript) -> None:
        self._of_block: dict[int, list[Problem]] = {}
        for problem in problems:
            for block in (problem.call, problem.result, *problem.others):
                if block is not None:
                    self._of_block.setdefault(id(block), []).append(problem)
        self._number: dict[int, int] = {}
        for number, message in enumerate(transcript.messages):
            for block in message.blocks:
                self._number[id(block)] = number
        self._done: list[tuple[Problem, Fix]] = []
        self._results_stand_alone = transcript.layout == "tool_messages"

    def rename(self, block: Block, id_: str) -> None:
        """Change an id because of the id alone."""
        problem = self._about(block, _OF_IDS) or self._made("id.pattern", "This id is rewritten.", block)
        fix = Fix("copy-sanitize", f"rewrite the id as {id_}", (Rename(block, id_),), several="rewrite the ids")
        self._done.append((problem, fix))

    def adopt(self, result: Block, call: Block) -> None:
        """Give a result the id of the call at its position."""
        problem = self._about(result, _STRAY) or self._made(
            "result.id_mismatch", "This result does not have the id of any call that it can answer.", result
        )
        fix = Fix(
            "copy-by-position",
            "give the result the id of the call at the same position",
            _with_id_of(result, call),
            note="by position alone: it may be another call's output",
        )
        self._done.append((problem, fix))

    def remove(self, result: Block, kept: Block | None = None) -> None:
        """Remove a result; `kept` is another with its id that stays."""
        problem = self._about(result, _TWICE) or self._made(
            "result.duplicate" if kept is not None else "result.orphan", "This result is removed.", result
        )
        same = kept is not None and output_key(kept) == output_key(result)
        fix = Fix(
            "copy-remove-result",
            "remove the second result of the call" if kept is not None else "remove the result",
            (Remove(result),),
            loses=None if same or not is_real_output(result) else f"the output, {_size_of(result)}",
            several="remove the results",
        )
        self._done.append((problem, fix))

    def answer(
        self, call: Block, text: str, spot: Spot, where: str, *, error: bool = False, instead_of: Message | None = None
    ) -> InsertResult:
        """Insert a placeholder for the call; `instead_of` is a message that it replaces."""
        edit = InsertResult(call, text, error, spot=spot)
        gone, loses = self._taken_out(instead_of) if instead_of is not None else ((), None)
        problem = self._about(call, _UNANSWERED) or self._made(
            "result.missing", "This call has no result where one is expected.", call
        )
        fix = Fix(
            "copy-placeholder",
            f'put "{text}" {where}',
            (edit, *gone),
            loses=loses,
            placeholder=True,
        )
        self._done.append((problem, fix))
        return edit

    def reorder(self, message: Message, order: Sequence[Block | InsertResult]) -> None:
        """Put results into this order, in the slots that results occupy."""
        first = next((part for part in order if isinstance(part, Block)), None)
        blocks = [part.call if isinstance(part, InsertResult) else part for part in order]
        found = (problem for block in blocks for problem in self._of_block.get(id(block), ()))
        problem = next((found for found in found if found.rule == "result.order"), None) or self._made(
            "result.order", "These results are not in the order of their calls.", first or blocks[0]
        )
        fix = Fix(
            "copy-call-order",
            "put the results in the order of their calls",
            (Reorder(message, "call_order", tuple(order)),),
        )
        self._done.append((problem, fix))

    def carried_out(self, state: S, apply: Callable[[S, Sequence[Edit]], S]) -> Iterator[RecipeStep[S]]:
        """Everything as one step; none when there is nothing to do."""
        if not self._done:
            return
        edits = [edit for _, fix in self._done for edit in fix.edits]
        edits.sort(key=lambda edit: _ORDER.index(type(edit)))
        yield RecipeStep(tuple(self._done), state, apply(state, edits))

    def _taken_out(self, message: Message) -> tuple[tuple[Edit, ...], str | None]:
        """The edits that remove the text of a message, and what that loses."""
        if not message.blocks:
            # Results that are messages of their own leave an empty message behind; blocks fill it.
            return ((RemoveMessage(message),) if self._results_stand_alone else ()), None
        words = "\n".join(text_in(block) for block in message.blocks if is_bare_text(block))
        size = len(words.encode("utf-8", "replace"))
        loses = f"what the user wrote, {plural(size, 'byte')}" if words.strip() else None
        return tuple(Remove(block) for block in message.blocks), loses

    def _about(self, block: Block, rules: Sequence[str]) -> Problem | None:
        """The block's problem with the earliest of these rules; any other problem is about something else."""
        found = [problem for problem in self._of_block.get(id(block), ()) if problem.rule in rules]
        return min(found, key=lambda problem: rules.index(problem.rule), default=None)

    def _made(self, rule: str, text: str, block: Block) -> Problem:
        """A problem for an action where the profile finds none."""
        return Problem(
            rule=rule,
            severity="info",
            impact="harmless",
            evidence="documented",
            text=text,
            message=self._number.get(id(block)),
            block=None,
            pair=None,
            record=block.record,
            call=block if block.kind == "call" else None,
            result=block if block.kind == "result" else None,
        )


def _with_id_of(result: Block, call: Block) -> tuple[Edit, ...]:
    """The edits that make `result` answer `call`; an item becomes one of the type that answers it."""
    renamed: tuple[Edit, ...] = (Rename(result, call.id),)
    if result.call_kind == call.call_kind or "tool_search" in (result.call_kind, call.call_kind):
        return renamed
    if output_family(result) is None:
        return renamed
    return (with_fields(result, type=OUTPUT_OF[call.call_kind]), *renamed)


def _size_of(result: Block) -> str:
    """How much it holds, for a sentence."""
    size = plural(output_bytes([result]), "byte")
    media = len(media_of(result_content(result)))
    return f"{size} with {plural(media, 'image or document', 'images and documents')}" if media else size
