"""What a provider would answer to a problem, in its own words, with ids and indexes as it counts them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import cache
from typing import Final

from toolpair.dialects.block_values import field_names, field_of, has_field, written_type
from toolpair.dialects.media import described, media_parts
from toolpair.dialects.openai_responses import ITEM_PREFIXES
from toolpair.rules.errors.message_counting import Counted, ShiftedCounts
from toolpair.rules.errors.texts import ErrorText, texts
from toolpair.rules.problem import Problem
from toolpair.rules.profiles import profile
from toolpair.rules.registry import RULES
from toolpair.rules.rule import family_of
from toolpair.transcript.model import Block, Message

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
_WORDS_OF: Final = {"vertex-anthropic": "anthropic", "azure-openai": "openai-chat"}
"""The provider whose texts are used when a provider has none of its own."""

_SAID: Final = {"reasoning.bad_signature": "ANT14"}
"""When several texts fit a rule, those that a file alone can cause: not "thinking was changed"."""

_PLACE: Final = re.compile(r"\{(\w+)\}")


@cache
def _first_for(rule: str, provider: str) -> ErrorText | None:
    """The first text that is mainly about this rule, else one that may be."""
    fitting = [error for error in texts() if error.provider == provider and rule in error.rules and not error.legacy]
    said = next((error for error in fitting if error.id == _SAID.get(rule)), None)
    return said or next((error for error in fitting if error.rules[0] == rule), next(iter(fitting), None))


def error_for(rule: str, provider: str) -> ErrorText | None:
    """The text with which this provider answers a broken rule; None when none is known."""
    base = provider.partition("/")[0]
    # The API reports results that it does not find as missing, whatever became of them.
    for whose in (base, _WORDS_OF.get(base)):
        for known_as in (rule, _SEEN_AS.get(rule)):
            found = _first_for(known_as, whose) if known_as is not None and whose is not None else None
            if found is not None:
                return found
    return None


def words_for(
    problem: Problem, provider: str, count: Callable[[], Counted], before: int = 0, unsent: int | None = None
) -> str | None:
    """What the provider would answer to this problem; None when no such text is known.

    `provider` is a profile's id, `count` gives the messages as that provider counts them; `before` is the number of
    messages before those. `unsent` is that number for what is not sent.
    """
    error = error_for(problem.rule, provider)
    if error is None:
        return None
    block = _block(problem, error)
    counted = count()
    if error.id == "MIS04" and block is not None and _behind_tools(counted, block):
        # Among the results of a turn, the number of results is what is wrong.
        error = _first_for("result.missing", "mistral") or error
    written = block if block is not None and field_names(block) else problem.about
    id_ = _named_id(problem, error, block, written)
    limits = _limits(problem, provider, id_)
    text = _wording(error, problem, block, without={"len", "max"} - limits.keys())
    if text is None:
        return None
    kind = written_type(written) if written is not None else ""
    if kind.startswith("custom_tool_call"):
        text = text.replace(" function call", " custom tool call")
    shifted = counted.shifted(before, before if unsent is None else unsent)
    number, at = _place(problem, error, block, shifted)
    others = [result for result in (problem.result, *problem.others) if result is not None and result is not block]
    first = shifted.place(others[0]) if others else None
    values = {
        "N": str(number + error.base),
        "M": str(at + error.base),
        "K": str(counted.call_number(block) if block is not None else 0),
        "A": str(first[0] if first is not None and first[0] != number else max(0, number - 1)),
        "id": id_,
        "ids": id_,
        "others": str(others[0].id) if others and isinstance(others[0].id, str) else "",
        "prefix": ITEM_PREFIXES.get(kind, ""),
        "role": str(problem.about.role if problem.about is not None else "tool" if kind != "tool_use" else "assistant"),
        "name": _tool_kind(block, kind),
        "type": kind,
        "field": _field(problem, written),
        **limits,
    }
    filled = _PLACE.sub(lambda match: values.get(match.group(1), ""), text)
    needs = set(_PLACE.findall(text))
    return None if ("field" in needs and not values["field"]) or ("name" in needs and not values["name"]) else filled


def _limits(problem: Problem, provider: str, id_: str) -> dict[str, str]:
    """The numbers of a text that says how long or large something is, and may be; without those that are not known."""
    own = profile(provider.partition("/")[0])
    if family_of(problem.rule) == "id":
        return {"len": str(len(id_)), "max": str(own.id_max or 64)}
    if problem.rule == "content.image_too_large" and own.images is not None:
        parts = [described(part) for block in problem.others for part in media_parts(block)]
        if any(max(media.pixels or (0,)) > own.images.pixels for media in parts):
            return {"max": str(own.images.pixels)}
    return {}


def _block(problem: Problem, error: ErrorText) -> Block | None:
    """The block that the text refers to."""
    if "result.missing" in error.rules or error.id == "OAI01":
        first = problem.call or problem.result
    elif RULES[problem.rule].of_result:
        first = problem.result or problem.call
    else:
        first = problem.call or problem.result
    return first or next(iter(problem.others), None)


def _place(problem: Problem, error: ErrorText, block: Block | None, counted: ShiftedCounts) -> tuple[int, int]:
    """The message, and the block in it, that the provider would name."""
    place = counted.place(block) if block is not None else None
    if place is None:
        number = counted.first_of(problem.message) if problem.message is not None else None
        place = (counted.before if number is None else number, problem.block or 0)
    elif error.rules[0] in ("call.duplicate_id", "result.duplicate"):
        # The later one is named.
        later = [counted.place(other) for other in (problem.call, problem.result, *problem.others) if other is not None]
        place = max((found for found in later if found is not None), default=place)
    if error.at == "behind" and block is not None and block.kind == "call":
        return place[0] + 1, 0
    return place


def _behind_tools(counted: Counted, block: Block) -> bool:
    place = counted.place(block)
    return place is not None and any(before.kind in ("call", "result") for before in counted.blocks(place[0] - 1))


def _named_id(problem: Problem, error: ErrorText, block: Block | None, written: Block | Message | None) -> str:
    if error.names == "tool":
        return block.name or "" if block is not None else ""
    # Items have ids of their own as well as call ids.
    by_item = error.provider == "openai-responses" and problem.rule.startswith(("item.", "reasoning."))
    of_item = field_of(written, "id") if written is not None else None
    id_ = of_item if by_item else block.id if block is not None else None
    return id_ if isinstance(id_, str) else ""


def _tool_kind(block: Block | None, kind: str) -> str:
    """The block type named in the text; of a provider's own tool without its result suffix."""
    if kind.endswith("_tool_result"):
        return kind.removesuffix("_tool_result")
    return block.name or "" if block is not None else ""


