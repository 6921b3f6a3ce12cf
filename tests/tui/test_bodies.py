"""Bodies for any call, any result and any change: safe lines, no wider than asked; rows that stay findable."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.rounds import tries
from toolpair.dialects.block_texts import WrittenBlock
from toolpair.reports.reading.titles import call_title, result_title
from toolpair.source.changes import Change
from toolpair.text.safe import visible
from toolpair.tui.bodies.body import Body, Query, plain
from toolpair.tui.bodies.change_parts import diff_of_changes
from toolpair.tui.bodies.diff_body import Note
from toolpair.tui.bodies.json_body import JsonBody
from toolpair.tui.bodies.reading import call_body, result_body, with_output
from toolpair.tui.bodies.text_body import TextBody
from toolpair.tui.fix_effects import pair_parts
from toolpair.tui.styled_text import Glyphs, line_width, wrap_line

ODD = 'ab "\\\n\t{}[]é漢😀\u0301\u202e\x1b\x9b\r\x08\u200b\ud800[/]'
TEXTS = st.text(st.sampled_from(ODD), max_size=80) | st.text(max_size=120)
JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=15,
)
NAMES = st.sampled_from(["Bash", "Edit", "Write", "TodoWrite", "apply_patch", "Read", "Task", "mcp__a__b", "x"]) | TEXTS
ARGUMENTS = JSON | st.fixed_dictionaries(
    {},
    optional={
        "command": TEXTS, "file_path": TEXTS, "old_string": TEXTS, "new_string": TEXTS, "content": TEXTS,
        "todos": st.lists(st.fixed_dictionaries({"content": TEXTS, "status": TEXTS}), max_size=3),
        "diff": TEXTS.map(lambda text: f"<<<<<<< SEARCH\n{text}\n=======\n{text}x\n>>>>>>> REPLACE"),
        "input": TEXTS.map(lambda text: f"*** Begin Patch\n*** Update File: {text}\n-{text}\n+x{text}\n*** End Patch"),
    },
)  # fmt: skip
IMAGES = st.sampled_from([
    {"type": "image"}, {"type": "image", "source": {"type": "base64", "data": "iVBORw0KGgo=", "media_type": "image/png"}},
    {"type": "image_url", "image_url": {"url": "data:image/\x1bpng;base64,AAAA"}}, {"type": "input_image", "image_url": 5},
    {"type": "document", "source": 5},
])  # fmt: skip
CONTENTS = TEXTS | JSON | st.lists(IMAGES | st.fixed_dictionaries({"type": st.just("text"), "text": TEXTS}), max_size=3)
SLOW = settings(max_examples=tries(120), deadline=None, suppress_health_check=[HealthCheck.too_slow])
GLYPHS = Glyphs()


def all_of(body: Body, cells: int, wrapped: bool = True) -> list[str]:
    """All rows, after checking that they are safe and fit."""
    body.lay_out(cells, wrapped)
    while body.more(50):
        pass
    out = []
    for row in range(body.rows):
        line = body.line(row)
        assert line_width(line) <= max(8, cells), plain(line)
        for span in line:
            assert visible("x" + span.text) == "x" + span.text, ascii(span.text)
        out.append(plain(line))
    return out


@SLOW
@given(NAMES, ARGUMENTS, CONTENTS, st.booleans(), st.integers(20, 130), st.booleans())
def test_any_call_and_any_result(
    name: str, arguments: Any, content: Any, numbered: bool, cells: int, wrapped: bool
) -> None:
    call = WrittenBlock("call", {"type": "tool_use", "id": "1", "name": name, "input": arguments}, 0, (), "1", name)
    result = WrittenBlock("result", {"type": "tool_result", "tool_use_id": "1", "content": content}, 1, (), "1")
    made = call_body(GLYPHS, call, numbered=numbered, carets=numbered)
    all_of(made, cells, wrapped)
    all_of(result_body(GLYPHS, result, call, numbered), cells, wrapped)
    assert isinstance(call_title(call), str) and isinstance(result_title(result), str)
    all_of(with_output(GLYPHS, made, call, result), cells, wrapped)


@SLOW
@given(JSON.map(json.dumps), st.lists(st.integers(0, 40), max_size=8), st.integers(20, 90))
def test_folding_hides_rows_and_shows_them_again(text: str, folds: list[int], cells: int) -> None:
    body = JsonBody(GLYPHS, text)
    rows = all_of(body, cells)
    for number in folds:
        if body.rows and (row := body.fold(number % body.rows)) is not None:
            assert 0 <= row < body.rows
        shown = [body.line(row) for row in range(body.rows)]
        numbers = [body.number(row) for row in range(body.rows)]
        assert numbers == sorted(set(numbers)) and len(shown) <= len(rows)
        body.lay_out(cells)
        assert [body.number(row) for row in range(body.rows)] == numbers, "folds outlive another width"
    body.fold_all()
    body.fold_all()
    if body.rows < len(rows):
        body.fold_all()
    assert [plain(body.line(row)) for row in range(body.rows)] == rows


@SLOW
@given(TEXTS, st.text(st.sampled_from('ab" é漢'), min_size=1, max_size=2), st.booleans(), st.integers(8, 60))
def test_every_match_is_found_forwards_and_backwards(text: str, words: str, as_json: bool, cells: int) -> None:
    body: Body = JsonBody(GLYPHS, json.dumps({"a": text, "b": [text]})) if as_json else TextBody(GLYPHS, text)
    body.lay_out(cells)
    query = Query(words)
    found: list[int] = []
    row: int | None = -1
    while row is not None and len(found) < 500:
        row = body.find(query, row, 1)
        found += [row] if row is not None else []
    assert found == sorted(set(found))
    back: list[int] = []
    row = body.rows
    while row is not None and len(back) < 500:
        row = body.find(query, row, -1)
        back += [row] if row is not None else []
    assert back == found[::-1]
    assert bool(found) == bool(body.count(query))


BYTES = (TEXTS | JSON.map(json.dumps)).map(lambda text: text.encode("utf-8", "surrogatepass"))


@SLOW
@given(
    st.lists(st.tuples(BYTES | st.none(), BYTES | st.none()), max_size=4), st.booleans(), st.integers(20, 140),
    st.sampled_from([None, 1, 2]),
)  # fmt: skip
def test_any_change(
    both: list[tuple[bytes | None, bytes | None]], whole: bool, cells: int, columns: int | None
) -> None:
    changes = [
        Change("changed" if old and new else "added" if new else "removed", 0, 1 if old else None, old, new)
        for old, new in both
        if old is not None or new is not None
    ]
    body = diff_of_changes(GLYPHS, lambda: changes, "line", carets=whole, whole=whole)
    body.columns = columns
    all_of(body, cells)
    body.fold_all()
    all_of(body, cells)
    row: int | None = -1
    seen = []
    while row is not None:
        row = body.change(row, 1)
        seen += [row] if row is not None else []
    assert seen == sorted(set(seen))


@given(st.lists(TEXTS, max_size=4), st.integers(2, 30))
def test_wrapping_keeps_every_character(texts: list[str], cells: int) -> None:
    line = tuple(GLYPHS.data(f"x{text}") for text in texts)
    wrapped = wrap_line(line, cells)
    assert "".join(map(plain, wrapped)) == plain(line) and all(line_width(part) <= cells for part in wrapped)


def test_the_output_in_a_preview_keeps_its_indentation() -> None:
    output = "class Cart:\n    def total(self):\n\treturn 0\n" + 60 * " " + "far"
    result = WrittenBlock("result", {"type": "tool_result", "tool_use_id": "1", "content": output}, 1, (), "1")
    notes = [part for part in pair_parts(None, result, None, lines=4) if isinstance(part, Note)]
    assert [(note.words, note.indent - notes[1].indent) for note in notes[1:]] == [
        ("def total(self):", 0),
        ("return 0", 0),
        ("far", 20),
    ]
