"""New records: those of results link to their call's record, and the chain continues after them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from toolpair.formats.claude_code import compaction
from toolpair.formats.claude_code.answering import id_of_call
from toolpair.formats.claude_code.removing import Removing
from toolpair.formats.claude_code.responses import Responses
from toolpair.formats.claude_code.working import Working
from toolpair.formats.engine.reading.clock import seconds_of
from toolpair.formats.engine.writing.drafts.drafter import home_of
from toolpair.transcript.draft import DraftBlock, DraftMessage
from toolpair.transcript.edits import Spot
from toolpair.transcript.model import Block

_AS_CALL: Final = ("isSidechain", "agentId")
"""What the record of a result has of that of its call."""


class ResultRecords:
    def __init__(self, work: Working, responses: Responses, removing: Removing) -> None:
        self._work = work
        self._responses = responses
        self._removing = removing

    def add(
        self, number: int, call: DraftBlock, result: DraftBlock, like: DraftMessage, details: Any, spot: Spot | None
    ) -> None:
        """A new record for a result, as the agent writes it. `like`: the record that it takes its fields from."""
        work, home, id_ = self._work, home_of(call), id_of_call(call)
        self._responses.bring_together(number)
        previous = self._in_call_order(number, home, id_, None) if spot is None else self._at(number, home, spot)
        followers = self._followers(number, home, home)
        uuid = work.id_of(home)
        value = record(
            like.record
            if like is home
            else {**like.record, **{key: home.record[key] for key in _AS_CALL & home.record.keys()}},
            "user",
            work.writer.holder("user"),
            work.fresh_id(uuid, id_, result.value.get("tool_use_id")),
            uuid,
            moment_between(work.get(home, "timestamp"), [work.get(child, "timestamp") for child in followers]),
            promptId=self._responses.prompt_id(number),
            toolUseResult=details,
            sourceToolAssistantUUID=uuid,
        )
        self._link_in(number, home, work.new_line(value, previous, [result]), followers)

    def move(self, number: int, call: DraftBlock, line: DraftMessage) -> None:
        """Link the record of a result to its call, and put it among the other results."""
        work, home = self._work, home_of(call)
        self._removing.unchain(line)
        self._responses.bring_together(number)
        previous = self._in_call_order(number, home, id_of_call(call), line)
        followers = self._followers(number, home, line)
        uuid, start = work.id_of(home), work.get(home, "timestamp")
        work.link(line, uuid)
        if work.get(line, "sourceToolAssistantUUID") != uuid:
            work.set(line, "sourceToolAssistantUUID", uuid)
        stamps = [work.get(child, "timestamp") for child in followers]
        mine, earliest = seconds_of(work.get(line, "timestamp")), seconds_of(start)
        limits = [found for stamp in stamps if (found := seconds_of(stamp)) is not None]
        if mine is None or (earliest is not None and mine < earliest) or any(mine > limit for limit in limits):
            work.set(line, "timestamp", moment_between(start, stamps))
        self._responses.answers.remove(line)
        work.put_after(line, previous)
        self._responses.forget_prompts()
        self._link_in(number, home, line, followers)

    def _link_in(self, number: int, call: DraftMessage, line: DraftMessage, followers: Sequence[DraftMessage]) -> None:
        work = self._work
        if not followers and self._is_passed_over(line, call):
            followers = [child for child in work.chain_children_of(call) if child is not line]
        if work.id_of(call) is None:
            self._link_after_response(number, line)
        elif followers:
            work.lead_through(line, followers)
        self._responses.answers.add(number, line)
        if work.history.preserved:
            compaction.keep(work, line, call, self._responses.group(number))

    def _link_after_response(self, number: int, line: DraftMessage) -> None:
        """Nothing can link to a call's record that has no uuid: put its result on the chain, after all others."""
        work = self._work
        lines = (*self._responses.group(number), *self._responses.answers.of(number))
        on_chain = [other for other in lines if other.uid in work.chain_index and work.id_of(other) is not None]
        if on_chain:
            last = max(on_chain, key=lambda other: work.chain_index[other.uid])
            followers = work.chain_children_of(last)
            work.link(line, work.id_of(last))
            work.lead_through(line, followers)

    def _is_passed_over(self, line: DraftMessage, call: DraftMessage) -> bool:
        """Whether the agent does not look for it beside the chain: there it sees nothing before the compaction's line,
        except for what that kept.
        """
        work, boundary = self._work, self._work.history.boundary
        if boundary is None or work.id_of(call) in work.history.preserved:
            return False
        return work.place(line) < work.place(work.lines[boundary.uid])

    def _followers(self, number: int, call: DraftMessage, result: DraftMessage) -> list[DraftMessage]:
        """The records that follow the call on the chain, and now its result."""

        def continues(child: DraftMessage) -> bool:
            return not self._responses.has(number, child) and child is not result

        followers = list(filter(continues, self._work.chain_children_of(call)))
        # A record that lost its parent next to this response most likely lost the very result that is put in now.
        for child in self._responses.bridged_beside(number):
            if child not in followers and continues(child):
                followers.append(child)
        return followers

    # --- places in the file ------------------------------------------------------------------------------

    def _in_call_order(self, number: int, call: DraftMessage, id_: Any, moved: DraftMessage | None) -> DraftMessage:
        """The record that a result goes after: one of its response's calls, or the result of an earlier call."""
        mine = self._responses.answers.call_numbers(number).get(id_, 0) if isinstance(id_, str) else 0
        order = self._responses.answers.order(number)
        if moved is not None:
            order.remove(moved)
        return self._not_last(number, call, self._last_of((*self._calls(number, call), order.last_below(mine))))

    def _at(self, number: int, call: DraftMessage, spot: Spot) -> DraftMessage:
        """The record that a result at a spot goes after: a result's, or the last one of the response.

        The agent sends results before all words, so of spots among words only the side of the results counts.
        """
        work = self._work
        found = self._not_last(number, call, self._last_of(self._calls(number, call)))
        if spot.side == "after" and isinstance(spot.of, Block) and spot.of.kind == "result":
            line = work.lines[spot.of.record]
            if work.is_there(line) and self._responses.answers.has(number, line):
                found = line
        return self._not_last(number, call, found)

    def _calls(self, number: int, call: DraftMessage) -> tuple[DraftMessage, DraftMessage | None]:
        """The record of the call, and the last one of its response before the results."""
        responses, own = self._responses, self._work.message_id(call)
        if own is None:
            return call, None
        first = responses.answers.order(number).first
        return call, responses.answers.last_call(number, lambda: responses.group(number), own, first)

    def _last_of(self, lines: Sequence[DraftMessage | None]) -> DraftMessage:
        return max((line for line in lines if line is not None), key=self._work.place)

    def _not_last(self, number: int, call: DraftMessage, found: DraftMessage) -> DraftMessage:
        """The record, or the call where a result after it would become the leaf of the file."""
        return call if self._work.is_at_end(found) and number != self._responses.last else found


