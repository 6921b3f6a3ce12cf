"""Ids: whether there is one, and how to recognise two spellings of the same id."""

from __future__ import annotations

import re
from collections.abc import Callable, Container
from itertools import count
from typing import TYPE_CHECKING, Any, Final, TypeGuard

if TYPE_CHECKING:
    from uuid import UUID

_REFUSED: Final = re.compile(r"[^A-Za-z0-9_-]")
_REFUSED_BY_BEDROCK: Final = re.compile(r"[^A-Za-z0-9_.:-]")
_NOT_ALNUM: Final = re.compile(r"[^A-Za-z0-9]")
_PREFIX: Final = re.compile(r"^(?:toolu_vrtx_|tooluse_|toolu_|chatcmpl-tool-|call_|fc_|functions[._])", re.IGNORECASE)


def usable(id_: Any) -> TypeGuard[str]:
    """Whether this is an id at all: a non-empty str."""
    return isinstance(id_, str) and id_ != ""


def sanitised(id_: str) -> str:
    """Replace every character outside `[A-Za-z0-9_-]` with `_`, as Roo Code's sanitizeToolUseId does."""
    return _REFUSED.sub("_", id_)


def _truncated(id_: str) -> str:
    clean = sanitised(id_)
    return clean if len(clean) <= 64 else f"{clean[:55]}_{_hex('md5', clean)}"


def _truncated_sha256(id_: str) -> str:
    """The id that LiteLLM makes for Bedrock."""
    if len(id_) <= 64 and _REFUSED_BY_BEDROCK.search(id_) is None:
        return id_
    return f"{_REFUSED_BY_BEDROCK.sub('_', id_)[:55]}_{_hex('sha256', id_)}"


def _hashed(id_: str, how: str) -> str:
    """The letters-and-digits id that OpenClaw makes when two ids become the same."""
    plain = _NOT_ALNUM.sub("", id_)
    return id_ if plain == id_ and len(id_) <= 40 else f"{plain[:32]}{_hex(how, id_)}"


def _hex(how: str, id_: str) -> str:
    import hashlib

    return hashlib.new(how, id_.encode("utf-8", "replace")).hexdigest()[:8]


def uuid_of(namespace: UUID, text: str) -> str:
    """A UUID that depends only on the namespace and the text; lone surrogates are allowed."""
    import uuid

    return str(uuid.uuid5(namespace, text.encode("utf-8", "backslashreplace").decode("utf-8")))


def first_free(made: Callable[[int], str], *taken: Container[str]) -> str:
    """The first id that `made` makes of 0, 1, 2, … and that nothing has yet."""
    return next(id_ for id_ in map(made, count()) if not any(id_ in ids for ids in taken))


def _bare(id_: str) -> str:
    return _NOT_ALNUM.sub("", id_).casefold()


SPELLINGS: Final[tuple[tuple[str, Callable[[str], str]], ...]] = (
    ("sanitised", sanitised),
    ("truncated", _truncated),
    ("truncated_sha256", _truncated_sha256),
    ("hashed", lambda id_: _hashed(id_, "sha1")),
    ("hashed", lambda id_: _hashed(id_, "sha256")),
    ("call_item", lambda id_: id_.split("|", 1)[0]),
    ("thought", lambda id_: id_.split("__thought__", 1)[0]),
    ("case_or_space", lambda id_: "".join(id_.split()).casefold()),
    ("sanitised", _bare),
    ("prefix", lambda id_: _bare(_PREFIX.sub("", id_.strip()))),
    ("cut", lambda id_: sanitised(id_)[:64]),
    ("cut", lambda id_: sanitised(id_)[:40]),
    ("cut", lambda id_: _NOT_ALNUM.sub("", id_)[:40]),
)
"""(how the two spellings differ, function to the form they share), strongest evidence first."""


_LONGEST: Final = 200
"""In characters: a longer id is not compared for slips."""
_CUTS: Final = (64, 40)
"""Lengths, in characters, that clients cut ids to."""


def cut_of_one(one: str, other: str) -> bool:
    """Whether one id may be the other cut off: the lengths differ, and the shorter one is in `_CUTS`."""
    return len(one) != len(other) and min(len(one), len(other)) in _CUTS


def one_tool(name: str | None, other: str | None) -> bool:
    """Whether two names may be one tool's: one is not known, or is the other in another spelling or with a prefix."""
    one, two = _bare(name or ""), _bare(other or "")
    return one in two or two in one


_RANDOM: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[A-Za-z0-9]{12,}")
"""What may be the random part of an id: a UUID, or at least twelve letters and digits."""
_CHANGES: Final = re.compile(r"[a-z](?=[A-Z0-9])|[A-Z](?=[a-z0-9])|[0-9](?=[A-Za-z])")
"""Where a letter follows a digit and so on: random parts have many, words and numbers few."""
_NUMBER: Final = re.compile(r"[0-9]+")
_FEWEST_CHANGES: Final = 4
_FEWEST_CHARACTERS: Final = 6
_APART: Final = 2


def nearly_same(one: str, other: str) -> bool:
    """Whether two long random ids differ in at most two characters of their random part: a slip, not chance.

    Never counters: what differs is neither outside of the random part nor only a number in it.
    """
    random, theirs = _random_part(one), _random_part(other)
    if one == other or random is None or theirs is None or _around(one, random) != _around(other, theirs):
        return False
    if _NUMBER.sub("0", random) == _NUMBER.sub("0", theirs):
        return False
    return apart(random, theirs, _APART)


def apart(one: str, other: str, most: int) -> bool:
    """Whether at most this many characters must be replaced, put in or taken out to make one text the other."""
    end = min(len(one), len(other))
    at = next((n for n in range(end) if one[n] != other[n]), end)
    if abs(len(one) - len(other)) > most:
        return False
    if len(one) == len(other) == at:
        return True
    if not most:
        return False
    left, rest = one[at + 1 :], other[at + 1 :]
    return apart(left, rest, most - 1) or apart(left, other[at:], most - 1) or apart(one[at:], rest, most - 1)


def _random_part(id_: str) -> str | None:
    """The longest part that looks random; None for a short id, a word or a number."""
    part = max(_RANDOM.findall(_PREFIX.sub("", id_)) if len(id_) <= _LONGEST else (), key=len, default="")
    # Words joined by capitals change half as often as random letters do.
    fewest = _FEWEST_CHANGES if any(character.isdigit() for character in part) else len(part) // 2
    random = len(set(part)) >= _FEWEST_CHARACTERS and len(_CHANGES.findall(part)) >= max(fewest, _FEWEST_CHANGES)
    return part if random else None


def _around(id_: str, part: str) -> tuple[str, str]:
    before, _, after = id_.rpartition(part)
    return before, after


def digest(id_: str) -> str:
    """Eight characters that identify an id: "x" and seven hexadecimal digits."""
    import hashlib

    return "x" + hashlib.sha256(id_.encode("utf-8", "surrogatepass")).hexdigest()[:7]
