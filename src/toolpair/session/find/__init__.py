"""Resolving a place: an id, a rule, `line:N`, `message:N`, `pair:N`, `record:N`, or an API's error text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, Protocol

from msgspec.structs import replace

from toolpair.dialects.besides import named_keys
from toolpair.dialects.block_values import holds_lone_surrogate
from toolpair.dialects.media import described, media_parts
from toolpair.history.conversation import Conversation, Found, Target, weight
from toolpair.rules.errors.error_detection import Recognised, nearest, recognise_all
from toolpair.rules.errors.pasted import SOFT, PastedText
from toolpair.rules.errors.places import Place, places_in, typed_place
from toolpair.rules.errors.texts import title_of
from toolpair.rules.errors.unwrapping import inner_text
from toolpair.rules.images import OF_ALL_IMAGES
from toolpair.rules.profiles import PROFILES, profile
from toolpair.rules.registry import RULES
from toolpair.session.find.by_error import ErrorMatch, ErrorSearch
from toolpair.session.find.by_place import meant_by, offers_at, place_words
from toolpair.session.find.ids_in_file import ConversationIds
from toolpair.source.document import Document
from toolpair.transcript.pairing import Pair

if TYPE_CHECKING:
    from toolpair.rules.problem import Problem

_PLACE: Final = re.compile(r"(line|record|pair|message)\s*[: ]\s*(\d[\d,]{0,14})\Z", re.IGNORECASE)
_RULE: Final = re.compile(r"[a-z]{2,20}\.[a-z_]{2,40}")
_WORD: Final = re.compile(rf"[\w.:|/+=-]+(?:{SOFT}[\w.:|/+=-]+){{0,20}}")
_TOOL: Final = re.compile(r"(?!\d)[\w.:/-]{2,100}")
_SHORTEST: Final = 4
_ID_LIKE: Final = re.compile(r"(?=.*\d)[\w.:|+=-]{8,200}")
_LOOKED_UP: Final = 2_000
_SEARCHED: Final = 10
_TYPED: Final = 100
"""Characters: what is typed as a place is no longer."""
_SAID: Final = 300
"""Characters shown of what an unknown text says."""
_AROUND_AN_ID: Final = "`'\"“”‘’.,;()[]{} "
_NOTHING: Final = (
    "This is not an id, place, rule or error text that toolpair knows. line:N, message:N, pair:N and messages.N work "
    "as well."
)
_HEAD: Final = 80
_IMAGE: Final = re.compile(rb'(?:"|;base64,)((?:iVBORw0KGgo|/9j/|R0lGOD[dl]h|UklGR)[A-Za-z0-9+/=]{20,%d})' % _HEAD)
"""A string that is, or ends as, a PNG, a JPEG, a GIF or a WebP in Base64: one that only quotes some is none."""
_HALVES: Final = "record.lone_surrogate"
_LISTS: Final = ("messages", "input", "contents")
_OF_ALL: Final = "This is about the whole conversation, not about one block of it."
_GONE: Final = (
    "Nothing in this file causes it now: it may already have been fixed, or the error came from another branch or "
    "another session."
)


class Searched(Protocol):
    """The parts of a session that places are searched in."""

    current: int

    @property
    def conversation(self) -> Conversation:
        """The current conversation."""

    @property
    def conversations(self) -> tuple[Conversation, ...]: ...


def find(file: Searched, where: str) -> Target | None:
    """The place meant by `where`, in the current conversation or else another one; None when it is empty."""
    text = where.strip()
    if not text:
        return None
    place = _PLACE.match(text) if len(text) <= _TYPED else None
    if place is not None:
        return _at_place(file, place.group(1).lower(), int(place.group(2).replace(",", "")))
    if _RULE.fullmatch(text):
        by_rule = _by_rule(file, text)
        if by_rule is not None:
            return _as_judged(file, by_rule)
    exact = _by_id(file, text.strip(_AROUND_AN_ID) or text)
    if exact is not None:
        return exact
    by_tool = _by_tool(file, text.strip(_AROUND_AN_ID)) if len(text) <= _TYPED else None
    if by_tool is not None:
        return by_tool
    typed = typed_place(text)
    if typed is not None:
        return _typed(file, typed)
    known = recognise_all(text)
    if not known:
        return _fitting(text, _by_words(file, text))
    return _fitting(text, _with_others(file, _as_judged(file, _by_error(file, known[-1])), known[:-1]))


def _fitting(text: str, found: Target) -> Target:
    """Without what is offered in vain, as the words of the text show."""
    return replace(found, offers=tuple(one for one in found.offers if _fits(one, text)))


def _fits(problem: Problem, text: str) -> bool:
    words = RULES[problem.rule].offered_by if problem.named is not None and problem.severity == "info" else None
    return words is None or re.search(words, text) is not None


def _with_others(file: Searched, last: Target, known: Iterable[Recognised]) -> Target:
    """The last error of several, with what the others are about among what is offered."""
    others = (_as_judged(file, _by_error(file, one)) for one in known)
    keys = {None if last.problem is None else last.problem.key}
    problems = [
        other.problem
        for other in others
        if other.problem is not None and other.conversation == last.conversation and other.profile == last.profile
    ]
    new = tuple(problem for problem in problems if problem.key not in keys)
    return replace(last, offers=(*last.offers, *new))


def find_all(file: Searched, text: str) -> tuple[Target, ...]:
    """The places of all errors in a text, in their order: each that is known, else what `find` finds."""
    known = recognise_all(text)
    if len(known) > 1:
        return tuple(_fitting(text, _as_judged(file, _by_error(file, one))) for one in known)
    found = find(file, text)
    return () if found is None else (found,)


def _as_judged(file: Searched, found: Target) -> Target:
    """What was looked for among problems: that there is none is not said of a guess, in which none was looked for."""
    format = file.conversation.format
    if not format.is_guess or found.leads_somewhere or format.read_only is None:
        return found
    return replace(found, text=format.read_only)


# --- ids ---------------------------------------------------------------------------------------------


def _in_order(file: Searched) -> Iterator[tuple[int, Conversation]]:
    """The current conversation, then the others, last first."""
    yield file.current, file.conversation
    for number in range(len(file.conversations) - 1, -1, -1):
        if number != file.current:
            yield number, file.conversations[number]


def _by_id(file: Searched, id_: str, said: str | None = None) -> Target | None:
    for number, conversation in _in_order(file):
        blocks = ConversationIds(conversation).sent.get(id_)
        if blocks is None:
            continue
        pairs = [pair for pair in map(conversation.pair_of, blocks) if pair is not None]
        broken = [pair for pair in pairs if pair.index in conversation.worst]
        pair = next(iter(broken or pairs), None)
        if pair is not None:
            return _target(conversation, number, pair, said or f"This is the id {id_}.", "by the id")
        message = conversation.messages_of({blocks[0].record})[0]
        return Target(said or f"This is the id {id_}.", message=message, how="by the id", conversation=number)
    return _id_elsewhere(file, id_) if " " not in id_ and _ID_LIKE.fullmatch(id_) else None


def _by_tool(file: Searched, name: str) -> Target | None:
    """The first broken call of a tool, else its last one."""
    if not _TOOL.fullmatch(name):
        return None
    for number, conversation in _in_order(file):
        calls = [pair for pair in conversation.pairs if pair.call is not None and pair.call.name == name]
        if calls:
            broken = next((pair for pair in calls if pair.index in conversation.worst), None)
            which = "the last one" if broken is None else "the first one with a problem"
            said = f"This is {which} of {len(calls):,} calls of {name}." if len(calls) > 1 else f"The call of {name}."
            return _target(conversation, number, broken or calls[-1], said, "by the tool's name")
    return None


def _id_elsewhere(file: Searched, id_: str) -> Target | None:
    for number, conversation in _in_order(file):
        place = ConversationIds(conversation).elsewhere(id_)
        if place is not None:
            text = _elsewhere(id_, place)
            return Target(text, how="by the id", conversation=number, line=place[0])
    return None


def _elsewhere(id_: str, place: tuple[int | None, str]) -> str:
    line, where = place
    at = f"on line {line:,}" if line is not None else "in this file"
    return f"The id {id_} stands {at}, {where}."


def _by_words(file: Searched, text: str) -> Target:
    """An unknown text: find any id in it that the file has."""
    words = _words(text)
    for _, conversation in _in_order(file):
        sent = ConversationIds(conversation).sent
        word = next((word for word in words if word in sent), None)
        if word is not None:
            found = _by_id(file, word, f"An unknown error text, but it names the id {word}.")
            if found is not None:
                return found
    for word in [word for word in words if _ID_LIKE.fullmatch(word)][:_SEARCHED]:
        found = _id_elsewhere(file, word)
        if found is not None:
            return replace(found, text=f"An unknown error text. {found.text}")
    places = places_in(text)
    for place in places:
        for _, conversation in _in_order(file):
            pointed = meant_by(conversation, place)
            if pointed is not None:
                if pointed.found is Found.INDEX:
                    return pointed
                return replace(pointed, text=f"This error is not known. It points here: {pointed.text}")
    near = nearest(text)
    said = inner_text(text) if any(mark in text for mark in "{│") else ""
    says = f' It says: "{said[:_SAID]}"' if said else ""
    alike = ""
    if near:
        alike = (
            f' The nearest known error, which does not match, is from {title_of(near[0].provider)}: "{near[0].text}"'
        )
    named = f" It names {places[0].words}, which is not in what is sent of this file." if places else ""
    return Target(_NOTHING + named + says + alike)


def _words(text: str) -> list[str]:
    """The words of a text that may be ids, longest first, including words that a terminal wrapped."""
    found: dict[str, None] = {}
    seen: set[str] = set()
    for match in _WORD.finditer(PastedText.of(text).marked):
        if match.group() in seen:
            continue
        seen.add(match.group())
        parts = match.group().split(SOFT)
        for start in range(len(parts)):
            for end in range(len(parts), start, -1):
                word = "".join(parts[start:end]).strip(".,:")
                if len(word) >= _SHORTEST:
                    found[word] = None
        if len(found) > _LOOKED_UP:
            break
    return sorted(found, key=len, reverse=True)


# --- rules -------------------------------------------------------------------------------------------


def _by_rule(file: Searched, rule: str) -> Target | None:
    """The first problem of a rule; None when there is no such rule."""
    for number, conversation in _in_order(file):
        problems = [problem for problem in conversation.problems if problem.rule == rule]
        if problems:
            first = min(problems, key=weight)
            text = f"The first of {len(problems):,} {rule} problems." if len(problems) > 1 else f"This is {rule}."
            return Target(text, first.pair, first.message, first, how="by the rule", conversation=number)
    if any(profile(name).cell(rule) is not None for name in PROFILES):
        return Target(f"This file has no {rule} problem.")
    return None


# --- places ------------------------------------------------------------------------------------------


def _target(conversation: Conversation, number: int, pair: Pair, text: str, how: str | None = None) -> Target:
    problem = conversation.worst.get(pair.index)
    return Target(text, pair.index, pair.start[0], problem, how=how, conversation=number)


def _typed(file: Searched, place: Place) -> Target:
    found = (meant_by(conversation, place) for _, conversation in _in_order(file))
    target = next((one for one in found if one is not None), None)
    if target is not None:
        return target
    if place.is_of_parser:
        return Target(f"No call here has arguments that stop being JSON at {place.words}.")
    return Target(f"There is no {place.words} in what is sent of this file.")


def _at_place(file: Searched, kind: str, number: int) -> Target:
    current, conversation = file.current, file.conversation
    document, pairs, messages = conversation.document, conversation.pairs, conversation.transcript.messages
    if kind == "pair":
        if number >= len(pairs):
            return Target(f"There is no pair {number:,}; the last one is {len(pairs) - 1:,}.")
        return _target(conversation, current, pairs[number], f"Pair {number:,}.")
    if kind == "message":
        if number >= len(messages):
            last = len(messages) - 1
            return Target(f"There is no message {number:,}; the last one is {last:,}.")
        return _near(file, {number}, f"Message {number:,}.")
    if kind == "record":
        found = document.at_number(number)
        wanted = {found.uid} if found is not None else set()
    else:
        # The record at the line; one in an array may span several lines.
        uid = document.at_line(number)
        wanted = {uid} if uid is not None else set()
    around = conversation.messages_of(wanted)
    if not around:
        for problem in conversation.problems:
            if _covers(document, problem, wanted):
                return Target(f"{kind.capitalize()} {number:,}.", problem=problem, conversation=current)
        return Target(f"{kind} {number:,} contains nothing that the agent would send.")
    return _near(file, around, f"{kind.capitalize()} {number:,}.", wanted)


def _covers(document: Document, problem: Problem, wanted: set[int]) -> bool:
    """Whether the problem is about one of these records: damaged ones share a problem."""
    if problem.record in wanted:
        return True
    if problem.record is None or problem.until is None:
        return False
    if problem.record not in document or problem.until not in document:
        return False
    first, last = document.index(problem.record), document.index(problem.until)
    return any(first <= document.index(uid) <= last for uid in wanted)


def _near(file: Searched, messages: Iterable[int], text: str, records: set[int] | None = None) -> Target:
    """The pair of a message (limited to `records` if given), else the next pair after it."""
    conversation, current = file.conversation, file.current
    wanted = min(messages)
    best: Pair | None = None
    for pair in conversation.pairs_around(wanted):
        blocks = [block for block in (pair.call, *pair.results) if block is not None]
        if records is not None and any(block.record in records for block in blocks):
            return _target(conversation, current, pair, text)
        if records is None and any(place[0] == wanted for place in (pair.start, *pair.results_at)):
            return _target(conversation, current, pair, text)
        if best is None and pair.start[0] >= wanted:
            best = pair
    if best is None:
        return Target(text, message=wanted, conversation=current)
    problem = conversation.worst.get(best.index)
    return Target(text, best.index, wanted, problem, conversation=current)


# --- error texts -------------------------------------------------------------------------------------


def _by_error(file: Searched, known: Recognised) -> Target:
    searches: list[ErrorSearch] = []
    number, found = 0, ErrorMatch(Found.NOT)
    for at, conversation in _in_order(file):
        search = ErrorSearch(conversation, known)
        searches.append(search)
        match = search.run()
        if match.found > found.found or len(searches) == 1:
            number, found = at, match
        if found.found >= (Found.ID if known.ids else Found.INDEX):
            break
    notes = [] if known.read_like else [known.meaning]
    missing = _missing_ids(known, searches) if found.found is not Found.ID else []
    if found.found is Found.ID:
        notes.append("Found by the id.")
        if found.problem is None:
            notes.insert(0, "Nothing is wrong with it now: it may already have been fixed.")
    elif found.how is not None and found.found is not Found.NOT:
        notes.insert(0, f"Found {found.how}." if found.found.is_placed else f"{found.how[0].upper()}{found.how[1:]}.")
    if found.found is Found.NOT:
        around = _halves_around(known, file.conversations) or _unread_image(known, file.conversations)
        notes.insert(0, around or (_GONE if known.error.rules or known.error.wraps else _OF_ALL))
        if found.place is not None:
            notes.insert(1, f"It points to {place_words(found.place)}.")
    elif number != file.current:
        notes.append(f"It is in conversation {number + 1} of {len(file.conversations)}.")
    if found.profile is not None:
        notes.append(f"Checked against {found.profile} for it.")
    if known.count > 1:
        notes.append(f"The text has {known.count} errors in it; this is the last.")
    line = next((place[0] for _, place in missing if place is not None), None)
    notes[:0] = [
        _elsewhere(id_, place) if place is not None else f"The id {id_} is not in this file."
        for id_, place in missing[:1]
    ]
    if known.read_like:
        notes.insert(0, known.meaning)
    return Target(
        " ".join(notes),
        found.pair,
        found.message,
        found.problem,
        known,
        found.found,
        found.how,
        found.profile,
        None if found.found is Found.NOT and found.place is None else number,
        line,
        found.place,
        tuple(offers_at(file.conversations[number], found.place)) if found.place is not None else (),
    )


def _halves_around(known: Recognised, conversations: Sequence[Conversation]) -> str | None:
    """Where half a character stands outside of the messages: in the rest of a request, which fixes leave alone."""
    if _HALVES not in known.error.rules:
        return None
    for outer in (conversation.source.outer or {} for conversation in conversations):
        keys = [key for key, value in outer.items() if key not in _LISTS and holds_lone_surrogate(value)]
        if keys:
            return f"Half a character stands outside of the messages, in {named_keys(keys)}: replace it there yourself."
    return None


def _unread_image(known: Recognised, conversations: Sequence[Conversation]) -> str | None:
    """Where an image stands that is not read as one: what the API is sent of it is for a library to say."""
    if not OF_ALL_IMAGES.intersection(known.error.rules):
        return None
    for conversation in (one for one in conversations if not one.transcript.native):
        blocks = (block for message in conversation.transcript.messages for block in message.blocks)
        read = {described(part).data[:_HEAD] for block in blocks for part in media_parts(block)}
        for number, record in enumerate(conversation.document.records):
            for found in _IMAGE.finditer(record.body):
                if found[1][:_HEAD].decode() not in read:
                    at = f"line {record.line:,}" if conversation.document.kind == "lines" else f"record {number:,}"
                    said = "is not read as one here: no fix removes it"
                    return f"What may be an image in {at} {said}. Do it there yourself."
    return None


def _missing_ids(known: Recognised, searches: Sequence[ErrorSearch]) -> list[tuple[str, tuple[int | None, str] | None]]:
    """The ids that no conversation sends, each with where else it occurs."""
    found: list[tuple[str, tuple[int | None, str] | None]] = []
    for readings in known.readings[:_SEARCHED]:
        places = (
            (reading, place)
            for reading in readings
            for search in searches
            if (place := search.ids.elsewhere(reading)) is not None
        )
        found.append(next(places, (readings[0], None)))
    return sorted(found, key=lambda one: one[1] is None)
