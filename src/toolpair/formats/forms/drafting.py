"""Finding out how a list of messages of no known form spells its calls and results.

An id stands in two shapes: once beside a name and arguments (a call), once beside content (a result). Words that
people use for these count for more than shapes; shapes alone are enough where ids tie all of them together. Each guess
becomes a table that the engine runs on the list: what it finds decides which guess is the best one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice, product
from typing import Any, Final, TypeGuard

from msgspec import Struct

from toolpair.formats.forms import drafting_words as words

Keys = tuple[str, ...]
EACH: Final = "[]"
IN_MAP: Final = "*"
KEYS: Final = "~"
FIRST: Final = "[0]"
"""The end of a key: it leads to a list, and what is meant is the one text in it."""
MOST: Final = 2000
"""Elements of a list that are looked at."""
_LISTS: Final = 12
_GUESSES: Final = 40
_DEPTH: Final = 8
_KEYS: Final = 60
"""Keys of an object that are looked at."""
_LEAVES: Final = 200
"""And paths below them."""
_SPOTS: Final = 10
"""Paths in a list that may lead to ids."""
_FEW: Final = 200
"""Units that show where names and contents are."""


_ID: Final = re.compile(r"[^\s{}\[\]/]{1,200}")
_WORD: Final = re.compile(r"[^\s{}\[\],;]{1,80}")
SPELLABLE: Final = re.compile(r"[\w./:-]{1,60}")
"""A value that a condition can name."""


class Unit(Struct, eq=False):
    """An element, or an object in one of the lists in it, with what its keys lead to."""

    element: int
    order: int
    value: dict[str, Any]
    values: dict[Keys, Any]


class Side(Struct, eq=False):
    """One of the two shapes in which ids stand: units with an id, and where the rest of what they say is."""

    at: Keys
    id: Keys
    content: tuple[Keys, ...]
    """A result's, or a call's arguments."""
    units: list[Unit]
    name: Keys | None = None
    score: float = 0.0
    loose: bool = False
    """No word says what it is."""
    asks: bool = False
    """It is a call."""
    ids: dict[str, Unit] = {}
    """The first unit with each id."""

    def __post_init__(self) -> None:
        self.ids = {unit.values[self.id]: unit for unit in reversed(self.units)}


class Guess(Struct, eq=False):
    """A call's shape and a result's, in one of the lists of a file."""

    call: Side
    result: Side
    score: float
    inside: bool = False
    by_name: bool = False
    """Without ids: those of the sides are names."""
    calls: tuple[Side, ...] = ()
    loose: bool = False
    copies: tuple[Side, ...] = ()


class Sample(Struct, eq=False):
    """The first elements of the lists at one place, and the objects in them by the lists that they are in."""

    at: Keys
    lists: list[list[dict[str, Any]]]
    units: dict[Keys, list[Unit]]

    @property
    def elements(self) -> list[Unit]:
        return self.units[()]


@lru_cache(4096)
def plain(key: str) -> str:
    """The letters of a key, in whatever way it is written; of one with dots those of its last word."""
    return re.sub(r"[^a-z]", "", key.rpartition(".")[2].lower())


def samples_of(roots: Sequence[Any], lines: bool) -> list[Sample]:
    """The lists of objects in a file that may be those of its messages, the outer ones first."""
    found: dict[Keys, list[list[dict[str, Any]]]] = defaultdict(list)
    if lines:
        found[EACH,] = [[root for root in roots if isinstance(root, dict)]]
    todo: list[tuple[Any, Keys]] = [(root, ()) for root in reversed(roots[:MOST])]
    while todo:
        value, path = todo.pop()
        if len(path) > _DEPTH:
            continue
        if isinstance(value, list):
            held = [part for part in value[:MOST] if isinstance(part, dict)]
            if held:
                found[*path, EACH].append(held)
            todo += [(part, (*path, EACH)) for part in reversed(value[:MOST]) if isinstance(part, (dict, list))]
        elif isinstance(value, dict):
            keys = list(value)[:_KEYS]
            if _is_map(value, keys):
                todo += [(value[key], (*path, IN_MAP)) for key in reversed(keys)]
            else:
                todo += [(value[key], (*path, key)) for key in reversed(keys) if _can_be_key(key)]
    samples = [Sample(path, lists, units) for path, lists in found.items() if (units := _units_in(lists)) is not None]
    return sorted(samples, key=lambda one: len(one.at))[:_LISTS]


def _is_map(value: dict[str, Any], keys: Sequence[str]) -> bool:
    """Whether the keys of an object are names of what it holds, such as ids."""
    inner = [value[key] for key in keys]
    if not inner or not all(isinstance(one, (dict, list)) for one in inner):
        return False
    if len(inner) == 1:
        return bool(re.search(r"\d", keys[0])) and len(keys[0]) > 3
    return all(isinstance(one, dict) for one in inner) and len({frozenset(one) for one in inner}) == 1


def _can_be_key(key: str) -> bool:
    return 0 < len(key) <= 60 and key.isprintable() and not {'"', "\\"} & {*key} and key not in (IN_MAP, "~", EACH)


def _units_in(lists: Iterable[list[dict[str, Any]]]) -> dict[Keys, list[Unit]] | None:
    units: dict[Keys, list[Unit]] = {(): []}
    count = order = 0
    for elements in lists:
        del elements[max(0, MOST - count) :]
        for element in elements:
            todo: list[tuple[Keys, dict[str, Any]]] = [((), element)]
            while todo:
                at, held = todo.pop()
                values = dict(islice(_leaves(held), _LEAVES))
                units.setdefault(at, []).append(Unit(count, order, held, values))
                order += 1
                inner = [(path, held) for path, held in values.items() if isinstance(held, list)]
                for path, parts in reversed(inner):
                    below = (*at, *path, EACH)
                    if len(below) <= _DEPTH:
                        todo += [(below, part) for part in reversed(parts[:MOST]) if isinstance(part, dict)]
            count += 1
    return units if count > 1 or len(units) > 1 else None


def _leaves(value: dict[str, Any], above: Keys = ()) -> Iterator[tuple[Keys, Any]]:
    """What the keys of an object lead to without going into lists, those of the outer objects first."""
    inner: list[tuple[Keys, dict[str, Any]]] = []
    for key in list(value)[:_KEYS]:
        held = value[key]
        if held is not None and _can_be_key(key):
            yield (*above, key), held
            if isinstance(held, list) and len(held) == 1 and isinstance(held[0], str):
                yield (*above, key + FIRST), held[0]
            if isinstance(held, dict) and len(above) < 3:
                inner.append(((*above, key), held))
    for path, held in inner:
        yield from _leaves(held, path)


# --- guesses ---------------------------------------------------------------------------------------------


def guesses_in(sample: Sample) -> list[Guess]:
    """What may be the calls and results of these lists, the likeliest first; without ids, names tell."""
    for by_name in (False, True):
        sides = [side for at, units in sample.units.items() for side in _sides_at(at, units, by_name)]
        calls = [side for side in sides if side.asks]
        made = [guess for call, side in product(calls, sides) if (guess := _guess(call, side, by_name)) is not None]
        made += [guess for call in calls if not by_name and (guess := _guess_inside(call)) is not None]
        if made:
            break
    made.sort(key=lambda guess: -guess.score)
    return [_with_others(guess, calls) for guess in made[:_GUESSES]]


def _sides_at(at: Keys, units: Sequence[Unit], by_name: bool) -> Iterator[Side]:
    """The calls and the results in one list: of what has an id, what has a name and arguments, and the rest."""
    for id_, held in (_named(units) if by_name else _spots(units)).items():
        calls = list(_calls_in(at, id_, held, by_name))
        yield from calls
        outputs = _paths(held, id_, bool, words.OUTPUTS)
        for taken in [calls, [side for side in calls if not side.loose]][: 1 + any(side.loose for side in calls)]:
            asking = {id(unit) for side in taken for unit in side.units}
            rest = [unit for unit in held if id(unit) not in asking or _has_any(unit, outputs)]
            if (side := _results_in(at, id_, rest)) is not None:
                yield side


def _named(units: Sequence[Unit]) -> dict[Keys, list[Unit]]:
    paths = _paths(units, (), _is_word, words.NAMES)[:2]
    return {path: [unit for unit in units if _is_word(unit.values.get(path))] for path in paths}


def _spots(units: Sequence[Unit]) -> dict[Keys, list[Unit]]:
    """Paths that lead to what may be ids, and the units that have one there."""
    found: dict[Keys, list[Unit]] = defaultdict(list)
    for unit in units:
        for path, value in unit.values.items():
            if isinstance(value, str) and _ID.fullmatch(value) and (len(value) > 1 or _is_id_word(path)):
                found[path].append(unit)
    likely = sorted(found, key=lambda path: (plain(path[-1]) not in words.IDS, len(path), -len(found[path])))
    kept = [path for path in likely if plain(path[-1]) not in words.KINDS and not words.NO_IDS.search(plain(path[-1]))]
    return {path: found[path] for path in kept[:_SPOTS]}


def _paths(units: Sequence[Unit], id_: Keys, fits: Callable[[Any], bool], ending: Sequence[str] = ()) -> list[Keys]:
    """The paths that lead to such values, and not to the id, those that most units have first: ones with these words at
    their end, or without words those beside the id.
    """
    found: dict[Keys, list[str]] = defaultdict(list)
    for unit in units[:_FEW]:
        for path, value in unit.values.items():
            meant = plain(path[-1]) in ending if ending else path[:-1] == id_[:-1]
            if meant and fits(value) and not _is_below(id_, (path,)):
                found[path].append(str(value))
    quarter = max(1, min(_FEW, len(units)) // 4)

    def order(path: Keys) -> tuple[int, ...]:
        count, word = len(found[path]), ending.index(plain(path[-1])) if ending else 0
        return -count // quarter, len(path), word, "tool" not in path[-1], -count, -len({*found[path]})

    return sorted(found, key=order)


def _calls_in(at: Keys, id_: Keys, units: Sequence[Unit], by_name: bool) -> Iterator[Side]:
    fits = _is_input if plain(id_[-1]) in words.LINKS else _is_arguments
    known = _beside(_paths(units, id_, fits, words.ARGUMENTS))[:3]
    given = tuple(known or _paths(units, id_, _is_arguments)[:1])
    asking = [unit for unit in units if _has_any(unit, given)]
    for name in [id_] if by_name else _names_in(asking, units, id_, given):
        mine = [unit for unit in asking if _is_word(unit.values.get(name))]
        loose = not known or plain(name[-1]) not in words.NAMES
        side = Side(at, id_, given, mine, name, loose=loose, asks=True)
        if mine and (by_name or _is_id_word(id_) or len(side.ids) * 2 >= len(mine)):
            side.score = 1.0 * bool(known) + 0.6 * (not loose) + 0.5 * len(side.ids) / len(mine) + _worth(side, 0.8)
            yield side


def _names_in(asking: Sequence[Unit], units: Sequence[Unit], id_: Keys, given: Sequence[Keys]) -> list[Keys]:
    """Where the names of tools may be."""
    found = [path for path in _paths(asking, id_, _is_word, words.NAMES) if not _is_below(path, given)]
    others = [unit for unit in units if not _has_any(unit, given)]
    free = [path for path in _paths(asking, id_, _is_word) if not any(path in unit.values for unit in others)]
    return found[:2] or [path for path in free if not _is_id_word(path) and plain(path[-1]) not in words.KINDS][:1]


def _results_in(at: Keys, id_: Keys, units: Sequence[Unit]) -> Side | None:
    known = _paths(units, id_, bool, words.CONTENT)
    strong = [path for path in known if plain(path[-1]) in words.OUTPUTS]
    near = [path for path in known if path[:-1] == id_[:-1]]
    loose = _paths(units, id_, _says_something) or [path for path in _paths(units, id_, _is_word) if _may_say(path)]
    content = tuple(_beside(strong or near or known)[:2] if known else loose[:1])
    mine = [unit for unit in units if _has_any(unit, content)]
    if not mine:
        return None
    side = Side(at, id_, content, mine, loose=not known)
    names = _paths(mine, id_, _is_word, ("toolname", "name", "tool"))
    side.name = next((path for path in names if not _is_below(path, content)), None)
    kinds = {str(unit.values[path]) for unit in mine for path in unit.values if plain(path[-1]) in words.KINDS}
    ended = any(map(words.ENDED.search, map(str.lower, (*at[-2:], *id_[:-1], *kinds))))
    side.score = (1.0 if strong else 0.7 if known else 0.0) + 0.5 * ended + _worth(side, 1.2)
    return side


def _worth(side: Side, link: float) -> float:
    """How much the name and the place of its id speak for a shape; `link` is what a word for calls' ids is worth."""
    word = plain(side.id[-1])
    named = link if word in words.LINKS else 0.6 if word in words.IDS else 0.3 if word.endswith("id") else 0.0
    return named - 0.1 * (len(side.at) + len(side.id))


