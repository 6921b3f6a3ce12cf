"""What every family of rules works with: the transcript, its pairs, the profile, and a builder of problems."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from toolpair.dialects.besides import said_besides
from toolpair.dialects.block_texts import argument_text, is_real_output, media_of, output_lines, result_content, text_of
from toolpair.dialects.new_ids import NewIds, loss
from toolpair.rules.elsewhere import Elsewhere
from toolpair.rules.problem import Cause, Fix, Impact, Problem, Severity
from toolpair.rules.profiles import Profile
from toolpair.rules.unreadable import UnreadableParts
from toolpair.rules.where import Where
from toolpair.rules.wire import Wire, Written, wire_of, written_as
from toolpair.transcript.edits import Edit, Remove, ReplaceWithText
from toolpair.transcript.id_shapes import usable
from toolpair.transcript.model import Block, BlockKind, Message, Transcript, kept_call_label, kept_output_label
from toolpair.transcript.output_copies import Copies
from toolpair.transcript.pairing import Pair, Pairing

if TYPE_CHECKING:
    from toolpair.rules.causes.whole import Whole

Fixes = Sequence[Fix] | Callable[[], Sequence[Fix] | None]
LEFT: Final = "Only a guess tells what belongs together, so it is left for you."
"""Why a guess has no recommended fix."""
PLACEHOLDER_TITLE: Final = 'write "no result was recorded"'
BOTH_AS_TEXT: Final = "keep the call and the output as text"
NO_CALL: Final = "the model reads it as text, no longer as a call"


Placement = Literal["right", "behind", "split", "late", "result_in_assistant"]
"""Where a result is relative to its call. "behind": after text in its message; "split": spread over messages."""
Fit = Literal["missing", "orphan", "duplicate", "mismatch"] | Placement


class Between(Struct, frozen=True):
    """How many messages of each kind are in a range; tool messages are not counted."""

    messages: int
    summaries: int
    assistants: int
    systems: int


class _Passed:
    """Prefix sums of message kinds, so that a range is counted without walking through it."""

    def __init__(self, messages: Sequence[Message]) -> None:
        kinds = [
            (
                message.role not in ("tool", "function"),
                message.note == "summary",
                message.role == "assistant",
                message.role in ("system", "developer"),
            )
            for message in messages
        ]
        self._sums = [[0, *accumulate(column)] for column in zip(*kinds, strict=True)]

    def between(self, start: int, end: int) -> Between:
        """Counts for the messages from `start` to before `end`."""
        told, summaries, assistants, systems = (max(sums[end] - sums[start], 0) for sums in self._sums)
        return Between(told, summaries, assistants, systems)


class Context(Struct, eq=False, dict=True):
    """One run of the rules over one transcript with one profile.

    Checks add problems and do not see each other's: everything cached here follows from the transcript and the profile.
    """

    transcript: Transcript
    pairing: Pairing
    profile: Profile
    unreadable: UnreadableParts = field(default_factory=UnreadableParts)
    problems: list[Problem] = field(default_factory=list)
    fits: dict[int, Fit] = field(default_factory=dict)
    """By pair index: how a call and its results fit, as far as asked."""
    first_words: dict[int, int] = field(default_factory=dict)
    """By message with results: the index of its first block that is not a result."""
    reach: dict[int, int] = field(default_factory=dict)
    """By message with calls: the first message after it whose results no longer count as its own."""
    _fixes_to_come: dict[int, Callable[[], Sequence[Fix] | None]] = field(default_factory=dict)
    """By id() of a problem."""

    @cached_property
    def _ids(self) -> NewIds:
        edges = self.transcript.edges
        ids = NewIds(self.profile.new_ids, elsewhere=edges.ids if edges is not None else ())
        ids.take(block.id for message in self.transcript.messages for block in message.blocks)
        ids.take(block.id for block in self.transcript.inactive_blocks)
        ids.take(block.id for block in self.transcript.unreached)
        return ids

    @cached_property
    def elsewhere(self) -> Elsewhere:
        return Elsewhere(self.transcript)

    @cached_property
    def whole(self) -> Whole:
        """Facts about the whole session that show why pairs broke."""
        from toolpair.rules.causes.whole import Whole

        return Whole(self.transcript, self.pairing)

    @cached_property
    def passed(self) -> _Passed:
        return _Passed(self.messages)

    @cached_property
    def wire(self) -> Wire:
        """The message form that the provider would get."""
        return wire_of(self.profile.base)

    @cached_property
    def written(self) -> Written:
        """The message form of the transcript."""
        return written_as(self.transcript)

    @cached_property
    def provider(self) -> str:
        """The profile's id without its model family."""
        return self.profile.base

    @cached_property
    def in_turns(self) -> bool:
        """Whether the provider takes results as blocks of a turn, so that consecutive tool messages are
        one user turn.
        """
        return self.wire in ("anthropic", "bedrock", "gemini")

    @cached_property
    def messages(self) -> Sequence[Message]:
        return self.transcript.messages

    @cached_property
    def kinds(self) -> Set[BlockKind]:
        """The kinds of blocks in the transcript: a rule about other kinds need not look at the messages."""
        return {block.kind for message in self.messages for block in message.blocks}

    @cached_property
    def tool_messages(self) -> bool:
        """Whether results are messages of their own, as in chat."""
        return self.transcript.layout == "tool_messages"

    def files_naming(self, id_: Any) -> str | None:
        """A note on renaming an id that other files refer to as well."""
        copies = self.transcript.copies
        names = copies.files_naming(id_) if isinstance(copies, Copies) and usable(id_) else ()
        if not names:
            return None
        more = f" and {len(names) - 1:,} more" if len(names) > 1 else ""
        return f"{names[0]}{more} still has the old id: it is another file and is not changed"

    def judges(self, rule: str) -> bool:
        """Whether the profile has a severity for the rule."""
        cell = self.profile.cell(rule)
        return cell is not None and cell.severity is not None

    def is_error(self, rule: str) -> bool:
        """Whether the provider refuses what breaks the rule."""
        cell = self.profile.cell(rule)
        return cell is not None and cell.severity == "error"

    def refuses(self, rule: str, severity: Severity | None = None) -> str:
        """The verb for what the provider does: "may refuse" where a refusal is not certain.

        `severity` overrides the profile's, as in `add`.
        """
        return "refuses" if severity == "error" or (severity is None and self.is_error(rule)) else "may refuse"

    def accepts_not(self, rule: str) -> str:
        """The same verb the other way round: "may not accept" where a refusal is not certain."""
        return "does not accept" if self.is_error(rule) else "may not accept"

    def new_id(self, id_: Any, number: int = 1, name: str | None = None) -> str:
        """A new id derived from `id_` that the profile accepts; `name` is the tool's.

        It differs from every id in the transcript and from those handed out before.
        """
        return self._ids.make(id_, number, name)

    def new_server_id(self, id_: str) -> str:
        """As `new_id`, for a call of the provider's own tools."""
        return self._ids.make_server(id_)

    @property
    def handed_out(self) -> frozenset[str]:
        """The new ids that rules have asked for."""
        return frozenset(self._ids.made) if "_ids" in self.__dict__ else frozenset()

    def free_id(self, id_: str) -> bool:
        """Claim an id: whether nothing has it yet; if so it counts as handed out."""
        if self._ids.in_use(id_):
            return False
        self._ids.take((id_,))
        self._ids.made.append(id_)
        return True

    def note_on_new_id(self, id_: Any) -> str | None:
        """A note for a rename: what the old id encodes, and which other files refer to it."""
        notes = [note for note in (loss(id_, self.profile.new_ids), self.files_naming(id_)) if note]
        return "; ".join(notes) or None

    def add(
        self,
        rule: str,
        text: str,
        where: Where,
        *,
        cause: Cause | None = None,
        fixes: Fixes = (),
        no_fix: str | None = None,
        guess: bool = False,
        severity: Severity | None = None,
        impact: Impact | None = None,
        count: int = 1,
    ) -> bool:
        """Add a problem unless the profile accepts it.

        `severity` and `impact` override what follows from the profile. `fixes` that need new ids are a function: it is
        called after all checks, so that ids do not depend on the order of checks; it returns None if there is no
        problem after all.
        """
        cell = self.profile.cell(rule)
        judged = severity or (cell.severity if cell else None)
        if judged is None:
            return False
        message, block = where.at or (None, None)
        concerned = tuple(dict.fromkeys(pair.index for pair in where.pairs if pair is not None))
        problem = Problem(
            rule=rule,
            severity=judged,
            own_impact=impact or ("stops" if judged == "error" else "harmless"),
            evidence=cell.evidence if cell and cell.severity else "documented",
            text=text,
            message=message,
            block=block,
            pair=concerned[0] if concerned else None,
            record=where.record if where.record is not None else self._record_of(where),
            call=where.call,
            result=where.result,
            others=where.others,
            about=where.about,
            cause=cause,
            fixes=() if callable(fixes) else tuple(fixes),
            no_fix=no_fix or (LEFT if guess else None),
            guess=guess,
            pairs=concerned,
            until=where.until,
            count=count,
        )
        self.problems.append(problem)
        if callable(fixes):
            self._fixes_to_come[id(problem)] = fixes
        return True

    def _record_of(self, where: Where) -> int | None:
        anchor = where.call or where.result
        if anchor is not None and anchor.record is not None:
            return anchor.record
        records = self.messages[where.at[0]].records if where.at is not None and self.messages else ()
        return records[0] if records else None

    def make_fixes(self) -> None:
        """Make the fixes that need new ids, in the order of the problems."""
        if not self._fixes_to_come:
            return
        made: list[Problem] = []
        for problem in self.problems:
            make = self._fixes_to_come.get(id(problem))
            fixes = make() if make is not None else problem.fixes
            if fixes is not None:
                made.append(problem if make is None else replace(problem, fixes=tuple(fixes)))
        self._fixes_to_come.clear()
        self.problems = made


