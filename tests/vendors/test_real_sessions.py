"""Every session below the folder TOOLPAIR_SESSIONS, exported to every API: valid by the rules and by the vendors' types.

TOOLPAIR_SESSIONS=~/.claude/projects pytest -q tests/vendors/test_real_sessions.py -s
"""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import pytest

import toolpair
from tests.reports.through_rules import refused
from tests.vendors.bodies import JUDGES

FOLDER = os.environ.get("TOOLPAIR_SESSIONS")


@pytest.mark.skipif(FOLDER is None, reason="TOOLPAIR_SESSIONS names no folder of sessions")
def test_every_session_of_a_folder_is_exported() -> None:
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    for path in sorted(Path(FOLDER or ".").expanduser().rglob("*")):
        if path.suffix not in (".json", ".jsonl") or not path.is_file():
            continue
        try:
            session = toolpair.open(path)
        except toolpair.SessionError:
            counts["not a session"] += 1
            continue
        for to, judge in JUDGES.items():
            turns = toolpair.export(session, to=to, as_is=True).turns
            for turn in (None, *range(1, turns + 1)):
                try:
                    exported = toolpair.export(session, to=to, turn=turn)
                except (toolpair.ExportRefused, ValueError) as refusal:
                    counts[f"{to}: {type(refusal).__name__}"] += 1
                    continue
                counts[f"{to}: exported"] += 1
                counts[f"{to}: as recorded"] += exported.exact
                found = [*refused(to, exported.body), *judge(json.loads(exported.json))]
                wrong += [f"{path} {to} turn {turn}: {one}" for one in found]
    print(f"\n{dict(counts)}")
    assert not wrong