def _beside(paths: Sequence[Keys]) -> list[Keys]:
    """The first path, and those that lead to something beside it; none that leads to what is said of a result."""
    own = [path for path in paths if not words.ABOUT.intersection(path)]
    return [path for path in own if path[:-1] == own[0][:-1]]


def _is_arguments(value: Any) -> bool:
    return isinstance(value, dict) or (isinstance(value, str) and value.lstrip()[:1] == "{")


def _is_input(value: Any) -> bool:
    return isinstance(value, (dict, str))


def _is_word(value: Any) -> TypeGuard[str]:
    return isinstance(value, str) and _WORD.fullmatch(value) is not None


def _says_something(value: Any) -> bool:
    return isinstance(value, (dict, list)) or _is_said(value)


def _is_said(value: Any) -> bool:
    """Whether it is a text of more than one word."""
    is_text = isinstance(value, str) and any(map(str.isalpha, value))
    return is_text and (" " in value.strip() or not value.isascii())


def _may_say(path: Keys) -> bool:
    """Whether a single word there may be an output: it is no kind, name or id by its key."""
    word = plain(path[-1])
    return word not in (*words.KINDS, *words.NAMES, *words.SPEAKERS) and not _is_id_word(path)


def _has_any(unit: Unit, paths: Iterable[Keys]) -> bool:
    return any(path in unit.values for path in paths)


