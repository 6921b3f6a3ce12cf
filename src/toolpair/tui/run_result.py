"""What a run of the interface leaves for the command line to print."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field

from toolpair.shell.program import command
from toolpair.text.safe import SafeText, visible
from toolpair.text.shell import shell_word

if TYPE_CHECKING:
    from toolpair.session.saving import Saved

NOTHING = "Nothing was changed."


class RunResult(Struct):
    """`lines` are safe to print. `saved` are the files written, in order."""

    saved: list[Path] = field(default_factory=list)
    report_lines: list[str] = field(default_factory=list)
    error: Exception | None = None
    """What ended the interface: why the file could not be opened, or a later failure."""
    unsaved: int = 0
    """How many applied fixes are in no file."""
    kept: bool = False
    """Whether those can be taken up again when the file is next opened."""
    signal: int = 0
    """The signal that ended the interface."""

    def note_saved(self, saved: Saved, fixed: Sequence[str]) -> None:
        """A file was written; `fixed` are the fixes that it has now."""
        lines = [f"Saved {visible(saved.path)}"]
        lines += [f"  {visible(line)}" for line in fixed]
        if saved.backup is not None:
            lines.append(f"Original kept as {visible(saved.backup)}")
            lines.append(f"Undo: {command('restore')} {shell_word(saved.name)} --backup latest")
        if saved.aside is not None:
            lines.append(f"Lines set aside are kept as {visible(saved.aside)}")
        lines += [f"Older backup removed, as you configured: {visible(old)}" for old in saved.removed]
        lines += [f"Note: {visible(note)}" for note in saved.notes]
        if saved.resume and visible(saved.resume) != saved.resume:
            lines.append("Next: resume it in its folder, whose name cannot be shown here.")
        elif saved.resume:
            lines.append(f"Next: {saved.resume}")
        self.saved.append(saved.path)
        self.report_lines += lines

    def note_restored(self, saved: Saved, backup: Path) -> None:
        """A backup was put in the file's place."""
        lines = [f"Restored {visible(saved.path)} from {visible(backup.name)}"]
        if saved.backup is not None:
            lines.append(f"What it held before is kept as {visible(saved.backup)}")
        self.saved.append(saved.path)
        self.report_lines += [*lines, *(f"Note: {visible(note)}" for note in saved.notes)]

    @property
    def lines(self) -> list[str]:
        return list(self.report_lines) if self.report_lines else [NOTHING]


def command_of(resume: str | None) -> SafeText | None:
    """The command; None when it is a sentence, or cannot be shown exactly as it is."""
    if not resume or resume.endswith(".") or visible(resume) != resume:
        return None
    return visible(resume)
