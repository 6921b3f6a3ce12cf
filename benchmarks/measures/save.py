"""One edit saved in a file of 500 MB, from `enter` in the review until the screen says so; beside `cp` and `sync`."""

from __future__ import annotations

import os
from pathlib import Path
from statistics import median
from typing import Final

from benchmarks.harness.failed import Failed
from benchmarks.harness.figures import Found, ratio
from benchmarks.harness.plan import Plan
from benchmarks.harness.processes import run
from benchmarks.harness.terminal import Terminal
from benchmarks.measures.fix_all import REVIEW
from benchmarks.measures.interface_start import READ
from benchmarks.measures.keys import ENTER
from benchmarks.sessions.options import Options

SIZE: Final = 500_000_000
SAVED: Final = "✓ Saved"
COPY: Final = 'cp "$1" "$2" && sync "$2"'


def measure(plan: Plan, found: Found) -> None:
    saves: list[float] = []
    copies: list[float] = []
    with plan.session(Options(size=plan.scaled(SIZE), problems=40, kinds=("renamed",))) as path:
        for _ in range(plan.times(5)):
            copies.append(_copied(path))
            saves.append(_saved(plan, path))
    found["save"] = ratio(saves, copies, f"`cp` and `sync` {median(copies):.2f} s", f"save {median(saves):.2f} s")


def _copied(path: Path) -> float:
    copy = path.with_suffix(".copy")
    os.sync()  # nobody shall pay for what was written before
    try:
        return run(["sh", "-c", COPY, "sh", str(path), str(copy)]).wall
    finally:
        copy.unlink(missing_ok=True)


def _saved(plan: Plan, path: Path) -> float:
    with Terminal(plan.toolpair(path)) as terminal:
        terminal.wait_for(READ, timeout=300)
        terminal.settle()
        terminal.press(" ", timeout=120)
        terminal.settle()
        mark = terminal.now
        terminal.send("w")
        terminal.wait_for(REVIEW, mark)
        terminal.settle()
        os.sync()
        mark = terminal.now
        begun = terminal.send(ENTER)
        seconds = terminal.wait_for(SAVED, mark, timeout=120) - begun
    backups = list(path.parent.glob(f"{path.name}*.bak"))
    for backup in backups:
        backup.unlink()
    if not backups:
        raise Failed("the screen says saved, and there is no backup of the file")
    return seconds
