"""The lines of a comparison: a step of each side, what is the same, where the histories part."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from toolpair.history.comparison_rows import ComparisonRow
from toolpair.history.comparison_text import same_text, texts_that_differ
from toolpair.history.steps import History, Step
from toolpair.history.two_histories import Comparison, Part, PartKind
from toolpair.reports.reading.call_line import call_line
from toolpair.text.cells import cut, width
from toolpair.text.differ import differ
from toolpair.text.file_diffs import of_strings, rows_of, trimmed
from toolpair.text.safe import SafeText, visible
from toolpair.tui.bodies.diff_body import Part as DiffPart
from toolpair.tui.bodies.diff_body import Title
from toolpair.tui.numbers import count_text
from toolpair.tui.row_lines import spotted
from toolpair.tui.styled_text import Glyphs, Line, Span, cut_line, line_width, spread

if TYPE_CHECKING:
    from toolpair.session.session import Pair

ONE_COLUMN: Final = 100
"""With fewer cells both sides share one column."""
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


StepTexts = Callable[[History, Step], StepText | None]
"""None while a step is being read."""


def step_text(history: History, step: Step) -> StepText:
    """Reads the step."""
    pair = history.pair_of(step)
    if pair is None:
        title = _ROLES.get(step.name, step.name)
        title += "" if step.kind == "text" else f", {step.kind}"
        return StepText(title, " ".join(history.block_of(step).text[:_SHOWN].split()))
    ids = [pair.call.id if pair.call is not None else None, *[result.id for result in pair.results]]
    shown = list(dict.fromkeys(str(id_)[:_SHOWN] for id_ in ids if id_ is not None))
    title, words = (
        call_line(pair.call, history.conversation.transcript.folder) if pair.call is not None else (step.name, "")
    )
    result = pair.results[0].text[:_SHOWN].strip("\r\n").split("\n", 1)[0] if pair.results else None
    return StepText(title, words[:_SHOWN], tuple(shown), result)


def row_line(
    glyphs: Glyphs, found: Comparison, row: ComparisonRow, texts: StepTexts, side: str | None, cells: int, two: bool
) -> Line:
    """One row in that many cells. `side` is the one under the cursor, `two` whether each side has its column."""
    part = found.parts[row.part]
    if row.across is not None:
        line = glyphs.own(f"══ {row.across} ")
        words = cut(line, cells, glyphs.ellipsis)
        return (Span(words, "title"), Span(glyphs.own("═" * (cells - width(words))), "title"))
    if row.a is None and row.b is None:
        words = cut(glyphs.own(f"+ {same_text(part)} "), cells, glyphs.ellipsis)
        return (Span(words, "dim"), Span(glyphs.own("─" * (cells - width(words))), "rule"))
    one = texts(found.a, row.a) if row.a is not None else None
    other = texts(found.b, row.b) if row.b is not None else None
    if not two:
        return _both(glyphs, row, one, other, part, cells)
    left, right = column_cells(cells)
    return (
        *_side(glyphs, one, other, row.a, part, left, "side" if side == "a" else ""),
        glyphs.ui("│ ", "rule"),
        *_side(glyphs, other, one, row.b, part, right, "side" if side == "b" else ""),
    )


def column_cells(cells: int) -> tuple[int, int]:
    """The cells of both columns, which a bar parts."""
    left = (cells - 2) // 2
    return left, cells - 2 - left


def _sign(part: Part) -> tuple[str, str]:
    kinds = {"same": (" ", "dim"), "differs": ("≠", "warning"), "only a": ("<", "key"), "only b": (">", "key")}
    return kinds[part.kind]


def _gutter(glyphs: Glyphs, step: Step, part: Part) -> tuple[Span, ...]:
    sign, style = _sign(part)
    number = str(step.pair) if step.pair >= 0 else ""
    return glyphs.ui(f"{number:>5} ", "dim"), glyphs.ui(f"{sign} ", style)


def _side(
    glyphs: Glyphs, text: StepText | None, other: StepText | None, step: Step | None, part: Part, cells: int, style: str
) -> Line:
    """The column of one side; `other` is what the step differs from."""
    if step is None:
        return (Span(SafeText(" " * cells)),)
    gutter = _gutter(glyphs, step, part)
    if text is None:
        return spread((*gutter, Span(visible(step.name), "tool"), glyphs.ui(" …", "dim")), (), cells)
    room = cells - line_width(gutter) - 1
    tail = _tail(glyphs, step, part, text, other, max(room * 3 // 5, room - 24))
    words = (
        Span(visible(text.title), style or ("tool" if step.pair >= 0 else "dim")),
        Span(SafeText(" ")),
        Span(visible(text.words), _style(part)),
    )
    return (*gutter, *_cut(glyphs, words, tail, room), Span(SafeText(" ")))


def _both(
    glyphs: Glyphs, row: ComparisonRow, one: StepText | None, other: StepText | None, part: Part, cells: int
) -> Line:
    """Both sides in one column: the step once, and after it in what they differ."""
    step, text = (row.a, one) if row.a is not None else (row.b, other)
    assert step is not None
    gutter = _gutter(glyphs, step, part)
    if text is None:
        return spread((*gutter, Span(visible(step.name), "tool"), glyphs.ui(" …", "dim")), (), cells)
    room = cells - line_width(gutter)
    tail: Line
    if one is not None and other is not None and part.kind == "differs":
        half = (room - 3) * 2 // 5
        if step.pair < 0:
            words_there = Span(cut(visible(other.words), half, glyphs.ellipsis), "differ")
            here = (Span(visible(text.title), "dim"), Span(SafeText(" ")), Span(visible(text.words), "differ"))
            return (*gutter, *_cut(glyphs, here, (glyphs.ui("| ", "rule"), words_there), room))
        tail = (
            *_tail(glyphs, step, part, one, other, half),
            glyphs.ui(" | ", "rule"),
            *_tail(glyphs, step, part, other, one, half),
        )
    else:
        tail = _tail(glyphs, step, part, text, None, room // 2)
    words = (
        Span(visible(text.title), "tool" if step.pair >= 0 else "dim"),
        Span(SafeText(" ")),
        Span(visible(text.words), _style(part)),
    )
    return (*gutter, *_cut(glyphs, words, tail, room))


def _style(part: Part) -> str:
    return "dim" if part.kind == "same" else ""


def _cut(glyphs: Glyphs, words: tuple[Span, ...], tail: tuple[Span, ...], room: int) -> Line:
    space = room - (line_width(tail) + 1 if tail else 0)
    if line_width(words) > space:
        words = (*cut_line(words, max(0, space - len(glyphs.ellipsis))), glyphs.ui("…", "dim"))
    return spread(words, tail, room)


def _tail(
    glyphs: Glyphs, step: Step, part: Part, text: StepText, other: StepText | None, cells: int
) -> tuple[Span, ...]:
    """In what a step differs from its other, or what it returned."""
    if part.kind != "differs":
        shown = _result(glyphs, text) if step.pair >= 0 else ""
        return (Span(cut(visible(shown), cells, glyphs.ellipsis), "dim"),) if shown else ()
    if step.pair < 0:
        # In two columns the words themselves are there to be compared.
        return ()
    if "result" in part.aspects:
        return (Span(cut(visible(_result(glyphs, text)), cells, glyphs.ellipsis), "differ"),)
    if "id" in part.aspects:
        theirs = other.ids if other is not None else ()
        return _id_spans(glyphs, _own_id(text.ids, theirs), _own_id(theirs, text.ids), cells)
    words = "its result is elsewhere" if "place" in part.aspects else ""
    return (glyphs.ui(words, "warning"),) if words else ()


def _own_id(ids: tuple[str, ...], other: tuple[str, ...]) -> SafeText:
    """The id that the other does not have, else the last."""
    return visible(next((id_ for id_ in ids if id_ not in other), ids[-1] if ids else "no id"))


def _id_spans(glyphs: Glyphs, id_: SafeText, other: SafeText, cells: int) -> tuple[Span, ...]:
    """An id with the characters marked that the other does not have."""
    shown = cut(id_, max(4, cells - 3), glyphs.ellipsis)
    return (glyphs.ui("id ", "dim"), *spotted(shown, differ(id_, other).left, ""))


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
        if counts[kind]:
            words.append(f"{count_text(counts[kind], noun) if not words else format(counts[kind], ',')} {name}")
    return ", ".join(words)


def difference_parts(found: Comparison, part: Part, a: Step, b: Step) -> Iterator[DiffPart]:
    """What differs inside two steps, as the parts of a diff."""
    one, other = found.a.pair_of(a), found.b.pair_of(b)
    if "id" in part.aspects and one is not None and other is not None:
        yield Title("id")
        yield from _rows(_ids_of(one), _ids_of(other))
    for what, before, after in texts_that_differ(found, part, a, b):
        sizes = " | ".join(count_text(text.count("\n") + 1 if text else 0, "line") for text in (before, after))
        yield Title(f"{what} · {sizes}")
        yield from _rows(before, after)
    if "place" in part.aspects and one is not None and other is not None:
        yield Title("place of the result")
        yield from _rows(*(_distance(pair.start[0], pair.result_messages) for pair in (one, other)))


def _ids_of(pair: Pair) -> str:
    lines = [f"call    {pair.call.id}"] if pair.call is not None else []
    return "\n".join([*lines, *[f"result  {result.id}" for result in pair.results]])


def _rows(before: str, after: str) -> Iterator[DiffPart]:
    for hunk in of_strings(before, after):
        for change in trimmed(replace(hunk, old_start=1, new_start=1)):
            yield from rows_of(change)


def _distance(call: int, results: tuple[int, ...]) -> str:
    return ", ".join(count_text(number - call, "message") + " after its call" for number in results)
