"""Which version of an agent is installed here, read from its files."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from toolpair.agents.installed import installed_version


def program(path: Path, content: str = "#!/bin/sh\nexit 1\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    path.chmod(0o755)
    return path


def link(path: Path, to: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(to)


def package(folder: Path, name: str, version: Any) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text(json.dumps({"name": name, "version": version}))


def here(home: Path, format_id: str = "claude-code") -> str | None:
    return installed_version(format_id, {"PATH": os.pathsep.join(["", str(home / "bin")])}, home)


def native(home: Path) -> None:
    link(home / ".local/bin/claude", program(home / ".local/share/claude/versions/2.1.330"))


def from_npm(home: Path) -> None:
    folder = home / "lib/node_modules/@anthropic-ai/claude-code"
    package(folder, "@anthropic-ai/claude-code", "2.1.330")
    link(home / "bin/claude", program(folder / "cli.js"))


def local(home: Path) -> None:
    program(home / ".claude/local/claude")
    package(home / ".claude/local/node_modules/@anthropic-ai/claude-code", "@anthropic-ai/claude-code", "2.1.330")


def brewed(home: Path) -> None:
    link(home / "bin/claude", program(home / "Caskroom/claude-code/2.1.330/claude"))


def in_a_store(home: Path) -> None:
    link(home / "bin/claude", program(home / "store/abc-claude-code-2.1.330/bin/claude"))


def in_an_editor(home: Path) -> None:
    for name in ("anthropic.claude-code-2.1.99-linux-x64", "anthropic.claude-code-2.1.330-linux-x64", "other.x-3.0.0"):
        (home / ".vscode/extensions" / name).mkdir(parents=True)


@pytest.mark.parametrize("installed", [native, from_npm, local, brewed, in_a_store, in_an_editor])
def test_the_version_is_read_from_where_it_is_installed(installed: Callable[[Path], None], tmp_path: Path) -> None:
    assert here(tmp_path) is None
    installed(tmp_path)
    assert here(tmp_path) == "2.1.330"


def test_that_of_codex_is_read_the_same_way(tmp_path: Path) -> None:
    link(tmp_path / "bin/codex", program(tmp_path / "Cellar/codex/0.169.0/bin/codex"))
    assert here(tmp_path, "codex") == "0.169.0"
    assert here(tmp_path) is None and here(tmp_path, "anthropic") is None


def test_another_programs_version_is_never_taken_for_it(tmp_path: Path) -> None:
    """A manager of node versions keeps its commands in a folder that is named by node's."""
    program(tmp_path / "node/22.1.0/bin/claude")
    link(tmp_path / "bin/claude", tmp_path / "node/22.1.0/bin/claude")
    assert here(tmp_path) is None
    package(tmp_path / "node/22.1.0", "something-else", "1.2.3")
    assert here(tmp_path) is None


def test_odd_files_say_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "lib/node_modules/@anthropic-ai/claude-code"
    link(tmp_path / "bin/claude", program(folder / "cli.js"))
    for content in ("", "[]", '{"name": "@anthropic-ai/claude-code", "version": 7}', "{" * 500, "\0"):
        (folder / "package.json").write_text(content)
        assert here(tmp_path) is None
    (tmp_path / "bin/claude").unlink()
    (tmp_path / "bin/claude").symlink_to(tmp_path / "bin/claude")
    assert here(tmp_path) is None


def test_nothing_is_run_for_it(tmp_path: Path) -> None:
    told = tmp_path / "it ran"
    link(tmp_path / "bin/claude", program(tmp_path / "claude/2.1.330/claude", f"#!/bin/sh\ntouch '{told}'\n"))
    assert here(tmp_path) == "2.1.330" and not told.exists()


@pytest.mark.parametrize(("folder", "format_id", "version"), [
    ("lib/python3.12/site-packages/openhands_sdk-1.21.0.dist-info", "openhands", "1.21.0"),
    ("Lib/site-packages/mistral_vibe-2.24.5.dist-info", "vibe", "2.24.5"),
    ("lib/python3.12/site-packages/other-1.0.0.dist-info", "vibe", None),
])  # fmt: skip
def test_a_python_program_is_of_the_version_that_pip_left_beside_it(
    folder: str, format_id: str, version: str | None, tmp_path: Path
) -> None:
    command = "openhands" if format_id == "openhands" else "vibe"
    (tmp_path / "venv" / folder).mkdir(parents=True)
    link(tmp_path / "bin" / command, program(tmp_path / "venv" / "bin" / command))
    assert here(tmp_path, format_id) == version
