"""What the shortest commands take over a Python that does nothing."""

from __future__ import annotations

from statistics import median

from benchmarks.harness.figures import Found, difference
from benchmarks.harness.plan import Plan, python
from benchmarks.harness.processes import Ran, run
from benchmarks.sessions.options import Options


def measure(plan: Plan, found: Found) -> None:
    with plan.session(Options(size=20_000)) as path:
        commands = {
            "nothing": python("pass"),
            "start.version": plan.toolpair("--version"),
            "start.check": plan.toolpair("check", "--no-cache", path),
        }
        ran: dict[str, list[Ran]] = {name: [] for name in commands}
        for argv in commands.values():
            run(argv)  # once to have everything compiled and in the system's cache
        for _ in range(plan.times(21)):
            for name, argv in commands.items():
                ran[name].append(run(argv))
    nothing = ran.pop("nothing")
    for name, times in ran.items():
        walls = median(one.wall - other.wall for one, other in zip(times, nothing, strict=True))
        found[name] = difference(
            [each.cpu * 1000 for each in times],
            [each.cpu * 1000 for each in nothing],
            f"`python -c pass` {median(each.cpu for each in nothing) * 1000:.0f} ms",
            f"by the wall clock + {walls * 1000:.0f} ms",
        )
