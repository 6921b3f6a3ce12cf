"""A session: a file, its problems, the fixes that are staged, and saving. The one thing that cli and tui know."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from toolpair.conversation import Judged, request_of
from toolpair.formats import REGISTRY, all_formats, get_format
from toolpair.formats.base import Branching, Companion, Format, Item, View
from toolpair.overview import Group, Row, Verdict, groups_of, rows_of, title_for, verdict_of
from toolpair.recipes.engine import Pick, mend
from toolpair.recipes.recommended import pick as pick_recommended
from toolpair.recipes.recommended import pick_without_guesses
from toolpair.rules.base import Cause, Fix, OnResume, Problem
from toolpair.rules.error_texts import Recognised
from toolpair.rules.profiles import PROFILES, Profile
from toolpair.rules.profiles import profile as profile_named
from toolpair.seen_rows import SeenRow, row_text, seen_rows
from toolpair.source.beside import FilesBeside
from toolpair.source.container import Container, ConversationSource, read_container
from toolpair.source.document import Document
from toolpair.source.errors import Refused, SaveFailed, Unreadable
from toolpair.source.opening import Identity, Snapshot, from_bytes, open_source
from toolpair.source.packing import SUFFIX, Packing, pack
from toolpair.source.saving import (
    Backup,
    SaveResult,
    backups,
    limit_of_backups,
    restore,
    save_as,
    save_in_place,
)
from toolpair.transcript.content import block_text, call_summary
from toolpair.transcript.edits import Answer, Edit, MendBytes
from toolpair.transcript.model import PLACEHOLDER, Block, Branch, Damaged, Message, Transcript
from toolpair.transcript.pairing import Pair

if TYPE_CHECKING:
    from toolpair.following import Followed

_SAMPLE: Final = 200
SessionError = Unreadable

__all__ = [
    "PLACEHOLDER",
    "Backup",
    "Block",
    "Branch",
    "Cause",
    "Change",
    "Companion",
    "Conversation",
    "Fix",
    "Group",
    "Location",
    "Message",
    "OnResume",
    "Pair",
    "Problem",
    "Profile",
    "Refused",
    "Row",
    "SaveFailed",
    "Saved",
    "SeenRow",
    "Session",
    "SessionError",
    "Staged",
    "Target",
    "Transcript",
    "Verdict",
    "open_session",
]


@dataclass(frozen=True, eq=False)
class Conversation:
    """One list of messages in the file, as it is with the staged fixes."""

    number: int
    """From 1, as a person counts."""
    label: str
    source: ConversationSource
    document: Document
    judged: Judged

    @property
    def transcript(self) -> Transcript:
        return self.judged.transcript

    @property
    def pairs(self) -> Sequence[Pair]:
        return self.judged.pairs

    @property
    def problems(self) -> Sequence[Problem]:
        return self.judged.problems

    def apply(self, edits: Sequence[Edit]) -> Conversation:
        """The conversation after the edits, read again from the document that they make."""
        document = self.document
        others = [edit for edit in edits if not isinstance(edit, MendBytes)]
        if others:
            document = document.rewrite(self.judged.apply(others))
        bytes_of = [(edit.record, edit.how, edit.behind) for edit in edits if isinstance(edit, MendBytes)]
        if bytes_of:
            document = document.mend_all(bytes_of)
        return replace(self, document=document, judged=self.judged.with_document(document))

    @cached_property
    def verdict(self) -> Verdict:
        return verdict_of(self.judged)

    @cached_property
    def worst(self) -> dict[int, Problem]:
        """Pair -> its worst problem."""
        worst: dict[int, Problem] = {}
        for problem in sorted(self.problems, key=_weight):
            for pair in problem.pairs:
                worst.setdefault(pair, problem)
        return worst

    def inactive_problems(self) -> Sequence[Problem]:
        """The problems of what is not sent, each history judged by itself; found at the first call."""
        return self._inactive

    @cached_property
    def _inactive(self) -> tuple[Problem, ...]:
        from toolpair.inactive import inactive_problems

        return tuple(inactive_problems(self.judged))

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        return groups_of(self.problems)

    @cached_property
    def rows(self) -> list[Row]:
        order = {record.uid: number for number, record in enumerate(self.document.records)}
        return rows_of(self.judged, order)


@dataclass(frozen=True, slots=True)
class Location:
    """Where a problem is. Records, messages, blocks and pairs count from 0, lines from 1, bytes are half-open."""

    record: int | None = None
    line: int | None = None
    bytes: tuple[int, int] | None = None
    message: int | None = None
    block: int | None = None
    pair: int | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """One record before and after. `line` is its line in the file as it was opened."""

    kind: Literal["changed", "added", "removed", "moved"]
    record: int | None
    line: int | None
    before: bytes | None
    after: bytes | None


@dataclass(frozen=True, slots=True)
class Target:
    """What an id, a place or an error text leads to."""

    pair: int | None
    message: int | None
    problem: Problem | None
    text: str
    """One sentence: what was found, or why not."""
    recognised: Recognised | None = None


@dataclass(frozen=True, slots=True)
class _Decision:
    """A fix for a problem, named so that it can be taken again on another state of the document."""

    rule: str
    record: int | None
    call_id: str
    result_id: str
    fix_id: str
    text: str | None

    @classmethod
    def of(cls, problem: Problem, fix: Fix, text: str | None) -> _Decision:
        return cls(problem.rule, problem.record, _id_of(problem.call), _id_of(problem.result), fix.id, text)

    def find(self, problems: Sequence[Problem]) -> tuple[Problem, Fix] | None:
        same = [found for found in problems if found.rule == self.rule]
        for strict in (True, False):
            for found in same:
                ids = (_id_of(found.call), _id_of(found.result)) == (self.call_id, self.result_id)
                if ids and (not strict or found.record == self.record):
                    fix = next((fix for fix in found.fixes if fix.id == self.fix_id), None)
                    if fix is not None:
                        return found, fix
        return None


def _id_of(block: Block | None) -> str:
    return "" if block is None else repr(block.id)


@dataclass(frozen=True, eq=False)
class Staged:
    """Fixes of one kind that are staged, one row of the review."""

    title: str
    count: int
    fix_ids: tuple[str, ...]
    rules: tuple[str, ...]
    loses: str | None
    lines_changed: int
    lines_added: int
    lines_removed: int
    tools: tuple[str, ...]
    conversation: int
    step: int = 0
    placeholders: int = 0
    decisions: tuple[_Decision, ...] = field(default=(), repr=False)

    @property
    def problems(self) -> int:
        return self.count


@dataclass(frozen=True, slots=True)
class Saved:
    """What a save did. `resume` is what to type, or do, to go on with the session.

    `aside` is the file that holds what fixes set aside, `removed` are older backups that the limit took away.
    """

    path: Path
    backup: Path | None
    notes: tuple[str, ...]
    resume: str | None
    aside: Path | None = None
    removed: tuple[Path, ...] = ()


def _items(document: Document) -> list[Item]:
    return [Item(record.uid, record.value) for record in document.records]


def open_session(
    path: str | Path,
    *,
    data: bytes | None = None,
    format: str | None = None,
    profile: str | None = None,
    leaf: str | None = None,
) -> Session:
    """Open a session file. With `data` its bytes are these and `path` is the name to show.

    `leaf` is the id (or its beginning) of the record that the history is to end at, where the file has branches.
    Raises SessionError with one sentence when it cannot be read or is no transcript that is understood.
    """
    snapshot = from_bytes(data, str(path)) if data is not None else open_source(path)
    if format is not None and format not in REGISTRY:
        raise SessionError(f"There is no format {format!r}; `toolpair formats` lists them.")
    if profile is not None and profile not in PROFILES:
        raise SessionError(f"There is no profile {profile!r}; `toolpair profiles` lists them.")
    container = read_container(snapshot.data, snapshot.shown)
    formats = [_format_of(source, format) for source in container.conversations]
    known = next((found for found in formats if found is not None), None)
    if known is None:
        raise SessionError(_not_recognised(snapshot.shown, container))
    session = Session(snapshot, container, [found or known for found in formats], profile, leaf)
    if leaf is not None and session.transcript.leaf is None:
        raise SessionError(_no_leaf(leaf, snapshot.shown))
    return session


def _no_leaf(leaf: str, shown: str) -> str:
    return (
        f"{shown} has no history that ends at {leaf!r}, or more than one record's id begins so; "
        "`toolpair check --output-format json` lists its branches."
    )


def _format_of(source: ConversationSource, wanted: str | None) -> Format | None:
    if wanted is not None:
        return get_format(wanted)
    document = source.document
    values = [value for record in document.records[:_SAMPLE] if not isinstance(value := record.value, Damaged)]
    best, best_score = None, 0
    for candidate in all_formats():
        if document.kind not in candidate.containers:
            continue
        score = candidate.sniff(values)
        if score > best_score:
            best, best_score = candidate, score
    return best


def _not_recognised(shown: str, container: Container) -> str:
    seen = {
        key
        for source in container.conversations
        for record in source.document.records[:_SAMPLE]
        if isinstance(value := record.value, dict)
        for key in value
    }
    what = "holds no transcript that toolpair understands"
    if "parts" in seen:
        what = "looks like a Gemini conversation, which this version does not read"
    elif sum(len(source.document.records) for source in container.conversations) <= 1:
        what = "is JSON, but there is no list of messages in it"
    return f"{shown} {what}; `toolpair formats` lists what it reads, and --format names one."


class Session:
    """A session file with the fixes that are staged on it. Nothing touches the disk until `save`."""

    def __init__(
        self,
        snapshot: Snapshot,
        container: Container,
        formats: Sequence[Format],
        profile: str | None,
        leaf: str | None = None,
    ) -> None:
        self._snapshot = snapshot
        self._view = View(leaf, FilesBeside(snapshot.path) if snapshot.path is not None else None)
        self._formats = tuple(formats)
        self._chosen_profile = profile
        self.format: Format = formats[-1]
        self.profile: Profile = profile_named(profile or self.format.profile)
        self._warnings: tuple[str, ...] = ()
        self._looked: Identity | None = None
        """The state in which the file was last seen, where that is not the snapshot's."""
        self._gone = False
        self._start_again(container)
        self.current = len(self._original) - 1

    def _start_again(self, container: Container) -> None:
        """Nothing is staged: what is in the container is what the file holds."""
        self._container = container
        self._original = tuple(
            self._conversation(number, source, found)
            for number, (source, found) in enumerate(zip(container.conversations, self._formats, strict=True), 1)
        )
        self._now = self._original
        self._steps: list[tuple[tuple[Staged, ...], tuple[Conversation, ...]]] = []
        """Each undo step: the staged rows that it made and the conversations before it."""
        self._undone: list[tuple[tuple[Staged, ...], tuple[Conversation, ...]]] = []

    def _conversation(self, number: int, source: ConversationSource, found: Format) -> Conversation:
        profile = self.profile if self._chosen_profile or found is self.format else profile_named(found.profile)
        judged = Judged(_items(source.document), found, profile, request_of(source.outer), self._view, source.document)
        return Conversation(number, source.label, source, source.document, judged)

    # --- what there is -----------------------------------------------------------------------------------

    @property
    def path(self) -> Path | None:
        return Path(self._snapshot.path) if self._snapshot.path is not None else None

    @property
    def shown_name(self) -> str:
        return self._snapshot.shown

    @property
    def size(self) -> int:
        return len(self._snapshot.data)

    @property
    def kind(self) -> str:
        """The container: "document", "lines" or "python"."""
        return self._container.kind

    @property
    def writable(self) -> bool:
        """Whether the file itself can be saved in place."""
        return self.writable_reason is None

    @property
    def writable_reason(self) -> str | None:
        """Why it cannot be saved in place, one phrase."""
        if not self._container.writable:
            return self._container.reason or "this kind of file is never written back"
        if self._snapshot.packing is not None and not self._snapshot.packing.whole:
            return "its compressed data is cut off or damaged, and what follows there cannot be read"
        if self._snapshot.path is None:
            return "it was read from standard input"
        return None

    @property
    def conversations(self) -> tuple[Conversation, ...]:
        return self._now

    @property
    def conversation(self) -> Conversation:
        return self._now[self.current]

    @property
    def transcript(self) -> Transcript:
        return self.conversation.transcript

    @property
    def document(self) -> Document:
        return self.conversation.document

    @property
    def pairs(self) -> Sequence[Pair]:
        return self.conversation.pairs

    @property
    def problems(self) -> Sequence[Problem]:
        return self.conversation.problems

    @property
    def groups(self) -> Sequence[Group]:
        return self.conversation.groups

    @property
    def verdict(self) -> Verdict:
        return self.conversation.verdict

    @property
    def damaged(self) -> int:
        """How many records of the file cannot be read."""
        inside = sum(
            scope == "malformed" for conversation in self._now for scope in conversation.transcript.scopes.values()
        )
        return inside + self._container.damaged_outside

    @property
    def verdict_before(self) -> Verdict:
        """The current conversation's verdict as the file holds it, judged as now."""
        return self._original[self.current].verdict

    @property
    def verdicts_before(self) -> tuple[Verdict, ...]:
        """Of every conversation, as the file holds it."""
        return tuple(found.verdict for found in self._original)

    def rows(self) -> list[Row]:
        """What the pair list shows, in order."""
        return self.conversation.rows

    @property
    def profiles(self) -> tuple[str, ...]:
        """The ids of all profiles that the transcript can be judged by."""
        return PROFILES

    def set_profile(self, id_: str) -> None:
        """Judge by another profile. Staged fixes stay."""
        self.profile = profile_named(id_)
        self._chosen_profile = id_

        def judged_anew(conversations: tuple[Conversation, ...]) -> tuple[Conversation, ...]:
            return tuple(replace(found, judged=replace(found.judged, profile=self.profile)) for found in conversations)

        self._original = judged_anew(self._original)
        self._now = judged_anew(self._now)
        self._steps = [(rows, judged_anew(before)) for rows, before in self._steps]
        self._undone = [(rows, judged_anew(after)) for rows, after in self._undone]

    @property
    def branches(self) -> tuple[Branch, ...]:
        """The ways through the current conversation, the newest first; none where there is only one."""
        return self.transcript.branches

    def choose_leaf(self, leaf: str | None) -> None:
        """Look at the history that ends at this record (its id, or a beginning of it); None: as its agent goes on.

        Raises ValueError when no one record is called so, and when fixes are staged: these were chosen on the
        history that is looked at, and could be neither shown nor put on again on another.
        """
        if self._steps:
            raise ValueError("Save or undo the staged fixes first: they were chosen on this branch.")
        view = replace(self._view, leaf=leaf)
        chosen = self.conversation
        chosen = replace(chosen, judged=replace(chosen.judged, view=view))
        if leaf is not None and chosen.transcript.leaf is None:
            raise ValueError(_no_leaf(leaf, self.shown_name))
        self._view = view
        self._undone.clear()
        self._replace(chosen)
        self._original = self._now

    @property
    def companions(self) -> tuple[Companion, ...]:
        """The sub-agents' sessions in files of their own beside this one. Each can be opened by its path."""
        judged = self.conversation.judged
        beside = self._view.beside
        if beside is None or not isinstance(judged.format, Branching):
            return ()
        return tuple(judged.format.companions(judged.items, judged.transcript, beside))

    def problem_of_pair(self, index: int) -> Problem | None:
        """The worst problem of the pair."""
        return self.conversation.worst.get(index)

    def first_problem(self) -> Problem | None:
        """Where the cursor opens: the first that stops, else that loses, else an error, else a warning."""
        best = min(self.problems, key=_weight, default=None)
        return best if best is not None and best.severity != "info" else None

    def location(self, problem: Problem, conversation: Conversation | None = None) -> Location:
        """Where the problem stands in the file."""
        where = conversation or self.conversation
        document = where.document
        record = problem.record
        anchor = _block_at(where.transcript, problem)
        if anchor is not None:
            record = anchor.record
        if record is None or record not in document:
            return Location(message=problem.message, block=problem.block, pair=problem.pair)
        slot = anchor.slot if anchor is not None else ()
        span: tuple[int, int] | None
        try:
            span = document.span(record, slot)
        except ValueError:
            span = None
        offset = where.source.offset
        if span is not None:
            span = (span[0] + offset, span[1] + offset) if offset is not None else None
        line = where.source.line if where.source.line is not None else document.line_of(record)
        return Location(document.index(record), line, span, problem.message, problem.block, problem.pair)

    # --- fixes -------------------------------------------------------------------------------------------

    @property
    def staged(self) -> Sequence[Staged]:
        return tuple(row for rows, _ in self._steps for row in rows)

    @property
    def changed(self) -> bool:
        return any(now.document is not then.document for now, then in zip(self._now, self._original, strict=True))

    @property
    def left(self) -> Sequence[Problem]:
        """Errors of all conversations that group fixes pass by: guesses, and what no fix is safe for."""
        return tuple(problem for found in self._now for problem in found.problems if problem.severity == "error")

    def stage(self, problem: Problem, fix: Fix | None = None, text: str | None = None) -> Staged:
        """Put a fix on, the recommended one by default; `text` replaces a placeholder's.

        Raises ValueError when the problem has no fix.
        """
        chosen = fix or problem.recommended
        if chosen is None:
            raise ValueError(problem.no_fix or "There is no fix for this problem.")
        before = self._now
        conversation = self.conversation
        after = conversation.apply(_edits(chosen, text))
        row = self._row([(problem, chosen)], conversation, after, text)
        self._push((row,), before)
        self._replace(after)
        return row

    def stage_group(self, group: Group) -> Staged | None:
        """Put the recommended fix on every problem of the group that needs no guess."""
        wanted = {problem.key for problem in group.problems}
        return self.stage_where(
            lambda problem: _certain(problem) if problem.key in wanted and problem.rule == group.rule else None
        )

    def stage_all(self) -> Staged | None:
        """Mend every error of this conversation that needs no guess, as one step."""
        return self.stage_where(pick_without_guesses)

    def stage_recommended(self) -> Staged | None:
        """As `stage_all`; where there is something to guess the choice that guesses nothing is taken."""
        return self.stage_where(pick_recommended)

    def stage_where(self, pick: Pick) -> Staged | None:
        """Take the fixes that `pick` chooses until it chooses none, as one step to undo. None when there were none."""
        before = self._now
        rows: list[Staged] = []
        conversation = self.conversation
        for step in mend(conversation, lambda state, edits: state.apply(edits), pick):
            rows.append(self._row(list(step.taken), step.before, step.after, None))
            conversation = step.after
        if not rows:
            return None
        merged = _merged(rows)
        self._push(tuple(merged), before)
        self._replace(conversation)
        return merged[0] if len(merged) == 1 else _summary(merged)

    def undo(self) -> Staged | None:
        """Take the last step off. The exact bytes of before are back."""
        if not self._steps:
            return None
        rows, before = self._steps.pop()
        self._undone.append((rows, self._now))
        self._now = before
        return rows[0] if len(rows) == 1 else _summary(list(rows))

    def redo(self) -> Staged | None:
        if not self._undone:
            return None
        rows, after = self._undone.pop()
        self._steps.append((rows, self._now))
        self._now = after
        return rows[0] if len(rows) == 1 else _summary(list(rows))

    def unstage(self, staged: Staged) -> None:
        """Take one row of the review out; what else was staged is put on again without it."""
        self._put_on_again([tuple(row for row in rows if row is not staged) for rows, _ in self._steps])

    def _put_on_again(self, steps: Sequence[Sequence[Staged]]) -> list[tuple[Staged, str, str, str]]:
        """Stage these steps on what the file holds. Gives back what found no problem any more.

        Of each such decision the row, the rule, and the ids of call and result as `_Decision` has them.
        """
        current = self.current
        self._now = self._original
        self._steps = []
        self._undone = []
        left: list[tuple[Staged, str, str, str]] = []
        for rows in steps:
            before = self._now
            made: list[Staged] = []
            for row in rows:
                waiting = row.decisions
                if row.conversation < len(self._now):
                    self.current = row.conversation
                    again, waiting = self._again(row)
                    made.extend(again)
                left += [(row, found.rule, found.call_id, found.result_id) for found in waiting]
            if made:
                self._push(tuple(_merged(made)), before)
        self.current = current
        return left

    def _again(self, row: Staged) -> tuple[list[Staged], tuple[_Decision, ...]]:
        """Stage the row's decisions; the second value are those that found no problem."""
        made: list[Staged] = []
        waiting = list(row.decisions)
        while waiting:
            conversation = self.conversation
            found = [
                (decision, pair) for decision in waiting if (pair := decision.find(conversation.problems)) is not None
            ]
            if not found:
                break
            wanted = {id(problem): (fix, decision) for decision, (problem, fix) in found}
            texts = {decision.text for decision, _ in found}
            if len(texts) == 1 and None in texts:
                step = next(
                    mend(
                        conversation,
                        lambda state, edits: state.apply(edits),
                        lambda problem, wanted=wanted: wanted[id(problem)][0] if id(problem) in wanted else None,  # type: ignore[misc]
                    ),
                    None,
                )
                if step is None:
                    break
                taken, after, text = list(step.taken), step.after, None
            else:
                decision, (problem, fix) = found[0]
                taken, after, text = [(problem, fix)], conversation.apply(_edits(fix, decision.text)), decision.text
            done = {id(wanted[id(problem)][1]) for problem, _ in taken}
            made.append(self._row(taken, conversation, after, text))
            self._replace(after)
            waiting = [decision for decision in waiting if id(decision) not in done]
        return made, tuple(waiting)

    def _push(self, rows: tuple[Staged, ...], before: tuple[Conversation, ...]) -> None:
        number = len(self._steps)
        self._steps.append((tuple(replace(row, step=number) for row in rows), before))
        self._undone.clear()

    def _replace(self, after: Conversation) -> None:
        self._now = tuple(after if index == self.current else found for index, found in enumerate(self._now))

    def _row(
        self, taken: Sequence[tuple[Problem, Fix]], before: Conversation, after: Conversation, text: str | None
    ) -> Staged:
        changes = list(_changes(before.document, after.document))
        problem, fix = taken[0]
        answers = [edit for _, chosen in taken for edit in chosen.edits if isinstance(edit, Answer)]
        return Staged(
            title=title_for([chosen for _, chosen in taken]),
            count=len(taken),
            fix_ids=(fix.id,),
            rules=(problem.rule,),
            loses=fix.loses,
            lines_changed=sum(change.kind in ("changed", "moved") for change in changes),
            lines_added=sum(change.kind == "added" for change in changes),
            lines_removed=sum(change.kind == "removed" for change in changes),
            tools=tuple(dict.fromkeys(edit.call.name for edit in answers if edit.call.name)),
            conversation=self.current,
            placeholders=sum(edit.is_error for edit in answers),
            decisions=tuple(_Decision.of(found, chosen, text) for found, chosen in taken),
        )

    # --- looking -----------------------------------------------------------------------------------------

    def preview(self, problem: Problem, fix: Fix, text: str | None = None) -> list[Change]:
        """What that fix alone would change, against what is staged."""
        before = self.conversation
        return list(_changes(before.document, before.apply(_edits(fix, text)).document))

    def changes(self) -> list[Change]:
        """All that is staged, against the file."""
        return [
            change
            for then, now in zip(self._original, self._now, strict=True)
            for change in _changes(then.document, now.document)
        ]

    def block_text(self, block: Block) -> str:
        """What the model reads in the block. Untrusted: show it through `text/`."""
        return block_text(block)

    def seen_rows(self, conversation: Conversation | None = None) -> Iterator[SeenRow]:
        """What the model would see of the conversation, and what is left out of it."""
        return seen_rows((conversation or self.conversation).judged)

    def seen_text(self, row: SeenRow) -> str:
        """What the model reads in a row of `seen_rows`. Untrusted."""
        return row_text(row)

    @property
    def conversation_before(self) -> Conversation:
        """The current conversation as the file holds it."""
        return self._original[self.current]

    def block_json(self, block: Block) -> str:
        return json.dumps(block.value, ensure_ascii=False, indent=2)

    def call_summary(self, block: Block) -> str:
        return call_summary(block)

    def find(self, where: str) -> Target | None:
        """An id, `line:N`, `record:N`, `pair:N`, or an error text as an API gave it. None for an empty text."""
        from toolpair.finding import find

        return find(self, where)

    # --- living with its agent ---------------------------------------------------------------------------

    def follow(self) -> Followed | None:
        """Look whether the file has changed, and take up what it holds now. None when nothing has: one `stat`.

        What is staged is put on again; what cannot be is dropped, with its reason. A record that is still being
        written waits for the next look. Raises SessionError when the file has changed and cannot be read.
        """
        from toolpair.following import follow

        return follow(self)

    def _begin_anew(self, container: Container) -> None:
        """The file holds something else now; the files beside it may, too."""
        if self._snapshot.path is not None:
            self._view = replace(self._view, beside=FilesBeside(self._snapshot.path))
        self._start_again(container)

    def pending(self, pair: int) -> bool:
        """Whether the pair is a call at the very end that waits for its result: no problem while its agent runs."""
        return self.pairs[pair].state == "pending"

    @property
    def warnings(self) -> tuple[str, ...]:
        """What `look_around` has found, one sentence each. Untrusted names may stand in them."""
        return self._warnings

    def look_around(self) -> tuple[str, ...]:
        """Look which processes write to the file, and which agents run in its folder; at most 0.3 s."""
        from toolpair.surroundings import index_notes, warnings

        self._warnings = (*warnings(self), *index_notes(self))
        return self._warnings

    # --- saving ------------------------------------------------------------------------------------------

    def chunks(self) -> Iterator[bytes]:
        """The file with the staged fixes, in pieces."""
        return self._container.chunks([found.document for found in self._now])

    def to_bytes(self) -> bytes:
        return b"".join(self.chunks())

    def save(self, allow_links: bool = False, keep_backups: int | None = None) -> Saved:
        """Write the file in place and keep the original beside it. Raises Refused or SaveFailed with one sentence.

        `allow_links`: although the file has other names, which keep the old content. `keep_backups` is how many
        backups are left afterwards; else TOOLPAIR_BACKUPS in the environment says it, else all are.
        Records that its agent has appended meanwhile stay in the file, and the session holds them from then on.
        """
        if not self.writable:
            raise Refused(
                f"{self.shown_name} cannot be saved in place: {self.writable_reason}; save a copy instead.", "form"
            )
        from toolpair.surroundings import index_notes

        limit = limit_of_backups(keep_backups)
        data = self.to_bytes()
        packed = b"".join(pack([data])) if self._snapshot.packing is not None else None
        result = save_in_place(
            self._snapshot,
            [data if packed is None else packed],
            allow_links=allow_links,
            appendable=packed is None and self.kind == "lines",
            aside=self.set_aside,
            keep_backups=limit,
        )
        saved = self._saved(result)
        saved = replace(saved, notes=(*saved.notes, *index_notes(self)))
        self._snapshot = replace(
            self._snapshot,
            data=data + result.appended,
            identity=result.identity,
            packing=None if packed is None else Packing(packed, True),
        )
        self._start_again(read_container(self._snapshot.data, self.shown_name))
        return saved

    def save_as(self, path: str | Path, force: bool = False) -> Saved:
        """Write a copy, packed when its name ends in .zst. Raises Refused when the path exists, unless `force`."""
        chunks: Iterable[bytes] = self.chunks()
        if str(path).endswith(SUFFIX):
            packing = self._snapshot.packing
            chunks = [packing.raw] if packing is not None and not self.changed else pack(chunks)
        return self._saved(save_as(path, chunks, force=force, aside=self.set_aside))

    @property
    def view(self) -> View:
        """How the file is looked at."""
        return self._view

    @property
    def grown(self) -> int:
        """By how many bytes the staged fixes make the file longer."""
        return sum(now.document.size - then.document.size for then, now in zip(self._original, self._now, strict=True))

    @property
    def set_aside(self) -> tuple[bytes, ...]:
        """What the staged fixes set aside, in the order of the file's conversations."""
        return tuple(piece for found in self._now for piece in found.document.aside)

    def backups(self) -> Sequence[Backup]:
        """What saves in place have kept of the file, the newest first."""
        return backups(self.path) if self.path is not None else ()

    def restore(self, backup: Backup) -> Saved:
        """Put a backup in the file's place; what the file holds now becomes a backup itself.

        The session goes on as it was: open the file again to see what it holds now. Raises Refused or SaveFailed.
        """
        if self.path is None:
            raise Refused("There is no file to put it back to, because it came from standard input.")
        return self._saved(restore(self.path, backup))

    def _saved(self, result: SaveResult) -> Saved:
        backup = Path(result.backup) if result.backup is not None else None
        resume = self.resume_command(Path(result.path))
        return Saved(Path(result.path), backup, tuple(result.notes), resume, result.aside, result.removed)

    def resume_command(self, saved: Path | None = None) -> str | None:
        """What to type, or do, to go on with the session, or with the copy of it that was `saved` elsewhere."""
        from toolpair.surroundings import resume_command

        return resume_command(self, saved)


