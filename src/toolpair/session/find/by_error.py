"""Finding the block an error text is about: by the ids it names, by its index, by the rules it concerns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cached_property
from typing import Final

from msgspec import Struct

from toolpair.history.checked_records import CheckedRecords
from toolpair.history.conversation import Conversation, weight
from toolpair.history.sent_rows import messages_sent
from toolpair.rules.errors.error_detection import Recognised
from toolpair.rules.errors.message_counting import Counted, counted, counted_transcript, way_of
from toolpair.rules.problem import Problem
from toolpair.rules.profiles import profile
from toolpair.rules.registry import RULES
from toolpair.session.find.ids_in_file import ConversationIds, reading_in
from toolpair.transcript.model import Block

BY_ID, BY_INDEX, BY_RULE, BY_PLACE, BY_STOPPING, NOT_FOUND = 5, 4, 3, 2, 1, 0
"""How certain it is that the text means this."""

_ANY: Final = 2


class ErrorMatch(Struct, frozen=True, eq=False):
    """The place that a text refers to in one conversation."""

    rank: int
    how: str | None = None
    problem: Problem | None = None
    profile: str | None = None
    pair: int | None = None
    message: int | None = None


class _View(Struct, frozen=True, eq=False):
    """The conversation under one profile. `profile` is None for the conversation's own."""

    profile: str | None
    problems: Sequence[Problem]
    of_block: dict[Hashable, list[Problem]]
    of_message: dict[int, list[Problem]]


