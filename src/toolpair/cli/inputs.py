"""The files that a command was given: names, directories to walk, standard input."""

from __future__ import annotations

import argparse
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from typing import Final

from msgspec import Struct

from toolpair.cli.terminal import say
from toolpair.formats import address_of, get_format
from toolpair.session.session import Session, SessionError, open_session
from toolpair.source.addresses import divided, is_database
from toolpair.source.errors import OnlyShown, TooLarge
from toolpair.source.file_bytes import Content
from toolpair.source.limits import Limits, in_words
from toolpair.source.snapshot import refuse_binary

STDIN: Final = "-"
HERE: Final = "."
FOR_CI: Final = frozenset({"jsonl", "sarif", "github"})
"""Formats whose output is the same on every machine."""
_NEVER_WALKED: Final = frozenset({".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv"})
_ALWAYS_TRIED: Final = frozenset({".json", ".jsonl", ".ndjson"})
_PACKED: Final = ".zst"
_HEAD_SIZE: Final = 4096
_PIECE: Final = 1 << 24


class Input(Struct, frozen=True):
    """One file to look at. `walked`: it was found by walking a directory, so it may well be something else."""

    name: str
    walked: bool = False
    lacking: str | None = None
    """Why some of it cannot be opened, a sentence: then it stands for that alone."""

    @property
    def size(self) -> int:
        """Its size in bytes; 0 if unknown."""
        try:
            found = os.stat(self.name)
        except (OSError, ValueError):
            return 0
        return found.st_size if stat.S_ISREG(found.st_mode) else 0

    def open(
        self,
        options: argparse.Namespace,
        profile: str | None,
        progress: Callable[[int], None] | None = None,
        reporting: bool = False,
        judges: bool = True,
    ) -> Session:
        """Open it with a command's options. Unless they name one, the agent's version is that which is installed here.
        `judges`: the command says whether it is sound, so that a file which is only shown is refused.

        Raises SessionError with one sentence when it is unreadable, not a session, or has no such leaf.
        """
        if self.lacking is not None:
            raise SessionError(self.lacking)
        data = read_stdin(options.max_size) if self.name == STDIN else None
        path = "standard input" if data is not None else self.name if self.walked else named(self.name)
        anywhere = self.walked or getattr(options, "output_format", None) in FOR_CI
        open_as = partial(
            open_session,
            path,
            data=data,
            profile=profile,
            leaf=getattr(options, "leaf", None),
            progress=progress,
            reporting=reporting,
            agent_version=options.agent_version or (None if anywhere else version_here),
            max_size=options.max_size,
        )
        try:
            return open_as(format=options.format)
        except OnlyShown as error:
            if judges:
                raise
            from toolpair.formats.forms.registry import described

            return open_as(format=described(error.form))


def version_here(format_id: str) -> str | None:
    """The version of the format's agent installed on this machine."""
    if not get_format(format_id).agents:
        return None
    from toolpair.agents.installed import installed_version

    return installed_version(format_id)


def opened(options: argparse.Namespace, profile: str | None, judges: bool = True) -> Session:
    """The FILE of a command, opened with its options, as `Input.open` does. Raises SessionError."""
    options.file = named(options.file)
    tell_leftovers(options.file)
    return Input(options.file).open(options, profile, judges=judges)


def finish_killed_save(name: str) -> None:
    """Finish what a killed save of a session in a folder has begun, and say so. Raises Unreadable."""
    if name != STDIN and divided(name)[1] is not None:
        from toolpair.session.surroundings import finish_killed_save

        for note in finish_killed_save(name):
            say(note)


def tell_leftovers(name: str) -> None:
    """Report what killed saves have left beside a file."""
    if name == STDIN:
        return
    path = divided(name)[0]
    try:
        beside = os.listdir(os.path.dirname(os.path.realpath(path)))
        beside += os.listdir(path) if os.path.isdir(path) else ()
    except (OSError, ValueError):
        return
    if any(one.startswith(".toolpair-") for one in beside):
        from toolpair.session.surroundings import leftover_notes

        for note in leftover_notes(name):
            say(note)


