"""The recommended fixes of sessions with records lost, doubled, exchanged and spoilt: each settles its problem, a second
run changes nothing, and nothing is lost that was sent before.

TOOLPAIR_TEST_ROUNDS multiplies the number of sessions; `python -m tests.hostile.test_settling SECONDS [SEED]` tries more.
"""

from __future__ import annotations

import json
import random
import sys
import time
import traceback
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.hostile.sessions import DOCUMENTS, LINES, written
from tests.hostile.test_odd_fields import NAMES
from tests.hostile.values import spoilt
from tests.rounds import tries
from toolpair.recipes.recommended import pick
from toolpair.session.session import Session, SessionError, open_session

SAMPLES = Path(__file__).resolve().parents[2] / "sample_sessions"
FILES = ("claude-code-branches.jsonl", "codex-killed.jsonl", "gemini-doubled.jsonl", "pi-lost-line.jsonl", "qwen-late-result.jsonl")  # fmt: skip
DATABASES = ("docker-agent-late-result.db", "goose-left-out.db", "openclaw-cut-history.db")
_KEYS = {"transcript_events": ("seq",), "messages": ("id",), "session_items": ("id", "position")}
"""Table -> the columns that say where a row of it stands."""
_PER_KIND = 40


@cache
def _lines_of(name: str) -> list[Any]:
    data = (SAMPLES / name).read_bytes() if name in FILES else open_session(SAMPLES / name).to_bytes()
    return [json.loads(line) for line in data.splitlines()]


def _sample(name: str) -> Callable[[], Any]:
    return lambda: deepcopy(_lines_of(name))


KINDS: dict[str, Callable[[], Any]] = {**LINES, **DOCUMENTS, **{name: _sample(name) for name in (*FILES, *DATABASES)}}


def shuffled(rng: random.Random, value: Any) -> None:
    """Lose, double and exchange some records."""
    keys = ("messages", "input", "history")
    records = value if isinstance(value, list) else next(value[key] for key in keys if key in value)
    for _ in range(rng.randint(1, 4)):
        if len(records) < 3:
            break
        one, other = rng.randrange(len(records)), rng.randrange(len(records))
        match rng.choice(("lose", "double", "exchange", "lose")):
            case "lose":
                del records[one]
            case "double":
                records.insert(other, deepcopy(records[one]))
            case _:
                records[one], records[other] = records[other], records[one]


def shuffled_rows(rng: random.Random, lines: list[Any]) -> None:
    """Lose and exchange rows, which are in the order of their keys."""

    def row(line: Any) -> Any:
        return next((line[table] for table in _KEYS if table in line), None)

    table = next(name for line in lines for name in line if name in _KEYS)
    for _ in range(rng.randint(1, 4)):
        rows = [line for line in lines if row(line)]
        one, other = rng.choice(rows), rng.choice(rows)
        if rng.random() < 0.5 and len(rows) > 3:
            lines.remove(one)
            continue
        for key in _KEYS[table]:
            row(one)[key], row(other)[key] = row(other)[key], row(one)[key]
    lines.sort(key=lambda line: row(line)[_KEYS[table][-1]] if row(line) else -1)


def case(name: str, seed: int) -> bytes:
    rng = random.Random(f"{name}:{seed}")
    value = KINDS[name]()
    if name in DATABASES:
        shuffled_rows(rng, value)
    else:
        shuffled(rng, value)
        if rng.random() < 0.4:
            value = spoilt(rng, value)
    if name in (*FILES, *DATABASES) and isinstance(value, list):
        return b"".join(json.dumps(record).encode() + b"\n" for record in value)
    return written(name, value)


def _opened(name: str, data: bytes) -> Session | None:
    try:
        return open_session(Path(NAMES.get(name, f"{Path(name).stem}.json")).name, data=data)
    except SessionError:
        return None


def settles(name: str, data: bytes) -> None:
    session = _opened(name, data)
    if session is None:
        return
    before = session.conversation
    session.stage_recommended()
    held = {(found.problem.rule, found.problem.record) for found in session.staging.held_back}
    for problem in session.problems:
        fix = pick(problem)
        assert fix is None or (problem.rule, problem.record) in held, (problem.rule, problem.record, fix.id)
        left = problem.severity == "error" and problem.recommended is None
        assert not left or problem.no_fix or problem.guess, (problem.rule, problem.text)
    assert session.conversation.sends_less(before).text is None
    made = session.to_bytes()
    again = _opened(name, made)
    # Too little may be left to show whose session it is.
    if again is not None and again.format.id == session.format.id:
        again.stage_recommended()
        assert again.to_bytes() == made, [row.rules for row in again.staged]


@pytest.mark.parametrize("name", sorted(KINDS))
def test_what_is_recommended_settles(name: str) -> None:
    for seed in range(tries(_PER_KIND)):
        try:
            settles(name, case(name, seed))
        except Exception as error:
            raise AssertionError(f"seed {seed}") from error


def main(seconds: float, seed: int) -> None:
    until, first = time.monotonic() + seconds, seed
    while time.monotonic() < until:
        for name in sorted(KINDS):
            try:
                settles(name, case(name, seed))
            except Exception:
                print(f"{name}, seed {seed}")
                traceback.print_exc(limit=-1, file=sys.stdout)
        seed += 1
    print(f"{(seed - first) * len(KINDS):,} sessions tried")


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 10**6)
