"""The providers' own error texts: recognised when pasted, and quoted where a problem would raise them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

from toolpair.rules.base import Problem

_ANSI: Final = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?")
_ESCAPED: Final = re.compile(r'\\+(["\'`/])')
_SPACE: Final = re.compile(r"(?:\\+[nrt]|\s)+")


ITEM_PREFIXES: Final = {
    "reasoning": "rs",
    "function_call": "fc",
    "custom_tool_call": "ctc",
    "message": "msg",
}
"""How the Responses API wants the ids of these items to begin."""

_SEEN_AS: Final = dict.fromkeys(
    (
        "result.id_mismatch",
        "result.not_adjacent",
        "result.not_first",
        "result.split_over_messages",
        "result.kind",
        "turn.trailing_call",
    ),
    "result.missing",
)


@dataclass(frozen=True, slots=True)
class ErrorText:
    """One error text of a provider. `text` is a template with {N}, {M} and {id}."""

    id: str
    provider: str
    text: str
    pattern: re.Pattern[str]
    rules: tuple[str, ...]
    meaning: str
    link: str
    legacy: bool = False


@dataclass(frozen=True, slots=True)
class Recognised:
    """A pasted text that is known: which one, and the places that it names."""

    error: ErrorText
    ids: tuple[str, ...]
    message: int | None
    block: int | None


@cache
def texts() -> tuple[ErrorText, ...]:
    data = json.loads(files("toolpair.rules").joinpath("data", "errors.json").read_text(encoding="utf-8"))
    return tuple(
        ErrorText(
            entry["id"],
            entry["provider"],
            entry["text"],
            re.compile(entry["regex"]),
            tuple(entry["rules"]),
            entry["meaning"],
            entry["link"],
            entry.get("legacy", False),
        )
        for entry in data
    )


def normalised(text: str) -> str:
    """The text without colour codes, JSON escapes and line breaks that a terminal or a wrapper put in."""
    plain = _ANSI.sub("", text)
    for _ in range(4):
        smaller = _ESCAPED.sub(r"\1", plain)
        if smaller == plain:
            break
        plain = smaller
    return _SPACE.sub(" ", plain).strip()


def recognise(text: str) -> Recognised | None:
    """Which known error text this is, the most specific first; None when it is none."""
    plain = normalised(text)
    best: tuple[int, Recognised] | None = None
    for error in texts():
        match = error.pattern.search(plain)
        if match is None:
            continue
        found = Recognised(
            error, _ids(match.groupdict()), _number(match.groupdict(), "msg"), _number(match.groupdict(), "block")
        )
        weight = len(match.group(0))
        if best is None or weight > best[0]:
            best = (weight, found)
    return best[1] if best else None


def _ids(groups: Mapping[str, Any]) -> tuple[str, ...]:
    raw = groups.get("ids") or groups.get("id") or ""
    return tuple(part for part in (piece.strip(" '\"`{}.") for piece in raw.split(",")) if part)


def _number(groups: Mapping[str, Any], key: str) -> int | None:
    value = groups.get(key)
    return int(value) if value is not None and value.isdigit() else None


@cache
def _first_for(rule: str, provider: str) -> ErrorText | None:
    return next(
        (error for error in texts() if error.provider == provider and rule in error.rules and not error.legacy), None
    )


def words_for(problem: Problem, provider: str, item: int | None = None) -> str | None:
    """What the provider would answer to this problem, ids filled in; None where no such text is known.

    `item` is the place among all blocks, for an API that counts items and not messages.
    """
    # Results that the API does not find are missing to it, whatever became of them.
    error = _first_for(problem.rule, provider) or _first_for(_SEEN_AS.get(problem.rule, ""), provider)
    if error is None:
        return None
    if provider == "openai-responses":
        return _of_items(problem, error, item)
    block = problem.result if problem.rule.startswith("result.") and problem.rule != "result.missing" else problem.call
    block = block or problem.call or problem.result
    id_ = str(block.id) if block is not None and block.id is not None else ""
    message = problem.message if problem.message is not None else 0
    if "immediately after" in error.text and problem.call is not None:
        # The provider names the message behind the call.
        message += problem.rule in ("result.missing", "turn.trailing_call", "call.not_trailing")
        id_ = str(problem.call.id)
    values = {
        "N": str(message),
        "M": str(problem.block or 0),
        "id": id_,
        "ids": id_,
        "K": "0",
        "A": str(message),
        "B": str(message),
    }
    filled = re.sub(r"\[, \{id\}\.\.\.\]|\[messages[^\]]*\]", "", error.text)
    return re.sub(r"\{(\w+)\}", lambda match: values.get(match.group(1), match.group(0)), filled)


def _of_items(problem: Problem, error: ErrorText, item: int | None) -> str:
    """The words of an API whose input is a list of items with ids of their own beside the call ids."""
    block = (problem.result if problem.rule == "result.orphan" else None) or problem.call or problem.result
    block = block or next(iter(problem.others), None)
    value: Any = block.value if block is not None and isinstance(block.value, dict) else {}
    about: Any = problem.about.value if problem.about is not None else None
    if not value and isinstance(about, dict):
        value = about
    text = error.text
    kind = str(value.get("type", ""))
    if kind.startswith("custom_tool_call"):
        text = text.replace(" function call", " custom tool call")
    named_by_item = problem.rule.startswith(("item.", "reasoning."))
    id_ = value.get("id") if named_by_item else block.id if block is not None else None
    id_ = id_ if isinstance(id_, str) else ""
    values = {
        "N": str(item or 0),
        "id": id_,
        "len": str(len(id_)),
        "prefix": ITEM_PREFIXES.get(kind, ""),
    }
    return re.sub(r"\{(\w+)\}", lambda match: values.get(match.group(1), match.group(0)), text)
