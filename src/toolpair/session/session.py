"""A session: a file, its problems, the fixes that are staged, and saving. The one thing that cli and tui know."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from toolpair.formats import REGISTRY, get_format
from toolpair.formats.format import Branching, Companion, Format, View
from toolpair.formats.recognising import (
    format_of,
    format_of_all,
    is_settled,
    no_such_format,
    not_recognised,
    told_format,
)
from toolpair.history.conversation import SHORT, SMALL, Conversation, Location, Target, lines_text, weight
from toolpair.history.judged import Judged, items_of, request_of
from toolpair.history.summary import Group, Row, Verdict
from toolpair.history.verdict_text import saving_text, waiting_text
from toolpair.rules.problem import Cause, Fix, OnResume, Problem
from toolpair.rules.profiles import Profile, is_profile, no_such_profile, profile_names
from toolpair.rules.profiles import profile as profile_named
from toolpair.session.staging import Applied, Decision, Staged, Staging, edits_of
from toolpair.shell.program import command
from toolpair.source.beside import FilesBeside
from toolpair.source.container import Container, ConversationSource, read_container
from toolpair.source.document import Document
from toolpair.source.errors import Refused, SaveFailed, Unreadable
from toolpair.source.limits import Limits
from toolpair.source.packing import SUFFIX, pack
from toolpair.source.snapshot import Snapshot, from_bytes, open_source
from toolpair.transcript.content import block_text, call_summary, text_of
from toolpair.transcript.edits import Answer
from toolpair.transcript.model import PLACEHOLDER, Block, Branch, Message, Transcript
from toolpair.transcript.pairing import Pair

if TYPE_CHECKING:
    from pathlib import Path

    from toolpair.history.link_places import Link
    from toolpair.history.losses import Losses
    from toolpair.history.sent_rows import SeenRow
    from toolpair.recipes.careful import HeldBack
    from toolpair.recipes.engine import Pick
    from toolpair.recipes.recipe import Options, Recipe
    from toolpair.session.following import Dropped, Followed, Watch
    from toolpair.session.recipe_trial import Trial as Trial  # noqa: PLC0414 - to be imported from here
    from toolpair.source.byte_runs import Piece
    from toolpair.source.changes import Change
    from toolpair.source.columns import Columns
    from toolpair.source.mark import Mark, Since
    from toolpair.source.saving import Backup as Backup  # noqa: PLC0414 - to be imported from here
    from toolpair.source.saving import FileSave, Progress, SaveResult

SessionError = Unreadable
T = TypeVar("T")

__all__ = [
    "PLACEHOLDER",
    "Block",
    "Branch",
    "Cause",
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
    "Session",
    "SessionError",
    "Staged",
    "Target",
    "Transcript",
    "Verdict",
    "lines_text",
    "open_session",
    "saving_text",
    "waiting_text",
]


class Saved(Struct, frozen=True):
    """What a save did. `resume` is what to type, or do, to go on with the session.

    `aside` is the file that holds what fixes set aside, `removed` are older backups that the limit took away.
    """

    path: Path
    backup: Path | None
    notes: tuple[str, ...]
    resume: str | None
    aside: Path | None = None
    removed: tuple[Path, ...] = ()


class State(Struct, frozen=True, eq=False):
    """What a file holds at one moment: its bytes, where the conversations are in it, and these."""

    snapshot: Snapshot
    container: Container
    formats: tuple[Format, ...]
    conversations: tuple[Conversation, ...]

    def judge(self, current: int) -> None:
        """Judge the conversation with this index (the last one where there are fewer) before it is asked for."""
        self.conversations[min(current, len(self.conversations) - 1)].problems  # noqa: B018


def open_session(
    path: str | Path,
    *,
    data: bytes | None = None,
    format: str | None = None,
    profile: str | None = None,
    leaf: str | None = None,
    progress: Callable[[int], None] | None = None,
    checking: Callable[[int, int], None] | None = None,
    reporting: bool = False,
    agent_version: str | Callable[[str], str | None] | None = None,
    max_size: int | None = None,
) -> Session:
    """Open a session file. With `data` its bytes are these and `path` is the name to show.

    `leaf` is the id (or its beginning) of the record that the history is to end at, where the file has branches.
    `progress` is told how many bytes of a large file have been read, `checking` how many of its doubtful stretches
    have been judged, and of how many; what they raise ends the reading.
    `reporting`: its problems are told, but nothing is shown or changed, so that less has to stay in memory.
    `agent_version` resumes the file (or what this finds by the format's id); by default the newest that was measured.
    `max_size` is how many bytes are read of a single line, or unpacked, at most; None: 1 GB, or 4 GB.
    Raises SessionError with one sentence when it cannot be read or is no transcript that is understood.
    """
    limits = Limits.of(max_size)
    snapshot = from_bytes(data, str(path), limits) if data is not None else open_source(path, limits)
    if format is not None and format not in REGISTRY:
        raise SessionError(no_such_format(format))
    if profile is not None and not is_profile(profile):
        raise SessionError(no_such_profile(profile))
    container = read_container(snapshot.data, snapshot.shown, limits=limits)
    wanted = get_format(format) if format is not None else None
    formats = [wanted or _first_look(source.document, profile) for source in container.conversations]
    known = next((found for found in formats if found is not None), None)
    if known is None:
        raise SessionError(not_recognised([source.document for source in container.conversations], snapshot.shown))
    beside = FilesBeside(snapshot.path) if snapshot.path is not None else None
    resumed_by = agent_version(known.id) if callable(agent_version) else agent_version
    view = View(leaf, beside, agent_version=resumed_by, reporting=reporting)
    session = Session(
        snapshot, container, [found or known for found in formats], format, profile, view, progress, checking
    )
    if leaf is not None and session.transcript.leaf is None:
        raise SessionError(_no_leaf(leaf, snapshot.shown))
    return session


def _first_look(document: Document, profile: str | None) -> Format | None:
    """The format by the beginning; where that tells none, by all of it."""
    found = format_of(document, profile)
    return format_of_all(document, profile) if found is None and not is_settled(document, found) else found


def _no_leaf(leaf: str, shown: str) -> str:
    return (
        f"{shown} has no history that ends at {leaf!r}, or several records' ids start with it; "
        f"`{command('check --output-format json')}` lists its branches."
    )


class Session:
    """A session file with the fixes that are staged on it. Nothing touches the disk until `save`."""

    def __init__(
        self,
        snapshot: Snapshot,
        container: Container,
        formats: Sequence[Format],
        format: str | None,
        profile: str | None,
        view: View,
        progress: Callable[[int], None] | None = None,
        checking: Callable[[int, int], None] | None = None,
    ) -> None:
        """`formats` are what was found, `format` and `profile` what was asked for."""
        self._view = view
        self._shown = snapshot.shown
        self._alone = len(container.conversations) == 1
        self._formats = tuple(formats)
        self._chosen_format = format
        self._chosen_profile = profile
        self.format: Format = formats[-1]
        self.profile: Profile = profile_named(profile or self.format.profile)
        self._warnings: tuple[str, ...] = ()
        self._watch: Watch | None = None
        self._remembers = False
        self._losses: tuple[tuple[Conversation, ...], Losses] | None = None
        self._decided = format is not None
        """The formats are settled: what they were found to be is what the file goes on in."""
        self._hold(self._state(snapshot, container, progress, checking))
        self._decided = True
        self.format = self._formats[-1]
        self.profile = self._profile_for(self.format)
        self.current = len(self.conversations) - 1

    def _state(
        self,
        snapshot: Snapshot,
        container: Container,
        progress: Callable[[int], None] | None = None,
        checking: Callable[[int, int], None] | None = None,
    ) -> State:
        """A state of the file as this session looks at it."""
        # A file goes on in the format that it has; what is new in it is of the kind that came last.
        missing = len(container.conversations) - len(self._formats)
        formats = (*self._formats, *[self.format] * missing)[: len(container.conversations)]
        conversations = tuple(
            self._conversation(number, source, found, len(snapshot.data) >= SMALL, progress, checking)
            for number, (source, found) in enumerate(zip(container.conversations, formats, strict=True), 1)
        )
        return State(snapshot, container, tuple(found.format for found in conversations), conversations)

    def _hold(self, state: State, staging: Staging | None = None) -> None:
        """This is what the file holds, and what is staged on it: nothing, where that is not said."""
        self._snapshot = state.snapshot
        self._columns: Columns | None = None
        self._container = state.container
        self._formats = state.formats
        self._staging = staging or Staging(state.conversations)
        self._losses = None  # of what the file held until now, which need not stay

    def _conversation(
        self,
        number: int,
        source: ConversationSource,
        found: Format,
        large: bool,
        progress: Callable[[int], None] | None = None,
        checking: Callable[[int, int], None] | None = None,
    ) -> Conversation:
        """`found` is what was told by its beginning; all of it decides, where that was not asked before."""
        document, request = source.document, request_of(source.outer)
        settled = self._decided or is_settled(document, found)
        if large or len(document) >= SHORT:
            from toolpair.history.open_windows import OtherFormat, opened_long

            def opened(found: Format) -> Conversation | None:
                profile = self._profile_for(found)
                decide = None if settled else partial(told_format, kind=document.kind, profile=self._chosen_profile)
                return opened_long(number, source, found, profile, request, self._view, progress, decide, checking)

            try:
                long = opened(found)
            except OtherFormat as turned_out:
                found, settled = self._turned_out(document, found, turned_out.format), True
                long = opened(found)
            if long is not None:
                return long
        if not settled:
            found = self._turned_out(document, found, format_of_all(document, self._chosen_profile, keep=True))
        judged = Judged(items_of(document), found, self._profile_for(found), request, self._view, document)
        return Conversation(number, source.label, source, document, judged)

    def _turned_out(self, document: Document, looked: Format, found: Format | None) -> Format:
        """The format that all of the records tell of, where a beginning looked like another."""
        if found is not None:
            return found
        if not self._alone:
            return looked  # what is told of the others holds for it, too
        raise SessionError(not_recognised([document], self._shown))

    def _profile_for(self, found: Format) -> Profile:
        """The profile that was asked for; where none was, that of the format."""
        return profile_named(self._chosen_profile or found.profile)

    # --- what there is -----------------------------------------------------------------------------------

    @property
    def path(self) -> Path | None:
        from pathlib import Path

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
    def current_format(self) -> Format:
        """That of the current conversation."""
        return self._formats[self.current]

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
            return "its compressed data is cut off or damaged, and what follows cannot be read"
        if self._snapshot.path is None:
            return "it was read from standard input"
        return None

    @property
    def conversations(self) -> tuple[Conversation, ...]:
        return self._staging.now

    @property
    def conversation(self) -> Conversation:
        return self._staging.now[self.current]

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
        return sum(found.damaged for found in self.conversations) + self._container.damaged_outside

    @property
    def verdict_before(self) -> Verdict:
        """The current conversation's verdict as the file holds it, judged as now."""
        return self.conversation_before.verdict

    @property
    def verdicts_before(self) -> tuple[Verdict, ...]:
        """Of every conversation, as the file holds it."""
        return tuple(found.verdict for found in self._staging.original)

    def rows(self) -> Sequence[Row]:
        """What the pair list shows, in order."""
        return self.conversation.rows

    @property
    def profiles(self) -> tuple[str, ...]:
        """The names of all profiles that the transcript can be judged by, families of models behind their provider."""
        return profile_names()

    def set_profile(self, id_: str) -> None:
        """Judge by another profile. Staged fixes stay."""
        before = self.profile, self._chosen_profile
        profile = self.profile = profile_named(id_)
        self._chosen_profile = id_
        try:
            self._staging.judge_anew(lambda found: self._opened_anew(found) or found.by(profile))
        except BaseException:
            self.profile, self._chosen_profile = before
            raise

    def _opened_anew(self, found: Conversation) -> Conversation | None:
        """A large conversation that is as the file holds it, as it would be opened now; None for others.

        One that could only be judged whole need not be so under another profile, or on the agent's own branch.
        """
        source = self._container.conversations[found.number - 1]
        large = len(self._snapshot.data) >= SMALL
        if found.in_stretches or found.document is not source.document or not large or self._view.leaf is not None:
            return None
        return self._conversation(found.number, source, self._formats[found.number - 1], large)

    def profile_title(self, id_: str) -> str:
        return profile_named(id_).title

    def verdict_by(self, id_: str) -> Verdict:
        """What another profile says of the current conversation as it is now. Nothing is changed by asking."""
        return self.conversation.by(profile_named(id_)).verdict

    @property
    def branches(self) -> tuple[Branch, ...]:
        """The ways through the current conversation, the newest first; none where there is only one."""
        return self.transcript.branches

    def opened_again(self) -> Session:
        """What the file holds now, without what is staged, looked at in the same way: format, profile, branch.

        Raises SessionError with one sentence when it cannot be read.
        """
        assert self.path is not None
        opened = partial(self.open_beside, str(self.path), format=self._chosen_format, profile=self._chosen_profile)
        if self._view.leaf is not None:
            with contextlib.suppress(SessionError):  # the branch may be gone
                return opened(leaf=self._view.leaf)
        return opened()

    def open_beside(
        self,
        path: str,
        /,
        *,
        data: bytes | None = None,
        progress: Callable[[int], None] | None = None,
        checking: Callable[[int, int], None] | None = None,
        format: str | None = None,
        profile: str | None = None,
        leaf: str | None = None,
    ) -> Session:
        """Open a file that belongs to this one, resumed by the same agent and read within the same limits.

        Raises SessionError with one sentence when it cannot be read.
        """
        limits = self._snapshot.limits
        return open_session(
            path,
            data=data,
            format=format,
            profile=profile,
            leaf=leaf,
            progress=progress,
            checking=checking,
            agent_version=self._view.agent_version,
            max_size=limits.line if limits.asked_for else None,
        )

    def choose_leaf(self, leaf: str | None) -> None:
        """Look at the history that ends at this record (its id, or a beginning of it); None: as its agent goes on.

        Raises ValueError when no one record is called so, and when fixes are staged: these were chosen on the
        history that is looked at, and could be neither shown nor put on again on another.
        """
        if self.staged:
            raise ValueError("Save or undo the applied fixes first: they were chosen on this branch.")
        before, self._view = self._view, replace(self._view, leaf=leaf)
        try:
            chosen = self._opened_anew(self.conversation) or self.conversation.viewed(self._view)
            if leaf is not None and chosen.transcript.leaf is None:
                raise ValueError(_no_leaf(leaf, self.shown_name))
        except BaseException:
            self._view = before
            raise
        self._staging.look_at(self.current, chosen)

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
        best = min(self.problems, key=weight, default=None)
        return best if best is not None and best.severity != "info" else None

    def location(self, problem: Problem, conversation: Conversation | None = None) -> Location:
        """Where the problem stands in the file."""
        conversation = conversation or self.conversation
        place = conversation.location(problem)
        many = self.kind == "document" or conversation.source.line is not None
        if not many or place.bytes is None or place.line is None or self.changed:
            return place
        if self._columns is None:
            from toolpair.source.columns import Columns

            self._columns = Columns(self._snapshot.data)
        return replace(place, column=self._columns.of(place.bytes[0]))

    # --- fixes -------------------------------------------------------------------------------------------

    def draft(self, heed: Callable[[int], None] | None = None) -> Session:
        """The same session, to stage on from another thread; this one stays as it is until it `accept`s the draft.

        `heed` is told how many problems a step of many fixes has mended so far; what it raises ends the step.
        """
        other = copy(self)
        other._staging = self._staging.copy(heed)
        return other

    def accept(self, draft: Session) -> None:
        """Go on as a draft of this session does. Nothing else may have been staged meanwhile."""
        self.profile, self._chosen_profile = draft.profile, draft._chosen_profile
        self._staging = draft._staging.copy()
        self._losses = draft._losses

    @property
    def steps(self) -> tuple[tuple[Staged, ...], ...]:
        """What is staged, in the steps that undo takes."""
        return self._staging.steps

    def put_on(self, steps: Sequence[Sequence[Applied]]) -> list[Dropped]:
        """Apply decisions again that were made on this or another state of the file, on top of what is staged.

        Gives back those that could not be, with the reason.
        """
        from toolpair.session.following import Dropped, reason

        left = self._staging.put_on(steps)
        now = self.conversations
        return [Dropped(decision.fix_id, decision.rule, reason(now, row, decision)) for row, decision in left]

    @property
    def staged(self) -> Sequence[Staged]:
        return tuple(row for rows in self._staging.steps for row in rows)

    @property
    def changed(self) -> bool:
        return self._staging.changed

    @property
    def left(self) -> Sequence[Problem]:
        """Errors of all conversations that group fixes pass by: guesses, and what no fix is safe for."""
        return tuple(
            problem for found in self.conversations for problem in found.problems if problem.severity == "error"
        )

    def stage(self, problem: Problem, fix: Fix | None = None, text: str | None = None) -> Staged:
        """Put a fix on, the recommended one by default; `text` replaces a placeholder's.

        Raises ValueError when the problem has no fix.
        """
        chosen = fix or problem.recommended
        if chosen is None:
            raise ValueError(problem.no_fix or "There is no fix for this problem.")
        return self._staging.stage(self.current, problem, chosen, text)

    def stage_group(self, group: Group) -> Staged | None:
        """Put the recommended fix on every problem of the group that needs no guess."""
        wanted = {problem.key for problem in group.problems}
        return self.stage_where(
            lambda problem: _certain(problem) if problem.key in wanted and problem.rule == group.rule else None
        )

    def stage_all(self) -> Staged | None:
        """Mend every error of this conversation that needs no guess, as one step."""
        from toolpair.recipes.recommended import pick_without_guesses

        return self.stage_where(pick_without_guesses)

    def stage_recommended(self) -> Staged | None:
        """As `stage_all`; where there is something to guess the choice that guesses nothing is taken."""
        from toolpair.recipes.recommended import pick

        return self.stage_where(pick)

    def stage_where(self, pick: Pick) -> Staged | None:
        """Take the fixes that `pick` chooses until it chooses none, as one step to undo. None when there were none."""
        return self._staging.stage_where(self.current, pick)

    @property
    def recipes(self) -> Sequence[Recipe]:
        """The named ways to mend a whole conversation."""
        from toolpair.recipes import RECIPES

        return tuple(RECIPES.values())

    def stage_recipe(self, name: str, options: Options | None = None) -> Staged | None:
        """Carry a recipe out on the current conversation, as one step to undo. None when it has nothing to do.

        Raises KeyError for an unknown one.
        """
        from toolpair.recipes import RECIPES
        from toolpair.recipes.recipe import DEFAULT

        return self._staging.stage_recipe(self.current, RECIPES[name], options or DEFAULT)

    def try_recipe(self, name: str, options: Options | None = None) -> Trial:
        """What a recipe would make of the current conversation with what is staged on it. Nothing is staged.

        Can be asked from another thread. Raises KeyError for an unknown recipe.
        """
        from toolpair.recipes import RECIPES
        from toolpair.recipes.recipe import DEFAULT
        from toolpair.session.recipe_trial import try_recipe

        return try_recipe(self.current, self.conversation, RECIPES[name], options or DEFAULT)

    @property
    def losses(self) -> Losses:
        """What is gone from what is sent by all that is staged, measured by comparing what was with what is."""
        from toolpair.history.losses import NOTHING

        now = self._staging.now
        if self._losses is None or self._losses[0] is not now:
            found = (after.losses_since(then) for then, after in zip(self._staging.original, now, strict=True))
            self._losses = (now, sum(found, NOTHING))
        return self._losses[1]

    @property
    def held_back(self) -> tuple[HeldBack, ...]:
        """Recommended fixes that were not taken, because the agent would then send less; their problems still stand."""
        found: list[HeldBack] = []
        for at, held in self._staging.held_back.items():
            why = {one.problem.key: one for one in held}
            standing = self.conversations[at].problems if held else ()
            found += [replace(why[problem.key], problem=problem) for problem in standing if problem.key in why]
        return tuple(found)

    def undo(self) -> Staged | None:
        """Take the last step off. The exact bytes of before are back."""
        return self._staging.undo()

    def redo(self) -> Staged | None:
        """Put the last step that was taken off on again."""
        return self._staging.redo()

    def unstage(self, staged: Staged) -> None:
        """Take one row of the review out; what else was staged is put on again without it."""
        self._staging.unstage(staged)

    def put_back(self, staged: Staged) -> Sequence[Problem] | None:
        """Put a row on again that was taken out. Gives back what it mends; None when that is not there any more."""
        return self._staging.put_back(staged)

    # --- looking -----------------------------------------------------------------------------------------

    def preview(self, problem: Problem, fix: Fix, text: str | None = None) -> list[Change]:
        """What that fix alone would change, against what is staged."""
        before = self.conversation
        from toolpair.source.changes import changes

        return list(changes(before.document, before.apply(edits_of(fix, text)).document))

    def changes(self) -> list[Change]:
        """All that is staged, against the file."""
        from toolpair.source.changes import changes

        return [
            change
            for then, now in zip(self._staging.original, self._staging.now, strict=True)
            for change in changes(then.document, now.document)
        ]

    def block_text(self, block: Block) -> str:
        """What the model reads in the block. Untrusted: show it through `text/`."""
        return block_text(block)

    def links_of(self, fix: Fix) -> Sequence[Link]:
        """The links that the fix would make, and what stands at both their ends. Untrusted."""
        from toolpair.history.link_places import links_of

        return tuple(links_of(self.document, fix))

    def output_of(self, fix: Fix) -> str | None:
        """What the model would read as the result that the fix puts in, None when it puts none in. Untrusted."""
        content = next((edit.content for edit in fix.edits if isinstance(edit, Answer)), None)
        return text_of(content) if content is not None else None

    def seen_rows(self, conversation: Conversation | None = None) -> Iterator[SeenRow]:
        """What the model would see of the conversation, and what is left out of it."""
        from toolpair.history.sent_rows import seen_rows

        return seen_rows((conversation or self.conversation).judged)

    def seen_text(self, row: SeenRow) -> str:
        """What the model reads in a row of `seen_rows`. Untrusted."""
        from toolpair.history.sent_rows import row_text

        return row_text(row)

    @property
    def conversation_before(self) -> Conversation:
        """The current conversation as the file holds it."""
        return self._staging.original[self.current]

    def block_json(self, block: Block) -> str:
        return json.dumps(block.value, ensure_ascii=False, indent=2)

    def call_summary(self, block: Block) -> str:
        return call_summary(block)

    def find(self, where: str) -> Target | None:
        """An id, `line:N`, `message:N`, `pair:N`, `record:N` or an error text of an API. None for an empty text."""
        from toolpair.session.find import find

        return find(self, where)

    # --- living with its agent ---------------------------------------------------------------------------

    def follow(self) -> Followed | None:
        """Look whether the file has changed, and take up what it holds now. None when nothing has: one `stat`.

        What is staged is put on again; what cannot be is dropped, with its reason. A record that is still being
        written waits for the next look. Raises SessionError when the file has changed and cannot be read.
        """
        from toolpair.session.following import Watch, counts_of, followed

        self._watch = self._watch or Watch()
        news = self._watch.look(self._snapshot)
        if news is None:
            return None
        if news.change is None:
            self._snapshot = news.snapshot or self._snapshot
            return None
        try:
            before = counts_of(self._staging.original)
        except Unreadable:
            before = 0, 0, 0  # nobody can tell any more what the file held
        left: list[tuple[Staged, Decision]] = []
        if news.snapshot is not None and news.container is not None:
            try:
                left = self._take_up(news.snapshot, news.container, news.change == "grown")
            except BaseException:
                self._watch = None  # the next look finds the same again
                raise
        return followed(news.change, before, counts_of(self._staging.original), self.conversations, left)

    def _take_up(self, snapshot: Snapshot, container: Container, grown: bool) -> list[tuple[Staged, Decision]]:
        """Go on with what the file holds now; what is staged and finds no place in it is handed back.

        All or nothing: with the new snapshot and the old records a save would leave out what has come.
        """
        from toolpair.source.growth import carry_over
        from toolpair.source.saving import remembered

        if grown:
            for old, new in zip(self._container.conversations, container.conversations, strict=False):
                carry_over(old.document, new.document)
        if snapshot.path is not None:
            # The files beside it may hold something else now, too.
            self._view = replace(self._view, beside=FilesBeside(snapshot.path))
        if self._remembers:
            snapshot = remembered(snapshot)
        state = self._state(snapshot, container)
        staging = Staging(state.conversations)
        left = staging.put_on_again(self._staging.steps)
        self._hold(state, staging)
        self.current = min(self.current, len(container.conversations) - 1)
        return left

    def pending(self, pair: int) -> bool:
        """Whether the pair is a call at the very end that waits for its result: no problem while its agent runs."""
        return self.pairs[pair].state == "pending"

    @property
    def warnings(self) -> tuple[str, ...]:
        """What `look_around` has found, one sentence each. Untrusted names may stand in them."""
        return self._warnings

    def look_around(self) -> tuple[str, ...]:
        """Look which processes write to the file, and which agents run in its folder; at most 0.3 s."""
        from toolpair.session.surroundings import index_notes, warnings

        self._warnings = (*warnings(self), *index_notes(self))
        return self._warnings

    def leftovers(self) -> tuple[str, ...]:
        """What saves that were killed have left beside the file, one sentence each; removed where that is possible."""
        from toolpair.session.surroundings import leftover_notes

        return leftover_notes(self.path) if self.path is not None else ()

    def look_around_after_saving(self) -> tuple[str, ...]:
        """As `look_around`; what fails in it is told as one more sentence, since the file is saved."""
        none: tuple[str, ...] = ()
        found, failed = _attempted("who else works with the file", self.look_around, none)
        return (*found, *failed)

    # --- saving ------------------------------------------------------------------------------------------

    def chunks(self) -> Iterator[bytes]:
        """The file with the staged fixes, in pieces."""
        from toolpair.source.byte_runs import chunks_of

        return chunks_of(self._pieces(), self._snapshot.data)

    def patch(self, name: str) -> Iterator[bytes]:
        """What is staged as a unified diff for `patch`, in pieces. `name` is what the file is called in it."""
        from toolpair.source.patch import unified

        return unified(self._pieces(), self._snapshot.data, name)

    def _pieces(self) -> Iterator[Piece]:
        """The same, with what is as it is in the file as runs of it."""
        return self._container.runs([found.document for found in self.conversations])

    def to_bytes(self) -> bytes:
        return b"".join(self.chunks())

    def save(
        self, allow_links: bool = False, keep_backups: int | None = None, progress: Progress | None = None
    ) -> Saved:
        """Write the file in place and keep the original beside it. Raises Refused or SaveFailed with one sentence.

        `allow_links`: although the file has other names, which keep the old content. `keep_backups` is how many
        backups are left afterwards; else TOOLPAIR_BACKUPS in the environment says it, else all are.
        `progress` is told how many bytes are written; what it raises ends the save, and nothing is changed then.
        Records that its agent has appended meanwhile stay in the file, and the session holds them from then on.
        """
        saving = self.saving(allow_links, keep_backups)
        saving.write(progress)
        saved, state = self.saved_and_after(saving)
        if state is not None:
            self.go_on(state)
        return saved

    def saving(self, allow_links: bool = False, keep_backups: int | None = None) -> FileSave:
        """`save` in steps: `write` of what is given back, then `saved`, and to go on with the session `after`, `go_on`.

        `write` and `after` may run in another thread, as long as nothing is staged and the file is not followed.
        Raises Refused.
        """
        if not self.writable:
            raise Refused(
                f"{self.shown_name} cannot be saved in place: {self.writable_reason}; save a copy instead.", "form"
            )
        from toolpair.source.saving import FileSave, limit_of_backups

        documents = [found.document for found in self.conversations]
        limit = limit_of_backups(keep_backups)
        return FileSave(self._snapshot, self._container, documents, allow_links=allow_links, keep_backups=limit)

    def saved(self, saving: FileSave) -> Saved:
        """What a save in place has done, in the words for whoever asked for it."""
        from toolpair.session.surroundings import index_notes

        assert saving.result is not None
        saved = self._saved(saving.result)
        none: tuple[str, ...] = ()
        notes, failed = _attempted("what its agent keeps of the file", lambda: index_notes(self), none)
        return replace(saved, notes=(*saved.notes, *notes, *failed))

    def after(self, saving: FileSave) -> State:
        """What the file holds after the save."""
        return self._state(*saving.read_again())

    def saved_and_after(self, saving: FileSave, judged: bool = False) -> tuple[Saved, State | None]:
        """`saved`, and `after`, which is judged then if that is wanted.

        The file is saved: where it cannot be read again, a note says so, and there is no state to go on with.
        """

        def state() -> State | None:
            found = self.after(saving)
            if judged:
                found.judge(self.current)
            return found

        saved = self.saved(saving)
        after, failed = _attempted("what it holds now", state, None)
        return replace(saved, notes=(*saved.notes, *failed)), after

    def go_on(self, state: State) -> None:
        """Hold this state of the file from now on. Nothing is staged then."""
        self._hold(state)
        self.current = min(self.current, len(self.conversations) - 1)

    def save_as(self, path: str | Path, force: bool = False, progress: Progress | None = None) -> Saved:
        """Write a copy, packed when its name ends in .zst. Raises Refused when the path exists, unless `force`.

        `progress` is as for `save`.
        """
        from toolpair.source.saving import save_as, source_of

        snapshot = self._snapshot
        source = source_of(snapshot)
        pieces: Iterable[Piece]
        if str(path).endswith(SUFFIX):
            packing = snapshot.packing
            pieces = [packing.raw] if packing is not None and not self.changed else pack(self.chunks())
        else:
            pieces = self.chunks() if source is None else self._pieces()
        return self._saved(save_as(path, pieces, force=force, aside=self.set_aside, source=source, progress=progress))

    def remember(self) -> None:
        """Take what tells a large file later from one that was changed: for a save although its agent goes on.

        Reads a file that is not in memory once; may run in another thread.
        """
        from toolpair.source.saving import remembered

        self._remembers = True
        before = self._snapshot
        after = remembered(before)
        if self._snapshot is before:
            self._snapshot = after

    @property
    def view(self) -> View:
        """How the file is looked at."""
        return self._view

    @property
    def chosen_profile(self) -> str | None:
        """The profile that was asked for; None for what the format suggests."""
        return self._chosen_profile

    def marker(self) -> Callable[[], Mark]:
        """Makes the mark of what the file holds now; may be called in another thread, and raises SessionError."""
        from toolpair.source.mark import Mark

        return partial(Mark.of, self._snapshot)

    def since(self, mark: Mark) -> Since:
        """What has become of the file since it had this mark. Raises SessionError."""
        return mark.since(self._snapshot)

    @property
    def grown(self) -> int:
        """By how many bytes the staged fixes make the file longer."""
        return sum(found.document.size for found in self._staging.now) - sum(
            found.document.size for found in self._staging.original
        )

    @property
    def set_aside(self) -> tuple[bytes, ...]:
        """What the staged fixes set aside, in the order of the file's conversations."""
        return tuple(piece for found in self.conversations for piece in found.document.aside)

    def backups(self) -> Sequence[Backup]:
        """What saves in place have kept of the file, the newest first."""
        from toolpair.source.saving import backups

        return backups(self.path) if self.path is not None else ()

    def restore(self, backup: Backup | Path, progress: Progress | None = None, only_as_is: bool = False) -> Saved:
        """Put a backup in the file's place; what the file holds now becomes a backup itself.

        The session goes on as it was: open the file again to see what it holds now. `progress` is as for `save`.
        `only_as_is`: only while the file holds what this session has of it. Raises Refused or SaveFailed.
        """
        from toolpair.source.saving import restore

        if self.path is None:
            raise Refused("There is no file to restore, because it came from standard input.")
        only_over = self._snapshot if only_as_is else None
        return self._saved(restore(self.path, backup, progress=progress, only_over=only_over))

    def _saved(self, result: SaveResult) -> Saved:
        from pathlib import Path

        backup = Path(result.backup) if result.backup is not None else None
        resume, failed = _attempted("the way to go on", lambda: self.resume_command(Path(result.path)), None)
        return Saved(Path(result.path), backup, (*result.notes, *failed), resume, result.aside, result.removed)

    def resume_command(self, saved: Path | None = None) -> str | None:
        """What to type, or do, to go on with the session, or with the copy of it that was `saved` elsewhere."""
        from toolpair.session.surroundings import resume_command

        return resume_command(self, saved)


def _attempted(what: str, found: Callable[[], T], otherwise: T) -> tuple[T, tuple[str, ...]]:
    """What `found` returns, and no sentence; `otherwise` and why not, where it fails. For what follows a save."""
    try:
        return found(), ()
    except Exception as error:
        if os.environ.get("TOOLPAIR_TRACEBACK"):
            raise
        return otherwise, (f"The file is saved, but {what} could not be looked up ({type(error).__name__}: {error}).",)


def _certain(problem: Problem) -> Fix | None:
    best = problem.recommended
    return None if problem.guess or best is None or not best.certain else best
