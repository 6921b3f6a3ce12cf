"""A session as pages, divided as they are written.

Conversations are written down first, so that problems can name the page that each leads to.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import PurePath
from types import TracebackType
from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct

from toolpair import __version__
from toolpair.reports.page.bodies import Amount
from toolpair.reports.page.conversation_parts import ConversationParts
from toolpair.reports.page.html import HtmlWriter
from toolpair.reports.page.markdown import MarkdownWriter
from toolpair.reports.page.parts import Begin, Link, PairPart, Part, Turn
from toolpair.reports.page.problem_parts import ProblemIndex
from toolpair.reports.page.writer import PageHead, Writer, page_name

if TYPE_CHECKING:
    from toolpair.session.session import Session


BLOCKS: Final = 2_000
"""Blocks of conversations on one page: a call, a result, a text."""
BYTES: Final = 5_000_000
_CHUNK: Final = 1 << 18


class _Page(Struct):
    """One page: where it stands in the file, and its first and last message."""

    start: int
    size: int = 0
    blocks: int = 0
    first: str = ""
    last: str = ""


class Pages:
    """Takes what is written, part by part. `folder` is where the unnamed file may be, None for the usual place.

    Without limits all of it is one page.
    """

    def __init__(self, folder: str | None, blocks: int | None = None, bytes: int | None = None) -> None:
        self._file = tempfile.TemporaryFile(dir=folder, buffering=_CHUNK)  # noqa: SIM115 - `close` closes it
        self._most = blocks
        self._size = bytes
        self._pages = [_Page(0)]

    def close(self) -> None:
        self._file.close()

    @property
    def count(self) -> int:
        return len(self._pages)

    @property
    def blocks(self) -> int:
        return sum(page.blocks for page in self._pages)

    def range(self, number: int) -> str:
        """The messages on a page, counted from 0."""
        page = self._pages[number]
        return page.first if page.first == page.last else f"{page.first} to {page.last}"

    def turn_over(self, blocks: int) -> None:
        """Begin another page if so many blocks more are too much for this one."""
        page = self._pages[-1]
        full = self._most is not None and page.blocks + blocks > self._most
        if page.blocks and (full or (self._size is not None and page.size >= self._size)):
            self._pages.append(_Page(page.start + page.size))

    def add(self, text: str, blocks: int, message: str = "") -> None:
        """Something for the last page. `message`: the one that begins with it."""
        data = text.encode()
        self._file.write(data)
        page = self._pages[-1]
        page.size += len(data)
        page.blocks += blocks
        if message:
            page.first = page.first or message
            page.last = message

    def content(self, number: int) -> Iterator[bytes]:
        """What is on a page, counted from 0."""
        page = self._pages[number]
        self._file.seek(page.start)
        left = page.size
        while left > 0 and (piece := self._file.read(min(left, _CHUNK))):
            left -= len(piece)
            yield piece


Form = Literal["html", "markdown"]
_WRITERS: Final[dict[Form, Callable[[PurePath | None], Writer]]] = {"html": HtmlWriter, "markdown": MarkdownWriter}
_PER_PAGE: Final = 500
"""Parts that stand before the conversations on one page."""
_NAMED: Final = 20
"""Conversations that the top of the first page names."""
OnProgress = Callable[[int, int], None]
"""Called with how many messages are written, and how many there are; it may raise to end it."""


class Wanted(Struct, frozen=True):
    """What a report shows, and how much a page holds. `paged`: else all of it is one page, however long."""

    form: Form = "html"
    full: bool = False
    images: bool = False
    paged: bool = True
    blocks: int = BLOCKS
    bytes: int = BYTES
    redacted: bool = False
    """Whether the session is a redacted copy: the pages say so."""


class Report:
    """The pages of a session, each made when it is asked for. A context manager: what is written waits in a file.

    `first` is the name of the first page, None if there are no files. `folder` is where that file may be.
    """

    def __init__(
        self,
        session: Session,
        wanted: Wanted,
        first: PurePath | None = None,
        folder: str | None = None,
        progress: OnProgress | None = None,
    ) -> None:
        self._session = session
        self._wanted = wanted
        self._first = first
        self._writer = _WRITERS[wanted.form](first)
        self._per_page = _PER_PAGE if wanted.paged else 1 << 60
        self._indexes: list[ProblemIndex] = []
        for conversation in session.conversations:
            begin = self._indexes[-1].end if self._indexes else 0
            self._indexes.append(ProblemIndex(session, conversation, begin, self._per_page))
        self._fronts = (self._indexes[-1].end - 1) // self._per_page + 1
        """How many pages have something before the conversations. The first of these begins on the last of them."""
        self._written: list[ConversationParts] = []
        self._pages = Pages(folder, wanted.blocks, wanted.bytes) if wanted.paged else Pages(folder)
        try:
            self._write(progress)
        except BaseException:
            self._pages.close()
            raise

    def __enter__(self) -> Report:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pages.close()

    # writing the conversations

    def _write(self, progress: OnProgress | None) -> None:
        total = sum(conversation.counts.messages for conversation in self._session.conversations)
        done = 0
        for index in self._indexes:
            amount = Amount(self._wanted.full, self._wanted.images)
            written = ConversationParts(index.conversation, index.mentions, index.prefix, amount)
            self._written.append(written)
            for part in written.parts(index.title or "Conversation"):
                self._add(part, written)
                if progress is not None and isinstance(part, Turn):
                    progress(done + part.number, total)
            done += index.conversation.counts.messages

    def _add(self, part: Part, written: ConversationParts) -> None:
        blocks, message = 1, ""
        if isinstance(part, PairPart):
            blocks = (part.call is not None) + len(part.answers)
        elif isinstance(part, Turn):
            blocks, message = 0, part.where
        elif isinstance(part, Begin):
            blocks = 0
        self._pages.turn_over(max(blocks, 1))
        page = self._fronts + self._pages.count - 1
        written.add(part, page)
        self._pages.add(self._writer.part(part, page), blocks, message)

    # the pages

    @property
    def blocks(self) -> int:
        """How many calls, results and texts there are."""
        return self._pages.blocks

    @property
    def count(self) -> int:
        return self._fronts + self._pages.count - 1

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the pages; of one that is no file it is empty."""
        if self._first is None:
            return ("",) * self.count
        return tuple(page_name(self._first, number) for number in range(1, self.count + 1))

    def page(self, number: int) -> Iterator[bytes]:
        """A page, from 1, in pieces."""
        head = self._head(number)
        yield "".join(self._writer.head(head)).encode()
        if number <= self._fronts:
            yield from self._front(number)
        if number >= self._fronts:
            yield from self._pages.content(number - self._fronts)
        yield "".join(self._writer.foot(head)).encode()

    def _front(self, number: int) -> Iterator[bytes]:
        """What stands on a page before the conversations."""
        first, end = (number - 1) * self._per_page, number * self._per_page
        for index, written in zip(self._indexes, self._written, strict=True):
            for place in range(max(first, index.first), min(end, index.end)):
                yield self._writer.front(index.part(place, written), number).encode()

    def _head(self, number: int) -> PageHead:
        return PageHead(
            title=os.path.basename(self._session.file.shown_name) or self._session.file.shown_name,
            version=__version__,
            page=number,
            names=self.names,
            ranges=tuple(self._range(number) for number in range(1, self.count + 1)),
            jumps=tuple(self._jumps()),
            images=self._wanted.images,
            redacted=self._wanted.redacted,
        )

    def _range(self, number: int) -> str:
        """What a page holds, in a few words."""
        words = ["what is wrong"] if number <= self._fronts else []
        if number >= self._fronts and (messages := self._pages.range(number - self._fronts)):
            words.append(messages)
        return ", ".join(words)

    def _jumps(self) -> Iterator[Link]:
        for index, written in list(zip(self._indexes, self._written, strict=True))[:_NAMED]:
            page = index.first // self._per_page + 1
            of = f" in {index.title}" if index.title else ""
            if any(index.counts):
                yield Link(f"{index.prefix}verdict-problems", f"What is wrong{of}", page)
            if written.begin is not None:
                yield written.begin
