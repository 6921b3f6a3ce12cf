"""Errors that are known by what they say, whatever their wording: what a tool result must follow, in anybody's words.

A shape is a regular expression in which {result}, {call}, {must} and the like stand for the words that servers have for
these. It is tried on the squeezed text, and only where no wording was found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from toolpair.rules.errors.matching import Hit, last_of_each_place
from toolpair.rules.errors.pasted import PastedText
from toolpair.rules.errors.texts import ErrorText, texts
from toolpair.rules.errors.wordings import Wording

_MOST: Final = 30_000
"""Characters (squeezed) at the end of a paste that are looked at."""
_EXPLAINS: Final = 150
"""Characters (squeezed) after an error in which a server may say what it wants instead."""
_OF_A_TOOL: Final = re.compile(r"tools[.\[]+\d")
"""A definition of a tool, not a message."""
_OF_MESSAGES: Final = re.compile(r"messages?[.\[]|input[.\[]")
"""What a text speaks of in which an id is a call's, and not a phone call's."""
_DONE: Final = (
    r"(?:remov|dropp|stripp|skipp|filter|prun|repair|discard|delet|ignor|summari[sz]|compact|clean)(?:ed|ing)"
)
_DONE_BEFORE: Final = re.compile(rf"{_DONE}[^.;:,]{{0,12}}\Z")
_DONE_AFTER: Final = re.compile(rf"[^.;]{{0,20}}?,{_DONE}")
"""A program says what it has done about it: nobody refused the request."""
_NEAR: Final = 60
_CLASS: Final = re.compile(r"\{([a-z]+)\}")
_PAIRED: Final = re.compile(r"\{(?:call|result)\}")
_LEFT_OUT: Final = re.compile(r"[ '\"`]")
_VARIES: Final = re.compile(r"\([^()]*\)[?*]?|\[[^\]]*\][?*]?|\{[^}]*\}|\\?[^()|][?*]|\\.|[.^$+]")
_CLASSES: Final = {
    "result": r"(?:(?<!_)(?:tool|function)[_-]?(?:call)?[_-]?(?:results?|responses?|outputs?|returns?)"
    r"(?:(?:content)?blocks?|parts?|messages?|events?|items?)?|(?:tool|function)(?:role)?messages?|tool(?:role)?turns?"
    r"|messages?(?:with|of)(?:the)?role[:=]?(?:tool|function)|role[:=]?tool(?:messages?)?|toolreturnparts?)",
    "call": r"(?:(?<!_)(?:tool|function)[_-]?(?:calls?|uses?|invocations?|requests?)"
    r"(?:blocks?|parts?|messages?|events?|items?)?(?![_-]?(?:ids?(?![a-z])|results?|response|output|messag|content|return)))",
    "id": r"(?:(?:(?:tool|function)[_-]?(?:call|use)[_-]?|call_|use_)ids?(?!entit))",
    "must": r"(?:must|should|needs?to|ha(?:s|ve)to|(?:is|are)(?:required|expected)to|(?:can|may)only)",
    "not": r"(?:not|cannot|cant|isnt|arent|mustnt|doesnt|dont)",
    "role": r"(?:user|assistant|system|developer|model|tool|human|ai)",
    "gap": r"[^.;]{0,50}?",
    "few": r"[^;]{0,16}?",
}
"""The words of servers, squeezed: neither blanks nor quotes."""


def shaped(pasted: PastedText) -> list[Hit]:
    """The hits of the shapes; from the end of the text backwards."""
    found: list[Hit] = []
    for hit in reversed(last_of_each_place(_found(pasted))):
        # The first sentence says what is wrong, the ones after it why.
        if not found or hit.start > found[-1].end + _EXPLAINS:
            found.append(hit)
    return found[::-1]


def _found(pasted: PastedText) -> Iterator[Hit]:
    before = max(0, len(pasted.bare) - _MOST)
    text = pasted.bare[before:]
    of_tools = "tool" in text or "function" in text
    of_ids = of_tools or _OF_MESSAGES.search(text) is not None
    for error, shape, fixed in _shapes():
        if fixed not in text or (not of_tools and _PAIRED.search(shape)) or (not of_ids and "{id}" in shape):
            continue
        for match in _compiled(shape).finditer(text):
            start, end = match.span()
            if not _OF_A_TOOL.search(text, max(0, start - _NEAR), end) and not _is_of_a_log(text, start, end):
                wording = Wording(error, "", ("",), (), end - start, 0)
                yield Hit(wording, before + start, before + end, end - start, (0, 0), (0, 0), shaped=True)


def _is_of_a_log(text: str, start: int, end: int) -> bool:
    before = _DONE_BEFORE.search(text, max(0, start - _NEAR), start)
    return before is not None or _DONE_AFTER.match(text, end - 1) is not None


@cache
def _shapes() -> tuple[tuple[ErrorText, str, str], ...]:
    """Each shape, with fixed characters of it, by which most texts are known to have no part of it."""
    return tuple((error, shape, _fixed(shape)) for error in texts() for shape in error.shapes)


def _fixed(shape: str) -> str:
    shape = _LEFT_OUT.sub("", shape)
    while (rest := _VARIES.sub("\0", shape)) != shape:
        shape = rest
    return "" if "|" in shape else max(shape.split("\0"), key=len)


@cache
def _compiled(shape: str) -> re.Pattern[str]:
    return re.compile(_CLASS.sub(lambda match: _CLASSES[match[1]], _LEFT_OUT.sub("", shape)))
