"""Edits to records of a form: the shared drafters carry them out on blocks that are spelled as Anthropic's, and what
they made is spelled by the table again.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import takewhile
from typing import Any, Final

from msgspec.structs import replace

from toolpair.dialects.anthropic_writer import AnthropicWriter
from toolpair.dialects.block_texts import media_of, text_of
from toolpair.dialects.block_values import THOUGHT_SIGNATURE
from toolpair.dialects.foreign_media import is_held, spelled
from toolpair.dialects.media import HeldMedia
from toolpair.formats.engine.reading.view import Item
from toolpair.formats.engine.writing.drafts.as_messages import ResultsAsMessages
from toolpair.formats.engine.writing.drafts.drafter import Drafter, home_of
from toolpair.formats.engine.writing.drafts.in_messages import ResultsInMessages
from toolpair.formats.engine.writing.linear import Linear, with_slots
from toolpair.formats.forms.compiled import KEY_OF, Compiled, Rule, Slot
from toolpair.formats.forms.paths import Each, Path, path_of
from toolpair.formats.forms.reading import FormBlock, Reader, content_of, listed_in, own_slot
from toolpair.formats.forms.table import template
from toolpair.formats.forms.templates import Filling, part_from, place_of
from toolpair.transcript.draft import DraftBlock, DraftMessage, value_at
from toolpair.transcript.edits import ABSENT, InsertResult, Spot
from toolpair.transcript.model import Block, Message, Transcript

_Later = Callable[[Any], Any]
"""Makes a new element when it is known what stands beside it."""
_NAMED: Final = uuid.UUID("6f1f9a52-6a5e-4d53-8f6e-0f1d7c1b2a90")


class FormWriter(AnthropicWriter):
    """Spells blocks by a table."""

    words_stay_in_record = False

    def __init__(self, compiled: Compiled, reader: Reader) -> None:
        self.compiled = compiled
        self.table = compiled.table
        self.reader = reader
        self.results_are_messages = self.table.shape in ("message", "item")
        self.into = compiled.meets(self.table.new.into)
        self.given: dict[int, InsertResult] = {}
        """id() of a call's block -> the result that it gets, where results are in calls."""
        self._made: dict[int, Any] = {}
        """id() of a new result's block -> what is written for it."""
        self._count = 0
        self._finders: dict[Path, Callable[[Any], Iterator[tuple[Slot, Any]]]] = {}
        self.templates = {
            name: template(getattr(self.table.new, name)) for name in ("result", "message", "text", "said")
        }

    # --- new ---------------------------------------------------------------------------------------------

    def result(self, call: DraftBlock, content: Any, is_error: bool, id_: str | None) -> DraftBlock:
        made = super().result(call, content, is_error, id_)
        raw = self._filling(call, content, is_error, id_).fill(self.templates["result"])
        if self.results_are_messages:
            made.value = raw
        else:
            self._made[id(made)] = made, raw
        return made

    def _filling(self, call: DraftBlock, content: Any, is_error: bool, id_: str | None = None) -> Filling:
        source = call.source
        named = id_ is not None or (isinstance(call.value, dict) and "id" in call.value)
        filling = self.filling(home_of(call).record, text_of(content))
        filling.id = (id_ or call.id) if named else None  # one that only stands for a missing id is not written
        filling.name = source.name if source is not None else None
        filling.is_error = is_error
        return filling

    def filling(self, beside: Any, text: Any = "") -> Filling:
        self._count += 1
        new = uuid.uuid5(_NAMED, f"{self._count} {text}")
        return Filling(beside, text=text, new=str(new), results=[], number=self._count)

    def holder(self, role: str) -> Any:
        kind = "message" if role == "user" and self.templates["message"] is not None else "text"
        return self._of_role(role, kind, "")

    def message(self, role: str, content: str | list[Any]) -> Any:
        lists = any(map(_leads_into_list, map(self.compiled.whole, self.table.text)))
        if lists and isinstance(content, list) and is_held(content):
            return partial(self._with_media, role, spelled(content))
        return self._of_role(role, "text", content if media_of(content) else text_of(content))

    def _with_media(self, role: str, parts: list[Any], beside: Any) -> Any:
        made = self._of_role(role, "text", "")(beside)
        path = next(path for path in map(self.compiled.whole, self.table.text) if _leads_into_list(path))
        return with_slots(made, {_head(path, made): parts})

    def _of_role(self, role: str, kind: str, text: Any) -> Any:
        kind = "said" if role == "assistant" and self.templates["said"] is not None else kind
        return lambda beside: self.with_role(self.filling(beside, text).fill(self.templates[kind]), role)

    def words(self, result: Any, content: str | list[Any]) -> Any:
        return self.message("user", content)

    def with_role(self, value: Any, role: str) -> Any:
        """An element with the role that the table calls so."""
        if self.reader.role_of(value) == role:
            return value
        name = next((name for name, known in self.table.roles.items() if known == role), None)
        slot = place_of(self.compiled.whole(self.table.role[0]), value)
        return value if name is None or slot is None else with_slots(value, {slot: name})

    def takes_words(self, value: Any) -> bool:
        """Whether a user's new text may stand in this element, too."""
        words = self._of_role("user", "text", "")(value)
        slots = (place_of(self.compiled.whole(path), words) for path in self.table.role)
        return all(slot is None or value_at(words, slot) == value_at(value, slot) for slot in slots)

    # --- an element --------------------------------------------------------------------------------------

    def complete(self, value: Any, known: Sequence[DraftBlock]) -> Sequence[DraftBlock]:
        """Parts of the element's lists that the transcript leaves out keep their places."""
        there = {_part(own_slot(block.source)) for block in known if block.source is not None}
        made = list(known)
        for block in self.reader.blocks(value, 0):
            slot = _part(own_slot(block))
            if slot not in there and slot and isinstance(slot[-1], int):
                there.add(slot)
                made.append(DraftBlock("other", value_at(value, slot), None, slot))
        made.sort(key=lambda block: [part for part in block.slot or () if isinstance(part, int)][:1])
        return made

    def with_blocks(self, value: Any, blocks: Iterable[DraftBlock]) -> Any:
        return _Element(self, value, list(blocks)).written()

    def places(self, path: Path, value: Any) -> list[tuple[Slot, Any]]:
        if path not in self._finders:
            self._finders[path] = self.compiled.finder(path)
        return list(self._finders[path](value))

    def raw_of(self, block: DraftBlock) -> Any:
        """What is written for a new result's block; None for any other."""
        return self._made[id(block)][1] if id(block) in self._made else None

    def changes(self, block: DraftBlock, unit: Any) -> Mapping[Slot, Any]:
        """Where in its unit an edited block differs from what was read of it."""
        source = block.source
        rule = source.rule if isinstance(source, FormBlock) else None
        if source is None or not isinstance(block.value, dict):
            return {}
        if rule is None:
            text = block.value.get(block.kind if block.kind == "thinking" else "text")
            return {(): text} if block.value is not source.value and text is not None else {}
        made: dict[Slot, Any] = {}
        if block.id != source.id:
            made |= _set(rule.id, unit, block.id)
        if block.value is not source.value:
            was = source.value if isinstance(source.value, dict) else {}
            if block.value.get("name") is not was.get("name"):
                made |= _set(rule.name, unit, rule.strip + str(block.value.get("name")))
            if THOUGHT_SIGNATURE in block.value:
                made |= _set(rule.signature, unit, block.value[THOUGHT_SIGNATURE])
            if "input" in was and block.value.get("input") is not was["input"]:
                made |= _set(rule.content, unit, self._arguments(rule, unit, block.value.get("input")))
            if was.get("is_error") is True and block.value.get("is_error") is not True:
                made |= self._without_error(rule, unit)
            if "content" in was and block.value.get("content") is not was["content"]:
                made |= self._said_by(block, rule, unit, was["content"])
        if (edit := self.given.get(id(block))) is not None:
            made |= self._filled(block, unit, edit)
        return made

    def _arguments(self, rule: Rule, unit: Any, given: Any) -> Any:
        slot = _place(rule.content, unit)
        written = (
            isinstance(value_at(unit, slot), str)
            if slot is not None and value_at(unit, slot) is not None
            else (getattr(rule.table, "arguments_are", "any") == "text")
        )
        return json.dumps(given, ensure_ascii=False) if written and not isinstance(given, str) else given

    def _without_error(self, rule: Rule, unit: Any) -> Mapping[Slot, Any]:
        """Without the fields by whose value its table tells an error."""
        conditions = (one.partition("=") for one in getattr(rule.table, "error", ()))
        places = (place_of(path_of(path), unit) for path, told, _ in conditions if told)
        return {place: ABSENT for place in places if place and value_at(unit, place) is not None}

    def _said_by(self, block: DraftBlock, rule: Rule, unit: Any, was: Any) -> Mapping[Slot, Any]:
        """What a result says now; its media where the table has them beside it."""
        content = block.value.get("content")
        if not rule.media or not is_held(was) or not isinstance(content, list):
            return self._at_content(rule, unit, self._content(block, rule, unit, content))
        texts, held = _apart(content)
        texts_before, held_before = _apart(was)
        made: dict[Slot, Any] = {}
        if texts != texts_before:
            made |= self._at_content(rule, unit, self._content(block, rule, unit, text_of(texts)))
        place = _place(rule.media, unit)
        listed = value_at(with_slots(unit, made) if made else unit, place or ())
        if place is None or not isinstance(listed, list):
            return made
        kept = _with_left(listed, held_before, held)
        return {slot: new for slot, new in made.items() if slot[: len(place)] != place} | {place: kept or ABSENT}

    def _at_content(self, rule: Rule, unit: Any, said: Any) -> dict[Slot, Any]:
        """What a result says, at its place; in a list, in the first part that says it, or in a new one."""
        if not rule.content or _place(rule.content, unit) is not None:
            return _set(rule.content, unit, said)
        found = next((slot for path in rule.content for slot, _ in self.places(path, unit)), None)
        if found is not None:
            return {found: said}
        where = _head(rule.content[0], unit)
        return {where: [part_from(rule.content[0], said), *(value_at(unit, where) or ())]}

    def _content(self, block: DraftBlock, rule: Rule, unit: Any, content: Any) -> Any:
        """A result's content, spelled as that of a new result is, or as a list where it is one."""
        was: Any = None if (slot := _place(rule.content, unit)) is None else value_at(unit, slot)
        if listed_in(was) is not None and isinstance(content, list):
            return {**was, "value": [part.raw if isinstance(part, HeldMedia) else part for part in content]}
        if isinstance(was, list) and was and content_of(was) is was:  # its parts are written as they are read
            return content if isinstance(content, list) else [{"type": "text", "text": text_of(content)}]
        failed = block.value.get("is_error") is True

        def like(text: Any) -> Any:
            """As a new result says this."""
            if self.templates["result"] is None:
                return text
            filling = Filling(id=block.id, name="", text=text, is_error=failed)
            made = filling.fill(self.templates["result"])
            units = [unit for _, unit in self.places(rule.at, made)] if self.results_are_messages else [made]
            slot = _place(rule.content, units[0]) if units else None
            return text if slot is None else value_at(units[0], slot)

        if not is_held(content):
            return like(content if media_of(content) else text_of(content))
        parts: list[Any] = []
        for part in content:
            said = part.raw if isinstance(part, HeldMedia) else like(part.get("text"))
            parts += said if isinstance(said, list) else [said]
        return parts

    def _filled(self, call: DraftBlock, unit: Any, edit: InsertResult) -> Mapping[Slot, Any]:
        filling = self._filling(call, edit.content, edit.is_error, edit.id)
        new = self.table.new
        filled = filling.fill(new.fill)
        made = {slot: value for path, value in filled.items() if (slot := place_of(path_of(path), unit)) is not None}
        gone = {slot: ABSENT for path in new.drop if (slot := place_of(path_of(path), unit))}
        return {**gone, **made}


