"""The model of what OpenHands sends, and repaired conversations, held against its SDK. Opt-in: `pytest -m agents`."""

from __future__ import annotations

import json
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from tests.agents import openhands_sdk
from tests.agents.comparing import Row, all_differences, errors_of, row_difference, rows_of, skip_for
from tests.agents.running import Resumed
from tests.formats.fixing import errors, seen_of
from tests.openhands_conversations import DEFECTS, IN_FILES, Events, chained, conversation, kept_words, planted, sound
from tests.rounds import some
from toolpair.dialects.block_texts import text_of
from toolpair.formats.asking import PROMPT
from toolpair.formats.format import SentRequest
from toolpair.formats.openhands.sending import BEFORE
from toolpair.session.session import open_session

pytestmark = pytest.mark.agents
_RUN_AGAIN = "Your thought has been logged."
"""What the one tool says that was left to be run."""


@pytest.fixture
def sdk() -> None:
    skip_for(openhands_sdk.why_not())


def rows(messages: Any) -> list[Row]:
    """Without the prompt, and what it is joined with as one text."""
    found = []
    flat = [{**one, "content": text_of(one["content"])} if one["role"] == "tool" else one for one in messages]
    for role, kind, id_, text in rows_of(flat):
        said = text.replace("".join(PROMPT.split()), "") if (role, kind) == ("user", "text") else text
        found += [(role, kind, id_, said)] if said else []
    return found


def modelled(seen: SentRequest) -> list[Row]:
    values = ((one.role, [part.value for part in one.parts]) for one in seen.messages)
    messages = ({"role": role, "content": [_flat(value) for value in parts]} for role, parts in values)
    return [(*row[:3], "".join(_RUN_AGAIN.split())) if "runsagain" in row[3] else row for row in rows_of(messages)]


def _flat(value: Any) -> Any:
    return {**value, "content": text_of(value["content"])} if value["type"] == "tool_result" else value


def difference(seen: SentRequest, resumed: Resumed) -> str | None:
    return row_difference(seen, resumed, modelled, rows)


def folders(root: Path, corpus: dict[str, Events]) -> dict[str, Path]:
    return {name: conversation(root / name, events) for name, events in corpus.items()}


def test_what_the_model_sees_is_what_its_command_line_sends(tmp_path: Path) -> None:
    """Of events without links, as it writes them; before and after it was mended."""
    skip_for(openhands_sdk.why_not(before=True))
    corpus = {}
    for names in [*((name,) for name in DEFECTS), *some(list(combinations(DEFECTS, 2)), 20)]:
        corpus["+".join(names)] = sound()
        for name in names:
            DEFECTS[name](corpus["+".join(names)])
    made = {
        (place, name): conversation(tmp_path / place / name, events, leaf_event_id=None)
        for place in ("own", "resumed", "mended")
        for name, events in corpus.items()
    }

    def seen(place: str, name: str) -> SentRequest:
        return seen_of(open_session(made[place, name], agent_version=BEFORE))

    sent = openhands_sdk.resume(tmp_path / "resumed", before=True)
    assert len(sent) == len(corpus) and all_differences(sent, partial(seen, "own"), difference) == {}
    for name in corpus:
        session = open_session(made["mended", name])
        if session.stage_recommended() is not None:
            session.save()
    mended = {name: seen("mended", name) for name in corpus}  # resuming adds events
    sent = openhands_sdk.resume(tmp_path / "mended", before=True)
    assert all_differences(sent, mended.__getitem__, difference) == {}
    for name, resumed in sent.items():
        left = errors(open_session(made["mended", name], agent_version=BEFORE))
        assert resumed.messages and (left or errors_of(resumed.messages, tmp_path) == []), name


@pytest.mark.usefixtures("sdk")
def test_what_the_model_sees_is_what_openhands_sends(tmp_path: Path) -> None:
    corpus = dict(planted())
    made = folders(tmp_path / "own", corpus)
    folders(tmp_path / "resumed", corpus)
    sent = openhands_sdk.resume(tmp_path / "resumed")
    assert len(sent) == len(made) > 300
    assert all_differences(sent, lambda name: seen_of(open_session(made[name])), difference) == {}


@pytest.mark.usefixtures("sdk")
def test_a_repaired_conversation_is_sent_valid_and_whole(tmp_path: Path) -> None:
    """It is mended where it is, and OpenHands goes on with it: nothing that it sent before is left out."""
    corpus = dict(planted())
    made = folders(tmp_path / "resumed", corpus)
    seen = {}
    for name, folder in made.items():
        session = open_session(folder)
        if session.stage_recommended() is not None:
            session.save()
        again = open_session(folder)
        assert again.stage_recommended() is None
        if left := errors(again):
            assert "condensed" in name and {*left} == {"result.missing"}  # of a call that is no longer sent
            continue
        seen[name] = seen_of(again)
    sent = openhands_sdk.resume(tmp_path / "resumed")
    sent = {name: resumed for name, resumed in sent.items() if name in seen}
    assert all_differences(sent, seen.__getitem__, difference) == {}
    wrong = {}
    for name, resumed in sent.items():
        text, against = json.dumps(resumed.messages), errors_of(resumed.messages, tmp_path)
        gone = [word for word in kept_words(corpus[name]) if word not in text]
        if against or (gone and "condensed" not in name):
            wrong[name] = (gone, against)
    assert wrong == {}


@pytest.mark.usefixtures("sdk")
def test_what_befalls_files_is_told_and_mended(tmp_path: Path) -> None:
    """Only what one event said is lost, and so little is done that OpenHands loads the rest."""
    made = {}
    for place in ("own", "resumed", "mended"):
        for name, (befall, _) in IN_FILES.items():
            made[place, name] = conversation(tmp_path / place / name, chained(sound()))
            befall(made[place, name])
    sent = openhands_sdk.resume(tmp_path / "resumed")
    assert {name: resumed.messages is not None for name, resumed in sent.items()} == {
        name: loaded for name, (_, loaded) in IN_FILES.items()
    }
    assert all_differences(sent, lambda name: seen_of(open_session(made["own", name])), difference) == {}
    for name in IN_FILES:
        session = open_session(made["mended", name])
        while session.stage_recommended() is not None:
            session.save()
            session = open_session(made["mended", name])
        assert errors(session) == (["record.bom"] if name == "byte_order_mark" else [])
    for name, resumed in openhands_sdk.resume(tmp_path / "mended").items():
        if name == "byte_order_mark":
            continue  # an editor takes it out
        gone = [word for word in kept_words(sound()) if word not in json.dumps(resumed.messages)]
        assert resumed.messages is not None and len(gone) <= 1 and errors_of(resumed.messages, tmp_path) == [], name
