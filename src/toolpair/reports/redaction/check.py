"""What is looked at before a copy leaves: whether anything of the original is in it, and whether it is judged alike."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from itertools import compress
from operator import eq
from typing import Any, Final

import orjson

from toolpair.reports.redaction import markers
from toolpair.reports.redaction.characters import may_stay
from toolpair.reports.redaction.times import TIME
from toolpair.reports.redaction.vocabulary import (
    NO_WORD,
    TOKEN,
    counts,
    decoded,
    names_a_model,
    pieces_of,
    tokens_of,
    vocabulary,
    words_anywhere,
    words_of,
)
from toolpair.session.session import Session
from toolpair.source.record_values import parse
from toolpair.transcript.model import Damaged

_TIME: Final = re.compile(TIME)
_NUMBER: Final = re.compile(r'"([A-Za-z_]+)\\*"\s*:\s*-?([0-9]{4,})')
_JOINED: Final = re.compile(
    r"[+\d](?:(?<=\+)\d[\d ]{3,}(?<=\d)|(?<=\d)(?<!\d\d)\d*+(?:(?:[.:/@-]\d++){2,}|[:/@-]\d++|\.\d++(?=\")))", re.ASCII
)
"""Addresses, numbers of telephones, dates: short numbers that say something together."""
_GROUPS: Final = re.compile(
    r"-(?:[0-9a-fA-F]{4}-){3}(?<=\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-)(?=[0-9a-fA-F]{12}\b)"
)
"""The short groups of a UUID."""
_MANY_DIGITS: Final = 6
"""Fewer may be drawn again by chance."""
_SHORT: Final = 8
"""A word of fewer characters with a digit in it may be drawn again by chance, for another place."""
_SIGNS: Final = re.compile(r"[^\x00-\x7f](?<=[^\w\s])[^\w\s\x00-\x7f]{2,}")
_DIGIT: Final = re.compile("[0-9]")
_PIECE: Final = 1 << 16
"""Characters, at least, that are compared at once."""
Described = tuple[Any, ...]


def left_in(original: str, copy: str, words: Collection[str] | None = None) -> list[str]:
    """Words of the original that are in the copy though they are not in everybody's sessions, in order.

    `words`: those of the original, and maybe some that it only has as it is written.
    """
    if words is None:
        words = words_anywhere(original.encode("utf-8", "surrogateescape"))
    everybodys = vocabulary().words | markers.words()
    own = {word.encode("utf-8", "surrogatepass") for word in words if word not in everybodys}
    found: set[bytes] = set()
    there: set[bytes] = set()
    signs_before: set[str] = set()
    signs_after: set[str] = set()
    beside = len(original) == len(copy)
    for before, after in _side_by_side(original, copy):
        if beside and any(match[0] == after[slice(*match.span())] for match in _TIME.finditer(before)):
            return ["a time"]
        before, after = _told(before), _told(after)
        signs_before |= _written(before)
        signs_after |= _written(after)
        tokens, others = tokens_of(_without_groups(after)), tokens_of(_without_groups(before))
        found |= own.intersection(tokens)
        fits = len(before) == len(after) and len(tokens) == len(others)
        there |= own.intersection(compress(tokens, map(eq, tokens, others)) if fits else tokens)
    if signs := signs_before & signs_after:
        pieces = [_written(_without_groups(_told(after))) for _, after in _side_by_side(original, copy)]
        if signs := _not_public(signs.intersection(set().union(*pieces)), copy):
            return sorted(signs)
    sure = {word for token in found if not _by_chance(word := token.decode("utf-8", "surrogatepass"))}
    left = _not_public(sure.union(token.decode("utf-8", "surrogatepass") for token in there), copy)
    if left:
        left &= frozenset().union(*(words_of(_told(before)) for before, _ in _side_by_side(original, copy)))
    return sorted(left)


def left_of(whole: bytes, words: Collection[str], copy: str) -> list[str]:
    """Words of a session that are in the redacted copy of a part of it. Short ones with digits are met by chance.

    `words`: those of the session, and maybe some that it only has as it is written.
    """
    found = {word for word in words_of(_without_groups(decoded(copy))) if word in words and not _by_chance(word)}
    found = _not_public(found - vocabulary().words - markers.words(), copy)
    signs = _not_public(_written(after := _told(copy)), copy)
    if not (found or signs):
        return []
    kept: set[str] = set()
    for piece in pieces_of(whole):
        text = piece.decode("utf-8", "surrogateescape")
        before = decoded(text)
        kept |= words_of(before) if found else found
        if any(one in before for one in signs):  # mostly none: that is seen sooner than what is joined
            kept |= _written(_told(text))
    return sorted(found & kept | signs & kept & _written(_without_groups(after)))


def _side_by_side(original: str, copy: str) -> Iterator[tuple[str, str]]:
    """Some lines at a time of both; everything, where they do not begin at the same places."""
    at = 0
    while at < max(len(original), len(copy)):
        end = original.find("\n", at + _PIECE) + 1
        if not end or len(original) != len(copy) or copy[end - 1] != "\n":
            yield original[at:], copy[at:]
            return
        yield original[at:end], copy[at:end]
        at = end


def _told(text: str) -> str:
    """What a text says, without the times in it."""
    return _TIME.sub(_blank, decoded(text))


def _written(text: str) -> set[str]:
    """Short numbers joined to longer ones, without what versions and lines of files look like; and characters in a row
    that are no letters and yet could be read.
    """
    found = {one for one in _JOINED.findall(text) if sum(map(str.isdigit, one)) >= _MANY_DIGITS}
    if text.isascii():
        return found
    return found.union(run for run in _SIGNS.findall(text) if not any(map(may_stay, run)))


def _without_groups(text: str) -> str:
    """The text without the short groups of UUIDs: a long session has each of them, and what they are joined to."""
    return _GROUPS.sub(" " * 16, text)


def _by_chance(word: str) -> bool:
    return len(word) < _SHORT and not word.isalpha()


def _blank(match: re.Match[str]) -> str:
    return _DIGIT.sub(NO_WORD, match[0])


def _not_public(found: Collection[str], copy: str) -> set[str]:
    """Those that are no words of versions and public models, and no numbers that only count, in what can be read of
    the copy.
    """
    left = set(found)
    known = vocabulary()
    for key, text in _strings(copy) if left else ():
        if known.is_version(key, text):
            left.difference_update(map(str.lower, TOKEN.findall(text)), _written(text))
        elif names_a_model(key):
            left -= _written(text)
            left.difference_update(word.lower() for word in TOKEN.findall(text) if known.is_word_of_a_model(word))
        if not left:
            return left
    if not any(map(str.isdecimal, left)):
        return left
    return left.difference(number for key, number in _NUMBER.findall(copy) if counts(key) and known.is_key(key))


def _strings(copy: str) -> Iterator[tuple[str | None, str]]:
    """The strings of the records, each with its key."""
    lines = copy.encode("utf-8", "surrogateescape").split(b"\n")
    if isinstance(parse(lines[0]), Damaged) and not isinstance(whole := parse(b"\n".join(lines)), Damaged):
        yield from _strings_in(whole)
        return
    for line in lines:
        if line.strip() and not isinstance(value := parse(line), Damaged):
            yield from _strings_in(value)


def _strings_in(value: Any) -> Iterator[tuple[str | None, str]]:
    todo: list[tuple[str | None, Any]] = [(None, value)]
    while todo:
        key, value = todo.pop()
        if isinstance(value, str):
            yield key, value
            if value[:1] in "{[":
                try:
                    todo.append((key, orjson.loads(value)))
                except (ValueError, RecursionError):
                    pass
        elif isinstance(value, dict):
            todo.extend(value.items())
        elif isinstance(value, list):
            todo.extend((key, part) for part in value)


def described(session: Session) -> Counter[Described]:
    """The problems of a session without any of its texts: what has to be the same for a copy."""
    found: Counter[Described] = Counter()
    for conversation in session.conversations:
        for problem in conversation.problems:
            place = session.location(problem, conversation)
            described = (
                *(problem.rule, problem.severity, problem.impact, problem.scope, conversation.number),
                *(place.record, place.line, place.end_line, place.message, place.block, place.pair),
                problem.cause.id if problem.cause is not None else None,
                problem.on_resume.effect if problem.on_resume is not None else None,
                tuple((fix.id, fix.recommended, fix.certain) for fix in problem.fixes),
            )
            found[described] += 1
    return found


def differing_rules(one: Counter[Described], other: Counter[Described]) -> Collection[str]:
    """The rules that do not find the same in both."""
    return sorted({found[0] for found in (one - other) + (other - one)})
