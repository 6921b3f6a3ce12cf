"""Reading a call, a result and a record: what is shown, folded, found, and how little of it is laid out for a key."""

from __future__ import annotations

import base64
import json
import re
import struct
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.formats.claude_code_files import Log, call
from tests.patience import PATIENCE
from tests.session_folders import claude_session
from tests.tui.driving import drive, frame, lines_of, press
from tests.tui.test_native_sessions import without_result, write
from toolpair.tui.app import ToolpairApp
from toolpair.tui.bodies import body as bodies
from toolpair.tui.bodies.body import plain
from toolpair.tui.bodies.json_body import JsonBody
from toolpair.tui.bodies.reading import short_title
from toolpair.tui.colours import Colours
from toolpair.tui.screens.viewer import ViewerScreen
from toolpair.tui.widgets import body_view
from toolpair.tui.widgets.body_view import BodyView

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 1280, 800) + bytes(600)).decode()
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}


def one_call(path: Path, tool: str, arguments: Any, output: Any = "done", is_error: bool = False) -> Path:
    """A list of messages with one call and its result."""
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": output}
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": tool, "input": arguments}]},
        {"role": "user", "content": [{**result, "is_error": True} if is_error else result]},
    ]
    path.write_text(json.dumps(messages, ensure_ascii=False), encoding="utf-8")
    return path


def shows(path: Path, *keys: str, size: tuple[int, int] = (100, 24)) -> str:
    """The frame after opening the pair and pressing keys."""
    [seen] = frames(path, *keys, size=size)
    return seen


def frames(path: Path, *visits: str, size: tuple[int, int] = (100, 24)) -> list[str]:
    """The frames after opening the pair and pressing the keys of each visit, one after the other."""
    seen: list[str] = []

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "g", "j")
        for keys in visits:
            await press(pilot, *keys.split())
            seen.append(frame(app))

    drive(path, play, size)
    return seen


def view_of(app: ToolpairApp) -> BodyView:
    assert isinstance(app.screen, ViewerScreen)
    return app.screen.query_one(BodyView)


def test_a_command_is_shown_with_its_output_as_in_a_terminal(tmp_path: Path) -> None:
    output = "Exit code 1\n\x1b[31mFAILED\x1b[0m test_cart\n10%\r100%"
    path = one_call(tmp_path / "a.json", "Bash", {"command": "pytest -q", "timeout": 5}, output, is_error=True)
    shown, result = frames(path, "enter", "q l enter")
    assert "$ pytest -q" in shown and "timeout  5" in shown and "── output ──" in shown
    assert "FAILED test_cart" in shown and "10%" not in shown.replace("100%", "") and "[31m" not in shown
    assert "[result]" in result and "ERROR exit 1 · 3 lines" in result and "  2  FAILED test_cart" in result


def test_an_edit_is_a_diff_and_a_to_do_list_is_a_list(tmp_path: Path) -> None:
    edit = {"file_path": "src/a.py", "old_string": "x = 1\ny = 2\n", "new_string": "x = 1\ny = 3\n"}
    shown = shows(one_call(tmp_path / "a.json", "Edit", edit), "enter")
    assert "Edit src/a.py · +1 -1" in shown and " - y = 2" in shown and " + y = 3" in shown and "   x = 1" in shown
    todos = [{"content": "Look", "status": "completed"}, {"content": "Fix", "status": "in_progress"}]
    shown = shows(one_call(tmp_path / "b.json", "TodoWrite", {"todos": todos}), "enter")
    assert "[x] Look" in shown and "[>] Fix" in shown and "1 done, 1 doing" in shown


def test_unknown_tools_are_shown_as_json_with_numbers_as_written(tmp_path: Path) -> None:
    path = one_call(tmp_path / "a.json", "frobnicate", {"n": 0, "options": '{"depth": 2}', "sql": "select 1\nfrom x"})
    path.write_text(path.read_text().replace('"n": 0', '"n": 1.50e+3'))
    shown = shows(path, "enter")
    assert "n        1.50e+3" in shown and "JSON in a text" in shown and "depth  2" in shown
    assert "sql      select 1" in shown and "from x" in shown and "\\n" not in shown


