"""The installed program under keys that nobody waits with: no crash, no hang, no file changed without a word.

TOOLPAIR_BURSTS=SECONDS runs new bursts for so long, TOOLPAIR_BURST=NUMBER a single one again.
"""

from __future__ import annotations

import os
import random
import shutil
import time
from pathlib import Path

import pytest

from tests import opencode_folders, opencode_sessions
from tests.docker_agent_databases import copies_of_sample
from tests.formats.claude_code_files import session
from tests.patience import PATIENCE
from tests.rounds import tries
from tests.session_folders import claude_session, codex_session, line
from tests.terminal import Terminal, program

SAMPLES = Path(__file__).resolve().parents[2] / "sample_sessions"
LONG = float(os.environ.get("TOOLPAIR_BURSTS", "0"))
AGAIN = os.environ.get("TOOLPAIR_BURST")
CASES = [int(AGAIN)] if AGAIN else list(range(tries(6, 2)))
ENTER, ESCAPE = "\r", "\x1b"
OFTEN = [
    *"fMAa wu]!", "\t", "\tj\r", "\tja", ENTER, ENTER, ESCAPE, "f\r", "M\r", "A\r", "w\r", "a\r", "\rv", "d\r", "d\r]\r", "S\r", "t", ":", "\x0f", "\x0fok\x06", "\x06\x1b[B", "l\rO\r/a\r", "\r}}\t|",
]  # fmt: skip
KEYS = [
    *"][tnpPyYbcRFrmv@/&nN?jkGghlq:<>zex!sdxO|vOJKSSd123456789{}+-", "\t", "\x7f", "\x01", "\x02", "\x04", "\x05", "\x06", "\x0f", "\x10", "\x12", "\x13", "\x14",
    "\x1a", "\x11", "\x03", "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\x1b[H", "\x1b[F", "\x1b[5~", "\x1b[6~", "\x1b[3~", "\x1b[Z",
    "\x1bOP", "\x1b[1;5A", "\x1b[1;2F", "\x1bj", "\x1b[97;5u", "\x1b[57358u",
]  # fmt: skip
ODD = [
    "\x1b[",
    "\x1b[999~",
    "\x1b[I",
    "\x1b[O",
    "\x1b]11;rgb:0/0/0\x07",
    "\x1b[?2026;2$y",
    "é",
    "漢",
    "👩‍👧",
    "\x00",
    "\x1b\x1b",
]
PASTES = [
    "toolu_01", "messages.2: `tool_use` ids were found without `tool_result` blocks immediately after: x", "line:3", "\x07\x08",
    "a\nb\r\nc", "", "x" * 3_000, "result.missing", "tool:Bash",
]  # fmt: skip
# As root a name typed into an emptied line could be written anywhere.
KEYS += [] if hasattr(os, "geteuid") and os.geteuid() == 0 else ["\x15", "\x17", "\x0b", "\x1b[1;2H"]


def world(home: Path, seed: int) -> Path:
    """A home with sessions of agents in it. Gives back the one to open."""
    chance = random.Random(seed)
    files = [home / path.name for path in sorted(SAMPLES.iterdir()) if path.suffix in (".json", ".jsonl", ".txt")]
    for path in files:
        shutil.copy(SAMPLES / path.name, path)
    native = claude_session(home / ".claude", pairs=40, missing=17)
    claude_session(home / ".claude", session="22222222-0000-4000-8000-000000000000", pairs=700, missing=3)
    codex_session(home / ".codex")
    with_agents = home / ".claude" / "projects" / "-home-dev-my-project" / "0d3f3a52-6c0a-4a57-9f0e-2f9a3a1c7e11.jsonl"
    with_agents.parent.mkdir(parents=True)
    with_agents.write_bytes(b"".join(map(line, session().values)))
    agents = with_agents.with_suffix("") / "subagents"
    agents.mkdir(parents=True)
    shutil.copy(native, agents / "agent-a1b2c3.jsonl")
    return chance.choice(stored(home)) if chance.random() < 0.25 else chance.choice([*files, native, with_agents])


def stored(home: Path) -> list[Path]:
    """Databases and a folder of sessions; and names of single sessions in them."""
    several = copies_of_sample(home / "several.db", "newest", "middle", "oldest")
    folder = opencode_folders.planted_in(home, opencode_sessions.corpus()["message_failed"])
    whole = [several, folder]
    for path in sorted(SAMPLES.glob("*.db")):
        # What the program says of a failure is looked for.
        whole.append(home / path.name.replace("failed", "sample"))
        shutil.copy(path, whole[-1])
    return [*whole, *whole, home / "several.db::middle", Path(f"{folder}::{opencode_sessions.ID}")]


