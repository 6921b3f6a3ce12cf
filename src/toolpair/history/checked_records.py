"""One list of messages, read and checked: a conversation of a file, or a list in a program's memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import replace

from toolpair.dialects.anthropic import STAND_INS
from toolpair.formats import writer_of
from toolpair.formats.engine.detection.list_evidence import is_foreign
from toolpair.formats.format import (
    AS_RESUMED,
    Format,
    Item,
    NotesOnFixes,
    SentRequest,
    View,
)
from toolpair.rules.context import Context
from toolpair.rules.judge import Judgement, judge
from toolpair.rules.odd_records import no_message, no_numbers
from toolpair.rules.problem import KEPT_ASIDE, Fix, OnResume, Problem, recommends_placeholder
from toolpair.rules.profiles import Profile
from toolpair.rules.value_types import check_request
from toolpair.rules.wire import wire_of
from toolpair.source.document import Document
from toolpair.source.errors import Refused
from toolpair.source.gc_pause import gc_paused
from toolpair.source.indexed_records import IndexedRecords
from toolpair.transcript.edits import Edit, KeepAside, Rename, ShrinkImages
from toolpair.transcript.model import Damaged, EmptyObject, Transcript, WindowEdges
from toolpair.transcript.pairing import Pair, Pairing, pair

if TYPE_CHECKING:
    from toolpair.formats.agent import Agent
    from toolpair.formats.engine.damage.damaged import DamagedRecords
    from toolpair.history.id_places import IdPlaces
    from toolpair.history.judged_request import JudgedRequest
    from toolpair.rules.errors.message_counting import Source
    from toolpair.rules.where import NamedPlace

_PASSED_BY: Final = Damaged("record.bad_json", "its agent does not accept it as a record")


class Ids(Struct, frozen=True, eq=False, dict=True):
    """The ids of one file, or of one list in memory, as far as anybody asks for them."""

    document: Document | None
    items: Sequence[Item]
    format: Format

    @cached_property
    def places(self) -> IdPlaces:
        from toolpair.history.id_places import IdPlaces

        return IdPlaces(self.document, self.items, self.format)


class CheckedRecords(Struct, frozen=True, eq=False, dict=True):
    """Records of one format, with everything computed from them. Immutable; edits return a new object."""

    items: Sequence[Item]
    format: Format
    profile: Profile
    request: Callable[[Transcript], Transcript] | None = None
    """Adds what the request says besides its messages (declared tools, thinking)."""
    view: View = AS_RESUMED
    document: Document | None = None
    """The bytes of the records, if they are in a file."""
    edges: WindowEdges | None = None
    """What surrounds the records, if they are a window of a longer history."""
    given: Transcript | None = None
    """The transcript, if it is known already."""
    look: Callable[[], SentRequest | None] | None = None
    """What the agent would send, if that is known already."""
    as_judged: Judgement | None = None
    """The judgement, if it is known already."""
    ids: Ids | None = None
    """Where ids stand in the file, or in the list, of which these are records."""
    readable: Mapping[int, Any] = {}
    """The values, by uid, that the agent's parser was found to take before the last edits."""
    sound: bool = False
    """Whether it is known that no record is damaged."""

    @cached_property
    def transcript(self) -> Transcript:
        if self.given is not None:
            return self.given
        with gc_paused():
            read = self.format.read(self.items, self.view)
            read = self.request(read) if self.request is not None else read
        if self.edges is None:
            return read
        return read.within(self.edges, STAND_INS if read.frame is None else read.frame.around)

    @property
    def seen(self) -> SentRequest | None:
        """What the agent would send if it resumed now; None when the records belong to no agent."""
        return self.look_up()

    @property
    def sends_nothing(self) -> bool:
        """Whether its agent would refuse to resume it."""
        seen = self.seen
        return seen is not None and seen.refuses is not None

    @cached_property
    def look_up(self) -> Callable[[], SentRequest | None]:
        """A function that computes `seen`, once. It holds no reference to this object, so that problems may hold it."""
        if self.look is not None:
            return self.look
        all_items, format, transcript, damaged = self.items, self.format, self.transcript, self.damaged

        @cache
        def look() -> SentRequest | None:
            gone = damaged.skipped if damaged is not None else frozenset()
            items = _passed_by(all_items, gone) if gone else all_items
            with gc_paused():
                seen = format.sees(items, transcript) if format.sees is not None else None
            refused = damaged.refused if damaged is not None else None
            return seen if seen is None or refused is None else replace(seen, refuses=refused)

        return look

    @cached_property
    def damaged(self) -> DamagedRecords | None:
        """The damaged records, if the records are in a file; None when all are sound."""
        if self.document is None or self.sound or self._sound(self.document):
            return None
        from toolpair.formats.engine.damage.damaged import DamagedRecords

        return DamagedRecords(self.format, self.items, self.transcript, self.document, self._without)

    def _without(self, gone: Set[int]) -> tuple[Sequence[Item], Transcript]:
        """The records as an agent has them that cannot read those with these uids, and their transcript."""
        left = replace(self, items=_passed_by(self.items, gone), given=None)
        return left.items, left.transcript

    def _sound(self, document: Document) -> bool:
        if is_odd_around(document):
            return False
        if any(isinstance(item.value, Damaged) for item in self.items):
            return False
        sent = {uid for message in self.transcript.messages for uid in message.records}
        levels_refused = self.format.levels_refused
        if levels_refused is not None:
            new = (item for item in self.items if self.readable.get(item.uid) is not item.value)
            if any(item.uid in sent and levels_refused(item.value) is not None for item in new):
                return False
        return not document.flaws(sent)

    @property
    def judged_by(self) -> Profile:
        """The profile, narrowed to the family of the transcript's model, and as strict as the file's program."""
        return self.profile.for_model(self.transcript.model).stricter(self.format.stricter)

    @cached_property
    def pairing(self) -> Pairing:
        return pair(self.transcript) if self.as_judged is None else self.as_judged.pairing

    @cached_property
    def judgement(self) -> Judgement:
        if self.as_judged is not None:
            return self.as_judged
        with gc_paused():
            unreadable = self.damaged.unreadable() if self.damaged is not None else None
            found = judge(
                self.transcript,
                self.judged_by,
                self._on_resume(),
                self._of_the_file,
                unreadable,
                _sent(self.look_up),
                wire_of(self.profile.base) == wire_of(self.format.profile),
                self.pairing,
            )
        found = replace(found, problems=self._as_fixed_here(found.problems))
        if self.ids is not None and any(map(recommends_placeholder, found.problems)):
            self.ids.places.want(found.problems, self.transcript, found.pairing)
        return found

    def named(self, rules: Iterable[str], place: NamedPlace) -> tuple[Problem, ...]:
        """What these rules find at a place only because an error text names it."""
        from toolpair.rules.named import named_problems

        return self._as_fixed_here(named_problems(self.transcript, self.pairing, self.judged_by, rules, place))

    def _as_fixed_here(self, problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
        """The problems with what fixes come to in files of this format."""
        if self.format.is_guess:
            return ()
        if (why := self.format.read_only) is not None:
            problems = tuple(replace(problem, fixes=(), no_fix=why) for problem in problems)
        if self.document is None:
            problems = tuple(map(_in_memory, problems))
        if self.format.notes_on_fixes is not None:
            problems = self._with_notes(problems, self.format.notes_on_fixes)
        return problems

    def _with_notes(self, problems: Sequence[Problem], notes_on: NotesOnFixes) -> tuple[Problem, ...]:
        """The problems with notes on what else each fix changes in a file of this format."""
        notes = iter(notes_on(self.items, self.transcript, [f for p in problems for f in p.fixes]))
        return tuple(replace(problem, fixes=tuple(map(_noted, problem.fixes, notes))) for problem in problems)

    def _on_resume(self) -> Callable[[Transcript, Problem], OnResume | None]:
        """A function that finds what becomes of a problem. It holds no reference to this object: problems hold it."""
        damaged, look, own, profile = self.damaged, self.look_up, self.transcript, self.judged_by
        beside, format = self.view.beside, self.format

        @cache
        def writer() -> Agent | None:
            return writer_of(format.id, own, beside.file if beside is not None else None)

        @cache
        def judged_request() -> JudgedRequest | None:
            """What its agent would send, to be judged; None when that is not known."""
            seen = look()
            if seen is None:
                return None
            from toolpair.history.judged_request import JudgedRequest

            return JudgedRequest(seen, own, profile)

        def on_resume(transcript: Transcript, problem: Problem) -> OnResume | None:
            found = damaged.on_resume(problem) if damaged is not None else None
            if found is not None:
                seen = look()
                return found if seen is None else replace(found, version=seen.version)
            agent = writer()
            if agent is None:
                return None
            found = agent.on_resume(transcript, problem, look())
            request = None if found is not None or agent.tells_all else judged_request()
            if request is None:
                return found
            from toolpair.history.becomes import what_becomes  # most files have no problem

            return what_becomes(agent, problem, request)

        return on_resume

    def _of_the_file(self, context: Context) -> None:
        """Problems of the records themselves."""
        if self.damaged is not None:
            self.damaged.check(context)
        elif self.document is None:
            check_request(context)
            for item in () if self.transcript.native else self.items:
                no_numbers(context, item.uid, item.value)
        if self.format.knows is None:
            for values, records, lines in self._no_messages():
                no_message(context, values[0], records, lines, in_file=self.document is not None)
        if self.format.check is not None:
            self.format.check(context, self.items, self.view)

    def _no_messages(self) -> Iterator[tuple[list[Any], list[int], int]]:
        """Elements of the list that are not messages: values, uids, and the number of lines.

        In a file, consecutive ones of one kind are reported together.
        """
        document = self.document
        values: list[Any] = []
        records: list[int] = []
        count = 0
        for item in self.items:
            value = item.value
            odd = isinstance(value, EmptyObject) or not isinstance(value, (dict, Damaged))
            foreign = is_foreign(value)
            wanted = foreign or (odd and not self.transcript.native)
            if values and (not wanted or foreign or document is None or type(value) is not type(values[0])):
                yield values, records, count
                values, records, count = [], [], 0
            if wanted:
                values.append(value)
                records.append(item.uid)
                count += document.record(item.uid).count if document is not None else 1
        if values:
            yield values, records, count

    @property
    def pairs(self) -> Sequence[Pair]:
        return self.judgement.pairs

    @cached_property
    def problems(self) -> Sequence[Problem]:
        """As judged, but for placeholders that are not recommended since the call's id stands elsewhere.

        The file is searched for all that was judged by then: ask when all of it is.
        """
        found = self.judgement.problems
        if self.ids is None or not any(map(recommends_placeholder, found)):
            return found
        return self.ids.places.settled(found, self.items, self.document, self.edges is None)

    def apply(self, edits: Sequence[Edit]) -> list[Item]:
        """The records after the edits."""
        for edit in edits if self.ids is not None else ():
            if isinstance(edit, Rename) and edit.block.kind == "call" and self.ids is not None:
                self.ids.places.rename(edit.block.id, edit.id)
        of_content = [_carried_out(edit) for edit in edits if not isinstance(edit, KeepAside)]
        return self.format.apply(self.items, self.transcript, of_content)

    def by(self, profile: Profile) -> CheckedRecords:
        """The same records checked with another profile; what does not depend on it is kept."""
        return replace(self, profile=profile, given=self.transcript, look=self.look_up, as_judged=None)

    def viewed(self, view: View) -> CheckedRecords:
        """The same records under another view."""
        return self._of(self.items, self.document, view)

    def _of(self, items: Sequence[Item], document: Document | None, view: View) -> CheckedRecords:
        """Other records, or others to look at, of which nothing is known."""
        return CheckedRecords(items, self.format, self.profile, self.request, view, document, self.edges, ids=self.ids)

    def with_items(self, items: Sequence[Item]) -> CheckedRecords:
        return self._of(items, self.document, self.view)

    def with_document(self, document: Document) -> CheckedRecords:
        """The same settings for the records of another state of the document."""
        found = self._of(items_of(document), document, self.view)
        if self.format.levels_refused is None or self.damaged is not None:
            return found
        sent = {uid for message in self.transcript.messages for uid in message.records}
        return replace(found, readable={item.uid: item.value for item in self.items if item.uid in sent})


def is_odd_around(document: Document) -> bool:
    """Whether something is wrong with a document that stands in none of its records."""
    return bool(document.mark or document.commas or document.cut_end is not None or document.flaws_around)


def _passed_by(items: Iterable[Item], gone: Set[int]) -> list[Item]:
    return [Item(item.uid, _PASSED_BY) if item.uid in gone else item for item in items]


def _in_memory(problem: Problem) -> Problem:
    """The problem of a list that has no file beside it, in which fixes could keep what they remove."""
    if not any(fix.loses is not None and fix.loses.endswith(KEPT_ASIDE) for fix in problem.fixes):
        return problem
    fixes = (replace(fix, loses=fix.loses and fix.loses.removesuffix(KEPT_ASIDE)) for fix in problem.fixes)
    return replace(problem, fixes=tuple(fixes))


def _carried_out(edit: Edit) -> Edit:
    """The edit with what only carrying it out can tell. Raises Refused where it cannot be carried out."""
    if not isinstance(edit, ShrinkImages):
        return edit
    from toolpair.dialects.shrinking import CannotShrink, shrunk

    try:
        return shrunk(edit)
    except CannotShrink as error:
        raise Refused(str(error)) from None


def _sent(look: Callable[[], SentRequest | None]) -> Callable[[], list[Source] | None]:
    """What its agent sends, which is what the API counts."""

    def sent() -> list[Source] | None:
        seen = look()
        if seen is None:
            return None
        return [(message.role, [part.block for part in message.parts]) for message in seen.messages]

    return sent


def items_of(document: Document) -> list[Item]:
    """The records of a document as formats see them: the same value objects each time."""
    with gc_paused():
        if isinstance(document.records, IndexedRecords):
            document.records.read()
        over = document.over_lines
        if not over:
            return [Item(record.uid, record.value) for record in document.records]
        return [Item(record.uid, over.get(record.uid, record.value)) for record in document.records]


def passed_items(document: Document) -> list[Item] | None:
    """The same for one pass through them: no record is made. None where the records are not those of a file."""
    records = document.records
    if not isinstance(records, IndexedRecords):
        return None
    with gc_paused():
        return [*map(Item, records.uids, records.values())]


def _noted(fix: Fix, note: str | None) -> Fix:
    return fix if note is None else replace(fix, note=f"{fix.note}; {note}" if fix.note else note)


def request_of(outer: Any, format: Format | None = None) -> Callable[[Transcript], Transcript] | None:
    """What the object around a list of messages says, as a function on the transcript; None when it says nothing."""
    if not isinstance(outer, dict):
        return None
    if format is not None and format.with_outer is not None:
        with_outer = format.with_outer
        return lambda transcript: with_outer(transcript, outer)
    from toolpair.dialects.request_bodies import request_facts  # most files have no such body

    said = request_facts(outer)
    if said is None:
        return None

    def with_request(transcript: Transcript) -> Transcript:
        if said.calls_elsewhere:
            from toolpair.formats.lists.openai_responses import with_calls_kept_elsewhere

            transcript = with_calls_kept_elsewhere(transcript)
        model = transcript.model or said.model
        return replace(transcript, declared_tools=said.declared_tools, thinking=said.thinking, model=model)

    return with_request
