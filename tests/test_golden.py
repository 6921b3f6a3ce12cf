"""What the program says about the samples, byte by byte: a change of it is seen by whoever makes it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "tests" / "golden"
UPDATE = "If that is meant: python scripts/golden.py --small tests/golden, read the diff, and commit both."


def _answers(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_samples_are_answered_as_they_were(tmp_path: Path) -> None:
    script = [sys.executable, str(ROOT / "scripts" / "golden.py"), "--small", str(tmp_path / "now")]
    subprocess.run(script, check=True, cwd=tmp_path)
    kept, now = _answers(KEPT), _answers(tmp_path / "now")
    assert len(kept) > 80
    changed = sorted(name for name in kept.keys() | now.keys() if kept.get(name) != now.get(name))
    assert not changed, f"Other answers than the ones in tests/golden: {', '.join(changed)}. {UPDATE}"