def test_images_are_shown_as_their_kind_and_size(tmp_path: Path) -> None:
    shown = shows(one_call(tmp_path / "a.json", "Screenshot", {}, [IMAGE, {"type": "text", "text": "it"}]), "l enter")
    assert "image  PNG, 1,280 x 800, 624 B" in shown and "it" in shown and "1 image" in shown


def test_json_folds(tmp_path: Path) -> None:
    rows = {"rows": [{"id": 1, "name": "Ann"}, {"id": 2, "name": "Bo"}], "next": None}
    path = one_call(tmp_path / "a.json", "query", {}, json.dumps(rows))

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "g", "j", "l", "enter")
        assert "Ann" in frame(app) and "next  null" in frame(app)
        await press(pilot, "j", "enter")
        assert "Ann" not in frame(app) and "{ id, name }" in frame(app) and "Bo" in frame(app)
        await press(pilot, "enter", "O")
        assert "Bo" not in frame(app) and "[2]" in frame(app) and "next  null" in frame(app)
        await press(pilot, "O")
        assert "Ann" in frame(app) and "Bo" in frame(app)

    drive(path, play)


def test_what_is_searched_is_found_while_one_types_also_in_folded_parts(tmp_path: Path) -> None:
    rows = {"rows": [{"n": n, "note": f"Floor {n}"} for n in range(300)]}
    path = one_call(tmp_path / "a.json", "query", {}, json.dumps(rows))

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "g", "j", "l", "enter", "O")
        assert "Floor 250" not in frame(app)
        await press(pilot, "slash", "text:floor 25")
        assert "Floor 25" in frame(app) and "match 1 of 11" in frame(app) and "any case" in frame(app)
        await press(pilot, "text:0")
        assert "Floor 250" in frame(app) and "match 1 of 1" in frame(app)
        await press(pilot, "enter", "n")
        assert "Floor 250" in frame(app) and app.screen.focused is view_of(app)
        await press(pilot, "slash", "text:nowhere")
        assert "not found: nowhere" in frame(app)
        await press(pilot, "escape", "q")
        assert not isinstance(app.screen, ViewerScreen)

    drive(path, play)


def test_matches_are_walked_in_order_and_around(tmp_path: Path) -> None:
    path = one_call(tmp_path / "a.json", "Bash", {"command": "x"}, "\n".join(f"line {n % 40}" for n in range(120)))
    rows: list[int] = []

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "g", "j", "l", "enter", "slash", "text:line 7", "enter")
        for by in "nnnnNNNN":
            rows.append(view_of(app).here)
            await press(pilot, by)
        rows.append(view_of(app).here)

    drive(path, play)
    assert rows == [7, 47, 87, 7, 47, 7, 87, 47, 7]


def test_v_shows_the_record_as_it_stands_and_goes_back(tmp_path: Path) -> None:
    path = one_call(tmp_path / "a.json", "frobnicate", {"n": 1})

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "g", "j", "l", "enter", "v")
        assert "[record]" in frame(app) and "tool_use_id" in frame(app) and "active" in frame(app)
        await press(pilot, "z")
        assert '{"type": "tool_result", "tool_use_id": "toolu_1", "content": "done"}' in frame(app)
        await press(pilot, "v")
        assert "[result]" in frame(app)
        await press(pilot, "h", "v")
        assert "[record]" in frame(app) and "frobnicate" in frame(app)

    drive(path, play, (100, 24))


def test_the_time_taken_and_the_numbers_of_a_patch_come_from_the_file(tmp_path: Path) -> None:
    log = Log(step=4)
    log.user("u1", "go")
    edit = {"file_path": "a.py", "old_string": "b", "new_string": "c"}
    log.says("a1", "msg_1", {**call("toolu_1"), "name": "Edit", "input": edit})
    log.result("r1", "a1", "toolu_1", "done")
    patch = [{"oldStart": 70, "oldLines": 2, "newStart": 70, "newLines": 2, "lines": [" a", "-b", "+c"]}]
    log.values[-1]["toolUseResult"] = {"structuredPatch": patch}
    path = tmp_path / "session.jsonl"
    path.write_text("".join(json.dumps(value) + "\n" for value in log.values), encoding="utf-8")
    patch_shown, result = frames(path, "enter", "q l enter")
    assert " 71     - b" in patch_shown and "     71 + c" in patch_shown and "took 4.0 s" in result


