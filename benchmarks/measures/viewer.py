"""A big result opened in the viewer: from the key until its text stands on the screen."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from benchmarks.harness.figures import Found, Outcome, percentile, plain
from benchmarks.harness.plan import Plan
from benchmarks.harness.terminal import Terminal
from benchmarks.measures.interface_start import ROW
from benchmarks.measures.keys import ENTER, PAGE_DOWN
from benchmarks.sessions.options import Options

CASES: Final[Mapping[str, Options]] = {
    "viewer.big": Options(format="anthropic", pairs=1, size=5_400_000, shape="huge"),
    "viewer.cjk": Options(format="anthropic", pairs=1, size=1_070_000, shape="cjk-line"),
}
"""Not made smaller in a quick run: what is measured is this size."""


def measure(plan: Plan, found: Found) -> None:
    for name, options in CASES.items():
        if name in plan.wanted:
            with plan.session(options) as path:
                found[name] = _opened(plan, path)


def _opened(plan: Plan, path: Path) -> Outcome:
    begins = _begins(path)
    times: list[float] = []
    inside: list[float] = []
    for _ in range(plan.times(5)):  # each in a program started anew: the first opening is what is waited for
        with Terminal(plan.toolpair(path, "--at", "pair:0")) as terminal:
            terminal.wait_for(ROW)
            terminal.press("l")
            terminal.settle()
            mark = terminal.now
            begun = terminal.send(ENTER)
            times.append((terminal.wait_for(begins, mark) - begun) * 1000)
            terminal.settle()
            inside += [terminal.press(key).seconds * 1000 for key in (PAGE_DOWN, PAGE_DOWN, "j", "G", "g")]
    return plain(times, f"keys inside it, 95th percentile {percentile(inside, 0.95).value:.0f} ms")


def _begins(path: Path) -> str:
    """The first characters of the result that can be read, as an expression."""
    for line in path.read_bytes().splitlines():
        content = json.loads(line)["content"]
        for block in content if isinstance(content, list) else ():
            if block["type"] == "tool_result":
                words = re.search(r"\S.{8,20}", block["content"])
                assert words is not None
                return re.escape(words[0])
    raise ValueError(f"{path}: no result in it")