def _is_below(path: Keys, tops: Iterable[Keys]) -> bool:
    return any(path[: len(top)] == top for top in tops)


def _is_id_word(path: Keys) -> bool:
    return plain(path[-1]) in words.IDS or plain(path[-1]).endswith("id")


def _guess(call: Side, result: Side, by_name: bool) -> Guess | None:
    shared = call.ids.keys() & result.ids.keys()
    if result.asks or not shared or (call.at == result.at and any(call.ids[id_] is result.ids[id_] for id_ in shared)):
        return None
    loose = call.loose or result.loose
    if by_name:
        most = len(result.units) <= len(call.units) <= len(result.units) * 2
        same = most and result.ids.keys() <= call.ids.keys()
        result.name = result.id
        return Guess(call, result, call.score, by_name=True) if same and not loose else None
    once = len(call.ids) == len(call.units) and len(result.ids) == len(result.units)
    ordered = sum(call.ids[id_].order < result.ids[id_].order for id_ in shared)
    if (loose and not (once and len(shared) == len(result.ids))) or ordered * 5 < len(shared) * 4:
        return None
    if len(shared) * 2 < min(len(call.ids), len(result.ids)):
        return None
    apart = sum(call.ids[id_].element != result.ids[id_].element for id_ in shared) / len(shared)
    score = call.score + result.score + 4 * len(shared) / max(len(call.ids), len(result.ids)) + 0.5 * apart
    return Guess(call, result, score, loose=loose)


