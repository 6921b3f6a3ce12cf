"""Each rule has one record, and the order in which checks run changes nothing."""

from __future__ import annotations

import ast
import json
import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import toolpair
from tests.conftest import SAMPLES
from tests.history.sessions import session as claude_code_session
from tests.properties.odd_contents import add_odd
from tests.properties.transcripts import anthropic, chat, plant
from tests.rounds import some, tries
from tests.source_code import Module
from toolpair.rules import judge as judging
from toolpair.rules.context import Context
from toolpair.rules.profiles import PROFILES, profile, profile_names
from toolpair.rules.registry import CHECKS, FAMILIES, RULES
from toolpair.rules.rule import Check
from toolpair.session.session import Session, open_session

PACKAGE = Path(toolpair.__file__).parent
SEEDS = st.integers(min_value=0, max_value=2**32)
MAKERS = {"anthropic": anthropic, "openai-chat": chat}
_run = judging._run


def test_a_rule_has_one_record() -> None:
    assert sum(map(len, FAMILIES)) == len(RULES)


def test_a_profile_names_only_rules_that_there_are_and_none_of_files() -> None:
    named = {rule for id_ in PROFILES for rule in profile(id_).cells}
    assert named == {name for name, rule in RULES.items() if not rule.of_file}


def test_what_a_transcript_shows_has_a_check() -> None:
    """The others are found in the records of a file, or no file can break them."""
    unchecked = {name for name, rule in RULES.items() if rule.check is None}
    in_records = {name for name in unchecked if name.startswith(("record.", "rollout."))}
    assert unchecked - in_records == {name for name in unchecked if RULES[name].named is not None}


def _found(session: Session) -> list[Any]:
    """Everything that is said of a session: its problems with their fixes, and the states of its pairs."""
    problems = [
        (
            (problem.rule, problem.severity, problem.impact, problem.text, problem.message, problem.block),
            (problem.pairs, problem.record, problem.cause, problem.on_resume, problem.guess, problem.no_fix),
            [(fix.id, fix.title, fix.recommended, fix.certain, fix.note, repr(fix.edits)) for fix in problem.fixes],
        )
        for problem in session.problems
    ]
    return [problems, [pair.state for pair in session.conversation.pairs]]


def _assert_any_order(data: bytes, seed: int, name: str, profile: str | None = None) -> None:
    shuffled = list(CHECKS)
    random.Random(seed).shuffle(shuffled)

    def run(context: Context, checks: Iterable[Check]) -> None:
        assert list(checks) == list(CHECKS)
        _run(context, shuffled)

    expected = _found(open_session(name, data=data, profile=profile))
    with patch.object(judging, "_run", run):
        assert _found(open_session(name, data=data, profile=profile)) == expected


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.json*")), ids=lambda path: path.name)
def test_checks_of_a_sample_run_in_any_order(path: Path) -> None:
    data = path.read_bytes()
    for seed, name in enumerate((None, "anthropic", "mistral", "openai-responses", "moonshot")):
        _assert_any_order(data, seed, path.name, name)


@pytest.mark.parametrize(("kind", "name"), some([(kind, name) for name in profile_names() for kind in MAKERS], 23))
@given(seed=SEEDS)
@settings(max_examples=tries(8), suppress_health_check=list(HealthCheck))
def test_checks_of_a_history_run_in_any_order(name: str, kind: str, seed: int) -> None:
    rng = random.Random(seed)
    made = plant(rng, MAKERS[kind](rng, rng.randrange(1, 8)), rng.randrange(0, 5))
    messages = add_odd(rng, made, rng.randrange(0, 4)).messages
    _assert_any_order(json.dumps(messages).encode(), seed, "session.json", name)


@given(seed=SEEDS)
@settings(max_examples=tries(20), suppress_health_check=list(HealthCheck))
def test_checks_of_an_agents_session_run_in_any_order(seed: int) -> None:
    lines = "".join(f"{json.dumps(value)}\n" for value in claude_code_session(seed))
    _assert_any_order(lines.encode(), seed, "session.jsonl")


def test_ids_that_are_handed_out_do_not_depend_on_the_order_of_checks() -> None:
    """The ids that two families would hand out for the same old one: each keeps its own."""
    function = {"name": "run", "arguments": "{}"}
    messages = [
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": None, "function_call": function},
        {"role": "function", "name": "run", "content": "one"},
        {"role": "assistant", "content": None, "tool_calls": [{"id": None, "type": "function", "function": function}]},
        {"role": "tool", "tool_call_id": None, "content": "two"},
    ]
    session = open_session("session.json", data=json.dumps(messages).encode(), profile="groq")
    assert [problem.rule for problem in session.problems] == ["role.unknown", "id.empty"]
    for seed in range(20):
        _assert_any_order(json.dumps(messages).encode(), seed, "session.json", "groq")


def test_rules_that_are_named_as_alike_are_there() -> None:
    assert {name for rule in RULES.values() for name in rule.alike} <= set(RULES)


def test_no_table_of_rules_stands_beside_their_records(modules: Sequence[Module]) -> None:
    """Outside `rules/` a name of a rule is what is found or asked of one problem; a fact about rules is in the record.

    What an agent or a copied system does with some of them is its own to say, and is its module's.
    """
    own = {"formats", "rules", "recipes/replica_steps.py", "history/becomes.py"}
    found = [
        f"{name}: {item.value}"
        for module in modules
        if (name := module.path) not in own and name.split("/")[0] not in own
        for statement in module.nodes[0].body  # type: ignore[attr-defined]
        if isinstance(statement, (ast.Assign, ast.AnnAssign))
        for table in ast.walk(statement)
        if isinstance(table, (ast.Tuple, ast.List, ast.Set, ast.Dict))
        for item in (table.keys if isinstance(table, ast.Dict) else table.elts)
        if isinstance(item, ast.Constant) and item.value in RULES
    ]
    assert not found
