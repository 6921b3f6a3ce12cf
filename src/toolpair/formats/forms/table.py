"""What a table may say, and how it is loaded: msgspec checks it, `like` takes what is not said from another one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct, field

from toolpair.formats.forms.pairing import PAIR
from toolpair.formats.forms.paths import BadPath, conditions_of, path_of
from toolpair.rules.profiles import is_profile
from toolpair.rules.registry import RULES
from toolpair.shell.settings import BadSettings, opened_without_waiting, parsed_toml

FOLDER: Final = Path(__file__).parent
_MOST: Final = 1 << 16
"""Bytes of a table."""
_WORDS: Final = frozenset({"id", "name", "text", "new", "results", "null", "number"})
_BESIDE: Final = "beside."
BRANCHES: Final = ("$error", "$ok")
"""Keys of a template whose object counts only for an error, or only for a real output."""

Paths = str | list[str]
"""One path, or several of which the first that leads to something counts."""
_PATHS: Final = frozenset(
    {"at", "id", "name", "content", "arguments", "role", "text", "thinking", "step", "group", "drop"}
)
_CONDITIONS: Final = frozenset({"each", "some", "none", "file", "skip", "error", "into"})


class BadTable(ValueError):
    """A table that cannot be used. Its text is a sentence with the place."""


class Evidence(Struct, forbid_unknown_fields=True, frozen=True):
    each: list[str] = []
    """What most elements have."""
    some: list[str] = []
    """What at least one element has, and only this form: any of these."""
    none: list[str] = []
    """What no other element has: one that has it counts against the form."""
    file: list[str] = []
    """What the object around the list has: any of these is as good as `some`."""


class Copy(Struct, forbid_unknown_fields=True, frozen=True):
    """Something else in the element that is renamed and removed with a call or a result."""

    at: str
    id: str = ""


class Unit(Struct, forbid_unknown_fields=True, frozen=True):
    """What a call and a result both have."""

    at: str
    """What goes with it: a block, an entry of a list; "" is the element."""
    id: Paths = ""
    name: Paths = ""
    server: bool = False
    """The provider runs it."""
    copy: list[Copy] = []


class Call(Unit, forbid_unknown_fields=True, frozen=True):
    arguments: Paths = ""
    arguments_are: Literal["object", "text", "any"] = "any"
    strip: str = ""
    """What its name begins with there, and is no part of it."""
    signature: Paths = ""
    """What the provider signed the model's thoughts before it with."""


class Result(Unit, forbid_unknown_fields=True, frozen=True):
    content: Paths = ""
    media: Paths = ""
    """Where its images and documents are listed, beside what it says."""
    media_apart: bool = False
    """Where the API takes none in results, the library sends its images in a message of their own."""
    error: list[str] = []
    """Any of these conditions marks an error."""
    inside: bool = False
    """It is a part of its call."""


class ProfileAt(Struct, forbid_unknown_fields=True, frozen=True):
    """Where elements say whose API they are sent to."""

    at: str
    """A path, also to the keys of a map; or to ids, which begin as a provider's do."""
    means: dict[str, str]
    """What is written there -> profile; "toolu_*" is what begins so. It counts if all that is there means the same."""


class New(Struct, forbid_unknown_fields=True, frozen=True):
    """Templates: values, or JSON in a string, with $id, $name, $text, $new (an id of its own), $null, $beside.PATH (of
    the element beside it), $results. A key whose value is not known is left out.
    """

    result: Any = None
    message: Any = None
    """The element around new results, where they are blocks."""
    into: list[str] = []
    """An element after the calls that meets these takes results itself."""
    fill: dict[str, Any] = {}
    """For results in their calls: path -> what is set there."""
    drop: list[str] = []
    """And what is removed."""
    text: Any = None
    """A user's message."""
    said: Any = None
    """For items: a text of the model's."""

    @property
    def is_known(self) -> bool:
        """Whether edits can be written: without it, a list is only read."""
        return self.text is not None and (self.result is not None or bool(self.fill))


