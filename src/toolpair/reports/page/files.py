"""The files of a report, and the library's function."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final, overload

from msgspec import Struct

from toolpair.reports.page.report import Form, OnProgress, Report, Wanted
from toolpair.reports.page.writer import COMMENT, REDACTED, page_name
from toolpair.reports.redaction.copies import redacted
from toolpair.session.session import Session, open_session
from toolpair.source.errors import Refused
from toolpair.source.saving.checks import exists, refuse_folder, refuse_name
from toolpair.source.saving.new_file import save_as

if TYPE_CHECKING:
    from collections.abc import Callable

ENDINGS: Final[dict[str, Form]] = {".html": "html", ".htm": "html", ".md": "markdown", ".markdown": "markdown"}
"""The form that the end of a file's name asks for."""
_SEARCHED: Final = 1_000
"""Pages of an earlier report that are looked for."""


class ReportFiles(Struct, frozen=True):
    """The files of a report, the first page first. `notes` are sentences for a person to read."""

    paths: tuple[Path, ...]
    blocks: int
    """How many calls, results and texts it shows."""
    size: int
    """Bytes of all files."""
    notes: tuple[str, ...] = ()


@overload
def report(
    session: Session | str | os.PathLike[str],
    output: None = None,
    *,
    form: Form = "html",
    full: bool = False,
    images: bool = False,
    redact: bool = False,
) -> str: ...
@overload
def report(
    session: Session | str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    form: Form | None = None,
    full: bool = False,
    images: bool = False,
    redact: bool = False,
    force: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> ReportFiles: ...
def report(
    session: Session | str | os.PathLike[str],
    output: str | os.PathLike[str] | None = None,
    *,
    form: Form | None = None,
    full: bool = False,
    images: bool = False,
    redact: bool = False,
    force: bool = False,
    progress: OnProgress | None = None,
) -> str | ReportFiles:
    """A session as pages to read: the verdict, the problems, the conversation with each call beside its result.

    With `output`, files that only their owner can read: that one, and for a long session further ones (`x-2.html`).
    Without, the whole report as one text. `form` follows from the name of `output`. Texts over 20,000 characters are
    cut, and say so, unless `full`; `images` embeds pictures in HTML. The session is shown as it is now, with the fixes
    that are staged on it; with `redact`, a redacted copy of it. Raises SessionError for a session that cannot be read,
    Refused where a file exists already (unless `force`) or redacting would leave something, ValueError for a name whose
    form is not known.
    """
    if not isinstance(session, Session):
        session = open_session(os.fspath(session), reporting=not redact)
    if redact:
        session = redacted(session).session
    if output is None:
        wanted = Wanted(form or "html", full, images, paged=False, redacted=redact)
        with Report(session, wanted) as made:
            return b"".join(made.page(1)).decode()
    found = form or form_of(output)
    if found is None:
        raise ValueError(f"The form of {os.fspath(output)} is not known: its name has to end in .html or .md.")
    wanted = Wanted(found, full, images, redacted=redact)
    return write_files(session, wanted, output, force, progress)


def form_of(output: str | os.PathLike[str]) -> Form | None:
    """The form that a name asks for."""
    return ENDINGS.get(os.path.splitext(os.fspath(output))[1].lower())


def write_files(
    session: Session,
    wanted: Wanted,
    output: str | os.PathLike[str],
    force: bool = False,
    progress: OnProgress | None = None,
) -> ReportFiles:
    """Write the report. All or nothing is refused; the first page is written last, when all others are there."""
    shown, first = os.fspath(output), Path(output)
    refuse_name(shown)
    folder = os.path.dirname(os.path.realpath(first))
    refuse_folder(folder, shown, "give another name")
    _refuse(session, (first,), force)
    with Report(session, wanted, first, folder, progress) as made:
        paths = tuple(first.with_name(name) for name in made.names)
        _refuse(session, paths, force)
        notes: list[str] = []
        new = [path for path in paths if not os.path.lexists(path)]
        try:
            for number in range(made.count, 0, -1):
                notes += save_as(paths[number - 1], made.page(number), force=force).notes
        except BaseException:
            for path in new:
                path.unlink(missing_ok=True)
            raise
        size = sum(path.stat().st_size for path in paths)
        return ReportFiles(paths, made.blocks, size, (*dict.fromkeys(notes), *_left_over(first, made.count)))


def _refuse(session: Session, paths: tuple[Path, ...], force: bool) -> None:
    """Raises Refused if one of the files exists, or is the session itself."""
    for path in paths:
        if not os.path.lexists(path):
            continue
        if session.path is not None and os.path.exists(path) and os.path.samefile(path, session.path):
            raise Refused(f"{path} is the session itself; give another name.", "same-file")
        if not force:
            raise Refused(exists(os.fspath(path)), "exists")


def _left_over(first: Path, count: int) -> tuple[str, ...]:
    """A note on pages of an earlier, longer report under the same name."""
    last = count
    while last < count + _SEARCHED and _is_page(first.with_name(page_name(first, last + 1))):
        last += 1
    if last == count:
        return ()
    names = page_name(first, count + 1) + (f" to {page_name(first, last)}" if last > count + 1 else "")
    return (f"{names} belong{'s' if last == count + 1 else ''} to an earlier report and can be deleted.",)


def _is_page(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            start = file.read(400)
            return COMMENT.encode() in start or REDACTED.encode() in start
    except OSError:
        return False
