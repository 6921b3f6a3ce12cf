"""What the newest release of each agent makes of the planted defects, and where the models of them are wrong.

    python scripts/newest_agents.py FOLDER                    # installs those that npm has, and asks all that are here
    python scripts/newest_agents.py FOLDER --no-install codex --write docs/releases.md

The planted sessions are written to FOLDER/sessions; what asks about them is `toolpair prove --corpus`. An agent that
npm does not have is asked if its command is on the PATH. Exit code 1 if a model is wrong.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.agents import opencode
from tests.planted_corpora import CORPORA
from tests.rounds import some
from toolpair.formats import all_agents
from toolpair.formats.agent import Agent
from toolpair.formats.opencode.asking import quiet
from toolpair.proof import isolation


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="where agents and sessions are put")
    parser.add_argument("agents", nargs="*", metavar="AGENT", help="only these")
    parser.add_argument("--no-install", action="store_true", help="ask those that are on the PATH")
    parser.add_argument("--only", type=int, metavar="N", help="N defects of each, from all over its list")
    parser.add_argument("--write", metavar="PAGE", help="write the tables, such as docs/releases.md")
    options = parser.parse_intermixed_args()
    search = os.environ.get("PATH", os.defpath)
    planted: list[str] = []
    for agent in all_agents():
        if agent.ask is None or agent.id not in CORPORA or (options.agents and agent.id not in options.agents):
            continue
        if not options.no_install and (commands := installed(agent, options.folder / "agents" / agent.id)):
            search = f"{commands}{os.pathsep}{search}"
        planted += plant(agent, options.folder / "sessions" / agent.id, options.only, search)
    asks = [sys.executable, "-m", "toolpair", "prove", "--corpus", "--yes", *planted]
    written = ["--write", options.write] if options.write is not None else []
    return subprocess.run([*asks, *written], env={**os.environ, "PATH": search}, check=False).returncode


def installed(agent: Agent, place: Path) -> Path | None:
    """Where the command of its newest release is, which npm installs; None where npm has none."""
    if agent.program is None or agent.program.package is None:
        return None
    place.mkdir(parents=True, exist_ok=True)
    (place / "package.json").write_text("{}")
    package = f"{agent.program.package}@latest"
    done = subprocess.run(["npm", "install", "--no-audit", "--no-fund", package], cwd=place, check=False)
    return (place / "node_modules/.bin").resolve() if done.returncode == 0 else None


def plant(agent: Agent, place: Path, most: int | None, search: str) -> Iterator[str]:
    """Write each planted session into a folder that is named after its defects; what each is opened by."""
    program = shutil.which(agent.program.command, path=search) if agent.program is not None else None
    own = own_database(program, place) if agent.id in ("opencode", "kilo-cli") and program is not None else None
    names: Counter[str] = Counter()
    cases = list(CORPORA[agent.id]())
    for case in cases if most is None else some(cases, most):
        name = re.sub(r"[^\w.+-]+", "-", case.name).strip("-.")
        names[name] += 1
        folder = place / (name if names[name] == 1 else f"{name}-{names[name]}")
        folder.mkdir(parents=True, exist_ok=True)
        address = case.write(folder)
        if own is not None:
            given = Path(address.partition("::")[0])
            planted = given.rename(given.with_suffix(".planted"))
            shutil.copyfile(own, given)
            opencode.put_in(given, planted, opencode.FOLDER)
            planted.unlink()
        yield address


def own_database(program: str, place: Path) -> Path | None:
    """An empty database as this release makes it: it would not go on with one that has other tables."""
    home = place / "home"
    home.mkdir(parents=True, exist_ok=True)
    variables = {"PATH": os.environ["PATH"], "HOME": str(home.resolve()), **quiet(Path(program).name)}
    command = [*(isolation.prefix() or ()), program, "session", "list"]
    subprocess.run(command, cwd=home, env=variables, capture_output=True, timeout=120, check=False)
    made = next(home.glob(".local/share/*/*.db"), None)
    if made is not None:
        with closing(sqlite3.connect(made)) as db:
            db.execute("PRAGMA journal_mode=DELETE")
    return made


if __name__ == "__main__":
    sys.exit(main())
