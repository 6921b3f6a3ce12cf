"""The requests of a session in time: what the model saw whenever it was asked, and the first request that was broken.

Some agents record what they send. Of others the records that stood in the file when the model answered are read as a
file of their own: what the agent would send of that, which is what it did send as far as its model goes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from toolpair.formats import get_format
from toolpair.formats.format import Item
from toolpair.history.checked_records import CheckedRecords, Ids, items_of, request_of
from toolpair.history.conversation import SHORT, Conversation, whole_conversation
from toolpair.history.open_windows import opened_long
from toolpair.history.sent_rows import SeenRow, own_messages, request_sent, rows_sent, seen_rows, sent_by_window
from toolpair.reports.export.source import Records
from toolpair.reports.first_break.bodies import history_of
from toolpair.reports.first_break.breaks import breaks_of, of_request
from toolpair.reports.first_break.log import FileLog
from toolpair.rules.profiles import profile as profile_named
from toolpair.session.session import Session, SessionError
from toolpair.transcript.counting import plural

_EPOCHS: Final = 1_000
"""Compactions of one session that are gone back through."""
_MARKS: Final = 5
"""Records that may mark one."""
_TRIED: Final = 50
"""Places where something may have broken that are looked at."""
_NAMED: Final = 5
"""Problems of one request that are named."""
_KEPT: Final = 8
"""Requests that are not read again when they are asked for."""


class Asked(Struct, frozen=True):
    """Where the model was asked."""

    position: int
    """How many records stood in the file."""
    response: int
    """The first record of what it answered."""
    line: int | None


class PastRequest(Struct, frozen=True, eq=False):
    """What one request held. Numbers count from 1."""

    number: int
    line: int | None
    """Where the answer stands in the file."""
    exact: bool
    """It is recorded in the file; else it is what the agent would send of the file as it was."""
    sender: str
    """Whose request it is, with the version that is the model; empty where that is not known."""
    refuses: str | None
    """Why the agent would not have sent it, a sentence."""
    rows: Callable[[], Iterator[SeenRow]]
    wrong: tuple[str, ...]
    """What is broken in it, sentences."""
    pairs: Counter[tuple[str, str]]
    """Tool and id of the calls that have results in it."""

    def about(self, before: PastRequest | None) -> Iterator[tuple[bool, str]]:
        """What it is, what has come and gone since the one before, and what is broken: sentences, and whether they
        tell of something wrong.
        """
        line = f", answered in line {self.line:,}" if self.line is not None else ""
        if self.exact:
            how = f"as {self.sender or 'the agent'} recorded it."
        elif self.sender:
            how = f"as modelled: what {self.sender} sends of the file as it was then."
        else:
            how = "as modelled: the messages that were in the file then."
        yield False, f"Request {self.number:,}{line}, {how}"
        if self.refuses is not None:
            yield True, self.refuses
        changes = []
        if before is not None and (came := self.pairs - before.pairs):
            tools = ", ".join(dict.fromkeys(tool for tool, _ in came))
            changes.append(f"{came.total():,} more ({tools})")
        if before is not None and (gone := before.pairs - self.pairs):
            changes.append(f"{gone.total():,} gone: compacted, or no longer sent")
        since = f" Since the request before: {', '.join(changes)}." if changes else ""
        pairs = self.pairs.total()
        yield False, f"{plural(pairs, 'call')} with {'its result' if pairs == 1 else 'their results'}.{since}"
        for words in self.wrong[:_NAMED]:
            yield True, words if before is None or words in before.wrong else f"new: {words}"
        if len(self.wrong) > _NAMED:
            yield True, plural(len(self.wrong) - _NAMED, "more problem")


class RequestsInTime:
    """The requests of a conversation, as its file was opened. Everything is found when it is asked for."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._conversation: Final = session.staging.original[session.current]
        self._found: dict[int, PastRequest] = {}
        self._records_requests = self._conversation.format.request_kept is not None
        """Whether the file may have recorded any."""

    @property
    def folder(self) -> str | None:
        """Where the agent worked, if it is known."""
        return self._conversation.transcript.folder

    @cached_property
    def asked(self) -> list[Asked]:
        """Where the model was asked, in time: in what would be sent now, and before each compaction of it."""
        found: list[Asked] = []
        conversation, first = self._conversation, 0
        for _ in range(_EPOCHS):
            after = first
            first, here, answering = _asked_in(conversation)
            if answering and found and found[0].position == after:
                del found[0]  # the rest of an answer, of which a lost link cut the beginning off
            found = [*here, *found]
            # What marks a compaction stands before its summary: the history that it ended is read without it.
            ends = range(first, max(0, first - _MARKS), -1)
            earlier = next((one for end in ends if (one := self._before(end)) is not None), None)
            if earlier is None:
                break
            conversation = earlier
        return found

    def __len__(self) -> int:
        return len(self.asked)

    def at(self, number: int) -> PastRequest:
        """The request with this number."""
        if number not in self._found:
            while len(self._found) >= _KEPT:
                del self._found[next(iter(self._found))]
            asked = self.asked[number - 1]
            self._found[number] = self._recorded(number, asked) or self._modelled(number, asked)
        return self._found[number]

    def _recorded(self, number: int, asked: Asked) -> PastRequest | None:
        """As the file has it; None where it does not."""
        conversation = self._conversation
        kept_by = conversation.format.request_kept
        if kept_by is None or not self._records_requests:
            return None
        kept = kept_by(Records(conversation), asked.response)
        if kept.messages is None or kept.altered:
            self._records_requests = kept.unrecorded or bool(kept.unresolved or kept.altered)
            return None
        body = {"system": kept.system, "tools": list(kept.tools), "messages": list(kept.messages)}
        history = history_of({key: value for key, value in body.items() if value})
        if history is None:
            return None
        items = [Item(place, message) for place, message in enumerate(history.messages)]
        format_ = get_format(history.format)
        checked = CheckedRecords(items, format_, profile_named(history.api), request_of(history.outer))
        sender = conversation.transcript.agent or ""
        return _past(number, asked, True, sender, None, lambda: seen_rows(checked), [*checked.problems])

    def _modelled(self, number: int, asked: Asked) -> PastRequest:
        then = self._before(asked.position)
        if then is None:
            return _past(number, asked, False, "", None, lambda: iter(()), [])
        sent = request_sent(then)
        sender = f"{sent.agent} {sent.version or ''}".strip() if sent is not None else ""
        refuses = sent.refuses if sent is not None else None
        return _past(number, asked, False, sender, refuses, lambda: _without_end(rows_sent(then)), [*then.problems])

    def _before(self, position: int) -> Conversation | None:
        """The file as it was with so many records; None where there was nothing."""
        now = self._conversation
        document = now.document.part(0, position, now.document.next_uid)
        source, reading = replace(now.source, document=document), now.reading
        view = replace(reading.view, leaf=None, surroundings=None)
        how = reading.format, reading.profile, reading.request
        if now.fixes_are_local and len(document) >= SHORT:
            long = opened_long(now.number, source, *how, view)
            if long is not None:
                return long
        judged = CheckedRecords(items_of(document), *how, view, document, ids=Ids(document, (), reading.format))
        return whole_conversation(now.number, source, judged) if judged.transcript.messages else None

    @property
    def unknown(self) -> str | None:
        """Why nothing can be said of them, one sentence."""
        if not self.asked:
            return "This file does not show where one request ends and the next begins."
        first = self.at(1)
        if first.refuses is not None and not first.exact:
            return f"What {first.sender} sent of this file before now is not known: the file no longer shows it."
        return None

    def may_have_broken(self) -> Iterator[int]:
        """The requests before which something may have broken, in time: `at` says whether it did.

        They follow the places where something is wrong in the file as it is, and in what it recorded.
        """
        conversation, asked = self._conversation, self.asked
        document = conversation.document
        wrong = {
            document.index(problem.record)
            for problem in (*conversation.problems, *self._earlier_problems)
            if problem.severity == "error" and problem.record is not None and problem.record in document
        }
        positions = [one.position for one in asked]
        places = {bisect_right(positions, at) for at in wrong} | {*self._recorded_breaks()}
        yield from [place + 1 for place in sorted(places) if place < len(asked)][:_TRIED]

    @property
    def _earlier_problems(self) -> Any:
        """Those of what is not sent any more; where that is long, it is not read for this."""
        return () if self._conversation.fixes_are_local else self._conversation.inactive_problems()

    def _recorded_breaks(self) -> Iterator[int]:
        if not self._records_requests:
            return
        try:
            breaks = breaks_of(FileLog(self._session.file.snapshot)).breaks
        except SessionError:
            return  # nothing is recorded
        lines = [one.line or 0 for one in self.asked]
        yield from (bisect_right(lines, found.request.line) for found in breaks)


