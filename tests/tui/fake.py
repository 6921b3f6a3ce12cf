"""A session made in memory, with real blocks, problems and fixes: fast, and as hostile as a test wants it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from toolpair.rules.base import Cause, Fix, OnResume, Problem
from toolpair.transcript.model import Block, Message, Transcript


@dataclass(frozen=True)
class Pair:
    index: int
    call: Block | None
    call_message: int | None
    results: tuple[Block, ...]
    result_messages: tuple[int, ...]
    state: str
    reason: str = ""
    certain: bool = True


@dataclass(frozen=True)
class Row:
    kind: str
    pair: Pair | None = None
    result: Block | None = None
    role: str | None = None
    label: str = ""
    message: int | None = None
    group: int = 1
    record: int | None = None


@dataclass(frozen=True)
class Verdict:
    outputs_total: int
    outputs_seen: int
    errors: int
    warnings: int
    infos: int
    causes: int
    refused: bool
    sentence: str
    native: bool = True


@dataclass(frozen=True)
class Group:
    cause: Cause | None
    rule: str
    title: str
    problems: tuple[Problem, ...]
    certain: int
    guesses: int
    fix_title: str | None
    loses_outputs: int


@dataclass(frozen=True)
class Staged:
    title: str
    count: int
    fix_ids: tuple[str, ...]
    loses: str | None
    lines_changed: int
    lines_added: int
    tools: tuple[str, ...]
    problems: int


@dataclass(frozen=True)
class Change:
    kind: str
    record: int | None
    line: int | None
    before: bytes | None
    after: bytes | None


@dataclass(frozen=True)
class Saved:
    path: Path
    backup: Path | None
    notes: list[str]
    resume: str | None


SANITISED = Cause("ids.sanitised", "same id, cleaned on one side only", "Both ids are the same when cleaned.")
STOPPED = Cause("call.stopped", "stopped while running", "Nothing follows the call.")


class FakeSession:
    """`pairs` pairs; every id in `mismatched` differs on its result, every one in `missing` has none."""

    def __init__(
        self,
        pairs: int = 30,
        mismatched: Sequence[int] = (5, 12),
        missing: Sequence[int] = (8,),
        guesses: Sequence[int] = (),
        text: str = "1  import os\nimport sys\nfrom x import y",
        tool: str = "Read",
        label: str = "now run the tests",
        call_id: str = "functions_read_file_{n}",
        result_id: str = "functions.read_file:{n}",
        writable: bool = True,
        path: Path | None = Path("/home/me/shop/7c3e1b2a.jsonl"),
    ) -> None:
        self.path = path
        self.shown_name = "7c3e1b2a.jsonl"
        self.size = 41_000_000
        self.writable = writable
        self.writable_reason = None if writable else "it was read from standard input"
        self.format = SimpleNamespace(id="claude-code", title="Claude Code")
        self.profile: Any = SimpleNamespace(id="anthropic", title="Anthropic", judged=47, not_judged=["signatures"])
        self.conversations: tuple[Any, ...] = (SimpleNamespace(label="only"),)
        self.current = 0
        self.document = SimpleNamespace(kind="lines", records=[None] * (pairs * 2 + 2))
        self._spec = (pairs, frozenset(mismatched), frozenset(missing), frozenset(guesses))
        self._words = (text, tool, label, call_id, result_id)
        self.staged: list[Staged] = []
        self._done: list[frozenset[int]] = []
        self._redo: list[tuple[Staged, frozenset[int]]] = []
        self.saved_as: list[Path | None] = []
        self._read()

    def profiles(self) -> list[Any]:
        return [self.profile, SimpleNamespace(id="openai-chat", title="OpenAI", judged=30, not_judged=[])]

    def set_profile(self, id: str) -> None:
        self.profile = next(p for p in self.profiles() if p.id == id)
        self._read()

    def _read(self) -> None:
        count, mismatched, missing, guesses = self._spec
        text, tool, label, call_id, result_id = self._words
        done = frozenset().union(*self._done) if self._done else frozenset()
        messages: list[Message] = []
        self.pairs: list[Pair] = []
        self.problems: list[Problem] = []
        self._rows: list[Row] = []
        for n in range(count):
            number = len(messages)
            good = call_id.format(n=n)
            call = Block("call", {"input": {"file": f"src/{n}.py"}}, n * 2, ("content", 0), good, tool)
            bad = n in mismatched and n not in done
            gone = n in missing and n not in done
            result = Block(
                "result", text, n * 2 + 1, ("content", 0), result_id.format(n=n) if bad else good, None, n % 7 == 3
            )  # fmt: skip
            state = "mismatch" if bad else "missing" if gone else "ok"
            results = () if gone else (result,)
            messages.append(Message("assistant", (call,), (n * 2,)))
            messages.append(Message("user", results, (n * 2 + 1,)))
            pair = Pair(n, call, number, results, (number + 1,) if results else (), state)
            self.pairs.append(pair)
            if n % 6 == 4:
                self._rows.append(Row("text", role="user", label=label, message=number))
            if n == 9:
                self._rows.append(Row("compaction", label="replaced by a summary (normal)", message=number))
            self._rows.append(Row("pair", pair, results[0] if results else None, "assistant", "", number))
            if bad or gone:
                self.problems.append(self._problem(pair, n in guesses))
        self.transcript = Transcript(
            tuple(messages), native=True, agent="Claude Code", agent_version="2.1.329", folder="~/shop",
            session_id="7c3e1b2a-1111-2222-3333-444455556666",
        )  # fmt: skip
        left = len(self.problems)
        seen = count - left
        sentence = (
            f"{left} problems, 2 causes. If you resume now, {seen:,} of {count:,} outputs reach the model; "
            f"{left} are dropped without a word."
            if left
            else f"All {count:,} calls have their result. Judged: anthropic, 47 rules. Not judged: signatures, size."
        )
        self.verdict = Verdict(count, seen, left, 0, 0, 2, left > 0, sentence)

    def _problem(self, pair: Pair, guess: bool) -> Problem:
        tool = pair.call.name if pair.call else None
        result = pair.results[0] if pair.results else None
        if pair.state == "mismatch":
            rename = Fix("rename-result", "give the result the call's id", (), True, not guess)
            keep = Fix("keep-text", "keep the output as text", (), False, loses="the link to its call")
            drop = Fix("remove-call", "remove the call", (), False, loses="its input")
            return Problem(
                "result.id_mismatch", "error", "loses", "observed",
                f"This result is written under another id than its call, {tool}.",
                pair.call_message, 0, pair.index, pair.index * 2 + 1, pair.call, result, cause=SANITISED,
                on_resume=OnResume(
                    "Claude Code", "2.1.329", "dropped", "the result",
                    "Claude Code drops this call and its 88 lines. It does not tell.",
                ),
                fixes=(rename, keep, drop), guess=guess,
                api_says="400 messages.86: `tool_use` ids were found without `tool_result` blocks",
            )  # fmt: skip
        placeholder = Fix(
            "insert-placeholder", 'write "no result was recorded"', (), True, placeholder=True
        )  # fmt: skip
        drop = Fix("remove-call", "remove the call", (), False, loses="its input")
        return Problem(
            "result.missing", "error", "stops", "observed",
            f"{tool} was called, but no result for it is in this file.",
            pair.call_message, 0, pair.index, pair.index * 2, pair.call, None, cause=STOPPED,
            fixes=(placeholder, drop), api_says="400 `tool_use` without `tool_result`",
        )  # fmt: skip

    def rows(self) -> list[Row]:
        return self._rows

    @property
    def groups(self) -> list[Group]:
        out = []
        for cause in (SANITISED, STOPPED):
            problems = tuple(p for p in self.problems if p.cause is cause)
            if problems:
                guesses = sum(p.guess for p in problems)
                fix = problems[0].recommended
                out.append(
                    Group(cause, problems[0].rule, cause.text, problems, len(problems) - guesses, guesses,
                          fix.title if fix else None, len(problems) if cause is SANITISED else 0)
                )  # fmt: skip
        return out

    def problem_of_pair(self, index: int) -> Problem | None:
        return next((p for p in self.problems if p.pair == index), None)

    def first_problem(self) -> Problem | None:
        order = {"stops": 0, "loses": 1, "harmless": 2}
        return min(self.problems, key=lambda p: order[p.impact], default=None)

    def location(self, problem: Problem) -> Any:
        record = problem.record or 0
        return SimpleNamespace(
            record=record, line=record + 1, bytes=(0, 10), message=problem.message, block=0, pair=problem.pair
        )  # fmt: skip

    @property
    def changed(self) -> bool:
        return bool(self.staged)

    @property
    def left(self) -> list[Problem]:
        return [p for p in self.problems if p.guess]

    def _put(self, title: str, problems: Sequence[Problem], fix_id: str) -> Staged | None:
        if not problems:
            return None
        staged = Staged(title, len(problems), (fix_id,), None, len(problems), 0, ("Read",), len(problems))
        self.staged.append(staged)
        self._done.append(frozenset(p.pair for p in problems if p.pair is not None))
        self._redo.clear()
        self._read()
        return staged

    def stage(self, problem: Problem, fix: Fix | None = None, text: str | None = None) -> Staged:
        chosen = fix or problem.recommended
        assert chosen is not None
        self.last_text = text
        staged = self._put(chosen.title, [problem], chosen.id)
        assert staged is not None
        return staged

    def stage_group(self, group: Group) -> Staged | None:
        return self._put(group.fix_title or "", [p for p in group.problems if not p.guess], "rename-result")

    def stage_all(self) -> Staged | None:
        return self._put("all recommended", [p for p in self.problems if not p.guess], "rename-result")

    def undo(self) -> Staged | None:
        if not self.staged:
            return None
        staged = self.staged.pop()
        self._redo.append((staged, self._done.pop()))
        self._read()
        return staged

    def redo(self) -> Staged | None:
        if not self._redo:
            return None
        staged, done = self._redo.pop()
        self.staged.append(staged)
        self._done.append(done)
        self._read()
        return staged

    def unstage(self, staged: Staged) -> None:
        n = next(i for i, each in enumerate(self.staged) if each is staged)
        del self.staged[n], self._done[n]
        self._read()

    def preview(self, problem: Problem, fix: Fix) -> list[Change]:
        before = json.dumps({"type": "tool_result", "tool_use_id": str(problem.result and problem.result.id)}).encode()
        after = json.dumps({"type": "tool_result", "tool_use_id": str(problem.call and problem.call.id)}).encode()
        if fix.placeholder:
            return [Change("added", None, (problem.record or 0) + 2, None, after)]
        return [Change("changed", problem.record, (problem.record or 0) + 1, before, after)]

    def changes(self) -> list[Change]:
        count = sum(staged.count for staged in self.staged)
        return [Change("changed", n, n + 1, b'{"a":1}\n', b'{"a":2}\n') for n in range(count)]

    def block_text(self, block: Block) -> str:
        return block.value if isinstance(block.value, str) else json.dumps(block.value)

    def block_json(self, block: Block) -> str:
        return json.dumps({"id": block.id, "value": block.value}, indent=2)

    def call_summary(self, block: Block) -> str:
        return str(block.value["input"]["file"]) if isinstance(block.value, dict) else ""

    def find(self, where: str) -> Any:
        for pair in self.pairs:
            if where == f"pair:{pair.index}" or (pair.call and str(pair.call.id) in where.split()):
                text = f"pair {pair.index}"
                return SimpleNamespace(
                    pair=pair.index, message=pair.call_message, problem=self.problem_of_pair(pair.index), text=text
                )  # fmt: skip
        return None

    def save(self) -> Saved:
        assert self.path is not None
        return self._saved(self.path, self.path.with_suffix(".jsonl.toolpair-1.bak"))

    def save_as(self, path: Path, force: bool = False) -> Saved:
        return self._saved(path, None)

    def _saved(self, path: Path, backup: Path | None) -> Saved:
        self.saved_as.append(path)
        self._spec = (self._spec[0], *(frozenset(s) - frozenset().union(*self._done) for s in self._spec[1:]))  # type: ignore[assignment]
        self.staged.clear()
        self._done.clear()
        self._redo.clear()
        self._read()
        return Saved(path, backup, [], self.resume_command())

    def resume_command(self) -> str | None:
        return "cd ~/shop && claude --resume 7c3e1b2a-1111-2222-3333-444455556666"


