"""The block that a place means, and every fix that there is for it, whether or not an error is known."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from toolpair.dialects import openai_chat
from toolpair.dialects.block_values import is_object
from toolpair.history.conversation import Conversation, Found, Target, weight
from toolpair.rules.errors.message_counting import way_of
from toolpair.rules.errors.places import Place
from toolpair.rules.named import offered, raised
from toolpair.rules.problem import Problem
from toolpair.rules.registry import RULES
from toolpair.rules.rule import family_of
from toolpair.rules.where import NamedPlace
from toolpair.session.find.request_places import Asked, Pointed, RequestPlaces, place_of
from toolpair.source.document import Document
from toolpair.transcript.counting import plural
from toolpair.transcript.model import Block

_PARSED: Final = "by the character at which its arguments stop being JSON"
OF_ARGUMENTS: Final = "args"
"""The family of rules about what a parser reads."""
_COUNTED_BY: Final = {"input": "openai-responses", "contents": "gemini"}
_OTHERWISE: Final = "openai-chat"
_SHOWN: Final = 3
_APART: Final = 1
"""Characters by which two parsers may disagree on where a text stops being JSON."""


def meant_by(conversation: Conversation, place: Place) -> Target | None:
    """What a place means in one conversation; None when there is no such place in it."""
    if place.is_of_parser:
        return _by_parser(conversation, place)
    found = list(_pointed(conversation, place))
    if not found:
        return None
    if place.block is not None and any(one.named.block is not None for one in found):
        found = [one for one in found if one.named.block is not None]
    first, *others = found
    text = f"{place.words} is {place_words(first.named)}."
    if place.block is not None and first.named.block is None:
        text = f"{place.words} is {place_words(first.named)}, which has no block {place.block}."
    if others:
        ways = " or ".join(place_words(other.named) for other in others[:_SHOWN])
        text += f" It may also be {ways}: {_why_several(place)}."
    return at_block(conversation, first.named, text)


def place_words(place: NamedPlace) -> str:
    block = f", block {place.block}" if place.block is not None else ""
    return f"message {place.message}{block} of this file"


def _why_several(place: Place) -> str:
    if place.message is None:
        return "the text does not say which message's call it means"
    if not place.root:
        return "the text does not say whether it counts from 0, or with a system prompt in front"
    return "the request may have begun with a system prompt that is not in the file"


def _pointed(conversation: Conversation, place: Place) -> Iterator[Pointed]:
    """The places in the file that it may mean, the likeliest first, each once."""
    provider = _COUNTED_BY.get(place.root, conversation.profile.base)
    if place.root == "messages" and way_of(provider) == "items":
        provider = _OTHERWISE
    places = RequestPlaces(conversation, provider)
    if place.message is None:
        yield from _calls_numbered(conversation, places, place.call or 0)
        return
    seen = set()
    numbers = (place.message,) if place.root else (place.message, place.message - 1)
    for number in numbers:
        for one in places.pointed(Asked(number, place.block, place.part, place.call)):
            if one.exact and one.named.message is not None and one.named not in seen:
                seen.add(one.named)
                yield one


def _calls_numbered(conversation: Conversation, places: RequestPlaces, number: int) -> Iterator[Pointed]:
    """The calls with this number in their messages, last first: the newest is the one that an API saw first now."""
    for message in reversed(conversation.transcript.messages):
        for call in message.calls[number : number + 1]:
            yield Pointed(f"call {number}", (call,), None, True, places.named(call))


def at_block(conversation: Conversation, place: NamedPlace, text: str) -> Target:
    """A place with what is wrong there, and what else can be done there."""
    assert place.message is not None
    message = conversation.transcript.messages[place.message]
    blocks = place.blocks(message)
    pairs = (conversation.pair_of(block) for block in blocks)
    pair = next((pair.index for pair in pairs if pair is not None), None)
    offers = offers_at(conversation, place)
    worst = min((one for one in offers if one.severity != "info" and one.named is None), key=weight, default=None)
    return Target(
        text,
        pair,
        place.message,
        worst,
        found=Found.PLACE,
        how="by the place",
        conversation=conversation.number - 1,
        place=place,
        offers=tuple(one for one in offers if one is not worst),
    )


def offers_at(conversation: Conversation, place: NamedPlace) -> list[Problem]:
    """All problems of a block or a message, and those that it has only if an API says so, whose fixes are offered."""
    if place.message is None:
        return []
    message = conversation.transcript.messages[place.message]
    blocks = place.blocks(message)
    keys = {place_of(block) for block in blocks}
    found = [one for one in conversation.problems if _is_at(one, keys, place)]
    known = {(one.rule, one.message, one.block) for one in found}
    named = conversation.named([rule.name for rule in RULES.values() if rule.named is not None], place)
    return [*found, *(offered(one) for one in named if (one.rule, one.message, one.block) not in known)]


def _is_at(problem: Problem, keys: set[object], place: NamedPlace) -> bool:
    if problem.message == place.message and (place.block is None or problem.block in (None, place.block)):
        return True
    named = (problem.call, problem.result, *problem.others)
    return any(block is not None and place_of(block) in keys for block in named)


# --- what a parser says --------------------------------------------------------------------------------


def _by_parser(conversation: Conversation, place: Place) -> Target | None:
    """The call whose arguments cannot be parsed at just this character; None when it is none, or one of several."""
    found = calls_stopping_at(conversation, place)
    if not found:
        named = _in_body(conversation, place)
        text = f"{place.words}: if this file is the body that was sent, byte by byte, it is in {place_words(named)}."
        return None if named.message is None else at_block(conversation, named, text)
    named = RequestPlaces(conversation, conversation.profile.base).named(found[0])
    target = at_block(conversation, named, f"At {place.words} the arguments of this call stop being JSON.")
    if len(found) > 1:
        return replace(target, text=f"{target.text} Those of {plural(len(found) - 1, 'more call')} do so as well.")
    if target.problem is None or family_of(target.problem.rule) != OF_ARGUMENTS:
        return target
    # Whose parser it was does not matter: it stopped just there.
    return replace(target, problem=raised(target.problem), found=Found.INDEX, how=_PARSED)


def _in_body(conversation: Conversation, place: Place) -> NamedPlace:
    """The block that holds a character of the file, where the file is one JSON value, as a request's body is."""
    document, offset = conversation.document, conversation.source.offset
    at = place.char if place.char is not None else (place.column or 1) - 1
    if document.kind == "lines" or offset is None:
        return NamedPlace()
    on_line = document.at_line(place.line) if place.line is not None and place.line > 1 else None
    for number, message in enumerate(conversation.transcript.messages):
        for record in message.records:
            if place.line is not None and place.line > 1:
                if record == on_line:
                    return NamedPlace(number)
            elif _covers(document.span(record), offset, at):
                inside = (n for n, block in enumerate(message.blocks) if _covers(_span(document, block), offset, at))
                return NamedPlace(number, next(inside, None))
    return NamedPlace()


def _covers(span: tuple[int, int], offset: int, at: int) -> bool:
    return span[0] + offset <= at < span[1] + offset


def _span(document: Document, block: Block) -> tuple[int, int]:
    try:
        return document.span(block.record, block.slot)
    except ValueError:
        return 0, 0


def calls_stopping_at(conversation: Conversation, place: Place) -> Sequence[Block]:
    """The calls whose arguments a parser reads as far as this character: parsers differ by one of them."""
    stops = [
        (abs(stop - (place.char if place.char is not None else (place.column or 1) - 1)), block)
        for message in conversation.transcript.messages
        for block in message.calls
        if is_object(block)
        and isinstance(raw := openai_chat.given_arguments(block), str)
        and (stop := _stop(raw, place)) is not None
    ]
    nearest = min((distance for distance, _ in stops), default=_APART + 1)
    return [block for distance, block in stops if distance == nearest <= _APART]


def _stop(raw: str, place: Place) -> int | None:
    """The character at which these arguments stop being JSON, counted as the place is; None on another line of it."""
    try:
        json.loads(raw)
    except json.JSONDecodeError as error:
        if place.char is not None:
            return error.pos
        return error.colno - 1 if error.lineno == place.line else None
    except RecursionError:
        pass
    return None
