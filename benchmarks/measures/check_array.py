"""`toolpair check` of one JSON document, as request logs are: one long array, or many conversations."""

from __future__ import annotations

from statistics import median
from typing import Final

from benchmarks.harness.figures import Found, Outcome, plain
from benchmarks.harness.plan import Plan, python
from benchmarks.harness.processes import run
from benchmarks.sessions.options import Options

CASES: Final = {"array.memory": (500_000_000, "array"), "array.conversations": (50_000_000, "conversations")}
LOADS: Final = """
import sys, orjson
with open(sys.argv[1], "rb") as file:
    orjson.loads(file.read())
"""


def measure(plan: Plan, found: Found) -> None:
    for name, (size, layout) in CASES.items():
        if name in plan.wanted:
            found[name] = _case(plan, Options(size=plan.scaled(size), format="anthropic", layout=layout, problems=40))


def _case(plan: Plan, options: Options) -> Outcome:
    with plan.session(options) as path:
        whole = run(python(LOADS, path))
        checks = [run(plan.toolpair("check", "--no-cache", path), codes=(0, 1)) for _ in range(plan.times(3))]
    seconds = median(one.cpu for one in checks)
    return plain(
        [one.peak for one in checks],
        f"in {seconds / whole.cpu:.2f} × the time of one `orjson.loads` of it",
        f"which needs {whole.peak:,.0f} MB",
    )
