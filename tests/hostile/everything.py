"""Everything that toolpair can do with a file, one after the other. Any failure raises."""

from __future__ import annotations

import io
import json
import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from toolpair.cli.main import main
from toolpair.dialects.block_texts import call_summary
from toolpair.dialects.block_values import as_json
from toolpair.history.sent_rows import seen_rows
from toolpair.recipes import RECIPES
from toolpair.rules.profiles import profile
from toolpair.session.recipe_trial import try_recipe
from toolpair.session.session import Session, SessionError, open_session

CODES = {
    "check": {0, 1, 2}, "fix": {0, 1, 2, 3, 4}, "sees": {0, 2}, "compare": {0, 1, 2}, "explain": {0, 1, 2},
    "report": {0, 2, 3}, "restore": {0, 2, 4}, "sessions": {0, 1},
}  # fmt: skip
ERRORS = "messages.2: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1."


class Broken(AssertionError):
    """A command ended in a way that none may."""


def run(*arguments: object) -> tuple[int, str, str]:
    """Run a command in this process: its exit code and output."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
    words = [str(argument) for argument in arguments]
    before = sys.stdout, sys.stderr, sys.stdin
    sys.stdout, sys.stderr, sys.stdin = out, err, io.TextIOWrapper(io.BytesIO(b""))
    try:
        code = main(words)
    finally:
        sys.stdout, sys.stderr, sys.stdin = before
    said = []
    for stream in (out, err):
        stream.flush()
        said.append(stream.buffer.getvalue().decode("utf-8"))  # type: ignore[attr-defined]
    told = f"{shlex.join(words)} -> {code}\n{said[1]}"
    if "toolpair itself failed" in said[1] and not os.environ.get("TOOLPAIR_TRACEBACK"):
        os.environ["TOOLPAIR_TRACEBACK"] = "1"
        try:
            run(*arguments)  # again, to see where
        except Exception as error:
            raise Broken(told) from error
        finally:
            del os.environ["TOOLPAIR_TRACEBACK"]
    if "toolpair itself failed" in said[1] or "Traceback" in said[1] or code not in CODES[words[0]]:
        raise Broken(told)
    for text in said:
        if any(char < " " and char != "\n" for char in text) or "\x7f" in text:
            raise Broken(f"a control character is printed: {told}")
    return code, said[0], said[1]


def all_commands(path: Path) -> None:
    """Every command on the file; output goes beside it."""
    for form in ("text", "json", "jsonl", "sarif", "github"):
        code, said, _ = run("check", path, "--output-format", form, "--inactive")
        if code != 2 and form in ("json", "sarif"):
            json.loads(said)
    run("check", path, "--show-content", "--profile", "anthropic", "--profile", "openai-chat")
    run("fix", path, "--diff")
    run("fix", path, "--diff", "--show-content")
    run("sees", path)
    code, said, _ = run("sees", path, "--output-format", "json", "--show-content")
    if not code:
        json.loads(said)
    for form in ("html", "markdown"):
        run("report", path, "-o", path.with_name("out.report"), "--force", "--full", "--output-format", form)
    run("compare", path)
    run("compare", path, "--output-format", "json", "--show-content")
    run("explain", ERRORS, path)
    run("explain", "toolu_1", path)
    run("restore", path)
    code, _, _ = run(
        "fix", path, "-o", path.with_name("out.jsonl"), "--output-format", "json", "--select", "record,result,id"
    )
    first, _, said = run("fix", path, "--in-place")
    if first in (0, 1, 4):
        again, _, _ = run("fix", path, "--in-place")
        if again not in (0, 1, 4):
            raise Broken(f"mended, and then {again}: {said}")
        run("restore", path, "--backup", "latest")


def everything_asked(session: Session) -> None:
    """The session's own methods."""
    look(session)
    session.look_around()
    session.resume_command()
    for where in ("line:2", "record:1", "pair:0", "message:1", "toolu_1", "result.missing", ERRORS, "\0", "\ud800"):
        session.find(where)
    for id_ in ("anthropic", "openai-chat", "openai-responses", "mistral", "gemini"):
        assert session.conversation.by(profile(id_)).verdict
    for branch in session.conversation.transcript.tree.branches[:3]:
        with suppress(ValueError):  # several have this id
            session.choose_leaf(branch.leaf)
        look(session)
    session.choose_leaf(None)
    for number in range(len(session.conversations)):
        session.current = number
        for recipe in RECIPES:
            _ = try_recipe(session.conversation, recipe).losses
    session.stage_recommended()
    look(session)
    list(session.staging.changes())
    open_session("again", data=session.to_bytes(), format=session.conversation.format.id)
    while session.undo():
        pass
    look(session)


def look(session: Session) -> None:
    """Everything shown of a session as it is."""
    assert session.conversation.verdict.sentence
    for number, conversation in enumerate(session.conversations):
        session.current = number
        for row in seen_rows(conversation.judged):
            assert isinstance(row.text, str)
        for problem in (*conversation.problems, *conversation.inactive_problems()):
            session.location(problem, conversation)
            hash(problem.key)
            _ = problem.api_says, problem.text
        for shown in session.conversation.rows:
            for block in (shown.pair.call if shown.pair else None, shown.result):
                if block is not None:
                    as_json(block, indent=2), block.text, call_summary(block)


@contextmanager
def folder(path: Path) -> Iterator[None]:
    """A context that works in this folder."""
    before = os.getcwd()
    os.chdir(path)
    try:
        yield
    finally:
        os.chdir(before)


def opened(path: Path, **how: Any) -> Session | None:
    """The session, if it is one."""
    try:
        return open_session(path, **how)
    except SessionError:
        return None
