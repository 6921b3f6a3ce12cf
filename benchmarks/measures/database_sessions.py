"""Sessions in databases: checking one, listing many, fixing one pair, each against bare SQL and `orjson.loads`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Final

from benchmarks.harness.figures import Found, Outcome, plain, ratio
from benchmarks.harness.plan import Plan, python
from benchmarks.harness.processes import Ran, run
from benchmarks.sessions.chat_rows import Adk, AgentsSdk, Hermes
from benchmarks.sessions.docker_agent import DockerAgent
from benchmarks.sessions.goose import Goose
from benchmarks.sessions.openclaw import OpenClaw
from benchmarks.sessions.opencode import Opencode
from benchmarks.sessions.options import Options
from benchmarks.sessions.rows import RowWriter

AGENTS: Final[dict[str, type[RowWriter]]] = {
    "docker-agent": DockerAgent,
    "goose": Goose,
    "opencode": Opencode,
    "openclaw": OpenClaw,
}
OTHERS: Final[dict[str, type[RowWriter]]] = {"hermes": Hermes, "agents-sdk": AgentsSdk, "google-adk-database": Adk}
SIZE: Final = 60_000_000
PAIRS: Final = {"docker-agent": 13_800, "goose": 13_800, "opencode": 6_500, "openclaw": 13_800}
"""Calls in a session of about 31,000 rows."""
FILES: Final = 20_000
"""Small files of a session in opencode's older folder: about 4.7 for each call."""
MANY: Final = 10_000
BIG: Final = 5_000
EACH: Final = 400_000
"""Bytes of each session of the big database."""
SAVED: Final = 2_500
"""Sessions of the other big database."""
LOOP: Final = """
import sys, sqlite3, orjson
connection = sqlite3.connect(sys.argv[2])
connection.text_factory = bytes
for row in connection.execute(sys.argv[1]):
    for text in row:
        if text is None:
            break
        orjson.loads(text)
"""
FILES_LOOP: Final = """
import sys, pathlib, orjson
for path in sorted(pathlib.Path(sys.argv[1]).rglob("*.json")):
    orjson.loads(path.read_bytes())
"""
_LISTED: Final = """
import sys, time
from toolpair.formats.engine.agents.databases import sessions_in
begun = time.process_time()
found = sessions_in(sys.argv[1], sys.argv[1]).sessions
print(time.process_time() - begun, len(found))
"""


def measure(plan: Plan, found: Found) -> None:
    if plan.wanted & {"databases.check", "databases.check-memory"}:
        _check(plan, found)
    for agent in OTHERS:
        if f"databases.{agent}" in plan.wanted:
            options = Options(format=agent, size=plan.scaled(SIZE), problems=plan.scaled(40))
            found[f"databases.{agent}"] = _against_loop(plan, options)
    if "databases.dense" in plan.wanted:
        sessions = {agent: Options(format=agent, pairs=plan.scaled(PAIRS[agent]), problems=plan.scaled(1_000),
                                   shape="small") for agent in AGENTS}  # fmt: skip
        found["databases.dense"] = _worst({agent: _against_loop(plan, one) for agent, one in sessions.items()})
    if "databases.row" in plan.wanted:
        one = Options(format="docker-agent", size=plan.scaled(20_000_000), pairs=1, shape="cjk-line")
        found["databases.row"] = _against_loop(plan, one)
    if "databases.folder" in plan.wanted:
        found["databases.folder"] = _folder(plan)
    if "databases.list-many" in plan.wanted:
        of_agents = {}
        for agent in AGENTS:
            options = Options(format=agent, pairs=6, sessions=plan.scaled(MANY), shape="small")
            of_agents[agent] = _listed(plan, options)
        found["databases.list-many"] = _worst(of_agents)
    if "databases.list-big" in plan.wanted:
        found["databases.list-big"] = _listed(plan, _big(plan, BIG))
    if "databases.fix-one" in plan.wanted:
        options = Options(format="docker-agent", pairs=plan.scaled(PAIRS["docker-agent"]), problems=1, shape="small")
        found["databases.fix-one"] = _fixed(plan, options)
    if "databases.fix-big" in plan.wanted:
        found["databases.fix-big"] = _fixed(plan, _big(plan, SAVED, problems=1))


