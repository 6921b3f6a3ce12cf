"""A session: a file, its problems, the staged fixes, and saving. The only class that cli and tui work with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from typing import TYPE_CHECKING

from msgspec.structs import replace

from toolpair.formats import folder_layout
from toolpair.formats.format import Format, SubagentSession, View
from toolpair.history.conversation import Conversation, Found, Location, Target, lines_text
from toolpair.history.summary import CauseGroup, PairRow
from toolpair.history.verdict_text import Verdict, beside, saving_text, with_last_call
from toolpair.rules.problem import Cause, Fix, OnResume, Problem
from toolpair.rules.profiles import Profile
from toolpair.rules.profiles import profile as profile_named
from toolpair.session.opening import FileReader, OpenedState, no_such_leaf, open_file
from toolpair.session.staging import Staging
from toolpair.source.byte_runs import chunks_of
from toolpair.source.container import Container
from toolpair.source.edges import Columns
from toolpair.source.errors import Refused, SaveFailed, UnreadableFile
from toolpair.source.sibling_files import FilesBeside
from toolpair.source.snapshot import Snapshot
from toolpair.transcript.model import PLACEHOLDER, Block, Message, Transcript
from toolpair.transcript.pairing import Pair
from toolpair.transcript.record_tree import Branch

if TYPE_CHECKING:
    from pathlib import Path

    from toolpair.recipes.engine import Pick
    from toolpair.recipes.recipe import Options
    from toolpair.session.decisions import Decision
    from toolpair.session.following import Followed, News, Watch
    from toolpair.session.recipe_trial import Trial as Trial  # noqa: PLC0414 - to be imported from here
    from toolpair.session.saving import Saved as Saved  # noqa: PLC0414 - to be imported from here
    from toolpair.session.saving import SaveInPlace
    from toolpair.session.staged import Staged as Staged  # noqa: PLC0414 - to be imported from here
    from toolpair.source.file_bytes import Content
    from toolpair.source.saving.backups import Backup as Backup  # noqa: PLC0414 - to be imported from here
    from toolpair.source.saving.made import SaveResult
    from toolpair.source.saving.streaming import Progress

SessionError = UnreadableFile

__all__ = [
    "PLACEHOLDER",
    "Block",
    "Branch",
    "Cause",
    "CauseGroup",
    "Conversation",
    "Fix",
    "Found",
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
    "beside",
    "lines_text",
    "open_session",
    "saving_text",
    "with_last_call",
]


def open_session(
    path: str | Path,
    *,
    data: Content | None = None,
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
    default the newest one measured. `max_size` limits the bytes of a single line and of a decompressed file; None:
    25 MB and 4 GB. Raises SessionError with one sentence when the file cannot be read or understood.
    """
    reader = FileReader(format, profile, View(leaf, reporting=reporting))
    session = Session(*open_file(path, data, reader, progress, checking, agent_version, max_size))
    if leaf is not None and session.conversation.transcript.tree.leaf is None:
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
        self.staging = staging or Staging(file.conversations)

    # --- what there is -----------------------------------------------------------------------------------

    @property
    def path(self) -> Path | None:
        from pathlib import Path

        return Path(self.file.snapshot.path) if self.file.snapshot.path is not None else None

    @property
    def conversations(self) -> tuple[Conversation, ...]:
        return self.staging.now

    @property
    def conversation(self) -> Conversation:
        return self.staging.now[self.current]

    @property
    def problems(self) -> Sequence[Problem]:
        return self.conversation.problems

    def set_profile(self, id_: str) -> None:
        """Check with another profile. Staged fixes stay."""
        before = self.profile, self.reader
        profile = self.profile = profile_named(id_)
        self.reader = replace(self.reader, profile=id_)
        try:
            self.staging.recheck(lambda found: self.reader.reopened_conversation(found, self.file) or found.by(profile))
        except BaseException:
            self.profile, self.reader = before
            raise

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
            if leaf is not None and chosen.transcript.tree.leaf is None:
                raise ValueError(no_such_leaf(leaf, self.file.shown_name))
        except BaseException:
            self.reader = before
            raise
        self.staging.look_at(self.current, chosen)

    def location(self, problem: Problem, conversation: Conversation | None = None) -> Location:
        """Where the problem is in the file."""
        conversation = conversation or self.conversation
        place = conversation.location(problem)
        many = self.file.kind == "document" or conversation.source.line is not None
        if not many or place.bytes is None or place.line is None or self.changed:
            return place
        if self._columns is None:
            self._columns = Columns(self.file.snapshot.data)
        return replace(place, column=self._columns.of(place.bytes[0]))

    # --- fixes -------------------------------------------------------------------------------------------

    def draft(self, on_progress: Callable[[int], None] | None = None) -> Session:
        """A copy of the session, to stage on from another thread; this one stays as it is until it `accept`s the draft.

        `on_progress` is called with the number of problems that a step of many fixes has fixed so far; an exception
        from it ends the step.
        """
        other = copy(self)
        other.staging = self.staging.copy(on_progress)
        return other

    def accept(self, draft: Session) -> None:
        """Take over a draft of this session. Nothing else may have been staged meanwhile."""
        self.profile, self.reader = draft.profile, draft.reader
        self.staging = draft.staging.copy()

    @property
    def staged(self) -> Sequence[Staged]:
        return tuple(row for rows in self.staging.steps for row in rows)

    @property
    def changed(self) -> bool:
        return self.staging.changed

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
        return self.staging.stage(self.current, problem, chosen, text)

    def stage_group(self, group: CauseGroup) -> Staged | None:
        """Apply the recommended fix to every problem of the group that needs no guess."""
        wanted = {problem.key for problem in group.problems}
        return self.stage_where(
            lambda problem: problem.recommended if problem.key in wanted and problem.rule == group.rule else None
        )

    def stage_recommended(self) -> Staged | None:
        """Fix every error of this conversation that needs no guess, as one step: `fix` and "fix everything safe"."""
        from toolpair.recipes.recommended import pick

        return self.stage_where(pick)

    def stage_where(self, pick: Pick) -> Staged | None:
        """Apply the fixes that `pick` chooses until it chooses none, as one undo step. None when there were none."""
        return self.staging.stage_where(self.current, pick)

    def stage_recipe(self, name: str, options: Options | None = None) -> Staged | None:
        """Run a recipe on the current conversation, as one undo step. None when it has nothing to do.

        Raises KeyError for an unknown one.
        """
        from toolpair.recipes import RECIPES
        from toolpair.recipes.recipe import DEFAULT

        return self.staging.stage_recipe(self.current, RECIPES[name], options or DEFAULT)

    def undo(self) -> Staged | None:
        """Undo the last step. The exact previous bytes are restored."""
        return self.staging.undo()

    def redo(self) -> Staged | None:
        """Redo the last step that was undone."""
        return self.staging.redo()

    # --- looking -----------------------------------------------------------------------------------------

    def find(self, where: str) -> Target | None:
        """The place of an id, `line:N`, `message:N`, `pair:N`, `record:N` or an API's error text. None for an empty
        text.
        """
        from toolpair.session.find import find

        return find(self, where)

    def find_all(self, text: str) -> tuple[Target, ...]:
        """The places of all errors in a pasted text, in their order; empty for an empty text."""
        from toolpair.session.find import find_all

        return find_all(self, text)

    # --- living with its agent ---------------------------------------------------------------------------

    def news(self) -> News | None:
        """Check whether the file has changed, and read what it holds now, for `follow`. None when it has not: one
        `stat`.

        A record that is still being written waits for the next check. May run in another thread. Raises SessionError
        when the file has changed and cannot be read.
        """
        from toolpair.session.following import Watch

        self._watch = self._watch or Watch()
        return self._watch.look(self.file.snapshot)

    def forget_news(self) -> None:
        """What `news` has found is not taken over: the next check finds it again."""
        self._watch = None

    def follow(self, news: News | None = None) -> Followed | None:
        """Take over what the file holds now, by default after a check. None when it has not changed.

        Staged fixes are applied again; those that cannot be are dropped, with the reason. Raises SessionError when the
        file has changed and cannot be read.
        """
        from toolpair.session.following import counts_of, followed

        news = news or self.news()
        if news is None:
            return None
        if news.change is None:
            self.file = replace(self.file, snapshot=news.snapshot or self.file.snapshot)
            return None
        try:
            before = counts_of(self.staging.original)
        except UnreadableFile:
            before = 0, 0, 0  # nobody can tell any more what the file held
        left: list[tuple[Staged, Decision]] = []
        if news.snapshot is not None and news.container is not None:
            try:
                left = self._take_up(news.snapshot, news.container, news.change == "grown")
            except BaseException:
                self._watch = None  # the next check finds the same again
                raise
        after, is_stored = counts_of(self.staging.original), self.file.is_stored
        return followed(news.change, before, after, self.conversations, left, is_stored)

    def _take_up(self, snapshot: Snapshot, container: Container, grown: bool) -> list[tuple[Staged, Decision]]:
        """Continue with what the file holds now; returns staged decisions that no longer apply.

        All or nothing: with the new snapshot but the old records, a save would leave out what was appended.
        """
        from toolpair.source.growth import carry_over
        from toolpair.source.saving.opened_content import remembered

        if grown:
            for old, new in zip(self.file.container.conversations, container.conversations, strict=False):
                carry_over(old.document, new.document)
        if snapshot.path is not None:
            # The neighbouring files may have changed as well.
            view = replace(self.reader.view, beside=FilesBeside(snapshot.path))
            self.reader = replace(self.reader, view=view)
        if self._remembers:
            snapshot = remembered(snapshot)
        state = self._state(snapshot, container)
        staging = Staging(state.conversations)
        left = staging.replay(self.staging.steps)
        self._hold(state, staging)
        self.current = min(self.current, len(container.conversations) - 1)
        return left

    def look_around(self) -> tuple[str, ...]:
        """Find out which processes write to the file, and which agents run in its folder; takes at most 0.3 s."""
        from toolpair.session.surroundings import warnings

        found = warnings(self.path, self.format.id, self.conversation.transcript)
        self.warnings = (*found, *self._index_notes())
        return self.warnings

    def _index_notes(self) -> tuple[str, ...]:
        """What a save in place would make wrong in an index that the agent keeps."""
        from toolpair.session.surroundings import index_notes

        size, transcript = self.file.size, self.conversation.transcript
        beside = self.reader.view.beside
        return index_notes(self.format.id, transcript, self.path, beside, size, size + self.staging.grown)

    # --- saving ------------------------------------------------------------------------------------------

    def chunks(self) -> Iterator[bytes]:
        """The file with the staged fixes, in chunks."""
        return chunks_of(self.file.runs(self.conversations), self.file.snapshot.data)

    def to_bytes(self) -> bytes:
        return b"".join(self.chunks())

    def save(
        self, allow_links: bool = False, keep_backups: int | None = None, progress: Progress | None = None
    ) -> Saved:
        """Write the file in place and keep the original as a backup. Raises Refused or SaveFailed with one sentence.

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
        if not self.file.writable:
            raise Refused(
                f"{self.file.shown_name} cannot be saved in place: {self.file.writable_reason}; save a copy instead.",
                "form",
            )
        from toolpair.session.saving import SaveInPlace, save_of

        documents = [found.document for found in self.conversations]
        save = save_of(self.file, documents, allow_links, keep_backups)
        return SaveInPlace(save, self._saved, self._index_notes, self._state)

    def go_on(self, state: OpenedState) -> None:
        """Continue with this state of the file, with nothing staged."""
        self._hold(state)
        self.current = min(self.current, len(self.conversations) - 1)

    def save_as(self, path: str | Path, force: bool = False, progress: Progress | None = None) -> Saved:
        """Write a copy, compressed when its name ends in .zst. Raises Refused when the path exists, unless `force`.

        `progress` is as for `save`.
        """
        from toolpair.session.saving import save_copy

        return self._saved(save_copy(self.file, self.conversations, path, force, progress))

    def remember(self) -> None:
        """Compute the fingerprint of a large file, so that it can be saved although its agent goes on.

        Reads a file that is not in memory once; may run in another thread.
        """
        from toolpair.source.saving.opened_content import remembered

        self._remembers = True
        before = self.file
        after = remembered(before.snapshot)
        if self.file is before:
            self.file = replace(before, snapshot=after)

    def restore(self, backup: Backup | Path, progress: Progress | None = None, only_as_is: bool = False) -> Saved:
        """Put a backup in the file's place; the current content becomes a backup itself.

        The session stays as it was: open the file again to see its new content. `progress` is as for `save`.
        `only_as_is`: only if the file still holds what this session read. Raises Refused or SaveFailed.
        """
        from toolpair.session.saving import refuse_other_session
        from toolpair.source.saving.backups import Backup
        from toolpair.source.saving.restoring import restore

        if self.path is None:
            raise Refused("There is no file to restore, because it came from standard input.")
        refuse_other_session(self.path, backup.path if isinstance(backup, Backup) else backup)
        only_over, layout = self.file.snapshot if only_as_is else None, folder_layout(str(self.path))
        return self._saved(restore(self.path, backup, progress=progress, only_over=only_over, layout=layout))

    def _saved(self, result: SaveResult) -> Saved:
        from toolpair.session.saving import saved_from

        rows = self.file.snapshot.rows
        held = rows is not None and str(result.path) == rows.path
        return saved_from(result, self.resume_command, rows.session if rows is not None and held else None)

    def resume_command(self, saved: Path | None = None) -> str | None:
        """What to type, or do, to resume the session, or the copy of it that was `saved` elsewhere."""
        from toolpair.session.surroundings import resume_command

        return resume_command(self.conversation, self.path, saved)
