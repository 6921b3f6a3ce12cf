"""New ids of calls: the shape that a provider wants, deriving one from an old id, and what an old id carries."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from functools import cached_property
from typing import Any, Final

from msgspec import Struct, field

from toolpair.transcript.id_shapes import digest, usable

THOUGHT: Final = "__thought__"
"""Separates an id from the Gemini signature that LiteLLM appends to it."""
SERVER: Final = "srvtoolu_"
"""The prefix of the ids of calls that the provider runs itself."""
_NOT_OF_SERVERS: Final = re.compile(r"[^A-Za-z0-9_]")
NATIVE: Final = re.compile(r"functions\.(?P<name>[A-Za-z0-9_-]+):(?P<index>\d{1,9})")
"""Kimi's own ids: the tool's name and a number that counts up through the conversation."""
_SANITISED_NATIVE: Final = re.compile(r"functions[_.-](?P<name>[A-Za-z0-9_-]+)[_:-](?P<index>\d{1,9})")
_BASE62: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_DIGEST: Final = 9
"""Characters reserved for the hash in a changed id."""


class IdShape(Struct, frozen=True, dict=True):
    """What a provider's new ids look like."""

    alphabet: str = "A-Za-z0-9_-"
    """The allowed characters, as inside the brackets of a regex."""
    max_length: int = 64
    exact: int | None = None
    """The exact length of every id; such ids are hashes in which the old id cannot be read."""
    prefix: str = "toolu_"
    """The start of an id that is made from nothing."""
    keeps: frozenset[str] = frozenset()
    """What an id may keep: "native" (Kimi's own form), "thought" (a signature at its end)."""

    @cached_property
    def _refused(self) -> re.Pattern[str]:
        return re.compile(f"[^{self.alphabet}]")

    def clean(self, id_: str) -> str:
        """The id with each character that is not allowed replaced by `_`."""
        return self._refused.sub("_", id_)


def without_burden(id_: str) -> str:
    """The call's own id, without a part joined to it by `|` and without a signature."""
    call = id_.split(THOUGHT, 1)[0]
    return call.split("|", 1)[0] or id_ if call else id_


def restored(id_: Any, name: str | None) -> str | None:
    """Kimi's own id for a form with replaced characters: `functions_read_file_0` of the tool read_file. Else None."""
    if not usable(id_) or not name or NATIVE.fullmatch(id_):
        return None
    found = _SANITISED_NATIVE.fullmatch(id_)
    whole = f"functions.{name}:{found['index']}" if found and found["name"] == name else None
    return whole if whole is not None and NATIVE.fullmatch(whole) else None


def prefers(shape: IdShape, one: Any, other: Any) -> bool:
    """Whether `one` of two accepted spellings is the one to keep: it carries something that `other` has lost."""
    if not usable(one):
        return False
    native = "native" in shape.keeps and NATIVE.fullmatch(one) and not (usable(other) and NATIVE.fullmatch(other))
    signed = "thought" in shape.keeps and THOUGHT in one and not (usable(other) and THOUGHT in other)
    return bool(native or signed)


def loss(id_: Any, shape: IdShape) -> str | None:
    """What is lost when the id is replaced, as a phrase; None when it carries nothing."""
    if not usable(id_):
        return None
    if THOUGHT in id_ and without_burden(id_) != id_ and "thought" not in shape.keeps:
        return "the thought signature in the id is lost: Gemini will miss it if the history goes back there"
    if "|" in id_ and without_burden(id_) != id_:
        return "the item's id after the `|` is lost; the call's id is what pairs them"
    if NATIVE.fullmatch(id_) and "native" not in shape.keeps:
        return "it is Kimi's own id: a Kimi model is reported to call tools badly without it"
    return None


