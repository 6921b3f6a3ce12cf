"""Records of a form to a transcript: blocks are spelled as Anthropic's, which all rules know."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, takewhile
from typing import Any, Final, cast

import orjson
from msgspec.structs import replace

from toolpair.dialects.besides import telling_keys
from toolpair.dialects.block_texts import WrittenBlock
from toolpair.dialects.foreign_media import held_media, is_held
from toolpair.dialects.media import HeldMedia, type_of
from toolpair.formats.engine.reading.view import AS_RESUMED, Item, View
from toolpair.formats.forms.compiled import INSIDE, Compiled, Rule, Slot
from toolpair.formats.forms.pairing import PAIR
from toolpair.formats.forms.paths import Key
from toolpair.formats.forms.templates import at_path
from toolpair.transcript.draft import value_at
from toolpair.transcript.model import LIFTED, Block, BlockKind, Message, Scope, Transcript

_WRAPPERS: Final = ("text", "value", "output", "error", "result", "data")
"""Keys of objects in which results say what they say."""


class FormBlock(WrittenBlock, frozen=True, eq=False):
    """A block with what its table says of it."""

    rule: Rule | None = None
    signature: str | None = None
    """What a call is signed with; empty where it could be signed and is not."""


def call(
    kind: BlockKind, record: int, slot: Slot, id_: Any, name: Any, given: Any, rule: Rule, signature: Any
) -> FormBlock:
    if type(given) is str:
        try:
            given = orjson.loads(given)
        except ValueError:
            pass
    name = name.removeprefix(rule.strip) if isinstance(name, str) and rule.strip else name
    value = {"type": "tool_use", "name": name, "input": {} if given is None else given}
    if id_ is not None:
        value["id"] = id_
    signature = signature if signature is None or isinstance(signature, str) else ""
    named = name if isinstance(name, str) else None
    return FormBlock(kind, value, record, slot, id_, named, rule=rule, signature=signature)


def result(
    kind: BlockKind,
    record: int,
    slot: Slot,
    id_: Any,
    name: Any,
    content: Any,
    failed: bool,
    rule: Rule,
    media: Any = None,
) -> FormBlock:
    apart = getattr(rule.table, "media_apart", False)
    says = (_with_media(content) if apart else None) or content_of(content)
    held = [held_media(part) for part in media if isinstance(part, dict)] if isinstance(media, list) else []
    if found := [one for one in held if one is not None]:
        says = [*([{"type": "text", "text": says}] if says and isinstance(says, str) else says), *found]
    for one in says if apart and isinstance(says, list) else ():
        if isinstance(one, HeldMedia):
            one.apart = True
    value = {"type": "tool_result", "content": says}
    if id_ is not None:
        value["tool_use_id"] = id_
    if failed:
        value["is_error"] = True
    return FormBlock(kind, value, record, slot, id_, name if isinstance(name, str) else None, failed, rule=rule)


def said(kind: str, record: int, slot: Slot, text: str) -> Block:
    if kind == "text":
        return FormBlock("text", {"type": "text", "text": text}, record, slot)
    if kind == "thinking":
        return FormBlock("thinking", {"type": "thinking", "thinking": text}, record, slot)
    if kind == "image":
        source = {"type": "base64", "media_type": type_of(text), "data": text}
        return FormBlock("media", HeldMedia.of({"type": "image", "source": source}, text), record, slot)
    return FormBlock(STEP, text, record, slot)


def other(record: int, slot: Slot, part: dict[str, Any]) -> Block:
    """A part that no table's rule is about, an image as Anthropic has it. All blocks have a type, which it may not."""
    media = held_media(part)
    if media is not None:
        return FormBlock("media", media, record, slot)
    named = isinstance(part.get("type"), str) or not part
    return FormBlock("other", part if named else {"type": f"{next(iter(part))} part", **part}, record, slot)


def content_of(content: Any) -> Any:
    """What a result says, as Anthropic's results hold it: a text, or parts that say their type."""
    if isinstance(content, str):
        return content
    if content is None:
        return ""
    if isinstance(content, list) and content and all(isinstance(part, dict) for part in content):
        if all(isinstance(part.get("type"), str) for part in content):
            return content
        texts = [_in_wrapper(part) for part in content]
        if all(isinstance(text, str) for text in texts) and all(len(part) <= 2 for part in content):
            return "\n".join(texts)
        if not any("type" in part for part in content):
            made = [
                {"type": "text", "text": text} if isinstance(text, str) else held_media(part)
                for part, text in zip(content, texts, strict=True)
            ]
            if None not in made:
                return made
    if (listed := listed_in(content)) is not None:
        return [held_media(part) or part for part in listed]
    if isinstance(content, dict) and isinstance(text := _in_wrapper(content), str):
        return text
    return json.dumps(content, ensure_ascii=False, default=str)


