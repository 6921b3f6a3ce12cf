"""Opening a file: finding its format, reading and checking its conversations. The result is an OpenedState."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from toolpair.formats import address_of, by_id, get_format
from toolpair.formats.engine.detection.format_detection import (
    PLAIN,
    by_outer,
    format_by_evidence,
    format_of,
    format_of_all,
    is_settled,
    no_such_format,
    not_recognised,
    not_understood,
    of_its_api,
    refused_as,
)
from toolpair.formats.format import Format, View
from toolpair.history.checked_records import CheckedRecords, Ids, items_of, request_of
from toolpair.history.conversation import SHORT, SMALL, Conversation, whole_conversation
from toolpair.rules.profiles import Profile, is_profile, no_such_profile, usual_profile
from toolpair.rules.profiles import profile as profile_named
from toolpair.shell.program import command
from toolpair.source.addresses import divided
from toolpair.source.container import Container, ConversationSource
from toolpair.source.container_reading import container_in
from toolpair.source.errors import IsDatabase, UnreadableFile
from toolpair.source.file_bytes import Content
from toolpair.source.limits import Limits, Places
from toolpair.source.locate import locate
from toolpair.source.sibling_files import FilesBeside
from toolpair.source.snapshot import Snapshot, from_bytes, open_source

if TYPE_CHECKING:
    from pathlib import Path

    from toolpair.source.byte_runs import Piece

OnProgress = Callable[[int], None]
OnChecking = Callable[[int, int], None]


class OpenedState(Struct, frozen=True, eq=False):
    """What a file holds at one moment: its bytes, its container and its conversations, without any staged fix."""

    snapshot: Snapshot
    container: Container
    formats: tuple[Format, ...]
    conversations: tuple[Conversation, ...]

    @property
    def shown_name(self) -> str:
        """What to call it: its path, or what is shown in place of one."""
        return self.snapshot.shown

    @property
    def address(self) -> str | None:
        """What opens it again: its path, or `DATABASE::SESSION`; None for standard input."""
        return self.snapshot.address

    @property
    def name(self) -> str:
        """The file's name, with that of the session where it is a database; as it was given for standard input."""
        path = self.snapshot.path
        if path is None:
            return os.path.basename(self.shown_name)
        return os.path.basename(path) + (self.address or "").removeprefix(path)

    @property
    def is_stored(self) -> bool:
        """Whether it is in a database or a folder, which may hold other sessions."""
        return self.snapshot.rows is not None

    @property
    def size(self) -> int:
        """Bytes, decompressed."""
        return len(self.snapshot.data)

    @property
    def kind(self) -> str:
        """The container: "document", "lines" or "python"."""
        return self.container.kind

    @property
    def writable(self) -> bool:
        """Whether the file itself can be saved in place."""
        return self.writable_reason is None

    @property
    def writable_reason(self) -> str | None:
        """Why it cannot be saved in place, one phrase; None when it can."""
        if any(format.is_guess for format in self.formats):
            drafted = not any(format.is_described for format in self.formats)
            return "its form is a guess" if drafted else "its form was never compared with the agent"
        if not self.container.writable:
            return self.container.reason or "this kind of file is never written back"
        if self.snapshot.packing is not None and not self.snapshot.packing.whole:
            return "its compressed data is cut off or damaged, and what follows cannot be read"
        if self.snapshot.only_read:
            return self.snapshot.only_read
        if self.snapshot.path is None:
            return "it was read from standard input"
        return None

    def runs(self, conversations: Sequence[Conversation]) -> Iterator[Piece]:
        """The file with its conversations in this state; what is as it was, as runs of it."""
        return self.container.runs([found.document for found in conversations])

    def judge(self, current: int) -> None:
        """Check the conversation with this index (the last one if there are fewer) now rather than on first use."""
        self.conversations[min(current, len(self.conversations) - 1)].problems  # noqa: B018


