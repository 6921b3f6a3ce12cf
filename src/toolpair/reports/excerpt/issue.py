"""The Markdown of a bug report: what is seen, why, and the excerpt that shows it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from msgspec import Struct

from toolpair import __version__
from toolpair.history.sent_rows import SeenRow, seen_rows
from toolpair.reports.excerpt.harness import as_test
from toolpair.reports.page.markdown_text import code, inline
from toolpair.reports.reading.problem_words import api_text
from toolpair.rules.problem import Problem
from toolpair.session.session import Session
from toolpair.text.safe import visible
from toolpair.transcript.counting import plural

LONGEST: Final = 60_000
"""Characters of an excerpt that an issue can take: trackers refuse longer ones."""
TRACKERS: Final = {
    "claude-code": "https://github.com/anthropics/claude-code/issues",
    "codex": "https://github.com/openai/codex/issues",
    "pi": "https://github.com/earendil-works/pi/issues",
    "openclaw": "https://github.com/openclaw/openclaw/issues",
    "qwen-code": "https://github.com/QwenLM/qwen-code/issues",
    "copilot-cli": "https://github.com/github/copilot-cli/issues",
    "gemini-cli": "https://github.com/google-gemini/gemini-cli/issues",
    "continue": "https://github.com/continuedev/continue/issues",
    "cline-cli": "https://github.com/cline/cline/issues",
    "goose": "https://github.com/aaif-goose/goose/issues",
    "roo-code": "https://github.com/RooCodeInc/Roo-Code/issues",
}
"""Format -> where its agent's bugs are reported."""
_IMPACTS: Final = {"stops": "the session cannot go on", "loses": "something real is lost"}
_ROWS: Final = 40
_TEXT: Final = 100


class Excerpt(Struct, frozen=True):
    """A part of a session that shows one of its problems."""

    data: bytes
    name: str
    """What to call the file: it says nothing about the original's name."""
    session: Session
    """The excerpt, opened."""
    problem: Problem
    """The problem in the excerpt."""
    number: int
    """The number of the problem in the original, from 1."""
    count: int
    """How many problems the original has."""
    redacted: bool
    checks: int
    """How many parts were tried."""
    size_before: int
    records_before: int
    records: int
    lines: bool
    """Whether its records are lines of the file; else they are elements of a list."""
    notes: tuple[str, ...]
    """What the original shows only together with files beside it, one sentence each."""

    def issue(self) -> str:
        """The Markdown of a bug report for the agent's issue tracker, with the excerpt in it."""
        return "\n".join((*_lines(self), ""))

    def as_test(self, runs: str) -> str:
        """A test for the agent's authors, which fails on the excerpt. `runs`: "pytest", "vitest" or "go".

        Raises SessionError where none can be written for the agent, Refused where it would not fail.
        """
        return as_test(self.session, self.problem, runs)


def as_text(data: bytes) -> tuple[list[str], bool]:
    """The excerpt as lines that can be pasted, and whether these are exactly its bytes."""
    text = data.decode("utf-8", "replace")
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    shown = [str(visible(line.removesuffix("\r"))) for line in lines]
    return shown, "".join(shown).encode() == b"".join(data.split(b"\n"))


def _lines(excerpt: Excerpt) -> Iterator[str]:
    session, problem = excerpt.session, excerpt.problem
    yield from (f"### {inline(problem.text)}", "", *_about(session, problem))
    yield from ("", "### Excerpt", "", *_excerpt(excerpt))
    yield from ("", "### What is sent", "", *_sent(session))
    yield from ("", "### How this was made", "", *_made(excerpt))


def _about(session: Session, problem: Problem) -> Iterator[str]:
    transcript = session.conversation.transcript
    if transcript.agent is not None:
        yield f"- Agent: {inline(f'{transcript.agent} {transcript.agent_version or str()}'.strip())}"
    else:
        yield f"- Format: {session.format.id}"
    if transcript.model is not None:
        yield f"- Model: {inline(transcript.model)}"
    impact = _IMPACTS.get(problem.impact, "harmless")
    yield f"- Rule: `{problem.rule}` ({problem.severity}; {impact}), checked for {inline(session.profile.title)}"
    cause = problem.cause
    if cause is not None:
        known = ", ".join(filter(None, (cause.product, cause.link)))
        evidence = f"; {inline(cause.evidence)}" if cause.evidence else ""
        yield f"- Cause: {inline(cause.text)}{evidence}" + (f" (known from {known})" if known else "")
    else:
        yield "- Cause: not known"
    if problem.on_resume is not None:
        version = f" ({inline(problem.on_resume.version)})" if problem.on_resume.version else ""
        yield f"- On resume: {inline(problem.on_resume.text)}{version}"
    if says := api_text(problem):
        yield f"- The API would say: {inline(says)}"


def _excerpt(excerpt: Excerpt) -> Iterator[str]:
    lines, exact = as_text(excerpt.data)
    length = sum(map(len, lines)) + len(lines)
    if length > LONGEST:
        yield f"It has {length:,} characters, too many for this page: `{excerpt.name}` is attached."
        return
    if not exact:
        yield f"It has bytes that cannot be shown here, so `{excerpt.name}` is attached. Readable:"
        yield ""
    longest = max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    yield fence + ("jsonl" if excerpt.lines else "json")
    yield from lines
    yield fence


def _sent(session: Session) -> Iterator[str]:
    judged = session.conversation.judged
    if judged.seen is not None and judged.seen.refuses:
        yield f"Nothing: {inline(judged.seen.refuses)}"
        return
    rows = seen_rows(judged)
    number = 0
    for row in islice(rows, _ROWS):
        number += 1
        yield f"{number}. {_row(row)}"
    if not number:
        yield "Nothing: no message is left."
    left = sum(1 for _ in rows)
    if left:
        yield ""
        yield f"And {plural(left, 'more block')}."


def _row(row: SeenRow) -> str:
    where = row.role if row.message is not None else f"{row.role}, left out"
    name = row.block.name if row.block is not None and row.block.name else None
    parts = [row.type, *(code(part) for part in (name, row.id) if part)]
    text = " ".join(row.text.split())
    text = text if len(text) <= _TEXT else f"{text[:_TEXT]}…"
    mark = f" [{row.fate}]" if row.fate not in ("sent", "dropped") else ""
    return f"{inline(where)}: {' '.join(parts)}{mark}" + (f" — {code(text)}" if text else "")


def _made(excerpt: Excerpt) -> Iterator[str]:
    noun = "line" if excerpt.lines else "message"
    before = plural(excerpt.records_before, noun)
    yield (
        f"`toolpair excerpt --issue` (toolpair {__version__}) cut it out of a session of {before}: the smallest part "
        f"found in {plural(excerpt.checks, 'check')} that shows this problem with the same cause, and breaks no rule "
        "that the session keeps."
    )
    if excerpt.redacted:
        yield (
            "Texts, names, paths, hosts, times, numbers and ids are stand-ins of the same kind and length. Ids differ "
            "from each other exactly as they did."
        )
    else:
        yield "It is not redacted."
    yield f"To see it: save the block as `{excerpt.name}` and run `toolpair check {excerpt.name}`."
