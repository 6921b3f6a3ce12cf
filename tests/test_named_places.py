"""What an error text names: the place that it points at, and the problems that are acute because of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import toolpair
from toolpair.rules import named
from toolpair.rules.context import Context
from toolpair.rules.problem import Fix
from toolpair.rules.registry import RULES
from toolpair.rules.where import NamedPlace, at_block
from toolpair.transcript.edits import Remove

THINKING = {"type": "thinking", "thinking": "hm", "signature": "c2lnbmVk" * 8}
LIST = [
    {"role": "user", "content": "look"},
    {"role": "assistant", "content": [THINKING, {"type": "text", "text": "well"}]},
    {"role": "user", "content": "and"},
    {"role": "assistant", "content": [THINKING, {"type": "text", "text": "so"}]},
]


def signature(context: Context, place: NamedPlace) -> None:
    """A rule that only an error text makes acute."""
    assert place.message is not None
    message = context.messages[place.message]
    for number, block in enumerate(message.blocks):
        if block in place.blocks(message) and block.kind == "thinking":
            fix = Fix("remove", "remove it", (Remove(block),), recommended=True, loses="the thinking")
            where = at_block(place.message, number, message)
            context.add("reasoning.bad_signature", "It does not match.", where, severity="error", fixes=(fix,))


def opened(tmp_path: Path, messages: object) -> toolpair.Session:
    path = tmp_path / "list.json"
    path.write_text(json.dumps(messages))
    return toolpair.open(path)


def test_problem_only_because_it_is_named_can_be_staged_undone_and_found_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = dict(RULES, **{"reasoning.bad_signature": RULES["reasoning.bad_signature"]._replace(named=signature)})
    monkeypatch.setattr(named, "RULES", rules)
    session = opened(tmp_path, LIST)
    assert all(problem.severity == "warning" for problem in session.problems)
    (problem,) = session.conversation.named(("reasoning.bad_signature",), NamedPlace(3, 0))
    assert (problem.severity, problem.message, problem.block) == ("error", 3, 0)
    row = session.stage(problem)
    after = json.loads(session.to_bytes())
    assert after[3]["content"] == [LIST[3]["content"][1]] and after[:3] == LIST[:3]
    session.staging.replay(session.staging.steps)
    assert json.loads(session.to_bytes()) == after
    assert session.undo() is not None and json.loads(session.to_bytes()) == LIST
    assert session.staging.include(row) and json.loads(session.to_bytes()) == after
