"""One edit saved in a file of 500 MB, until it is written and its original kept; beside `cp` and `sync` of the file.

The screen says so then, while the file is read and checked again, which is a `check`.
"""

from __future__ import annotations

import os
from pathlib import Path
from statistics import median
from typing import Final

from benchmarks.harness.failed import Failed
from benchmarks.harness.figures import Found, ratio
from benchmarks.harness.plan import Plan, python
from benchmarks.harness.processes import run
from benchmarks.sessions.options import Options

SIZE: Final = 500_000_000
COPY: Final = 'cp "$1" "$2" && sync "$2"'
SAVE: Final = """
import sys, time
from toolpair.session.session import open_session
session = open_session(sys.argv[1])
problem = next(one for one in session.problems if one.recommended is not None)
session.stage(problem, problem.recommended)
saving = session.saving()
begun = time.perf_counter()
saving.write()
print(time.perf_counter() - begun)
"""


def measure(plan: Plan, found: Found) -> None:
    saves: list[float] = []
    copies: list[float] = []
    with plan.session(Options(size=plan.scaled(SIZE), problems=40, kinds=("renamed",))) as path:
        for _ in range(plan.times(5)):
            copies.append(_copied(path))
            saves.append(_saved(path))
    found["save"] = ratio(saves, copies, f"`cp` and `sync` {median(copies):.2f} s", f"save {median(saves):.2f} s")


def _copied(path: Path) -> float:
    copy = path.with_suffix(".copy")
    os.sync()  # nobody shall pay for what was written before
    try:
        return run(["sh", "-c", COPY, "sh", str(path), str(copy)]).wall
    finally:
        copy.unlink(missing_ok=True)


def _saved(path: Path) -> float:
    os.sync()
    seconds = float(run(python(SAVE, path), keep_output=True).out)
    backups = list(path.parent.glob(f"{path.name}*.bak"))
    for backup in backups:
        backup.unlink()
    if not backups:
        raise Failed("it was saved, and there is no backup of the file")
    return seconds