def test_an_output_that_was_found_elsewhere_is_opened(tmp_path: Path) -> None:
    path = write(tmp_path / "mine.jsonl", without_result("first words\nmore of it"))

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        assert "lost here, found elsewhere" in frame(app)
        await press(pilot, "l", "enter")
        assert "[found elsewhere]" in frame(app) and "more of it" in frame(app)

    drive(path, play, (100, 24))


def test_the_whole_of_a_long_output_is_one_page_away(tmp_path: Path) -> None:
    folder = tmp_path / "session" / "tool-results"
    folder.mkdir(parents=True)
    (folder / "b1.txt").write_text("\n".join(f"row {n}" for n in range(900)))
    at = "/home/dev/session/tool-results/b1.txt"
    said = f"<persisted-output>\nOutput too large (9.4KB). Full output saved to: {at}\n\nPreview (first 2KB):\nrow 0"
    log = Log(step=4)
    log.user("u1", "go")
    log.says("a1", "msg_1", {**call("toolu_1"), "name": "Bash", "input": {"command": "seq"}})
    log.result("r1", "a1", "toolu_1", f"{said}\n...\n</persisted-output>")
    path = tmp_path / "session.jsonl"
    path.write_text("".join(json.dumps(value) + "\n" for value in log.values), encoding="utf-8")

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "g", "j", "l", "enter")
        assert "[result]" in frame(app) and "Output too large" in frame(app)
        await press(pilot, "l", "G")
        assert "[whole output]" in frame(app) and "row 899" in frame(app) and "tool-results/b1.txt" in frame(app)

    drive(path, play, (110, 24))


def test_only_what_is_in_view_is_laid_out_for_a_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body_view, "_PAUSE", 1e6)
    monkeypatch.setattr(body_view, "REST", 1e6)
    rows = json.dumps([{"id": n, "note": "text " * 9} for n in range(60_000)])
    path = one_call(tmp_path / "a.json", "query", {}, rows)
    drawn: list[int] = []
    line = JsonBody.line
    monkeypatch.setattr(JsonBody, "line", lambda self, row: (drawn.append(row), line(self, row))[1])

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "g", "j", "l", "enter")
        assert isinstance(view_of(app).body, JsonBody) and view_of(app).body.rows <= 1000
        for key in ("j", "ctrl+f", "G", "enter", "k"):
            drawn.clear()
            await press(pilot, key)
            assert len(drawn) <= 4 * app.size.height, key

    drive(path, play)


def test_the_end_of_a_long_output_is_reached_while_it_is_laid_out(tmp_path: Path) -> None:
    path = one_call(tmp_path / "a.json", "query", {}, json.dumps([{"id": n} for n in range(20_000)]))

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "g", "j", "l", "enter", "G")
        end = monotonic() + PATIENCE
        while "id  19999" not in frame(app):
            assert monotonic() < end
            await pilot.pause(0.02)

    drive(path, play)


def test_colours_come_from_a_process_that_is_killed_when_it_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolpair.tui.colours.LIMIT", PATIENCE)
    colours = Colours()
    try:
        runs = colours.runs("a.py", None, ("import os", 'x = """a', 'b"""  # c'))
        assert (0, 6, "code-keyword") in runs[0] and runs[2][-1][2] == "code-comment"
        assert colours.runs("a.nothing", None, ("import os",)) == []
        assert colours.runs(None, "markdown", ("# Title",)) == [[(0, 7, "code-heading")]]
        monkeypatch.setattr("toolpair.tui.colours.LIMIT", 0.01)
        assert colours.runs("a.py", None, ("\\" * 60_000,)) == []
        monkeypatch.setattr("toolpair.tui.colours.LIMIT", PATIENCE)
        assert colours.runs("a.py", None, ("import os",))[0], "another process is started"
    finally:
        colours.close()
    assert colours.runs("a.py", None, ("import os",)) == []


def test_a_file_is_shown_in_its_colours_with_its_own_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolpair.tui.colours.LIMIT", PATIENCE)
    path = one_call(tmp_path / "a.json", "Read", {"file_path": "src/a.py"}, "     7→import os\n     8→\tx = 1")
    styles: set[str] = set()

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "g", "j", "l", "enter")
        assert "     7 import os" in frame(app)
        for _ in range(500):
            styles.update(span.style for row in range(2) for span in view_of(app).body.line(row))
            if "code-keyword" in styles:
                break
            await pilot.pause(0.02)

    drive(path, play)
    assert {"quiet", "code-keyword"} <= styles


