"""A session: a file, its problems, the fixes that are staged, and saving. The one thing that cli and tui know."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Final, Literal

from toolpair.conversation import Judged, request_of
from toolpair.formats import REGISTRY, all_formats, get_format
from toolpair.formats.base import Format, Item, View
from toolpair.overview import Group, Row, Verdict, groups_of, rows_of, title_for, verdict_of
from toolpair.recipes.engine import Pick, mend
from toolpair.recipes.recommended import pick as pick_recommended
from toolpair.recipes.recommended import pick_without_guesses
from toolpair.rules.base import Cause, Fix, OnResume, Problem
from toolpair.rules.error_texts import Recognised
from toolpair.rules.profiles import PROFILES, Profile
from toolpair.rules.profiles import profile as profile_named
from toolpair.source.beside import FilesBeside
from toolpair.source.container import Container, ConversationSource, read_container
from toolpair.source.document import Document
from toolpair.source.errors import Refused, SaveFailed, Unreadable
from toolpair.source.opening import Snapshot, from_bytes, open_source
from toolpair.source.saving import SaveResult, save_as, save_in_place
from toolpair.source.values import cleaned, pieces
from toolpair.transcript.content import block_text, call_summary
from toolpair.transcript.edits import Answer, Edit, Split
from toolpair.transcript.model import PLACEHOLDER, Block, Damaged, Message, Transcript
from toolpair.transcript.pairing import Pair

_SAMPLE: Final = 200
SessionError = Unreadable

__all__ = [
    "PLACEHOLDER",
    "Block",
    "Cause",
    "Change",
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
        for edit in edits:
            if isinstance(edit, Split):
                body = document.record(edit.record).body
                value = document.record(edit.record).value
                glued = isinstance(value, Damaged) and value.rule == "record.glued"
                document = document.replace(edit.record, pieces(body) if glued else [cleaned(body)])
        others = [edit for edit in edits if not isinstance(edit, Split)]
        if others:
            document = document.rewrite(self.judged.apply(others))
        return replace(self, document=document, judged=self.judged.with_items(_items(document)))

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
    """What a save did. `resume` is what to type, or do, to go on with the session."""

    path: Path
    backup: Path | None
    notes: tuple[str, ...]
    resume: str | None


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

    `leaf` is the id of the record that the history is to end at, where the file has branches.
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
    return Session(snapshot, container, [found or known for found in formats], profile, leaf)


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
    if "payload" in seen and "timestamp" in seen:
        what = "looks like a Codex rollout, which this version does not read"
    elif "parts" in seen:
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
        judged = Judged(_items(source.document), found, profile, request_of(source.outer), self._view)
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
        kept = [tuple(row for row in rows if row is not staged) for rows, _ in self._steps]
        current = self.current
        self._now = self._original
        self._steps = []
        self._undone = []
        for rows in kept:
            before = self._now
            made: list[Staged] = []
            for row in rows:
                self.current = row.conversation
                made.extend(self._again(row))
            if made:
                self._push(tuple(_merged(made)), before)
        self.current = current

    def _again(self, row: Staged) -> list[Staged]:
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
        return made

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

    def block_json(self, block: Block) -> str:
        return json.dumps(block.value, ensure_ascii=False, indent=2)

    def call_summary(self, block: Block) -> str:
        return call_summary(block)

    def find(self, where: str) -> Target | None:
        """An id, `line:N`, `record:N`, `pair:N`, or an error text as an API gave it. None for an empty text."""
        from toolpair.finding import find

        return find(self, where)

    # --- saving ------------------------------------------------------------------------------------------

    def chunks(self) -> Iterator[bytes]:
        """The file with the staged fixes, in pieces."""
        return self._container.chunks([found.document for found in self._now])

    def to_bytes(self) -> bytes:
        return b"".join(self.chunks())

    def save(self) -> Saved:
        """Write the file in place and keep the original beside it. Raises Refused or SaveFailed with one sentence."""
        if not self.writable:
            raise Refused(f"{self.shown_name} cannot be saved in place: {self.writable_reason}; save a copy instead.")
        result = save_in_place(self._snapshot, self.chunks())
        saved = self._saved(result)
        self._snapshot = replace(self._snapshot, data=self.to_bytes(), identity=result.identity)
        self._start_again(read_container(self._snapshot.data, self.shown_name))
        return saved

    def save_as(self, path: str | Path, force: bool = False) -> Saved:
        """Write a copy. Raises Refused when the path exists, unless `force`."""
        return self._saved(save_as(path, self.chunks(), force=force))

    def _saved(self, result: SaveResult) -> Saved:
        backup = Path(result.backup) if result.backup is not None else None
        return Saved(Path(result.path), backup, tuple(result.notes), self.resume_command())

    def resume_command(self) -> str | None:
        """What to type, or do, to go on with the session."""
        return self.conversation.judged.format.resume_command(self.transcript)


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
