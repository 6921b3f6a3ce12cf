"""Odd values in every field, exported to every API: a body that the provider's rules accept, or a refusal in a sentence.

A short run is part of the tests. A long one: `python -m tests.hostile.test_exports SECONDS [FIRST_SEED]`.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.hostile.everything import CODES, opened, run
from tests.hostile.test_odd_fields import case, laid_down
from tests.reports.through_rules import refused
from tests.rounds import tries
from toolpair.reports.export.exported import Exported, ExportRefused
from toolpair.reports.export.exporting import export
from toolpair.reports.export.targets import TARGETS


def exported_everywhere(path: Path, turns: bool = True) -> None:
    session = opened(path)
    if session is None:
        return
    for to in TARGETS:
        made = _tried(session, to)
        if made is not None:
            assert not refused(to, made.body), (to, refused(to, made.body))
        as_is = export(session, to, as_is=True)
        for one in filter(None, (made, as_is)):
            json.loads(one.json)
            assert all(isinstance(str(note), str) and note.text for note in one.notes)
            assert one.curl("body.json") and one.python("body.json")
        if turns and as_is.turns:
            export(session, to, turn=as_is.turns, as_is=True)
        if made is not None and turns and made.turns:
            _tried(session, to, turn=made.turns)
    assert not session.staged


def _tried(session: Any, to: str, turn: int | None = None) -> Exported | None:
    try:
        return export(session, to, turn=turn)
    except ExportRefused as refusal:
        assert refusal.problems and str(refusal).startswith("Nothing was exported: ")
        return None


def tried(seed: int) -> None:
    name, value, _ = case(seed)
    with tempfile.TemporaryDirectory() as folder:
        path = laid_down(folder, name, value)
        exported_everywhere(path)
        CODES["export"] = {0, 1, 2}
        for to in TARGETS:
            code, said, _ = run("export", path, "--to", to)
            if code == 0:
                json.loads(said)


@settings(max_examples=tries(40), deadline=None)
@given(seed=st.integers(0, 2**32))
def test_a_session_is_exported_or_refused(seed: int) -> None:
    tried(seed)


def main(seconds: float, first: int) -> None:
    until, seed = time.monotonic() + seconds, first
    while time.monotonic() < until:
        try:
            tried(seed)
        except Exception:
            print(f"seed {seed}, {case(seed)[0]}")
            traceback.print_exc(file=sys.stdout, limit=-4)
        seed += 1
    print(f"{seed - first:,} cases tried")


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