def tool_of(block: Block | None) -> str:
    """The tool's name, for a sentence."""
    return block.name if block is not None and block.name and block.name.strip() else "A tool"


def keep_as_text(result: Block, tool: str | None) -> ReplaceWithText:
    """The edit that keeps an output as labelled text, next to its images."""
    content = result_content(result)
    media: tuple[Any, ...] = ()
    text = content
    if isinstance(content, list):
        media = tuple(media_of(content))
        text = [part for part in content if not any(part is kept for kept in media)]
    return ReplaceWithText(result, f"{kept_output_label(tool)}\n{text_of(text)}{said_besides(result)}", media)


def call_as_text(call: Block) -> ReplaceWithText:
    """The edit that keeps a call without a result as labelled text, with its input."""
    return ReplaceWithText(call, f"{kept_call_label(call.name)}\n{argument_text(call)}{said_besides(call)}")


def remove_call(pair: Pair, *, results: bool = True) -> Fix:
    """The fix that removes a call, by default with its results."""
    assert pair.call is not None
    real = [result for result in pair.results if is_real_output(result)]
    loses = "its input"
    if real and results:
        loses += f" and its output ({output_lines(real[:1])})"
    edits: tuple[Edit, ...] = (Remove(pair.call), *(Remove(result) for result in pair.results if results))
    return Fix("remove-call", "remove the call", edits, loses=loses)


def with_edits(*edits: Edit | None) -> tuple[Edit, ...]:
    """The edits that are not None."""
    return tuple(edit for edit in edits if edit is not None)
