"""What the newest release of each agent makes of the planted defects, and where the models of them are wrong.

    python scripts/newest_agents.py --install FOLDER              # those that npm has, installed into FOLDER
    python scripts/newest_agents.py codex --program codex=PATH    # one, by a command that is here
    python scripts/newest_agents.py --install FOLDER --write docs/releases.md

Every session of the corpora is resumed as it is and after the recommended fixes, in the agent itself, without a
network. Printed is where `toolpair sees` says something else than the agent does, and what is not sent whole after the
fixes; the page has a table for each agent: what its release loses, defect by defect. Exit code 1 if a model is wrong.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.planted_corpora import CORPORA, Case
from toolpair.agents.installed import version_of
from toolpair.formats import all_agents
from toolpair.formats.agent import Agent
from toolpair.proof import isolation
from toolpair.proof.asking import CannotAsk
from toolpair.proof.proof import Proof, prove
from toolpair.session.session import Session, SessionError

PAGE = "docs/releases.md"
HEAD = """# What each release loses

Every defect of the planted corpora, resumed in the agent itself on {date}: what is not sent of a session with it, as
it is. Made by `python scripts/newest_agents.py`. After toolpair's recommended fixes all of them are sent whole and
valid but for those in the last column: there a guess is left for a person, or no fix is safe.
"""
Proven = dict[str, tuple[Proof, Proof]]
"""Defect -> as it is, after the fixes."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agents", nargs="*", metavar="AGENT", help="only these")
    parser.add_argument("--install", type=Path, metavar="FOLDER", help="install those that npm has into this folder")
    parser.add_argument("--program", action="append", default=[], metavar="AGENT=PATH", help="the command of an agent")
    parser.add_argument("--only", type=int, metavar="N", help="no more than N defects of each")
    parser.add_argument("--write", type=Path, metavar="PAGE", help=f"write the tables, such as {PAGE}")
    options = parser.parse_args()
    named = dict(one.partition("=")[::2] for one in options.program)
    pages: list[str] = []
    wrong = 0
    for agent in all_agents():
        if agent.ask is None or agent.id not in CORPORA or (options.agents and agent.id not in options.agents):
            continue
        program = named.get(agent.id) or (installed(agent, options.install) if options.install else None)
        if program is None:
            print(f"{agent.title}: not here")
            continue
        version = version_of(program, agent.program) if agent.program is not None else None
        try:
            proven = proofs(agent, program, options.only)
        except CannotAsk as error:
            print(f"{agent.title} {version}: {error}")
            continue
        wrong += tell(f"{agent.title} {version or ''}".strip(), proven)
        pages += page(agent, version, proven)
    if options.write is not None:
        options.write.write_text(HEAD.format(date=datetime.now(UTC).date()) + "\n".join(pages))
    return 1 if wrong else 0


def installed(agent: Agent, folder: Path) -> str | None:
    """The command of its newest release, which npm installs; None where npm has none."""
    package = agent.program.package if agent.program is not None else None
    if package is None or agent.program is None:
        return None
    place = folder / agent.id
    place.mkdir(parents=True, exist_ok=True)
    (place / "package.json").write_text("{}")
    done = subprocess.run(["npm", "install", "--no-audit", "--no-fund", f"{package}@latest"], cwd=place, check=False)
    called = agent.ask.found.command or agent.program.command
    path = place / "node_modules/.bin" / called
    return str(path) if done.returncode == 0 and path.exists() else None


def proofs(agent: Agent, program: str, most: int | None) -> Proven:
    """The proof of each case that toolpair can open."""
    sessions: dict[str, tuple[Session, Session]] = {}
    with tempfile.TemporaryDirectory(prefix="toolpair-corpora-") as folder:
        for case in list(cases(agent))[:most]:
            try:
                session = case.opened(Path(folder) / str(len(sessions)))
            except SessionError:
                continue
            fixed = session.draft()
            fixed.stage_recommended()
            sessions[f"{case.name} as it is"] = session, fixed
            sessions[f"{case.name} fixed"] = fixed, fixed
        isolated = isolation.prefix() is not None
        found = prove(agent, (program,), sessions, isolated=isolated, at_once=os.cpu_count() or 1)
    names = [name.removesuffix(" as it is") for name in found if name.endswith(" as it is")]
    return {name: (found[f"{name} as it is"], found[f"{name} fixed"]) for name in names}


def cases(agent: Agent) -> Iterator[Case]:
    return CORPORA[agent.id]()


def tell(named: str, proven: Proven) -> int:
    """Print what is wrong; how often the model is."""
    wrong = [name for name, pair in proven.items() if not all(proof.agrees for proof in pair)]
    broken = [name for name, (_, after) in proven.items() if not after.is_whole]
    print(
        f"{named}: {len(proven)} defects, the model is wrong on {len(wrong)}, not whole after the fixes {len(broken)}"
    )
    for name in wrong:
        print(f"  model  {name}: {'; '.join(said(proof) for proof in proven[name])}")
        for one in (one for proof in proven[name] for one in (*proof.unexpected, *proof.besides)):
            print(f"         {one.kind} {one.id} {one.text[:60]!r}")
    for name in broken:
        print(f"  fixes  {name}: {said(proven[name][1])}")
    return len(wrong)


def said(proof: Proof) -> str:
    """What is wrong with a proof, in a few words."""
    if not proof.sent:
        return f"not resumed ({proof.note.strip().splitlines()[-1][:80]})" if proof.note.strip() else "not resumed"
    lost = [f"{total - sent} of {total} {noun}" for noun, (sent, total) in counted(proof) if sent < total]
    rules = sorted({problem.rule for problem in proof.problems})
    refused = [f"refused for {', '.join(rules)}"] if rules else []
    return ", ".join([*(f"loses {one}" for one in lost), *refused]) or "whole"


def counted(proof: Proof) -> tuple[tuple[str, tuple[int, int]], ...]:
    return (("messages", proof.messages), ("outputs", proof.outputs))


def page(agent: Agent, version: str | None, proven: Proven) -> Iterator[str]:
    yield f"\n## {agent.title} {version or ''}\n".rstrip()
    yield ""
    yield "| defect | as it is | after the fixes |"
    yield "|---|---|---|"
    for name, (before, after) in proven.items():
        if not (before.is_whole and after.is_whole):
            yield f"| {name.replace('_', ' ')} | {said(before)} | {'' if after.is_whole else said(after)} |"
    whole = sum(before.is_whole and after.is_whole for before, after in proven.values())
    yield ""
    yield f"{whole} more defects change nothing that is sent."


if __name__ == "__main__":
    sys.exit(main())