def _block_at(transcript: Transcript, problem: Problem) -> Block | None:
    """The block that the problem's message and block number name."""
    if problem.message is None or problem.block is None:
        return None
    return transcript.messages[problem.message].blocks[problem.block]


def _weight(problem: Problem) -> tuple[int, int, int]:
    severity = ("error", "warning", "info").index(problem.severity)
    impact = ("stops", "loses", "harmless").index(problem.impact)
    return (min(impact, severity + 1) if severity == 0 else severity + 2, problem.message or 0, problem.block or 0)


def _certain(problem: Problem) -> Fix | None:
    best = problem.recommended
    return None if problem.guess or best is None or not best.certain else best


def _edits(fix: Fix, text: str | None) -> tuple[Edit, ...]:
    if text is None or not fix.placeholder:
        return fix.edits
    return tuple(
        replace(edit, content=text) if isinstance(edit, Answer) and edit.content == PLACEHOLDER else edit
        for edit in fix.edits
    )


def _merged(rows: Sequence[Staged]) -> list[Staged]:
    """Rows with one kind of fix as one row."""
    by_kind: dict[tuple[object, ...], Staged] = {}
    for row in rows:
        key = (row.rules, row.fix_ids, row.conversation)
        known = by_kind.get(key)
        by_kind[key] = row if known is None else _summary([known, row], row.title if row.count > 1 else known.title)
    return list(by_kind.values())


