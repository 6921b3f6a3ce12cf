"""Lines of code that are not one text: each side of a diff. Their colours are asked for a block at a time."""

from __future__ import annotations

from collections.abc import Sequence

from toolpair.text.safe import SafeText
from toolpair.tui.bodies.body import Body, Colourable, Runs
from toolpair.tui.bodies.text_body import BLOCK, LEAD, LONGEST
from toolpair.tui.styled_text import Glyphs, Span


class CodeLines(Body):
    """Collects lines as they are shown, and gives them their colours."""

    def __init__(self, glyphs: Glyphs, file: str) -> None:
        super().__init__(glyphs)
        self._file = file
        self._lines: list[str] = []
        self._runs: dict[int, Runs] = {}
        self._asked: set[int] = set()
        self._want: int | None = None

    def clear(self) -> None:
        """Forget the lines; the same ones will be added again."""
        self._lines = []

    def add(self, line: SafeText) -> int:
        """Returns its number."""
        self._lines.append(line[:LONGEST])
        return len(self._lines) - 1

    def styled(self, spans: Sequence[Span], number: int, start: int) -> list[Span]:
        """The spans, which begin `start` characters into a line, with its colours. What is marked stays as it is."""
        runs = self._runs.get(number)
        if runs is None:
            if number // BLOCK not in self._asked and self._want is None:
                self._want = number // BLOCK
            return list(spans)
        out: list[Span] = []
        for span in spans:
            end = start + len(span.text)
            out += [span] if "mark" in span.style else _cut(span, start, runs)
            start = end
        return out

    def wanted(self) -> Colourable | None:
        block, self._want = self._want, None
        if block is None:
            return None
        self._asked.add(block)
        first = block * BLOCK
        lead = max(0, first - LEAD)
        return Colourable(self, first, tuple(self._lines[lead : first + BLOCK]), self._file, None, first - lead)

    def coloured(self, asked: Colourable, runs: Sequence[Runs]) -> None:
        self._runs.update(enumerate(runs[asked.lead :], asked.first))


def _cut(span: Span, start: int, runs: Runs) -> list[Span]:
    """A span in the styles of the runs that it covers; it begins `start` characters into the line."""
    out: list[Span] = []
    at, stop = start, start + len(span.text)

    def take(end: int, style: str) -> None:
        nonlocal at
        if end > at:
            out.append(Span(SafeText(span.text[at - start : end - start]), style, span.action))
            at = end

    for begin, end, style in runs:
        take(min(begin, stop), span.style)
        take(min(end, stop) if begin < stop else at, f"{span.style} {style}".strip())
    take(stop, span.style)
    return out
