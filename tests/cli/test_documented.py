"""What README and the pages show can be typed: each command runs, and prints what is shown."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Final

import pytest

import toolpair
from tests.cli.conftest import Run
from tests.session_folders import claude_session
from toolpair.cli.exits import UsageError
from toolpair.cli.main import COMMANDS
from toolpair.cli.open import parser as interface_parser

ROOT: Final = Path(__file__).resolve().parents[2]
PAGES: Final = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
_BLOCK: Final = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_INLINE: Final = re.compile(r"`(toolpair [^`]+)`")
_ASKS: Final = re.compile(r"prove|demo|hook .*--(install|remove)|.*(DATABASE|storage|--as-test)")
"""What needs a person, or more than these files: it is only parsed."""
_TOLD: Final = (["--help"], ["--version"], ["completion", "--help"])
_SESSIONS: Final = {"FILE": "file.jsonl", "A": "a.jsonl", "B": "b.jsonl", "PATH": "path.jsonl"} | {
    name: name for name in ("session.jsonl", "fixed.jsonl")
}
_NAMED: Final = _SESSIONS | {
    "THING": "result.missing", "CAUSE": "interrupted", "RULE": "result.missing", "NAME": "check", "SHELL": "fish",
    "TOPIC": "fix", "STORY": "codex-killed", "API": "openai-chat", "FOLDER": ".", "LOG": "requests.jsonl",
}  # fmt: skip
"""What a page calls something, and what it is here."""


def _commands(page: Path) -> Iterator[str]:
    """The commands of a page without the name of the program: those of its blocks, then those in its sentences."""
    text = page.read_text(encoding="utf-8")
    lines = [line for kind, body in _BLOCK.findall(text) if kind in ("sh", "") for line in body.splitlines()]
    shown = [line.strip() for line in lines if line.startswith("toolpair")]
    for line in [*shown, *(" ".join(found.split()) for found in _INLINE.findall(_BLOCK.sub("", text)))]:
        words = shlex.split(line, comments=True)[1:]
        words = words[: min([words.index(sign) for sign in (">", ">>") if sign in words], default=len(words))]
        yield from (part.strip() for part in shlex.join(words).split(" '|' "))


ALL: Final = [(page, list(dict.fromkeys(_commands(page)))) for page in PAGES]


@pytest.mark.parametrize(("page", "commands"), [pytest.param(*one, id=one[0].stem) for one in ALL if one[1]])
def test_it_runs(
    page: Path, commands: list[str], run: Run, tmp_path: Path, samples: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    session = claude_session(tmp_path / ".claude", str(tmp_path), missing=1, pairs=30)
    session.write_text(re.sub(r'("tool_use_id": ?")toolu_(000[59])', r"\1toolu.\2", session.read_text()))
    shutil.copy(samples / "proxy-log.jsonl", "requests.jsonl")
    blocks = dict(reversed(_BLOCK.findall(page.read_text("utf-8"))))
    Path("log.jsonl").write_text("".join(blocks.get("json", "").replace('"r-1"', f'"r-{n}"') for n in range(9)))
    Path("ours.toml").write_text(blocks.get("toml", ""))
    for typed in commands:
        words = [word.strip("[]").removesuffix("...") for word in shlex.split(typed)]
        words = [_NAMED.get(word, word) for word in words]
        command = words[0] if words and words[0] in COMMANDS else ""
        parser = import_module(COMMANDS[command]).parser() if command else interface_parser()
        try:
            if words not in _TOLD:
                parser.parse_args(words[bool(command) :])
        except UsageError as error:
            assert "required" in str(error), (typed, error)  # the command is only named, with options that it has
            continue
        if (not command and words not in _TOLD) or _ASKS.match(typed):
            continue
        for name in _SESSIONS.values():
            shutil.copy(session, name)
        if "-o" in words:
            Path(words[words.index("-o") + 1]).unlink(missing_ok=True)
        ran = run(*words, stdin=b"tool_use ids were found without tool_result blocks")
        assert ran.code in (0, 1, 4), (typed, ran.err)


@pytest.mark.parametrize(
    "name", ["README.md", "docs/python.md", "docs/report.md", "docs/excerpt.md", "docs/first-break.md"]
)
def test_its_python_runs(name: str, tmp_path: Path, samples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One block after the other, as someone reads the page; a client answers with a text."""
    monkeypatch.chdir(tmp_path)
    session = claude_session(tmp_path, missing=1, pairs=9)
    for copy in ("session.jsonl", "fork.jsonl"):
        shutil.copy(session, copy)
    said = SimpleNamespace(
        content="Done.", choices=[SimpleNamespace(message={"role": "assistant", "content": "Done."})]
    )
    create = SimpleNamespace(create=lambda **_: said)
    client = SimpleNamespace(messages=create, chat=SimpleNamespace(completions=create))
    bodies = [json.loads(line)["request"] for line in (samples / "proxy-log.jsonl").read_text().splitlines()]
    known = {"toolpair": toolpair, "session": toolpair.open("session.jsonl"), "messages": [], "bodies": bodies,
             "client": client, "CustomLogger": object, "Path": Path}  # fmt: skip
    for block in (body for kind, body in _BLOCK.findall((ROOT / name).read_text("utf-8")) if kind == "python"):
        exec(compile(block, name, "exec"), known)


def test_what_is_shown_is_printed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    shown = [block for page in PAGES for kind, block in _BLOCK.findall(page.read_text("utf-8")) if kind == "console"]
    assert shown
    for block in shown:
        typed, _, printed = block.partition("\n")
        assert run(*shlex.split(typed.removeprefix("$ toolpair "))).out == printed
