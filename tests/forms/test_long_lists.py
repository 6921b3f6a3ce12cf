"""A long list is read in windows: what a scan accepts there has no problem, and the others are found as in a short one."""

from __future__ import annotations

import copy
import json
from random import Random
from typing import Any

import pytest

from tests.forms.made_lists import MadeList, made_lists
from tests.rounds import some
from toolpair.formats.format import Item
from toolpair.formats.forms.registry import form_named
from toolpair.history.checked_records import CheckedRecords
from toolpair.rules.profiles import usual_profile
from toolpair.session.session import open_session

SCANNED = sorted(name for name, made in made_lists().items() if form_named(made.form).format.light is not None)


def _long(made: MadeList, seed: int) -> MadeList:
    """Many exchanges in a row, some of them damaged in some way."""
    chance, elements = Random(seed), []
    for number in range(400):
        text = (
            json.dumps(made.elements[:-1]).replace("9f2c71aa", f"{number:08x}aa").replace("9f2c71bb", f"{number:08x}bb")
        )
        exchange: list[Any] = json.loads(text)
        damage = chance.randrange(130)
        if damage == 0:
            del exchange[chance.randrange(len(exchange))]
        elif damage == 1:
            exchange.insert(chance.randrange(len(exchange)), copy.deepcopy(chance.choice(exchange)))
        elif damage == 2:
            chance.shuffle(exchange)
        elif damage == 3:
            exchange = json.loads(json.dumps(exchange).replace("Oslo: 3 degrees", chance.choice(("", " "))))
        elements += exchange
    return MadeList(made.form, elements, made.around, made.lines)


@pytest.mark.parametrize("name", some(SCANNED, 6))
def test_windows_are_judged_as_the_whole_is(name: str) -> None:
    made = _long(made_lists()[name], seed=len(name))
    session = open_session("s.json", data=made.data())
    (conversation,) = session.file.conversations
    assert session.format.id == made.form
    assert len(conversation.windows) > 1
    form = form_named(made.form).format
    items = [Item(number, element) for number, element in enumerate(made.elements)]
    whole = CheckedRecords(items, form, usual_profile(form.profile)).problems
    assert sorted((one.rule, one.record or 0) for one in session.problems) == sorted(
        (one.rule, one.record or 0) for one in whole
    )
