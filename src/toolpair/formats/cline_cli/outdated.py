"""Files that Cline's command line read again later: what the earlier reads said is not sent, if that saves enough."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from toolpair.dialects.argument_texts import loaded
from toolpair.dialects.item_types import type_name
from toolpair.formats.engine.sending import as_javascript

OUTDATED: Final = "[outdated - see the latest file content]"
_READ_TOOLS: Final = ("read", "read_files")
_SAVES: Final = 65_536
"""Bytes that have to be saved at least."""
_QUERY: Final = re.compile(r"(.*):(\d+)-(EOF|\d+)", re.ASCII)
_OWN_BLOCKS: Final = ("text", "image", "file")


class _Place(NamedTuple):
    """What of which file was read."""

    path: str
    first: int | None = None
    last: int | None = None

    @property
    def key(self) -> str:
        return self.path if self.is_whole else f"{self.path}:{self.first or 1}-{self.last or 'EOF'}"

    @property
    def is_whole(self) -> bool:
        return self.first is None and self.last is None


class ReadResult(NamedTuple):
    """The result of a read."""

    id: str
    places: Sequence[_Place]
    entries: Sequence[tuple[str, Any]]
    """What it says of each file, by the key of its place, as it is sent if it is not outdated."""
    bare: Sequence[str]
    """Its texts that are no entries, likewise."""


class Reads:
    """The reads in a row of blocks, as they are sent."""

    def __init__(self, shortened: Callable[[Any], Any]) -> None:
        self._names: dict[str, str] = {}
        self._asked: dict[str, list[_Place]] = {}
        self._latest: dict[str, str] = {}
        """A place's key -> the call that read it last."""
        self._whole: dict[str, str] = {}
        """A path -> the call, or the file, that has all of it."""
        self._shortened = shortened
        self._files = 0

    def take(self, block: Any) -> ReadResult | None:
        """Note what the next block reads; the result of a read."""
        match type_name(block):
            case "file" if isinstance(block.get("path"), str):
                self._files += 1
                self._whole[block["path"]] = f"file:{self._files}"
            case "tool_use" if isinstance(block.get("name"), str):
                id_ = repr(block.get("id"))
                self._names[id_] = block["name"].lower()
                if self._names[id_] in _READ_TOOLS:
                    self._asked[id_] = list(_asked_for(block.get("input")))
            case "tool_result" if self._is_read(block):
                id_ = repr(block.get("tool_use_id"))
                content = block["content"]
                placed = [(place, entry) for entry in _entries(content) if (place := _place_of(entry)) is not None]
                places = [place for place, _ in placed] or self._asked.get(id_, [])
                for place in places:
                    self._latest[place.key] = id_
                    if place.is_whole:
                        self._whole[place.path] = id_
                bare = [self._shortened(text) for text in _texts(content) if loaded(text) is None]
                return ReadResult(id_, places, [(place.key, self._shortened(entry)) for place, entry in placed], bare)
        return None

    def _is_read(self, block: dict[str, Any]) -> bool:
        name = block.get("name")
        known = self._names.get(repr(block.get("tool_use_id")), name.lower() if isinstance(name, str) else "")
        read = known in _READ_TOOLS and block.get("is_error") is not True
        return read and isinstance(block.get("content"), (str, list))

    def _places(self, block: dict[str, Any]) -> Sequence[_Place]:
        found = [place for entry in _entries(block["content"]) if (place := _place_of(entry)) is not None]
        return found or self._asked.get(repr(block.get("tool_use_id")), ())

    def outdated(self, id_: str, places: Iterable[_Place]) -> set[str]:
        """The places of a result that were read again."""
        return {
            place.key
            for place in places
            if self._whole.get(place.path, id_) != id_ or self._latest.get(place.key) != id_
        }

    def save_enough(self, results: Iterable[ReadResult]) -> bool:
        """Whether leaving out of these results what was read again is worth it."""
        return sum(_size(found, self.outdated(found.id, found.places)) for found in results) >= _SAVES

    def sent(self, block: Any) -> Any:
        """The block without what was read again; the same object where nothing was."""
        if type_name(block) != "tool_result" or not self._is_read(block):
            return block
        keys = self.outdated(repr(block.get("tool_use_id")), self._places(block))
        if not keys:
            return block
        content = block["content"]
        made = _text_sent(content, keys) if isinstance(content, str) else [_part_sent(part, keys) for part in content]
        return {**block, "content": made}


def _size(found: ReadResult, keys: set[str]) -> int:
    said = [as_javascript(entry) for key, entry in found.entries if key in keys]
    return sum(len(text.encode("utf-8", "replace")) for text in (*said, *found.bare)) if keys else 0


def _texts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    else:
        yield from (part["text"] for part in content if type_name(part) == "text" and isinstance(part.get("text"), str))


def _entries(content: Any) -> Iterator[Any]:
    """What a read says, one file after the other."""
    for text in _texts(content):
        said = loaded(text)
        yield from said if isinstance(said, list) else [said]
    if isinstance(content, list):
        yield from (part for part in content if type_name(part) not in _OWN_BLOCKS)


def _part_sent(part: Any, keys: set[str]) -> Any:
    match type_name(part):
        case "text" if isinstance(part.get("text"), str):
            text = _text_sent(part["text"], keys)
            return part if text == part["text"] else {**part, "text": text}
        case "file" if part.get("path") in keys:
            return {**part, "content": OUTDATED}
        case "text" | "image" | "file":
            return part
    return _entry_sent(part, keys)


def _text_sent(text: str, keys: set[str]) -> str:
    said = loaded(text)
    if said is None:
        return OUTDATED
    made = [_entry_sent(entry, keys) for entry in said] if isinstance(said, list) else _entry_sent(said, keys)
    return as_javascript(made)


def _entry_sent(entry: Any, keys: set[str]) -> Any:
    place = _place_of(entry)
    if place is None or place.key not in keys:
        return entry
    by_content = not isinstance(entry.get("result"), str) and isinstance(entry.get("content"), str)
    return {**entry, "content" if by_content else "result": OUTDATED}


def _asked_for(given: Any) -> Iterator[_Place]:
    if not isinstance(given, dict):
        return
    files = given.get("files")
    for one in (given, *(files if isinstance(files, list) else ())):
        if (place := _by_path(one)) is not None:
            yield place
    paths = given.get("file_paths")
    yield from (_Place(path) for path in (paths if isinstance(paths, list) else ()) if isinstance(path, str) and path)


def _place_of(entry: Any) -> _Place | None:
    found = _by_path(entry)
    query = entry.get("query") if isinstance(entry, dict) else None
    if found is not None or not isinstance(query, str) or not query:
        return found
    match = _QUERY.fullmatch(query)
    if match is None:
        return _Place(query)
    return _Place(match[1], int(match[2]), None if match[3] == "EOF" else int(match[3]))


def _by_path(given: Any) -> _Place | None:
    if not isinstance(given, dict):
        return None
    names = (given.get(key) for key in ("path", "file_path", "filePath"))
    path = next((name for name in names if isinstance(name, str) and name), None)
    lines = (given.get(key) for key in ("start_line", "end_line"))
    return None if path is None else _Place(path, *(line if type(line) is int else None for line in lines))
