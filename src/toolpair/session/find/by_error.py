"""Finding the block an error text is about: by the ids it names, by its index, by the rules it concerns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from toolpair.history.conversation import Conversation, Found, weight
from toolpair.rules.errors.error_detection import Recognised
from toolpair.rules.named import offered, raised
from toolpair.rules.problem import Problem
from toolpair.rules.profiles import profile
from toolpair.rules.registry import RULES
from toolpair.rules.rule import family_of
from toolpair.rules.where import NamedPlace
from toolpair.session.find.by_place import OF_ARGUMENTS, calls_stopping_at
from toolpair.session.find.ids_in_file import ConversationIds, reading_in
from toolpair.session.find.request_places import Asked, Pointed, RequestPlaces, place_of
from toolpair.transcript.model import Block

_ANY: Final = 2


class ErrorMatch(Struct, frozen=True, eq=False):
    """The place that a text refers to in one conversation."""

    found: Found
    how: str | None = None
    problem: Problem | None = None
    profile: str | None = None
    pair: int | None = None
    message: int | None = None
    place: NamedPlace | None = None
    """The block that it means, where nothing is found wrong with it."""


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
        self._rules = frozenset(known.error.rules)
        self._alike = frozenset(like for rule in self._rules for like in RULES[rule].alike)
        self.ids = ConversationIds(conversation)
        self._places = RequestPlaces(conversation, known.provider)

    def run(self) -> ErrorMatch:
        return (
            self._by_id()
            or self._by_index()
            or self._by_parser()
            or self._by_tool()
            or self._by_rule()
            or self._by_place()
            or self._by_stopping()
            or self._not_found()
        )

    # --- what is judged ----------------------------------------------------------------------------------

    @cached_property
    def _views(self) -> tuple[_View, ...]:
        """The session's own profile first, then that of the provider that raised the error."""
        conversation, wanted = self._conversation, self._known.profile
        own = _view(conversation, None)
        if wanted is None or conversation.profile.id.partition("/")[0] == wanted:
            return (own,)
        return own, _view(conversation.by(profile(wanted)), wanted)

    def _of_rules(self, found: Sequence[Problem], rules: frozenset[str]) -> Problem | None:
        fitting = [problem for problem in found if problem.rule in rules]
        return min(fitting, key=weight, default=None)

    def _at(self, blocks: Sequence[Block], message: int | None, like: int) -> tuple[Problem, str | None] | None:
        """The problem about these blocks, or about the message if it has none, and the profile it was found with.

        `like` says what may be meant: 0 the text's own rules, 1 those answered with the same text, 2 any.
        """
        candidates = []
        for view in self._views:
            found = [problem for block in blocks for problem in view.of_block.get(place_of(block), ())]
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
                    return self._found(Found.ID, "by the id", *found)
            if like == _ANY - 1:
                for id_ in named:
                    problem = self._only_named(self._places.named(self.ids.sent[id_][0]))
                    if problem is not None:
                        return self._found(Found.ID, "by the id", problem)
        if not named:
            return None
        blocks = self.ids.sent[named[0]]
        place = self._places.named(blocks[0])
        return ErrorMatch(Found.ID, "by the id", pair=self._pair(blocks), message=place.message, place=place)

    def _by_index(self) -> ErrorMatch | None:
        for like in range(_ANY + 1):
            for one in self._pointed:
                found = self._at(one.blocks, one.message, like) if one.exact or like < _ANY else None
                if found is not None:
                    return self._found(Found.INDEX, f"by the index: {one.how}", *found)
            if like == _ANY - 1:
                for one in self._pointed:
                    problem = self._only_named(one.named) if one.exact else None
                    if problem is not None:
                        return self._found(Found.INDEX, f"by the index: {one.how}", problem)
        return None

    def _by_parser(self) -> ErrorMatch | None:
        parsed = self._known.parsed
        if parsed is None or OF_ARGUMENTS not in map(family_of, self._rules):
            return None
        for call in calls_stopping_at(self._conversation, parsed):
            found = self._at((call,), None, like=0)
            if found is not None:
                return self._found(
                    Found.INDEX, f"by the place where its arguments stop being JSON, {parsed.words}", *found
                )
        return None

    def _by_tool(self) -> ErrorMatch | None:
        tool = self._known.tool
        if tool is None:
            return None
        for pair in self._conversation.pairs:
            if pair.call is not None and pair.call.name == tool:
                found = self._at((pair.call, *pair.results), None, like=0)
                if found is not None:
                    return self._found(Found.INDEX, "by the tool's name", *found)
        return None

    def _by_rule(self) -> ErrorMatch | None:
        for rules in (self._rules, self._alike):
            for view in self._views:
                problem = self._of_rules(view.problems, rules)
                if problem is not None:
                    how = "the first problem of this kind"
                    if not self._known.names_a_place and problem.impact == "stops":
                        how = "this text names no place: this is the problem that stops the session"
                    return self._found(Found.RULE, how, problem, view.profile)
        problem = None if self._known.names_a_place else self._only_named(NamedPlace())
        return self._found(Found.RULE, "this text is about the conversation", problem) if problem is not None else None

    def _only_named(self, place: NamedPlace) -> Problem | None:
        """What is wrong at a place only because the text says so."""
        if place.message is None and self._known.names_a_place:
            return None
        return next(iter(self._conversation.named(self._known.error.rules, self._said_of(place))), None)

    def _by_place(self) -> ErrorMatch | None:
        """The place that the index names, if the text complains about something that cannot be checked."""
        by = profile(self._known.profile) if self._known.profile else self._conversation.profile
        cells = [(rule, by.cell(rule)) for rule in self._rules]
        judged = any(
            # A rule that looks at what is named has looked.
            RULES[rule].named is not None
            or (cell is not None and cell.severity is not None and not rule.startswith("reasoning."))
            for rule, cell in cells
        )
        for one in () if judged else self._pointed:
            if one.exact and (one.blocks or one.message is not None):
                home = self._places.home(one.blocks[0]) if one.blocks else one.message
                how, pair = f"by the index: {one.how}", self._pair(one.blocks)
                return ErrorMatch(Found.PLACE, how, pair=pair, message=home, place=one.named)
        return None

    def _by_stopping(self) -> ErrorMatch | None:
        if not self._rules and not self._known.error.wraps:
            return None  # it is about the conversation as a whole
        # What a provider cannot accept has its own error texts; only a text that names nothing may mean anything.
        problem = min(self._views[0].problems, key=weight, default=None)
        if problem is None or problem.severity != "error":
            return None
        stops = "that stops the session" if problem.impact == "stops" else "that the session has"
        if self._known.names_a_place or self._rules:
            return self._found(
                Found.STOPPING, f"nothing here is broken in this way: this is the problem {stops}", problem
            )
        return self._found(Found.STOPPING, f"this text does not say where: this is the problem {stops}", problem)

    def _not_found(self) -> ErrorMatch:
        """Nothing is wrong in this way; the place that was named without an id is there all the same."""
        one = next((one for one in self._pointed if one.exact and one.named.message is not None), None)
        if one is None or self._known.ids:
            return ErrorMatch(Found.NOT)
        how, pair = f"by the index: {one.how}", self._pair(one.blocks)
        return ErrorMatch(Found.NOT, how, pair=pair, message=one.named.message, place=one.named)

    # --- places ------------------------------------------------------------------------------------------

    @cached_property
    def _pointed(self) -> tuple[Pointed, ...]:
        """Where the index may point."""
        known = self._known
        if known.message is None:
            return ()
        asked = Asked(known.message, known.block, known.part, known.call, known.error.base, known.error.at == "behind")
        # A block that is there goes before a message in which its number is not.
        return tuple(
            sorted(self._places.pointed(asked), key=lambda one: asked.block is not None and one.named.block is None)
        )

    def _pair(self, blocks: Sequence[Block]) -> int | None:
        found = (self._conversation.pair_of(block) for block in blocks)
        return next((pair.index for pair in found if pair is not None), None)

    def _found(self, found: Found, how: str, problem: Problem, name: str | None = None) -> ErrorMatch:
        is_meant = found > Found.STOPPING and problem.rule in self._rules | self._alike
        if is_meant and problem.named is None and (problem.severity != "error" or problem.recommended is None):
            place = self._said_of(NamedPlace(problem.message, problem.block))
            named = self._conversation.named((problem.rule,), place) if problem.message is not None else ()
            problem = next(iter(named), None) or raised(problem)  # the API has refused it
        best = problem.recommended
        if self._known.read_like and not found.is_placed and best is not None and best.loses:
            problem = offered(problem)  # words that are not known, and no place: too little to lose something for
        return ErrorMatch(found, how, problem, name, problem.pair, problem.message)

    def _said_of(self, place: NamedPlace) -> NamedPlace:
        """The place with what the text says of it."""
        return replace(place, measured=self._known.error.measured)


def _view(judged: Conversation, name: str | None) -> _View:
    of_block: defaultdict[Hashable, list[Problem]] = defaultdict(list)
    of_message: defaultdict[int, list[Problem]] = defaultdict(list)
    for problem in judged.problems:
        blocks = [block for block in (problem.call, problem.result, *problem.others) if block is not None]
        for number in problem.pairs:
            pair = judged.pairs[number]
            blocks += [block for block in (pair.call, *pair.results) if block is not None]
        keys = {place_of(block) for block in blocks}
        for key in keys:
            of_block[key].append(problem)
        if problem.message is not None:
            of_message[problem.message].append(problem)
            if problem.block is not None:
                key = place_of(judged.transcript.messages[problem.message].blocks[problem.block])
                if key not in keys:
                    of_block[key].append(problem)
    return _View(name, judged.problems, of_block, of_message)
