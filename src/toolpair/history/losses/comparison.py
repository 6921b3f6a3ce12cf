"""Comparing two states of a conversation: first calls, which identify the rest, then outputs, texts and images."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Hashable, Iterable, Sequence
from functools import cached_property
from typing import Any, Final

from msgspec import Struct

from toolpair.dialects.argument_texts import said_arguments
from toolpair.dialects.block_texts import (
    argument_text,
    arguments,
    is_real_output,
    media_key,
    media_of,
    own_media,
    result_content,
    result_text,
    text_of,
    without_media,
)
from toolpair.dialects.block_values import field_of
from toolpair.dialects.media import described
from toolpair.history.checked_records import CheckedRecords
from toolpair.history.losses.assistant_texts import assistant_texts
from toolpair.history.losses.kept_texts import KeptTexts, holds_whole, well_formed
from toolpair.history.losses.loss import Crossed, Loss, Losses
from toolpair.transcript.model import KEPT_OUTPUT, Block
from toolpair.transcript.pairing import BY_ID, Pair

_NAMED: Final = re.compile(r"(?<=<tool-use-id>)[^<]*")
_CALLS: Final = ("call", "server_call", "mcp_call")
_SERVED: Final = ("server_result", "mcp_result")
_SEVERAL: Final = -2
Reached = Container[int]
"""id() of the blocks that an agent would send."""


class _Output(Struct, eq=False):
    """A real output: its call and its text."""

    block: Block
    owner: int | None
    """The number of its call among the old ones; None when no call is known, -1 for a new call."""
    text: str

    @classmethod
    def of(cls, block: Block, owner: int | None) -> _Output:
        return cls(block, owner, well_formed(_words_of(block)))


class Comparison:
    """One comparison. Everything is matched first by identity, then by content, then as text."""

    def __init__(
        self,
        before: CheckedRecords,
        after: CheckedRecords,
        reached: tuple[Reached, Reached] | None = None,
        *,
        summaries_count: bool = True,
        like: Comparison | None = None,
    ) -> None:
        """`reached`: for each state, the blocks its agent would send; by default all of them.

        `summaries_count`: what a summary replaces is not lost. `like` has compared the same two states before: its
        matching of calls is reused.
        """
        self.before = before
        self.after = after
        self._summaries_count = summaries_count
        self._reached_before: Reached | None = reached[0] if reached else None
        self._reached_after: Reached | None = reached[1] if reached else None
        self.old_calls: list[Block] = _blocks(before, _CALLS) if like is None else like.old_calls
        self.new_calls: list[Block] = _blocks(after, _CALLS) if like is None else like.new_calls
        self._like = like
        self.call_of_new: dict[int, int] = {} if like is None else like.call_of_new
        """id() of a new call -> the number of the old call that it is."""
        self.kept = KeptTexts(
            [well_formed(block.text) for block in _blocks(before, ("text",)) if _is_among(block, self._reached_before)],
            [well_formed(block.text) for block in _blocks(after, ("text",)) if _is_among(block, self._reached_after)],
        )
        self.crossed: list[Crossed] = []
        self._stays: set[tuple[str, str]] = set()
        """Old outputs that stay: the id and the text."""

    def sent(self) -> Losses:
        """Real outputs and user texts that reached the model before and no longer do."""
        if self._like is None:
            self._match_calls()
        outputs, words = self._outputs(), list(self._words())
        outputs += [lost for lost in words if lost.kind == "output"]
        return Losses(tuple(outputs), tuple(lost for lost in words if lost.kind == "words"))

    def result(self) -> Losses:
        # Calls first: they identify everything else.
        unmatched = self._match_calls()
        outputs = [*self._outputs(), *self._unsent_outputs()]
        words = list(self._words())
        outputs += [lost for lost in words if lost.kind == "output"]
        words = [lost for lost in words if lost.kind == "words"]
        calls = [lost for call in unmatched if (lost := self._lost_call(call)) is not None]
        calls += self._lost_inputs()
        images, texts = tuple(self._images()), tuple(self._texts())
        return Losses(tuple(outputs), tuple(words), images, tuple(calls), tuple(self.crossed), texts)

    # --- calls -------------------------------------------------------------------------------------------

    def _match_calls(self) -> list[Block]:
        """Match each new call to an old one; returns the old calls without a match."""
        old = dict(enumerate(self.old_calls))
        new = list(self.new_calls)
        keys: tuple[Callable[[Block], Hashable], ...] = (
            lambda call: call.piece,
            lambda call: (call.record, repr(call.id), call.name, argument_text(call)),
            lambda call: (call.record, repr(call.id), call.name),
            lambda call: (repr(call.id), call.name, argument_text(call)),
            lambda call: (call.record, repr(call.id)),
            lambda call: (call.record, call.name, argument_text(call), self._answer(call)),
            lambda call: (call.record, call.name, argument_text(call)),
            lambda call: (call.name, argument_text(call)),
            lambda call: (repr(call.id), call.name),
            argument_text,
            lambda call: call.record,
        )
        for key in keys:
            if not new or not old:
                break
            waiting: dict[Hashable, list[int]] = defaultdict(list)
            for number, call in reversed(old.items()):
                waiting[key(call)].append(number)
            left = []
            for call in new:
                found = waiting.get(key(call))
                if found:
                    self.call_of_new[id(call)] = found.pop()
                    del old[self.call_of_new[id(call)]]
                else:
                    left.append(call)
            new = left
        return list(old.values())

    def _answer(self, call: Block) -> tuple[str, ...]:
        """The text of a call's results: distinguishes calls with the same input."""
        for state in (self.before, self.after):
            found = state.pairing.pair_of(call)
            if found is not None:
                return tuple(map(result_text, found.results)) if found.evidence != "guess" else ()
        return ()

    def _lost_call(self, call: Block) -> Loss | None:
        said = well_formed(argument_text(call))
        if self._is_summed_up(call.record) or any(map(self.kept.take, _spellings(said))):
            return None
        return Loss("call", call.record, _id(call), call.name, _size(said))

    def _lost_inputs(self) -> Iterable[Loss]:
        """Calls that are still there, but without their input."""
        for call in self.new_calls:
            number = self.call_of_new.get(id(call))
            if number is None:
                continue
            old = self.old_calls[number]
            if old.piece == call.piece:
                continue
            said, now = well_formed(argument_text(old)), well_formed(argument_text(call))
            if said == now or said.strip() in ("", "{}", "null") or _holds(now, said):
                continue
            if _meant(old) != _meant(call):
                yield Loss("call", old.record, _id(old), old.name, _size(said))

    # --- outputs -----------------------------------------------------------------------------------------

    def _outputs(self) -> list[Loss]:
        old, new = self._both_outputs()
        left = self._matched(old, new, lambda output: (output.owner, output.text))
        left = self._matched(left, new, lambda output: (output.block.record, output.text))
        left = self._matched(left, new, lambda output: output.text)
        left = self._changed_in_place(left, new)
        if left:
            gone = {id(output) for output in left}
            self._stays.update((repr(output.block.id), output.text) for output in old if id(output) not in gone)
        return [
            Loss("output", output.block.record, _id(output.block), output.block.name, _size(output.text))
            for output in left
            if not (self._is_summed_up(output.block.record) or self._is_copy(output) or self.kept.take(output.text))
        ]

    def _is_copy(self, output: _Output) -> bool:
        """Whether an identical result remains: same text and same id, which no two different calls share."""
        id_ = repr(output.block.id)
        if (id_, output.text) not in self._stays or not output.block.id:
            return False
        return all(
            len({(call.name, argument_text(call)) for call in calls if repr(call.id) == id_}) <= 1
            for calls in (self.old_calls, self.new_calls)
        )

    @cached_property
    def _summarised(self) -> bool:
        """Whether a compaction takes effect that did not before."""
        if not self._summaries_count:
            return False
        old, new = (
            {boundary.record for boundary in state.transcript.boundaries if boundary.cut is None}
            for state in (self.before, self.after)
        )
        return not new <= old

    def _is_summed_up(self, record: int) -> bool:
        """Whether the record is unchanged in the file, and a compaction now replaces it."""
        return self._summarised and self.after.transcript.scopes.get(record) == "inactive"

    def _unsent_outputs(self) -> Iterable[Loss]:
        """Outputs that were in the file without being sent, and are now nowhere."""
        before = _unsent_results(self.before)
        after = [*_unsent_results(self.after), *_blocks(self.after, ("result",))] if before else []
        there = {block.piece for block in after}
        gone = [block for block in before if block.piece not in there and is_real_output(block)]
        texts = {well_formed(_words_of(block)) for block in after} if gone else set()
        for block in gone:
            text = well_formed(_words_of(block))
            if text and text not in texts and not self.kept.take(text):
                yield Loss("output", block.record, _id(block), block.name, _size(text))

    def _both_outputs(self) -> tuple[list[_Output], list[_Output]]:
        """The old and the new outputs, without those that are the same objects at the same calls."""
        number_of = {id(call): number for number, call in enumerate(self.old_calls)}
        old_owner: dict[int, int | None] = {}
        old: list[tuple[Block, int | None]] = []
        answering = {
            _item_of(result) for pair in self.before.pairing.pairs if pair.call is not None for result in pair.results
        }
        for pair in self.before.pairing.pairs:
            said: set[tuple[str, ...]] = set()
            call = pair.call if pair.evidence != "guess" else None
            for result in pair.results:
                if not _is_among(result, self._reached_before):
                    continue
                if pair.call is None and (item := _item_of(result)) is not None and item in answering:
                    continue  # the same item again
                if len(pair.results) > 1:
                    key = (result_text(result),)
                    if key in said:
                        continue
                    said.add(key)
                owner = number_of.get(id(call)) if call is not None else None
                # A list may hold one object twice: then identity does not tell its position.
                old_owner[result.piece] = _SEVERAL if result.piece in old_owner else owner
                old.append((result, owner))
        new: list[tuple[Block, int | None]] = []
        same: set[int] = set()
        for pair in self.after.pairing.pairs:
            answered = pair.call if _answers(pair) else None
            owner = None if answered is None else self.call_of_new.get(id(answered), -1)
            for result in pair.results:
                if not _is_among(result, self._reached_after):
                    continue
                value = result.piece
                if value not in same and value in old_owner and old_owner[value] == owner:
                    same.add(value)
                else:
                    new.append((result, owner))
        olds = [_Output.of(block, owner) for block, owner in old if block.piece not in same and is_real_output(block)]
        if olds:
            stays = (block for block, _ in old if block.piece in same)
            self._stays.update((repr(block.id), well_formed(_words_of(block))) for block in stays)
        news = [_Output.of(block, owner) for block, owner in new if is_real_output(block)]
        olds += [_Output.of(block, None) for block in self._served(self.before, self._reached_before)]
        news += [_Output.of(block, None) for block in self._served(self.after, self._reached_after)]
        return [output for output in olds if output.text], news

    @staticmethod
    def _served(state: CheckedRecords, reached: Reached | None) -> list[Block]:
        found = (block for block in _blocks(state, _SERVED) if _is_among(block, reached))
        return [block for block in found if block.text.strip()]

    def _matched(self, old: list[_Output], new: list[_Output], key: Callable[[_Output], Hashable]) -> list[_Output]:
        """Remove matches by `key` from `new`; returns the unmatched rest of `old`."""
        waiting: dict[Hashable, list[_Output]] = defaultdict(list)
        for output in reversed(new):
            waiting[key(output)].append(output)
        left = []
        taken: set[int] = set()
        for output in old:
            found = waiting.get(key(output))
            if not found:
                left.append(output)
                continue
            match = found.pop()
            taken.add(id(match))
            self._look_whose(output, match)
        new[:] = [output for output in new if id(output) not in taken]
        return left

    def _look_whose(self, old: _Output, new: _Output) -> None:
        if new.owner is None or new.owner == -1 or new.owner == old.owner:
            return
        belongs = None if old.owner is None else _id(self.old_calls[old.owner])
        answers = _id(self.old_calls[new.owner])
        self.crossed.append(Crossed(old.block.record, _id(old.block), belongs, answers, _size(old.text)))

    @staticmethod
    def _changed_in_place(old: list[_Output], new: list[_Output]) -> list[_Output]:
        """Those of `old` that no output of the same call contains among other text."""
        of_call: dict[int, list[_Output]] = defaultdict(list)
        for output in new:
            if output.owner is not None:
                of_call[output.owner].append(output)
        return [
            output
            for output in old
            if output.owner is None or not any(_holds(found.text, output.text) for found in of_call[output.owner])
        ]

    # --- texts and images --------------------------------------------------------------------------------

    def _words(self) -> Iterable[Loss]:
        """User texts that are lost; an output kept as text by toolpair counts as an output."""
        new = self._user_texts(self.after, self._reached_after)
        there = Counter(_nameless(well_formed(block.text)) for block in new)
        gone = []
        for block in self._user_texts(self.before, self._reached_before):
            text = well_formed(block.text)
            key = _nameless(text)
            if there[key] > 0:
                there[key] -= 1
            else:
                gone.append((block, text))
        for block, text in gone:
            if self._is_summed_up(block.record) or self.kept.take(text):
                continue
            if text.startswith(KEPT_OUTPUT):
                said = text.partition("\n")[2]
                yield Loss("output", block.record, None, None, _size(said))
            else:
                yield Loss("words", block.record, None, None, len(text.split()))

    @staticmethod
    def _user_texts(state: CheckedRecords, reached: Reached | None) -> Iterable[Block]:
        """What the user wrote, without what the agent adds in the user role: summaries, context."""
        for message in state.transcript.messages:
            if message.role == "user" and message.note is None:
                for block in message.blocks:
                    if block.kind == "text" and _is_among(block, reached) and block.text.strip():
                        yield block

    def _texts(self) -> Iterable[Loss]:
        found = assistant_texts(self.before, self.after, self.kept.take)
        return (lost for lost in found if not self._is_summed_up(lost.record))

    def _images(self) -> Iterable[Loss]:
        """Images and documents from users and outputs that are nowhere any more, or smaller where they were."""
        old, new = list(_media(self.before)), list(_media(self.after))
        shared = {id(part) for _, part in old} & {id(part) for _, part in new}
        fresh = [((block.record, media_key(part)), part) for block, part in new if id(part) not in shared]
        here, there = Counter(place for place, _ in fresh), Counter(key for (_, key), _ in fresh)
        gone: list[tuple[Block, dict[str, object], str]] = []
        for block, part in old:
            if id(part) in shared:
                continue
            place = block.record, media_key(part)
            if here[place] > 0:  # read anew
                here[place] -= 1
                there[place[1]] -= 1
            else:
                gone.append((block, part, place[1]))
        parts = dict(fresh)
        for block, part, key in gone:
            if there[key] > 0:
                there[key] -= 1
            elif not self._is_summed_up(block.record):
                left = (place for place, count in here.items() if count > 0 and place[0] == block.record)
                smaller = next((place for place in left if _is_made_of(parts[place], part)), None)
                if smaller is not None:
                    here[smaller] -= 1
                if smaller is None or not _is_same(parts[smaller], part):
                    yield Loss("image", block.record, _id(block), block.name, int(smaller is None))