class Table(Struct, forbid_unknown_fields=True, frozen=True):
    title: str
    lists: list[str]
    """Where in a document the elements are; "[]" is the document."""
    role: list[str]
    roles: dict[str, str]
    """What is written -> "user", "assistant", "system" or "tool"."""
    call: list[Call]
    result: list[Result]
    evidence: Evidence
    where: str = "files and logs of programs that keep such a list"
    profile: str = "openai-chat"
    profile_at: list[ProfileAt] = []
    """Where a list says which profile judges it in place of `profile`: the first that tells."""
    at: str = ""
    """Where in an element the message is: all paths start there but those that begin with "/"."""
    default_role: str = "user"
    text: list[str] = []
    thinking: list[str] = []
    images: list[str] = []
    """Lists of images that are only their Base64, beside the texts."""
    step: str | None = None
    """For results in their calls: a block that begins another response within one element."""
    group: str | None = None
    """For items: those with the same value here are of one response."""
    skip: list[str] = []
    """Elements that are never sent: any of these conditions."""
    stricter: dict[str, Literal["error", "warning"]] = {}
    """Rules that the program which writes such lists is stricter about than the API: it leaves out, or refuses."""
    pair: str | None = None
    """A function for what no table says: the name of one of `pairing`; "" where a table is like one that has it."""
    folder: str = ""
    """For elements that are a file each: the folder whose files make a session. One alone is none."""
    read_only: str = ""
    """Why lists of this form are never changed, as a sentence."""
    new: New = field(default_factory=New)

    @property
    def shape(self) -> Literal["item", "message", "block", "inside"]:
        """Where results are: elements of a flat list, messages, blocks of a message, or a part of their call."""
        if any(result.inside for result in self.result):
            return "inside"
        if not all(_is_element(result.at) for result in self.result):
            return "block"
        return "item" if all(_is_element(call.at) for call in self.call) else "message"


def _is_element(at: str) -> bool:
    return not at or (at.startswith("[") and at.endswith("]") and "]." not in at)


def text_of(path: Path) -> str:
    """What is written in a table's file. Raises BadTable."""
    try:
        with open(path, encoding="utf-8", opener=opened_without_waiting) as file:
            text = file.read(_MOST + 1)
    except (OSError, UnicodeDecodeError) as error:
        raise BadTable(f"{path} cannot be read as a table ({getattr(error, 'strerror', None) or error}).") from None
    if len(text) > _MOST:
        raise BadTable(f"{path}: it is longer than {_MOST:,} bytes.")
    return text


def parsed(text: str, shown: str, ours: bool = False) -> Table:
    """The table in a text that is called `shown`. Raises BadTable. `ours`: its paths are known to be right."""
    raw = _raw(text, shown)
    passed: list[str] = []
    while (base := raw.pop("like", None)) is not None:
        if base in passed:
            raise _bad(shown, text, ("like",), f"goes in a circle: {' → '.join([*passed, base])}")
        file = FOLDER / f"{base}.toml"
        if not isinstance(base, str) or not re.fullmatch(r"[a-z0-9-]{1,100}", base) or not file.is_file():
            raise _bad(shown, text, ("like",), f"names no form that toolpair has: {base!r}")
        passed.append(base)
        raw = {**_raw(file.read_text(), base), **raw}
    try:
        table = msgspec.convert(raw, Table)
    except msgspec.ValidationError as error:
        said, _, place = str(error).partition(" - at ")
        keys = tuple(re.findall(r"\w+", place.strip("`$")))
        named = re.search(r"field `(\w+)`", said)
        raise _bad(shown, text, (*keys, named[1]) if named and "missing" not in said else keys, said) from None
    if not ours:
        _check(table, text, shown)
    return table


