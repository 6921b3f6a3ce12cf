"""What tool calls do, read from the arguments that agents give them; and the diffs of edits."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from toolpair.text.file_diffs import Hunk, Row, of_numbered, of_search_replace, of_strings, rows_of, trimmed
from toolpair.text.terminal_output import as_shown
from toolpair.text.tool_calls import Command, Edits, Todo, understood

LINES = st.lists(st.text(st.sampled_from("ab \t"), max_size=6), max_size=12).map("\n".join)
PATCH = "*** Begin Patch\n*** Update File: a.py\n@@ def f\n-old\n+new\n*** Add File: b.py\n+x\n*** End Patch\n"


@each(
    ("name", "arguments", "line"),
    [
        ("Bash", {"command": "ls -l", "description": "List"}, "ls -l"),
        ("exec_command", {"cmd": "cat a", "yield_time_ms": 5}, "cat a"),
        ("shell", {"command": ["bash", "-lc", "cd src && ls"]}, "cd src && ls"),
        ("shell", {"command": ["ls", "a b"]}, "ls 'a b'"),
        ("execute_command", {"command": "make", "cwd": "."}, "make"),
    ],
)
def test_commands(name: str, arguments: dict[str, Any], line: str) -> None:
    found = understood(name, arguments)
    assert isinstance(found, Command) and found.line == line


@each(
    ("name", "arguments", "files"),
    [
        ("Edit", {"file_path": "a", "old_string": "x", "new_string": "y"}, [("a", 1, 1)]),
        ("str_replace_editor", {"path": "a", "old_str": "x", "new_str": "y\nz"}, [("a", 2, 1)]),
        ("MultiEdit", {"file_path": "a", "edits": [{"old_string": "x", "new_string": "y"}] * 2}, [("a", 2, 2)]),
        ("Write", {"file_path": "a", "content": "x\ny\n"}, [("a", 2, 0)]),
        ("write_to_file", {"path": "a", "content": "x"}, [("a", 1, 0)]),
        ("apply_patch", PATCH, [("a.py", 1, 1), ("b.py", 1, 0)]),
        ("apply_patch", {"input": PATCH}, [("a.py", 1, 1), ("b.py", 1, 0)]),
        ("shell", {"command": ["bash", "-lc", f"apply_patch <<'E'\n{PATCH}E\n"]}, [("a.py", 1, 1), ("b.py", 1, 0)]),
        ("shell", {"command": ["apply_patch", PATCH]}, [("a.py", 1, 1), ("b.py", 1, 0)]),
        (
            "apply_diff",
            {"path": "a", "diff": "<<<<<<< SEARCH\n:start_line:7\n-------\nx\n=======\ny\n>>>>>>> REPLACE"},
            [("a", 1, 1)],
        ),
    ],
)
def test_edits(name: str, arguments: Any, files: list[tuple[str, int, int]]) -> None:
    found = understood(name, arguments)
    assert isinstance(found, Edits)
    assert [(file.path, *file.counts) for file in found.files] == files


def test_to_do_lists() -> None:
    items = [{"content": "a", "status": "completed"}, {"content": "b", "status": "in_progress"}]
    found = understood("TodoWrite", {"todos": items})
    assert isinstance(found, Todo) and found.items == (("done", "a"), ("doing", "b"))
    assert understood("update_plan", {"plan": [{"step": "c", "status": "pending"}]}) == Todo(
        (("to do", "c"),), ("plan",)
    )
    written = understood("update_todo_list", {"todos": "[x] a\n[-] b\n[ ] c"})
    assert isinstance(written, Todo) and [state for state, _ in written.items] == ["done", "doing", "to do"]


@each("arguments", [None, 5, [], {}, {"command": 5}, {"todos": [1]}, {"path": "a", "diff": "x"}, "text"])
def test_what_is_not_understood_is_shown_as_it_is(arguments: Any) -> None:
    assert understood("frobnicate", arguments) is None
    assert understood(None, arguments) is None


JSON = st.recursive(st.none() | st.text(max_size=9) | st.integers(), lambda x: st.lists(x, max_size=3), max_leaves=5)
KEYS = st.sampled_from(
    ["command", "path", "diff", "edits", "old_string", "new_string", "content", "todos", "input", "x"]
)


@given(st.text(max_size=9) | st.none(), st.dictionaries(KEYS, JSON) | JSON)
def test_no_arguments_are_too_odd(name: str | None, arguments: Any) -> None:
    understood(name, arguments)


def both(rows: list[Row]) -> tuple[list[str], list[str]]:
    """The text before and after that rows stand for."""
    sides = ([row.old for row in rows if row.old], [row.new for row in rows if row.new])
    return tuple(["".join(text for text, _ in side.marks) for side in each] for each in sides)  # type: ignore[return-value]


@given(LINES, LINES)
def test_a_diff_holds_both_texts_and_marks_only_what_differs(old: str, new: str) -> None:
    rows = [row for hunk in of_strings(old, new) for row in rows_of(hunk)]
    before, after = both(rows)
    assert before == (old.removesuffix("\n").split("\n") if old else [])
    assert after == (new.removesuffix("\n").split("\n") if new else [])
    for row in rows:
        if row.old is not None and row.new is not None:
            same = ["".join(text for text, kind in side.marks if kind == "same") for side in (row.old, row.new)]
            assert same[0] == same[1]


@given(LINES, LINES, st.integers(0, 3))
def test_trimming_keeps_the_changes_and_the_numbers(old: str, new: str, context: int) -> None:
    whole = [Hunk(hunk.lines, 1, 1) for hunk in of_strings(old, new)]
    rows = [row for hunk in whole for row in rows_of(hunk)]
    kept = [row for hunk in whole for part in trimmed(hunk, context) for row in rows_of(part)]
    assert [row for row in rows if not row.same] == [row for row in kept if not row.same]
    assert all(row in rows for row in kept)


def test_numbers_are_those_of_the_agents_own_patch() -> None:
    rows = [row for hunk in of_numbered([(7, 7, [" a", "-b", "+c"])]) for row in rows_of(hunk)]
    numbers = [(row.old.number if row.old else None, row.new.number if row.new else None) for row in rows]
    assert numbers == [(7, 7), (8, None), (None, 8)] or numbers == [(7, 7), (8, 8)]


def test_very_long_texts_are_arguments_not_diffs() -> None:
    assert understood("Write", {"file_path": "a", "content": "x\n" * 100_000}) is None
    assert isinstance(understood("Bash", {"command": "x" * 200_000}), Command)


def test_blocks_that_are_never_ended_take_no_time() -> None:
    assert of_search_replace("<<<<<<< SEARCH\n" * 50_000) == ()


def test_an_output_is_shown_as_the_terminal_had_it_in_the_end() -> None:
    assert as_shown("\x1b[1;31mred\x1b[0m\r\n\x1b]0;title\x07done") == "red\ndone"
    assert as_shown("10%\r50%\r100%\nok") == "100%\nok"
    assert as_shown("ab\x08c") == "ac"


@given(st.text(st.sampled_from("\x1b[]0;m\r\n\x08\x07\x9bab"), max_size=60))
def test_no_sequence_is_left(text: str) -> None:
    shown = as_shown(text)
    assert "\x1b[0m" not in shown and len(shown) <= len(text)