def _with_media(content: Any) -> list[dict[str, Any]] | None:
    """An image, or texts and images, as a library's result may be in place of a text; None for anything else."""
    parts = content if isinstance(content, list) else [content]
    made = [
        {"type": "text", "text": part}
        if isinstance(part, str)
        else held_media(part)
        if isinstance(part, dict)
        else None
        for part in parts
    ]
    known = [one for one in made if one is not None]
    return known if len(known) == len(made) and is_held(known) else None


def listed_in(content: Any) -> list[dict[str, Any]] | None:
    """The parts of an output that says of itself that it is a list of them, as the AI SDK's may."""
    parts = content.get("value") if isinstance(content, dict) and content.get("type") == "content" else None
    if not isinstance(parts, list) or not all(isinstance(one, dict) and "type" in one for one in parts):
        return None
    return parts


def _in_wrapper(value: dict[str, Any]) -> Any:
    """The text of an object that says nothing else but its type; None without one."""
    keys = [key for key in value if key != "type" and key != "kind"]
    return value[keys[0]] if len(keys) == 1 and keys[0] in _WRAPPERS else None


STEP: Final = cast(BlockKind, "step")
"""The kind of a block that only divides an element into responses: no transcript has it."""
MAKERS: Final = {"call": call, "result": result, "said": said, "other": other}


def _signed(value: Any, thinking: FormBlock) -> FormBlock:
    """Thinking with what a provider signed it with, which stands beside its text."""
    beside = value_at(value, thinking.slot[:-1])
    if not isinstance(beside, dict):
        return thinking
    told = [beside, *(one for key in _OF_PROVIDERS if isinstance(by := beside.get(key), dict) for one in by.values())]
    signed = (one.get(key) for one in told if isinstance(one, dict) for key in _SIGNATURES)
    signature = next((one for one in signed if isinstance(one, str) and one), None)
    return thinking if signature is None else replace(thinking, value={**thinking.value, "signature": signature})


_OF_PROVIDERS: Final = ("providerOptions", "providerMetadata", "provider_details")
_SIGNATURES: Final = ("signature", "thoughtSignature", "thought_signature")


_Read = tuple[Item, list[Block]]


