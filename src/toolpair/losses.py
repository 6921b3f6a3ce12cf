"""What is gone from one state of a conversation to another: measured, whatever fixes say.

Of what is sent, and of outputs that the file holds without their being sent.

By content, and as often as it occurs: of two outputs that say the same, one may be gone. An output that became a
labelled text is not gone. A result that says only that there is none, toolpair's or another system's, is no output.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Final, Literal

from toolpair.conversation import Judged
from toolpair.dataclass import dataclass
from toolpair.kept_text import KeptTexts, plain
from toolpair.transcript.content import (
    MEDIA,
    argument_text,
    block_text,
    is_real_output,
    media_key,
    media_of,
    result_content,
    result_text,
    text_of,
)
from toolpair.transcript.model import KEPT_OUTPUT, Block
from toolpair.transcript.pairing import Pair
from toolpair.transcript.words import plural

_NAMED: Final = re.compile(r"(?<=<tool-use-id>)[^<]*")
_CALLS: Final = ("call", "server_call", "mcp_call")
_SERVED: Final = ("server_result", "mcp_result")
_SEVERAL: Final = -2
_BY_ID: Final = ("exact", "late", "early", "copy")


@dataclass(frozen=True, slots=True)
class Lost:
    """Something real that is gone. `size` is in bytes of UTF-8, of words their number, of an image 1."""

    kind: Literal["output", "words", "image", "call"]
    record: int
    """uid of the record that it stood in."""
    id: str | None
    tool: str | None
    size: int


@dataclass(frozen=True, slots=True)
class Crossed:
    """An output that stands as the answer of another call than its own. Ids are those of before."""

    record: int
    result_id: str | None
    belongs_to: str | None
    """The id of the call that it was the output of; None where its id named no call."""
    answers: str | None
    size: int


@dataclass(frozen=True, slots=True)
class Losses:
    """All that is gone. False when nothing is."""

    outputs: tuple[Lost, ...] = ()
    words: tuple[Lost, ...] = ()
    images: tuple[Lost, ...] = ()
    calls: tuple[Lost, ...] = ()
    crossed: tuple[Crossed, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.outputs or self.words or self.images or self.calls or self.crossed)

    def __add__(self, other: Losses) -> Losses:
        return Losses(
            self.outputs + other.outputs,
            self.words + other.words,
            self.images + other.images,
            self.calls + other.calls,
            self.crossed + other.crossed,
        )

    @property
    def output_bytes(self) -> int:
        return sum(lost.size for lost in self.outputs)

    @property
    def user_words(self) -> int:
        return sum(lost.size for lost in self.words)

    @property
    def input_bytes(self) -> int:
        return sum(lost.size for lost in self.calls)

    @property
    def text(self) -> str | None:
        """ "2 outputs (134 bytes), 12 words of the user"; None when nothing is gone."""
        parts = []
        if self.outputs:
            parts.append(f"{plural(len(self.outputs), 'output')} ({plural(self.output_bytes, 'byte')})")
        if self.words:
            parts.append(f"{plural(self.user_words, 'word')} from the user")
        if self.images:
            parts.append(plural(len(self.images), "image"))
        if self.calls:
            parts.append(f"{plural(len(self.calls), 'call')} with {plural(self.input_bytes, 'byte')} of input")
        if self.crossed:
            parts.append(f"{plural(len(self.crossed), 'output')} given to another call")
        return ", ".join(parts) or None


NOTHING: Final = Losses()


def losses(before: Judged, after: Judged) -> Losses:
    """What of `before` is gone in `after`. Linear in what both hold; what they share is not read."""
    return NOTHING if before is after or before.transcript is after.transcript else _Comparison(before, after).result()


@dataclass(slots=True, eq=False)
class _Output:
    """A real output: whose it is, and what it says."""

    block: Block
    owner: int | None
    """The number of its call among those of before; None when no call is known, -1 for a call that is new."""
    text: str

    @classmethod
    def of(cls, block: Block, owner: int | None) -> _Output:
        return cls(block, owner, plain(_words_of(block)))


class _Comparison:
    """One comparison. Everything is matched first with what is surely the same, then by content, then as text."""

    def __init__(self, before: Judged, after: Judged) -> None:
        self.before = before
        self.after = after
        self.old_calls = _blocks(before, _CALLS)
        self.new_calls = _blocks(after, _CALLS)
        self.call_of_new: dict[int, int] = {}
        """id() of a call of after -> the number of the call of before that it is."""
        self.kept = KeptTexts(
            [plain(block_text(block)) for block in _blocks(before, ("text",))],
            [plain(block_text(block)) for block in _blocks(after, ("text",))],
        )
        self.crossed: list[Crossed] = []

    def result(self) -> Losses:
        # Calls first: the others are told apart by them.
        unmatched = self._match_calls()
        outputs = [*self._outputs(), *self._unsent_outputs()]
        words = list(self._words())
        outputs += [lost for lost in words if lost.kind == "output"]
        words = [lost for lost in words if lost.kind == "words"]
        calls = [lost for call in unmatched if (lost := self._lost_call(call)) is not None]
        calls += self._lost_inputs()
        return Losses(tuple(outputs), tuple(words), tuple(self._images()), tuple(calls), tuple(self.crossed))

    # --- calls -------------------------------------------------------------------------------------------

    def _match_calls(self) -> list[Block]:
        """Find each call of after among those of before; gives back those of before that are not found."""
        old = dict(enumerate(self.old_calls))
        new = list(self.new_calls)
        keys: tuple[Callable[[Block], Hashable], ...] = (
            lambda call: id(call.value),
            lambda call: (call.record, repr(call.id), call.name, argument_text(call)),
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
        """What the results of a call say: it tells calls with the same input apart."""
        for state in (self.before, self.after):
            found = state.judgement.pairing.pair_of(call)
            if found is not None:
                return tuple(map(result_text, found.results)) if found.evidence != "guess" else ()
        return ()

    def _lost_call(self, call: Block) -> Lost | None:
        said = plain(argument_text(call))
        if any(map(self.kept.take, _spellings(said))):
            return None
        return Lost("call", call.record, _id(call), call.name, _size(said))

    def _lost_inputs(self) -> Iterable[Lost]:
        """Calls that are still there, but not with what they were given."""
        for call in self.new_calls:
            number = self.call_of_new.get(id(call))
            if number is None:
                continue
            old = self.old_calls[number]
            if old.value is call.value:
                continue
            said, now = plain(argument_text(old)), plain(argument_text(call))
            if said != now and said.strip() not in ("", "{}", "null") and not _holds(now, said):
                yield Lost("call", old.record, _id(old), old.name, _size(said))

    # --- outputs -----------------------------------------------------------------------------------------

    def _outputs(self) -> list[Lost]:
        old, new = self._both_outputs()
        left = self._matched(old, new, lambda output: (output.owner, output.text))
        left = self._matched(left, new, lambda output: (output.block.record, output.text))
        left = self._matched(left, new, lambda output: output.text)
        left = self._changed_in_place(left, new)
        return [
            Lost("output", output.block.record, _id(output.block), output.block.name, _size(output.text))
            for output in left
            if not self.kept.take(output.text)
        ]

    def _unsent_outputs(self) -> Iterable[Lost]:
        """Outputs that were in the file without being sent, and now stand nowhere."""
        before = _unsent_results(self.before)
        after = [*_unsent_results(self.after), *_blocks(self.after, ("result",))] if before else []
        there = {id(block.value) for block in after}
        gone = [block for block in before if id(block.value) not in there and is_real_output(block)]
        texts = {plain(_words_of(block)) for block in after} if gone else set()
        for block in gone:
            text = plain(_words_of(block))
            if text and text not in texts and not self.kept.take(text):
                yield Lost("output", block.record, _id(block), block.name, _size(text))

    def _both_outputs(self) -> tuple[list[_Output], list[_Output]]:
        """The outputs of before and of after; those that are the same objects at the same calls are left out."""
        number_of = {id(call): number for number, call in enumerate(self.old_calls)}
        old_owner: dict[int, int | None] = {}
        old: list[tuple[Block, int | None]] = []
        answering = {_item_of(result) for pair in self.before.pairs if pair.call is not None for result in pair.results}
        for pair in self.before.pairs:
            said: set[tuple[str, ...]] = set()
            call = pair.call if pair.evidence != "guess" else None
            for result in pair.results:
                if pair.call is None and (item := _item_of(result)) is not None and item in answering:
                    continue  # the same item once more
                if len(pair.results) > 1:
                    key = (result_text(result),)
                    if key in said:
                        continue
                    said.add(key)
                owner = number_of.get(id(call)) if call is not None else None
                # A list may hold one object twice: then it does not tell where it stood.
                old_owner[id(result.value)] = _SEVERAL if id(result.value) in old_owner else owner
                old.append((result, owner))
        new: list[tuple[Block, int | None]] = []
        same: set[int] = set()
        for pair in self.after.pairs:
            answered = pair.call if _answers(pair) else None
            owner = None if answered is None else self.call_of_new.get(id(answered), -1)
            for result in pair.results:
                value = id(result.value)
                if value not in same and value in old_owner and old_owner[value] == owner:
                    same.add(value)
                else:
                    new.append((result, owner))
        olds = [
            _Output.of(block, owner) for block, owner in old if id(block.value) not in same and is_real_output(block)
        ]
        news = [_Output.of(block, owner) for block, owner in new if is_real_output(block)]
        olds += [_Output.of(block, None) for block in self._served(self.before)]
        news += [_Output.of(block, None) for block in self._served(self.after)]
        return [output for output in olds if output.text], news

    @staticmethod
    def _served(state: Judged) -> list[Block]:
        return [block for block in _blocks(state, _SERVED) if block_text(block).strip()]

    def _matched(self, old: list[_Output], new: list[_Output], key: Callable[[_Output], Hashable]) -> list[_Output]:
        """Take out of `new` what is the same by `key`; gives back what of `old` is left."""
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
        """What of `old` no output of the same call holds, beside other words."""
        of_call: dict[int, list[_Output]] = defaultdict(list)
        for output in new:
            if output.owner is not None:
                of_call[output.owner].append(output)
        return [
            output
            for output in old
            if output.owner is None or not any(_holds(found.text, output.text) for found in of_call[output.owner])
        ]

    # --- words and images --------------------------------------------------------------------------------

    def _words(self) -> Iterable[Lost]:
        """Texts of the user that are gone; what toolpair kept of an output is an output."""
        there = Counter(_nameless(plain(block_text(block))) for block in self._user_texts(self.after))
        gone = []
        for block in self._user_texts(self.before):
            text = plain(block_text(block))
            key = _nameless(text)
            if there[key] > 0:
                there[key] -= 1
            else:
                gone.append((block, text))
        for block, text in gone:
            if self.kept.take(text):
                continue
            if text.startswith(KEPT_OUTPUT):
                said = text.partition("\n")[2]
                yield Lost("output", block.record, None, None, _size(said))
            else:
                yield Lost("words", block.record, None, None, len(text.split()))

    @staticmethod
    def _user_texts(state: Judged) -> Iterable[Block]:
        for message in state.transcript.messages:
            if message.role == "user":
                for block in message.blocks:
                    if block.kind == "text" and block_text(block).strip():
                        yield block

    def _images(self) -> Iterable[Lost]:
        """Images and documents of users and outputs that stand nowhere any more."""
        old, new = list(_media(self.before)), list(_media(self.after))
        shared = {id(part) for _, part in old} & {id(part) for _, part in new}
        there = Counter(media_key(part) for _, part in new if id(part) not in shared)
        for block, part in old:
            if id(part) in shared:
                continue
            key = media_key(part)
            if there[key] > 0:
                there[key] -= 1
            else:
                yield Lost("image", block.record, _id(block), block.name, 1)


def _nameless(text: str) -> str:
    """The text without the id of a call that it is about, which is renamed with the call."""
    return _NAMED.sub("", text) if "<tool-use-id>" in text else text


def _words_of(block: Block) -> str:
    """What an output says; its images are counted by themselves."""
    if block.kind != "result":
        return block_text(block)
    content = result_content(block)
    if isinstance(content, list):
        media = {id(part) for part in media_of(content)}
        content = [part for part in content if id(part) not in media]
    return text_of(content)


def _answers(pair: Pair) -> bool:
    return pair.call is not None and pair.evidence in _BY_ID


def _blocks(state: Judged, kinds: Sequence[str]) -> list[Block]:
    return [block for message in state.transcript.messages for block in message.blocks if block.kind in kinds]


def _item_of(result: Block) -> tuple[str, str] | None:
    """What tells an item of the Responses API from any other: its own id, and what it says."""
    id_ = result.value.get("id") if isinstance(result.value, dict) else None
    return (id_, result_text(result)) if isinstance(id_, str) and id_ else None


def _unsent_results(state: Judged) -> list[Block]:
    held = (*state.transcript.unreached, *state.transcript.inactive_blocks)
    return list({id(block.value): block for block in held if block.kind == "result"}.values())


def _media(state: Judged) -> Iterable[tuple[Block, dict[str, object]]]:
    for message in state.transcript.messages:
        for block in message.blocks:
            if block.kind == "result":
                for part in media_of(result_content(block)):
                    yield block, part
            elif message.role == "user" and isinstance(block.value, dict) and block.value.get("type") in MEDIA:
                yield block, block.value


def _spellings(given: str) -> Iterable[str]:
    """How the input of a call may be written in a text that keeps it."""
    import json

    yield given
    yield json.dumps(given, ensure_ascii=False)
    for key in ("raw_arguments", "raw_input"):
        yield json.dumps({key: given}, ensure_ascii=False)


def _holds(text: str, part: str) -> bool:
    """Whether a text holds another, as it is or as JSON would write it."""
    if part in text:
        return True
    import json

    return any(json.dumps(part, ensure_ascii=escaped)[1:-1] in text for escaped in (False, True))


def _id(block: Block) -> str | None:
    return block.id if isinstance(block.id, str) or block.id is None else repr(block.id)


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