def _big(plan: Plan, sessions: int, problems: int = 0) -> Options:
    """A database of which each session is large, so that it is made quickly."""
    return Options(format="docker-agent", size=EACH, pairs=12, problems=problems, sessions=plan.scaled(sessions))


def _worst(of_agents: dict[str, Outcome]) -> Outcome:
    worst = max(of_agents, key=lambda agent: of_agents[agent].value)
    one = of_agents[worst]
    all_ = ", ".join(f"{agent} {outcome.value:.2f}" for agent, outcome in of_agents.items())
    return Outcome(one.value, one.low, one.high, one.samples, (all_, *one.beside))


def _checks(plan: Plan, path: Path) -> list[Ran]:
    return [run(plan.toolpair("check", "--no-cache", path), codes=(0, 1)) for _ in range(plan.times(5))]


def _ratio(checks: Sequence[Ran], loops: Sequence[Ran]) -> Outcome:
    loop, peak = median(one.cpu for one in loops), median(one.peak for one in checks)
    return ratio([one.cpu for one in checks], [one.cpu for one in loops], f"loop {loop:.2f} s", f"peak {peak:.0f} MB")


def _against_loop(plan: Plan, options: Options, found: dict[str, Outcome] | None = None) -> Outcome:
    """`check` against a query for the same rows. In `found` goes its peak."""
    with plan.session(options) as path:
        loop = python(LOOP, {**AGENTS, **OTHERS}[options.format].LOOP, path)
        run(loop)
        loops = [run(loop) for _ in range(plan.times(5))]
        checks = _checks(plan, path)
        if found is not None:
            found[options.format] = plain([one.peak for one in checks])
        return _ratio(checks, loops)


def _check(plan: Plan, found: Found) -> None:
    peaks: dict[str, Outcome] = {}
    sessions = {agent: Options(format=agent, size=plan.scaled(SIZE), problems=plan.scaled(40)) for agent in AGENTS}
    found["databases.check"] = _worst({agent: _against_loop(plan, one, peaks) for agent, one in sessions.items()})
    found["databases.check-memory"] = _worst(peaks)


def _folder(plan: Plan) -> Outcome:
    options = Options(format="opencode", layout="folder", pairs=plan.scaled(FILES * 10 // 47), shape="small")
    with plan.session(options) as storage:
        loop = python(FILES_LOOP, storage)
        run(loop)
        return _ratio(_checks(plan, storage), [run(loop) for _ in range(plan.times(5))])


def _listed(plan: Plan, options: Options) -> Outcome:
    with plan.session(options) as path:
        said = [run(python(_LISTED, path), keep_output=True).out.split() for _ in range(plan.times(5))]
        size = path.stat().st_size / 1e6
    return plain([float(seconds) for seconds, _ in said], f"{said[0][1]} sessions, {size:,.0f} MB")


def _fixed(plan: Plan, options: Options) -> Outcome:
    """`fix` of the one pair that is broken, against `check` of that session."""
    fixes, checks, kept = [], [], 0
    for _ in range(plan.times(3)):
        with plan.session(options) as path:
            session = json.loads(run(plan.toolpair("sessions", path, "--output-format", "json"), keep_output=True).out)
            name = session["sessions"][-1]["path"] if options.sessions > 1 else path
            checks.append(run(plan.toolpair("check", "--no-cache", name), codes=(0, 1)).cpu)
            fixes.append(run(plan.toolpair("fix", "--in-place", name), codes=(0, 4)).cpu)  # 4: a note on the backup
            kept = sum(one.stat().st_size for one in path.parent.glob("*.bak"))
            size = path.stat().st_size
    beside = f"check {median(checks):.2f} s", f"fix {median(fixes):.2f} s", f"backup of {kept / 1e6:,.1f} MB"
    return ratio(fixes, checks, *beside, f"database of {size / 1e6:,.0f} MB")