def _summary(rows: Sequence[Staged], title: str | None = None) -> Staged:
    count = sum(row.count for row in rows)
    losses = [row.loses for row in rows if row.loses]
    return Staged(
        title=title or f"{count} fixes",
        count=count,
        fix_ids=tuple(dict.fromkeys(id_ for row in rows for id_ in row.fix_ids)),
        rules=tuple(dict.fromkeys(rule for row in rows for rule in row.rules)),
        loses="; ".join(dict.fromkeys(losses)) or None,
        lines_changed=sum(row.lines_changed for row in rows),
        lines_added=sum(row.lines_added for row in rows),
        lines_removed=sum(row.lines_removed for row in rows),
        tools=tuple(dict.fromkeys(tool for row in rows for tool in row.tools)),
        conversation=rows[0].conversation,
        step=rows[0].step,
        placeholders=sum(row.placeholders for row in rows),
        decisions=tuple(decision for row in rows for decision in row.decisions),
    )


def _changes(before: Document, after: Document) -> Iterator[Change]:
    """The records that differ, in the order of the new document, removed ones at their old place."""
    if before is after:
        return
    if before.mark != after.mark and before.records:
        first = before.records[0]
        yield Change("changed", 0, first.line, before.mark + first.body, after.mark + first.body)
    old = {record.uid: (number, record) for number, record in enumerate(before.records)}
    new = {record.uid for record in after.records}
    for number, record in enumerate(before.records):
        if record.uid not in new:
            yield Change("removed", number, record.line, record.body, None)
    order = [old[record.uid][0] for record in after.records if record.uid in old]
    moved = _out_of_order(order)
    for number, record in enumerate(after.records):
        known = old.get(record.uid)
        if known is None:
            yield Change("added", number, None, None, record.body)
        elif record is not known[1] and record.body != known[1].body:
            yield Change("changed", known[0], known[1].line, known[1].body, record.body)
        elif known[0] in moved:
            yield Change("moved", known[0], known[1].line, known[1].body, record.body)


def _out_of_order(order: Sequence[int]) -> set[int]:
    """The numbers that break the ascending order: those outside one longest ascending run."""
    tails: list[int] = []
    places: list[int] = []
    back: list[int] = [-1] * len(order)
    for place, number in enumerate(order):
        at = bisect_left(tails, number)
        if at == len(tails):
            tails.append(number)
            places.append(place)
        else:
            tails[at], places[at] = number, place
        back[place] = places[at - 1] if at else -1
    kept: set[int] = set()
    place = places[-1] if places else -1
    while place >= 0:
        kept.add(order[place])
        place = back[place]
    return set(order) - kept
