"""What hands a session on, or shows what is sent of it (`sees`, `report`, `export`, `excerpt`), against a loop."""

from __future__ import annotations

from statistics import median
from typing import Final

from benchmarks.harness.figures import Found, Outcome, plain, ratio
from benchmarks.harness.plan import Plan, python
from benchmarks.harness.processes import run
from benchmarks.measures.check_lines import LOOP
from benchmarks.sessions.options import Options

SIZE: Final = 100_000_000
COMMANDS: Final = {
    "sees": ("sees",),
    "report": ("report", "--force", "-o", "report.html"),
    "export": ("export", "--to", "anthropic", "--force", "-o", "exported.json"),
    "excerpt": ("excerpt", "--force", "-o", "excerpt.jsonl"),
}
"""Name -> the command, which gets the session as its last argument; what it writes is beside that."""


def measure(plan: Plan, found: Found) -> None:
    peaks: dict[str, Outcome] = {}
    with plan.session(Options(size=plan.scaled(SIZE), problems=40)) as path:
        loop = python(LOOP, path)
        run(loop)
        for name, (command, *options) in COMMANDS.items():
            if not plan.wanted & {name, "hand-on.memory"}:
                continue
            if options:
                options[-1] = str(path.parent / options[-1])
            argv = plan.toolpair(command, *options, path)
            pairs = [(run(argv, codes=(0, 1, 4)), run(loop)) for _ in range(plan.times(3))]
            runs, loops = [one for one, _ in pairs], [other.cpu for _, other in pairs]
            peaks[name] = plain([one.peak for one in runs])
            beside = f"loop {median(loops):.2f} s", f"peak {peaks[name].value:.0f} MB"
            found[name] = ratio([one.cpu for one in runs], loops, *beside)
    worst = max(peaks.values(), key=lambda outcome: outcome.value)
    each = ", ".join(f"{name} {outcome.value:.0f}" for name, outcome in peaks.items())
    found["hand-on.memory"] = Outcome(worst.value, worst.low, worst.high, worst.samples, (each,))
