"""Edits of windows: only those that they reach are read and judged again, where that comes out as with the whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from toolpair.formats.format import Spills
from toolpair.history.checked_records import CheckedRecords
from toolpair.history.cross_window_links import CrossWindowLinks
from toolpair.history.joined_windows import Changed
from toolpair.history.window import Window, WindowIds
from toolpair.rules.binding import with_removals
from toolpair.rules.problem import Problem
from toolpair.source.document import Document
from toolpair.source.json_strings import written
from toolpair.source.rewriting import repair_all, rewritten
from toolpair.transcript.edits import Edit, InsertMessage, KeepAside, MendBytes, RemoveThinking, records_of, said_of
from toolpair.transcript.model import Block, Message, Transcript, WindowEdges


class EditedWindows(Struct, eq=False):
    """The windows after edits."""

    windows: tuple[Window, ...]
    links: CrossWindowLinks
    changed: Changed


def edited(judged: CheckedRecords, document: Document, edits: Sequence[Edit]) -> Document:
    """The document after edits of the records that it holds."""
    others = [edit for edit in edits if not isinstance(edit, MendBytes)]
    if others:
        document = rewritten(document, judged.apply(others))
    kept = [written(edit.value) for edit in edits if isinstance(edit, KeepAside)]
    if kept:
        document = document.with_(aside=(*document.aside, *kept))
    of_bytes = [(edit.record, edit.how, edit.after) for edit in edits if isinstance(edit, MendBytes)]
    return repair_all(document, of_bytes)


def edited_windows(
    windows: Sequence[Window],
    window_of: Callable[[int], int | None],
    links: CrossWindowLinks,
    edits: Sequence[Edit],
    on_progress: Callable[[int], None] | None,
) -> EditedWindows | None:
    """None if only checking the whole history can tell. `window_of`: the window that a record (its uid) is in."""
    reading = windows[0].reading
    by_window: dict[int, list[Edit]] = {}
    if any(isinstance(edit, RemoveThinking) for edit in edits):
        return None
    for edit in edits:
        numbers = {window_of(uid) for uid in records_of(edit)}
        if isinstance(edit, InsertMessage) and edit.after is None:
            numbers = {1 if reading.past else 0}
        if len(numbers) != 1 or None in numbers or (reading.past and 0 in numbers):
            return None
        by_window.setdefault(next(number for number in numbers if number is not None), []).append(edit)
    made = list(windows)
    links = links.copy()
    for done, (number, wanted) in enumerate(by_window.items()):
        if on_progress is not None:
            on_progress(done)
        window = windows[number]
        try:
            after = edited(window.judged, window.document.now, wanted)
        except Spills:
            return None
        if after is window.document.now:
            continue
        edges = window.edges
        if edges is None or not _holds_its_ends(window.document.now, after, edges):
            return None
        now = window.with_document(
            window.document.with_document(after), replace(edges, ids=WindowIds(reading.ids, links.new_ids))
        )
        if (reading.native and not now.clean) and (
            (_may_be_interrupted(window) and _turns(window.judged) != _turns(now.judged))
            or _links(now.judged) > _links(window.judged)
        ):
            return None
        if not links.change(window, now) or now.signed != window.signed:
            return None  # what stands in front counts the signed thinking behind it
        made[number] = now
    if reading.format.numbered_by is not None:
        _count_on(windows, made, reading.format.numbered_by)
    edited_ones = (
        (number, then, now) for number, (then, now) in enumerate(zip(windows, made, strict=True)) if then is not now
    )
    # One that only counts on keeps what was found in it.
    changed = [one for one in edited_ones if one[2].origin is not one[1].origin or not one[2].looked_at]
    return EditedWindows(tuple(made), links, changed)


def _count_on(windows: Sequence[Window], made: list[Window], key: str) -> None:
    """Number the records after edits, and let windows in front know how many records have come after them."""
    if all(
        then is now or then.document.records == now.document.records for then, now in zip(windows, made, strict=True)
    ):
        return
    by = 0
    for number, window in enumerate(made):
        edited = window is not windows[number]
        more = _last_number(window, key) - _last_number(windows[number], key) if edited else 0
        if by:
            made[number] = window.counting_on(by)
        by += more
    added = 0
    for number in range(len(made) - 1, -1, -1):
        made[number] = made[number].before_more(added)
        document = made[number].document
        added += document.records - (document.end - document.first)


def _last_number(window: Window, key: str) -> int:
    records = window.document.now.records
    record = records[len(records) - 1] if records else None
    value = record.value if record is not None else None
    return value[key] if isinstance(value, dict) and isinstance(value.get(key), int) else 0


def of_the_whole(edits: Sequence[Edit], transcript: Transcript) -> Sequence[Edit]:
    """Edits of what was read in windows, as edits of the same blocks and messages in the whole's transcript."""
    blocks = {(block.kind, block.key): block for message in transcript.messages for block in message.blocks}
    messages = {message.records: message for message in transcript.messages}
    edits = said_of(edits, lambda b: blocks[b.kind, b.key], lambda m: messages[m.records])
    return with_removals(edits, transcript)


def of_windows(problem: Problem, window_of: Callable[[int], int | None], windows: Sequence[Window]) -> Problem:
    """A problem found in the whole history, with fixes that edit the same blocks and messages as read in windows."""

    def read(record: int) -> Transcript:
        number = window_of(record)
        return windows[number].judged.transcript if number is not None else Transcript(())

    def block_of(wanted: Block) -> Block:
        blocks = (block for message in read(wanted.record).messages for block in message.blocks)
        return next((block for block in blocks if (block.kind, block.key) == (wanted.kind, wanted.key)), wanted)

    def message_of(wanted: Message) -> Message:
        messages = read(wanted.records[0]).messages if wanted.records else ()
        return next((message for message in messages if message.records == wanted.records), wanted)

    fixes = (replace(fix, edits=tuple(said_of(fix.edits, block_of, message_of))) for fix in problem.fixes)
    return replace(problem, fixes=tuple(fixes))


def _may_be_interrupted(window: Window) -> bool:
    """Whether the end of the history reaches to this window: there an agent looks for an interrupted turn."""
    surroundings = window.judged.view.surroundings
    return window.edges is None or not window.edges.after or surroundings is None or surroundings.ties_to_end


def _turns(judged: CheckedRecords) -> tuple[bool, bool]:
    """Whether the user says anything in a window, and whether it ends with results: earlier windows may depend on it.

    An agent takes results at the very end, behind which the user says nothing, for a turn that was interrupted.
    """
    users = [message for message in judged.transcript.messages if message.records and message.role == "user"]
    last = next((message for message in reversed(judged.transcript.messages) if message.records), None)
    says = any(block.kind != "result" for message in users for block in message.blocks)
    return says, last is not None and any(block.kind == "result" for block in last.blocks)


def _links(judged: CheckedRecords) -> int:
    """How many lost links there are: where one comes, what it hides may stand in front of the window."""
    return sum(problem.rule.startswith("chain.") for problem in judged.judgement.problems)


def _holds_its_ends(before: Document, after: Document, edges: WindowEdges) -> bool:
    """Whether the window still meets its neighbours in the same records."""
    old, new = before.records, after.records
    first = not edges.before or (bool(new) and old[0].uid == new[0].uid)
    return first and (not edges.after or (bool(new) and old[len(old) - 1].uid == new[len(new) - 1].uid))
