"""What the tests of every agent's format ask of a session before and after it is fixed."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable
from typing import Any

from tests.broken_sessions import WORDS, Planted, word
from toolpair.formats.format import SentRequest
from toolpair.session.session import Session

Open = Callable[[bytes], Session]
"""Writes a session where its agent would have it, and opens it."""


def errors(session: Session) -> list[str]:
    return [problem.rule for problem in session.problems if problem.severity == "error"]


def seen_of(session: Session) -> SentRequest:
    seen = session.conversation.judged.seen
    assert seen is not None
    return seen


def told(session: Session) -> str:
    """All that the agent would send."""
    return sent_text(session.conversation.judged.seen)


def sent_text(seen: SentRequest | None) -> str:
    assert seen is not None
    return json.dumps([part.value for message in seen.messages for part in message.parts])


def sent_messages(session: Session) -> list[tuple[str, list[Any]]]:
    """Role and parts of each message that would be sent."""
    return [(message.role, [part.value for part in message.parts]) for message in seen_of(session).messages]


def sent_rows(session: Session) -> list[tuple[str, str, str]]:
    """Role, id and text of each block that would be sent."""
    found = []
    for role, values in sent_messages(session):
        for value in (value if isinstance(value, dict) else {"text": value} for value in values):
            id_ = value.get("id", value.get("tool_use_id", ""))
            found.append((role, str(id_), str(value.get("text", value.get("content", "")))))
    return found


def sent_results(session: Session) -> list[tuple[str, str]]:
    """Call id and text of each result that would be sent."""
    found = []
    for _, values in sent_messages(session):
        for value in values:
            if isinstance(value, dict) and value["type"] == "tool_result":
                content = value["content"]
                text = content if isinstance(content, str) else " ".join(part["text"] for part in content)
                found.append((value["tool_use_id"], text))
    return found


def outcome_of(session: Session, rule: str) -> tuple[str, str | None, str]:
    """What the agent does about the first problem of a rule, what is lost by it, and its impact."""
    found = next(problem for problem in session.problems if problem.rule == rule)
    assert found.on_resume is not None
    return found.on_resume.effect, found.on_resume.loses, found.impact


def fixed(session: Session) -> bytes:
    """The file with every recommended fix."""
    session.stage_recommended()
    return session.to_bytes()


def assert_whole(session: Session, words: Iterable[str]) -> None:
    """It is valid, and all these words are sent."""
    assert errors(session) == []
    assert seen_of(session).refuses is None
    assert [said for said in words if said not in told(session)] == []


def errors_not_left_to_a_person(session: Session) -> list[str]:
    """The errors for which no reason is said why no fix is applied unasked."""
    session.stage_recommended()
    held = {(one.problem.rule, one.problem.record) for one in session.staging.held_back}
    found = (one for one in session.problems if one.severity == "error" and one.no_fix is None)
    return [one.rule for one in found if (one.rule, one.record) not in held]


def errors_but_guesses(session: Session) -> list[str]:
    """The rules of the errors that are no guess, which is left to a person."""
    assert all(problem.recommended is None and problem.no_fix for problem in session.problems if problem.guess)
    return [found.rule for found in session.problems if found.severity == "error" and not found.guess]


def assert_settles(data: bytes, opened: Open) -> Session:
    """A second run changes nothing. The session after the first one."""
    made = fixed(opened(data))
    assert fixed(opened(made)) == made
    return opened(made)


def lost_words(said: str, after: Session, names: Iterable[str] = WORDS) -> list[str]:
    """The outputs that were sent, by all that was `said` before, and no longer are."""
    now = told(after)
    return [name for name in names if word(name) in said and word(name) not in now]


def assert_undo(session: Session, data: bytes) -> None:
    """Undo brings back what the session was."""
    session.stage_recommended()
    while session.staged:
        session.undo()
    assert session.to_bytes() == data


def by_id(data: bytes, key: str = "id", *, single: bool = False) -> dict[str, bytes]:
    """The lines that can be read, by the id of their record; of several with one id the last, or none if `single`."""
    found: dict[str, bytes] = {}
    doubled = set()
    for line in data.splitlines():
        try:
            record = json.loads(line.decode("utf-8", "replace"))
        except ValueError:
            continue
        if isinstance(record, dict) and key in record:
            doubled |= {record[key]} & found.keys()
            found[record[key]] = line
    return {id_: line for id_, line in found.items() if not single or id_ not in doubled}


def assert_only_changed(
    before: bytes,
    after: bytes,
    fields: Collection[str],
    key: str = "id",
    parent: str = "parentId",
    *,
    single: bool = False,
) -> None:
    """A record that is still there has its fields as they were but for these, and its bytes but for a new link."""
    old_lines, new_lines = by_id(before, key, single=single), by_id(after, key, single=single)
    for id_ in old_lines.keys() & new_lines.keys():
        if old_lines[id_] == new_lines[id_]:
            continue
        old, new = (json.loads(line.decode("utf-8", "replace")) for line in (old_lines[id_], new_lines[id_]))
        changed = {name for name in old.keys() | new.keys() if old.get(name) != new.get(name)}
        assert changed <= set(fields), id_
        if changed == {parent} and parent in old:
            known, written = (f'"{parent}":{json.dumps(record[parent])}'.encode() for record in (old, new))
            assert new_lines[id_] == old_lines[id_].replace(known, written)


class Visit:
    """A broken session that was opened, fixed and undone, and the fixed one opened in its place: all questions at once.

    That undo brings every byte back is asked of each.
    """

    def __init__(self, planted: Planted, opened: Open) -> None:
        self.planted = planted
        session = opened(planted.data)
        self.format_id = session.format.id
        self.before = session.conversation
        session.stage_recommended()
        self.fixed = session.to_bytes()
        self.held_back = session.staging.held_back
        self.errors_left = errors(session)
        while session.staged:
            session.undo()
        self.undone = session.to_bytes()
        self.after = opened(self.fixed)
        self.left = [problem for problem in self.after.problems if problem.severity == "error"]
        self.lost = [said for said in planted.words if said not in told(self.after)]
        assert self.undone == planted.data, "undo brings every byte back"
        self.after.stage_recommended()
        self.again = self.after.to_bytes()

    def said_before(self) -> str:
        return sent_text(self.before.judged.seen)

    def assert_fixed(self, format_id: str) -> None:
        """It is valid and sends every output that is left, and a second run changes nothing."""
        assert (self.format_id, self.after.format.id) == (format_id, format_id)
        assert_whole(self.after, self.planted.words)
        assert self.again == self.fixed, "a second run changes nothing"

    def assert_left_to_a_person(self) -> None:
        """An output stands where its agent does not look: no placeholder is written beside it, the place is said."""
        assert self.left and all("where its output may be" in (problem.no_fix or "") for problem in self.left)
        assert self.lost == []

    def assert_left_as_a_guess(self) -> None:
        """Only a guess tells what belongs together: all else is fixed, and no placeholder is written beside it."""
        assert any(problem.guess for problem in self.before.problems)
        assert self.again == self.fixed, "a second run changes nothing"
        assert self.left and errors_but_guesses(self.after) == []
        assert b"toolpair" not in self.fixed
        assert [one for one in self.planted.words if one.encode() not in self.fixed] == []
        assert [one for one in self.lost if one in self.said_before()] == []

    def assert_held_back(self) -> None:
        """The recommended fix would take a text along that stands nowhere else: it is left, and that is said."""
        assert self.errors_left
        assert any("would be gone from the file" in held.text for held in self.held_back)

    def assert_never_passed_over(self) -> None:
        """Where an output that the file has does not reach the model, the check finds an error."""
        said = self.said_before()
        if any(one not in said for one in self.planted.words):
            assert any(problem.severity == "error" for problem in self.before.problems)


def fixed_by_a_person(session: Session) -> bytes:
    """The file with every recommended fix, and with the guesses decided as by a person who looked at both: the first fix
    links them.
    """
    session.stage_recommended()
    while guess := next((problem for problem in session.problems if problem.guess and problem.fixes), None):
        session.stage(guess, guess.fixes[0])
    return session.to_bytes()
