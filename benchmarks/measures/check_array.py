"""`toolpair check` of one JSON array, as request logs are: it must not be built in memory."""

from __future__ import annotations

from statistics import median
from typing import Final

from benchmarks.harness.figures import Found, plain
from benchmarks.harness.plan import Plan, python
from benchmarks.harness.processes import run
from benchmarks.sessions.options import Options

SIZE: Final = 500_000_000
LOADS: Final = """
import sys, orjson
with open(sys.argv[1], "rb") as file:
    orjson.loads(file.read())
"""


def measure(plan: Plan, found: Found) -> None:
    options = Options(size=plan.scaled(SIZE), format="anthropic", layout="array", problems=40)
    with plan.session(options) as path:
        whole = run(python(LOADS, path))
        checks = [run(plan.toolpair("check", path), codes=(0, 1)) for _ in range(plan.times(3))]
    seconds = median(one.cpu for one in checks)
    found["array.memory"] = plain(
        [one.peak for one in checks],
        f"in {seconds / whole.cpu:.2f} × the time of one `orjson.loads` of it",
        f"which needs {whole.peak:,.0f} MB",
    )
