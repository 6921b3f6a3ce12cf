"""One list of messages, read and judged: a conversation of a file, or a list in a program's memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from toolpair.formats.base import AS_RESUMED, Format, Item, Seen, View
from toolpair.rules.base import Cause, Fix, OnResume, Problem
from toolpair.rules.context import Context
from toolpair.rules.judge import Judgement, judge
from toolpair.rules.profiles import Profile
from toolpair.transcript.edits import Edit, Split
from toolpair.transcript.model import Damaged, Transcript
from toolpair.transcript.pairing import Pair


@dataclass(frozen=True, eq=False)
class Judged:
    """Records of one format, and everything that follows from them. Immutable; edits give a new one."""

    items: Sequence[Item]
    format: Format
    profile: Profile
    request: Callable[[Transcript], Transcript] | None = None
    """Adds what the request around the messages says (declared tools, thinking)."""
    view: View = AS_RESUMED

    @cached_property
    def transcript(self) -> Transcript:
        read = self.format.read(self.items, self.view)
        return self.request(read) if self.request is not None else read

    @cached_property
    def seen(self) -> Seen | None:
        """What the agent would send if it resumed now; None when the records are no agent's own."""
        return self.format.sees(self.items, self.transcript)

    @cached_property
    def judgement(self) -> Judgement:
        return judge(self.transcript, self.profile, self._on_resume, self._damaged)

    def _on_resume(self, transcript: Transcript, problem: Problem) -> OnResume | None:
        return self.format.on_resume(transcript, problem, self.seen)

    def _damaged(self, context: Context) -> None:
        """A problem for each record that cannot be read: its agent passes it by, and so does everything here."""
        who = self.transcript.agent or "whoever reads the file"
        glued = {
            part["uuid"]
            for item in self.items
            if isinstance(item.value, Damaged)
            for part in item.value.parts
            if isinstance(part, dict) and isinstance(part.get("uuid"), str)
        }
        if glued:
            # A link to a record that stands on a glued line is mended by parting the line.
            parents = {item.uid: item.value.get("parentUuid") for item in self.items if isinstance(item.value, dict)}
            context.problems[:] = [
                problem
                for problem in context.problems
                if not (problem.rule.startswith("chain.") and parents.get(problem.record or -1) in glued)
            ]
        for item in self.items:
            if not isinstance(item.value, Damaged):
                self._no_message(context, item)
                continue
            readable = [part for part in item.value.parts if isinstance(part, dict)]
            needed = self.format.needs(self.items, readable)
            # Of a plain list that is cut off nothing can be sent.
            unfinished = not self.transcript.native and item.value.rule == "record.torn"
            fixes = []
            if readable:
                glue = item.value.rule == "record.glued"
                title = "write each record on a line of its own" if glue else "take the NUL bytes out"
                fixes.append(Fix("split" if glue else "clean", title, (Split(item.uid),), recommended=True))
            context.add(
                item.value.rule,
                f"This record cannot be read ({item.value.reason}), so {who} skips it.",
                record=item.uid,
                severity="error" if (needed and fixes) or unfinished else "warning",
                impact="loses" if needed else "stops" if unfinished else "harmless",
                cause=Cause(item.value.rule, item.value.reason),
                fixes=fixes,
                no_fix=None if fixes else "It is kept as it is, byte for byte; the other records are read around it.",
            )

    def _no_message(self, context: Context, item: Item) -> None:
        """A problem for an element of a plain list that is no message at all."""
        if self.transcript.native or isinstance(item.value, dict):
            return
        context.add(
            "record.no_message",
            f"This element of the list is no message but {type_name(item.value)}, so the request is refused.",
            record=item.uid,
            severity="error",
            cause=Cause("no_message", "something else was written into the list of messages"),
            no_fix="What it was meant to be only you know: take it out, or write the message that belongs there.",
        )

    @property
    def pairs(self) -> Sequence[Pair]:
        return self.judgement.pairs

    @property
    def problems(self) -> Sequence[Problem]:
        return self.judgement.problems

    def apply(self, edits: Sequence[Edit]) -> list[Item]:
        """The records after the edits."""
        return self.format.apply(self.items, self.transcript, edits)

    def with_items(self, items: Sequence[Item]) -> Judged:
        return replace(self, items=items)


def type_name(value: Any) -> str:
    """What a JSON value is, in words."""
    names = {"NoneType": "null", "str": "a string", "bool": "true or false", "list": "a list", "dict": "an object"}
    return names.get(type(value).__name__, "a number")


def request_of(outer: Any) -> Callable[[Transcript], Transcript] | None:
    """What a request body says beside its messages, as a change of the transcript; None when it says nothing."""
    if not isinstance(outer, dict):
        return None
    tools = outer.get("tools")
    declared: frozenset[str] | None = None
    if isinstance(tools, list):
        names = [_tool_name(tool) for tool in tools]
        declared = frozenset(name for name in names if name)
    thinking: bool | None = None
    asked = outer.get("thinking")
    if isinstance(asked, dict):
        thinking = asked.get("type") in ("enabled", "adaptive")
    model = outer.get("model") if isinstance(outer.get("model"), str) else None
    if declared is None and thinking is None and model is None:
        return None
    return lambda transcript: replace(
        transcript, declared_tools=declared, thinking=thinking, model=transcript.model or model
    )


def _tool_name(tool: Any) -> str | None:
    if not isinstance(tool, dict):
        return None
    holder = tool.get("function") if isinstance(tool.get("function"), dict) else tool
    name = holder.get("name") if isinstance(holder, dict) else None
    return name if isinstance(name, str) else None
