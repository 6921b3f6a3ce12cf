"""Files of agents that toolpair was never compared with: shown and exported by a table, and never judged or written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.foreign_sessions import FOREIGN
from tests.terminal import Terminal, program
from toolpair.formats.forms.registry import described
from toolpair.recipes import RECIPES
from toolpair.session.session import Refused, SessionError, open_session
from toolpair.source.errors import OnlyShown

OUTPUT = "print('open')"
AMP: list[dict[str, Any]] = [
    {"status": "done", "result": OUTPUT},
    {"status": "done", "result": {"output": OUTPUT, "exitCode": 0}},
    {"status": "error", "error": {"message": "there is no such file"}},
    {"status": "cancelled"},
    {"status": "in-progress", "progress": {"output": "Wai"}},
]
"""What Amp keeps of a tool's run. One that did not end has no output, and what is known of it is shown."""
VSCODE = FOREIGN["a transcript of Copilot in VS Code"]
DONE = {"toolCallId": "call_2", "success": True, "result": {"content": OUTPUT}}
"""The other call's end has no output, so that nothing is known of it."""
CURSOR = [
    *FOREIGN["a transcript of Cursor's agent"][:4],
    {"type": "turn_ended", "status": "success"},
    {"role": "assistant", "message": {"content": [{"type": "tool_use", "name": "Read", "input": {}}]}},
]
"""Few of its calls have an id."""
DROID = [*FOREIGN["a session of Factory's Droid"], {"type": "todo_state", "id": "t"}, {"type": "compaction_state"}]


def amp_of(*runs: dict[str, Any]) -> dict[str, Any]:
    (thread,) = FOREIGN["an Amp thread"]
    uses = [{"type": "tool_use", "id": f"toolu_{n}", "name": "Read", "input": {}} for n in range(len(runs))]
    results = [{"type": "tool_result", "toolUseID": f"toolu_{n}", "run": run} for n, run in enumerate(runs)]
    said = [("user", [{"type": "text", "text": "Read."}]), ("assistant", uses), ("user", results)]
    messages = [{"role": role, "content": content, "messageId": n} for n, (role, content) in enumerate(said)]
    return {**thread, "messages": messages}


def told(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    at = next(number for number, event in enumerate(events) if event["type"] == "assistant.turn_end")
    return [*events[:at], {**events[at], "type": "tool.execution_complete", "data": DONE, "id": "end"}, *events[at:]]


FILES = {
    "amp": json.dumps(amp_of(*AMP)) + "\n",
    "copilot-vscode": "".join(json.dumps(line) + "\n" for line in told(VSCODE)),
    "cursor": "".join(json.dumps(line) + "\n" for line in CURSOR),
    "droid": "".join(json.dumps(line) + "\n" for line in DROID),
}


@pytest.fixture(params=sorted(FILES))
def form(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def path(form: str, tmp_path: Path) -> Path:
    path = tmp_path / ("T-1.json" if form == "amp" else "1.jsonl")
    path.write_text(FILES[form])
    return path


def test_what_judges_or_writes_refuses_it_and_says_what_can_be_done(path: Path, run: Run) -> None:
    before = path.read_bytes()
    for words in (("check",), ("fix", "--in-place"), ("sees",), ("check", "--format", "(shown amp)")):
        ran = run(*words, path)
        assert ran.code == 2 and not ran.out, words
    refused = run("check", path).err
    assert "does not understand well enough to check it" in refused and "export FILE --to API" in refused
    with pytest.raises(SessionError):
        open_session(path)
    assert path.read_bytes() == before and list(path.parent.iterdir()) == [path]


def test_it_has_no_verdict_and_nothing_changes_in_it(path: Path, form: str) -> None:
    with pytest.raises(OnlyShown) as refused:
        open_session(path)
    assert refused.value.form == form
    session = open_session(path, format=described(form))
    verdict, counts = session.conversation.verdict, session.conversation.counts
    assert (verdict.badge, verdict.errors, session.problems) == ("ONLY SHOWN", 0, ())
    assert "never compared with the agent" in verdict.sentence
    assert (counts.calls, counts.results) == {"amp": (5, 5), "cursor": (3, 1)}.get(form, (2, 1))
    session.stage_recommended()
    for recipe in RECIPES:
        session.stage_recipe(recipe)
    assert not session.changed and session.to_bytes() == path.read_bytes()
    with pytest.raises(Refused, match="its form was never compared with the agent"):
        session.save()


def test_it_is_exported_and_said_not_to_be_checked(path: Path, form: str, run: Run) -> None:
    for to in ("anthropic", "openai-chat"):
        ran = run("export", "--to", to, path)
        assert ran.code == 0 and "never compared with the agent" in ran.err, ran.err
        body = json.dumps(json.loads(ran.out))
        assert OUTPUT in body
        assert not any(word in body for word in ("todo_state", "turn_ended", "toolUseID", "messageId"))
        assert form != "amp" or all(words in body for words in ("there is no such file", "cancelled", "Wai"))
    redacted = run("export", "--redact", "--to", "anthropic", path)
    assert redacted.code == 0 and "tool_result" in redacted.out and OUTPUT not in redacted.out
    piped = run("export", "--to", "anthropic", "-", stdin=path.read_bytes())
    assert piped.code == 0 and OUTPUT in piped.out


def test_the_interface_shows_it_and_asks_nothing(path: Path) -> None:
    pytest.importorskip("toolpair.tui.app")
    before = path.read_bytes()
    terminal = Terminal([*program(), str(path)], columns=140)
    shown = terminal.read(until=b"ONLY SHOWN") + terminal.read(0.5)
    assert b"never compared with the agent" in shown and b"read only" in shown
    terminal.press("A")
    why = b"This form was never compared with the agent: nothing is checked, fixed or saved."
    assert why in terminal.read(until=why)
    terminal.press("q")
    assert terminal.close() == 0
    assert not any(
        word in terminal.output for word in (b"VALID", b"READY", b"PROBLEM", b"no problem", b"sound", b"guess")
    )
    assert path.read_bytes() == before


PLACES = {
    "amp": ".local/share/amp/threads/T-1.json",
    "copilot-vscode": ".config/Code/User/workspaceStorage/0a1b/GitHub.copilot-chat/transcripts/1.jsonl",
    "cursor": ".cursor/projects/work/agent-transcripts/1/1.jsonl",
    "droid": ".factory/sessions/-work/1.jsonl",
}


def test_its_session_is_listed_where_it_lies(
    form: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    path = tmp_path / PLACES[form]
    path.parent.mkdir(parents=True)
    path.write_text(FILES[form])
    (path.parents[2] / "workspace.json").write_text(json.dumps({"folder": "file:///a%20b"}))
    listed = run("sessions").out
    assert path.stem in listed and "only shown, not checked" in listed and ("/a b" in listed) == ("vscode" in form)
    (one,) = run("sessions", "--agent", form, "--output-format", "json").json["sessions"]
    assert (one["path"], one["verdict"]) == (str(path), None)
    assert run("check", path.stem).code == 2 and "shows it" in run("check", path.stem).err
    assert f"    only shown, not checked; ~/{PLACES[form].partition('/')[0]}" in run("formats").out
