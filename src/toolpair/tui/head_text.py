"""The head of the main screen: the file in one line, the verdict in up to three."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from toolpair.session.session import beside, saving_text, with_last_call
from toolpair.shell.machine import home_short
from toolpair.text.cells import cut, cut_start
from toolpair.text.safe import SafeText, visible
from toolpair.tui.layout import left_column
from toolpair.tui.numbers import count_text, size_text
from toolpair.tui.overview import Refused
from toolpair.tui.styled_text import Glyphs, Line, Span, bar, cut_line, line_width, spread

if TYPE_CHECKING:
    from toolpair.session.session import Conversation, Problem, Session, Verdict

LONG_ID = 20
NOTHING_TO_CHECK = ("EMPTY", "NO CALLS YET", "A GUESS", "ONLY SHOWN")
BEGINNING = "This is only the beginning of the file. Problems are shown when all of it has been read."
GUESS: Final = "a guess: its form was drafted"
DESCRIBED: Final = "never compared with the agent"
REFUSED: Final = "API REFUSED IT"
"""The badge where only an error that was pasted says so."""


def file_name(session: Session, glyphs: Glyphs) -> SafeText:
    """A native session by its id, shortened; any other file by its name."""
    transcript = session.conversation.transcript
    if transcript.native and transcript.session_id:
        name = visible(transcript.session_id)
        return name if len(name) <= LONG_ID else SafeText(name[:6] + glyphs.ellipsis)
    return visible(session.file.name)


def state_text(session: Session) -> tuple[str, str]:
    """What is staged, and the style to show it in."""
    fixed = sum(staged.problems for staged in session.staged)
    if not session.changed:
        return "read only" if session.format.is_guess else "nothing changed", "dim"
    where = ""
    touched = sorted({staged.conversation + 1 for staged in session.staged})
    if len(session.conversations) > 1 and touched != [session.current + 1]:
        numbers = ", ".join(f"{number:,}" for number in touched[:3]) + (" …" if len(touched) > 3 else "")
        where = f" in conversation{'s' if len(touched) > 1 else ''} {numbers}"
    return f"{count_text(fixed, 'fix')}{where}, not saved", "applied"


def file_line(session: Session, glyphs: Glyphs, cells: int, size: int | None = None) -> Line:
    """`size` is that of the whole file when the session holds only its beginning."""
    transcript = session.conversation.transcript
    changes = f" ({glyphs.key('P', 'profile')} changes it)"
    parts: list[str] = [file_name(session, glyphs)]
    if transcript.native:
        parts.append(f"{transcript.agent or session.format.title} {transcript.agent_version or ''}".strip())
        if transcript.folder:
            folder = home_short(transcript.folder, os.path.expanduser("~"))
            parts.append(cut_start(visible(folder), 28, glyphs.ellipsis))
        parts.append(size_text(session.file.size if size is None else size))
        if session.profile.id != session.format.profile:
            parts.append(f"checked against {session.profile.name}")
    elif session.format.is_guess:
        if session.format.is_described:
            parts += [session.format.title, DESCRIBED]
        else:
            parts.append(GUESS)
    elif size is not None:
        parts.append(size_text(size))
    else:
        messages = count_text(len(transcript.messages), "message")
        parts.append(f"{messages}, checked against {session.profile.name}{changes}")
    if len(session.conversations) > 1:
        parts.insert(
            1, f"conversation {session.current + 1} of {len(session.conversations)} ({glyphs.key('c', 'conversation')})"
        )
    state, style = state_text(session)
    right = (glyphs.ui(f" {state} ", style, "review" if session.changed else None),)
    left = (glyphs.ui(" " + " · ".join(parts), "title"),)
    if line_width((*left, *right)) > cells:
        left = (glyphs.ui(" " + " · ".join(parts).removesuffix(changes), "title"),)
    return spread(left, right, cells, glyphs.ellipsis)


def with_sign(glyphs: Glyphs, line: Line, cells: int) -> Line:
    """The line of the file with a sign that it is followed."""
    *left, _, right = line
    sign = glyphs.ui(f" following ({glyphs.key('F', 'follow')}) ·", "good", "follow")
    return spread(left, (sign, right), cells, glyphs.ellipsis)


OUTLOOK: Final = {"stops": "error", "loses": "warning", "ready": "good"}
_BAR: Final = 12
"""Cells of a bar of outputs."""
_WITH_BARS: Final = 110
"""Columns from which outputs are also drawn as bars."""


def badge_style(verdict: Verdict) -> str:
    """The style of a verdict on what is in the file."""
    return "dim" if verdict.badge in NOTHING_TO_CHECK else OUTLOOK[verdict.outlook]


def verdict_lines(
    session: Session, glyphs: Glyphs, cells: int, limit: int, running: bool, refused: Problem | None = None
) -> list[Line]:
    """The badge and the sentence after it."""
    verdict = _verdict(session.conversation, refused)
    badge = glyphs.own(verdict.badge)
    sentence = with_last_call(verdict, session.problems, session.conversation.transcript, running)
    if refused is not None:
        sentence = f"{_pointed(session, refused)} {verdict.sentence if verdict.errors else ''}"
    lines = glyphs.paragraph(f"{badge}   {beside(verdict.badge, sentence)}", cells - 1, limit=limit)
    first = lines[0][1].text
    rest = SafeText(first.removeprefix(badge)[1:])
    return [(Span(SafeText(f" {badge} "), f"{badge_style(verdict)} badge"), Span(rest)), *lines[1:]]


def _verdict(conversation: Conversation, refused: Problem | None) -> Verdict:
    """The verdict, which an error that was pasted knows better than what is judged."""
    verdict = conversation.verdict
    if refused is None or verdict.outlook == "stops":
        return verdict
    return replace(verdict, outlook="stops", badge=REFUSED)


def _pointed(session: Session, refused: Problem) -> str:
    """Where the pasted error points, and what is there."""
    line = session.location(refused).line if session.file.kind == "lines" else None
    where = f"points at line {line:,}" if line is not None else f"points at message {refused.message}"
    if refused.named is not None and refused.named.message is None:
        where = "is about the whole conversation"
    return f"The error that you pasted {where}: {refused.text}"


def _both(session: Session, glyphs: Glyphs, cells: int, refused: Refused) -> Line:
    """The verdict now and after saving."""
    before = session.staging.original[session.current]
    now, after = _verdict(before, refused.now), _verdict(session.conversation, refused.after)
    bars = cells >= _WITH_BARS and max(now.outputs_total, after.outputs_total) > 0 and _counts_what_is_sent(now, after)

    def said(verdict: Verdict, words: str, style: str) -> list[Span]:
        spans = [glyphs.ui(words, style), glyphs.ui(" ")]
        if bars:
            drawn = bar(glyphs, verdict.outputs_seen, verdict.outputs_total, _BAR, track=True)
            spans.append(Span(drawn, style.split(maxsplit=1)[0]))
            spans.append(glyphs.ui(f" {verdict.outputs_seen:,}/{verdict.outputs_total:,} "))
        return spans

    if now.badge == after.badge:
        spans = [glyphs.ui(" now and after saving ", "dim"), *said(after, now.badge, f"{badge_style(now)} badge")]
    else:
        spans = [
            glyphs.ui(" now ", "dim"),
            *said(now, _short(now.badge), f"{badge_style(now)} badge"),
            glyphs.ui("· after saving ", "dim"),
            *said(after, _short(after.badge), "applied bold"),
        ]
    return cut_line(spans, cells)


def _counts_what_is_sent(*verdicts: Verdict) -> bool:
    return all(verdict.native and verdict.outlook != "stops" for verdict in verdicts)


def _short(badge: str) -> str:
    return badge.removeprefix("RESUMES, ")


def _after(session: Session) -> str:
    placeholders = sum(staged.placeholders for staged in session.staged)
    return saving_text(session.staging.original[session.current].verdict, session.conversation.verdict, placeholders)


def _after_in_short(session: Session) -> str:
    verdict = session.conversation.verdict
    left = f"{count_text(verdict.errors, 'problem')} left · " if verdict.errors else ""
    return f"{left}after saving {verdict.outputs_seen:,} of {verdict.outputs_total:,}"


def _hint(session: Session, glyphs: Glyphs, refused: Problem | None) -> Line:
    """What to press next."""
    review = (glyphs.ui(glyphs.key("w", "review"), "key", "review"), glyphs.ui(" review and save ", "", "review"))
    if refused is not None and not session.changed and refused.recommended is not None:
        return glyphs.ui(glyphs.key("space", "fix"), "key", "fix"), glyphs.ui(" fix this ", "", "fix")
    if not session.conversation.verdict.errors:
        return review if session.changed else ()
    if session.staged:
        return (
            glyphs.ui(glyphs.key("A", "fix_all"), "key", "fix_all"),
            glyphs.ui(" fix the rest   ", "", "fix_all"),
            *review,
        )
    return (
        glyphs.ui(glyphs.key("A", "fix_all"), "key", "fix_all"),
        glyphs.ui(" fix everything safe, then review ", "", "fix_all"),
    )


NOT_REFUSED: Final = Refused(0)


def head_lines(
    session: Session,
    glyphs: Glyphs,
    cells: int,
    limit: int,
    size: int | None = None,
    running: bool = False,
    refused: Refused = NOT_REFUSED,
) -> list[Line]:
    """The file line and the verdict, at most `limit` lines in all. `size`: only the beginning is loaded.

    `running`: the call at its end may still be running.
    """
    if size is not None:
        lines = [file_line(session, glyphs, cells, size)]
        words = BEGINNING.partition(" Problems")[0] if session.format.is_guess else BEGINNING
        return lines + glyphs.paragraph(words, cells - 1, "dim", limit=max(1, limit - 1))
    verdict = session.conversation.verdict
    room = max(1, limit - 1)
    hint = _hint(session, glyphs, refused.after)
    if not session.changed:
        lines = verdict_lines(session, glyphs, cells, room, running, refused.after)
        if cells >= _WITH_BARS and len(lines) < room and verdict.errors and _counts_what_is_sent(verdict):
            lines.append(_bar_line(verdict, glyphs))
    elif room > 1:
        words = _after(session)
        if room == 2 and len(words) + line_width(hint) + 4 > cells:
            hint = hint[-2:]
            if len(words) + line_width(hint) + 4 > cells:
                words = _after_in_short(session)
        lines = [_both(session, glyphs, cells, refused), *glyphs.paragraph(words, cells - 1, limit=room - 1)]
    else:
        lines = [_both(session, glyphs, cells, refused)]
    if hint:
        last = lines[-1]
        if line_width(last) + line_width(hint) + 2 <= cells:
            lines[-1] = spread(last, hint, cells)
        elif len(lines) < room:
            lines.append(spread((), hint, cells))
        else:
            lines[-1] = spread(last, hint, cells, glyphs.ellipsis)
    return [file_line(session, glyphs, cells), *lines]


def _bar_line(verdict: Verdict, glyphs: Glyphs) -> Line:
    seen, total = verdict.outputs_seen, verdict.outputs_total
    if not total:
        return ()
    words = f" {seen:,}/{total:,} outputs reach the model"
    return (
        glyphs.ui(" "),
        Span(bar(glyphs, seen, total, _BAR, track=True), badge_style(verdict)),
        glyphs.ui(words, "dim"),
    )


def column_titles(glyphs: Glyphs, cells: int, stacked: bool, note: tuple[str, str], gutter: Line = ()) -> Line:
    """The names of the columns; `note` describes the filter, `gutter` is the titles of the times."""
    if stacked:
        return _filtered(glyphs, "calls and results", note, cells)
    room = cells - 1 - line_width(gutter)  # The list is one cell narrower: its scroll bar.
    left = left_column(room)
    return (
        *_filtered(glyphs, "call", note, left),
        *glyphs.rule("result", room - left, lead="┬─"),
        *gutter,
        *glyphs.rule("", 1),
    )


def _filtered(glyphs: Glyphs, title: str, note: tuple[str, str], cells: int) -> Line:
    """The title of a column with the filter and what it shows; of these, the words of the filter are cut first."""
    words, shown = note
    if not words:
        return glyphs.rule(title, cells, lead="───")
    begin, end = (Span(glyphs.own(f"─── {title} · "), "dim"), Span(glyphs.own(f" · {shown} "), "title"))
    room = max(0, cells - line_width((begin, end)))
    name = Span(cut(visible(words), room, glyphs.ellipsis), "title")
    line = cut_line((begin, name, end), cells)
    return (*line, glyphs.ui("─" * (cells - line_width(line)), "rule"))
