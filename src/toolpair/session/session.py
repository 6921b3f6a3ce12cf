"""A session: a file, its problems, the staged fixes, and saving. The only class that cli and tui work with."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from toolpair.formats.format import Format, SubagentSession, View
from toolpair.history.conversation import Conversation, Location, Target, lines_text
from toolpair.history.summary import CauseGroup, PairRow, Verdict
from toolpair.history.verdict_text import saving_text, waiting_text
from toolpair.rules.problem import Cause, Fix, OnResume, Problem
from toolpair.rules.profiles import Profile
from toolpair.rules.profiles import profile as profile_named
from toolpair.session.opening import FileReader, OpenedState, no_such_leaf, open_file
from toolpair.session.staging import Applied, Decision, Staged, Staging, edits_of
from toolpair.source.container import Container
from toolpair.source.document import Document
from toolpair.source.errors import Refused, SaveFailed, UnreadableFile
from toolpair.source.packing import SUFFIX, pack
from toolpair.source.sibling_files import FilesBeside
from toolpair.source.snapshot import Snapshot
from toolpair.transcript.model import PLACEHOLDER, Block, Branch, Message, Transcript
from toolpair.transcript.pairing import Pair

if TYPE_CHECKING:
    from pathlib import Path

    from toolpair.history.losses import Losses
    from toolpair.recipes.careful import HeldBack
    from toolpair.recipes.engine import Pick
    from toolpair.recipes.recipe import Options
    from toolpair.session.following import Dropped, Followed, Watch
    from toolpair.session.recipe_trial import Trial as Trial  # noqa: PLC0414 - to be imported from here
    from toolpair.session.saving import Saved as Saved  # noqa: PLC0414 - to be imported from here
    from toolpair.session.saving import SaveInPlace
    from toolpair.source.byte_runs import Piece
    from toolpair.source.changes import Change
    from toolpair.source.columns import Columns
    from toolpair.source.saving import Backup as Backup  # noqa: PLC0414 - to be imported from here
    from toolpair.source.saving import Progress, SaveResult

SessionError = UnreadableFile

__all__ = [
    "PLACEHOLDER",
    "Block",
    "Branch",
    "Cause",
    "CauseGroup",
    "Conversation",
    "Fix",
    "Location",
    "Message",
    "OnResume",
    "OpenedState",
    "Pair",
    "PairRow",
    "Problem",
    "Profile",
    "Refused",
    "SaveFailed",
    "Saved",
    "Session",
    "SessionError",
    "Staged",
    "SubagentSession",
    "Target",
    "Transcript",
    "Verdict",
    "lines_text",
    "open_session",
    "saving_text",
    "waiting_text",
]


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

    `leaf` is the id (or its beginning) of the record where the history ends, for a file with branches. `progress` is
    called with the number of bytes read of a large file, `checking` with the number of suspicious windows checked and
    their total; an exception from either ends the reading. `reporting`: only problems are needed, nothing is shown or
    changed, so less stays in memory. `agent_version` resumes the file (or what this returns for the format's id); by
    default the newest one measured. `max_size` limits the bytes of a single line and of a decompressed file; None: 1 GB
    and 4 GB. Raises SessionError with one sentence when the file cannot be read or understood.
    """
    reader = FileReader(format, profile, View(leaf, reporting=reporting))
    session = Session(*open_file(path, data, reader, progress, checking, agent_version, max_size))
    if leaf is not None and session.transcript.leaf is None:
        raise SessionError(no_such_leaf(leaf, session.file.shown_name))
    return session


