"""No test fails because a machine is slow: none asserts how long something took."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import HealthCheck, settings

HERE = Path(__file__).parent


def test_no_test_asserts_a_time() -> None:
    clock = re.compile(
        r"assert\b.*\b(perf_counter|process_time|monotonic|thread_time)\(\)\s*-|perf_counter|process_time"
    )
    for path in HERE.rglob("*.py"):
        if path != Path(__file__):
            found = clock.search(path.read_text(encoding="utf-8"))
            assert found is None, f"{path}: {found[0] if found else ''}"


def test_no_property_has_a_deadline() -> None:
    assert settings().deadline is None
    assert HealthCheck.too_slow in settings().suppress_health_check
    for path in HERE.rglob("*.py"):
        deadlines = re.findall(r"\bdeadline=(?!None)\w+", path.read_text(encoding="utf-8"))
        assert not deadlines or path == Path(__file__), path


def test_the_command_of_the_readme_uses_all_cores() -> None:
    readme = (HERE.parent / "README.md").read_text(encoding="utf-8")
    command = readme.split("<!-- test command -->\n```sh\n")[1].split("\n")[0]
    assert command.endswith(".venv/bin/pytest -q -n auto")
