"""Listing the sessions of a large database and opening one of them, beside bare queries for the same rows."""

from __future__ import annotations

import json
from statistics import median
from typing import Final

from benchmarks.harness.figures import Found, plain, ratio
from benchmarks.harness.plan import Plan, module
from benchmarks.harness.processes import run

SESSIONS: Final = 2_000


def measure(plan: Plan, found: Found) -> None:
    argv = module("benchmarks.measures.database_times", str(plan.scaled(SESSIONS)), str(plan.times(11)))
    times: dict[str, list[float]] = json.loads(run(argv, keep_output=True).out)
    bare = median(times["list, bare"]) * 1000
    found["databases.list"] = ratio(times["list"], times["list, bare"], f"the query {bare:.0f} ms")
    bare = median(times["open, bare"]) * 1000
    opened = [seconds * 1000 for seconds in times["open"]]
    found["databases.open"] = plain(opened, f"a query for its rows {bare:.1f} ms")