class FileReader(Struct, frozen=True, eq=False):
    """How to read a file: the format and profile chosen by the user, and the branch to look at."""

    format: str | None
    profile: str | None
    view: View
    settled: bool = False
    """Whether its formats are known: a file keeps the formats first detected."""

    def profile_for(self, found: Format) -> Profile:
        """The profile chosen by the user, else that of the format."""
        return profile_named(self.profile) if self.profile is not None else usual_profile(found.profile)

    def read(
        self,
        snapshot: Snapshot,
        container: Container,
        formats: Sequence[Format],
        progress: OnProgress | None = None,
        checking: OnChecking | None = None,
    ) -> OpenedState:
        """Read a state of the file; each of `formats` is the format that a conversation looks like, or was found to
        have.

        Raises Unreadable when it is not a session.
        """
        alone_in = snapshot.shown if len(container.conversations) == 1 else None
        conversations = tuple(
            self._conversation(number, source, found, len(snapshot.data) >= SMALL, alone_in, progress, checking)
            for number, (source, found) in enumerate(zip(container.conversations, formats, strict=True), 1)
        )
        return OpenedState(snapshot, container, tuple(found.format for found in conversations), conversations)

    def reopened_conversation(self, found: Conversation, file: OpenedState) -> Conversation | None:
        """A large unchanged conversation as it would be opened now; None for any other.

        One that could only be checked whole may not need that under another profile, or on the agent's own branch.
        """
        at = found.number - 1
        source = file.container.conversations[at]
        large = file.size >= SMALL
        if found.fixes_are_local or found.document is not source.document or not large or self.view.leaf is not None:
            return None
        return self._conversation(found.number, source, file.formats[at], large, None)

    def _conversation(
        self,
        number: int,
        source: ConversationSource,
        found: Format,
        large: bool,
        alone_in: str | None,
        progress: OnProgress | None = None,
        checking: OnChecking | None = None,
    ) -> Conversation:
        """`found` is the format its beginning looks like; unless it is known already, all records decide.

        `alone_in` names the file if this is its only conversation.
        """
        document, request = source.document, request_of(source.outer, found)
        settled = self.settled or self.format is not None or is_settled(document, found)
        if large or len(document) >= SHORT:
            from toolpair.history.open_windows import OtherFormat, opened_long

            def opened(found: Format) -> Conversation | None:
                profile = self.profile_for(found)
                decide = None if settled else partial(format_by_evidence, kind=document.kind, profile=self.profile)
                return opened_long(number, source, found, profile, request, self.view, progress, decide, checking)

            try:
                long = opened(found)
            except OtherFormat as turned_out:
                found, settled = _turned_out(source, found, turned_out.format, alone_in), True
                long = opened(found)
            if long is not None:
                return long
        if not settled:
            found = _turned_out(source, found, format_of_all(document, self.profile, keep=True), alone_in)
        profile, ids = self.profile_for(found), Ids(document, (), found)
        judged = CheckedRecords(items_of(document), found, profile, request, self.view, document, ids=ids)
        return whole_conversation(number, source, judged)


def open_file(
    path: str | Path,
    data: Content | None,
    reader: FileReader,
    progress: OnProgress | None,
    checking: OnChecking | None,
    agent_version: str | Callable[[str], str | None] | None,
    max_size: int | None,
) -> tuple[FileReader, OpenedState]:
    """Read a file for the first time. Also returns the reader for reading it again. Raises Unreadable."""
    limits = Limits.of(max_size)
    snapshot = from_bytes(data, str(path), limits) if data is not None else _snapshot(str(path), limits, progress)
    if reader.profile is not None and not is_profile(reader.profile):
        raise UnreadableFile(no_such_profile(reader.profile))
    wanted = _wanted(reader.format)
    snapshot, container = _with_lists(snapshot, wanted)
    sources = container.conversations
    unusual = _unusual_place(container) if wanted is None else ()
    if wanted is not None:
        refused = refused_as(wanted, sources, snapshot.shown)
    else:  # what a database or a folder holds is known by its tables
        refused = not_understood(sources, snapshot.shown) if snapshot.rows is None else None
    formats = [
        of_its_api(wanted, source.document) if wanted is not None else _first_look(source, reader.profile)
        for source in (sources if refused is None and not unusual else ())
    ]
    form: Format | None = None
    if wanted is None and not any(formats):
        from toolpair.formats.forms.detection import form_in

        form, places = form_in(container, snapshot.shown)
        if form is not None:
            snapshot = replace(snapshot, limits=replace(snapshot.limits, places=places or unusual))
            container = container_in(snapshot) if places else container
            sources, formats = container.conversations, [form for _ in container.conversations]
    if form is None and refused is None and not unusual:
        formats = [found or _by_all(s, reader.profile) for s, found in zip(sources, formats, strict=True)]
    known = next((found for found in formats if found is not None), None)
    if known is None:
        raise refused or not_recognised(sources, snapshot.shown)
    beside = FilesBeside(snapshot.path) if snapshot.path is not None else None
    version = agent_version(known.id) if callable(agent_version) else agent_version
    reader = replace(reader, view=replace(reader.view, beside=beside, agent_version=version))
    state = reader.read(snapshot, container, [found or known for found in formats], progress, checking)
    if not any(conversation.counts.messages for conversation in state.conversations):
        empty = [conversation.transcript for conversation in state.conversations]
        refused = refused_as(state.conversations[-1].format, sources, snapshot.shown, empty)
        if refused is not None:
            raise refused
    return replace(reader, settled=True), state