class Reader:
    """Reads records by one table."""

    def __init__(self, compiled: Compiled) -> None:
        made = compiled.functions(MAKERS)
        self.table = compiled.table
        self._blocks: Callable[[Any, int], list[Any]] = made["blocks"]
        self._role = made["role"]
        self.skips: Callable[[Any], bool] = made["skipped"]
        """Whether an element is never sent."""
        self._group = made["group"]
        self._knows = compiled.tests["mine"]
        paths = [*map(compiled.whole, self.table.text), *(rule.at for rule in compiled.rules)]
        keys = (tuple(takewhile(lambda step: isinstance(step, Key), path)) for path in paths)
        self._looked_into = [path for path in dict.fromkeys(keys) if path]
        """The keys of an element under which something is looked for."""

    def blocks(self, value: Any, record: int) -> list[Any]:
        """The blocks of an element."""
        found = self._blocks(value, record)
        if not any(block.kind == "thinking" for block in found):
            return found
        return [_signed(value, block) if block.kind == "thinking" else block for block in found]

    def reads(self, value: dict[str, Any]) -> bool:
        """Whether it reads anything of an element, but parts that no rule is about."""
        return any(block.kind != "other" for block in self._blocks(value, 0))

    def is_unread(self, value: dict[str, Any], blocks: Sequence[Block]) -> bool:
        """Whether an element says something of which nothing is read: it is no message, nor an empty one."""
        if any(block.kind != "other" for block in blocks):
            return False
        if not self._knows(value):
            return bool(telling_keys(value))
        return not blocks and any(_holds_parts(at_path(path, value)) for path in self._looked_into)

    def is_signed_enough(self, values: Sequence[Any]) -> bool:
        """Whether all thinking is signed, if the API wants that."""
        if self.table.profile not in SIGNED:
            return True
        blocks = (block for value in values if isinstance(value, dict) for block in self.blocks(value, 0))
        return all(block.kind != "thinking" or "signature" in block.value for block in blocks)

    def role_of(self, value: Any) -> str:
        """The role of an element, as the transcript has it; one that the table does not name stays as it is."""
        role = self.own_role_of(value)
        return "user" if role == "tool" else role

    def own_role_of(self, value: Any) -> str:
        """As `role_of`, but "tool" for what tools say."""
        named = self._role(value) if isinstance(value, dict) else None
        return str(self.table.default_role if named is None else self.table.roles.get(named, named))

    def read(self, items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
        scopes: dict[int, Scope] = {}
        found: list[_Read] = []
        for item in items:
            value = item.value
            if isinstance(value, dict) and self.skips(value):
                continue
            blocks = self.blocks(value, item.uid) if isinstance(value, dict) else []
            if not isinstance(value, dict) or self.is_unread(value, blocks):
                scopes[item.uid] = "malformed"
            else:
                found.append((item, blocks))
        if self.table.shape == "item":
            messages = list(self._runs(found))
        elif self.table.group is not None and self.table.shape != "inside":
            messages = list(self._grouped(found))
        else:
            messages = list(self._messages(found))
        if self.table.profile in IN_ONE and self.table.shape in ("message", "item"):
            messages = list(_joined(messages))
        if self.table.pair:
            taken = {block.id for message in messages for block in message.blocks if isinstance(block.id, str)}
            messages = PAIR[self.table.pair](taken).paired(messages)
        return Transcript(tuple(messages), scopes=scopes)

    def _messages(self, items: Sequence[_Read]) -> Iterator[Message]:
        inside = self.table.shape == "inside"
        for item, blocks in items:
            role = self.role_of(item.value)
            if inside and role == "assistant":
                yield from _steps(blocks, item.uid)
            else:
                blocks = [block for block in blocks if block.kind != STEP]
                yield Message(role, tuple(blocks), (item.uid,), note=self._note_of(role))

    def _note_of(self, role: str) -> str | None:
        return LIFTED if role == "system" and "system" in self.table.roles.values() else None

    def _grouped(self, items: Sequence[_Read]) -> Iterator[Message]:
        """Neighbours of one role that are of one group, or of none, are one message."""
        with_groups = zip(self._messages(items), map(self._group, (item.value for item, _ in items)), strict=True)
        for (role, _), some in groupby(with_groups, lambda one: (one[0].role, one[1])):
            together = [message for message, _ in some]
            blocks = (block for message in together for block in message.blocks)
            yield Message(role, tuple(blocks), tuple(uid for message in together for uid in message.records))

    def _runs(self, items: Sequence[_Read]) -> Iterator[Message]:
        """A flat list: what the model says and calls in a row is one response, until somebody answers."""
        run: list[Block] = []
        records: list[int] = []
        group: str | None = None
        for item, blocks in items:
            role = self.role_of(item.value)
            own = self._group(item.value)
            calls = [block for block in blocks if block.kind == "call"]
            called = any(block.kind == "call" for block in run)
            goes_on = role == "assistant" and (own == group if own is not None and group is not None else True)
            if records and (not goes_on or (called and not calls and own is None)):
                yield Message("assistant", tuple(run), tuple(records))
                run, records = [], []
            if role == "assistant":
                run += blocks
                records.append(item.uid)
                group = own
            else:
                yield Message(role, tuple(blocks), (item.uid,), note=self._note_of(role))
        if records:
            yield Message("assistant", tuple(run), tuple(records))


SIGNED: Final = frozenset({"anthropic", "bedrock-converse"})
"""The profiles whose API wants a signature with each thought."""
IN_ONE: Final = frozenset({"anthropic", "bedrock-converse", "gemini"})
"""The profiles whose API takes all results of a response in one message: programs join them when they send."""


def _joined(messages: Iterable[Message]) -> Iterator[Message]:
    """The messages with neighbours that hold nothing but results as one."""
    for of_results, run in groupby(messages, lambda one: bool(one.blocks) and len(one.results) == len(one.blocks)):
        found = list(run)
        if not of_results or len(found) == 1:
            yield from found
            continue
        blocks = tuple(block for one in found for block in one.blocks)
        yield Message(found[0].role, blocks, tuple(uid for one in found for uid in one.records))


def _steps(blocks: Sequence[Block], uid: int) -> Iterator[Message]:
    """A message whose calls hold their results, as it is sent: its responses, each followed by its results."""
    response: list[Block] = []
    results: list[Block] = []

    def ended() -> Iterator[Message]:
        if response:
            yield Message("assistant", tuple(response), (uid,))
        if results:
            yield Message("user", tuple(results), (uid,))
        response.clear()
        results.clear()

    empty = True
    for block in blocks:
        if block.kind == STEP or (results and block.kind in ("text", "thinking")):
            yield from ended()
        if block.kind != STEP:
            empty = False
            (results if block.kind == "result" else response).append(block)
    if empty:
        yield Message("assistant", (), (uid,))
    yield from ended()


def own_slot(block: Block) -> Slot:
    """The place of the unit that a block is in its element."""
    return block.slot[:-1] if block.slot[-1:] == (INSIDE,) else block.slot


def _holds_parts(value: Any) -> bool:
    return isinstance(value, (str, list)) and bool(value)