_BEFORE: Final = ("isSidechain", "promptId", "agentId", "teamName")
_AFTER: Final = ("userType", "entrypoint", "cwd", "sessionId", "version", "gitBranch", "slug", "sessionKind")
_EPOCH: Final = "1970-01-01T00:00:00.000Z"


def record(
    neighbour: dict[str, Any],
    type_: str,
    message: dict[str, Any],
    uuid: str,
    parent: str | None,
    timestamp: str,
    **extra: Any,
) -> dict[str, Any]:
    """A record with its fields in the agent's order. Extra fields that are None are left out."""
    value: dict[str, Any] = {"parentUuid": parent}
    value.update((key, neighbour[key]) for key in _BEFORE if key in neighbour)
    prompt = extra.pop("promptId", None)
    if prompt is not None:
        value["promptId"] = prompt
    elif type_ != "user":
        value.pop("promptId", None)
    value.update(type=type_, message=message, uuid=uuid, timestamp=timestamp)
    value.update((key, given) for key, given in extra.items() if given is not None)
    value.update((key, neighbour[key]) for key in _AFTER if key in neighbour)
    return value


def moment_between(before: Any, after: Iterable[Any]) -> str:
    """A timestamp one millisecond after `before`, but not after any of `after`. Always a readable one."""
    limits = [stamp for stamp in after if seconds_of(stamp) is not None]
    earliest = min(limits, key=lambda stamp: seconds_of(stamp) or 0.0, default=None)
    start = seconds_of(before)
    if start is None:
        return earliest if isinstance(earliest, str) else _EPOCH
    moment = datetime.fromisoformat(before) + timedelta(milliseconds=1)
    limit = seconds_of(earliest)
    if limit is not None and limit < moment.timestamp():
        return earliest if isinstance(earliest, str) else _EPOCH
    text = moment.isoformat(timespec="milliseconds")
    return text.removesuffix("+00:00") + "Z" if text.endswith("+00:00") and str(before).endswith("Z") else text
