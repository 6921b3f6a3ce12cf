"""What the model would see, as texts: abridged, in full, and which record of the file becomes which part."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from toolpair.history.sent_rows import UNKNOWN_SENDER, request_sent, rows_sent
from toolpair.reports.reading.call_line import call_line
from toolpair.tui.numbers import count_text
from toolpair.tui.row_lines import ROLES

if TYPE_CHECKING:
    from toolpair.history.sent_rows import SeenRow
    from toolpair.reports.requests_in_time import RequestsInTime
    from toolpair.session.session import Conversation
    from toolpair.tui.styled_text import Glyphs

SHORT = 6
"""Maximum lines of a text in the abridged version."""
LEFT_OUT, REPLACED, ADDED, CHANGED = "✗", "≠", "+", "~"
_STYLES: Final = {
    **dict.fromkeys((LEFT_OUT, REPLACED, "x", "#"), "error"), ADDED: "dim", CHANGED: "warning",
}  # fmt: skip
"""With those that stand for the signs where there is only ASCII."""


def sent_text(glyphs: Glyphs, conversation: Conversation, most: int | None) -> str:
    """The history as it would be sent, with what is left out in its place, each block in at most so many lines."""
    return "\n".join(_lines(glyphs, conversation, most))


def line_style(line: str) -> str:
    """The style for a line of these texts, by its leading sign."""
    sign = line[:2].strip()
    if line.startswith(("── ", "-- ")):
        return "title"
    return _STYLES.get(sign, "")


def _lines(glyphs: Glyphs, conversation: Conversation, most: int | None) -> Iterator[str]:
    agent = conversation.transcript.agent or "Nobody"
    seen = request_sent(conversation)
    if seen is None:
        yield UNKNOWN_SENDER
    elif seen.refuses:
        yield glyphs.own(f"{LEFT_OUT} {seen.refuses}")
    else:
        version = f" {seen.version}" if seen.version else ""
        yield f"As {seen.agent}{version} sends it."
        signs = f"  {LEFT_OUT} left out   {REPLACED} replaced   {CHANGED} changed   {ADDED} added by the agent"
        yield glyphs.own(signs)
    yield from _messages(glyphs, rows_sent(conversation), agent, most, conversation.transcript.folder)


def past_text(glyphs: Glyphs, requests: RequestsInTime, number: int, most: int | None) -> str:
    """A request of the past: what has come and gone since the one before, what is broken, and all of it."""
    past = requests.at(number)
    before = requests.at(number - 1) if number > 1 else None
    messages = _messages(glyphs, past.rows(), past.sender, most, requests.folder)
    about = (glyphs.own(f"{LEFT_OUT} {words}") if wrong else words for wrong, words in past.about(before))
    return "\n".join((*about, *messages))


def _messages(
    glyphs: Glyphs, rows: Iterable[SeenRow], agent: str, most: int | None, folder: str | None
) -> Iterator[str]:
    number = -1
    for row in rows:
        if row.message is not None and row.message != number:
            number = row.message
            yield ""
            yield glyphs.own(f"── {number:,} {ROLES.get(row.role, row.role)}")
        yield from _row(glyphs, row, agent, most, folder)


def _row(glyphs: Glyphs, row: SeenRow, agent: str, most: int | None, folder: str | None) -> Iterator[str]:
    block = row.block
    if row.fate in ("dropped", "replaced") and block is not None:
        what = f"the call {' '.join(call_line(block, folder))}" if block.kind == "call" else "a result"
        if block.kind == "result":
            what += f" of {count_text(block.text.removesuffix(chr(10)).count(chr(10)) + 1, 'line')}"
        how = "is left out" if row.fate == "dropped" else "is replaced by the agent's own words"
        gone = glyphs.own(REPLACED if row.fate == "replaced" else LEFT_OUT)
        yield f"{gone} {what} {how}   {block.id or ''}".rstrip()
        return
    sign = {"added": ADDED, "changed": CHANGED}.get(row.fate, " ")
    if block is not None and block.kind == "call":
        yield f"{sign} call {' '.join(call_line(block, folder))}   {row.id or ''}"
        return
    text = row.text
    if block is not None and block.kind == "result":
        yield f"{sign} result   {row.id or ''}"
        yield from _cut(glyphs, text, most, "    ")
        return
    if row.fate == "added":
        yield f"{sign} {agent} adds:"
        yield from _cut(glyphs, text, most, "    ")
        return
    yield from _cut(glyphs, text, most, f"{sign} ")


def _cut(glyphs: Glyphs, text: str, most: int | None, indent: str) -> Iterator[str]:
    lines = text.removesuffix("\n").split("\n")
    shown = lines if most is None or len(lines) <= most + 1 else lines[:most]
    for line in shown:
        yield f"{indent}{line}"
    if len(shown) < len(lines):
        yield f"{indent}{glyphs.ellipsis} {count_text(len(lines) - len(shown), 'line')} more"


def records_text(conversation: Conversation) -> str:
    """Every record of the file with its scope."""
    scopes = conversation.transcript.scopes
    sent = {uid for message in conversation.transcript.messages for uid in message.records}
    lines = ["line    scope      what it is"]
    for record in conversation.document.records:
        scope = scopes.get(record.uid) or ("active" if record.uid in sent else "kept")
        value = record.value
        lines.append(f"{_number(record.line):>7} {scope:<10} {_kind(value)}")
    return "\n".join(lines)


def _number(line: int | None) -> str:
    return f"{line:,}" if line is not None else "new"


def _kind(value: Any) -> str:
    if not isinstance(value, dict):
        return getattr(value, "reason", "") or json.dumps(value, ensure_ascii=False, default=str)[:60]
    words = [str(value[key]) for key in ("type", "subtype", "role") if isinstance(value.get(key), str)]
    payload = value.get("payload")
    if isinstance(payload, dict):
        words += [str(payload[key]) for key in ("type", "role") if isinstance(payload.get(key), str)]
    return " ".join(dict.fromkeys(words))
