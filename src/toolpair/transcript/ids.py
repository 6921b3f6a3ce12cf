"""Ids: how two spellings of one id are recognised, and how new ones are derived."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Container
from typing import Any, Final, TypeGuard

_REFUSED: Final = re.compile(r"[^A-Za-z0-9_-]")
_NOT_ALNUM: Final = re.compile(r"[^A-Za-z0-9]")
_PREFIX: Final = re.compile(r"^(?:toolu_vrtx_|tooluse_|toolu_|chatcmpl-tool-|call_|fc_|functions[._])", re.IGNORECASE)


def usable(id_: Any) -> TypeGuard[str]:
    """True when there is an id at all: a str that is not empty."""
    return isinstance(id_, str) and id_ != ""


def sanitised(id_: str) -> str:
    """Every character outside `[A-Za-z0-9_-]` as `_`, as Roo Code's sanitizeToolUseId does."""
    return _REFUSED.sub("_", id_)


def _truncated(id_: str) -> str:
    clean = sanitised(id_)
    return (
        clean if len(clean) <= 64 else f"{clean[:55]}_{hashlib.md5(clean.encode('utf-8', 'replace')).hexdigest()[:8]}"
    )


def _bare(id_: str) -> str:
    return _NOT_ALNUM.sub("", id_).casefold()


SPELLINGS: Final[tuple[tuple[str, Callable[[str], str]], ...]] = (
    ("sanitised", sanitised),
    ("truncated", _truncated),
    ("call_item", lambda id_: id_.split("|", 1)[0]),
    ("case_or_space", lambda id_: "".join(id_.split()).casefold()),
    ("sanitised", _bare),
    ("prefix", lambda id_: _bare(_PREFIX.sub("", id_.strip()))),
    ("cut", lambda id_: sanitised(id_)[:64]),
    ("cut", lambda id_: sanitised(id_)[:40]),
)
"""(what the two spellings differ by, the form that they share), strongest evidence first."""


def _digest(id_: str) -> str:
    return "x" + hashlib.sha256(id_.encode("utf-8", "surrogatepass")).hexdigest()[:7]


def fresh(id_: Any, taken: Container[str], *, max_length: int = 64, number: int = 1, prefix: str = "toolu_") -> str:
    """A new id derived from `id_`: letters, digits, `_` and `-` only, at most `max_length` long, none of `taken`.

    The same on every run. `number` tells occurrences of one id apart.
    """
    base = sanitised(id_) if usable(id_) else f"{prefix}unnamed"
    plain = usable(id_) and base == id_ and len(base) <= max_length
    stem = base if plain else f"{base[: max_length - 9]}_{_digest(str(id_))}"
    if number == 1 and stem not in taken and stem != id_:
        return stem
    count = max(number, 2)
    while True:
        # Not `_2`: Claude Code drops outputs where one id is another one with `_` and digits behind it.
        tail = f"-{count}"
        candidate = f"{stem[: max_length - len(tail)]}{tail}"
        if candidate not in taken:
            return candidate
        count += 1