def _field(problem: Problem, written: Block | Message | None) -> str:
    """The missing field; empty when it is not one of these."""
    if problem.rule == "id.empty":
        return "tool_call_id"
    typed = written is not None and has_field(written, "type")
    return "type" if problem.rule == "field.missing" and problem.call is not None and not typed else ""


def _wording(error: ErrorText, problem: Problem, block: Block | None, without: Collection[str]) -> str | None:
    """The wording, of several, for this kind of block and defect, `without` numbers that are not known."""
    side = "result" if block is not None and block.kind == "result" else "use"
    wanted = [f"tool{side.capitalize()}", f"tool_{side}"]
    wanted += {
        "field.missing": ["tool_calls[{K}].{field}"],
        "id.pattern": ["pattern"],
        "id.length": ["length less", "too long"],
        "id.empty": ["length greater"],
        "content.image_too_large": ["size: {max}"],
        "content.not_a_string": ["sequence"],
        "name.missing": ["at least 1" if block is not None and has_field(block, "name") else "required"],
    }.get(problem.rule, [])

    def fits(words: str) -> int:
        return sum(word in words for word in wanted)

    # The first of the best; shortened ones exist only to be recognised.
    whole = [words for words in error.words if len(words) * 2 >= len(error.words[0])]
    known = [words for words in whole if not any(f"{{{name}}}" in words for name in without)]
    return max(known, key=fits, default=None)