class NewIds(Struct):
    """Hands out unique ids of one shape that are not in `taken`. Deterministic: the same requests give the same ids."""

    shape: IdShape
    taken: set[str] = field(default_factory=set)
    elsewhere: Container[str] = ()
    """More ids in use."""
    made: list[str] = field(default_factory=list)
    """The ids handed out."""
    _next: dict[str, int] = field(default_factory=dict)
    """Stem -> the next count, so that many ids with one stem need no search."""

    def take(self, ids: Iterable[Any]) -> None:
        """Mark these ids as in use."""
        self.taken.update(id_ for id_ in ids if isinstance(id_, str))

    def in_use(self, id_: str) -> bool:
        return id_ in self.taken or id_ in self.elsewhere

    def make(self, id_: Any, number: int = 1, name: str | None = None) -> str:
        """An id derived from `id_`. `number` tells several uses of one id apart; `name` is the tool's."""
        made = self._made(id_, number, name)
        self.taken.add(made)
        self.made.append(made)
        return made

    def make_server(self, id_: str) -> str:
        """An id for a tool that the provider runs itself: `srvtoolu_`, then letters, digits and `_`."""
        stem = f"{SERVER}{_NOT_OF_SERVERS.sub('_', id_.removeprefix(SERVER)) or 'unnamed'}"
        made, count = stem, self._next.get(stem, 2)
        while self.in_use(made):
            made, count = f"{stem}x{count}", count + 1
        self._next[stem] = count
        self.taken.add(made)
        self.made.append(made)
        return made

    def _made(self, id_: Any, number: int, name: str | None) -> str:
        shape = self.shape
        if shape.exact is not None:
            return self._hashed(id_ if usable(id_) else f"{name or ''} without an id", shape.exact, number)
        native = NATIVE.fullmatch(id_) if usable(id_) and "native" in shape.keeps else None
        if native is not None:
            whole = self._native(native["name"])
            if len(whole) <= shape.max_length:
                return whole
        if not usable(id_):
            stem = f"{shape.prefix}unnamed_{digest(str(id_))}"
            return self._counted(stem, number, id_)
        if "thought" in shape.keeps and THOUGHT in id_ and without_burden(id_) != id_:
            call, _, signature = id_.partition(THOUGHT)
            return self._counted(call, number, id_, THOUGHT + signature)
        alone = without_burden(id_)
        base = shape.clean(alone)
        plain = base == alone and len(base) <= shape.max_length
        stem = base if plain else f"{base[: shape.max_length - _DIGEST]}_{digest(id_)}"
        return self._counted(stem, number, id_)

    def _counted(self, stem: str, number: int, old: Any, tail: str = "") -> str:
        """The stem itself if it is free, else the stem with a count after it."""
        if number == 1 and not self.in_use(stem + tail) and stem + tail != old:
            return stem + tail
        limit = self.shape.max_length
        # Stems that only differ in the part that is cut off share a count.
        key = stem[: limit - 8] + tail
        count = max(number, 2, self._next.get(key, 0))
        while True:
            # Not `_2`: Claude Code drops outputs where one id equals another plus `_` and digits.
            end = f"-{count}"
            made = stem[: limit - len(end)] + end + tail
            count += 1
            if not self.in_use(made):
                self._next[key] = count
                return made

    def _hashed(self, seed: str, length: int, number: int) -> str:
        import hashlib

        count = max(number, self._next.get(seed, 1))
        while True:
            value = int.from_bytes(hashlib.sha256(f"{count}:{seed}".encode("utf-8", "surrogatepass")).digest(), "big")
            letters = []
            for _ in range(length):
                value, at = divmod(value, len(_BASE62))
                letters.append(_BASE62[at])
            made = "".join(letters)
            count += 1
            if not self.in_use(made):
                self._next[seed] = count
                return made

    def _native(self, name: str) -> str:
        """Kimi's next id; its numbers count across all tools."""
        if "functions" not in self._next:
            used = (found for id_ in self.taken if (found := NATIVE.fullmatch(id_)))
            self._next["functions"] = max((int(found["index"]) for found in used), default=-1) + 1
        while f"functions.{name}:{self._next['functions']}" in self.taken:
            self._next["functions"] += 1
        made = f"functions.{name}:{self._next['functions']}"
        self._next["functions"] += 1
        return made