class Session:
    """A session file with its staged fixes. Nothing touches the disk until `save`."""

    def __init__(self, reader: FileReader, file: OpenedState) -> None:
        self.reader = reader
        self.format: Format = file.formats[-1]
        self.profile: Profile = reader.profile_for(self.format)
        self.current = len(file.conversations) - 1
        self.warnings: tuple[str, ...] = ()
        """Findings of `look_around`, one sentence each. May contain untrusted names."""
        self._watch: Watch | None = None
        self._remembers = False
        self._hold(file)

    def _state(self, snapshot: Snapshot, container: Container) -> OpenedState:
        """Read a state of the file with this session's settings."""
        # A file keeps its formats; new conversations have that of the last one.
        missing = len(container.conversations) - len(self.file.formats)
        formats = (*self.file.formats, *[self.format] * missing)[: len(container.conversations)]
        return self.reader.read(snapshot, container, formats)

    def _hold(self, file: OpenedState, staging: Staging | None = None) -> None:
        """Take over a state of the file, and what is staged on it, by default nothing."""
        self.file = file
        self._columns: Columns | None = None
        self._staging = staging or Staging(file.conversations)
        # caches for the previous state are not needed any more
        self._losses: tuple[tuple[Conversation, ...], Losses] | None = None

    # --- what there is -----------------------------------------------------------------------------------

    @property
    def path(self) -> Path | None:
        from pathlib import Path

        return Path(self.file.snapshot.path) if self.file.snapshot.path is not None else None

    @property
    def writable(self) -> bool:
        """Whether the file itself can be saved in place."""
        return self.file.writable_reason is None

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
    def verdict(self) -> Verdict:
        return self.conversation.verdict

    @property
    def damaged(self) -> int:
        """How many records of the file cannot be read."""
        return sum(found.damaged for found in self.conversations) + self.file.container.damaged_outside

    @property
    def conversations_before(self) -> tuple[Conversation, ...]:
        """The conversations without staged fixes, checked with the current profile."""
        return self._staging.original

    def set_profile(self, id_: str) -> None:
        """Check with another profile. Staged fixes stay."""
        before = self.profile, self.reader
        profile = self.profile = profile_named(id_)
        self.reader = replace(self.reader, profile=id_)
        try:
            self._staging.recheck(
                lambda found: self.reader.reopened_conversation(found, self.file) or found.by(profile)
            )
        except BaseException:
            self.profile, self.reader = before
            raise

    def reopened(self) -> Session:
        """What the file holds now, without staged fixes, opened with the same format, profile and branch.

        Raises SessionError with one sentence when it cannot be read.
        """
        assert self.path is not None
        opened = partial(self.open_beside, str(self.path), format=self.reader.format, profile=self.reader.profile)
        if self.reader.view.leaf is not None:
            with contextlib.suppress(SessionError):  # the branch may be gone
                return opened(leaf=self.reader.view.leaf)
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
        limits = self.file.snapshot.limits
        return open_session(
            path,
            data=data,
            format=format,
            profile=profile,
            leaf=leaf,
            progress=progress,
            checking=checking,
            agent_version=self.reader.view.agent_version,
            max_size=limits.line if limits.asked_for else None,
        )

    def choose_leaf(self, leaf: str | None) -> None:
        """Switch to the history that ends at this record (its id, or a beginning of it); None: the agent's own.

        Raises ValueError unless exactly one record matches, and when fixes are staged: they were chosen for the current
        history, and could be neither shown nor applied again on another.
        """
        if self.staged:
            raise ValueError("Save or undo the applied fixes first: they were chosen on this branch.")
        before, self.reader = self.reader, replace(self.reader, view=replace(self.reader.view, leaf=leaf))
        try:
            now = self.conversation
            chosen = self.reader.reopened_conversation(now, self.file) or now.viewed(self.reader.view)
            if leaf is not None and chosen.transcript.leaf is None:
                raise ValueError(no_such_leaf(leaf, self.file.shown_name))
        except BaseException:
            self.reader = before
            raise
        self._staging.look_at(self.current, chosen)

    def location(self, problem: Problem, conversation: Conversation | None = None) -> Location:
        """Where the problem is in the file."""
        conversation = conversation or self.conversation
        place = conversation.location(problem)
        many = self.file.kind == "document" or conversation.source.line is not None
        if not many or place.bytes is None or place.line is None or self.changed:
            return place
        if self._columns is None:
            from toolpair.source.columns import Columns

            self._columns = Columns(self.file.snapshot.data)
        return replace(place, column=self._columns.of(place.bytes[0]))

    # --- fixes -------------------------------------------------------------------------------------------

    def draft(self, on_progress: Callable[[int], None] | None = None) -> Session:
        """A copy of the session, to stage on from another thread; this one stays as it is until it `accept`s the draft.

        `on_progress` is called with the number of problems that a step of many fixes has fixed so far; an exception
        from it ends the step.
        """
        other = copy(self)
        other._staging = self._staging.copy(on_progress)
        return other

    def accept(self, draft: Session) -> None:
        """Take over a draft of this session. Nothing else may have been staged meanwhile."""
        self.profile, self.reader = draft.profile, draft.reader
        self._staging = draft._staging.copy()
        self._losses = draft._losses

    @property
    def steps(self) -> tuple[tuple[Staged, ...], ...]:
        """The staged rows, grouped into undo steps."""
        return self._staging.steps

    def reapply(self, steps: Sequence[Sequence[Applied]]) -> list[Dropped]:
        """Apply decisions again that were made on this or another state of the file, on top of what is staged.

        Returns those that could not be applied, with the reason.
        """
        from toolpair.session.following import Dropped, reason

        left = self._staging.reapply(steps)
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
        """Errors of all conversations that group fixes skip: guesses, and those without a safe fix."""
        return tuple(
            problem for found in self.conversations for problem in found.problems if problem.severity == "error"
        )

    def stage(self, problem: Problem, fix: Fix | None = None, text: str | None = None) -> Staged:
        """Apply a fix, by default the recommended one; `text` replaces a placeholder's.

        Raises ValueError when the problem has no fix.
        """
        chosen = fix or problem.recommended
        if chosen is None:
            raise ValueError(problem.no_fix or "There is no fix for this problem.")
        return self._staging.stage(self.current, problem, chosen, text)

    def stage_group(self, group: CauseGroup) -> Staged | None:
        """Apply the recommended fix to every problem of the group that needs no guess."""
        wanted = {problem.key for problem in group.problems}
        return self.stage_where(
            lambda problem: _certain(problem) if problem.key in wanted and problem.rule == group.rule else None
        )

    def stage_all(self) -> Staged | None:
        """Fix every error of this conversation that needs no guess, as one step."""
        from toolpair.recipes.recommended import pick_without_guesses

        return self.stage_where(pick_without_guesses)

    def stage_recommended(self) -> Staged | None:
        """As `stage_all`, but where there is something to guess, apply the fix that does not guess."""
        from toolpair.recipes.recommended import pick

        return self.stage_where(pick)

    def stage_where(self, pick: Pick) -> Staged | None:
        """Apply the fixes that `pick` chooses until it chooses none, as one undo step. None when there were none."""
        return self._staging.stage_where(self.current, pick)

    def stage_recipe(self, name: str, options: Options | None = None) -> Staged | None:
        """Run a recipe on the current conversation, as one undo step. None when it has nothing to do.

        Raises KeyError for an unknown one.
        """
        from toolpair.recipes import RECIPES
        from toolpair.recipes.recipe import DEFAULT

        return self._staging.stage_recipe(self.current, RECIPES[name], options or DEFAULT)

    def try_recipe(self, name: str, options: Options | None = None) -> Trial:
        """What a recipe would do to the current conversation with its staged fixes. Stages nothing.

        May be called from another thread. Raises KeyError for an unknown recipe.
        """
        from toolpair.recipes import RECIPES
        from toolpair.recipes.recipe import DEFAULT
        from toolpair.session.recipe_trial import try_recipe

        return try_recipe(self.current, self.conversation, RECIPES[name], options or DEFAULT)

    @property
    def losses(self) -> Losses:
        """What the staged fixes together remove from what is sent, measured by comparing before and after."""
        from toolpair.history.losses import NOTHING

        now = self._staging.now
        if self._losses is None or self._losses[0] is not now:
            found = (after.losses_since(then) for then, after in zip(self._staging.original, now, strict=True))
            self._losses = (now, sum(found, NOTHING))
        return self._losses[1]

    @property
    def held_back(self) -> tuple[HeldBack, ...]:
        """Recommended fixes that were not applied, because the agent would then send less; their problems remain."""
        found: list[HeldBack] = []
        for at, held in self._staging.held_back.items():
            why = {one.problem.key: one for one in held}
            standing = self.conversations[at].problems if held else ()
            found += [replace(why[problem.key], problem=problem) for problem in standing if problem.key in why]
        return tuple(found)

    def undo(self) -> Staged | None:
        """Undo the last step. The exact previous bytes are restored."""
        return self._staging.undo()

    def redo(self) -> Staged | None:
        """Redo the last step that was undone."""
        return self._staging.redo()

    def unstage(self, staged: Staged) -> None:
        """Exclude one row of the review; everything else that was staged is applied again without it."""
        self._staging.unstage(staged)

    def include(self, staged: Staged) -> Sequence[Problem] | None:
        """Include an excluded row again. Returns the problems it fixes; None when they no longer exist."""
        return self._staging.include(staged)

    # --- looking -----------------------------------------------------------------------------------------

    def preview(self, problem: Problem, fix: Fix, text: str | None = None) -> list[Change]:
        """What that fix alone would change, compared with what is staged."""
        before = self.conversation
        from toolpair.source.changes import changes

        return list(changes(before.document, before.apply(edits_of(fix, text)).document))

    def changes(self) -> list[Change]:
        """All staged changes, compared with the file."""
        from toolpair.source.changes import changes

        return [
            change
            for then, now in zip(self._staging.original, self._staging.now, strict=True)
            for change in changes(then.document, now.document)
        ]

    def find(self, where: str) -> Target | None:
        """The place of an id, `line:N`, `message:N`, `pair:N`, `record:N` or an API's error text. None for an empty
        text.
        """
        from toolpair.session.find import find

        return find(self, where)

    # --- living with its agent ---------------------------------------------------------------------------

    def follow(self) -> Followed | None:
        """Check whether the file has changed, and take over what it holds now. None when it has not: one `stat`.

        Staged fixes are applied again; those that cannot be are dropped, with the reason. A record that is still being
        written waits for the next check. Raises SessionError when the file has changed and cannot be read.
        """
        from toolpair.session.following import Watch, counts_of, followed

        self._watch = self._watch or Watch()
        news = self._watch.look(self.file.snapshot)
        if news is None:
            return None
        if news.change is None:
            self.file = replace(self.file, snapshot=news.snapshot or self.file.snapshot)
            return None
        try:
            before = counts_of(self._staging.original)
        except UnreadableFile:
            before = 0, 0, 0  # nobody can tell any more what the file held
        left: list[tuple[Staged, Decision]] = []
        if news.snapshot is not None and news.container is not None:
            try:
                left = self._take_up(news.snapshot, news.container, news.change == "grown")
            except BaseException:
                self._watch = None  # the next check finds the same again
                raise
        return followed(news.change, before, counts_of(self._staging.original), self.conversations, left)

    def _take_up(self, snapshot: Snapshot, container: Container, grown: bool) -> list[tuple[Staged, Decision]]:
        """Continue with what the file holds now; returns staged decisions that no longer apply.

        All or nothing: with the new snapshot but the old records, a save would leave out what was appended.
        """
        from toolpair.source.growth import carry_over
        from toolpair.source.saving import remembered

        if grown:
            for old, new in zip(self.file.container.conversations, container.conversations, strict=False):
                carry_over(old.document, new.document)
        if snapshot.path is not None:
            # The files beside it may have changed as well.
            view = replace(self.reader.view, beside=FilesBeside(snapshot.path))
            self.reader = replace(self.reader, view=view)
        if self._remembers:
            snapshot = remembered(snapshot)
        state = self._state(snapshot, container)
        staging = Staging(state.conversations)
        left = staging.replay(self._staging.steps)
        self._hold(state, staging)
        self.current = min(self.current, len(container.conversations) - 1)
        return left

    def look_around(self) -> tuple[str, ...]:
        """Find out which processes write to the file, and which agents run in its folder; takes at most 0.3 s."""
        from toolpair.session.surroundings import warnings

        found = warnings(self.path, self.format.id, self.transcript)
        self.warnings = (*found, *self._index_notes())
        return self.warnings

    def _index_notes(self) -> tuple[str, ...]:
        """What a save in place would make wrong in an index that the agent keeps."""
        from toolpair.session.surroundings import index_notes

        size = self.file.size
        beside = self.reader.view.beside
        return index_notes(self.format.id, self.transcript, self.path, beside, size, size + self.grown)

    # --- saving ------------------------------------------------------------------------------------------

    def chunks(self) -> Iterator[bytes]:
        """The file with the staged fixes, in chunks."""
        from toolpair.source.byte_runs import chunks_of

        return chunks_of(self._pieces(), self.file.snapshot.data)

    def patch(self, name: str) -> Iterator[bytes]:
        """The staged changes as a unified diff for `patch`, in chunks. `name` is the file's name in it."""
        from toolpair.source.patch import unified

        return unified(self._pieces(), self.file.snapshot.data, name)

    def _pieces(self) -> Iterator[Piece]:
        """As `chunks`, but unchanged bytes as runs of the file."""
        return self.file.container.runs([found.document for found in self.conversations])

    def to_bytes(self) -> bytes:
        return b"".join(self.chunks())

    def save(
        self, allow_links: bool = False, keep_backups: int | None = None, progress: Progress | None = None
    ) -> Saved:
        """Write the file in place and keep the original beside it. Raises Refused or SaveFailed with one sentence.

        `allow_links`: even if the file has other hard links, which keep the old content. `keep_backups` is the number
        of backups left afterwards; by default TOOLPAIR_BACKUPS, else all. `progress` is called with the number of bytes
        written; an exception from it ends the save with nothing changed. Records that the agent has appended meanwhile
        stay in the file, and the session includes them from then on.
        """
        saving = self.saving(allow_links, keep_backups)
        saving.write(progress)
        saved, state = saving.saved_and_after()
        if state is not None:
            self.go_on(state)
        return saved

    def saving(self, allow_links: bool = False, keep_backups: int | None = None) -> SaveInPlace:
        """`save` in steps. Raises Refused."""
        if not self.writable:
            raise Refused(
                f"{self.file.shown_name} cannot be saved in place: {self.file.writable_reason}; save a copy instead.",
                "form",
            )
        from toolpair.session.saving import SaveInPlace
        from toolpair.source.saving import FileSave, limit_of_backups

        documents = [found.document for found in self.conversations]
        limit = limit_of_backups(keep_backups)
        save = FileSave(self.file.snapshot, self.file.container, documents, allow_links=allow_links, keep_backups=limit)
        return SaveInPlace(save, self._saved, self._index_notes, self._state)

    def go_on(self, state: OpenedState) -> None:
        """Continue with this state of the file, with nothing staged."""
        self._hold(state)
        self.current = min(self.current, len(self.conversations) - 1)

    def save_as(self, path: str | Path, force: bool = False, progress: Progress | None = None) -> Saved:
        """Write a copy, compressed when its name ends in .zst. Raises Refused when the path exists, unless `force`.

        `progress` is as for `save`.
        """
        from toolpair.session.saving import set_aside
        from toolpair.source.saving import save_as, source_of

        snapshot = self.file.snapshot
        source = source_of(snapshot)
        pieces: Iterable[Piece]
        if str(path).endswith(SUFFIX):
            packing = snapshot.packing
            pieces = [packing.raw] if packing is not None and not self.changed else pack(self.chunks())
        else:
            pieces = self.chunks() if source is None else self._pieces()
        return self._saved(
            save_as(path, pieces, force=force, aside=set_aside(self.conversations), source=source, progress=progress)
        )

    def remember(self) -> None:
        """Compute the fingerprint of a large file, so that it can be saved although its agent goes on.

        Reads a file that is not in memory once; may run in another thread.
        """
        from toolpair.source.saving import remembered

        self._remembers = True
        before = self.file
        after = remembered(before.snapshot)
        if self.file is before:
            self.file = replace(before, snapshot=after)

    @property
    def grown(self) -> int:
        """How many bytes the staged fixes add to the file."""
        return sum(found.document.size for found in self._staging.now) - sum(
            found.document.size for found in self._staging.original
        )

    def restore(self, backup: Backup | Path, progress: Progress | None = None, only_as_is: bool = False) -> Saved:
        """Put a backup in the file's place; the current content becomes a backup itself.

        The session stays as it was: open the file again to see its new content. `progress` is as for `save`.
        `only_as_is`: only if the file still holds what this session read. Raises Refused or SaveFailed.
        """
        from toolpair.source.saving import restore

        if self.path is None:
            raise Refused("There is no file to restore, because it came from standard input.")
        only_over = self.file.snapshot if only_as_is else None
        return self._saved(restore(self.path, backup, progress=progress, only_over=only_over))

    def _saved(self, result: SaveResult) -> Saved:
        from toolpair.session.saving import saved_from

        return saved_from(result, self.resume_command)

    def resume_command(self, saved: Path | None = None) -> str | None:
        """What to type, or do, to resume the session, or the copy of it that was `saved` elsewhere."""
        from toolpair.session.surroundings import resume_command

        return resume_command(self.conversation, self.path, saved)


def _certain(problem: Problem) -> Fix | None:
    best = problem.recommended
    return None if problem.guess or best is None or not best.certain else best
