"""The pages of a viewer that shows a row: its call, its result, the output that was found elsewhere, their records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from toolpair.dialects.block_texts import text_of
from toolpair.text.inline_diff import decoded
from toolpair.transcript.edits import InsertResult
from toolpair.tui.bodies.body import Body
from toolpair.tui.bodies.json_body import JsonBody
from toolpair.tui.bodies.outcome import seconds_between, seconds_text
from toolpair.tui.bodies.reading import call_body, call_title, output_body, result_body, result_title, with_output
from toolpair.tui.bodies.text_body import TextBody
from toolpair.tui.numbers import size_text
from toolpair.tui.screens.viewer import ViewerPage
from toolpair.tui.styled_text import Glyphs

if TYPE_CHECKING:
    from toolpair.session.session import Conversation, Pair, PairRow, Problem
    from toolpair.transcript.model import Block


def pages_of(
    conversation: Conversation, row: PairRow, problem: Problem | None, noun: str, carets: bool
) -> tuple[str, list[ViewerPage]]:
    """The title and the pages for a row with a pair. `problem` is the worst one that the pair has."""
    assert row.pair is not None
    pair, call, result = row.pair, row.pair.call, row.result
    title = f"{pair.index} {call_title(call) if call is not None else 'result'}"
    pages: list[ViewerPage] = []
    records: list[tuple[int, str]] = []
    if call is not None:
        written = written_arguments(conversation, call)
        patch = patch_of(conversation, result)

        def make_call(glyphs: Glyphs) -> Body:
            made = call_body(glyphs, call, written(), patch, numbered=True, carets=carets)
            return made if result is None else with_output(glyphs, made, call, result)

        pages.append(ViewerPage("call", make_call))
        records.append((call.record, "call record"))
    if result is not None:
        pages.append(
            ViewerPage(
                "result",
                lambda glyphs: result_body(glyphs, result, call, numbered=True),
                lambda: result_title(result, time_taken(conversation, pair, result)),
            )
        )
        if call is None or result.record != call.record:
            records.append((result.record, "result record"))
    else:
        pages += _found_elsewhere(call, problem)
    records_of = [
        _record_page(conversation, uid, noun, name if len(records) > 1 else "record", number)
        for number, (uid, name) in enumerate(records)
    ]
    return title, [*pages, *records_of]


def _found_elsewhere(call: Block | None, problem: Problem | None) -> Iterator[ViewerPage]:
    """The outputs of which a copy can be used."""
    for fix in problem.fixes if problem is not None else ():
        for edit in fix.edits if fix.id.startswith("use-copy") else ():
            if isinstance(edit, InsertResult) and edit.call is call:
                text = text_of(edit.content)

                def make(glyphs: Glyphs, text: str = text) -> Body:
                    return output_body(glyphs, text, call, numbered=True)

                yield ViewerPage("found elsewhere", make, lambda title=fix.title: title)  # type: ignore[misc]


def written_arguments(conversation: Conversation, call: Block) -> Any:
    """A function that gives a call's arguments as they are written in the file, or None if it cannot."""

    def written() -> str | None:
        value = call.value
        if not isinstance(value, dict):
            return None
        function = value.get("function")
        holder = function if isinstance(function, dict) else value
        if isinstance(holder.get("arguments"), str):
            return str(holder["arguments"])
        key = "input" if "input" in value else "arguments"
        if not isinstance(value.get(key), (dict, list)):
            return None
        document = conversation.document
        try:
            start, end = document.span(call.record, (*call.slot, key))
            offset = document.offset(call.record)
            record = document.record(call.record)
            if (start, end) == (offset, offset + record.size):
                return None
            return decoded(record.body[start - offset : end - offset])
        except (LookupError, ValueError):
            return None

    return written


def patch_of(conversation: Conversation, result: Block | None) -> Any:
    """The hunks that the agent kept beside the result of an edit."""
    beside = _record_value(conversation, result).get("toolUseResult")
    return beside.get("structuredPatch") if isinstance(beside, dict) else None


def _record_value(conversation: Conversation, block: Block | None) -> dict[str, Any]:
    if block is None:
        return {}
    try:
        value = conversation.document.record(block.record).value
    except LookupError:
        return {}
    return value if isinstance(value, dict) else {}


def time_taken(conversation: Conversation, pair: Pair, result: Block) -> str:
    """How long the call took by the times of the records, as far as the file has them."""
    beside = _record_value(conversation, result).get("toolUseResult")
    for key in ("durationMs", "totalDurationMs"):
        said = beside.get(key) if isinstance(beside, dict) else None
        if isinstance(said, (int, float)) and not isinstance(said, bool) and 0 <= said < 1e10:
            return seconds_text(said / 1000)
    seconds = seconds_between(_record_value(conversation, pair.call), _record_value(conversation, result))
    return "" if seconds is None else seconds_text(seconds)


def _record_page(conversation: Conversation, uid: int, noun: str, title: str, of: int) -> ViewerPage:
    """The record as it stands in the file. `of` is the number of the page that it belongs to."""

    def text() -> str:
        return decoded(conversation.document.record(uid).body)

    def laid_out(glyphs: Glyphs) -> Body:
        value = conversation.document.record(uid).value
        return JsonBody(glyphs, text()) if isinstance(value, (dict, list)) else TextBody(glyphs, text(), numbered=True)

    def about() -> str:
        document = conversation.document
        record = document.record(uid)
        place = f"line {record.line:,}" if record.line is not None else f"new {noun}"
        return f"{place} · {_scope(conversation, uid)} · {size_text(record.size)}"

    return ViewerPage(title, laid_out, about, lambda glyphs: TextBody(glyphs, text()), of)


def _scope(conversation: Conversation, uid: int) -> str:
    """Whether the record is part of what would be sent."""
    scope = conversation.transcript.scopes.get(uid, "active")
    return _SCOPES.get(scope, scope)


_SCOPES: Final = {"inactive": "not sent: another branch, before a summary, or a sub-agent", "malformed": "unreadable"}
