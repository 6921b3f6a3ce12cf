"""A directory of many sessions: checked by all cores, checked again, and listed with the verdicts."""

from __future__ import annotations

import os
import time
from pathlib import Path
from shutil import copyfile, rmtree
from statistics import median
from uuid import UUID

from benchmarks.harness.figures import Found, plain, ratio
from benchmarks.harness.plan import Plan
from benchmarks.harness.processes import Ran, run
from benchmarks.sessions.options import Options

SIZE = 250_000
FOLDERS = 100
ALIKE = 20
"""Different sessions; each folder has all of them."""
BROKEN = 10
"""Folders with one more, in which a pair is broken."""


def measure(plan: Plan, found: Found) -> None:
    home = plan.directory / "home"
    try:
        _fill(plan, home)
        environment = ["env", f"HOME={home}", f"XDG_CACHE_HOME={home}/cache"]
        check = [*environment, *plan.toolpair("check", home, "-q")]
        time.sleep(2.1)  # what was written just now would not be kept
        one: list[float] = []
        all_: list[Ran] = []
        for _ in range(plan.times(3)):
            one.append(run([*check, "--no-cache", "--jobs", "1"], codes=(0, 1)).cpu)
            all_.append(run([*check, "--no-cache"], codes=(0, 1)))
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        found["directory.check"] = ratio(
            [ran.wall for ran in all_],
            [work / cores for work in one],
            f"{median(one):.1f} s in one process, {cores} cores",
            f"processor time of all {median([ran.cpu for ran in all_]) / median(one):.2f} ×",
        )
        run(check, codes=(0, 1))
        found["directory.again"] = plain([run(check, codes=(0, 1)).wall for _ in range(plan.times(5))])
        listed = [*environment, *plan.toolpair("sessions")]
        found["directory.list"] = plain([run(listed).wall for _ in range(plan.times(5))])
    finally:
        rmtree(home, ignore_errors=True)


def _fill(plan: Plan, home: Path) -> None:
    folders = plan.scaled(FOLDERS)
    for number in range(ALIKE + 1):
        format = "codex" if number % 4 == 1 else "claude-code"
        options = Options(format=format, size=SIZE, seed=number + 1, problems=1 if number == ALIKE else 0)
        with plan.session(options) as path:
            for folder in range(folders if number < ALIKE else plan.scaled(BROKEN)):
                id_ = UUID(int=10**36 + number * FOLDERS + folder)
                place = home / ".claude" / "projects" / f"-home-dev-{folder}" / f"{id_}.jsonl"
                if format == "codex":
                    day = home / ".codex" / "sessions" / "2026" / "11" / f"{folder % 28 + 1:02}"
                    place = day / f"rollout-2026-11-{folder % 28 + 1:02}T07-52-14-{id_}.jsonl"
                place.parent.mkdir(parents=True, exist_ok=True)
                copyfile(path, place)
