"""A drafted table: what was guessed of an unknown list as TOML, and what the engine finds with it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from msgspec import Struct

from toolpair.formats.engine.detection.understanding import why_not
from toolpair.formats.engine.reading.view import Item
from toolpair.formats.forms import drafting
from toolpair.formats.forms.drafting import EACH, FIRST, MOST, Guess, Keys, Sample, Side, Unit
from toolpair.formats.forms.registry import Form
from toolpair.formats.forms.table import BadTable, parsed
from toolpair.transcript.counting import plural
from toolpair.transcript.pairing import BY_ID, pair

_TRIED: Final = 6
"""Guesses of a list that are run."""
_SHOWN: Final = 40
"""Characters of a text in an example."""


class Found(Struct, frozen=True):
    """What the engine finds with a table."""

    calls: int
    results: int
    pairs: int
    first: int | None = None
    """How many elements were looked at, if there are more."""

    @property
    def sentence(self) -> str:
        looked_at = "the file has" if self.first is None else f"the first {plural(self.first, 'element')} have"
        return (
            f"Read by this table, {looked_at} {plural(self.calls, 'call')} and "
            f"{plural(self.results, 'result')}: {self.pairs} of {self.calls} are pairs."
        )

    @property
    def good(self) -> float:
        """How good a guess it shows the table to be."""
        left = self.calls + self.results - 2 * self.pairs
        return 1 - left / (self.calls + self.results)


class Draft(Struct, frozen=True):
    text: str
    """The table, with comments."""
    found: Found
    form: Form


def draft(roots: Sequence[Any], lines: bool, is_part: bool = False) -> Draft | None:
    """A table for the JSON value of a file, or the values of its lines (or of its first ones: `is_part`); None where no
    calls and results are found.
    """
    samples = [(sample, drafting.guesses_in(sample)) for sample in drafting.samples_of(roots, lines)]
    loose = all(guess.loose for _, guesses in samples for guess in guesses)
    tried: list[tuple[float, Draft]] = []
    for sample, guesses in samples:
        for guess in [one for one in guesses if one.loose == loose][:_TRIED]:
            made = _run(sample, guess, is_part)
            if made is not None:
                roles = len({*made.form.table.roles.values()})
                more = made.found.pairs / (made.found.pairs + 20)
                tried.append((guess.score + 3 * made.found.good + 0.4 * roles + more, made))
    return max(tried, key=lambda one: one[0])[1] if tried else None


def _run(sample: Sample, guess: Guess, is_part: bool) -> Draft | None:
    """The table of a guess with what the engine finds by it; None if there can be no such table."""
    if guess.loose and not drafting.texts_of(sample, guess):
        return None
    body = _table(sample, guess)
    try:
        form = Form("drafted", parsed(body, "drafted"))
        calls = results = pairs = 0
        for elements in sample.lists:
            items = [Item(number, value) for number, value in enumerate(elements)]
            for one in pair(form.reader.read(items)).pairs:
                calls += one.call is not None
                results += len(one.results)
                pairs += one.call is not None and one.results != () and one.evidence in BY_ID
    except BadTable:
        return None
    first = [element for elements in sample.lists for element in elements][:200]
    if pairs * 2 < max(calls, results, 1) or not form.fits(first) or why_not(form.format, first) is not None:
        return None
    count = sum(map(len, sample.lists))
    found = Found(calls, results, pairs, count if is_part or count >= MOST else None)
    return Draft(_said(found, guess) + body + _new(sample, guess, form), found, form)


# --- TOML ------------------------------------------------------------------------------------------------


def _table(sample: Sample, guess: Guess) -> str:
    roles = drafting.roles_of(sample, guess)
    texts = [_text_path(sample, at, path, units) for (at, path), units in drafting.texts_of(sample, guess).items()]
    sides = [guess.call, *guess.calls, *([] if guess.inside else [guess.result])]
    each = [path for path in roles.paths if all(path in unit.values for unit in sample.elements)]
    common = [key for key in sample.elements[0].values if len(key) == 1] if not each else []
    each += [path for path in common if all(path in unit.values for unit in sample.elements)][:2]
    out = [
        'title = "Drafted"' + _NOTE.format("what such lists are called"),
        f"lists = {_q([_spelled(sample.at)])}",
        f"role = {_q([_spelled(path) for path in roles.paths])}"
        + ("" if roles.paths else _NOTE.format("no role was recognised")),
        f"roles = {{ {', '.join(f'{_q(value)} = {_q(role)}' for value, role in sorted(roles.names.items()))} }}",
        *([f"default_role = {_q(roles.default)}"] if roles.default != "user" else []),
        f"text = {_q(texts)}" + ("" if texts else _NOTE.format("no text was recognised")),
        *(['pair = "names_in_order"'] if guess.by_name else []),
        "",
        "[evidence]",
        f"each = {_q([_spelled(path) for path in each])}",
        f"some = {_q(list(dict.fromkeys(_evidence(sample, side) for side in sides)))}",
    ]

    def id_of(side: Side) -> list[str]:
        return [] if guess.by_name else [f"id = {_q(_spelled(side.id))}"]

    for side in (guess.call, *guess.calls):
        out += ["", "[[call]]", f"at = {_q(_at(sample, side))}", *id_of(side)]
        out += [f"name = {_q(_spelled(side.name or ()))}", f"arguments = {_paths(side.content)}"]
        for copy in guess.copies if side is guess.call else ():
            out += ["", f"[[call.copy]]{_NOTE.format('the same ids are there, too')}"]
            out += [f"at = {_q(_at(sample, copy))}", f"id = {_q(_spelled(copy.id))}"]
    side = guess.result
    out += ["", "[[result]]", *(["inside = true"] if guess.inside else [])]
    out += [f"at = {_q(_at(sample, side, guess.inside))}", *id_of(side)]
    out += [f"content = {_paths(side.content)}", *([f"name = {_q(_spelled(side.name))}"] if side.name else [])]
    failures = [f"{_spelled(path)}={value}" for path, value in drafting.failures_of(side)]
    out += [f"error = {_q(failures)}"] if failures else []
    return "\n".join(out) + "\n"


_NOTE: Final = "   # look at this: {}"


def _q(value: str | list[str]) -> str:
    """A value as TOML."""
    if isinstance(value, list):
        return f"[{', '.join(map(_q, value))}]"
    return f"'{value}'" if '"' in value and "'" not in value else json.dumps(value, ensure_ascii=False)


def _spelled(path: Iterable[str]) -> str:
    """A path as tables spell it."""
    made = ""
    for key in path:
        if key == EACH:
            made += EACH
        else:
            key, first, _ = key.partition(FIRST)
            bare = re.fullmatch(r"(?!-?\d+$)[\w-]+|\*|~", key)
            made += ("." if made else "") + (key if bare else f'"{key}"') + first
    return made


def _paths(paths: Sequence[Keys]) -> str:
    return _q(_spelled(paths[0]) if len(paths) == 1 else [_spelled(path) for path in paths])


def _conditions(sample: Sample, side: Side, inside: bool = False) -> list[str]:
    """What tells the units of a shape from the others in the same list; empty where all are of it."""
    if inside:
        return [_one_of(side.content)]
    if side.at and len(sample.units[side.at]) == len(side.units):
        return []
    kind = _kind(sample, side)
    return [kind] if kind else [_spelled(side.id), _one_of(side.content)]


def _kind(sample: Sample, side: Side) -> str:
    kind = drafting.kind_of(side, sample)
    return "" if kind is None else f"{_spelled(kind[0])}={'|'.join(kind[1])}"


def _one_of(paths: Sequence[Keys]) -> str:
    """A condition that one of these paths, which are beside each other, leads to something."""
    return f"{_spelled(paths[0][:-1])}.{'|'.join(_spelled(path[-1:]) for path in paths)}".removeprefix(".")


def _at(sample: Sample, side: Side, inside: bool = False) -> str:
    return f"{_spelled(side.at[:-1])}[{','.join(_conditions(sample, side, inside))}]"


def _evidence(sample: Sample, side: Side) -> str:
    at = _at(sample, side)
    return f"{at}.{_spelled(side.id)}" if side.at else at[1:-1]


def _text_path(sample: Sample, at: Keys, path: Keys, units: list[Unit]) -> str:
    if not at:
        return _spelled(path)
    inner = _kind(sample, Side(at, path, (), units)) if len(units) < len(sample.units[at]) else ""
    return f"{_spelled(at[:-1])}[{inner}].{_spelled(path)}"


# --- comments --------------------------------------------------------------------------------------------


def _said(found: Found, guess: Guess) -> str:
    """What was found, what of it is sure, and what to look at."""
    tie = "names of their calls, in order" if guess.by_name else "ids of their calls"
    where = "are inside their calls" if guess.inside else f"have the {tie}"
    lines = [
        "Drafted by toolpair from one file: a guess, to be looked at.",
        found.sentence,
        f"Sure: the results {where}." if found.pairs > 2 else "Few pairs were seen: look at all of it.",
    ]
    if guess.loose:
        lines.append("No word of it is known: its shape alone was looked at. Look at the names and contents of calls.")
    if guess.copies:
        lines.append("The ids of calls are in several places: look at which of them the program sends.")
    lines += ["Look at: which roles are whose, where texts are, what marks an error.", ""]
    return "\n".join(f"# {line}".rstrip() for line in lines)[:-1] + "\n"


def _new(sample: Sample, guess: Guess, form: Form) -> str:
    """What new elements may look like: the file's own with words in the places that are known."""
    side = guess.result
    unit = min(side.units, key=lambda one: len(one.values))
    words = {side.id: "$id", side.name or (): "$name", **dict.fromkeys(side.content, "$text")}
    words.pop((), None)
    lines = [
        "",
        "Without [new], such files are only read. To write fixes, remove the # below, and look at each value: they are",
        "real elements of the file, and what belongs to one alone (a time, an id of its own) has to be removed, or",
        'written as "$new" or "$beside.PATH". `text` is a user message.',
        "[new]",
        f'fill = {{ {_q(_spelled(side.content[0]))} = "$text" }}'
        if guess.inside
        else f"result = {_example(unit.value, words)}",
    ]
    if side.at and not guess.inside:
        around = _example(sample.elements[unit.element].value, {side.at[:-1]: "$results"})
        lines.append(f"message = {around}")
    said = (
        (sample.elements[one.element].value, (*at, *path))
        for (at, path), units in drafting.texts_of(sample, guess).items()
        for one in units
    )
    users = (_example(value, {path: "$text"}) for value, path in said if form.reader.own_role_of(value) == "user")
    lines.append(f"text = {next(users, '{ … }')}")
    return "\n".join(f"# {line}".rstrip() for line in lines).removeprefix("#") + "\n"


def _example(value: Any, words: dict[Keys, str]) -> str:
    """A real value with words in some places, as JSON in a string of TOML."""
    made = json.dumps(_with_words(value, words))
    return "'''" + made.replace("'", "\\u0027").replace("\x7f", "\\u007f") + "'''"


def _with_words(value: Any, words: dict[Keys, str], at: Keys = ()) -> Any:
    if at in words:
        return words[at]
    if isinstance(value, dict):
        return {key: _part_with(part, words, at, key) for key, part in list(value.items())[:_SHOWN]}
    if isinstance(value, list):
        return [_with_words(part, words, (*at, EACH)) for part in value[:3]]
    return f"{value[:_SHOWN]}…" if isinstance(value, str) and len(value) > _SHOWN else value


def _part_with(part: Any, words: dict[Keys, str], at: Keys, key: str) -> Any:
    only = (*at, key + FIRST)
    return [words[only]] if only in words else _with_words(part, words, (*at, key))
