"""How an agent is told to go on with a session: a command that can be typed, or a sentence where there is none."""

from __future__ import annotations

from msgspec import Struct

from toolpair.shell.words import can_be_typed, operand, word


class WayBack(Struct, frozen=True):
    """The agent's own words, the folder that it has to be started in, and variables that it needs."""

    words: tuple[str, ...]
    folder: str | None = None
    variables: tuple[tuple[str, str], ...] = ()
    sentence: str | None = None
    """What to do in place of all that. It ends with a full stop."""

    @property
    def text(self) -> str:
        """For a POSIX shell, or the sentence."""
        if self.sentence is not None:
            return self.sentence
        if not all(map(can_be_typed, (self.folder or "", *self.words, *(value for _, value in self.variables)))):
            return (
                "Resume it in its folder as you always do: its name or its id contains something that cannot be typed."
            )
        command = " ".join([*(f"{name}={word(value)}" for name, value in self.variables), *map(word, self.words)])
        return f"cd {operand(self.folder)} && {command}" if self.folder else command


def of_claude_code(session_id: str | None, folder: str | None) -> WayBack | None:
    if not session_id:
        return None
    if session_id.startswith("-"):
        where = f"in {folder}" if folder else "in its folder"
        return WayBack((), sentence=f"Start `claude --resume` {where} and choose this session there.")
    return WayBack(("claude", "--resume", session_id), folder)


def of_codex(session_id: str | None, folder: str | None) -> WayBack | None:
    if not session_id:
        return None
    options_end = ("--",) if session_id.startswith("-") else ()
    return WayBack(("codex", "resume", *options_end, session_id), folder)


def of_cline(session_id: str, folder: str | None) -> WayBack:
    words = (f"--id={session_id}",) if session_id.startswith("-") else ("--id", session_id)
    return WayBack(("cline", *words), folder)