def _without_end(rows: Iterable[SeenRow]) -> Iterator[SeenRow]:
    """Without what the agent adds at the end when it resumes: it was not interrupted then."""
    added: list[SeenRow] = []
    for row in rows:
        if row.fate == "added":
            added.append(row)
            continue
        yield from added
        added.clear()
        yield row


def _past(
    number: int,
    asked: Asked,
    exact: bool,
    sender: str,
    refuses: str | None,
    rows: Callable[[], Iterator[SeenRow]],
    problems: list[Any],
) -> PastRequest:
    calls: dict[object, str] = {}
    pairs: Counter[tuple[str, str]] = Counter()
    for row in rows():
        block = row.block
        if block is None or row.fate in ("dropped", "replaced"):
            continue
        if block.kind == "call":
            calls[block.id] = block.name or ""
        elif block.kind == "result" and block.id in calls:
            pairs[calls[block.id], str(block.id)] += 1
    wrong = tuple(of_request(problem.text) for problem in problems if problem.severity == "error")
    return PastRequest(number, asked.line, exact, sender, refuses, rows, wrong, pairs)


def _asked_in(conversation: Conversation) -> tuple[int, list[Asked], bool]:
    """How many records stand before what is sent, where the model was asked in it, and whether it ends in an answer."""
    document = conversation.document
    found: list[Asked] = []
    first: int | None = None
    last = -1
    answering = False
    for judged, _ in sent_by_window(conversation):
        for message in own_messages(judged.transcript):
            places = [document.index(uid) for uid in message.records if uid in document]
            if not places:
                continue
            at = min(places)
            first = at if first is None else min(first, at)
            # Where what was said before stands after it, the file does not show what there was then.
            if message.role == "assistant" and not answering and at > last:
                record = document.records[at]
                found.append(Asked(at, record.uid, record.line))
            # What has the results of its own calls is one answer; what follows is the next.
            answering = message.role == "assistant" and not message.results
            last = max(last, *places)
    return first or 0, found, answering
