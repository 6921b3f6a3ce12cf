"""The real Claude Code resumes parts of a session: it sends what stays, and nothing of what was left out."""

from __future__ import annotations

import pytest

from tests.agents import claude_code
from tests.agents.claude_code_beside import written
from tests.agents.claude_code_requests import modelled, really_sent
from tests.formats.claude_code_files import Log, call, text
from toolpair.session.cutting import Side, cut_at
from toolpair.session.session import open_session

pytestmark = [pytest.mark.agents, pytest.mark.usefixtures("claude")]
WHERE: tuple[tuple[Side, int], ...] = (("before", 3), ("before", 4), ("before", 6), ("after", 1), ("after", 4))


def session() -> bytes:
    """Three turns, each with a call."""
    log = Log()
    for turn in range(3):
        uuids = [f"11111111-1111-4111-8111-{10 * turn + number:012d}" for number in range(1, 5)]
        log.user(uuids[0], f"ask {turn}")
        log.says(uuids[1], f"msg_{turn}a", call(f"toolu_{turn}"))
        log.result(uuids[2], uuids[1], f"toolu_{turn}", f"output {turn}")
        log.says(uuids[3], f"msg_{turn}b", text(f"done {turn}"))
    return written(log)


def test_a_part_is_sent_as_it_was_said() -> None:
    whole = open_session("session.jsonl", data=session())
    parts = {f"{side} {number}": cut_at(whole, number, side) for side, number in WHERE}
    found = claude_code.resume({name: part.session.to_bytes() for name, part in parts.items()})
    for name, part in parts.items():
        seen = part.session.conversation.judged.seen
        sent = found[name].messages
        assert seen is not None and sent is not None, (name, found[name].note)
        assert really_sent(sent)[: len(modelled(seen))] == modelled(seen), name
        gone = {block.text for message in part.left_out for block in message.blocks if block.kind in ("text", "result")}
        assert gone and not [said for said in gone if said in str(sent)], name
