"""Verdicts kept between runs, for lists of many sessions: a help, never a truth. Fixing and saving do not ask it.

What was found in a session holds as long as nothing has changed that it depends on: the program, the user's own forms,
how it was asked, the file, and the folders in which the session's agent keeps more of it. Kept are counts and the names
of rules, nothing that stands in a session.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
import orjson
from msgspec import Struct

from toolpair.session.summary import counts_of, family_of, sentence_of
from toolpair.shell.whole_files import MARK, write_whole
from toolpair.source import peek
from toolpair.source.addresses import LOG_ENDINGS, OPENING, divided
from toolpair.source.errors import UnreadableFile
from toolpair.source.fingerprint import Identity
from toolpair.source.sibling_files import FilesBeside
from toolpair.source.system import FLAGS, O_NOFOLLOW, O_WAITLESS

if TYPE_CHECKING:
    from toolpair.session.session import Session

MOST: Final = 20_000
"""Sessions of which verdicts are kept: those checked last."""
_LONGEST: Final = 64 << 20
JUST_NOW: Final = 2 * 10**9
"""Nanoseconds after a change in which another may leave the same time."""
_NAME: Final = "*"
"""How the name of what is being written begins."""
_OUTLOOKS: Final = ("stops", "loses", "ready")
_OWN: Final = os.path.dirname(os.path.dirname(__file__))
_COMPILED: Final = "__pycache__"
_IS_VERSION: Final = re.compile(r"\d{1,5}(\.\d{1,5}){1,3}").fullmatch
_EDGE: Final = 1024
"""How many bytes of a file's beginning, and of its end, are looked at."""


class Question(Struct, frozen=True):
    """How a session is checked, as far as the answer depends on it."""

    format: str | None = None
    profile: str | None = None
    agent_version: str | None = None
    max_size: int | None = None
    inactive: bool = False


AS_LISTED: Final = Question()
"""As in the lists of sessions."""


class Findings(Struct, frozen=True, array_like=True):
    """What a check found, without anything that stands in the session."""

    format: str
    profile: str
    family: str | None
    counts: dict[str, int]
    errors: int
    warnings: int
    rules: dict[str, int]
    """How many problems each rule found, notes included."""
    outlook: str
    """Of the worst conversation, as is the badge."""
    badge: str
    branched: bool
    """A conversation has branches, which are told of in JSON."""
    outputs: int
    """Real outputs of its tools, whatever place they are in."""
    unsent: int
    """How many of them would not reach the model."""
    causes: dict[str, int]
    """How many problems have each cause, by its id."""
    agent_version: str | None
    """Which version of its agent wrote it, where the file says so in numbers."""
    sentence: str | None
    """The verdict on a session in which nothing at all was found; None where more is to be said than this."""


class Kept(Struct, frozen=True, array_like=True):
    """Findings with the states of what they depend on, as digests."""

    file: bytes
    beside: tuple[str, ...]
    """The folders that were looked into, relative to that of the file. `*` is the file's name without its ending."""
    around: bytes
    findings: Findings


class _Stored(Struct, array_like=True):
    program: bytes
    kept: dict[bytes, Kept]