def mouse(chance: random.Random, columns: int, lines: int) -> str:
    x, y = chance.randint(1, columns), chance.choice([1, lines - 1, lines, chance.randint(1, lines)])
    button = chance.choice([0, 0, 0, 64, 65, 35])
    return f"\x1b[<{button};{x};{y}M" + (f"\x1b[<0;{x};{y}m" if button == 0 else "")


def word(chance: random.Random, columns: int, lines: int) -> str:
    kind = chance.random()
    if kind < 0.45:
        return chance.choice(OFTEN)
    if kind < 0.84:
        return chance.choice(KEYS)
    if kind < 0.92:
        return mouse(chance, columns, lines)
    return chance.choice(ODD) if kind < 0.96 else f"\x1b[200~{chance.choice(PASTES)}\x1b[201~"


def contents(home: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in home.rglob("*") if path.is_file() and ".local" not in path.parts}


def end(terminal: Terminal) -> int:
    """Have it quit, whatever it shows."""
    deadline = time.monotonic() + PATIENCE
    while not terminal.has_ended and time.monotonic() < deadline:
        # One by one, and slowly: an answer counts only when its question could be read.
        for key in ("\x1b", "\x1b", "\x11", "D"):
            if not terminal.has_ended:
                terminal.press(key)
                terminal.read(0.55 if key == "\x11" else 0.1)
    return terminal.close()


def burst(home: Path, seed: int, count: int) -> None:
    chance = random.Random(seed)
    opened = world(home, seed)
    before = contents(home)
    columns, lines = chance.choice([chance.randint(60, 120), 130, 170]), chance.choice([12, 20, 24, 30, 40, 46])
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("TOOLPAIR", "XDG_"))}
    environment |= {"HOME": str(home), "TERM": "xterm-256color", "XDG_STATE_HOME": str(home / ".local" / "state")}
    environment["XDG_CACHE_HOME"] = str(home / ".local" / "cache")
    arguments = [*program(), *([str(opened)] if chance.random() < 0.9 else [])]
    terminal = Terminal(arguments, columns=columns, lines=lines, environment=environment, folder=home)
    what = f"seed {seed}: {opened.name} at {columns} x {lines}"
    try:
        terminal.read(until=b"quit" if chance.random() < 0.8 else b"\x1b[?1049h")
        for _ in range(count):
            if terminal.has_ended:
                break
            terminal.press(word(chance, columns, lines))
            time.sleep(chance.choice([0, 0, chance.random() * 0.02]))
        if not terminal.has_ended:
            mark = len(terminal.output)
            terminal.resize(columns + 7, lines + 1)
            assert terminal.read(until=b"\x1b[", since=mark) or terminal.has_ended, f"{what}: it does not answer"
        code = end(terminal)
    finally:
        terminal.kill()
    said = terminal.said()
    assert "failed" not in said and "Traceback" not in terminal.text(), f"{what}: {said[-3000:]}"
    # 130: an interrupt that was typed before the interface had the terminal, or when it had given it back.
    assert code in (0, 130), f"{what}: exit code {code}: {said[-3000:]}"
    told = terminal.text(), said
    after = contents(home)
    changed = [path for path in {*before, *after} if before.get(path) != after.get(path)]
    for path in changed:
        # A folder that is typed may stand before the name as it is told.
        names = (path.name, *(above.name for above in path.parents if home in above.parents))
        assert any(name in said for name in names), (
            f"{what}: {path.name} was changed, and the program said {said[-3000:]!r}"
        )
    assert not changed or any(word in told[0] for word in ("Saved", "Restored", "restored")), (
        f"{what}: no screen told of {changed}"
    )


@pytest.mark.parametrize("seed", CASES)
def test_nothing_that_is_typed_ahead_does_harm(tmp_path: Path, seed: int) -> None:
    burst(tmp_path, seed, 120)


@pytest.mark.skipif(not LONG, reason="TOOLPAIR_BURSTS=SECONDS runs it")
def test_for_long(tmp_path: Path) -> None:
    until, seed = time.monotonic() + LONG, random.SystemRandom().randrange(1 << 30)
    while time.monotonic() < until:
        home = tmp_path / str(seed)
        home.mkdir()
        burst(home, seed, random.Random(seed).choice([20, 60, 120, 400]))
        shutil.rmtree(home)
        seed += 1
