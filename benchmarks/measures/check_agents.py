"""`toolpair check` of a session of each other agent, beside a program that parses it and does nothing else."""

from __future__ import annotations

from typing import Final

from benchmarks.harness.figures import Found
from benchmarks.harness.plan import Plan
from benchmarks.measures.check_forms import against_parsers
from benchmarks.sessions.options import AGENTS, Options

SIZE: Final = 100_000_000


def measure(plan: Plan, found: Found) -> None:
    sessions = {
        agent: Options(size=plan.scaled(SIZE), problems=20, format=agent, layout=layout)
        for agent, layout in AGENTS.items()
    }
    against_parsers(plan, found, "check.agents", sessions)
