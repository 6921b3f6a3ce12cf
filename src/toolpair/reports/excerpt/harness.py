"""An excerpt as a failing test in its agent's own harness: the request that the agent makes of it has to pair.

What each agent's code takes is data: `harnesses/harnesses.toml`, and a template for each.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any, Final

import msgspec
from msgspec import Struct

from toolpair.reports.first_break.answers import parsed
from toolpair.rules.problem import Problem
from toolpair.session.session import Refused, Session, SessionError
from toolpair.text.safe import visible
from toolpair.transcript.model import Block, Damaged
from toolpair.transcript.placeholders import known_placeholder

RUNS: Final = ("pytest", "vitest", "go")
_FOLDER: Final = files("toolpair.reports.excerpt").joinpath("harnesses")


class Harness(Struct, frozen=True):
    """How an agent's code is given a case."""

    title: str
    runs: str
    template: str
    formats: dict[str, list[str]]
    """Where a record of each format holds what the agent's code takes."""
    how: str
    """How to run it, a sentence."""
    messages: str = ""
    """The key of a record that says what it is, where only messages can be given to the agent's code."""


@cache
def harnesses() -> dict[str, Harness]:
    return msgspec.convert(tomllib.loads(_FOLDER.joinpath("harnesses.toml").read_text("utf-8")), dict[str, Harness])


def harness_for(format: str, title: str, runs: str) -> Harness:
    """The harness of the agent whose sessions have this format. Raises SessionError where there is none."""
    found = next((one for one in harnesses().values() if format in one.formats), None)
    if found is None:
        known = ", ".join(f"{one.title} ({one.runs})" for one in harnesses().values())
        raise SessionError(
            f"No test can be written for {title}: it is not known which of its own code a test could call. "
            f"There are tests for {known}."
        )
    if found.runs != runs:
        raise SessionError(f"The tests of {found.title} run with {found.runs}: --as-test {found.runs}.")
    return found


def as_test(session: Session, problem: Problem, runs: str) -> str:
    """The text of a test of a problem in a redacted session. Raises SessionError where none can be written, Refused
    where it would not fail.
    """
    harness = harness_for(session.format.id, session.format.title, runs)
    conversation = session.conversation
    sent = conversation.verdict
    if conversation.format.sees is not None and problem.impact != "stops" and sent.outputs_seen == sent.outputs_total:
        raise Refused(
            f"Nothing was written: {harness.title} sends all of this case in pairs, so its test would not fail.", "sent"
        )
    path = harness.formats[session.format.id]
    case = [_at(record.value, path, harness.messages) for record in conversation.document.records]
    text = _FOLDER.joinpath(harness.template).read_text("utf-8")
    results = (block for message in conversation.transcript.messages for block in message.results)
    filled = {
        "@@ABOUT@@": visible(f"{problem.rule}: {problem.text}").replace("\\", "/").replace('"""', "'''"),
        "@@CASE@@": _json([one for one in case if one is not None], 2),
        "@@OUTPUTS@@": _json(list(_outputs(results)), None),
    }
    return re.sub("|".join(filled), lambda mark: filled[mark[0]], text)


def _at(value: Any, path: list[str], messages: str) -> Any:
    """What a record holds for the agent's code; None where it stands beside the history. Raises SessionError."""
    if isinstance(value, Damaged):
        raise SessionError("No test can be written of a case with a record that cannot be read.")
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    if messages and isinstance(value, dict) and value.get(messages) != "message":
        raise SessionError("No test can be written of a case with a summary or another agent's work in it.")
    return value


def _outputs(results: Iterator[Block]) -> Iterator[str]:
    """Of each real output the longest line of its longest text: however the agent writes it down, that is in it."""
    for block in results:
        inside = parsed(block.text)
        texts = [block.text] if inside is None else [*_texts(inside)]
        if block.text and texts and known_placeholder(block.text) is None:
            yield max(max(texts, key=len).split("\n"), key=len).strip()


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _texts(one)


def _json(value: Any, indent: int | None) -> str:
    """As a literal of Python, TypeScript and Go alike: ASCII, and no backtick."""
    return json.dumps(value, indent=indent, ensure_ascii=True).replace("`", "\\u0060")
