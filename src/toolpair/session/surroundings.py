"""What is around a session on its machine: who works with its file, and how its agent is led back to it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from toolpair.agents.catalog import project_of
from toolpair.agents.claude_code_files import is_name_of
from toolpair.agents.machine import Machine, home_short, resolved
from toolpair.agents.resume_command import Copy, whole_way
from toolpair.dataclass import replace
from toolpair.formats.format import Branching, Indexed

if TYPE_CHECKING:
    from toolpair.agents.processes import Neighbour
    from toolpair.formats.format import Beside, Companion, Format
    from toolpair.history.conversation import Conversation
    from toolpair.source.document import Document
    from toolpair.transcript.model import Transcript

_AGENTS: Final = {"claude-code": ("claude-code",), "codex": ("codex",), "roo-code": ("cline", "editor")}
"""Format -> the agents that go on with such files."""
_TITLES: Final = {"claude-code": "Claude Code", "codex": "Codex", "cline": "Cline"}


def warnings(path: Path | None, format_id: str, transcript: Transcript) -> tuple[str, ...]:
    """One sentence for each process that writes to the file, or may go on with its old history."""
    from toolpair.agents.processes import neighbours

    if path is None:
        return ()
    named = transcript.folder or project_of(str(path))
    folder = resolved(named) if named and os.path.isabs(named) else None
    agents = _AGENTS.get(format_id, ()) if transcript.native else ()
    found = neighbours(str(path), folder, agents, transcript.session_id or "")
    home = str(Machine.here().home)
    return tuple(_sentence(one, home_short(folder or "", home)) for one in found)


def leftover_notes(path: str | Path) -> tuple[str, ...]:
    """One sentence for what saves that were killed have left beside the file; it is removed where that is possible."""
    from toolpair.source.limits import in_words
    from toolpair.source.saving.sweeping import leftovers

    folder = os.path.dirname(resolved(str(path)))
    found = list(leftovers(folder))
    removed = [one for one in found if one.kept_because is None]
    notes = [
        f"A save that was killed left {one.name} ({in_words(one.size)}) in {folder}, and it cannot be removed "
        f"({one.kept_because}); it is no longer needed."
        for one in found
        if one.kept_because is not None
    ]
    if len(removed) == 1:
        notes.append(
            f"A save that was killed left {removed[0].name} ({in_words(removed[0].size)}) in {folder}; it has been "
            "removed."
        )
    elif removed:
        size = in_words(sum(one.size for one in removed))
        notes.append(
            f"Saves that were killed left {len(removed):,} files ({size}) in {folder}; they have been removed."
        )
    return tuple(notes)


def index_notes(
    found: Format, transcript: Transcript, beside: Beside | None, before: int, after: int
) -> tuple[str, ...]:
    """One sentence for each index that the agent keeps of the file and that a save in place would put wrong.

    `before` and `after` are the sizes of the file in bytes.
    """
    if not isinstance(found, Indexed) or beside is None:
        return ()
    return tuple(found.notes_on_saving(transcript, beside, before, after))


def companions_of(conversation: Conversation, beside: Beside | None) -> tuple[Companion, ...]:
    """The sub-agents' sessions in files of their own beside this one. Each can be opened by its path."""
    judged = conversation.judged
    if beside is None or not isinstance(judged.format, Branching):
        return ()
    return tuple(judged.format.companions(judged.items, judged.transcript, beside))


def _sentence(one: Neighbour, folder: str) -> str:
    title = _TITLES.get(one.agent or "")
    if one.does == "writes":
        who = f"{title or one.name} (pid {one.pid})"
        then = "quit it first" if title else "let it finish first, or save a copy"
        return f"{who} has this file open for writing: {then}."
    if title is None:
        return (
            f"{one.name} is running in {folder} (pid {one.pid}): close the task there first, it may hold old history."
        )
    return f"{title} is running in {folder} (pid {one.pid}) with the old history: quit it first."


def resume_command(
    format_id: str, conversation: Conversation, opened_from: Path | None, saved: Path | None
) -> str | None:
    """What to type, or do, to go on with the session, or with the copy of it that was `saved` elsewhere."""
    transcript = conversation.transcript
    way = conversation.format.way_back(transcript)
    path = saved or opened_from
    if way is None or path is None:
        return None if way is None else way.text
    path = Path(os.path.realpath(path))
    folder = transcript.folder
    if format_id == "claude-code" and folder and not is_name_of(path.parent.name, folder):
        # It resumes only from the folder whose name its file's folder has: the agent may have gone elsewhere since.
        first = _folder_called(conversation.document, path.parent.name)
        if first is not None:
            way, folder = replace(way, folder=first), first
    opened = opened_from if opened_from != path else None
    return whole_way(format_id, way, Copy(path, opened, transcript.session_id or "", folder), Machine.here())


def _folder_called(document: Document, name: str) -> str | None:
    """The working folder in the records that Claude Code gives this name."""
    if not (name.startswith("-") or name[1:3] == "--"):
        return None  # no name of an absolute path: nothing is read for it
    tried: set[str] = set()
    for record in document.records:
        value = record.value
        folder = value.get("cwd") if isinstance(value, dict) else None
        if isinstance(folder, str) and folder not in tried:
            tried.add(folder)
            if is_name_of(name, folder):
                return folder
    return None
