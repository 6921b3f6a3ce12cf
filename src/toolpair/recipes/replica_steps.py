"""Building blocks for replicas of other systems: actions, each with its problem and its description."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Final

from toolpair.dialects.block_texts import is_real_output, media_of, output_bytes, output_key, result_content
from toolpair.dialects.block_values import is_bare_text, text_in, with_fields
from toolpair.dialects.item_types import OUTPUT_OF
from toolpair.dialects.openai_responses import output_family
from toolpair.recipes.recipe import DEFAULT, Options, RecipeRun, RecipeStep, S
from toolpair.rules.problem import Fix, Problem
from toolpair.transcript.counting import plural
from toolpair.transcript.edits import Edit, InsertResult, Remove, RemoveMessage, Rename, Reorder, SetValue, Spot
from toolpair.transcript.model import Block, Message, Transcript

_ORDER: Final = (SetValue, Rename, InsertResult, Reorder, Remove, RemoveMessage)
"""Order of application: places are given by the blocks there, so edits that use places go last."""
# The rules that an action can be for. Where the profile finds nothing, it is said to be for the first.
_OF_IDS: Final = ("id.pattern", "id.length", "result.id_mismatch")
_STRAY: Final = ("result.id_mismatch", "result.orphan", "result.not_adjacent", "result.duplicate")
_TWICE: Final = ("result.duplicate", "result.orphan", "result.id_mismatch")
_UNWANTED: Final = ("result.orphan", "result.duplicate", "result.id_mismatch")
_UNANSWERED: Final = ("result.missing", "turn.trailing_call", "result.not_adjacent", "result.split_over_messages")
_UNORDERED: Final = ("result.order",)


def replica(act: Callable[[ReplicaActions, Options], None]) -> RecipeRun:
    """A recipe that does in one step all that `act` asks for."""

    def run(state: S, apply: Callable[[S, Sequence[Edit]], S], options: Options = DEFAULT) -> Iterator[RecipeStep[S]]:
        actions = ReplicaActions(state.problems, state.transcript)
        act(actions, options)
        if actions.done:
            edits = [edit for _, fix in actions.done for edit in fix.edits]
            edits.sort(key=lambda edit: _ORDER.index(type(edit)))
            yield RecipeStep(tuple(actions.done), state, apply(state, edits))

    return run


class ReplicaActions:
    """What a system does to one transcript, collected before any of it is applied."""

    def __init__(self, problems: Sequence[Problem], transcript: Transcript) -> None:
        self.transcript = transcript
        self.done: list[tuple[Problem, Fix]] = []
        self._of_block: dict[int, list[Problem]] = {}
        for problem in problems:
            for block in (problem.call, problem.result, *problem.others):
                if block is not None:
                    self._of_block.setdefault(id(block), []).append(problem)

    def rename(self, block: Block, id_: str) -> None:
        """Change an id because of the id alone."""
        fix = Fix("copy-sanitize", f"rewrite the id as {id_}", (Rename(block, id_),), several="rewrite the ids")
        self._do(fix, _OF_IDS, "This id is rewritten.", block)

    def adopt(self, result: Block, call: Block) -> None:
        """Give a result the id of the call at its position."""
        fix = Fix(
            "copy-by-position",
            "give the result the id of the call at the same position",
            _with_id_of(result, call),
            note="by position alone: it may be another call's output",
        )
        self._do(fix, _STRAY, "This result does not have the id of any call that it can answer.", result)

    def remove(self, result: Block, kept: Block | None = None) -> None:
        """Remove a result; `kept` is another with its id that stays."""
        same = kept is not None and output_key(kept) == output_key(result)
        fix = Fix(
            "copy-remove-result",
            "remove the second result of the call" if kept is not None else "remove the result",
            (Remove(result),),
            loses=None if same or not is_real_output(result) else f"the output, {_size_of(result)}",
            several="remove the results",
        )
        self._do(fix, _UNWANTED if kept is None else _TWICE, "This result is removed.", result)

    def answer(
        self, call: Block, text: str, spot: Spot, where: str, *, error: bool = False, instead_of: Message | None = None
    ) -> InsertResult:
        """Insert a placeholder for the call; `instead_of` is a message that it replaces."""
        edit = InsertResult(call, text, error, spot=spot)
        gone, loses = self._taken_out(instead_of) if instead_of is not None else ((), None)
        fix = Fix("copy-placeholder", f'put "{text}" {where}', (edit, *gone), loses=loses, placeholder=True)
        self._do(fix, _UNANSWERED, "This call has no result where one is expected.", call)
        return edit

    def reorder(self, message: Message, order: Sequence[Block | InsertResult]) -> None:
        """Put results into this order, in the slots that results occupy."""
        edit = Reorder(message, "call_order", tuple(order))
        fix = Fix("copy-call-order", "put the results in the order of their calls", (edit,))
        # A result that is there already comes first: a problem that is made up is about it.
        blocks = sorted(order, key=lambda part: isinstance(part, InsertResult))
        about = [part.call if isinstance(part, InsertResult) else part for part in blocks]
        self._do(fix, _UNORDERED, "These results are not in the order of their calls.", *about)

    def _do(self, fix: Fix, rules: Sequence[str], text: str, *blocks: Block) -> None:
        """For the problem of these blocks with the earliest of these rules; any other is about something else."""
        found = [problem for block in blocks for problem in self._of_block.get(id(block), ()) if problem.rule in rules]
        problem = min(found, key=lambda problem: rules.index(problem.rule), default=None)
        self.done.append((problem or self._made(rules[0], text, blocks[0]), fix))

    def _made(self, rule: str, text: str, block: Block) -> Problem:
        """A problem for an action where the profile finds none."""
        return Problem(
            rule=rule,
            severity="info",
            own_impact="harmless",
            evidence="documented",
            text=text,
            message=self._numbers.get(id(block)),
            block=None,
            pair=None,
            record=block.record,
            call=block if block.kind == "call" else None,
            result=block if block.kind == "result" else None,
        )

    @cached_property
    def _numbers(self) -> dict[int, int]:
        """The message that each block is in."""
        messages = enumerate(self.transcript.messages)
        return {id(block): number for number, message in messages for block in message.blocks}

    def _taken_out(self, message: Message) -> tuple[tuple[Edit, ...], str | None]:
        """The edits that remove the text of a message, and what that loses."""
        if not message.blocks:
            # Results that are messages of their own leave an empty message behind; blocks fill it.
            return ((RemoveMessage(message),) if self.transcript.layout == "tool_messages" else ()), None
        words = "\n".join(text_in(block) for block in message.blocks if is_bare_text(block))
        size = len(words.encode("utf-8", "replace"))
        loses = f"what the user wrote, {plural(size, 'byte')}" if words.strip() else None
        return tuple(Remove(block) for block in message.blocks), loses


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
