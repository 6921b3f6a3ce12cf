"""What single records of Claude Code say, as far as a scan asks."""

from __future__ import annotations

from typing import Any, Final

from toolpair.formats.claude_code.outputs import said_by, worth_keeping
from toolpair.formats.claude_code.record_kinds import content_of
from toolpair.history.outline import Odd
from toolpair.history.scans.plain_keys import TEXT_KEYS
from toolpair.transcript.model import KEPT_OUTPUT

_SHOWN: Final = 400


def kept_by(boundary: dict[str, Any]) -> list[str]:
    """The uuids that a compaction names as kept, or as the ends of what is."""
    metadata = boundary.get("compactMetadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    listed, segment = metadata.get("preservedMessages"), metadata.get("preservedSegment")
    names: list[Any] = []
    if isinstance(listed, dict) and isinstance(listed.get("uuids"), list):
        names += listed["uuids"]
    if isinstance(segment, dict):
        names += (segment.get("headUuid"), segment.get("tailUuid"))
    return [name for name in names if isinstance(name, str) and name]


def is_result(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == "tool_result"


def is_words(value: dict[str, Any]) -> bool:
    """Whether a record is the user's, and begins with something else than a result."""
    content = content_of(value)
    return value.get("type") == "user" and not (isinstance(content, list) and content and is_result(content[0]))


def is_said(text: Any) -> bool:
    """Whether words are no problem, and a line of the list."""
    if type(text) is not str or not text or text.startswith(KEPT_OUTPUT):
        return False
    return not text[0].isspace() or bool(text[:_SHOWN].strip())


def joined_parts(said: Any, is_error: Any) -> str:
    """What a result says in several parts."""
    if type(said) is not list:
        raise Odd
    texts = []
    for part in said:
        kind = part["type"]
        if kind == "text" and part.keys() <= TEXT_KEYS and type(part["text"]) is str and part["text"]:
            texts.append(part["text"])
        elif kind == "image" and is_error is not True:
            texts.append("[image]")
        else:
            raise Odd
    return "\n".join(texts)


def may_say(details: Any) -> bool:
    """Whether what the agent noted down beside a result may be its output."""
    if details is None:
        return False
    return (type(details) is dict and "persistedOutputPath" in details) or worth_keeping(said_by(details)[0])
