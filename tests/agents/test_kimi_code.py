"""The model of what Kimi Code sends, and repaired sessions, held against the real agent. Opt-in: `pytest -m agents`.

A session takes it some seconds, so the tests try some of the broken ones.
"""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.agents import kimi_code
from tests.agents.comparing import (
    Row,
    all_differences,
    all_faults,
    errors_of,
    row_difference,
    rows_of,
    seen_in,
    skip_for,
)
from tests.agents.running import Resumed
from tests.broken_sessions import Planted
from tests.formats.fixing import errors, fixed
from tests.kimi_code_sessions import GUESSES, NAME, corpus
from tests.rounds import some
from toolpair.formats.asking import PROMPT
from toolpair.formats.format import SentRequest
from toolpair.session.session import Session, open_session

pytestmark = pytest.mark.agents
_ADDED = re.compile(r"<system-reminder>\n(?:Today's date|Auto permission mode).*?</system-reminder>", re.DOTALL)
"""What Kimi Code says with a prompt."""


@pytest.fixture(scope="module")
def planted() -> dict[str, Planted]:
    skip_for(kimi_code.why_not())
    return dict(some(sorted(corpus().items()), 16))


def opened(folder: Path, data: bytes) -> Session:
    path = folder / NAME
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return open_session(path)


def rows(messages: Any) -> list[Row]:
    """The ids as this API takes them; the prompt, and what is said with it, are left out."""
    found = rows_of(messages, lambda text: _ADDED.sub("", text).replace(PROMPT, ""))
    named = [(role, kind, re.sub(r"[^\w-]", "_", id_), text) for role, kind, id_, text in found]
    return [(*one[:3], one[3] or "{}") if one[1] == "call" else one for one in named if one[1] != "text" or one[3]]


def model(seen: SentRequest) -> list[Row]:
    return rows([{"role": one.role, "content": [part.value for part in one.parts]} for one in _in_turns(seen)])


def _in_turns(seen: SentRequest) -> Any:
    for message in seen.messages:
        yield message if message.role != "tool" else type(message)("user", message.parts)


def difference(seen: SentRequest, resumed: Resumed) -> str | None:
    return row_difference(seen, resumed, model, rows)


def test_what_the_model_sees_is_what_is_sent(planted: dict[str, Planted], tmp_path: Path) -> None:
    files = {name: found.data for name, found in planted.items()}
    sent = kimi_code.resume(files)
    assert all_differences(sent, seen_in(files, partial(opened, tmp_path)), difference) == {}


def test_a_repaired_session_is_sent_valid_and_whole(planted: dict[str, Planted], tmp_path: Path) -> None:
    files = {name: fixed(opened(tmp_path, planted[name].data)) for name in planted.keys() - GUESSES}
    sent = kimi_code.resume(files)
    refused = partial(errors_of, folder=tmp_path, profile="moonshot")
    assert all_faults(sent, planted, seen_in(files, partial(opened, tmp_path)), difference, refused) == {}
    # A call that was running when it was killed it leaves without a result, and answers it in each request.
    whole = {name: resumed for name, resumed in sent.items() if not name.startswith("killed")}
    afterwards = {name: errors(opened(tmp_path, resumed.after)) for name, resumed in whole.items()}
    assert {name: found for name, found in afterwards.items() if found} == {}