def _is_same(image: dict[str, object], other: dict[str, object]) -> bool:
    """Whether two parts hold the same, however each is written."""
    one, two = described(image), described(other)
    return (one.data, one.address) == (two.data, two.address)


def _is_made_of(image: dict[str, object], larger: dict[str, object]) -> bool:
    """Whether an image can be another one made smaller: no wider or higher, and of the same shape."""
    if _is_same(image, larger):
        return True
    now, was = described(image).pixels, described(larger).pixels
    if now is None or was is None or now[0] > was[0] or now[1] > was[1]:
        return False
    return abs(now[0] * was[1] - now[1] * was[0]) <= max(was)


def _is_among(block: Block, reached: Reached | None) -> bool:
    return reached is None or id(block) in reached


def _meant(call: Block) -> Any:
    """The input of a call, whether written as an object, as a string, or as a broken text."""
    given = arguments(call)
    if not isinstance(given, str):
        return given
    import json

    try:
        return json.loads(given)
    except (ValueError, RecursionError):
        said = said_arguments(given)
        return given if said is None else said.value


def _nameless(text: str) -> str:
    """The text without the id of its call, which is renamed together with the call."""
    return _NAMED.sub("", text) if "<tool-use-id>" in text else text


def _words_of(block: Block) -> str:
    """The text of an output; its images are counted separately."""
    if block.kind != "result":
        return block.text
    return text_of(without_media(result_content(block)))