def named(name: str) -> str:
    """The path that a user means: a path, a session id or its beginning, or `.` for this folder's newest session.

    Raises SessionError with one sentence when no session, or more than one, matches.
    """
    if name == STDIN or (name != HERE and os.path.lexists(name)):
        return name if name == STDIN else address_of(name) or name
    from toolpair.agents.catalog import NoSuchSession, resolve

    try:
        return resolve(name)
    except NoSuchSession as error:
        raise SessionError(str(error)) from None


def same_file(one: str | os.PathLike[str], two: str | os.PathLike[str]) -> bool:
    """Whether both names lead to one file that is there."""
    try:
        return os.path.samefile(one, two)
    except (OSError, ValueError):
        return False


def newest_here() -> list[Input]:
    """The newest session that an agent on this machine has for this folder; empty when there is none."""
    try:
        return [Input(named(HERE))]
    except SessionError:
        return []


def read_stdin(max_size: int | None = None) -> Content:
    """All of standard input. Raises SessionError when it exceeds the limit, or is no text from its beginning."""
    if sys.stdin is None:
        return b""
    from toolpair.source.packing import is_packed
    from toolpair.source.spooled import Spooled

    most = Limits.of(max_size).standard_input
    with closing(Spooled("standard input")) as content:
        while piece := sys.stdin.buffer.read(_PIECE):
            if not content.size and len(piece) == _PIECE and piece.strip() and not is_packed(piece):
                refuse_binary(piece, "standard input")  # what comes may have no end
            content.add(piece)
            if content.size > most:
                raise TooLarge(
                    f"Standard input holds more than {in_words(most)}, which is as much as is read of it; "
                    "--max-size allows more, or give the name of a file."
                )
        return content.content()


def collect(names: list[str]) -> Iterator[Input]:
    """The files for `names`: directories are walked in name order, session ids are looked up."""
    for name in names:
        if name != STDIN and (address := address_of(name)) is not None:
            yield from _sessions_of(address, walked=False)
        elif name != STDIN and os.path.isdir(name):
            for path in _walk(name):
                yield from _sessions_of(path, walked=True)
        else:
            yield from _sessions_of(named_or_lost(name), walked=False)


def _sessions_of(name: str, walked: bool) -> Iterator[Input]:
    """A file as it is, a database or a folder of sessions as each of its sessions."""
    never = os.path.splitext(name)[1] in _ALWAYS_TRIED or (walked and ".toolpair-" in os.path.basename(name))
    if name != STDIN and not never and is_database(name):
        from toolpair.formats.engine.agents.databases import looks_known, named_sessions

        try:
            if not walked or looks_known(name):
                found, lacking = named_sessions(name)
                yield from [Input(one, walked) for one in found]
                if lacking is not None:
                    yield Input(name, walked, lacking)
                return
        except SessionError:
            pass  # opening it will report why it fails
    elif name != STDIN and os.path.isdir(name):
        yield from _in_folder(name, walked)
        return
    yield Input(name, walked)


def _in_folder(name: str, walked: bool) -> Iterator[Input]:
    """The sessions of a folder; of a walked one those that its agent still reads there."""
    from toolpair.formats.engine.agents.databases import has_moved, named_sessions

    try:
        for one in named_sessions(name)[0]:
            if not walked or not has_moved(name, divided(one)[1] or ""):
                yield Input(one, walked)
    except SessionError:
        yield Input(name, walked)


def named_or_lost(name: str) -> str:
    """As `named`, but an unknown name is returned unchanged: opening it will report why it fails."""
    try:
        return named(name)
    except SessionError:
        return name


def _walk(folder: str) -> Iterator[str]:
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in _NEVER_WALKED)
        if (address := address_of(parent)) is not None:
            folders.clear()
            yield address
            continue
        for name in sorted(files):
            yield os.path.join(parent, name)


def may_be_session(path: str) -> bool:
    """A quick check of a walked file, so that videos and archives are not read whole."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode) or ".toolpair-" in os.path.basename(path):
            return False
        if os.path.splitext(path.removesuffix(_PACKED))[1] in _ALWAYS_TRIED:
            return True
        with open(path, "rb") as file:
            head = file.read(_HEAD_SIZE)
    except OSError:
        return True  # opening it will report what is wrong
    return head.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n\0")[:1] in (b"{", b"[")