class ErrorSearch:
    """Searches one conversation for what an error text refers to."""

    def __init__(self, conversation: Conversation, known: Recognised) -> None:
        self._conversation = conversation
        self._known = known
        # The same blocks are different objects when read in windows and as a whole.
        self._key: Callable[[Block], Hashable] = _place_of
        self._rules = frozenset(known.error.rules)
        self._alike = frozenset(like for rule in self._rules for like in RULES[rule].alike)
        self.ids = ConversationIds(conversation)

    def run(self) -> ErrorMatch:
        return (
            self._by_id()
            or self._by_index()
            or self._by_tool()
            or self._by_rule()
            or self._by_place()
            or self._by_stopping()
            or ErrorMatch(NOT_FOUND)
        )

    # --- what is judged ----------------------------------------------------------------------------------

    @property
    def _judged(self) -> CheckedRecords:
        """The whole conversation checked at once: only when messages must be counted."""
        return self._conversation.judged

    @cached_property
    def _views(self) -> tuple[_View, ...]:
        """The session's own profile first, then that of the provider that raised the error."""
        conversation, wanted = self._conversation, self._known.profile
        own = _view(conversation, None, self._key)
        if wanted is None or conversation.profile.id.partition("/")[0] == wanted:
            return (own,)
        return own, _view(conversation.by(profile(wanted)), wanted, self._key)

    def _of_rules(self, found: Sequence[Problem], rules: frozenset[str]) -> Problem | None:
        fitting = [problem for problem in found if problem.rule in rules]
        return min(fitting, key=weight, default=None)

    def _at(self, blocks: Sequence[Block], message: int | None, like: int) -> tuple[Problem, str | None] | None:
        """The problem about these blocks, or about the message if it has none, and the profile it was found with.

        `like` says what may be meant: 0 the text's own rules, 1 those answered with the same text, 2 any.
        """
        candidates = []
        for view in self._views:
            found = [problem for block in blocks for problem in view.of_block.get(self._key(block), ())]
            if message is not None:
                found += view.of_message.get(message, ())
            candidates.append((view.profile, found))
        for name, found in candidates:
            if like < _ANY:
                problem = self._of_rules(found, self._alike if like else self._rules)
            else:
                problem = min((one for one in found if one.severity == "error"), key=weight, default=None)
            if problem is not None:
                return problem, name
        rest = [problem for problem in candidates[0][1] if like == _ANY and problem.severity != "info"]
        return (min(rest, key=weight), None) if rest else None

    # --- the strategies ------------------------------------------------------------------------------------

    def _by_id(self) -> ErrorMatch | None:
        named = [id_ for readings in self._known.readings if (id_ := reading_in(readings, self.ids.sent)) is not None]
        for like in range(_ANY + 1):
            for id_ in named:
                found = self._at(self.ids.sent[id_], None, like)
                if found is not None:
                    return self._found(BY_ID, "by the id", *found)
        if not named:
            return None
        blocks = self.ids.sent[named[0]]
        return ErrorMatch(BY_ID, "by the id", pair=self._pair(blocks), message=self._home(blocks[0]))

    def _by_index(self) -> ErrorMatch | None:
        places = list(self._places())
        for like in range(_ANY + 1):
            for how, blocks, message, exact in places:
                found = self._at(blocks, message, like) if exact or like < _ANY else None
                if found is not None:
                    return self._found(BY_INDEX, f"by the index: {how}", *found)
        return None

    def _by_tool(self) -> ErrorMatch | None:
        tool = self._known.tool
        if tool is None:
            return None
        for pair in self._conversation.pairs:
            if pair.call is not None and pair.call.name == tool:
                found = self._at((pair.call, *pair.results), None, like=0)
                if found is not None:
                    return self._found(BY_INDEX, "by the tool's name", *found)
        return None

    def _by_rule(self) -> ErrorMatch | None:
        for rules in (self._rules, self._alike):
            for view in self._views:
                problem = self._of_rules(view.problems, rules)
                if problem is not None:
                    how = "the first problem of this kind"
                    if not self._known.names_a_place and problem.impact == "stops":
                        how = "this text names no place: this is the problem that stops the session"
                    return self._found(BY_RULE, how, problem, view.profile)
        return None

    def _by_place(self) -> ErrorMatch | None:
        """The place that the index names, if the text complains about something that cannot be checked."""
        judged = any(
            cell is not None and cell.severity is not None and not rule.startswith("reasoning.")
            for rule in self._rules
            for cell in [
                (profile(self._known.profile) if self._known.profile else self._conversation.profile).cell(rule)
            ]
        )
        for how, blocks, message, exact in () if judged else self._places():
            if exact and (blocks or message is not None):
                home = self._home(blocks[0]) if blocks else message
                return ErrorMatch(BY_PLACE, f"by the index: {how}", pair=self._pair(blocks), message=home)
        return None

    def _by_stopping(self) -> ErrorMatch | None:
        # What a provider cannot accept has its own error texts; only a text that names nothing may mean anything.
        problem = min(self._views[0].problems, key=weight, default=None)
        if problem is None or problem.severity != "error":
            return None
        stops = "that stops the session" if problem.impact == "stops" else "that the session has"
        if self._known.names_a_place or self._rules:
            return self._found(BY_STOPPING, f"nothing here is broken in this way: this is the problem {stops}", problem)
        return self._found(BY_STOPPING, f"this text does not say where: this is the problem {stops}", problem)

    # --- places ------------------------------------------------------------------------------------------

    def _home(self, block: Block) -> int | None:
        """The number of the block's message in the transcript."""
        messages, key = self._conversation.transcript.messages, self._key
        numbers = self._conversation.messages_of({block.record})
        return next(
            (number for number in numbers if any(key(one) == key(block) for one in messages[number].blocks)), None
        )

    @cached_property
    def _countings(self) -> tuple[Counted, ...]:
        """The messages as the provider counts them: as sent, then as in the file."""
        judged, provider = self._judged, self._known.provider
        as_sent = counted(
            ((message.role, [part.block for part in message.parts]) for message in messages_sent(judged)), provider
        )
        return (as_sent,) if judged.seen is None else (as_sent, counted_transcript(judged.transcript, provider))

    def _places(self) -> Iterator[tuple[str, Sequence[Block], int | None, bool]]:
        """Where the index may point: in words, the blocks, the message if it has none, whether the index was named."""
        known, named = self._known, self._known.message
        if named is None:
            return
        for counts in self._countings:
            shown = f"item {named}" if counts.way == "items" else f"message {named + known.error.base}"
            for shift in self._shifts():
                number = named - shift
                blocks = counts.blocks(number)
                before = counts.blocks(number - 1)
                calls = [block for block in before if block.kind in ("call", "server_call", "mcp_call")]
                next_message = f"{shown}, the call is in {number - 1}"
                if known.error.at == "behind":
                    if calls:
                        yield next_message, calls, None, True
                    yield shown, blocks, self._number(counts, number), not calls
                elif known.block is not None and known.block < len(blocks):
                    yield f"{shown}, block {known.block + known.error.base}", (blocks[known.block],), None, True
                    yield shown, blocks, None, False
                elif known.call is not None and counts.way == "messages":
                    own = [block for block in blocks if block.kind == "call"]
                    yield f"{shown}, call {known.call}", own[known.call : known.call + 1], None, True
                    yield shown, blocks, None, False
                else:
                    yield shown, blocks, self._number(counts, number), True
                if calls:
                    yield next_message, calls, None, False

    def _shifts(self) -> tuple[int, ...]:
        """Possible offsets of the request's count: an agent's own instructions are not in the file."""
        way = way_of(self._known.provider)
        if way == "items" and self._judged.seen is not None:
            return 1, 0
        roles = {str(message.role) for message in self._conversation.transcript.messages[:3]}
        return (0, 1) if way == "messages" and roles.isdisjoint(("system", "developer")) else (0,)

    def _number(self, counts: Counted, number: int) -> int | None:
        """The transcript's number for a counted message."""
        blocks = counts.blocks(number)
        if blocks:
            return self._home(blocks[0])
        if counts is self._countings[-1] and 0 <= number < len(counts.sources):
            return counts.sources[number]
        return None

    def _pair(self, blocks: Sequence[Block]) -> int | None:
        found = (self._conversation.pair_of(block) for block in blocks)
        return next((pair.index for pair in found if pair is not None), None)

    def _found(self, rank: int, how: str, problem: Problem, name: str | None = None) -> ErrorMatch:
        return ErrorMatch(rank, how, problem, name, problem.pair, problem.message)


def _place_of(block: Block) -> Hashable:
    return block.kind, block.key


def _view(judged: Conversation, name: str | None, key_of: Callable[[Block], Hashable]) -> _View:
    of_block: defaultdict[Hashable, list[Problem]] = defaultdict(list)
    of_message: defaultdict[int, list[Problem]] = defaultdict(list)
    for problem in judged.problems:
        blocks = [block for block in (problem.call, problem.result, *problem.others) if block is not None]
        for number in problem.pairs:
            pair = judged.pairs[number]
            blocks += [block for block in (pair.call, *pair.results) if block is not None]
        keys = {key_of(block) for block in blocks}
        for key in keys:
            of_block[key].append(problem)
        if problem.message is not None:
            of_message[problem.message].append(problem)
            if problem.block is not None:
                key = key_of(judged.transcript.messages[problem.message].blocks[problem.block])
                if key not in keys:
                    of_block[key].append(problem)
    return _View(name, judged.problems, of_block, of_message)
