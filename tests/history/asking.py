"""All queries on a session, as values by which two sessions can be compared."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from tests.history.reports import sent, told
from toolpair.history.conversation import weight
from toolpair.rules.profiles import profile
from toolpair.session.saving import set_aside
from toolpair.session.session import Session, Target

TEXTS = (
    "messages.{n}: `tool_use` ids were found without `tool_result` blocks immediately after: {id}. Each `tool_use` "
    "block must have a corresponding `tool_result` block in the next message.",
    "messages.{n}.content.0: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result` block "
    "must have a corresponding `tool_use` block in the previous message.",
    "messages: text content blocks must be non-empty",
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The "
    "following tool_call_ids did not have response messages: {id}",
    "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
)
PROFILES = ("anthropic", "openai-chat", "gemini", "bedrock-converse")


def places_to_ask_for(whole: Session, records: int, rng: random.Random) -> Sequence[str]:
    """Ids, beginnings of ids, places and error texts, some of which exist nowhere."""
    messages = whole.conversation.transcript.messages
    ids = [block.id for message in messages for block in message.blocks if isinstance(block.id, str) and block.id]
    values = [block.value for message in messages for block in message.blocks if isinstance(block.value, dict)]
    items = [value["id"] for value in values if isinstance(value.get("id"), str) and value["id"] not in ids]
    asked = ["toolu_nowhere_12345", *rng.sample(items, min(3, len(items)))]
    for _ in range(2):
        id_ = rng.choice(ids or ["toolu_1"])
        asked += [id_, id_[:8], f"failed: {id_}."]
        asked += [text.format(n=rng.randrange(len(messages) + 2), id=id_) for text in rng.sample(TEXTS, 2)]
        asked += [f"line:{rng.randrange(records + 3)}", f"record:{rng.randrange(records + 3)}"]
        asked += [
            f"message:{rng.randrange(len(messages) + 2)}",
            f"pair:{rng.randrange(len(whole.conversation.pairs) + 2)}",
        ]
    if whole.problems:
        problem = rng.choice(whole.problems)
        asked += [problem.rule, problem.api_says or problem.rule]
    return asked


def answers(session: Session, records: int, asked: Sequence[str]) -> dict[str, Any]:
    """`records`: how many the file has; the numbers of those that fixes insert are not compared."""
    conversation, numbers = session.conversation, range(records)
    found: dict[str, Callable[[], Any]] = {
        "problems": lambda: told(session.problems, records),
        "groups": lambda: [(group.rule, group.title, told(group.problems, records)) for group in conversation.groups],
        "first": lambda: told(sorted(session.problems, key=weight)[:1], records),
        "left": lambda: told(session.left, records),
        "inactive": lambda: told(conversation.inactive_problems(), records),
        "locations": lambda: [session.location(problem) for problem in session.problems],
        "verdicts": lambda: (
            session.conversation.verdict,
            [one.verdict for one in session.staging.original],
            [conversation.by(profile(id_)).verdict for id_ in PROFILES],
        ),
        "counts": lambda: (
            conversation.counts,
            session.conversation.damaged,
            session.staging.grown,
            session.changed,
            session.staging.losses,
        ),
        "bytes": lambda: (session.to_bytes(), set_aside(session.conversations)),
        "changes": lambda: [
            (one.kind, one.record, one.line, one.before, one.after) for one in session.staging.changes()
        ],
        "staged": lambda: [(row.title, row.count, row.lines_changed, row.lines_added) for row in session.staged],
        "worst": lambda: [
            told(filter(None, [conversation.worst.get(n)]), records) for n in range(len(session.conversation.pairs))
        ],
        "rows": lambda: [(row.kind, row.label, row.message, row.group) for row in conversation.rows],
        "row of": lambda: [
            conversation.places.of_message(n) for n in range(len(session.conversation.transcript.messages))
        ],
        "scopes": lambda: [session.conversation.transcript.scopes.get(uid, "active") for uid in numbers],
        "seen": lambda: sent(conversation),
        "resume": session.resume_command,
        "find": lambda: [_target(session.find(text), records) for text in asked],
    }
    return {name: get() for name, get in found.items()}


def assert_same(whole: Session, long: Session, records: int, rng: random.Random) -> None:
    asked = places_to_ask_for(whole, records, rng)
    expected, got = answers(whole, records, asked), answers(long, records, asked)
    for name, value in expected.items():
        assert got[name] == value, name


def _target(target: Target | None, records: int) -> tuple[Any, ...] | None:
    if target is None:
        return None
    problem = None if target.problem is None else told([target.problem], records)
    return target.pair, target.message, problem, target.text, target.how, target.conversation, target.line
