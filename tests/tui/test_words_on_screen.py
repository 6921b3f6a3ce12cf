"""What the screens say, in plain English: what is so now and what will be after saving, apart."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.agents import planted
from tests.formats.claude_code_files import Log, call, text
from tests.rounds import some
from tests.tui.driving import array_file, drive, frame, lines_of, press, settled
from tests.tui.test_native_sessions import write
from toolpair.dialects.anthropic import block_of
from toolpair.reports.reading.call_line import call_line, output_words
from toolpair.session.session import open_session
from toolpair.tui.app import ToolpairApp
from toolpair.tui.causes_text import cause_entries, entry_lines
from toolpair.tui.left_text import left_of
from toolpair.tui.run_result import command_of
from toolpair.tui.screens.pair_screen import PairScreen
from toolpair.tui.screens.writing import bar_line
from toolpair.tui.styled_text import Glyphs, bar
from toolpair.tui.work import LongTask

SAMPLES = Path(__file__).parents[2] / "sample_sessions"
FORBIDDEN = re.compile(
    r"\b(mend(s|ed|ing)?\b|judged?\b|judging|put on\b|puts? back|tak(e|es|en) (it )?(out|off|back)\b|"
    r"pass(es|ed)? by\b|still waits?|without a word|have their result|To go on:|Go on with:|read back, swapped)",
    re.IGNORECASE,
)
OF_THE_SESSION = re.compile(r"^[ ▌]?(── |\s*\d+ |The total)|Just mend it|then mend what|Please mend it|message|│")
"""Lines that may show what the session itself says."""
OF_THE_RULES = re.compile(r"^ (Why|Note|!|≠|✗|\?|=|~|·|If|On resume|The API|Fix:|Other ways|\[.\]| {3,})|It does not|·")
"""Lines whose words are those of a rule, a fix or a cause."""


def ours(shown: str) -> list[str]:
    """The lines that the interface itself words."""
    lines = shown.splitlines()
    return [line for line in lines if not OF_THE_SESSION.search(line) and not OF_THE_RULES.search(line)]


@pytest.mark.parametrize("path", some(sorted(SAMPLES.glob("*.json*"))[::2], 1), ids=lambda path: path.name)
def test_a_walk_through_the_screens_meets_no_word_that_was_given_up(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / path.name
    copy.write_bytes(path.read_bytes())
    walk = (
        "f", "escape", "a", "escape", "y", "escape", "P", "escape", "question_mark", "G", "escape", "ctrl+p", "escape",
        "M", "escape", "m", "escape", "slash", "escape", "ampersand", "escape", "at", "escape", "enter", "escape",
        "F", "F", "R", "escape", "n", "u", "A", "x", "x", "p", "escape", "escape", "q", "escape", "w", "enter",
    )  # fmt: skip

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        said = ours(frame(app))
        for key in walk:
            if not app.is_running:
                break
            await press(pilot, key)
            said += ours(frame(app))
        found = {line.strip() for line in said if FORBIDDEN.search(line)}
        assert not found

    drive(copy, play, (120, 40))


def test_now_and_after_saving_are_said_apart(broken: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        assert "API REFUSES IT   4 problems, 2 causes." in frame(app)
        await press(pilot, "space")
        assert "now and after saving API REFUSES IT" in frame(app) and "3 problems left." in frame(app)
        await press(pilot, "A", "escape")
        shown = frame(app)
        assert "now API REFUSES IT · after saving VALID" in shown and "will still be there" in shown
        await press(pilot, "w", "enter")
        assert re.search(r"Undo +toolpair restore", frame(app)) and "To take it back" not in frame(app)
        await press(pilot, "enter")
        assert "VALID All 20 calls have results. (Checked" in " ".join(frame(app).split())

    lines = drive(broken, play).result.lines
    assert any(line.startswith("Undo: toolpair restore ") for line in lines), "a save ends with undo and next"


def test_an_agents_session_says_whether_it_resumes_and_what_it_loses(samples: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        shown = " ".join(frame(app).split())
        assert "RESUMES, LOSES 2 OUTPUTS 3 problems, 2 causes. Of 4 outputs 2 are dropped without telling you." in shown
        await press(pilot, "A", "escape")
        shown = frame(app)
        assert "now LOSES 2 OUTPUTS · after saving READY TO RESUME" in shown
        assert "All 4 outputs will reach the model, plus 1 placeholder." in shown

    drive(samples / "codex-killed.jsonl", play)


def test_a_call_that_nothing_works_on_was_interrupted(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_bytes(planted.corpus()["killed_in_call"])
    session = open_session(log)
    assert session.conversation.verdict.waiting and not session.conversation.verdict.errors

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        shown = " ".join(frame(app).split())
        assert "READY TO RESUME The last call, " in shown and "interrupted and has no output" in shown
        assert "Claude Code will say so to the model." in shown and "still waits" not in shown
        assert "┄┄ interrupted, no output ┄┄" in shown
        await press(pilot, "F")
        assert "has no output yet." in " ".join(frame(app).split()) and "no result yet" in frame(app)

    drive(log, play, (120, 40))


def test_a_guess_about_a_chain_shows_both_ends(tmp_path: Path) -> None:
    path = tmp_path / "second.jsonl"
    path.write_bytes(planted.corpus()["second_root"])

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "right_square_bracket", "space")
        shown = frame(app)
        assert "Does the later line follow the earlier one?" in shown and "(none)" not in shown
        assert re.search(r"line 26 · agent +│ line 27 · you", shown)
        assert re.search(r"You are welcome\. +│ other words", shown)
        assert "safe way" not in shown and "1 link these" in shown

    drive(path, play)


@pytest.fixture
def unsure(tmp_path: Path) -> Path:
    """Two calls and two results whose ids tell nothing, then a call without a result."""
    calls = [{"type": "tool_use", "id": f"toolu_{n}", "name": "Bash", "input": {"command": f"cmd {n}"}} for n in "ab"]
    results = [{"type": "tool_result", "tool_use_id": f"toolu_{n}", "content": f"output {n}"} for n in "xy"]
    more = [{"type": "tool_use", "id": "toolu_c", "name": "Read", "input": {"file_path": "a.py"}}]
    messages = [
        {"role": "user", "content": "go"}, {"role": "assistant", "content": calls},
        {"role": "user", "content": results}, {"role": "assistant", "content": more},
        {"role": "user", "content": "and?"},
    ]  # fmt: skip
    path = tmp_path / "unsure.json"
    path.write_text(json.dumps(messages, indent=1))
    return path


def test_left_for_you_are_guesses_and_what_is_not_fixed_is_its_own_list(unsure: Path) -> None:
    session = open_session(unsure)
    left = left_of(session)
    assert len(left.guesses) == 4 and len(left.unfixed) == 1 and not left.hopeless

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "space")
        assert re.search(r"call +Bash · line \d+ +│ result · line \d+", frame(app)), "a guess names their lines"
        await press(pilot, "escape", "A")
        assert "── left for you: 4 ──" in frame(app) and "not fixed" not in frame(app)
        await press(pilot, "escape", "u")
        orphan = next(problem for problem in app.session.problems if problem.rule == "result.orphan")
        app.session.stage(orphan, orphan.without_guessing)
        app.open_sessions.changed(app.open_sessions.desks[-1])
        await press(pilot, "w")
        lines = lines_of(app)
        at = next(n for n, line in enumerate(lines) if "── not fixed: 1 ──" in line)
        assert "Read was called" in lines[at + 1] and "left for you: " in frame(app)

    drive(unsure, play, (100, 30))


def test_a_group_is_named_by_what_its_problems_share(tmp_path: Path) -> None:
    path = array_file(tmp_path / "several.json", 6, missing={1, 2, 4})
    messages = json.loads(path.read_text())
    names = iter(("Bash", "Grep", "Read", "Edit", "Task", "Glob"))
    for message in messages:
        if message["role"] == "assistant":
            message["content"][0]["name"] = next(names)
    path.write_text(json.dumps(messages))
    session = open_session(path)
    for group in session.conversation.groups:
        assert len(group.problems) == 1 or not any(tool in group.title for tool in group.tools)
    app = ToolpairApp(session)
    text = "\n".join(
        "".join(span.text for span in line)
        for entry in cause_entries(app.overview)
        for line in entry_lines(app.overview, Glyphs(False), entry, 60, 1)
    )
    text = " ".join(text.split())
    assert "3 tools" in text and "all 3 certain" in text and "Grep" not in text


def test_reading_and_checking_each_reach_their_end(tmp_path: Path) -> None:
    path = array_file(tmp_path / "long.json", 3000, missing=set(range(0, 3000, 50)), output="x" * 4000)
    read: list[int] = []
    checked: list[tuple[int, int]] = []
    session = open_session(path, progress=read.append, checking=lambda done, total: checked.append((done, total)))
    assert session.conversation.fixes_are_local
    assert read == sorted(read) and checked
    done = [n for n, _ in checked]
    assert done == sorted(done) and checked[-1][0] == checked[-1][1] >= 60
    told: list[int] = []
    draft = session.draft(told.append)
    draft.stage_recommended()
    assert told == sorted(told) and len(set(told)) > 30 and told[-1] == 60, "the bar moves inside of one kind of fix"


def test_a_bar_of_which_nobody_knows_the_end_claims_no_number() -> None:
    work = LongTask("reading", 100)
    work.on_progress(100)
    work.go_on("checking")
    line = bar_line(Glyphs(False), work.what, work.done, work.total, (), 120, work.unit)
    assert "".join(span.text for span in line).strip() == "checking …"


def test_a_bar_goes_when_its_work_ends(broken: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolpair.tui.controllers.applying.takes_long", lambda *_: True)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "A")
        await settled(pilot)
        await press(pilot, "escape")
        main = app.screen
        assert isinstance(main, PairScreen) and main.work.now is None
        assert "%" not in frame(app) and "esc stops" not in frame(app) and "fixing" not in frame(app)

    drive(broken, play)


@pytest.mark.parametrize(
    ("resume", "command"),
    [
        ("cd ~/shop && claude --resume 7c3e", "cd ~/shop && claude --resume 7c3e"),
        ('In the editor: "Developer: Reload Window", then open the task.', None),
        ("put this file where Codex had it, then run `codex resume 1`.", None),
        ("claude --resume a\x1bb", None),
        (None, None),
    ],
)
def test_only_a_command_is_offered_as_one(resume: str | None, command: str | None) -> None:
    assert command_of(resume) == command


def test_the_copy_menu_has_no_sentence_in_it(samples: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "y")
        assert "the id" in frame(app) and "command to resume" not in frame(app)

    drive(samples / "sanitised-on-one-side.json", play)


@pytest.mark.parametrize(
    ("name", "given", "output", "words", "first"),
    [
        ("shell", {"command": ["bash", "-lc", "ls -la\npwd"]}, '{"output":"total 1\\n","metadata":{"exit_code":0}}',
         ("shell", "ls -la; pwd"), "total 1\n"),
        ("Bash", {"command": "cd /home/dev/shop && \\\n  git log \\\n  -5"}, "", ("Bash", "git log -5"), ""),
        ("Bash", {"command": 'for f in *.py; do\n  echo "a\nb"\n  grep x "$f" ||\n  exit 1\ndone'}, "",
         ("Bash", 'for f in *.py; do echo "a b"; grep x "$f" || exit 1; done'), ""),
        ("Bash", {"command": "cat <<'END'\nan apple\nEND"}, "", ("Bash", "cat <<'END' an apple END"), ""),
        ("exec_command", {"cmd": "pytest"}, "Chunk ID: 7d\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n.\n",
         ("exec_command", "pytest"), ".\n"),
        ("developer__shell", {"command": "ls"}, "a.txt", ("shell", "developer  ls"), "a.txt"),
        ("mcp__shop-db__query", {"sql": "select 1"}, "1", ("query", "shop-db  select 1"), "1"),
        ("AskUserQuestion", {"questions": [{"question": "Which one?", "options": []}]}, "<tool_use_error>Error: no</tool_use_error>",
         ("AskUserQuestion", "Which one?"), "no"),
        ("run_commands", {"commands": ["ls"]}, '{"query":"ls","result":"a b","success":true}', ("run_commands", "ls"), "a b"),
        ("run_shell_command", {"command": "ls"}, "Command: ls\nDirectory: (root)\nOutput: a", ("run_shell_command", "ls"), "a"),
        ("read", {"filePath": "a.txt"}, "<path>a.txt</path>\n<type>file</type>\n<content>\n1: x", ("read", "a.txt"), "1: x"),
        ("write_stdin", {"session_id": 1, "chars": "", "wait": True},
         "Chunk ID: 7d\nWall time: 0.3 seconds\nProcess running with session ID 22\nOutput:\n",
         ("write_stdin", "session_id: 1, wait: true"), "Process running with session ID 22"),
        ("Read", {"filepath": "a.txt"}, "Content of /home/a.txt:\none", ("Read", "a.txt"), "one"),
        ("count", {"of": [1]}, '{"output": 3}', ("count", '{"of": [1]}'), '{"output": 3}'),
        ("exec", {}, "Output of it", ("exec", ""), "Output of it"),
    ],
)  # fmt: skip
def test_rows_say_what_a_tool_did_and_what_came_of_it(
    name: str, given: dict[str, Any], output: str, words: tuple[str, str], first: str
) -> None:
    block = block_of({"type": "tool_use", "id": "c", "name": name, "input": given}, 0, ())
    assert call_line(block, "/home/dev/shop") == words
    assert output_words(output) == first


def test_that_thinking_may_be_refused_is_said_once_in_the_review(tmp_path: Path) -> None:
    log = Log()
    log.user("u", "go")
    log.says("a", "m", call("toolu_1"))
    log.result("r", "a", "toolu.1", "read")
    signed = {"type": "thinking", "thinking": "hm", "signature": "EqQBCgIYAhIM" + "A" * 80}
    log.says("b", "n", signed, text("done"))
    path = write(tmp_path / "mine.jsonl", log.values)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        assert "Claude 5.1" not in frame(app)
        await press(pilot, "f")
        assert "Claude 5.1" not in frame(app) and "drop the 1 signed thinking block" in frame(app)
        await press(pilot, "escape", "space", "w")
        assert frame(app).count("Claude may refuse the 1 thinking block after the first change") == 1

    drive(path, play, (120, 40))


def test_what_is_ready_calls_for_nothing(tmp_path: Path) -> None:
    """Notes are notes: no problem is offered, and the bar of what is lost has a track."""
    log = Log()
    log.user("u", "go")
    log.says("a", "m", call("toolu_1"))
    path = write(tmp_path / "killed.jsonl", log.values)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "g")
        shown = frame(app)
        assert "READY TO RESUME" in shown and "next problem" not in shown
        assert "1 note: nothing breaks" in shown and "] next note" in shown

    drive(path, play, (120, 40))
    assert bar(Glyphs(), 1, 3, 6, track=True) == "██░░░░" and bar(Glyphs(True), 1, 3, 6, track=True) == "##...."
