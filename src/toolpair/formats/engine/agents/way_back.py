"""How to resume a session in its agent: a command that can be typed, or a sentence if there is none."""

from __future__ import annotations

from msgspec import Struct

from toolpair.shell.quoting import can_be_typed, operand, word


class WayBack(Struct, frozen=True):
    """The agent's command line, the folder to run it in, and the environment variables it needs."""

    words: tuple[str, ...]
    folder: str | None = None
    variables: tuple[tuple[str, str], ...] = ()
    sentence: str | None = None
    """What to do instead of running a command; ends with a full stop."""

    @property
    def prose(self) -> str | None:
        """The instruction as a sentence; None if there is a command."""
        if self.sentence is not None:
            return self.sentence
        if all(map(can_be_typed, (self.folder or "", *self.words, *(value for _, value in self.variables)))):
            return None
        return "Resume it in its folder as you always do: its name or its id contains something that cannot be typed."

    @property
    def text(self) -> str:
        """The command for a POSIX shell, or the sentence."""
        if self.prose is not None:
            return self.prose
        command = " ".join([*(f"{name}={word(value)}" for name, value in self.variables), *map(word, self.words)])
        return f"cd {operand(self.folder)} && {command}" if self.folder else command

    @property
    def as_second_step(self) -> str:
        """The text after "put this file at …": "then run `…`.", or the sentence joined by "then"."""
        prose = self.prose
        if prose is None:
            return f"then run `{self.text}`."
        return f"then{',' if prose.startswith('In ') else ''} {prose[:1].lower()}{prose[1:]}"
