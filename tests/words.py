"""The vocabulary of user texts: words that must not be used, and where user texts are found."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from tests.source_code import Module

ROOT: Final = Path(__file__).parents[1]
PACKAGE: Final = ROOT / "src/toolpair"

NEVER: Final = {
    r"\bmend(s|ed|ing)?\b": "fix",
    r"\bfix(es)? (is|are|was|were) put on\b": "apply",
    r"\b(un)?judg(e|es|ed|ing|ement)\b": "check",
    r"\b(take|takes|taken|took) (it|them|this|that|these|those|all|the [^.;,]{1,60}|an? [^.;,]{1,60}) (out|off)\b": "remove, exclude",
    r"\b(taken|took) (out|off|up)\b": "removed, excluded, undone",
    r"\b(pass|passes|passed) (it |them |the \w+ )?by\b": "skip",
    r"(?<!provider )(?<!model )(?<!left )\bbehind\b": "after",
    r"\b(does|do|did) not tell\b(?! you\b)": "without telling you",
    r"\bwithout a word\b": "without telling you",
    r"\bstill waits?\b": "interrupted, or has no output",
    r"\bcleaned\b": "sanitised",
    r"\bhave their results?(?=[.;])": "have results",
    r"\b(written|read|made|numbered|counted|begun) anew\b": "rewritten, again",
    r"\b(hang|hangs|hung) on\b": "link to",
    r"\bbears?\b": "have",
    r"(?<!there )\b(is|are|holds?) no (JSON|list|string|object|message|messages|call|calls|session|sessions|text|regular)\b": "is not",
    r"\ball the same\b": "still, anyway",
    r"\bspelt\b": "spelled",
    r"\bheed(s|ed)?\b": "respect",
    r"\b(message|messages|turn|turns|word|words|text) of the (user|assistant|model)\b": "a user message, an assistant turn",
    r"\bfor ever\b": "forever",
    r"\breads? over\b": "skip",
}  # fmt: skip
"""Forbidden words -> their replacements."""

NEVER_IN_TITLES: Final = r"\borphan|\bsynthetic\b|\brecords?\b|\bparentUuid\b"
"""Words about the file and rule names: allowed only in exact bytes, explanations and JSON."""

_QUOTED: Final = re.compile(r"```.*?```|``.*?``|`[^`\n]*`|\"[^\"\n]{0,80}\"|\]\([^)]*\)|<[^>\n]*>", re.DOTALL)
"""Code, quotations, addresses: not toolpair's own words."""


def wrong_words(text: str) -> list[str]:
    """The forbidden words in a text, each with its replacement."""
    own = " ".join(_QUOTED.sub(" ", text).split())
    return [
        f"{found.group()!r} ({better}): …{own[max(0, found.start() - 40) : found.end() + 40]}…"
        for pattern, better in NEVER.items()
        for found in re.finditer(pattern, own, re.IGNORECASE)
    ]


def wrong_title_words(title: str) -> list[str]:
    """As `wrong_words`, for a problem's title; text in brackets is a detail."""
    own = re.sub(r"\([^)]*\)", "", title)
    return wrong_words(title) + [f"{found!r}: {title}" for found in re.findall(NEVER_IN_TITLES, own, re.IGNORECASE)]


def sentences_in(modules: Iterable[Module]) -> Iterator[tuple[str, str]]:
    """(place, text) of all strings with more than one word in modules, except docstrings."""
    for module in modules:
        for node in _strings(module.nodes[0], _docstrings(module.nodes)):
            text = _text(node)
            if " " in text.strip():
                yield f"{module.path}:{node.lineno}", text


def sentences_of(data: Any, keys: Iterable[str]) -> Iterator[str]:
    """The texts under one of these keys anywhere in plain data."""
    wanted = frozenset(keys)
    if isinstance(data, dict):
        for key, value in data.items():
            if key in wanted and isinstance(value, (str, list)):
                yield from [value] if isinstance(value, str) else [each for each in value if isinstance(each, str)]
            else:
                yield from sentences_of(value, wanted)
    elif isinstance(data, list):
        for value in data:
            yield from sentences_of(value, wanted)


def _docstrings(nodes: Iterable[ast.AST]) -> frozenset[int]:
    return frozenset(
        id(each.value)
        for node in nodes
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
        for each in node.body
        if isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant)
    )


def _strings(node: ast.AST, docstrings: frozenset[int]) -> Iterator[ast.Constant | ast.JoinedStr]:
    if isinstance(node, ast.JoinedStr):
        yield node
        for value in node.values:
            if isinstance(value, ast.FormattedValue):
                yield from _strings(value.value, docstrings)
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, str) and id(node) not in docstrings:
            yield node
    else:
        for child in ast.iter_child_nodes(node):
            yield from _strings(child, docstrings)


def _text(node: ast.Constant | ast.JoinedStr) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
