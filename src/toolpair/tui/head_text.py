"""The head of the main screen: the file in one line, the verdict in up to three."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from toolpair.session.session import saving_text, waiting_text
from toolpair.shell.machine import home_short
from toolpair.text.cells import cut_start
from toolpair.text.safe import SafeText, visible
from toolpair.tui.numbers import count_text, size_text
from toolpair.tui.styled_text import Glyphs, Line, cut_line, line_width, spread

if TYPE_CHECKING:
    from toolpair.session.session import Session

LONG_ID = 20
BEGINNING = "This is only the beginning of the file. Problems are shown when all of it has been read."


def file_name(session: Session, glyphs: Glyphs) -> SafeText:
    """A native session by its id, shortened; any other file by its name."""
    transcript = session.conversation.transcript
    if transcript.native and transcript.session_id:
        name = visible(transcript.session_id)
        return name if len(name) <= LONG_ID else SafeText(name[:6] + glyphs.ellipsis)
    return visible(session.path.name if session.path is not None else os.path.basename(session.file.shown_name))


def state_text(session: Session) -> tuple[str, str]:
    """What is staged, and the style to show it in."""
    fixed = sum(staged.problems for staged in session.staged)
    if not session.changed:
        return "nothing changed", "dim"
    where = ""
    touched = sorted({staged.conversation + 1 for staged in session.staged})
    if len(session.conversations) > 1 and touched != [session.current + 1]:
        numbers = ", ".join(f"{number:,}" for number in touched[:3]) + (" …" if len(touched) > 3 else "")
        where = f" in conversation{'s' if len(touched) > 1 else ''} {numbers}"
    return f"{count_text(fixed, 'fix')}{where}, not saved", "warning"


def file_line(session: Session, glyphs: Glyphs, cells: int, size: int | None = None) -> Line:
    """`size` is that of the whole file when the session holds only its beginning."""
    transcript = session.conversation.transcript
    parts: list[str] = [file_name(session, glyphs)]
    if transcript.native:
        parts.append(f"{transcript.agent or session.format.title} {transcript.agent_version or ''}".strip())
        if transcript.folder:
            folder = home_short(transcript.folder, os.path.expanduser("~"))
            parts.append(cut_start(visible(folder), 28, glyphs.ellipsis))
        parts.append(size_text(session.file.size if size is None else size))
        if session.profile.id != session.format.profile:
            parts.append(f"checked against {session.profile.name}")
    elif size is not None:
        parts.append(size_text(size))
    else:
        messages = count_text(len(transcript.messages), "message")
        parts.append(f"{messages}, checked against {session.profile.name} (P changes it)")
    if len(session.conversations) > 1:
        parts.insert(1, f"conversation {session.current + 1} of {len(session.conversations)} (c)")
    state, style = state_text(session)
    left = (glyphs.ui(" " + " · ".join(parts), "title"),)
    return spread(left, (glyphs.ui(f" {state} ", style),), cells, glyphs.ellipsis)


def _now(session: Session, running: bool) -> str:
    """The verdict on the file as it is. `running`: a call at its end may still be running."""
    verdict, sentence = session.conversation.verdict, session.conversation.verdict.sentence
    if verdict.waiting and not verdict.errors:
        plain = waiting_text(session.problems, session.conversation.transcript)
        whole = waiting_text(session.problems, session.conversation.transcript, content=True, running=running)
        sentence = sentence.replace(plain, whole) if plain else sentence
    return f"{verdict.badge}{'. ' if verdict.outlook == 'ready' else '   '}{sentence}"


def _both(session: Session) -> str:
    """The verdict now and after saving."""
    now, after = session.staging.original[session.current].verdict, session.conversation.verdict
    if now.badge == after.badge:
        return f"now and after saving {now.badge}"
    return f"now {_short(now.badge)} · after saving {_short(after.badge)}"


def _short(badge: str) -> str:
    return badge.removeprefix("RESUMES, ")


def _after(session: Session) -> str:

    placeholders = sum(staged.placeholders for staged in session.staged)
    return saving_text(session.staging.original[session.current].verdict, session.conversation.verdict, placeholders)


def head_lines(
    session: Session, glyphs: Glyphs, cells: int, limit: int, size: int | None = None, running: bool = False
) -> list[Line]:
    """The file line and the verdict, at most `limit` lines in all. `size`: only the beginning is loaded.

    `running`: the call at its end may still be running.
    """
    if size is not None:
        lines = [file_line(session, glyphs, cells, size)]
        return lines + glyphs.paragraph(BEGINNING, cells - 1, "dim", limit=max(1, limit - 1))
    verdict = session.conversation.verdict
    lines = [file_line(session, glyphs, cells)]
    style = "error" if verdict.errors else "warning" if verdict.warnings else "good"
    hint: Line = ()
    if verdict.errors and session.staged:
        hint = (glyphs.ui("A", "key", "fix_all"), glyphs.ui(" fix the rest   ", "", "fix_all"))
        hint += (glyphs.ui("w", "key", "review"), glyphs.ui(" review and save ", "", "review"))
    elif verdict.errors:
        hint = (glyphs.ui("A", "key", "fix_all"), glyphs.ui(" fix everything safe, then review ", "", "fix_all"))
    elif session.changed:
        hint = (glyphs.ui("w", "key", "review"), glyphs.ui(" review and save ", "", "review"))
    room = max(1, limit - 1)
    paragraph: list[Line] = []
    if session.changed and room > 1:
        paragraph = [(glyphs.ui(" "), *cut_line([glyphs.ui(_both(session), style)], cells - 2))]
    words = _now(session, running) if not session.changed else _after(session) if room > 1 else _both(session)
    paragraph += glyphs.paragraph(words, cells - 1, style, limit=room - len(paragraph))
    if hint:
        last = paragraph[-1]
        if line_width(last) + line_width(hint) + 2 <= cells:
            paragraph[-1] = spread(last, hint, cells)
        elif len(paragraph) < room:
            paragraph.append(spread((), hint, cells))
        else:
            paragraph[-1] = spread(last, hint, cells, glyphs.ellipsis)
    return lines + paragraph


def column_titles(glyphs: Glyphs, cells: int, stacked: bool, note: str) -> Line:
    """The names of the columns; `note` describes the filter."""
    if stacked:
        return glyphs.rule(f"calls and results{note}", cells, lead="───")
    left = (cells - 2) // 2  # The list is one cell narrower: its scroll bar.
    return (
        *glyphs.rule(f"call{note}", left, lead="───"),
        *glyphs.rule("result", cells - left, lead="┬─"),
    )
