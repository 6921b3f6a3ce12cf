"""`toolpair check` of one JSON document, as request logs are: one long array, or many conversations."""

from __future__ import annotations

from statistics import median
from typing import Final

from benchmarks.harness.figures import Found, plain, ratio
from benchmarks.harness.plan import Plan, python
from benchmarks.harness.processes import Ran, run
from benchmarks.sessions.options import Options

LOADS: Final = """
import sys, orjson
with open(sys.argv[1], "rb") as file:
    orjson.loads(file.read())
"""


ARRAY: Final = 500_000_000
CONVERSATIONS: Final = 20_000_000
"""They may stand in one line, of which no more than 25 MB are read."""


def measure(plan: Plan, found: Found) -> None:
    if "array.memory" in plan.wanted:
        whole, checks = _runs(plan, ARRAY, "array")
        words = f"in {median(one.cpu for one in checks) / whole[0].cpu:.2f} × the time of one `orjson.loads` of it"
        needs = f"which needs {whole[0].peak:,.0f} MB"
        found["array.memory"] = plain([one.peak for one in checks], words, needs)
    if "array.conversations" in plan.wanted:
        loads, checks = _runs(plan, CONVERSATIONS, "conversations")
        peak = f"peak {median(one.peak for one in checks):.0f} MB"
        found["array.conversations"] = ratio([one.cpu for one in checks], [one.cpu for one in loads], peak)


def _runs(plan: Plan, size: int, layout: str) -> tuple[list[Ran], list[Ran]]:
    """Of a program that parses the document, and of `check`."""
    with plan.session(Options(size=plan.scaled(size), format="anthropic", layout=layout, problems=40)) as path:
        loads = [run(python(LOADS, path)) for _ in range(plan.times(3))]
        return loads, [run(plan.toolpair("check", "--no-cache", path), codes=(0, 1)) for _ in range(plan.times(3))]