def test_diffs_mark_without_colour_and_in_ascii(broken: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "p")
        shown = frame(app)
        assert "^" in shown and "- " in shown and "+ " in shown and shown.isascii()

    drive(broken, play, (100, 24), ascii=True)


@pytest.mark.parametrize(("size", "divider"), [((80, 24), False), ((120, 40), True)])
def test_a_diff_has_two_columns_where_they_fit(broken: Path, size: tuple[int, int], divider: bool) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "p")
        assert ("│" in frame(app)) is divider
        await press(pilot, "vertical_line")
        assert ("│" in frame(app)) is not divider

    drive(broken, play, size)


def test_the_next_change_is_one_key_away(broken: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "A", "p", "right_square_bracket", "right_square_bracket")
        here = view_of(app).cursor
        assert frame(app).split("\n")[2].startswith("▌──") and here > 0
        await press(pilot, "left_square_bracket")
        assert 0 < view_of(app).cursor < here

    drive(broken, play, (80, 12))


def test_the_review_shows_the_diff_of_the_row_under_the_cursor(broken: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "A")
        for _ in range(300):
            if " + " in frame(app):
                break
            await pilot.pause(0.02)
        assert "1 of 3: give the result the call's id" in frame(app) and "tool_use_id" in frame(app)
        await press(pilot, "j")
        for _ in range(300):
            if "new message" in frame(app):
                break
            await pilot.pause(0.02)
        assert "No result was recorded" in frame(app)

    drive(broken, play, (100, 40))


def test_what_only_counts_is_one_line_that_opens() -> None:
    sample = Path(__file__).resolve().parents[2] / "sample_sessions" / "codex-killed.jsonl"

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "A", "p")
        assert "6 lines only count on: ordinal 11 → 13 … 16 → 18" in frame(app)
        before = view_of(app).body.rows
        await press(pilot, "slash", "text:only count", "enter", "enter")
        assert "▾ 6 lines only count on" in frame(app) and view_of(app).body.rows > before
        await press(pilot, "enter")
        assert view_of(app).body.rows == before

    drive(sample, play, (100, 40))


def test_a_query_without_capitals_matches_any_case() -> None:
    hay = bodies.Haystack("One two ONE \u0130")
    assert hay.count(bodies.Query("one"), "one") == 2 and hay.count(bodies.Query("One"), "One") == 1
    assert hay.find(bodies.Query("one"), "one", 1) == 8 and hay.find_last(bodies.Query("one"), "one", 8) == 0


def test_a_message_stands_between_words_off_the_edge_and_no_wider_than_one_reads(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    said = "It may have run; check before repeating it. " * 12
    path.write_text(json.dumps([{"role": "user", "content": said}, {"role": "assistant", "content": "yes"}]))
    seen: list[str] = []

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "g", "enter")
        seen.extend(lines_of(app))

    drive(path, play, (200, 60))
    assert seen[0].startswith(" you · messages.0")
    body = [line.rstrip() for line in seen[2:-2] if line.strip()]
    assert len(body) > 4 and all(line.startswith(" ") and len(line) <= 101 for line in body)
    assert " ".join(" ".join(body).split()) == said.strip(), "all of it, not only what the list shows"


def test_a_long_thing_to_do_is_read_whole(tmp_path: Path) -> None:
    words = "one that goes on and on, so that it has to go on in the next line " * 3
    todos = [{"content": words.strip(), "status": "pending"}]
    shown = shows(one_call(tmp_path / "a.json", "TodoWrite", {"todos": todos}), "enter", size=(80, 24))
    assert " ".join(shown.split()).count("goes on and on, so that it has to go on in the next line") == 3
    assert "\n     " in shown


def test_paths_are_shown_from_the_folder_of_the_session(tmp_path: Path) -> None:
    path = claude_session(tmp_path / ".claude", "/home/dev/shop")
    call = rb'"input": {"file_path": "/home/dev/shop/src/a.py"}'
    path.write_bytes(re.sub(rb'"input": \{[^}]*\}', call, path.read_bytes()))
    seen: list[str] = []

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        seen.append(frame(app))

    drive(path, play)
    assert " src/a.py" in seen[0] and "/home/dev/shop/src" not in seen[0]


