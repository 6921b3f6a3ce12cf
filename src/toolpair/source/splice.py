"""Editing a JSON text by splicing: only the bytes of changed values are replaced.

`new` is built from the sub-objects of `old`: whatever is the same object keeps its bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from types import NoneType
from typing import Any, Final

import orjson
from msgspec import Struct
from msgspec.structs import replace

from toolpair.source.encode import COMPACT, JsonStyle, Originals, RawOf, detect, encode, encode_text, line_indent
from toolpair.source.json_spans import JsonNode, children, key_text, node_at

_IDENTIFYING = ("id", "tool_use_id", "call_id", "tool_call_id", "toolCallId", "toolUseId", "uuid")


def splice(raw: bytes, old: Any, new: Any, raw_of: RawOf | None = None, style: JsonStyle | None = None) -> bytes:
    """The text of `new`: `raw`, the text of `old`, with every byte outside the changed values kept.

    `raw_of` gives the original bytes of objects from elsewhere. `style` is used where `raw` gives no evidence. Raises
    spans.BadSpan when `raw` is not JSON.
    """
    if raw_of is None:
        own = Originals()
        own.add(raw, old)
        raw_of = own
    node = node_at(raw)
    work = _Splicer(raw, detect(raw, style or COMPACT), raw_of)
    return raw[: node.start] + work.value(node, old, new) + raw[node.end :]


_FLAT_MEMBERS = (
    rb'\s*\{(?:\s*"[^"\\]*"\s*:\s*(?:"[^"\\]*"|-?[0-9]+|true|false|null)\s*,)*?'
    rb'\s*"%s"\s*:\s*("[^"\\]*"|-?[0-9]+|null)(?=\s*[,}])'
)
"""The first members of an object, none of them holding another object, up to a number, a string or null."""
_ONLY_MEMBER = rb'\s*\{\s*"%s"\s*:\s*(?=\{)'
_FEW: Final = 4
"""Scalars of one object that are changed one by one."""
_COLONS: Final = (b":", b": ")
_DEEPEST: Final = 8
"""Levels down to which strings are looked for."""
_PLAIN = re.compile(r"[\w.:-]*", re.ASCII)
"""Strings that are written in one way only."""


def with_scalar(raw: bytes, old: Any, new: Any) -> bytes | None:
    """The text with scalars of the outermost object changed, or of the only object in it, as in a row, or with plain
    strings changed anywhere that each stand there once under their key; None if more has changed.

    The same result as `splice` without scanning the whole text: for many records that are only renumbered or relinked.
    It reads as `new`.
    """
    if not isinstance(old, dict) or not isinstance(new, dict):
        return None
    table = next(iter(new)) if len(old) == len(new) == 1 else None
    if table is None or not isinstance(new[table], dict) or not _is_plain_key(table):
        made = _with_members(raw, old, new)
    else:
        outer = re.match(_ONLY_MEMBER % table.encode(), raw)
        row = _with_members(raw[outer.end() :], old.get(table), new[table]) if outer is not None else None
        made = raw[: outer.end()] + row if outer is not None and row is not None else None
    if made is None:
        made = _with_strings(raw, old, new)
    return made if made is not None and _says(made, new) else None


def _with_members(raw: bytes, old: Any, new: dict[str, Any]) -> bytes | None:
    """The text of an object, and what follows it, with members changed that are in front of all nested ones."""
    if not isinstance(old, dict) or len(old) != len(new):
        return None
    changed = [key for key, value in new.items() if value is not old.get(key, raw)]
    if not 1 <= len(changed) <= _FEW or list(old) != list(new):
        return None
    for key in changed:
        text = _plain(new[key])
        if text is None or type(old[key]) not in (int, str, NoneType) or not _is_plain_key(key):
            return None
        found = re.match(_FLAT_MEMBERS % key.encode(), raw)
        if found is None:
            return None
        raw = raw[: found.start(1)] + text + raw[found.end(1) :]
    return raw


def _with_strings(raw: bytes, old: Any, new: Any) -> bytes | None:
    """The text with plain strings changed where each is found once, behind its key."""
    changed = [*islice(_changed_strings(old, new), _FEW + 1)]
    if not 1 <= len(changed) <= _FEW:
        return None
    for key, was, now in changed:
        before, after = _plain(was), _plain(now)
        if not was or before is None or after is None or not _is_plain_key(key):
            return None
        names = [b'"%s"%s' % (key.encode(), colon) for colon in _COLONS]
        found = [name for name in names if name + before in raw]
        if len(found) != 1 or raw.count(found[0] + before) != 1:
            return None
        raw = raw.replace(found[0] + before, found[0] + after)
    return raw


def _changed_strings(old: Any, new: Any, key: str = "", depth: int = 0) -> Iterator[tuple[str, str, str]]:
    """The strings that are others now, each with its key; where anything else is, too, an empty one."""
    if type(old) is dict and type(new) is dict and list(old) == list(new) and depth < _DEEPEST:
        for name, value in new.items():
            if value is not old[name]:
                yield from _changed_strings(old[name], value, name, depth + 1)
    elif type(old) is list and type(new) is list and len(old) == len(new) and depth < _DEEPEST:
        for was, now in zip(old, new, strict=True):
            if now is not was:
                yield from _changed_strings(was, now, "", depth + 1)
    elif not (type(old) is str and type(new) is str):
        yield key, "", ""
    elif old != new:
        yield key, old, new


def _says(raw: bytes, value: Any) -> bool:
    """Whether the text is read as this value: of a member that is there twice the last one counts. False where it is
    nested too deeply to be compared.
    """
    try:
        return bool(orjson.loads(raw) == value)
    except (orjson.JSONDecodeError, RecursionError):
        return False


def _is_plain_key(key: str) -> bool:
    return key.isascii() and key.isidentifier()


def _plain(value: Any) -> bytes | None:
    """The text of a whole number, a plain string or null, which is the same in every style."""
    if value is None:
        return b"null"
    if type(value) is int:
        return b"%d" % value
    return b'"%s"' % value.encode() if type(value) is str and _PLAIN.fullmatch(value) else None


def is_same(old: Any, new: Any) -> bool:
    """Whether `new` keeps the text of `old`: the same object, or an equal scalar."""
    if old is new:
        return True
    if type(old) is not type(new):
        return False
    if isinstance(old, float):
        return float.__repr__(old) == float.__repr__(new)
    return isinstance(old, (str, int)) and bool(old == new)


class Slot(Struct, frozen=True):
    """One part of a container: its new bytes, and its old position (None: new)."""

    text: bytes
    old: int | None


def gap_between(before: int | None, after: int | None, gaps: Sequence[bytes], default: bytes) -> bytes:
    """The separator between parts whose old positions were `before` and `after`: their own if they were neighbours,
    else that of a former neighbour.
    """
    if before is not None and after is not None and after == before + 1:
        return gaps[before]
    if after is not None and 0 < after <= len(gaps):
        return gaps[after - 1]
    if before is not None and before < len(gaps):
        return gaps[before]
    if gaps:
        return gaps[0]
    return default


class _Splicer(Struct, frozen=True):
    raw: bytes
    style: JsonStyle
    raw_of: RawOf

    def value(self, node: JsonNode, old: Any, new: Any) -> bytes:
        """The bytes of `new`, which replaces the value `old` at `node`."""
        if is_same(old, new):
            return self.raw[node.start : node.end]
        if isinstance(old, dict) and isinstance(new, dict) and node.kind == "object":
            return self._object(node, old, new)
        if isinstance(old, list) and isinstance(new, list) and node.kind == "array":
            return self._array(node, old, new)
        return encode(new, self.style, self.raw_of, line_indent(self.raw, node.start))

    def _object(self, node: JsonNode, old: dict[str, Any], new: dict[str, Any]) -> bytes:
        members = children(self.raw, node)
        keys = [key_text(self.raw, member) for member in members]
        last = {key: position for position, key in enumerate(keys)}
        layout = _Layout(self, node, members)
        slots: list[tuple[str, Slot]] = []
        for position, (key, member) in enumerate(zip(keys, members, strict=True)):
            if key not in new or key not in old:
                continue
            start = member.start if member.key is None else member.key[0]
            text = self.raw[start : member.end]
            if last[key] == position:
                text = self.raw[start : member.start] + self.value(member, old[key], new[key])
            slots.append((key, Slot(text, position)))
        colon = self._colon(members)
        previous: str | None = None
        for key, value in new.items():
            if key not in last or key not in old:
                text = encode_text(key, self.style) + colon + layout.encode(value)
                at = 0
                if previous is not None:
                    at = max(i for i, (name, _) in enumerate(slots) if name == previous) + 1
                slots.insert(at, (key, Slot(text, None)))
            previous = key
        return layout.write(b"{", [slot for _, slot in slots], b"}")

    def _colon(self, members: list[JsonNode]) -> bytes:
        for member in members:
            if member.key is not None:
                return self.raw[member.key[1] : member.start]
        return self.style.colon

    def _array(self, node: JsonNode, old: list[Any], new: list[Any]) -> bytes:
        elements = children(self.raw, node)
        if len(elements) != len(old):
            return encode(new, self.style, self.raw_of, line_indent(self.raw, node.start))
        layout = _Layout(self, node, elements)
        slots: list[Slot] = []
        for value, position in zip(new, align(old, new), strict=True):
            if position is None:
                slots.append(Slot(layout.encode(value), None))
            else:
                slots.append(Slot(self.value(elements[position], old[position], value), position))
        return layout.write(b"[", slots, b"]")


class _Layout:
    """The layout of one container: the white space before, between and after its parts."""

    def __init__(self, splicer: _Splicer, node: JsonNode, parts: list[JsonNode]) -> None:
        raw, style = splicer.raw, splicer.style
        self._raw_of = splicer.raw_of
        starts = [part.start if part.key is None else part.key[0] for part in parts]
        base = line_indent(raw, node.start)
        self.default = style.comma
        self._empty = b"" if parts else raw[node.start + 1 : node.end - 1]
        if parts:
            self.gaps = [raw[a.end : start] for a, start in zip(parts, starts[1:], strict=False)]
            self.lead = raw[node.start + 1 : starts[0]]
            self.trail = raw[parts[-1].end : node.end - 1]
            self.multi = b"\n" in self.lead or any(b"\n" in gap for gap in self.gaps)
            if b"\n" in self.lead:
                self.default = b"," + self.lead
        else:
            self.gaps = []
            inside = raw[node.start + 1 : node.end - 1]
            self.multi = b"\n" in inside or style.indent is not None
            if self.multi:
                style = style if style.indent is not None else replace(style, indent=b"  ")
                self.lead = style.newline + base + (style.indent or b"")
                self.trail = style.newline + base
                self.default = b"," + self.lead
            else:
                self.lead = self.trail = inside
        self.level = self.lead[self.lead.rfind(b"\n") + 1 :] if b"\n" in self.lead else base
        self.style = style if self.multi and not _flat(raw, parts) else style.on_one_line()

    def encode(self, value: Any) -> bytes:
        """A new part, in the style of its siblings."""
        return encode(value, self.style, self._raw_of, self.level)

    def write(self, opening: bytes, slots: list[Slot], closing: bytes) -> bytes:
        """The whole container."""
        if not slots:
            return opening + self._empty + closing
        pieces = [opening, self.lead, slots[0].text]
        for before, slot in pairwise(slots):
            pieces += gap_between(before.old, slot.old, self.gaps, self.default), slot.text
        return b"".join((*pieces, self.trail, closing))


def _flat(raw: bytes, parts: list[JsonNode]) -> bool:
    """Whether each container among the parts is on one line."""
    filled = [p for p in parts if p.kind in ("object", "array") and p.end - p.start > 2]
    return bool(filled) and not any(b"\n" in raw[part.start : part.end] for part in filled)


def align(old: Sequence[Any], new: Sequence[Any]) -> list[int | None]:
    """For each element of `new`, the position in `old` of the element that it is or was edited from."""
    if len(old) == len(new) and all(map(is_same, old, new)):
        return list(range(len(new)))
    places: dict[Any, list[int]] = {}
    for position in range(len(old) - 1, -1, -1):
        places.setdefault(_identity(old[position]), []).append(position)
    found: list[int | None] = []
    for value in new:
        free = places.get(_identity(value))
        found.append(free.pop() if free else None)
    if None in found:
        _align_edited(old, new, found)
    return found


def _identity(value: Any) -> Any:
    if isinstance(value, (dict, list)):
        return id(value)
    return (type(value), repr(value) if isinstance(value, float) else value)


def _align_edited(old: Sequence[Any], new: Sequence[Any], found: list[int | None]) -> None:
    """Fill the gaps in `found`: first by a shared sub-object or id, then by position."""
    taken = {position for position in found if position is not None}
    marks: dict[Any, int] = {}
    for position, value in enumerate(old):
        if position not in taken:
            for mark in _marks(value):
                marks.setdefault(mark, position)
    for index, value in enumerate(new):
        if found[index] is None:
            for mark in _marks(value):
                candidate = marks.get(mark)
                if candidate is not None and candidate not in taken and type(old[candidate]) is type(value):
                    found[index] = candidate
                    taken.add(candidate)
                    break
    # A run of unknown elements between two known neighbours is the old run there, if it has the same length.
    index = 0
    while index < len(found):
        if found[index] is not None:
            index += 1
            continue
        end = index
        while end < len(found) and found[end] is None:
            end += 1
        before = found[index - 1] if index else -1
        after = found[end] if end < len(found) else len(old)
        if before is not None and after is not None and after - before - 1 == end - index:
            for offset in range(end - index):
                position = before + 1 + offset
                if position not in taken and type(old[position]) is type(new[index + offset]):
                    found[index + offset] = position
        index = end


def _marks(value: Any) -> list[Any]:
    """What identifies an edited container, most reliable first."""
    if isinstance(value, dict):
        kind = value.get("type")
        kind = kind if isinstance(kind, str) else None
        named = [(key, value[key], kind) for key in _IDENTIFYING if isinstance(value.get(key), str)]
        return named + [id(v) for v in value.values() if _telling(v)]
    if isinstance(value, list):
        return [id(v) for v in value if _telling(v)]
    return []


def _telling(value: Any) -> bool:
    return isinstance(value, (dict, list)) or (isinstance(value, str) and len(value) > 1)
