"""`fix --diff` for people: what staged fixes change, highlighted within the lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from toolpair.cli.terminal import TerminalStyle, safe
from toolpair.session.session import Session
from toolpair.source.changes import Change
from toolpair.text.file_diffs import both_sides
from toolpair.text.inline_diff import Folded, Hunk, decoded, folded, hunks
from toolpair.transcript.counting import plural

_LONGEST: Final = 400
"""Maximum characters of a line that is added or removed as a whole."""


def difference(session: Session, name: str, style: TerminalStyle, whole: bool) -> Iterator[str]:
    """A diff of the file against what would be saved, as lines; with `whole` nothing is left out or folded."""
    yield style.bold(f"--- {safe(name)}")
    yield style.bold(f"+++ {safe(name)} (after the fixes)")
    changes = session.staging.changes()
    for change in changes if whole else folded(changes):
        yield from _folded(change, style) if isinstance(change, Folded) else _change(change, style, whole)


def _folded(found: Folded, style: TerminalStyle) -> Iterator[str]:
    lines = [change.line for change in found.changes if change.line is not None]
    where = f"{len(lines):,} lines, {min(lines):,} to {max(lines):,}" if lines else plural(len(found.changes), "record")
    if len(lines) == 1:
        where = f"line {lines[0]:,}"
    yield style.dim(f"@@ {where}: only {safe(found.text)} @@")


def _change(change: Change, style: TerminalStyle, whole: bool) -> Iterator[str]:
    where = f"line {change.line:,}" if change.line is not None else "new"
    if change.count > 1:
        where = f"{change.count:,} lines from {where} on"
    if change.record is not None:
        where += f", record {change.record}"
    yield style.dim(f"@@ {where}: {change.kind} @@")
    before, after = change.before, change.after
    if before is not None and after is not None and change.count == 1:
        if before != after:
            for hunk in hunks(before, after, None) if whole else hunks(before, after):
                # With marks, as the interface shows it; without colour one line, with brackets.
                yield from _two_lines(hunk, style) if style.on else _one_line(hunk)
        return
    if before is not None:
        yield from _lines("-", before, style.red, whole)
    if change.count > 1:
        yield style.dim("… and so on")
    if after is not None and not (change.kind == "moved" and after == before):
        yield from _lines("+", after, style.green, whole)


def _two_lines(hunk: Hunk, style: TerminalStyle) -> Iterator[str]:
    """What was there and what is there now; on several lines if the record spans several."""
    sides = both_sides(hunk)
    for sign, marks, colour, mark in (("-", sides[0], style.red, "7;31"), ("+", sides[1], style.green, "7;32")):
        shown = ""
        for whole, kind in marks:
            for number, text in enumerate(whole.replace("\r\n", "\n").split("\n")):
                if number:
                    yield f"{colour(sign)} {shown}"
                    shown = ""
                text = safe(text)
                shown += style.code(mark, text) if kind == "only" else style.dim(text) if kind == "left out" else text
        yield f"{colour(sign)} {shown}"


def _one_line(hunk: Hunk) -> Iterator[str]:
    shown = ""
    for piece in hunk:
        for number, text in enumerate(piece.text.replace("\r\n", "\n").split("\n")):
            if number:
                yield f"  {shown}"
                shown = ""
            text = safe(text)
            shown += {"old": f"[-{text}-]", "new": f"{{+{text}+}}"}.get(piece.kind, text) if text else ""
    yield f"  {shown}"


def _lines(mark: str, data: bytes, colour: Callable[[str], str], whole: bool) -> Iterator[str]:
    for line in decoded(data).strip("\r\n").split("\n"):
        if not whole and len(line) > _LONGEST:
            line = f"{line[:_LONGEST]}… {len(line) - _LONGEST:,} more characters"
        yield colour(f"{mark}{safe(line)}")