def _guess_inside(call: Side) -> Guess | None:
    """Results that are a part of their calls: only words can tell."""
    if call.loose or plain(call.id[-1]) not in words.IDS or len(call.ids) * 5 < len(call.units) * 4:
        return None
    found = _paths(call.units, call.id, bool, words.OUTPUTS)
    content = _beside([path for path in found if not _is_below(path, call.content)])[:3]
    mine = [unit for unit in call.units if _has_any(unit, content)]
    if not mine:
        return None
    result = Side(call.at, call.id, tuple(content), mine)
    score = call.score + 2.5 + 2 * len(result.ids) / len(call.ids)
    return Guess(call, result, score, inside=True)


def _with_others(guess: Guess, calls: Sequence[Side]) -> Guess:
    """With the further shapes of calls that its results answer, and with copies of its calls."""
    ids, answers = set(guess.call.ids), set(guess.result.ids)
    taken = {id(unit) for unit in (*guess.call.units, *guess.result.units)}
    for side in sorted(calls, key=lambda one: -one.score):
        known = side.ids.keys() & ids
        if side.loose or guess.inside or any(id(unit) in taken for unit in side.units):
            continue
        if side.ids.keys() & answers and not known:
            guess.calls += (side,)
            ids |= side.ids.keys()
        elif side.at and len(known) * 5 >= len(side.ids) * 4:
            guess.copies += (side,)
        else:
            continue
        taken.update(map(id, side.units))
    return guess


