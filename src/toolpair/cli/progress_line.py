"""Draws the progress bar with Rich. Imported only when there is one to draw."""

from __future__ import annotations

import os
from typing import IO, Final

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn
from rich.table import Column

from toolpair.text.safe import visible
from toolpair.text.short import size_text

_BAR: Final = 24
_ROOM_FOR_A_BAR: Final = 60
"""Minimum cells of a line with room for a bar next to the text."""
_ROOM_FOR_A_LABEL: Final = 32
_ROOM_FOR_AN_AMOUNT: Final = 26


class _Console(Console):
    """Keeps the cursor visible, since a killed program could not restore it, and lets errors of a closed stream
    through.
    """

    def show_cursor(self, show: bool = True) -> bool:
        return False

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


class ProgressLine:
    """One line of `stream`, cleared by `remove`. `bounded`: the total is known."""

    def __init__(self, stream: IO[str], bounded: bool) -> None:
        width = max(_columns(stream) - 1, 1)  # some terminals wrap a full line
        console = _Console(
            file=stream,
            width=width,
            color_system=None,
            force_terminal=True,
            force_interactive=True,
            force_jupyter=False,
            legacy_windows=False,
        )
        rest = Column(ratio=1, no_wrap=True, overflow="crop" if console.options.ascii_only else "ellipsis")
        columns: list[tuple[bool, ProgressColumn]] = [
            (width >= _ROOM_FOR_A_LABEL, TextColumn("{task.description}", markup=False, table_column=rest)),
            (width >= _ROOM_FOR_A_BAR and bounded, BarColumn(_BAR)),
            (bounded, TextColumn("{task.fields[percent]}", markup=False)),
            (width >= _ROOM_FOR_AN_AMOUNT or not bounded, TextColumn("{task.fields[amount]}", markup=False)),
        ]
        self._progress = Progress(
            *(column for shown, column in columns if shown),
            console=console,
            transient=True,
            auto_refresh=False,
            redirect_stdout=False,
            redirect_stderr=False,
            expand=width >= _ROOM_FOR_A_LABEL,
        )

    def draw(self, label: str, done: int, total: int) -> None:
        """Redraw the line."""
        whole = max(total, done, 1)
        amount = f"{size_text(done)} of {size_text(whole)}" if total else size_text(done)
        percent = f"{min(done * 100 // whole, 99 if done < whole else 100):3d} %"
        drawn = self._progress.task_ids
        task = drawn[0] if drawn else self._progress.add_task("", percent=percent, amount=amount)
        self._progress.update(
            task, description=visible(label), completed=done, total=whole, percent=percent, amount=amount
        )
        if drawn:
            self._progress.refresh()
        else:
            self._progress.start()

    def remove(self) -> None:
        """Clear the line."""
        self._progress.stop()


def _columns(stream: IO[str]) -> int:
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except (OSError, ValueError):
        return 80
