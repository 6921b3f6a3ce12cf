"""The pages of a viewer: a row with its call, its result and where else its output was found; what fixes change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from toolpair.dialects.block_texts import text_of
from toolpair.history.call_details import details_of, output_file, start_of_file
from toolpair.reports.reading.titles import call_title, looks_like_json, result_title
from toolpair.reports.reading.written import arguments_as_written
from toolpair.text.inline_diff import decoded
from toolpair.transcript.edits import InsertResult
from toolpair.tui.bodies.body import Body
from toolpair.tui.bodies.change_parts import diff_of_changes
from toolpair.tui.bodies.json_body import JsonBody
from toolpair.tui.bodies.reading import call_body, output_body, result_body, row_body, with_output
from toolpair.tui.bodies.stacked_body import LinesBody, RuleBody, StackedBody
from toolpair.tui.bodies.text_body import TextBody
from toolpair.tui.fix_effects import brought_back
from toolpair.tui.numbers import count_text, size_text
from toolpair.tui.preview_text import BACK, line_of
from toolpair.tui.screens.viewer import ViewerPage
from toolpair.tui.styled_text import Glyphs

if TYPE_CHECKING:
    from toolpair.session.session import Conversation, PairRow, Problem
    from toolpair.source.changes import Change
    from toolpair.transcript.model import Block
    from toolpair.tui.bodies.diff_body import Part

ELSEWHERE: Final = "found elsewhere"
WRITTEN: Final = "will be written"
_WHOLE: Final = 16 << 20
"""Bytes of an output's own file that are shown."""


def pages_of(
    conversation: Conversation, row: PairRow, problem: Problem | None, noun: str, carets: bool
) -> tuple[str, list[ViewerPage]]:
    """The title and the pages for a row with a pair. `problem` is the worst one that the pair has."""
    assert row.pair is not None
    pair, call, result = row.pair, row.pair.call, row.result
    title = f"{pair.index} {call_title(call, conversation.transcript.folder) if call is not None else 'result'}"
    pages: list[ViewerPage] = []
    records: list[int] = []
    if call is not None:

        def make_call(glyphs: Glyphs) -> Body:
            written = arguments_as_written(conversation, call)
            patch = details_of(conversation, call, result).patch
            return call_body(glyphs, call, written, patch, numbered=True, carets=carets)

        def with_result(glyphs: Glyphs) -> Body:
            made = make_call(glyphs)
            return made if result is None else with_output(glyphs, made, call, result)

        pages.append(ViewerPage("call", with_result, make_beside=make_call))
        records.append(call.record)
    if result is not None:
        pages.append(
            ViewerPage(
                "result",
                lambda glyphs: result_body(glyphs, result, call, numbered=True),
                lambda: result_title(result, details_of(conversation, call, result).seconds),
            )
        )
        pages += _whole_output(conversation, call, result)
        if call is None or result.record != call.record:
            records.append(result.record)
    else:
        pages += _found_elsewhere(call, problem)
    if call is not None and len(pages) > 1:
        pages[0], pages[1] = replace(pages[0], beside=1), replace(pages[1], beside=0)
    records_of = [record_page(conversation, uid, noun, number) for number, uid in enumerate(records)]
    return title, [*pages, *records_of]


def message_pages(conversation: Conversation, row: PairRow, noun: str, problem: Problem | None) -> list[ViewerPage]:
    """The pages for a row without a pair: a message, a summary, a line that cannot be read, a history that is lost and
    comes back with the fix.
    """
    fix = problem.recommended if problem is not None else None

    def make(glyphs: Glyphs) -> Body:
        body = row_body(glyphs, conversation, row, " ")
        back = brought_back(conversation, row.record, fix) if row.kind == "cut" and fix is not None else []
        if not back:
            return body
        lines = [line_of(glyphs, each, conversation.transcript.folder) for each in back]
        return StackedBody(glyphs, [body, RuleBody(glyphs, BACK), LinesBody(glyphs, lines, indent=3)])

    pages = [ViewerPage("text", make)]
    if row.record is not None:
        pages.append(record_page(conversation, row.record, noun, 0))
    return pages


def _found_elsewhere(call: Block | None, problem: Problem | None) -> Iterator[ViewerPage]:
    """The outputs of which a copy can be used; without one, what would be written in its place."""
    fixes = problem.fixes if problem is not None else ()
    copies = [fix for fix in fixes if fix.id.startswith("use-copy")]
    for fix in copies or [fix for fix in fixes if fix.recommended]:
        for edit in fix.edits:
            if isinstance(edit, InsertResult) and edit.call is call:
                text = text_of(edit.content)

                def make(glyphs: Glyphs, text: str = text) -> Body:
                    return output_body(glyphs, text, call, numbered=True)

                yield ViewerPage(ELSEWHERE if copies else WRITTEN, make, lambda title=fix.title: title)  # type: ignore[misc]


def _whole_output(conversation: Conversation, call: Block | None, result: Block) -> Iterator[ViewerPage]:
    """The file that has the whole of an output which is too long to be sent."""
    name = output_file(conversation, result)
    if name is None:
        return

    def make(glyphs: Glyphs) -> Body:
        return output_body(glyphs, decoded(start_of_file(conversation, name, _WHOLE)), call, numbered=True)

    yield ViewerPage("whole output", make, lambda: name)


def record_page(conversation: Conversation, uid: int, noun: str, of: int) -> ViewerPage:
    """The record as it is in the file. `of` is the number of the page that it belongs to."""

    def text() -> str:
        return decoded(conversation.document.record(uid).body)

    def laid_out(glyphs: Glyphs) -> Body:
        written = text()
        return JsonBody(glyphs, written) if looks_like_json(written) else TextBody(glyphs, written, numbered=True)

    def about() -> str:
        document = conversation.document
        record = document.record(uid)
        place = f"line {record.line:,}" if record.line is not None else f"new {noun}"
        return f"{place} · {_scope(conversation, uid)} · {size_text(record.size)}"

    return ViewerPage("record", laid_out, about, lambda glyphs: TextBody(glyphs, text(), words=False), of)


def _scope(conversation: Conversation, uid: int) -> str:
    """Whether the record is part of what would be sent."""
    scope = conversation.transcript.scopes.get(uid, "active")
    return _SCOPES.get(scope, scope)


_SCOPES: Final = {"inactive": "not sent: another branch, before a summary, or a sub-agent", "malformed": "unreadable"}


def change_pages(
    changes: Callable[[], Sequence[Change]],
    noun: str,
    carets: bool,
    first: Callable[[], Iterator[Part]] = lambda: iter(()),
    whole_new: bool = False,
) -> list[ViewerPage]:
    """Pages of these changes; `noun` is what a record is called, `first` what is said before the bytes. `whole_new`:
    new records are never cut.
    """
    known = cache(changes)

    def about() -> str:
        count = sum(change.count for change in known())
        return f"{count_text(count, noun)} changed"

    make = partial(diff_of_changes, changes=known, noun=noun, carets=carets, whole_new=whole_new, first=first)
    return [
        ViewerPage(title, partial(make, whole=whole), about)
        for title, whole in (("what differs", False), ("whole lines", True))
    ]
