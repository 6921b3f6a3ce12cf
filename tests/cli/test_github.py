"""Annotations of GitHub's workflows, and the hook of pre-commit."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.cli.ci_files import SECRETS, broken, chat_broken, write
from tests.cli.conftest import Run
from tests.patience import PATIENCE

ROOT = Path(__file__).resolve().parent.parent.parent
_COMMAND = re.compile(r"::(error|warning|notice) ((?:[a-zA-Z]+=[^,:\r\n]*,?)*)::([^\r\n]*)")


def commands(text: str) -> list[tuple[str, dict[str, str], str]]:
    """What GitHub's runner would make of each line: its kind, its properties and its message."""
    found = []
    for line in text.split("\n"):
        if not line.startswith("::"):
            continue
        match = _COMMAND.fullmatch(line)
        assert match is not None, line
        properties = dict(part.split("=", 1) for part in match[2].split(","))
        shown = {key: _unescaped(value, ("%2C", ","), ("%3A", ":")) for key, value in properties.items()}
        found.append((match[1], shown, _unescaped(match[3])))
    return found


def _unescaped(text: str, *more: tuple[str, str]) -> str:
    for code, sign in (*more, ("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
        text = text.replace(code, sign)
    return text


def test_file_names_survive(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = ["logs/my session, the 2nd: 100%.json", "a%0Ab.json", "c=d;e.json"]
    for name in names:
        write(tmp_path / name, broken())
    ran = run("check", tmp_path / names[0], *names[1:], "--output-format", "github")
    assert ran.code == 1
    found = commands(ran.out)
    assert list(dict.fromkeys(properties["file"] for _, properties, _ in found)) == names
    assert "error" in {kind for kind, _, _ in found}
    for _, properties, text in found:
        assert set(properties) == {"file", "line", "col", "title"} and int(properties["line"]) > 1 and text


def test_the_line_is_that_of_the_block(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path / "session.json", broken())
    lines = path.read_text().splitlines()
    for _, properties, _ in commands(run("check", path, "--output-format", "github").out):
        if properties["title"].startswith("result."):
            block = "\n".join(lines[int(properties["line"]) - 1 :][:4])
            assert "tool_result" in block or "tool_use" in block


def test_nothing_that_was_said_is_in_it(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "a.json", broken())
    write(tmp_path / "b.json", chat_broken(), None)
    ran = run("check", tmp_path, "--output-format", "github", "--profile", "anthropic", "--profile", "groq")
    assert len(commands(ran.out)) > 8
    assert not [secret for secret in SECRETS if secret in ran.out + ran.err]


def test_what_stands_in_an_id_is_no_command(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path / "session.json", broken("a\r\n::error::owned", "b\n::set-output name=x::1"))
    ran = run("check", path, "--output-format", "github")
    assert commands(ran.out)
    assert all(line.startswith(("::error file=", "::warning file=", "::notice file=")) for line in ran.out.splitlines())


def test_unreadable_files_and_standard_input(run: Run, tmp_path: Path) -> None:
    ran = run("check", tmp_path / "none.json", "--output-format", "github")
    ((kind, properties, text),) = commands(ran.out)
    assert ran.code == 2 and kind == "error" and properties["file"].endswith("none.json") and "none.json" in text
    ran = run("check", "-", "--output-format", "github", stdin=json.dumps(broken()).encode())
    assert commands(ran.out) and not any("file" in properties for _, properties, _ in commands(ran.out))


def test_how_many_are_shown_is_told(run: Run, tmp_path: Path) -> None:
    one = [{"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "n", "input": {}}]}, {"role": "user", "content": "go"}]  # fmt: skip
    path = write(tmp_path / "session.json", one * 12)
    ran = run("check", path, "--output-format", "github")
    assert "GitHub shows the first 10" in ran.out.splitlines()[-1]


# --- pre-commit --------------------------------------------------------------------------------------------


def hook() -> dict[str, str]:
    """The one hook of the file, whose lines are all `key: value`."""
    lines = (ROOT / ".pre-commit-hooks.yaml").read_text().splitlines()
    assert [line for line in lines if line.startswith("- ")] == [lines[0]]
    return dict(line.lstrip("- ").split(": ", 1) for line in lines)


def test_the_hook_takes_the_files_of_a_commit(run: Run, tmp_path: Path, samples: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    found = hook()
    assert found["id"] == "toolpair-check" and found["language"] == "python"
    program, *arguments = shlex.split(found["entry"])
    assert program == "toolpair"
    (tmp_path / "package.json").write_text('{"name": "shop", "version": "1.0.0"}')
    (tmp_path / "tsconfig.json").write_text('{ // comments\n "compilerOptions": {} }')
    (tmp_path / "rows.json").write_text('[{"id": 1}, {"id": 2}]')
    (tmp_path / "empty.json").write_text("")
    (tmp_path / "good.json").write_bytes((samples / "valid.json").read_bytes())
    others = ["package.json", "tsconfig.json", "rows.json", "empty.json"]
    for name in others:
        assert re.search(found["files"], name)
    assert run(*arguments, *others).code == 0
    assert run(*arguments, *others, "good.json").code == 0
    write(tmp_path / "bad.json", broken())
    ran = run(*arguments, *others, "good.json", "bad.json")
    assert ran.code == 1 and "bad.json:" in ran.out and "4 files skipped" in ran.err


def test_warnings_let_a_commit_through(run: Run, tmp_path: Path) -> None:
    _, *arguments = shlex.split(hook()["entry"])
    messages = [
        {"role": "user", "content": "a"},
        {"role": "user", "content": "b"},
        {"role": "assistant", "content": "c"},
    ]
    path = write(tmp_path / "session.json", messages)
    ran = run(*arguments, path, "--profile", "anthropic", "--output-format", "json")
    assert ran.code == 0 and ran.json["files"][0]["problems"]


def test_what_is_not_there_or_may_not_be_read_is_not_skipped(run: Run, tmp_path: Path) -> None:
    assert run("check", "--skip-unrecognised", tmp_path / "none.json").code == 2
    if os.getuid():
        path = write(tmp_path / "secret.json", broken())
        path.chmod(0)
        assert run("check", "--skip-unrecognised", path).code == 2


def test_the_action_checks_what_it_is_given(tmp_path: Path) -> None:
    """The last step as the runner runs it, but for where toolpair is installed."""
    write(tmp_path / "my logs/bad one.json", broken())
    write(tmp_path / "-odd.json", broken())
    (tmp_path / "toolpair/bin").mkdir(parents=True)
    (tmp_path / "toolpair/bin/toolpair").symlink_to(Path(sys.executable).parent / "toolpair")
    action = (ROOT / "action.yml").read_text(encoding="utf-8")
    script = textwrap.dedent(action.rpartition("run: |\n")[2])
    assert not re.search(r"\$\{\{", script), "an input in a script is run by the shell"
    inputs = action.partition("inputs:\n")[2].partition("runs:\n")[0]
    assert set(re.findall(r"inputs\.([\w-]+)", action)) == set(re.findall(r"^  ([\w-]+):$", inputs, re.MULTILINE))
    assert "\n  using: composite\n" in action and action.count("run: |") == action.count("- shell: bash") == 2
    given = {"PATHS": "my logs\n-odd.json\n", "PROFILES": "anthropic\ngemini", "ARGUMENTS": "--select=result\n"}
    environment = {**os.environ, "RUNNER_TEMP": str(tmp_path), **given}
    ran = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", script],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert ran.returncode == 1, ran.stderr
    found = commands(ran.stdout)
    assert {properties["file"] for _, properties, _ in found} == {"my logs/bad one.json", "-odd.json"}
    assert {one["title"].partition(".")[0] for _, one, _ in found} == {"result"}
    assert any("(gemini)" in properties["title"] for _, properties, _ in found)
    given = {"PATHS": ".", "PROFILES": "", "ARGUMENTS": ""}
    ran = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path / "toolpair",
        env=environment | given,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert ran.returncode == 2 and not ran.stdout


def test_vs_code_finds_the_places_of_all_problems(run: Run, tmp_path: Path, samples: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs/ci.md").read_text(encoding="utf-8")
    (task,) = json.loads(page.partition("```json\n")[2].partition("```")[0])["tasks"]
    pattern = task["problemMatcher"]["pattern"]
    for name in ("damaged.jsonl", "openai-chat-missing.json", "python-repr.txt", "claude-code-branches.jsonl"):
        (tmp_path / name).write_bytes((samples / name).read_bytes())
    ran = run(*task["args"], "--inactive", "--profile", "anthropic", "--profile", "gemini")
    lines = [line for line in ran.out.splitlines() if line.startswith("::")]
    listed = run(
        "check", ".", "--inactive", "--profile", "anthropic", "--profile", "gemini", "--output-format", "json"
    ).json["files"]
    wanted = [
        (os.path.relpath(one["path"]), problem["rule"], problem["location"]["line"])
        for one in listed
        for problem in one["problems"]
    ]
    found = []
    for line in lines:
        match = re.fullmatch(pattern["regexp"], line)
        assert match is not None, line
        number = match[pattern["line"]]
        found.append(
            (match[pattern["file"]], match[pattern["code"]].partition(" ")[0], int(number) if number else None)
        )
        assert match[pattern["severity"]] in ("error", "warning", "notice") and match[pattern["message"]]
    assert found == wanted and len(found) > 15


def test_the_commands_of_the_page_can_be_given() -> None:
    from toolpair.cli.check import parser

    lines = [line.strip() for line in (ROOT / "docs" / "ci.md").read_text().splitlines()]
    given = [line.removeprefix("- run: toolpair check ") for line in lines if line.startswith("- run: toolpair check ")]
    assert {parser().parse_args(shlex.split(line.split(" > ")[0])).output_format for line in given} == {
        "github",
        "sarif",
    }
    assert any(line == f"- id: {hook()['id']}" for line in lines)