class _Element:
    """One element, and the blocks that it is to have."""

    def __init__(self, writer: FormWriter, value: Any, blocks: list[DraftBlock]) -> None:
        self.writer = writer
        self.value = value
        self.blocks = blocks
        self.read: list[FormBlock] = writer.reader.blocks(value, 0) if isinstance(value, dict) else []
        self.own = {own_slot(block): block for block in self.read if not (block.rule and block.rule.inside)}
        self.inside = {self._slot(block): block for block in blocks if self._is_inside(block)}

    def written(self) -> Any:
        found = [block for block in self.blocks if not self._is_inside(block)]
        if self.writer.results_are_messages and [block.kind for block in found] == ["result"] and not found[0].source:
            return found[0].value
        here = {self._slot(block) for block in found if self._is_own(block)}
        gone = [block for slot, block in self.own.items() if slot not in here]
        if self._stops_calling(found, gone):
            return self._said(found)
        lists = self._lists(found)
        changes: dict[Slot, Any] = {}
        for block in found:
            slot = self._slot(block)
            if self._is_own(block) and slot is not None and not _is_in_list(slot):
                inner = self.writer.changes(block, value_at(self.value, slot))
                changes |= {(*slot, *place): part for place, part in inner.items()}
        changes |= self._without(gone, lists)
        made = with_slots(self.value, {**changes, **lists}) if changes or lists else self.value
        return self._copies(made, found, gone)

    def _is_inside(self, block: DraftBlock) -> bool:
        rule = block.source.rule if isinstance(block.source, FormBlock) else None
        return rule is not None and rule.inside

    def _slot(self, block: DraftBlock) -> Slot | None:
        return block.slot if block.source is None else own_slot(block.source)

    def _is_own(self, block: DraftBlock) -> bool:
        """Whether it stood in this element before the edits."""
        slot = self._slot(block)
        if slot is None or block.slot is None:
            return False
        return value_at(self.value, slot) is (block.value if block.source is None else block.written)

    # --- lists -------------------------------------------------------------------------------------------

    def _lists(self, found: Sequence[DraftBlock]) -> dict[Slot, Any]:
        """The lists of blocks that are others now, and texts that something was added to."""
        parts: dict[Slot, list[list[Any]]] = {}
        """By the place of a list: the number that each part of it had, and the part."""
        for slot in self.own:
            if _is_in_list(slot):
                parts.setdefault(_part(slot)[:-1], [])
        more: dict[Slot, list[str]] = {}
        placed: dict[Slot, list[Any]] = {}
        for block in found:
            stood = self._slot(block)
            if stood is None or not self._is_own(block) or _is_said_of_an_image(block):
                where = self._place_for(block, found)
                if where is None:
                    continue
                if isinstance(value_at(self.value, where), list) or block.kind != "text":
                    parts.setdefault(where, []).append([None, self._fresh(block, where)])
                else:
                    more.setdefault(where, []).append(_text_of(block))
            elif _is_in_list(stood):
                place = _part(stood)
                within = stood[len(place) :] if _is_in_list(stood[len(place) :]) else ()
                if place not in placed:
                    whole = not within and (_is_text_now(block) or isinstance(block.value, HeldMedia))
                    new = self._fresh(block, place[:-1]) if whole else self._changed(block, stood, place)
                    placed[place] = [_number(place), new]
                    parts.setdefault(place[:-1], []).append(placed[place])
                if within and block.source is not None and block.value is not block.source.value:
                    changes: dict[Slot, Any]
                    if isinstance(block.value, HeldMedia):
                        changes = {within: block.value.raw}
                    elif block.kind == "text":
                        changes = {within: _text_of(block)}
                    else:
                        inner = self.writer.changes(block, value_at(self.value, stood))
                        changes = {(*within, *at): new for at, new in inner.items()}
                    placed[place][1] = with_slots(placed[place][1], changes) if changes else placed[place][1]
        here = {self._slot(block) for block in found}
        for place, kept in placed.items():
            gone = [slot for slot in self.own if slot[: len(place)] == place and slot not in here]
            lost: dict[Slot, set[Any]] = {}
            for slot in gone:
                inner_slot = slot[len(place) :]
                last = max((n for n, step in enumerate(inner_slot) if isinstance(step, int)), default=None)
                if last is not None:
                    lost.setdefault(inner_slot[:last], set()).add(inner_slot[last])
            for within, numbers in lost.items():
                listed = value_at(kept[1], within)
                if isinstance(listed, list):
                    left = [one for n, one in enumerate(listed) if n not in numbers]
                    kept[1] = with_slots(kept[1], {within: left})
        changed: dict[Slot, Any] = {}
        for where, texts in more.items():
            old = value_at(self.value, where)
            changed[where] = "\n\n".join([*([old] if isinstance(old, str) and old else []), *texts])
        for where, numbered in parts.items():
            stored = value_at(self.value, where)
            old = stored if isinstance(stored, list) else []
            images = any(map(_is_only_data, (self.own.get((*where, n)) for n in range(len(old)))))
            listed = self._with_others(where, numbered, old)
            if old is not stored or list(map(id, old)) != list(map(id, listed)):
                changed.setdefault(where, listed if listed or not images else ABSENT)
        return changed

    def _changed(self, block: DraftBlock, slot: Slot, place: Slot) -> Any:
        """The part of a list that a block is, or is in."""
        raw = value_at(self.value, place)
        inner = dict(self.writer.changes(block, value_at(self.value, slot)))
        if (result := self.inside.get(slot)) is not None:
            inner |= self.writer.changes(result, value_at(self.value, slot))
        return with_slots(raw, {(*slot[len(place) :], *at): new for at, new in inner.items()}) if inner else raw

    def _with_others(self, where: Slot, parts: Sequence[Sequence[Any]], old: Sequence[Any]) -> list[Any]:
        """The parts with those that no block stands for, each behind what it stood behind."""
        read = {_number(_part(slot)) for slot in self.own if _is_in_list(slot) and _part(slot)[:-1] == where}
        others = [number for number in range(len(old)) if number not in read]
        made: list[Any] = []
        for number, part in parts:
            while others and number is not None and others[0] < number:
                made.append(old[others.pop(0)])
            made.append(part)
        return [*made, *(old[number] for number in others)]

    def _place_for(self, block: DraftBlock, found: Sequence[DraftBlock]) -> Slot | None:
        """Where a block that stood elsewhere, or nowhere, goes: a list, or a text that it is added to."""
        compiled, table = self.writer.compiled, self.writer.table
        if block.kind == "result":
            return _head(compiled.whole(table.result[-1].at), self.value)
        if block.kind == "call":
            rule = block.source.rule if isinstance(block.source, FormBlock) else None
            return _head(rule.at if rule is not None else compiled.whole(table.call[0].at), self.value)
        paths = [compiled.whole(path) for path in table.text]
        lists = [_head(path, self.value) for path in paths if _leads_into_list(path)]
        texts = [slot for path in paths if not _leads_into_list(path) and (slot := place_of(path, self.value))]
        for slot in lists:
            if isinstance(value_at(self.value, slot), list):
                return slot
        kept = [self._slot(one) or () for one in found if self._is_own(one)]
        for slot in texts:
            if not isinstance(value_at(self.value, slot), list) or not any(one[: len(slot)] == slot for one in kept):
                return slot
        thoughts = [compiled.whole(path) for path in table.thinking if texts]
        beside = [slot for path in thoughts if not _leads_into_list(path) and (slot := place_of(path, self.value))]
        return next(iter([*beside, *lists]), None)

    def _fresh(self, block: DraftBlock, where: Slot) -> Any:
        """A part of a list that is new there."""
        raw = self.writer.raw_of(block)
        if raw is not None:
            return raw
        if isinstance(block.value, HeldMedia):
            return block.value.raw
        if block.kind in ("call", "result", "server_call", "server_result") and block.source is not None:
            inner = self.writer.changes(block, block.written)
            return with_slots(block.written, inner) if inner else block.written
        if not isinstance(block.value, (str, dict)) or (block.kind not in ("text", "thinking")):
            return block.value
        text = _text_of(block)
        if self.writer.reader.role_of(self.value) == "user":
            like = self.writer.message("user", text)({})
            for one in self.writer.reader.blocks(like, 0):
                if one.kind == "text" and _is_in_list(one.slot) and _part(one.slot)[:-1] == where:
                    return value_at(like, _part(one.slot))
        paths = map(self.writer.compiled.whole, self.writer.table.text)
        path = next((path for path in paths if _leads_into_list(path) and _head(path, self.value) == where), None)
        return text if path is None else part_from(path, text)

    # --- what is not in lists ----------------------------------------------------------------------------

    def _without(self, gone: Sequence[FormBlock], lists: Mapping[Slot, Any]) -> dict[Slot, Any]:
        made: dict[Slot, Any] = {}
        for block in gone:
            slot = own_slot(block)
            if not _is_in_list(slot) and slot and slot not in lists:
                made[slot] = "" if block.kind in ("text", "thinking") else ABSENT
        return made

    def _stops_calling(self, found: Sequence[DraftBlock], gone: Sequence[FormBlock]) -> bool:
        """Whether an item that was a call is none any more: what is left of it is said in an item of its own."""
        if self.writer.table.shape != "item" or self.writer.templates["said"] is None:
            return False
        return any(block.kind == "call" for block in gone) and not any(block.kind == "call" for block in found)

    def _said(self, found: Sequence[DraftBlock]) -> Any:
        text = "\n\n".join(_text_of(block) for block in found if block.kind == "text")
        return self.writer.filling(self.value, text).fill(self.writer.templates["said"])

    def _copies(self, value: Any, found: Sequence[DraftBlock], gone: Sequence[FormBlock]) -> Any:
        """What else stands in the element for a block is renamed and removed with it."""
        renamed = [
            (block.source.rule, block.source.id, block.id)
            for block in found
            if self._is_own(block) and isinstance(block.source, FormBlock) and block.source.id != block.id
        ]
        removed = [(block.rule, block.id, ABSENT) for block in gone]
        for rule, was, now in (*renamed, *removed):
            for at, id_path in rule.copies if rule is not None else ():
                for slot, unit in reversed(self.writer.places(at, value)):
                    value = self._with_copy(value, slot, unit, id_path, was, now)
        return value

    def _with_copy(self, value: Any, slot: Slot, unit: Any, id_path: Path, was: Any, now: Any) -> Any:
        place = place_of(id_path, unit)
        if place is None or (value_at(unit, place) if place else unit) != was:
            return value
        *above, last = slot
        holder = value_at(value, tuple(above)) if slot[-2:-1] != (KEY_OF,) else value_at(value, tuple(above[:-1]))
        if slot[-2:-1] == (KEY_OF,):
            made = {
                (now if key == last else key): part for key, part in holder.items() if key != last or now is not ABSENT
            }
            return with_slots(value, {tuple(above[:-1]): made})
        if now is not ABSENT:
            return with_slots(value, {(*slot, *place): now})
        if isinstance(holder, list):
            return with_slots(value, {tuple(above): [part for n, part in enumerate(holder) if n != last]})
        return with_slots(value, {slot: ABSENT})


