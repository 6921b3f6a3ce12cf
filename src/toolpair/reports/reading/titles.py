"""What a heading says of a call and of its result: the tool and what it acts on; exit code or error, time, size."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from toolpair.dialects.block_texts import arguments
from toolpair.dialects.media import Media, media_in, text_beside_media
from toolpair.reports.reading.call_line import counts_of, counts_words, from_folder, todo_words, tool_name
from toolpair.text.short import seconds_text, size_text
from toolpair.text.tool_calls import Command, Edits, Todo, path_of, understood
from toolpair.transcript.counting import lines_in, plural

if TYPE_CHECKING:
    from toolpair.transcript.model import Block


_EXIT: Final = re.compile(r"(?:^|\n)(?:Process exited with code|Exit code:?|exit code:?) (-?\d{1,5})(?=\n|$)")
_WALL: Final = re.compile(r"(?:^|\n)Wall time: (\d{1,9}(?:\.\d+)?) seconds")
_METADATA: Final = re.compile(r'"exit_code": ?(-?\d{1,5})\b(?:, ?"duration_seconds": ?(\d{1,9}(?:\.\d+)?))?')
_HEAD: Final = 600
_TAIL: Final = 300


class Outcome(Struct, frozen=True):
    """How a command ended."""

    exit: int | None = None
    seconds: float | None = None
    failed: bool = False

    @property
    def words(self) -> str:
        """`exit 1`, `ERROR`, `ERROR exit 1`; empty when nothing is said."""
        end = "" if self.exit is None else f"exit {self.exit}"
        return f"ERROR {end}".strip() if self.failed or self.exit else end


def outcome_of(text: str, is_error: bool) -> Outcome:
    """What the output itself says: agents write exit code and time at its start, or beside it as JSON."""
    head = text[:_HEAD]
    wall = _WALL.search(head) if "Wall time" in head else None  # few say either: a text is searched quicker for words
    seconds = float(wall.group(1)) if wall is not None else None
    found = _EXIT.search(head) if " code" in head else None
    if found is not None and (is_error or wall is not None or found.start() == 0):
        return Outcome(int(found.group(1)), seconds, is_error)
    if head.startswith('{"output"'):
        told = _METADATA.search(text[-_TAIL:])
        if told is not None:
            seconds = float(told.group(2)) if told.group(2) else None
            return Outcome(int(told.group(1)), seconds, is_error)
    return Outcome(None, seconds, is_error)


_MOST_CHECKED: Final = 1 << 18
"""Longer outputs that look like JSON are taken for JSON without parsing them."""
_COUNTED: Final = 1 << 16


def call_title(call: Block, folder: str | None = None) -> str:
    """The tool and what it is used on: `Bash`, `Edit src/app.py · +2 -1`, `query · MCP server shop-db`. Untrusted.

    Paths in the session's `folder` are shown from there.
    """
    name, server = tool_name(call.name or "(no name)")
    if server:
        return f"{name} · MCP server {server}"
    does = understood(call.name, arguments(call))
    match does:
        case Edits(files=files):
            where = from_folder(files[0].path, folder) if len(files) == 1 else plural(len(files), "file")
            return f"{name} {where} · {counts_words(*counts_of(does))}"
        case Todo():
            return f"{name} · {todo_words(does)}"
        case Command():
            return name
    path = path_of(arguments(call))
    return f"{name} {from_folder(path, folder)}" if path else name


def result_title(result: Block, seconds: float | None = None) -> str:
    """Exit code or error, time taken, lines and size: `exit 1 · 31 lines · 2.0 KB · took 4.2 s`."""
    media = media_in(result)
    text = text_beside_media(result) if media else result.text
    outcome = outcome_of(text, bool(result.is_error))
    parts = [outcome.words or ("error" if result.is_error else "ok")]
    if media:
        parts.append(plural(len(media), "image" if all(each.kind == "image" for each in media) else "file"))
    if lines := lines_in(text):
        parts.append(plural(lines, "line"))
    small = len(text) < _COUNTED and not text.isascii()
    size = len(text.encode("utf-8", "surrogatepass")) if small else len(text)
    parts.append(size_text(size + sum(each.size for each in media)))
    seconds = outcome.seconds if seconds is None else seconds
    if seconds is not None:
        parts.append(f"took {seconds_text(seconds)}")
    return " · ".join(parts)


def media_words(media: Media) -> str:
    """`image  PNG, 1280 x 800, 84 KB`. Untrusted."""
    words = [media.type.rpartition("/")[2].upper() or "unknown kind"]
    if media.pixels is not None:
        words.append("{:,} x {:,}".format(*media.pixels))
    words.append(size_text(media.size) if media.data else f"at {media.address}" if media.address else "no content here")
    return f"{media.kind}  {', '.join(words)}"


def looks_like_json(text: str) -> bool:
    """Whether a text is a JSON object or array."""
    start, end = text[:64].lstrip(), text[-64:].rstrip()
    if not start or not end or (start[0], end[-1]) not in (("{", "}"), ("[", "]")):
        return False
    if len(text) > _MOST_CHECKED:
        return start[1:2] in '"{[\n\r ' or start[1:2].isdigit()
    try:
        return bool(json.loads(text))
    except (ValueError, RecursionError):
        return False