def test_an_edit_is_counted_alike_in_the_list_and_when_opened(tmp_path: Path) -> None:
    edit = {"file_path": "a.py", "old_string": "a\nb\nc\n", "new_string": "c\na\nb\n"}
    path = one_call(tmp_path / "a.json", "Edit", edit)
    listed, opened = frames(path, "", "enter")
    assert "a.py  +1 -1" in listed and "a.py · +1 -1" in opened
    written = one_call(tmp_path / "b.json", "Write", {"file_path": "b.py", "content": "x\n" * 3})
    listed, opened = frames(written, "", "enter")
    assert "b.py  +3 -0" in listed and "b.py · +3 -0" in opened


def test_the_head_of_a_result_drops_what_counts_before_it_cuts_words() -> None:
    title = "exit 1 · 1 image · 33 lines · 1.2 KB · took 4.0 s"
    assert short_title(title, 80) == title
    assert short_title(title, 40) == "exit 1 · 1 image · 1.2 KB · took 4.0 s"
    assert short_title(title, 30) == "exit 1 · 1 image · took 4.0 s"
    assert short_title(title, 10) == "exit 1"


def test_a_key_that_can_do_nothing_says_so(tmp_path: Path) -> None:
    path = one_call(tmp_path / "a.json", "Grep", {"pattern": "x"}, "one")
    keys = ["l enter", "enter", "vertical_line", "O", "right_square_bracket", "less_than_sign"]
    said = ["nothing folds here", "only a diff", "nothing folds here", "only a diff", "z cuts long lines first"]
    before, *shown = frames(path, *keys)
    assert not any(words in before for words in said)
    for key, after, words in zip(keys[1:], shown, said, strict=True):
        assert words in after and not any(other in after for other in said if other != words), key


def test_an_edit_has_the_colours_of_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    edit = {"file_path": "a.py", "old_string": "def a():\n    return 1\n", "new_string": "def a():\n    return 12\n"}
    path = one_call(tmp_path / "a.json", "Edit", edit)
    monkeypatch.setattr("toolpair.tui.colours.LIMIT", PATIENCE)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "g", "j", "enter")
        body = view_of(app).body

        def styles(sign: str) -> set[str]:
            row = next(n for n in range(body.rows) if plain(body.line(n)).lstrip().startswith(sign + " "))
            return {span.style for span in body.line(row) if "return" in span.text or span.text.strip().isdigit()}

        for _ in range(500):
            if any("code-keyword" in style for style in styles("+")):
                break
            await pilot.pause(0.01)
        assert "removed code-keyword" in styles("-") and "added code-keyword" in styles("+")
        assert not any("mark" in style and "code" in style for style in styles("+") | styles("-"))

    drive(path, play, drawn=True)


def test_call_and_result_are_side_by_side_and_their_neighbours_a_key_away(native: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "g", "j", "enter")
        top = next(line for line in lines_of(app) if line.startswith("── call ──"))
        assert top[60:].startswith("┬─ result · ok · 2 lines")
        [line] = [line for line in lines_of(app) if "$ echo 0" in line]
        assert line.index("first line of 0") > 60, "the output is beside the command, and not below it, too"
        await press(pilot, "tab", "slash", "text:second", "enter")
        assert "match 1 of 1" in frame(app), "keys go to the other column"
        await press(pilot, "right_curly_bracket", "right_curly_bracket")
        assert "$ echo 2" in frame(app) and "first line of 2" in frame(app)
        await press(pilot, "left_curly_bracket", "left_curly_bracket", "left_curly_bracket")
        assert "there is no previous pair" in frame(app) and "$ echo 0" in frame(app)
        await press(pilot, "tab", "vertical_line")
        assert not any("┬─ result" in line for line in lines_of(app))
        assert [line.index("first line of 0") < 20 for line in lines_of(app) if "first line of 0" in line] == [True]
        await press(pilot, "vertical_line")
        await pilot.resize_terminal(100, 30)
        await pilot.pause()
        assert "┬" not in frame(app) and "[call]" in frame(app)
        await press(pilot, "right_curly_bracket", "q")
        assert "▌  1  " in frame(app), "the list has followed"

    drive(native, play, (120, 40))