def _answers(pair: Pair) -> bool:
    return pair.call is not None and pair.evidence in BY_ID


def _blocks(state: CheckedRecords, kinds: Sequence[str]) -> list[Block]:
    return [block for message in state.transcript.messages for block in message.blocks if block.kind in kinds]


def _item_of(result: Block) -> tuple[str, str] | None:
    """What identifies an item of the Responses API: its own id, and its text."""
    id_ = field_of(result, "id")
    return (id_, result_text(result)) if isinstance(id_, str) and id_ else None


def _unsent_results(state: CheckedRecords) -> list[Block]:
    held = (*state.transcript.unreached, *state.transcript.inactive_blocks)
    return list({block.piece: block for block in held if block.kind == "result"}.values())


def _media(state: CheckedRecords) -> Iterable[tuple[Block, dict[str, object]]]:
    for message in state.transcript.messages:
        for block in message.blocks:
            if block.kind == "result":
                for part in media_of(result_content(block)):
                    yield block, part
            elif message.role == "user":
                for part in own_media(block):
                    yield block, part


def _spellings(given: str) -> Iterable[str]:
    """The spellings that a call's input may have in a text that keeps it."""
    import json

    yield given
    yield json.dumps(given, ensure_ascii=False)
    for key in ("raw_arguments", "raw_input"):
        yield json.dumps({key: given}, ensure_ascii=False)


def _holds(text: str, part: str) -> bool:
    """Whether a text contains another, literally or JSON-escaped, and not within longer words or numbers."""
    if holds_whole(text, part):
        return True
    import json

    return any(holds_whole(text, json.dumps(part, ensure_ascii=escaped)[1:-1]) for escaped in (False, True))


def _id(block: Block) -> str | None:
    return block.id if isinstance(block.id, str) or block.id is None else repr(block.id)


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
