"""What an agent really sends of a session, held against the session and against the model of the agent."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from toolpair.dialects.block_texts import says_something_real
from toolpair.formats.asking import HISTORIES, PROMPT, Api, Start
from toolpair.proof.asking import CannotAsk, ask
from toolpair.proof.inside import Answer, Copy, furnished
from toolpair.proof.who import Asked
from toolpair.rules.problem import Problem
from toolpair.session.handed_over import SentText, held_by, missing, sent_by
from toolpair.session.session import Session, open_session
from toolpair.source.errors import Refused

_MERGED: Final = frozenset({"anthropic"})
"""APIs that read neighbouring messages of one role as one."""

_ID: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}")


class Proof(Struct, frozen=True):
    """What an agent sent of one session."""

    note: str
    """What the agent said, if it sent nothing."""
    sent: bool
    messages: tuple[int, int]
    """How many of the session's messages were sent, and how many there are."""
    outputs: tuple[int, int]
    """The same of real outputs."""
    missing: Sequence[SentText]
    """What the session holds and the agent did not send."""
    unexpected: Sequence[SentText]
    """What the model of the agent says is sent, and is not."""
    besides: Sequence[SentText]
    """Calls and outputs that were sent, and not by the model."""
    model_refuses: str | None
    """Why the agent would not resume the session, as the model has it."""
    problems: Sequence[Problem]
    """The errors of the request, by the profile's rules."""
    is_known: bool = True
    """False where the agent was stopped before it sent anything: it says nothing about the session."""

    @property
    def agrees(self) -> bool:
        """Whether the model says what happened, if that is known."""
        if self.model_refuses is not None:
            return not self.messages[0]  # it may begin a new session instead
        if not self.sent:
            return False
        return not self.unexpected and not self.besides

    @property
    def is_whole(self) -> bool:
        """Whether all that is real was sent, in a valid request. A call without its output is nothing by itself."""
        return self.sent and not self.problems and all(one.kind == "call" for one in self.missing)


def prove(
    asked: Asked,
    sessions: Mapping[str, tuple[Session, Session]],
    *,
    isolated: bool,
    seconds: int | None = None,
    at_once: int = 1,
    stopped: Callable[[], bool] = lambda: False,
) -> tuple[Asked, dict[str, Proof]]:
    """Ask the agent about sessions with their staged fixes, and for its version if its files do not show it. Each comes
    with the one in which its problems are fixed, so that all is there that can be sent.

    Raises CannotAsk and SessionError.
    """
    with tempfile.TemporaryDirectory(prefix="toolpair-prove-") as folder:
        copies = {
            name: copy_of(session, Path(folder) / str(number))
            for number, (name, (session, _)) in enumerate(sessions.items())
        }
        answers = ask(
            asked.agent,
            (asked.program,),
            copies,
            isolated=isolated,
            seconds=seconds,
            at_once=at_once,
            says_version=asked.version is None,
            stopped=stopped,
        )
        version = asked.version or next((answer.version for answer in answers.values()), None)
        notes = asked.agent.ask.found.notes
        proofs = {name: judged(*pair, answers[name], notes, Path(folder)) for name, pair in sessions.items()}
    return replace(asked, version=version), proofs


def copy_of(session: Session, place: Path) -> Copy:
    """A copy of the session with its staged fixes, at `place` with the ending of its name. Raises SessionError."""
    path = place.with_suffix(session.path.suffix if session.path is not None else ".jsonl")
    session.save_as(path)
    transcript, profile = session.conversation.transcript, session.conversation.judged.profile.id
    id_ = transcript.session_id or ""
    if id_ and _ID.fullmatch(id_) is None:  # it becomes an argument of the agent, and a name in its home
        raise CannotAsk("its id is none that an agent gives to a session")
    return Copy(str(path), id_, transcript.folder, profile)


def how_it_starts(asked: Asked, session: Session) -> Start:
    """How the agent would be started, in a home that is there no more. Raises CannotAsk and SessionError."""
    with tempfile.TemporaryDirectory(prefix="toolpair-prove-") as folder:
        copy = copy_of(session, Path(folder) / "0")
        try:
            return furnished(asked.agent.ask.found, (asked.program,), copy, Path(folder).resolve())
        except (OSError, ValueError) as error:
            raise CannotAsk(f"its copy cannot be put where {asked.agent.title} finds it: {error}") from error


def judged(session: Session, whole: Session, answer: Answer, notes: re.Pattern[str] | None, folder: Path) -> Proof:
    """What the answer says of the session; `whole` is the one in which its problems are fixed.

    `notes` are what the agent adds to outputs. `folder` is for the request, which is read as a session of its own.
    """
    seen = session.conversation.judged.seen
    refuses = seen.refuses if seen is not None else None
    held = [one for one in held_by(whole) if says_something_real(one.text)]
    if not answer.histories:
        texts = [one for one in held if one.kind == "output"]
        return Proof(
            answer.note, False, (0, _messages(held)), (0, len(texts)), held, (), (), refuses, (), answer.in_time
        )
    request = _opened(answer.histories[0], answer.api, folder, session.conversation.judged.profile.id)
    sent = list(_without_prompt([_without(notes, one) for one in sent_by(request, added=True)]))
    gone = missing(held, sent)
    modelled = list(sent_by(session, added=True))
    outputs = sum(one.kind == "output" for one in held)
    lost = sum(one.kind == "output" for one in gone)
    there = [one for one in held if not any(one is other for other in gone)]
    besides = [one for one in missing(sent, modelled) if one.kind in ("call", "output")]
    return Proof(
        answer.note,
        True,
        (_messages(there), _messages(held)),
        (outputs - lost, outputs),
        gone,
        missing(modelled, sent),
        besides,
        refuses,
        [problem for problem in request.problems if problem.severity == "error"],
    )


def _without_prompt(texts: Sequence[SentText]) -> Iterator[SentText]:
    """An agent may join the prompt to the words before it, and notes to the prompt."""
    last = max((n for n, one in enumerate(texts) if one.kind == "words" and PROMPT in one.text), default=None)
    for number, one in enumerate(texts):
        before = one.text.rpartition(PROMPT)[0].strip() if number == last else one.text
        if before:
            yield replace(one, text=before)


def _without(notes: re.Pattern[str] | None, one: SentText) -> SentText:
    return replace(one, text=notes.sub("", one.text)) if notes is not None and one.kind == "output" else one


def _messages(texts: Sequence[SentText]) -> int:
    return len({one.message for one in texts})


def _opened(history: Sequence[Any], api: Api, folder: Path, profile: str) -> Session:
    """The request as a session. The agent's own system prompt is none of it."""
    path = folder / "request.json"
    messages = [one for one in history if not (isinstance(one, dict) and one.get("role") == "system")]
    path.write_text(json.dumps(list(_merged(messages)) if api in _MERGED else messages))
    try:
        return open_session(path, format=HISTORIES[api][2], profile=profile)
    except Refused as error:
        raise CannotAsk(f"what it sent is not understood: {error}") from error


def _merged(messages: Sequence[Any]) -> Iterator[Any]:
    """Neighbours of one role as one message."""
    last: dict[str, Any] | None = None
    for message in messages:
        if not isinstance(message, dict) or not isinstance(message.get("content"), str | list):
            continue
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if last is not None and last["role"] == message.get("role"):
            last["content"] = [*last["content"], *blocks]
            continue
        if last is not None:
            yield last
        last = {"role": message.get("role"), "content": list(blocks)}
    if last is not None:
        yield last
