"""A session: a file, its problems, the fixes that are staged, and saving. The one thing that cli and tui know."""

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

    `leaf` is the id (or its beginning) of the record that the history is to end at, where the file has branches.
    `progress` is told how many bytes of a large file have been read, `checking` how many of its doubtful windows
    have been judged, and of how many; what they raise ends the reading.
    `reporting`: its problems are told, but nothing is shown or changed, so that less has to stay in memory.
    `agent_version` resumes the file (or what this finds by the format's id); by default the newest that was measured.
    `max_size` is how many bytes are read of a single line, or unpacked, at most; None: 1 GB, or 4 GB.
    Raises SessionError with one sentence when it cannot be read or is no transcript that is understood.
    """
    reader = FileReader(format, profile, View(leaf, reporting=reporting))
    session = Session(*open_file(path, data, reader, progress, checking, agent_version, max_size))
    if leaf is not None and session.transcript.leaf is None:
        raise SessionError(no_such_leaf(leaf, session.file.shown_name))
    return session


class Session:
    """A session file with the fixes that are staged on it. Nothing touches the disk until `save`."""

    def __init__(self, reader: FileReader, file: OpenedState) -> None:
        self.reader = reader
        self.format: Format = file.formats[-1]
        self.profile: Profile = reader.profile_for(self.format)
        self.current = len(file.conversations) - 1
        self.warnings: tuple[str, ...] = ()
        """What `look_around` has found, one sentence each. Untrusted names may stand in them."""
        self._watch: Watch | None = None
        self._remembers = False
        self._hold(file)

    def _state(self, snapshot: Snapshot, container: Container) -> OpenedState:
        """A state of the file as this session looks at it."""
        # A file goes on in the format that it has; what is new in it is of the kind that came last.
        missing = len(container.conversations) - len(self.file.formats)
        formats = (*self.file.formats, *[self.format] * missing)[: len(container.conversations)]
        return self.reader.read(snapshot, container, formats)

    def _hold(self, file: OpenedState, staging: Staging | None = None) -> None:
        """This is what the file holds, and what is staged on it: nothing, where that is not said."""
        self.file = file
        self._columns: Columns | None = None
        self._staging = staging or Staging(file.conversations)
        # of what the file held until now, which need not stay
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
        """They as the file holds them, checked as now."""
        return self._staging.original

    def set_profile(self, id_: str) -> None:
        """Judge by another profile. Staged fixes stay."""
        before = self.profile, self.reader
        profile = self.profile = profile_named(id_)
        self.reader = replace(self.reader, profile=id_)
        try:
            self._staging.judge_anew(lambda found: self.reader.opened_anew(found, self.file) or found.by(profile))
        except BaseException:
            self.profile, self.reader = before
            raise

    def opened_again(self) -> Session:
        """What the file holds now, without what is staged, looked at in the same way: format, profile, branch.

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
        """Look at the history that ends at this record (its id, or a beginning of it); None: as its agent goes on.

        Raises ValueError when no one record is called so, and when fixes are staged: these were chosen on the
        history that is looked at, and could be neither shown nor put on again on another.
        """
        if self.staged:
            raise ValueError("Save or undo the applied fixes first: they were chosen on this branch.")
        before, self.reader = self.reader, replace(self.reader, view=replace(self.reader.view, leaf=leaf))
        try:
            now = self.conversation
            chosen = self.reader.opened_anew(now, self.file) or now.viewed(self.reader.view)
            if leaf is not None and chosen.transcript.leaf is None:
                raise ValueError(no_such_leaf(leaf, self.file.shown_name))
        except BaseException:
            self.reader = before
            raise
        self._staging.look_at(self.current, chosen)

    def location(self, problem: Problem, conversation: Conversation | None = None) -> Location:
        """Where the problem stands in the file."""
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

    def draft(self, heed: Callable[[int], None] | None = None) -> Session:
        """The same session, to stage on from another thread; this one stays as it is until it `accept`s the draft.

        `heed` is told how many problems a step of many fixes has mended so far; what it raises ends the step.
        """
        other = copy(self)
        other._staging = self._staging.copy(heed)
        return other

    def accept(self, draft: Session) -> None:
        """Go on as a draft of this session does. Nothing else may have been staged meanwhile."""
        self.profile, self.reader = draft.profile, draft.reader
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

    def stage_group(self, group: CauseGroup) -> Staged | None:
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
            for old, new in zip(self.file.container.conversations, container.conversations, strict=False):
                carry_over(old.document, new.document)
        if snapshot.path is not None:
            # The files beside it may hold something else now, too.
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
        """Look which processes write to the file, and which agents run in its folder; at most 0.3 s."""
        from toolpair.session.surroundings import warnings

        found = warnings(self.path, self.format.id, self.transcript)
        self.warnings = (*found, *self._index_notes())
        return self.warnings

    def _index_notes(self) -> tuple[str, ...]:
        """What a save in place would put wrong in an index that its agent keeps."""
        from toolpair.session.surroundings import index_notes

        size = self.file.size
        beside = self.reader.view.beside
        return index_notes(self.format.id, self.transcript, self.path, beside, size, size + self.grown)

    # --- saving ------------------------------------------------------------------------------------------

    def chunks(self) -> Iterator[bytes]:
        """The file with the staged fixes, in pieces."""
        from toolpair.source.byte_runs import chunks_of

        return chunks_of(self._pieces(), self.file.snapshot.data)

    def patch(self, name: str) -> Iterator[bytes]:
        """What is staged as a unified diff for `patch`, in pieces. `name` is what the file is called in it."""
        from toolpair.source.patch import unified

        return unified(self._pieces(), self.file.snapshot.data, name)

    def _pieces(self) -> Iterator[Piece]:
        """The same, with what is as it is in the file as runs of it."""
        return self.file.container.runs([found.document for found in self.conversations])

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
        """Hold this state of the file from now on. Nothing is staged then."""
        self._hold(state)
        self.current = min(self.current, len(self.conversations) - 1)

    def save_as(self, path: str | Path, force: bool = False, progress: Progress | None = None) -> Saved:
        """Write a copy, packed when its name ends in .zst. Raises Refused when the path exists, unless `force`.

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
        """Take what tells a large file later from one that was changed: for a save although its agent goes on.

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
        """By how many bytes the staged fixes make the file longer."""
        return sum(found.document.size for found in self._staging.now) - sum(
            found.document.size for found in self._staging.original
        )

    def restore(self, backup: Backup | Path, progress: Progress | None = None, only_as_is: bool = False) -> Saved:
        """Put a backup in the file's place; what the file holds now becomes a backup itself.

        The session goes on as it was: open the file again to see what it holds now. `progress` is as for `save`.
        `only_as_is`: only while the file holds what this session has of it. Raises Refused or SaveFailed.
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
        """What to type, or do, to go on with the session, or with the copy of it that was `saved` elsewhere."""
        from toolpair.session.surroundings import resume_command

        return resume_command(self.conversation, self.path, saved)


def _certain(problem: Problem) -> Fix | None:
    best = problem.recommended
    return None if problem.guess or best is None or not best.certain else best
