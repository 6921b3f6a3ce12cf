"""What a run of the interface leaves for the command line to print."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct, field

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

    @property
    def lines(self) -> list[str]:
        return list(self.report_lines) if self.report_lines else [NOTHING]
