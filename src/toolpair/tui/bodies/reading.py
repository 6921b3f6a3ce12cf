"""A call and a result as something to read.

    body = call_body(glyphs, call)                         # a command, an edit as a diff, a to-do list, else JSON
    body = result_body(glyphs, result, call)               # an output, in the colours of its file

Everything in the lines has been made safe to show. `written` is the JSON of a call's arguments as the file has it, so
that numbers stay as they are; without it they are serialised again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from toolpair.dialects.block_texts import arguments
from toolpair.dialects.media import media_in, text_beside_media
from toolpair.history.row_texts import whole_text
from toolpair.reports.reading.call_line import counts_words
from toolpair.reports.reading.titles import looks_like_json, media_words
from toolpair.text.cells import width
from toolpair.text.file_diffs import FileDiff, Hunk, of_numbered, rows_of
from toolpair.text.inline_diff import decoded
from toolpair.text.safe import SafeText, visible
from toolpair.text.terminal_output import as_shown
from toolpair.text.tool_calls import Command, Edits, Todo, path_of, understood
from toolpair.tui.bodies.body import Body
from toolpair.tui.bodies.diff_body import DiffBody, Note, Part, Title
from toolpair.tui.bodies.json_body import JsonBody
from toolpair.tui.bodies.stacked_body import LinesBody, RuleBody, StackedBody
from toolpair.tui.bodies.text_body import TextBody
from toolpair.tui.styled_text import Glyphs, Line, Span

if TYPE_CHECKING:
    from toolpair.formats.format import Patch
    from toolpair.session.session import Conversation, PairRow
    from toolpair.transcript.model import Block

_PROSE: Final = re.compile(r"task|agent|fetch|search|ask|plan|think", re.IGNORECASE)
_MARKDOWN: Final = re.compile(r"^(?:#{1,6} |[-*] |\d+\. |```|> )", re.MULTILINE)
_READS: Final = re.compile(r"read|view|open|cat", re.IGNORECASE)
_TODO: Final = {"done": ("[x]", "good"), "doing": ("[>]", "warning"), "to do": ("[ ]", "")}
_DIFF: Final = re.compile(r"^(?:diff --git |--- \S.*\n\+\+\+ )", re.MULTILINE)
_COUNTED: Final = 1 << 16
_COUNTS: Final = re.compile(r"[\d,]+ lines?|[\d,.]+ [KMG]?B")


# calls


def call_body(
    glyphs: Glyphs,
    call: Block,
    written: str | None = None,
    patch: Patch = (),
    numbered: bool = False,
    carets: bool = False,
) -> Body:
    """What a call does. `patch`: the hunks that the agent kept of an edit, which have line numbers."""
    given = arguments(call)
    does = understood(call.name, given)
    parts: list[Body] = []
    used: tuple[str, ...] = ()
    match does:
        case Command(line=line):
            used = does.used
            parts.append(TextBody(glyphs, as_shown(line), language="bash", prefix=" $ "))
        case Edits(files=files):
            used = does.used
            parts += _edit_parts(glyphs, files, patch, carets)
        case Todo(items=items):
            used = does.used
            parts.append(LinesBody(glyphs, _todo_lines(glyphs, items), indent=5))
    rest = _rest(glyphs, given, used, written, numbered and not parts, numbered)
    if rest is not None:
        parts.append(rest)
    return parts[0] if len(parts) == 1 else StackedBody(glyphs, parts)


def with_output(glyphs: Glyphs, made: Body, call: Block, result: Block) -> Body:
    """A command with its output below, as in a terminal; any other call as it is."""
    if not isinstance(understood(call.name, arguments(call)), Command):
        return made
    return StackedBody(glyphs, [made, RuleBody(glyphs, "output"), result_body(glyphs, result, call)])


def _rest(
    glyphs: Glyphs, given: Any, used: tuple[str, ...], written: str | None, numbered: bool, folds: bool
) -> Body | None:
    """The arguments that are not shown otherwise."""
    if isinstance(given, str):
        return (
            None if used == () and understood(None, given) is not None else TextBody(glyphs, given, numbered=numbered)
        )
    if isinstance(given, dict) and not given.keys() - set(used):
        return None if used else LinesBody(glyphs, [(glyphs.ui(" (no arguments)", "dim"),)])
    text = written if written is not None else json.dumps(given, ensure_ascii=False, default=str)
    return JsonBody(glyphs, text, numbered=numbered, without=used, folds=folds)


def _edit_parts(glyphs: Glyphs, files: tuple[FileDiff, ...], patch: Patch, carets: bool) -> Iterator[Body]:
    numbered = of_numbered(patch) if len(files) == 1 else ()
    for file in files:
        hunks = numbered or file.hunks
        last = max((hunk.old_start or 0) + len(hunk.lines) for hunk in hunks) if hunks else 0
        digits = max(3, len(str(last))) if any(hunk.old_start is not None for hunk in hunks) else 0
        body = DiffBody(glyphs, _file_parts(file, hunks), digits, carets, file=file.target or file.path)
        if not all(file.counts):
            body.columns = 1  # the other one would be empty
        yield body


def _file_parts(file: FileDiff, hunks: Sequence[Hunk]) -> Callable[[], Iterator[Part]]:
    def parts() -> Iterator[Part]:
        moved = f" → {file.target}" if file.target else ""
        yield Title(f"{file.path}{moved} · {file.kind} · {counts_words(*file.counts)}")
        for number, hunk in enumerate(hunks):
            if number:
                yield Note("⋮")
            yield from rows_of(hunk)

    return parts


def _todo_lines(glyphs: Glyphs, items: tuple[tuple[Any, str], ...]) -> Iterator[Line]:
    for state, words in items:
        sign, style = _TODO[state]
        yield (
            Span(SafeText(" ")),
            glyphs.ui(sign, style),
            Span(SafeText(" ")),
            Span(visible(words), "dim" if state == "done" else ""),
        )


# results


def short_title(title: str, cells: int) -> str:
    """A title of a result in that many cells: how many lines and bytes there are is the first to go."""
    parts = title.split(" · ")
    while len(parts) > 1 and width(SafeText(" · ".join(parts))) > cells:
        least = next((n for n, part in enumerate(parts) if _COUNTS.fullmatch(part)), len(parts) - 1)
        del parts[least]
    return " · ".join(parts)


def result_body(glyphs: Glyphs, result: Block, call: Block | None = None, numbered: bool = False) -> Body:
    """What a result says; images and files by kind and size."""
    media = media_in(result)
    parts: list[Body] = []
    if media:
        parts.append(LinesBody(glyphs, [(Span(SafeText(" ")), glyphs.ui(media_words(each), "bold")) for each in media]))
    text = text_beside_media(result) if media else result.text
    if text or not parts:
        parts.append(output_body(glyphs, text, call, numbered))
    return parts[0] if len(parts) == 1 else StackedBody(glyphs, parts)


def output_body(glyphs: Glyphs, text: str, call: Block | None, numbered: bool) -> Body:
    """An output: JSON as JSON, a file in its colours, prose as Markdown, anything else as it is."""
    if not text:
        return LinesBody(glyphs, [(glyphs.ui(" (empty)", "dim"),)])
    if looks_like_json(text):
        return JsonBody(glyphs, text, numbered=numbered, folds=numbered)
    given = arguments(call) if call is not None else None
    does = understood(call.name, given) if call is not None else None
    name = (call.name or "") if call is not None else ""
    if isinstance(does, Command):
        language = "diff" if _DIFF.search(text[:_COUNTED]) else None
        return TextBody(glyphs, as_shown(text), numbered=numbered, language=language)
    path = path_of(given)
    if path and does is None and _READS.search(name):
        return TextBody(glyphs, as_shown(text), numbered=numbered, file=path)
    if _PROSE.search(name) and _MARKDOWN.search(text[:_COUNTED]):
        return TextBody(glyphs, as_shown(text), numbered=numbered, language="markdown")
    return TextBody(glyphs, as_shown(text), numbered=numbered)


def row_body(
    glyphs: Glyphs, conversation: Conversation, row: PairRow, prefix: str = "", most: int | None = None
) -> Body:
    """A row without a pair: what a message says; why a record cannot be read, and what stands there."""
    text = whole_text(conversation, row)[:most]
    if row.kind != "damaged" or row.record is None:
        return TextBody(glyphs, text, language="markdown", prefix=prefix)
    written = decoded(conversation.document.record(row.record).body[:most])
    parts = (text, "", written)
    return StackedBody(glyphs, [TextBody(glyphs, part, prefix=" ", words=part is text) for part in parts])
