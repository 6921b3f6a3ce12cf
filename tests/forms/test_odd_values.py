"""Elements that hold anything at all are read, judged and mended without an error, and what is left alone stays."""

from __future__ import annotations

import copy
import json
from random import Random
from typing import Any

import pytest

from tests.forms.made_lists import made_lists
from tests.rounds import some
from toolpair.formats.format import Item
from toolpair.formats.forms.registry import form_named
from toolpair.session.session import SessionError, open_session

ODD = (None, True, 0, -1.5, "", " ", "x", [], [None], ["x"], {}, {"type": None}, [{"text": 1}], {"a": {"b": []}})


def _places(value: Any) -> list[tuple[Any, Any]]:
    """(holder, key) of every value in it."""
    pairs = (
        list(value.items()) if isinstance(value, dict) else list(enumerate(value)) if isinstance(value, list) else []
    )
    return [(value, key) for key, _ in pairs] + [place for _, part in pairs for place in _places(part)]


@pytest.mark.parametrize("name", some(sorted(made_lists()), 13))
def test_odd_values_are_borne(name: str) -> None:
    chance = Random(name)
    for _ in range(20):
        made = made_lists()[name]
        for _ in range(chance.randrange(1, 4)):
            holder, key = chance.choice(_places(made.elements))
            if chance.random() < 0.3:
                del holder[key]
            else:
                holder[key] = copy.deepcopy(chance.choice(ODD))
        form = form_named(made.form)
        form.read([Item(number, element) for number, element in enumerate(made.elements)])
        try:
            session = open_session("s.json", data=made.data())
        except SessionError:
            continue
        session.stage_recommended()
        json.loads(session.to_bytes()) if not made.lines else session.to_bytes()