def _unusual_place(container: Container) -> Places:
    """Where the one list of a large document is, if that is no usual place: only forms have such lists."""
    source = container.conversations[0]
    keys = tuple(step for step in source.path if isinstance(step, str))
    whole = container.kind == "document" and not (source.document.cut_end or source.document.closing)
    found = whole and len(container.conversations) == 1 and keys == source.path
    return (keys,) if found and not locate(source.root) else ()


def _wanted(format: str | None) -> Format | None:
    """The format that was asked for. Raises Unreadable."""
    try:
        return get_format(format) if format is not None else None
    except KeyError:
        raise UnreadableFile(no_such_format(str(format))) from None
    except ValueError as error:  # a table that cannot be used
        raise UnreadableFile(str(error)) from None


def _with_lists(snapshot: Snapshot, wanted: Format | None) -> tuple[Snapshot, Container]:
    """The conversations of a file: where a form that was asked for says they are, or where they usually are."""
    container = container_in(snapshot)
    if wanted is None or wanted.id in by_id():
        return snapshot, container
    from toolpair.formats.forms.detection import places_in

    places = places_in(wanted, container, snapshot.shown)
    if not places:
        return snapshot, container
    snapshot = replace(snapshot, limits=replace(snapshot.limits, places=places))
    return snapshot, container_in(snapshot)


def _snapshot(name: str, limits: Limits, progress: OnProgress | None) -> Snapshot:
    """The content of a file, or of the session of a database or folder that is named. Raises Unreadable."""
    address = address_of(name)
    path, session = divided(address or name)
    if session is None and address is None:
        try:
            return open_source(path, limits)
        except IsDatabase:
            pass
    from toolpair.formats.engine.agents.databases import open_stored

    return open_stored(path, session, name, limits, progress)


def _first_look(source: ConversationSource, profile: str | None) -> Format | None:
    """The format by the first records; if they do not show it, by what is around them."""
    document = source.document
    found = format_of(document, profile)
    if found is None or found.id in PLAIN:  # an agent's messages may look like any others
        found = by_outer(source.outer, document.kind) or found
    return found


def _by_all(source: ConversationSource, profile: str | None) -> Format | None:
    """The format by all records, if those are more than the first ones."""
    document = source.document
    return None if is_settled(document, None) else format_of_all(document, profile)


def _turned_out(source: ConversationSource, looked: Format, found: Format | None, alone_in: str | None) -> Format:
    """The format that all records show, if the beginning looked like another."""
    if found is not None:
        return found
    if alone_in is None:
        return looked  # what is known of the others applies to it as well
    raise not_recognised([source], alone_in)


def no_such_leaf(leaf: str, shown: str) -> str:
    """The message for when not exactly one record matches."""
    return (
        f"{shown} has no history that ends at {leaf!r}, or several records' ids start with it; "
        f"`{command('check --output-format json')}` lists its branches."
    )
