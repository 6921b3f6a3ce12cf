"""Whatever is wrong with a long list: what a scan lets pass has no problem, in each form and by each profile."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from tests.forms.made_lists import made_lists
from tests.rounds import tries
from toolpair.formats.format import Item
from toolpair.formats.forms.registry import form_named
from toolpair.history import list_windows
from toolpair.history.checked_records import CheckedRecords
from toolpair.rules.profiles import usual_profile

LISTS = made_lists()
ELEMENTS = [element for made in LISTS.values() for element in made.elements]
SCANNED = sorted(name for name, made in LISTS.items() if form_named(made.form).format.light is not None)


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inner:
        yield from _places(part, (*path, key))


def _damage(exchange: list[Any], chance: Random) -> None:
    kind = chance.randrange(8)
    at = chance.randrange(len(exchange))
    if kind == 0:
        del exchange[at]
    elif kind == 1:
        exchange.insert(at, copy.deepcopy(chance.choice(exchange)))
    elif kind == 2:
        chance.shuffle(exchange)
    elif kind == 3:
        exchange.insert(at, copy.deepcopy(chance.choice(ELEMENTS)))
    else:
        *above, last = chance.choice(list(_places(exchange[at])))
        holder = exchange[at]
        for step in above:
            holder = holder[step]
        value = holder[last]
        if kind == 4:
            del holder[last]
        elif kind == 5 or not isinstance(value, (list, str)):
            holder[last] = chance.choice(["", " ", None, [], {}, 3, "other", True])
        elif isinstance(value, str):
            holder[last] = f"{value}x"
        else:
            chance.shuffle(value)


def _list_of(name: str, chance: Random) -> list[Any]:
    elements: list[Any] = []
    damaged = chance.sample(range(30), chance.choice([1, 1, 2, 3]))
    for number in range(30):
        text = json.dumps(LISTS[name].elements[:-1])
        exchange = json.loads(text.replace("9f2c71aa", f"{number:06x}aa").replace("9f2c71bb", f"{number:06x}bb"))
        if number in damaged:
            _damage(exchange, chance)
        elements += exchange
    return elements


@pytest.mark.parametrize("by", ["", "anthropic"])
def test_windows_find_what_the_whole_does(by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(tries(1_000, 120)):
        chance = Random(seed)
        name = chance.choice(SCANNED)
        form = form_named(LISTS[name].form)
        form = form.judged_by(by) if by else form
        elements, profile = _list_of(name, chance), usual_profile(form.table.profile)
        monkeypatch.setattr(list_windows, "get_format", lambda _, found=form.format: found)
        windows = list_windows.windows_in(elements, form.id, profile, least=4)
        whole = CheckedRecords([Item(number, one) for number, one in enumerate(elements)], form.format, profile)
        if windows is not None:
            found = sorted((one.rule, one.record or 0) for one in windows.problems)
            assert found == sorted((one.rule, one.record or 0) for one in whole.problems), (seed, name)
