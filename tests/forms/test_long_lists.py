"""A long list is read in windows: what a scan accepts there has no problem, and the others are found as in a short one."""

from __future__ import annotations

import copy
import json
from random import Random
from typing import Any

import pytest

import toolpair
from tests.forms.made_lists import MadeList, made_lists
from tests.rounds import ROUNDS, mixed, some
from toolpair.cli.file_report import describe
from toolpair.formats.format import Item
from toolpair.formats.forms.registry import form_named
from toolpair.history.checked_records import CheckedRecords, request_of
from toolpair.rules.profiles import usual_profile
from toolpair.session.session import open_session

UNREAD_PARTS = "opencode"  # has parts that no rule of its table is about
MANY = 600 if ROUNDS else 300
SCANNED = sorted(
    name
    for name, made in made_lists().items()
    if form_named(made.form).format.light is not None and name != UNREAD_PARTS
)


def _long(made: MadeList, seed: int, damaged: int) -> MadeList:
    """Many exchanges in a row, so many of them damaged in some way."""
    chance, elements = Random(seed), []
    bad = set(chance.sample(range(MANY), damaged))
    for number in range(MANY):
        text = (
            json.dumps(made.elements[:-1]).replace("9f2c71aa", f"{number:08x}aa").replace("9f2c71bb", f"{number:08x}bb")
        )
        exchange: list[Any] = json.loads(text)
        damage = chance.randrange(4) if number in bad else None
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


@pytest.mark.parametrize(("name", "damaged"), mixed(["pydantic-ai", "model", "langchain state"], [1, 12]))
def test_so_are_they_by_another_profile(name: str, damaged: int) -> None:
    made = _long(made_lists()[name], len(name), damaged)
    elements = json.loads(json.dumps(made.elements).replace('"call_', '"toolu_'))
    made = MadeList(made.form, elements, made.around, made.lines)
    session = open_session("s.json", data=made.data())
    assert session.profile.id == "anthropic"
    items = [Item(number, element) for number, element in enumerate(made.elements)]
    whole = CheckedRecords(items, session.format, session.profile)
    assert sorted((one.rule, one.record or 0) for one in session.problems) == sorted(
        (one.rule, one.record or 0) for one in whole.problems
    )


@pytest.mark.parametrize(("name", "damaged"), mixed(some(SCANNED, 6), [1, 12]))
def test_windows_are_judged_as_the_whole_is(name: str, damaged: int) -> None:
    made = _long(made_lists()[name], len(name), damaged)
    session = open_session("s.json", data=made.data())
    (conversation,) = session.file.conversations
    assert session.format.id == made.form
    # Text beside calls for Bedrock, and calls that the request does not declare, are one problem of the whole list.
    in_windows = form_named(made.form).format.profile != "bedrock-converse" and name != "gemini body"
    assert len(conversation.windows) > 1 or damaged > 1 or not in_windows
    form = form_named(made.form).format
    items = [Item(number, element) for number, element in enumerate(made.elements)]
    request = request_of(session.file.container.conversations[0].outer, form)
    whole = CheckedRecords(items, form, usual_profile(form.profile), request)
    assert sorted((one.rule, one.record or 0) for one in session.problems) == sorted(
        (one.rule, one.record or 0) for one in whole.problems
    )
    assert conversation.counts.messages == len(whole.transcript.messages)


@pytest.mark.parametrize(("name", "damaged"), mixed(["converse body", "kiro"], [0, 12]))
def test_a_report_adds_up_what_is_one_problem_of_the_whole(name: str, damaged: int) -> None:
    made = _long(made_lists()[name], 3, damaged)
    whole = open_session("s.json", data=made.data())  # its fix changes all such messages, so that it is read at once
    reported = open_session("s.json", data=made.data(), reporting=True)
    assert len(whole.conversation.windows) == 1 < len(reported.conversation.windows)
    assert describe(reported, "s").entry == describe(whole, "s").entry
    assert [one.pairs for one in reported.problems] == [one.pairs for one in whole.problems]
    (mixed,) = (one for one in reported.problems if one.rule == "content.mixed_with_tool")
    assert mixed.count > MANY - 50
    assert toolpair.report(reported) == toolpair.report(whole)