def _is_only_data(block: FormBlock | None) -> bool:
    """Whether it is an image of which the file has only the Base64: no text may stand in its place."""
    return block is not None and isinstance(block.value, HeldMedia) and isinstance(block.value.raw, str)


def _is_said_of_an_image(block: DraftBlock) -> bool:
    return _is_text_now(block) and isinstance(block.source, FormBlock) and _is_only_data(block.source)


def _part(slot: Slot) -> Slot:
    """The place of the list's element that a slot is, or is in; the slot itself where it is in no list."""
    at = next((n for n, step in enumerate(slot) if isinstance(step, int)), None)
    return slot if at is None else slot[: at + 1]


def _is_in_list(slot: Slot) -> bool:
    return any(isinstance(step, int) for step in slot)


def _head(path: Path, value: Any) -> Slot:
    """The place in an element of the list that a path leads into."""
    return place_of(tuple(takewhile(lambda step: not isinstance(step, Each), path)), value) or ()


def _leads_into_list(path: Path) -> bool:
    return any(isinstance(step, Each) for step in path)


def _number(place: Slot) -> int:
    """The number of the part of a list at this place."""
    return place[-1] if isinstance(place[-1], int) else 0


def _place(paths: Sequence[Path], unit: Any) -> Slot | None:
    """Where the first of these paths leads that leads to something, or would."""
    places = [place for path in paths if (place := place_of(path, unit)) is not None]
    return next((place for place in places if value_at(unit, place) is not None), places[0] if places else None)


