"""The lines of a comparison: a step of each side, what is the same, where the histories part."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from toolpair.history.comparison_rows import ComparisonRow
from toolpair.history.comparison_text import tally_text
from toolpair.history.steps import DiffStep
from toolpair.history.two_histories import Comparison, PartKind
from toolpair.reports.reading.call_line import call_line
from toolpair.text.cells import cut, width
from toolpair.text.differ import differ
from toolpair.text.file_diffs import of_strings, rows_of, trimmed
from toolpair.text.safe import SafeText, visible
from toolpair.transcript.counting import lines_in
from toolpair.tui.bodies.diff_body import Part, Title
from toolpair.tui.fix_effects import pair_parts
from toolpair.tui.numbers import count_text
from toolpair.tui.row_lines import shortened, spotted
from toolpair.tui.styled_text import Glyphs, Line, Span, line_width, spread

if TYPE_CHECKING:
    from toolpair.session.session import Pair

ONE_COLUMN: Final = 100
"""With fewer cells both sides share one column."""
_SAME: Final = 30
"""Lines of an output that is the same on both sides."""
_SHOWN: Final = 400
"""Characters of a text of which a line shows the beginning."""
_KINDS: Final[tuple[tuple[PartKind, str], ...]] = (
    ("differs", "different"), ("only a", "only in A"), ("only b", "only in B"), ("same", "the same"),
)  # fmt: skip
_ROLES: Final = {"user": "you", "assistant": "agent", "tool": "tool"}


class StepText(Struct, frozen=True):
    """What a line shows of a step. Untrusted."""

    title: str
    words: str
    ids: tuple[str, ...] = ()
    result: str | None = None
    """The first line of the results; None without any."""


StepTexts = Callable[[DiffStep], StepText | None]
"""None while a step is being read."""


def step_text(step: DiffStep) -> StepText:
    """Reads the step."""
    pair = step.paired
    if pair is None:
        title = _ROLES.get(step.name, step.name)
        title += "" if step.kind == "text" else f", {step.kind}"
        return StepText(title, " ".join((step.text or "")[:_SHOWN].split()))
    folder = step.history.conversation.transcript.folder
    title, words = call_line(pair.call, folder) if pair.call is not None else (step.name, "")
    ids = dict.fromkeys(id_[:_SHOWN] for id_ in step.ids)
    result = pair.results[0].text[:_SHOWN].strip("\r\n").split("\n", 1)[0] if pair.results else None
    return StepText(title, words[:_SHOWN], tuple(ids), result)


def row_line(glyphs: Glyphs, row: ComparisonRow, texts: StepTexts, side: str | None, cells: int, two: bool) -> Line:
    """One row in that many cells. `side` is the one under the cursor, `two` whether each side has its column."""
    if row.across is not None:
        return _rule(glyphs, f"══ {row.across} ", "═", ("title", "title"), cells)
    if row.folded is not None:
        return _rule(glyphs, f"+ {row.folded} ", "─", ("dim", "rule"), cells)
    one, other = (texts(step) if step is not None else None for step in (row.a, row.b))
    if not two:
        return _both(glyphs, row, one, other, cells)
    left, right = column_cells(cells)
    return (
        *_side(glyphs, row, row.a, one, other, left, "side" if side == "a" else ""),
        glyphs.ui("│ ", "rule"),
        *_side(glyphs, row, row.b, other, one, right, "side" if side == "b" else ""),
    )


def _rule(glyphs: Glyphs, words: str, rule: str, styles: tuple[str, str], cells: int) -> Line:
    """Words followed by a rule."""
    shown = cut(glyphs.own(words), cells, glyphs.ellipsis)
    return (Span(shown, styles[0]), Span(glyphs.own(rule * (cells - width(shown))), styles[1]))


def column_cells(cells: int) -> tuple[int, int]:
    """The cells of both columns, which a bar parts."""
    left = (cells - 2) // 2
    return left, cells - 2 - left


_SIGNS: Final = {"same": (" ", "dim"), "differs": ("≠", "warning"), "only a": ("<", "key"), "only b": (">", "key")}


def _gutter(glyphs: Glyphs, row: ComparisonRow, step: DiffStep) -> tuple[Span, ...]:
    number = str(step.pair) if step.pair is not None else ""
    sign, style = _SIGNS[row.kind]
    return glyphs.ui(f"{number:>5} ", "dim"), glyphs.ui(f"{sign} ", style)


def _unread(glyphs: Glyphs, gutter: Line, step: DiffStep, cells: int) -> Line:
    return spread((*gutter, Span(visible(step.name), "tool"), glyphs.ui(" …", "dim")), (), cells)


def _words(row: ComparisonRow, step: DiffStep, text: StepText, title: str = "") -> tuple[Span, ...]:
    """What a step says."""
    return (
        Span(visible(text.title), title or ("tool" if step.pair is not None else "dim")),
        Span(SafeText(" ")),
        Span(visible(text.words), "dim" if row.kind == "same" else ""),
    )


def _side(
    glyphs: Glyphs,
    row: ComparisonRow,
    step: DiffStep | None,
    text: StepText | None,
    other: StepText | None,
    cells: int,
    style: str,
) -> Line:
    """The column of one side; `other` is what the step differs from."""
    if step is None:
        return (Span(SafeText(" " * cells)),)
    gutter = _gutter(glyphs, row, step)
    if text is None:
        return _unread(glyphs, gutter, step, cells)
    room = cells - line_width(gutter) - 1
    tail = _tail(glyphs, row, step, text, other, max(room * 3 // 5, room - 24))
    return (*gutter, *glyphs.fit_before(tail, _words(row, step, text, style), room), Span(SafeText(" ")))


def _both(glyphs: Glyphs, row: ComparisonRow, one: StepText | None, other: StepText | None, cells: int) -> Line:
    """Both sides in one column: the step once, followed by the differences."""
    step, text = (row.a, one) if row.a is not None else (row.b, other)
    assert step is not None
    gutter = _gutter(glyphs, row, step)
    if text is None:
        return _unread(glyphs, gutter, step, cells)
    room = cells - line_width(gutter)
    words = _words(row, step, text)
    tail: Line
    if one is None or other is None or row.kind != "differs":
        tail = _tail(glyphs, row, step, text, None, room // 2)
    elif step.pair is None:
        words = (*words[:-1], Span(words[-1].text, "changed"))
        there = cut(visible(other.words), (room - 3) * 2 // 5, glyphs.ellipsis)
        tail = (glyphs.ui("| ", "rule"), Span(there, "changed"))
    else:
        half = (room - 3) * 2 // 5
        here, there_ = (_tail(glyphs, row, step, *texts, half) for texts in ((one, other), (other, one)))
        tail = (*here, glyphs.ui(" | ", "rule"), *there_)
    return (*gutter, *glyphs.fit_before(tail, words, room))


def _tail(
    glyphs: Glyphs, row: ComparisonRow, step: DiffStep, text: StepText, other: StepText | None, cells: int
) -> tuple[Span, ...]:
    """How a step differs from its counterpart, or what it returned."""
    if step.pair is None:
        # Where it differs, the words themselves are there to be compared.
        return ()
    if row.kind != "differs" or "result" in row.differs:
        style = "changed" if row.kind == "differs" else "dim"
        return (Span(cut(visible(_result(glyphs, text)), cells, glyphs.ellipsis), style),)
    if "id" in row.differs:
        theirs = other.ids if other is not None else ()
        return _id_spans(glyphs, _own_id(text.ids, theirs), _own_id(theirs, text.ids), cells)
    return (glyphs.ui("its result is elsewhere", "warning"),) if "place" in row.differs else ()


def _own_id(ids: tuple[str, ...], other: tuple[str, ...]) -> SafeText:
    """The first id that the other side does not have, else the last one."""
    return visible(next((id_ for id_ in ids if id_ not in other), ids[-1] if ids else "no id"))


def _id_spans(glyphs: Glyphs, id_: SafeText, other: SafeText, cells: int) -> tuple[Span, ...]:
    """An id with the characters marked that the other does not have."""
    shown = spotted(id_, differ(id_, other).left)
    return (glyphs.ui("id ", "dim"), *shortened(shown, max(4, cells - 3), glyphs))


def _result(glyphs: Glyphs, text: StepText) -> str:
    if text.result is None:
        return glyphs.own("┄┄ no result ┄┄")
    return text.result or glyphs.own("(empty)")


def summary_short(found: Comparison) -> str:
    """How much differs, for the head: pairs, or messages where no pair differs."""
    if found.same:
        return "the histories are the same"
    counts = {kind: tally.pairs for kind, tally in found.tallies.items()}
    noun = "pair"
    if not any(count for kind, count in counts.items() if kind != "same"):
        counts, noun = {kind: tally.others for kind, tally in found.tallies.items()}, "message"
    words: list[str] = []
    for kind, name in _KINDS:
        if kind == "same" and noun == "message":
            words.append(f"{tally_text(found.tallies[kind])} {name}")  # all pairs are
        elif counts[kind]:
            words.append(f"{count_text(counts[kind], noun) if not words else format(counts[kind], ',')} {name}")
    return ", ".join(words)


def difference_parts(row: ComparisonRow) -> Iterator[Part]:
    """What differs inside two steps, as the parts of a diff."""
    pairs = [pair for step in row.steps if (pair := step.paired) is not None]
    if "id" in row.differs:
        yield Title("id")
        yield from _rows(*map(_ids_of, pairs))
    for what, before, after in row.texts_that_differ():
        sizes = " | ".join(count_text(lines_in(text), "line") for text in (before, after))
        yield Title(f"{what} · {sizes}")
        yield from _rows(before, after)
    if "place" in row.differs:
        yield Title("place of the result")
        yield from _rows(*(_distance(pair.start[0], pair.result_messages) for pair in pairs))
    if len(pairs) > 1:
        call = pairs[0].call if "call" not in row.differs else None
        result = next(iter(pairs[0].results), None) if "result" not in row.differs else None
        if call is not None or result is not None:
            folder = row.steps[0].history.conversation.transcript.folder
            yield Title("the same on both sides", change=False)
            yield from pair_parts(call, result, folder, _SAME)


def _ids_of(pair: Pair) -> str:
    lines = [f"call    {pair.call.id}"] if pair.call is not None else []
    return "\n".join([*lines, *[f"result  {result.id}" for result in pair.results]])


def _rows(before: str, after: str) -> Iterator[Part]:
    for hunk in of_strings(before, after):
        for change in trimmed(replace(hunk, old_start=1, new_start=1)):
            for row in rows_of(change):
                old, new = (replace(side, prose=True) if side is not None else None for side in (row.old, row.new))
                yield replace(row, old=old, new=new)


def _distance(call: int, results: tuple[int, ...]) -> str:
    return ", ".join(count_text(number - call, "message") + " after its call" for number in results)