# --- what else a table says --------------------------------------------------------------------------------


def kind_of(side: Side, sample: Sample) -> tuple[Keys, list[str]] | None:
    """What tells the units of a shape from others in the same list: a path, and the values there; None if nothing."""
    mine = {id(unit) for unit in side.units}
    others = [unit for unit in sample.units[side.at] if id(unit) not in mine]
    best: tuple[int, Keys, list[str]] | None = None
    for path in side.units[0].values:
        found = [unit.values.get(path) for unit in side.units]
        word, values = plain(path[-1]), {value for value in found if isinstance(value, str)}
        most = 4 if word in words.KINDS else max(1, min(4, len(found) // 2))
        if not all(isinstance(value, str) and SPELLABLE.fullmatch(value) for value in found) or len(values) > most:
            continue
        named = word in (*words.NAMES, *words.IDS) or path in (side.id, side.name) or _is_below(path, side.content)
        if (word not in words.KINDS and named) or any(_is_one_of(unit.values.get(path), values) for unit in others):
            continue
        score = (words.KINDS.index(word) if word in words.KINDS else 20) + 10 * len(path) + len(values)
        if best is None or score < best[0]:
            best = (score, path, sorted(values))
    return best[1:] if best is not None else None


def _is_one_of(value: Any, values: Container[str]) -> bool:
    return isinstance(value, str) and value in values


class Roles(Struct):
    paths: list[Keys] = []
    names: dict[str, str] = {}
    default: str = "user"


def roles_of(sample: Sample, guess: Guess) -> Roles:
    """Where the roles are. Calls are the assistant's, whatever a word says; results are not, if they stand apart."""
    asking = {unit.element for side in (guess.call, *guess.calls) for unit in side.units}
    answering = {unit.element for unit in guess.result.units} - asking
    roles = Roles()
    left = list(range(len(sample.elements)))
    said = [side.content for side in (guess.call, guess.result, *guess.calls)]
    for path, names in _role_paths(sample, asking, answering):
        if any(_is_below(path, content) for content in said):
            continue
        known = [n for n in left if _is_one_of(sample.elements[n].values.get(path), names)]
        told = {*known} & (asking | answering) or (known and plain(path[-1]) in words.SPEAKERS)
        if told and not any(roles.names.get(value, role) != role for value, role in names.items()):
            roles.paths.append(path)
            roles.names |= names
            left = [n for n in left if n not in set(known)]
    keys = {next(iter(unit.value), "") for unit in sample.elements}
    if (
        not roles.paths
        and len({role_word(key)[0] or key for key in keys}) > 1
        and all(role_word(key)[0] for key in keys)
    ):
        return Roles([(KEYS,)], {key: role_word(key)[0] for key in keys})
    if len({*left} & asking) > len({*left} & answering):
        roles.default = "assistant"
    return roles


def _role_paths(sample: Sample, asking: set[int], answering: set[int]) -> list[tuple[Keys, dict[str, str]]]:
    """Where roles may be, and whose they are, the likeliest first."""
    values: dict[Keys, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    for number, unit in enumerate(sample.elements):
        for path, value in unit.values.items():
            if len(path) < 4 and isinstance(value, str) and plain(path[-1]) not in (*words.NAMES, *words.IDS):
                values[path][value].add(number)
    made: list[tuple[float, Keys, dict[str, str]]] = []
    for path, found in values.items():
        names = {value: role for value, numbers in found.items() if (role := _role(value, numbers, asking, answering))}
        clash = any(numbers & asking and numbers & answering for numbers in found.values())
        exact = all(role_word(value)[1] for value in names)
        covered = {number for value in names for number in found[value]}
        of_both = len(covered & (asking | answering)) / len(asking | answering)
        unique = (
            plain(path[-1]) not in (*words.KINDS, *words.SPEAKERS)
            and len(names) * 2 > max(2, len(covered))
            and not exact
        )
        if not names or clash or unique or len(found) > 24 or not all(map(SPELLABLE.fullmatch, names)):
            continue
        named = 1.5 if plain(path[-1]) == "role" else 0.5 if plain(path[-1]) in words.KINDS else 0.0
        if not (of_both or exact):
            continue
        share = len(covered) / len(sample.elements) * (3 if exact else 1)
        score = 10 * bool(of_both) + named + share + of_both + 0.2 * len({*names.values()}) - 0.2 * len(path)
        made.append((-score, path, names))
    return [(path, names) for _, path, names in sorted(made, key=lambda one: one[0])]


def _role(value: str, numbers: set[int], asking: set[int], answering: set[int]) -> str:
    word, exact = role_word(value)
    if numbers & asking:
        return "assistant"
    if numbers & answering:
        return word if exact and word in ("user", "tool") else "tool"
    if not word and asking and answering:
        asks, ends = (
            sum(n + by in of for n in numbers) * 2 > len(numbers) for by, of in ((1, asking), (-1, answering))
        )
        return "user" if asks and not ends else "assistant" if ends and not asks else ""
    return word


def role_word(value: str) -> tuple[str, bool]:
    """The role that a word means, and whether it is the word for it alone."""
    small = value.lower()
    exact = next((role for role, known in words.ROLES.items() if small in known), "")
    meant = (role for role, known in words.ROLES.items() if any(word in small for word in known if len(word) > 2))
    return exact or next(meant, ""), bool(exact)


def texts_of(sample: Sample, guess: Guess) -> dict[tuple[Keys, Keys], list[Unit]]:
    """(list, path) -> the units that say a text there."""
    sides = (guess.call, guess.result, *guess.calls, *guess.copies)
    taken = {id(unit) for side in sides for unit in side.units}
    found: dict[tuple[Keys, Keys], list[Unit]] = defaultdict(list)
    for at, units in sample.units.items():
        for unit, path in ((one, path) for one in units for path in one.values if at.count(EACH) < 2 and len(path) < 4):
            used = id(unit) in taken and (at or any(_is_below(path, side.content) for side in sides))
            if _is_said(unit.values[path]) and not used:
                found[at, path].append(unit)
    in_lists = [at for at in (guess.call.at, guess.result.at) if at]
    known = [one for one in found if one[0] in in_lists or plain(one[1][-1]) in words.SPOKEN]
    return {one: found[one] for one in sorted(known or found, key=lambda one: len(one[0]) + len(one[1]))[:4]}


def failures_of(side: Side) -> list[tuple[Keys, str]]:
    """What marks an error among the results of a shape: a path, and its value then."""
    found: dict[tuple[Keys, str], None] = {}
    for path, value in (pair for unit in side.units for pair in unit.values.items()):
        word = plain(path[-1])
        if len(path) > 2 or _is_below(path, side.content):
            continue
        if word in words.FAILED and isinstance(value, bool):
            found[path, words.FAILED[word]] = None
        elif (
            word in ("status", "state") and isinstance(value, str) and re.fullmatch(r"[\w-]*(error|fail)[\w-]*", value)
        ):
            found[path, value] = None
    return list(found)[:3]