class VerdictCache:
    """The verdicts of earlier runs, and those of this one until `save`. Whatever fails is as if nothing was kept."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "verdicts"
        self._program = _program()
        self._kept = self._read()
        self._new: dict[bytes, Kept] = {}
        self._around: dict[tuple[str, ...], bytes] = {}
        self._real: dict[str, str] = {}
        self._databases: dict[str, bytes] = {}

    @classmethod
    def of_user(cls) -> VerdictCache:
        from platformdirs import user_cache_path

        return cls(user_cache_path("toolpair", appauthor=False))

    def __len__(self) -> int:
        return len(self._kept)

    def find(self, address: str, question: Question = AS_LISTED) -> Findings | None:
        """What an earlier check of the session found, if it would find the same now; None where that is not known."""
        if not self._kept:
            return None
        path, session = self._place(address)
        kept = self._kept.get(_key(path, session, question))
        if kept is None or kept.file != self._state(path, session):
            return None
        if kept.beside and kept.around != self._state_around(path, kept.beside):
            return None
        return kept.findings

    def _place(self, address: str) -> tuple[str, str | None]:
        """The file, and the session in it. Where a folder really is, is asked once."""
        path, session = divided(address)
        folder, name = os.path.split(path)
        if os.path.islink(path):
            return os.path.realpath(path), session
        if folder not in self._real:
            self._real[folder] = os.path.realpath(folder)
        return os.path.join(self._real[folder], name), session

    def _state(self, path: str, session: str | None) -> bytes:
        """As `_state`; that of a database is asked for once."""
        if session is None:
            return _state(path, None)[0]
        if path not in self._databases:
            self._databases[path] = _state(path, session)[0]
        return self._databases[path]

    def _state_around(self, path: str, beside: tuple[str, ...]) -> bytes:
        folders = _folders(path, beside)
        if folders not in self._around:
            self._around[folders] = _around(folders)[0]
        return self._around[folders]

    def look_again(self) -> None:
        """Take nothing for granted that was seen of folders and databases: time has passed."""
        for seen in (self._around, self._real, self._databases):
            seen.clear()

    def keep(self, key: bytes, kept: Kept) -> None:
        self._kept.pop(key, None)  # the one checked last stands last
        self._kept[key] = self._new[key] = kept

    def save(self) -> None:
        """Write what is new to what is kept by now, perhaps by others as well."""
        if not self._new:
            return
        kept = {key: one for key, one in self._read().items() if key not in self._new} | self._new
        for key in list(kept)[: max(0, len(kept) - MOST)]:
            del kept[key]
        self._new = {}
        with contextlib.suppress(OSError):
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_whole(str(self.path), msgspec.msgpack.encode(_Stored(self._program, kept)))

    def clear(self) -> None:
        """Remove what is kept. Raises OSError."""
        self._kept = {}
        for path in (self.path, *self.path.parent.glob(f".{self.path.name}{MARK}*")):
            path.unlink(missing_ok=True)

    def _read(self) -> dict[bytes, Kept]:
        """What is kept; nothing if it is damaged, somebody else's, or another version's."""
        try:
            with open(os.open(self.path, os.O_RDONLY | O_NOFOLLOW | O_WAITLESS | FLAGS), "rb") as file:
                found = os.fstat(file.fileno())
                if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o077:
                    return {}
                stored = msgspec.msgpack.decode(file.read(_LONGEST), type=_Stored)
        except (OSError, ValueError, msgspec.MsgspecError):
            return {}
        return stored.kept if stored.program == self._program else {}


def findings_of(session: Session, inactive: bool = False) -> Findings:
    """What was found in an open session; with `inactive` in what is not sent as well."""
    found = session.conversations
    verdicts = [conversation.verdict for conversation in found]
    worst = min(verdicts, key=lambda verdict: _OUTLOOKS.index(verdict.outlook))
    problems = [problem for one in found for problem in (*one.problems, *(one.inactive_problems() if inactive else ()))]
    more = bool(problems) or any(verdict.outputs_shortened or verdict.outlook != "ready" for verdict in verdicts)
    severities = Counter(problem.severity for problem in problems)
    return Findings(
        format=session.format.id,
        profile=session.profile.id,
        family=family_of(session),
        counts=counts_of(session),
        errors=severities["error"],
        warnings=severities["warning"],
        rules=Counter(problem.rule for problem in problems),
        outlook=worst.outlook,
        badge=worst.badge,
        branched=any(one.transcript.tree.branches for one in found),
        outputs=sum(verdict.outputs_total for verdict in verdicts),
        unsent=sum(verdict.outputs_total - verdict.outputs_seen for verdict in verdicts),
        causes=Counter(problem.cause.id for problem in problems if problem.cause is not None),
        agent_version=version if (version := found[0].transcript.agent_version) and _IS_VERSION(version) else None,
        sentence=None if more else sentence_of(session),
    )


def kept_of(session: Session, question: Question, begun: int) -> tuple[bytes, Kept] | None:
    """What `VerdictCache.keep` takes, for an open session; None for what may be changed unseen.

    `begun` is the time, in nanoseconds, before it was opened.
    """
    snapshot, view = session.file.snapshot, session.reader.view
    if session.file.address is None or (snapshot.rows is not None and snapshot.rows.in_folder):
        return None
    path, id_ = _place(session.file.address)
    looked = view.beside.folders if isinstance(view.beside, FilesBeside) else set[str]()
    if any(_NAME in folder for folder in looked):
        return None
    name = _stem(path)
    beside = tuple(sorted("/".join(_NAME if part == name else part for part in one.split("/")) for one in looked))
    try:
        file, identity, last = _state(path, id_)
        around, latest = _around(_folders(path, beside))
        known = snapshot.rows.state() if snapshot.rows is not None else identity
        if known is None or known != snapshot.identity or max(last, latest) > begun - JUST_NOW:
            return None
        kept = Kept(file, beside, around, findings_of(session, question.inactive))
        msgspec.msgpack.encode(kept)  # a folder's name may be no text
    except (OSError, ValueError, UnreadableFile):
        return None
    return _key(path, id_, question), kept


def _place(address: str) -> tuple[str, str | None]:
    path, session = divided(address)
    return os.path.realpath(path), session


def _stem(path: str) -> str:
    return os.path.splitext(os.path.basename(path))[0]


def _key(path: str, session: str | None, question: Question) -> bytes:
    return _digest(os.fsencode(path), repr((session, question)))


def _digest(*told: object) -> bytes:
    return hashlib.blake2b(msgspec.msgpack.encode(told), digest_size=16).digest()


def _state(path: str, session: str | None) -> tuple[bytes, Identity | None, int]:
    """What differs as soon as a file does, or the database that a session is in; its identity, and its last change."""
    told: list[object] = []
    last = 0
    identity = None
    for name in (path, *(path + ending for ending in LOG_ENDINGS if session is not None)):
        try:
            with OPENING, open(os.open(name, os.O_RDONLY | O_WAITLESS | FLAGS), "rb", buffering=0) as file:
                found = Identity.of(os.fstat(file.fileno()))
                begin = file.read(_EDGE)
                file.seek(max(0, found.size - _EDGE))
                told.append((found, begin, file.read(_EDGE)))
        except (OSError, ValueError):
            continue
        identity = identity or found
        last = max(last, found.mtime_ns, found.ctime_ns)
    return _digest(told), identity, last


def _folders(path: str, beside: Iterable[str]) -> tuple[str, ...]:
    folder, name = os.path.dirname(path), _stem(path)
    return tuple(
        os.path.normpath(os.path.join(folder, *(name if part == _NAME else part for part in one.split("/"))))
        for one in beside
    )


def _around(folders: Iterable[str]) -> tuple[bytes, int]:
    """What differs as soon as one of the files that lie right in these folders does, and the last change of one."""
    told = []
    last = 0
    for folder in folders:
        with contextlib.suppress(OSError):  # what was removed leaves no other trace
            removed = Identity.of(os.stat(folder))
            last = max(last, removed.mtime_ns, removed.ctime_ns)
        for entry in sorted(peek.entries(folder), key=lambda one: one.name):
            if entry.name == _COMPILED:
                continue
            found = None
            with contextlib.suppress(OSError):  # where a link leads nowhere
                found = Identity.of(entry.stat())
                last = max(last, found.mtime_ns, found.ctime_ns)
            told.append((os.fsencode(folder), os.fsencode(entry.name), found))
    return _digest(told), last


def _program() -> bytes:
    """What differs as soon as the program does, or what its user has set and added."""
    from platformdirs import user_config_path

    rooms = [folder for folder, _, _ in os.walk(_OWN) if os.path.basename(folder) != _COMPILED]
    settings = str(user_config_path("toolpair", appauthor=False))
    folders = (*rooms, settings, os.path.join(settings, "forms"))
    return _digest(sys.version, msgspec.__version__, orjson.__version__, _around(folders)[0])
