"""Outputs of one turn that are swapped between calls: no API refuses that, but the model misreads them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from msgspec import Struct

from toolpair.dialects.block_texts import arguments, is_real_output, result_text
from toolpair.rules import causes
from toolpair.rules.context import Context, tool_of
from toolpair.rules.pair_states import fits
from toolpair.rules.problem import Fix
from toolpair.rules.rule import Rule
from toolpair.rules.where import at_result
from toolpair.transcript.edits import Rename
from toolpair.transcript.model import Block
from toolpair.transcript.pairing import Pair

_KEYS: Final = frozenset({"file_path", "path", "notebook_path", "command", "cmd", "pattern", "query", "url"})
_SHORTEST, _LONGEST = 4, 300
"""Length of a call's distinctive input: shorter words occur in any output, longer ones in none."""
_HEAD: Final = 300
_WORDS: Final = 3
"""An output names its subject near the start of its first line: after at most this many words."""
_TOGETHER: Final = 20
"""Maximum calls in a turn; in larger turns a pair matched by position was never swapped like this."""


class _Side(Struct, frozen=True, eq=False):
    """One pair of a turn: input that only its call has, and its output's text."""

    pair: Pair
    call: Block
    result: Block
    given: tuple[str, ...]
    text: str
    head: str


def check(context: Context) -> None:
    for message in context.messages:
        if len(message.blocks) < 2:
            continue
        calls = [block for block in message.blocks if block.kind == "call"]
        if not 2 <= len(calls) <= _TOGETHER:
            continue
        pairs = [found for call in calls if (found := context.pairing.pair_of(call)) is not None]
        sound = [pair for pair in pairs if _is_sound(context, pair)]
        if len(sound) > 1 and _may_be_others(sound):
            _turn(context, _sides(sound, calls))


RULES: Final = (
    Rule("result.crossed", "results", check, of_file=True, of_pair=True, of_result=True, decided_by="pairing"),
)


def _is_sound(context: Context, pair: Pair) -> bool:
    result = pair.result
    return fits(context, pair) and pair.evidence == "exact" and len(pair.results) == 1 and result is not None


def _may_be_others(pairs: Sequence[Pair]) -> bool:
    """Whether two of the results could be swapped at all: a cheap test that settles nearly all turns.

    A result whose link names its own call is certainly right. Without a link and a tool name only the text can tell,
    and one output must begin with another call's input.
    """
    results = [pair.results[0] for pair in pairs]
    linked = [
        result.link is not None and pair.call is not None and result.link == pair.call.link
        for pair, result in zip(pairs, results, strict=True)
    ]
    if linked.count(False) < 2:
        return False
    if any(result.link is not None or result.name for result in results):
        return True
    given = [arguments(pair.call) if pair.call is not None else None for pair in pairs]
    return may_be_crossed(given, [result_text(result) for result in results])


def _head_of(text: str) -> str:
    return text[:_HEAD].lstrip().split("\n", 1)[0]


def _turn(context: Context, sides: Sequence[_Side]) -> None:
    taken: set[int] = set()
    for n, one in enumerate(sides):
        for other in sides[n + 1 :]:
            if one.pair.index in taken or other.pair.index in taken:
                continue
            evidence = _evidence(one, other)
            if evidence:
                taken |= {one.pair.index, other.pair.index}
                _report(context, one, other, evidence)


def _evidence(one: _Side, other: _Side) -> str:
    """The evidence, in both directions, that the two are swapped; empty when anything contradicts it."""
    links = [(side.result.link, rival.call.link, side.call.link) for side, rival in ((one, other), (other, one))]
    if all(link is not None and link == rival and link != own for link, rival, own in links):
        return "the link stored with each result names the other call"
    if any(link is not None and link == own for link, _, own in links):
        return ""
    names = [(side.result.name, rival.call.name, side.call.name) for side, rival in ((one, other), (other, one))]
    if all(name and name == rival and name != own for name, rival, own in names):
        return "the tool name on each result is the other call's"
    if any(name and name != own for name, _, own in names):
        return ""
    if _names(one, other) and _names(other, one):
        return "each output starts with the name of what the other call was given, and never names its own"
    return ""


def _names(side: _Side, other: _Side) -> bool:
    return any(_leads(side.head, words) for words in other.given) and not any(
        words in side.text for words in side.given
    )


def _leads(head: str, words: str) -> bool:
    """Whether `words` occur as whole words near the beginning of `head`."""
    at = head.find(words)
    if at < 0 or len(head[:at].split()) > _WORDS:
        return False
    before, following = head[at - 1 : at], head[at + len(words) : at + len(words) + 2]
    return not (before.isalnum() or before in ("_", "-", ".", "/")) and not (
        following[:1].isalnum()
        or following[:1] in ("_", "-", "/")
        or (following[:1] == "." and following[1:].isalnum())
    )


def _sides(pairs: Sequence[Pair], calls: Sequence[Block]) -> list[_Side]:
    given = {id(call): _words_of(arguments(call)) for call in calls}
    sides: list[_Side] = []
    for pair in pairs:
        call, result = pair.call, pair.result
        if call is None or result is None or not is_real_output(result):
            continue
        others = [words for block in calls if block is not call for words in given[id(block)]]
        own = tuple(words for words in given[id(call)] if not any(words in other or other in words for other in others))
        text = result_text(result)
        head = _head_of(text)
        sides.append(_Side(pair, call, result, own, text, head))
    return sides


def _words_of(value: Any) -> tuple[str, ...]:
    if not isinstance(value, dict):
        return ()
    found = []
    for key, words in value.items():
        if key in _KEYS and isinstance(words, str):
            words = words.strip()
            if _SHORTEST <= len(words) <= _LONGEST and "\n" not in words:
                found.append(words)
    return tuple(found)


def may_be_crossed(given: Sequence[Any], outputs: Sequence[str]) -> bool:
    """Whether outputs could be swapped, given the calls' inputs and the outputs in the same order."""
    if len(given) > _TOGETHER:
        return False
    heads = [_head_of(output) for output in outputs]
    for n, value in enumerate(given):
        for word in _words_of(value):
            for m, head in enumerate(heads):
                if word in head and m != n:
                    return True
    return False


def _report(context: Context, one: _Side, other: _Side, evidence: str) -> None:
    names = sorted({tool_of(one.call), tool_of(other.call)})
    whose = f"two calls of {names[0]}" if len(names) == 1 else f"{tool_of(one.call)} and {tool_of(other.call)}"
    context.add(
        "result.crossed",
        f"The outputs of {whose} seem to be swapped, which no API notices.",
        at_result(one.pair, pairs=(one.pair, other.pair), others=(one.call, one.result, other.call, other.result)),
        cause=causes.named("crossed", evidence, context.transcript.agent),
        fixes=(
            Fix(
                "swap",
                "swap the two outputs",
                (Rename(one.result, other.call.id), Rename(other.result, one.call.id)),
                certain=False,
                note="each result gets the other call's id; read both outputs first",
            ),
        ),
        guess=True,
        severity="warning",
        impact="harmless",
    )
