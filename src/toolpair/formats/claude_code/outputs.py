"""What Claude Code writes around a tool's output, and how it repeats elsewhere what a tool returned."""

from __future__ import annotations

import re
from typing import Any, Final

from toolpair.dialects.block_texts import is_placeholder_text, text_of

_REMINDER: Final = re.compile(r"\n\n<system-reminder>(?:(?!</?system-reminder>).)*</system-reminder>\s*\Z", re.DOTALL)
_CLEARED: Final = ("[Old tool result content cleared]",)
_ERROR: Final = "Error: "
_PERSISTED: Final = re.compile(
    r"<persisted-output>\nOutput too large \([^()\n]{1,20}\)\. Full output saved to: ([^\n]+)\n"
)
_WHOLE: Final = 30_000
"""In characters. Of a longer output the history only has a preview and the path of a file."""
_PREVIEW: Final = 2_000


def worth_keeping(content: Any) -> bool:
    """Whether it is a result's content with anything real in it."""
    if not isinstance(content, (str, list)):
        return False
    text = text_of(content)
    return bool(text.strip()) and not is_placeholder_text(text) and not text.startswith(_CLEARED)


def without_reminder(content: Any) -> Any:
    """A result's content as sent, without the reminders that the agent appends to a tool's output."""
    if isinstance(content, str):
        shorter = _REMINDER.sub("", content)
        while shorter != content:
            content, shorter = shorter, _REMINDER.sub("", shorter)
        return content
    if isinstance(content, list) and content and isinstance(content[-1], dict):
        last = content[-1]
        text = last.get("text")
        if last.get("type") == "text" and isinstance(text, str):
            if text.lstrip().startswith("<system-reminder>") and text.rstrip().endswith("</system-reminder>"):
                return content[:-1]
            shorter = without_reminder(text)
            if shorter != text:
                return [*content[:-1], {**last, "text": shorter}]
    return content


def said_by(details: Any) -> tuple[Any, bool]:
    """What a `toolUseResult` says, as result content (None: nothing that a model would read), and whether it is an
    error.
    """
    if isinstance(details, str):
        if details.startswith(_ERROR):
            return details.removeprefix(_ERROR), True
        return details, False
    if isinstance(details, list):
        return (details if all(isinstance(part, dict) and "type" in part for part in details) else None), False
    if not isinstance(details, dict):
        return None, False
    streams = [details[key] for key in ("stdout", "stderr") if isinstance(details.get(key), str) and details[key]]
    if streams:
        return "\n".join(streams), False
    content = details.get("content")
    if isinstance(content, (str, list)) and content:
        return content, False
    file = details.get("file")
    if isinstance(file, dict) and isinstance(file.get("content"), str):
        return file["content"], False
    return None, False


def persisted_at(output: str) -> str | None:
    """The path of the file that has the whole of a long output; None for any other output."""
    found = _PERSISTED.match(output)
    return found[1] if found is not None else None


def as_persisted(output: str, size: int, path: str) -> str:
    """The text that the agent sends in place of a long output: the path of the file, and its beginning."""
    if len(output) <= _WHOLE:
        return output
    cut = output.rfind("\n", 0, _PREVIEW)
    preview = output[: cut if cut > _PREVIEW // 2 else _PREVIEW]
    kilobytes = size / 1024
    shown = f"{kilobytes:.1f}KB" if kilobytes < 1024 else f"{kilobytes / 1024:.1f}MB"
    return (
        f"<persisted-output>\nOutput too large ({shown}). Full output saved to: {path}\n\n"
        f"Preview (first 2KB):\n{preview}\n...\n</persisted-output>"
    )
