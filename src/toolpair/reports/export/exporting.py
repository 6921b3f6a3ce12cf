"""From a session, or a list of messages, to a request body."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Final

from msgspec.structs import replace

from toolpair.dialects.anthropic_content import read_content, role_of, write_messages
from toolpair.dialects.neutral import ANY_OBJECT, Call, Part, Tool, Turn, merged, spoken
from toolpair.dialects.request_fields import has_system
from toolpair.library.message_lists import check, repair
from toolpair.library.sdk_objects import plain
from toolpair.reports.export.exported import MODEL, Exported, ExportRefused
from toolpair.reports.export.naming import IdTrail, id_map, ids_of, name_map, renamed
from toolpair.reports.export.source import Sent, sent_by
from toolpair.reports.export.targets import TARGETS, Conversion, Target
from toolpair.reports.export.ways import Note, Notes
from toolpair.reports.redaction.copies import redacted
from toolpair.rules.problem import Problem
from toolpair.rules.profiles import profile
from toolpair.session.session import Session, open_session
from toolpair.source.gc_pause import gc_paused
from toolpair.transcript.counting import plural

_MOST_NAMED: Final = 3


def export(
    source: Session | Sequence[Any] | Mapping[str, Any],
    to: str,
    *,
    turn: int | None = None,
    as_is: bool = False,
    model: str | None = None,
    redact: bool = False,
) -> Exported:
    """The request body that a session is: as its agent would send it, or converted for another API.

    `source` is an open session, a list of messages or a request body; it is never changed. `to` is "anthropic",
    "openai-chat", "openai-responses", "gemini" or "bedrock-converse". `turn` counts the assistant's turns from 1 and
    gives the request that produced that one. A broken history is exported after its recommended fixes; raises
    ExportRefused if errors are left. `as_is` exports it as it stands. `model` replaces the session's. `redact` exports
    a redacted copy. Raises ValueError for an unknown API or turn, SessionError for messages that are not understood,
    Refused if redacting would leave something.
    """
    if to not in TARGETS:
        raise ValueError(f"There is no API {to!r} to export to; there are {', '.join(TARGETS)}.")
    session = source.draft() if isinstance(source, Session) else _opened(source)
    if redact:
        session = redacted(session).session
    with gc_paused():
        return _Export(session, TARGETS[to], turn, as_is, model).made()


def _opened(source: Any) -> Session:
    """A session for messages in memory."""
    if isinstance(source, (str, bytes, bytearray, PathLike)):
        raise TypeError("these are not messages; use toolpair.open for files")
    value = plain(source if isinstance(source, (list, Mapping)) else list(source))
    if isinstance(value, Mapping):
        value = dict(value)
    return open_session("these messages", data=json.dumps(value).encode("ascii"))


def _refused(left: Sequence[Problem], who: str) -> ExportRefused:
    sentences = tuple(dict.fromkeys(f"{problem.text} ({problem.rule})" for problem in left))
    named = " ".join(sentences[:_MOST_NAMED])
    more = f" And {len(sentences) - _MOST_NAMED:,} more." if len(sentences) > _MOST_NAMED else ""
    start = f"Nothing was exported: {who} would refuse it, and no safe fix is known. "
    return ExportRefused(f"{start}{named}{more}", sentences)


class _Export:
    """One export on its way."""

    def __init__(self, session: Session, to: Target, turn: int | None, as_is: bool, model: str | None) -> None:
        """Raises ExportRefused if errors are left that no safe fix removes."""
        self.to = to
        self.as_is = as_is
        self.turn = turn
        self.fixed: list[Note] = []
        self.made_up: list[Note] = []
        self.notes = Notes(to.ways, to.title)
        self.profile = profile(to.id)
        self.session = session
        self.ids = IdTrail()
        if not as_is:
            self._stage_recommended()
        self.sent: Sent = sent_by(session.conversation, turn)
        self.model = model or (self.sent.model if self.sent.api == to.id else None)
        self.has_system = bool(self.sent.system)

    def _stage_recommended(self) -> None:
        """Apply the recommended fixes of errors to the draft."""
        session = self.session
        if session.format.read_only is not None:
            return  # what was made of it is checked and fixed
        if all(problem.severity != "error" for problem in session.problems):
            return
        before = len(session.staged)
        conversation = session.conversation
        session.stage_recommended()
        for then, now in session.conversation.changed_since(conversation):
            self.ids.follow_fixes(then.transcript.messages, now.transcript.messages)
        if left := [problem for problem in session.problems if problem.severity == "error"]:
            raise _refused(left, session.profile.name)
        for row in session.staged[before:]:
            self._say_fixed(row.rules[0], row.title, row.count)

    def made(self) -> Exported:
        own = self.sent.is_for(self.to.id)
        body = self._own_body() if own else self._converted()
        if not body[self.to.list_key] and not self.as_is:
            raise ExportRefused("Nothing was exported: no message of this session would be sent.", ("no message",))
        if self.to.as_written and self.model is None:
            self._make_up("model", f"Made up: the model is {MODEL}, to be named when the body is sent.")
        self._say_of_source()
        return Exported(
            self.to.id,
            body,
            self.model,
            self.notes.told(lost=True),
            self.notes.told(lost=False),
            tuple(self.made_up),
            tuple(self.fixed),
            self.ids.pairs,
            {"anthropic-beta": ",".join(self.sent.betas)} if own and self.sent.betas else {},
            self.sent.exact and own,
            self.turn,
            self.sent.turns,
        )

    # Ways to a body

    def _own_body(self) -> dict[str, Any]:
        """The body for the API that the session was written for: its own fields and blocks."""
        turns = self.sent.read(_nothing)
        self.has_system = self.has_system or any(turn.role == "system" for turn in turns[:1])
        self.ids.follow_map({id_: id_ for id_ in ids_of(turns)})
        messages = self._fixed(self.sent.as_sent(self.notes.say))
        beside = dict(self.sent.beside)
        tools = [] if beside.get("tools") else self._tools(turns, self.sent.tools)
        system = () if has_system(beside) else self.sent.system
        most = beside.get("max_tokens")
        given = self._conversion(system, (), tools, most if isinstance(most, int) else None)
        body = self.to.body(given, messages)
        self.made_up += given.made_up
        if self.sent.unknown_fields:
            names = list(self.sent.unknown_fields)
            self.notes.say("unknown_fields", len(names), names)
        rest = {key: body[key] for key in body if key not in beside and key != self.to.list_key}
        return {**rest, **beside, self.to.list_key: body[self.to.list_key]}

    def _converted(self) -> dict[str, Any]:
        turns = [turn for turn in self.sent.read(self.notes.say) if spoken(turn)]
        system, turns = self._system(turns)
        self.has_system = bool(system)
        if self.to.alternates:
            turns = merged(turns)
        tools = self._tools(turns, self.sent.tools)
        names = name_map(turns, tools, self.profile)
        ids = id_map(turns, self.profile)
        turns = renamed(turns, ids, names)
        self.ids.follow_map(ids)
        tools = [replace(tool, name=names[tool.name]) for tool in tools]
        given = self._conversion(system, turns, tools, self.sent.max_tokens)
        if left := self.sent.parameters_left():
            self.notes.say("parameters", len(left), left)
        if not self.to.as_written:
            given = self._fixed_turns(given)
        messages = list(self.to.messages(given))
        body = self.to.body(given, self._fixed(messages) if self.to.as_written else messages)
        self.made_up += given.made_up
        return body

    def _conversion(
        self, system: Sequence[Part], turns: Sequence[Turn], tools: Sequence[Tool], most_tokens: int | None
    ) -> Conversion:
        keeps = bool(self.model and self.sent.model and self.sent.model in self.model)
        return Conversion(system, turns, tools, self.model or MODEL, self.notes.say, most_tokens, keeps)

    def _system(self, turns: Sequence[Turn]) -> tuple[list[Part], list[Turn]]:
        """The system prompt, and the turns without it."""
        system = list(self.sent.system)
        begins = next((number for number, turn in enumerate(turns) if turn.role != "system"), len(turns))
        system += [part for turn in turns[:begins] for part in turn.parts]
        rest = list(turns[begins:])
        if self.to.alternates and (amid := sum(turn.role == "system" for turn in rest)):
            self.notes.say("mid_system", amid)
            rest = [Turn("user", turn.parts) if turn.role == "system" else turn for turn in rest]
        return system, rest

    def _tools(self, turns: Iterable[Turn], declared: Sequence[Tool]) -> list[Tool]:
        known = [tool for tool in declared if tool.schema is not None or tool.free]
        left = [tool.name for tool in declared if tool.schema is None and not tool.free]
        if left:
            self.notes.say("provider_tools", len(left), left)
        used = {part.name: part.free for turn in turns for part in turn.parts if isinstance(part, Call)}
        if known or not used:
            return known
        text = f"Made up: the session has no definitions of tools; {len(used):,} that it used take any object."
        self._make_up("tools", text, len(used))
        openai = self.to.id.startswith("openai")
        return [Tool(name, "", ANY_OBJECT, free=free and openai) for name, free in used.items()]

    # Checking

    def _fixed(self, messages: list[Any]) -> list[Any]:
        """The messages without what the provider would refuse. Raises ExportRefused where that is not safe."""
        if self.as_is or not messages or check(messages, self.to.id).ok:
            return messages
        done = repair(messages, self.to.id)
        if done.left:
            raise _refused(done.left, self.profile.name)
        for taken, count in Counter((one.rule, one.title) for one in done.taken).items():
            self._say_fixed(*taken, count)
        self.ids.follow_repair(messages, done.messages)
        return list(done.messages)

    def _fixed_turns(self, given: Conversion) -> Conversion:
        """The turns without what would be refused, which is found in Anthropic's form of them."""
        draft = list(write_messages(given.turns, _nothing))
        if self.as_is or not draft or check(draft, self.to.id).ok:
            return given
        fixed = self._fixed(list(write_messages(given.turns, given.say)))
        return replace(given, turns=[Turn(role_of(one["role"]), read_content(one["content"])) for one in fixed])

    # Saying

    def _say_fixed(self, rule: str, title: str, count: int) -> None:
        times = f"{count:,} × " if count > 1 else ""
        self.fixed.append(Note(rule, count, f"Fixed first, in memory only: {times}{title}."))

    def _make_up(self, what: str, text: str, count: int = 1) -> None:
        self.made_up.append(Note(what, count, text))

    def _say_of_source(self) -> None:
        sent = self.sent
        if not self.has_system:
            self._make_up("system", "The session has no system prompt, so the body has none.")
        if sent.unresolved:
            missing = plural(sent.unresolved, "message")
            text = f"The agent recorded this request, but {missing} of it cannot be found: the history stands for it."
            self._make_up("recorded", text, sent.unresolved)
        if sent.unrecorded:
            self._make_up("recorded", "The file has no record of this turn's request: the history stands for it.")
        if sent.altered:
            some = plural(sent.altered, "message is", "messages are")
            text = f"Of the recorded request {some} no longer what was sent: the file was changed since."
            self._make_up("altered", text, sent.altered)
        if sent.refuses:
            self._make_up("refuses", f"Its agent would not resume this session: {sent.refuses}")
        if sent.ends == "assistant":
            text = f"The history ends with the assistant, so nothing is asked: the last request was turn {sent.turns}."
            self._make_up("ends", text)
        if self.turn is None and sent.dropped:
            self.notes.say("agent_drops", sent.dropped)


def _nothing(key: str, count: int = 1, names: list[str] | None = None) -> None:
    """For what is said elsewhere."""
