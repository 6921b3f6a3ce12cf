"""The Python API on lists of messages: check, repair, guard. Plain dicts and the SDKs' own objects."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from toolpair.conversation import Judged
from toolpair.formats import get_format
from toolpair.formats.base import Format, Item
from toolpair.recipes import RECIPES
from toolpair.recipes.engine import mend
from toolpair.rules.base import Problem
from toolpair.rules.profiles import profile as profile_named


@dataclass(frozen=True)
class Report:
    """What is wrong with a list of messages. True when no error was found."""

    profile: str
    problems: tuple[Problem, ...]

    @cached_property
    def errors(self) -> tuple[Problem, ...]:
        return tuple(problem for problem in self.problems if problem.severity == "error")

    @property
    def ok(self) -> bool:
        return not self.errors

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        return "\n".join(
            f"{found.severity} {found.rule} messages.{found.message}: {found.text}" for found in self.problems
        )


@dataclass(frozen=True)
class Taken:
    """A fix that was taken: the rule it mends, the fix, and what it loses."""

    rule: str
    fix: str
    title: str
    message: int | None
    loses: str | None


@dataclass(frozen=True)
class Repaired:
    """Messages that are valid, or as valid as can be. Untouched messages are the objects that were given."""

    messages: Sequence[Any]
    taken: tuple[Taken, ...]
    left: tuple[Problem, ...]

    @property
    def changed(self) -> bool:
        return bool(self.taken)

    @property
    def ok(self) -> bool:
        return not self.left


class InvalidMessages(ValueError):
    """Raised by `guard`: the messages would be refused. `report` lists why."""

    def __init__(self, report: Report) -> None:
        self.report = report
        super().__init__(
            f"{len(report.errors)} problem{'s' if len(report.errors) > 1 else ''} in the messages: "
            + "; ".join(f"messages.{found.message}: {found.text}" for found in report.errors[:5])
        )


def check(messages: Sequence[Any], profile: str | None = None) -> Report:
    """Judge a list of messages as the provider would. Never changes it.

    `profile` is "anthropic" or "openai-chat"; by default what the messages look like. Raises ValueError when
    the list is not understood, KeyError for an unknown profile.
    """
    judged = _judged(_listed(messages), profile)
    return Report(judged.profile.id, tuple(judged.problems))


def repair(messages: Sequence[Any], profile: str | None = None, recipe: str = "recommended") -> Repaired:
    """Mend a list of messages. The input is never changed; the same list is handed back when nothing was to do."""
    messages = _listed(messages)
    judged = _judged(messages, profile)
    given = {item.uid: (item, message) for item, message in zip(judged.items, messages, strict=True)}
    taken: list[Taken] = []
    for step in mend(judged, _apply, RECIPES[recipe].pick):
        judged = step.after
        taken.extend(Taken(problem.rule, fix.id, fix.title, problem.message, fix.loses) for problem, fix in step.taken)
    left = tuple(problem for problem in judged.problems if problem.severity == "error")
    if not taken:
        return Repaired(messages, (), left)
    return Repaired(
        [_handed_back(item, given.get(item.uid)) for item in judged.items],
        tuple(taken),
        left,
    )


def _handed_back(item: Item, given: tuple[Item, Any] | None) -> Any:
    """The object that was given where the item is still the one made of it."""
    return given[1] if given is not None and given[0] is item else item.value


def guard(
    messages: Sequence[Any], profile: str | None = None, mode: Literal["raise", "report", "repair"] = "raise"
) -> Any:
    """Stand before a request: raise InvalidMessages, hand back a Report, or hand back valid messages.

    A fault inside the guard is never the reason that a request fails: the messages go through with a warning.
    """
    if mode not in ("raise", "report", "repair"):
        raise ValueError(f"mode is 'raise', 'report' or 'repair', not {mode!r}")
    if profile is not None:
        profile_named(profile)
    try:
        if mode == "repair":
            return repair(messages, profile).messages
        report = check(messages, profile)
    except Exception as error:
        warnings.warn(f"toolpair.guard let the messages through unchecked: {error!r}", RuntimeWarning, stacklevel=2)
        return Report(profile or "unknown", ()) if mode == "report" else messages
    if mode == "report":
        return report
    if report.errors:
        raise InvalidMessages(report)
    return messages


def _listed(messages: Any) -> Sequence[Any]:
    if isinstance(messages, dict):
        raise TypeError('these are not messages but a dict; give the list itself, such as body["messages"]')
    if isinstance(messages, (str, bytes)):
        raise TypeError("these are not messages but text; toolpair.open reads files")
    return messages if isinstance(messages, Sequence) else list(messages)


def _apply(judged: Judged, edits: Any) -> Judged:
    items = judged.apply(edits)
    highest = max((item.uid for item in judged.items), default=-1)
    numbered: list[Item] = []
    for item in items:
        if item.uid < 0:
            highest += 1
            item = Item(highest, item.value)
        numbered.append(item)
    return judged.with_items(numbered)


def _judged(messages: Sequence[Any], profile: str | None) -> Judged:
    try:
        items = [Item(number, plain(message)) for number, message in enumerate(messages)]
    except RecursionError:
        raise ValueError("the messages are nested too deeply") from None
    found = _format_for([item.value for item in items], profile)
    return Judged(items, found, profile_named(profile or found.profile))


def _format_for(values: list[Any], profile: str | None) -> Format:
    candidates = [get_format("anthropic"), get_format("openai-chat")]
    scores = [candidate.sniff(values) for candidate in candidates]
    if max(scores) == 0:
        if not values:
            return candidates[1 if profile == "openai-chat" else 0]
        raise ValueError("these are neither Anthropic messages nor OpenAI chat messages")
    if max(scores) < 60 and profile is not None:
        return next((candidate for candidate in candidates if candidate.profile == profile), candidates[0])
    return candidates[scores.index(max(scores))]


def plain(value: Any) -> Any:
    """The value as JSON has it: SDK objects (pydantic, dataclasses) as dicts; plain values stay the same objects."""
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    if isinstance(value, dict):
        made = {key: plain(item) for key, item in value.items()}
        return value if all(made[key] is value[key] for key in value) else made
    if isinstance(value, list):
        listed = [plain(item) for item in value]
        return value if all(a is b for a, b in zip(listed, value, strict=True)) else listed
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return dump(mode="json", exclude_none=True, warnings=False)
    dump = getattr(value, "dict", None)
    if callable(dump):
        return {key: plain(item) for key, item in dump().items() if item is not None}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            entry.name: plain(item)
            for entry in dataclasses.fields(value)
            if (item := getattr(value, entry.name)) is not None
        }
    return value