def _apart(content: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """What a result says, and its media as the file has them."""
    held = [part.raw for part in content if isinstance(part, HeldMedia)]
    return [part for part in content if not isinstance(part, HeldMedia)], held


def _with_left(listed: Sequence[Any], before: Sequence[Any], now: Sequence[Any]) -> list[Any]:
    """A list with the media that are left of it, or are now in their places; what is no media stays."""
    left, new = {id(one) for one in now}, [one for one in now if not any(one is other for other in before)]
    made: list[Any] = []
    for part in listed:
        if id(part) in left or not any(part is one for one in before):
            made.append(part)
        elif new:
            made.append(new.pop(0))
    return made


def _set(paths: Sequence[Path], unit: Any, value: Any) -> dict[Slot, Any]:
    place = _place(paths, unit)
    return {} if place is None else {place: value}


def _text_of(block: DraftBlock) -> str:
    value = block.value
    found = value.get("text", value.get("thinking", "")) if isinstance(value, dict) else value
    return found if isinstance(found, str) else text_of(found)


def _is_text_now(block: DraftBlock) -> bool:
    return block.kind == "text" and block.source is not None and block.source.kind != "text"


# --- drafters ------------------------------------------------------------------------------------------------


class _SetsFields(Drafter):
    """What the rules set in a message is said in Anthropic's or chat's spelling: content and role are understood."""

    writer: FormWriter
    spoken: Mapping[int, Block]
    """id() of a block's value -> the block."""

    def set_field(self, message: Message, key: str, value: Any) -> None:
        part = self.draft.parts_of(message)[0]
        if key == "role":
            part.set_field(key, value)
            part.role = value
        elif key == "content" and value is not ABSENT:
            self.draft.fill(part)
            parts = value if isinstance(value, list) else [self.writer.said(value)]
            part.arrange(
                self.draft.block(self.spoken[id(one)]) if id(one) in self.spoken else self.writer.block(one)
                for one in parts
            )


class _AsElements(_SetsFields, ResultsAsMessages):
    pass


class _AsBlocks(_SetsFields, ResultsInMessages):
    """Results go into an element that takes them, which not every user's message is."""

    def _answering(self, home: DraftMessage) -> DraftMessage:
        following = next(self.draft.following(home), None)
        if following is not None and (following.is_new or self.writer.into(following.value)):
            return following
        return self._put_behind(home, self.writer.holder("user"))

    def keeping(self, home: DraftMessage) -> DraftMessage:
        if home.role == "user" and self.writer.takes_words(home.value):
            return home
        return self._put_behind(home, self.writer.message("user", ""))

    def _put_behind(self, home: DraftMessage, value: Any) -> DraftMessage:
        made = self.new(value, home)
        self.draft.insert_after(home, made)
        return made


class _InCalls(_AsBlocks):
    """A result is a part of its call: it comes, goes and is renamed with it."""

    def answer(self, edit: InsertResult) -> None:
        call = self.draft.block(edit.call)
        if self.draft.is_in(home_of(call)):
            self.writer.given[id(call)] = edit
            home_of(call).changed = True

    def put_at(self, spot: Spot, edit: InsertResult) -> None:
        self.answer(edit)


class FormLinear(Linear):
    """Puts a draft into elements of a form."""

    writer: FormWriter

    def __init__(self, items: Sequence[Item], transcript: Transcript, writer: FormWriter) -> None:
        if writer.table.shape == "inside":  # an element is sent as several messages, and written as one
            blocks: dict[int, list[Block]] = {}
            first: dict[int, Message] = {}
            for message in transcript.messages:
                blocks.setdefault(message.records[0], []).extend(message.blocks)
                first.setdefault(message.records[0], message)
            whole = tuple(replace(first[uid], blocks=tuple(found)) for uid, found in blocks.items())
            transcript = replace(transcript, messages=whole)
        super().__init__(items, transcript, writer)

    @cached_property
    def drafter(self) -> Drafter:
        made: _SetsFields
        if self.writer.results_are_messages:
            made = _AsElements(self.draft, self.writer, self.new)
        else:
            kind = _InCalls if self.writer.table.shape == "inside" else _AsBlocks
            made = kind(self.draft, self.writer, self.new, False)
        made.spoken = {id(block.value): block for message in self.transcript.messages for block in message.blocks}
        return made

    def _messages(self) -> Sequence[DraftMessage]:
        made = super()._messages()
        roles = {uid: message.role for message in self.transcript.messages for uid in message.records}
        for message in made:
            message.role = roles.get(message.uid)
        return made

    def new(self, value: Any, beside: DraftMessage) -> DraftMessage:
        made = super().new(value(beside.record) if callable(value) else value, beside)
        made.role = self.writer.reader.role_of(made.value)
        return made

    def written(self, message: DraftMessage) -> Any:
        fields, message.fields = message.fields or {}, None
        value = super().written(message)
        return self.writer.with_role(value, fields["role"]) if isinstance(fields.get("role"), str) else value
