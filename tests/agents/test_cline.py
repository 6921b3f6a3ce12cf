"""The model of what Cline's command line sends, and repaired sessions, held against it. Opt-in: `pytest -m agents`."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from tests.agents import cline
from tests.agents.comparing import (
    all_differences,
    all_faults,
    errors_of,
    modelled_rows,
    row_difference,
    rows_of,
    seen_in,
    skip_for,
    without_prompt,
)
from tests.agents.running import Resumed
from tests.broken_sessions import Planted
from tests.cline_sessions import ID, NAME, SUMMARY, compaction, corpus, reads, sound
from tests.formats.fixing import fixed, seen_of
from toolpair.formats.format import SentRequest
from toolpair.session.session import Session, open_session

pytestmark = pytest.mark.agents
NEEDS_YOU = {"message_is_text"}
UNREADABLE = {"nul_bytes_in_a_message"}


@pytest.fixture(scope="module", autouse=True)
def installed() -> None:
    skip_for(cline.why_not())


@pytest.fixture(scope="module")
def planted() -> dict[str, Planted]:
    every = tuple(f"word-{name}-word" for name in ("one", "two", "three", "four", "five"))
    return {"sound": Planted(sound().data(), every), **{n: p for n, p in corpus().items() if n not in UNREADABLE}}


def opened(folder: Path, data: bytes) -> Session:
    path = folder / ID / NAME
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    return open_session(path)


def difference(seen: SentRequest, resumed: Resumed) -> str | None:
    return row_difference(seen, resumed, modelled_rows, lambda messages: without_prompt(rows_of(messages)))


def test_what_the_model_sees_is_what_is_sent(planted: dict[str, Planted], tmp_path: Path) -> None:
    files = {name: found.data for name, found in planted.items()}
    sent = cline.resume(files)
    assert sum(found.messages is not None for found in sent.values()) > len(planted) / 2
    assert all_differences(sent, seen_in(files, partial(opened, tmp_path)), difference) == {}


def test_a_repaired_session_is_sent_valid_and_whole(planted: dict[str, Planted], tmp_path: Path) -> None:
    files = {name: fixed(opened(tmp_path, planted[name].data)) for name in planted.keys() - NEEDS_YOU}
    seen, refused = seen_in(files, partial(opened, tmp_path)), partial(errors_of, folder=tmp_path)
    assert all_faults(cline.resume(files), planted, seen, difference, refused) == {}


def test_a_compaction_is_sent_in_place_of_what_it_stands_for(tmp_path: Path) -> None:
    compactions = {
        "of_these": compaction(),
        "of_this_session": compaction(conversation_id=ID),
        "of_another": compaction(conversation_id="another"),
        "of_other_messages": compaction(source_prefix_hash="sha256:00"),
        "with_a_null": compaction(source_prefix_hash=None, source_last_message_key="id:msg_abcde006"),
        "between_a_call_and_its_results": compaction(
            4, source_prefix_hash="", source_last_message_key="id:msg_abcde003"
        ),
    }
    sent = cline.resume(dict.fromkeys(compactions, sound().data()), compactions)
    used = {name for name, resumed in sent.items() if SUMMARY in json.dumps(resumed.messages)}
    assert used == {"of_these", "of_this_session", "between_a_call_and_its_results"}
    for name, resumed in sent.items():
        (tmp_path / ID).mkdir(exist_ok=True)
        (tmp_path / ID / f"{ID}.compaction.json").write_bytes(compactions[name])
        assert difference(seen_of(opened(tmp_path, sound().data())), resumed) is None, name


def test_reads_of_a_file_that_was_read_again_are_left_out(tmp_path: Path) -> None:
    files = {str(count): reads(count).data() for count in (10, 11, 12)}
    for name, resumed in cline.resume(files).items():
        assert difference(seen_of(opened(tmp_path, files[name])), resumed) is None, name
