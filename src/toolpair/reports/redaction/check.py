"""What is looked at before a copy leaves: whether anything of the original is in it, and whether it is judged alike."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from typing import Any, Final

import orjson

from toolpair.reports.redaction import markers
from toolpair.reports.redaction.characters import may_stay
from toolpair.reports.redaction.times import TIME
from toolpair.reports.redaction.vocabulary import TOKEN, counts, decoded, names_a_model, vocabulary, words_of
from toolpair.session.session import Session
from toolpair.source.record_values import parse
from toolpair.transcript.model import Damaged

_TIME: Final = re.compile(TIME)
_NUMBER: Final = re.compile(r'"([A-Za-z_]+)\\*"\s*:\s*-?([0-9]{4,})')
_JOINED: Final = re.compile(
    r"(?<!\d)\d++(?:(?:[.:/@-]\d++){2,}|[:/@-]\d++|(?<=\d)\.\d++(?=\"))|\+\d(?:[\d ]{3,})(?<=\d)", re.ASCII
)
"""Addresses, numbers of telephones, dates: short numbers that say something together."""
_UUID: Final = re.compile(r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b")
_MANY_DIGITS: Final = 6
"""Fewer may be drawn again by chance."""
_SHORT: Final = 8
"""A word of fewer characters with a digit in it may be drawn again by chance, for another place."""
_SIGNS: Final = re.compile(r"[^\w\s\x00-\x7f]{3,}")
Described = tuple[Any, ...]


def left_in(original: str, copy: str) -> list[str]:
    """Words of the original that are in the copy though they are not in everybody's sessions, in order."""
    before, after = _TIME.sub(_blank, decoded(original)), _TIME.sub(_blank, decoded(copy))
    times = [match.span() for match in _TIME.finditer(original)]
    if len(original) == len(copy) and any(original[start:end] == copy[start:end] for start, end in times):
        return ["a time"]
    written = _joined_in_both(_joined(after), after, before) | (_signs(after) & _signs(before))
    if written and (written := written - _public(copy)):
        return sorted(written)
    suspects = (words_of(after) & words_of(before)) - vocabulary().words - markers.words()
    if suspects:
        after = _without_groups(after)
        suspects &= words_of(after) - _public(copy)
    if not suspects or len(before) != len(after):
        return sorted(suspects)
    chance = set(filter(_by_chance, suspects))
    if not chance:
        return sorted(suspects)
    there = {
        word
        for match in TOKEN.finditer(after)
        if (word := match[0].lower()) in chance and before[match.start() : match.end()].lower() == word
    }
    return sorted(suspects - chance | there)


def left_of(whole: str, words: Collection[str], copy: str) -> list[str]:
    """Words of a session that are in the redacted copy of a part of it. Short ones with digits are met by chance.

    `words`: those of the session, and maybe some that it only has as it is written.
    """
    after, public = decoded(copy), _public(copy)
    said = words_of(_without_groups(after))
    found = {word for word in said if word in words and not _by_chance(word)}
    found -= vocabulary().words | markers.words() | public
    after = _TIME.sub(_blank, after)
    joined, signs = _joined(after) - public, _signs(after) - public
    if not (found or joined or signs):
        return []
    before = decoded(whole)
    found &= words_of(before) if found else found
    if joined := {one for one in joined if one in before}:  # mostly none: that is seen sooner than what is joined
        joined = _joined_in_both(joined, after, _TIME.sub(_blank, before))
    signs &= _signs(before) if signs else signs
    return sorted(found | joined | signs)


def _joined(text: str) -> set[str]:
    """Short numbers joined to longer ones, without what versions and lines of files look like."""
    return {one for one in _JOINED.findall(text) if sum(map(str.isdigit, one)) >= _MANY_DIGITS}


def _joined_in_both(joined: set[str], after: str, before: str) -> set[str]:
    found = joined & _joined(before)
    return found and found & _joined(_without_groups(after))


def _without_groups(text: str) -> str:
    """The text without the short groups of UUIDs: a long session has each of them, and what they are joined to."""
    return _UUID.sub(lambda match: match[0][:8] + " " * 16 + match[0][24:], text)


def _by_chance(word: str) -> bool:
    return len(word) < _SHORT and not word.isalpha()


def _signs(text: str) -> set[str]:
    """Characters in a row that are no letters and yet could be read."""
    return {run for run in _SIGNS.findall(text) if not any(map(may_stay, run))}


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _public(copy: str) -> set[str]:
    """The words of versions and public models and the numbers that only count, in what can be read of the copy."""
    known = vocabulary()
    found = {number for key, number in _NUMBER.findall(copy) if counts(key) and known.is_key(key)}
    for key, text in _strings(copy):
        if known.is_version(key, text):
            found.update(map(str.lower, TOKEN.findall(text)), _joined(text))
        elif names_a_model(key):
            found.update(_joined(text))
            found.update(word.lower() for word in TOKEN.findall(text) if known.is_word_of_a_model(word))
    return found


def _strings(copy: str) -> Iterator[tuple[str | None, str]]:
    """The strings of the records, each with its key."""
    raw = copy.encode("utf-8", "surrogateescape")
    whole = parse(raw)
    todo: list[tuple[str | None, Any]] = (
        [(None, whole)]
        if not isinstance(whole, Damaged)
        else [
            (None, value) for line in raw.split(b"\n") if line.strip() and not isinstance(value := parse(line), Damaged)
        ]
    )
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