def _raw(text: str, shown: str) -> dict[str, Any]:
    try:
        return parsed_toml(text, shown)
    except BadSettings as error:
        raise BadTable(str(error)) from None


def _check(table: Table, text: str, shown: str) -> None:
    for key, profile in _profiles(table):
        if not is_profile(profile):
            raise _bad(shown, text, (key,), f"is not a profile: {profile!r}")
    if table.pair and table.pair not in PAIR:
        raise _bad(shown, text, ("pair",), f"is none of {', '.join(PAIR)}")
    for rule in table.stricter:
        if rule not in RULES:
            raise _bad(shown, text, ("stricter",), f"names no rule: {rule!r}")
    for role in table.roles.values():
        if role not in ("user", "assistant", "system", "tool"):
            raise _bad(shown, text, ("roles",), f"has {role!r} where user, assistant, system or tool is meant")
    for keys, value in _leaves(msgspec.to_builtins(table)):
        name = next(key for key in reversed(keys) if not key.isdigit())
        try:
            if keys[0] == "new" and name not in ("into", "drop"):
                _check_template(value, keys)
            elif name in _CONDITIONS and isinstance(value, str):
                conditions_of(value)
            elif (
                keys[0] not in ("roles", "stricter")
                and "means" not in keys
                and name in (*_PATHS, "lists")
                and isinstance(value, str)
            ):
                path_of(value.removeprefix("/").removesuffix("[]" if name == "lists" else ""))
        except BadPath as error:
            raise _bad(shown, text, keys, str(error)) from None


def _profiles(table: Table) -> Iterator[tuple[str, str]]:
    yield "profile", table.profile
    yield from (("profile_at", profile) for rule in table.profile_at for profile in rule.means.values())


def _check_template(value: Any, at: tuple[str, ...]) -> None:
    for keys, word in _leaves(template(value), at):
        for key in keys:
            if key.startswith("$") and key not in BRANCHES:
                raise BadPath(f"has the key {key!r}; only {' and '.join(BRANCHES)} are known")
        if isinstance(word, str) and word.startswith("$"):
            if word.startswith(f"${_BESIDE}"):
                path_of(word[1 + len(_BESIDE) :])
            elif word[1:] not in _WORDS:
                raise BadPath(f"has {word!r}, which stands for nothing")


def template(value: Any) -> Any:
    """A template: JSON that is written in a string is that value. Raises BadPath."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(value)
        except ValueError as error:
            raise BadPath(f"is not JSON ({error})") from None
    return value


def _leaves(value: Any, keys: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    pairs = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else None
    if pairs is None:
        yield keys or ("",), value
        return
    for key, part in pairs:
        yield from _leaves(part, (*keys, str(key)))


def _bad(shown: str, text: str, keys: tuple[str, ...], said: str) -> BadTable:
    """What is wrong, with the table and key that it is wrong with, and the line on which that stands."""
    number = next((int(key) for key in keys[1:2] if key.isdigit()), 0)
    names = [key for key in keys if not key.isdigit() and key]
    where = ".".join(names)
    line = _line(text, names, number)
    place = f"{shown}, line {line}" if line else shown
    return BadTable(f"{place}: {where + ': ' if where else ''}{said}.")


def _line(text: str, names: list[str], number: int) -> int | None:
    """The line of a key; that of its table if it is not found; None without either (it may be from `like`)."""
    table, seen, found = "", 0, None
    for n, line in enumerate(text.splitlines(), 1):
        if head := re.match(r"\s*\[+\s*([\w.]+)\s*\]+", line):
            table, seen = head[1], seen + (len(names) > 0 and head[1] == names[0])
            if names and head[1] == names[0] and seen == number + 1:
                found = n
        elif key := re.match(r"\s*([\w-]+)\s*=", line):
            inside = names[:1] == [table] and seen == number + 1 and key[1] in names[1:]
            if inside or (not table and names[:1] == [key[1]]):
                return n
    return found
