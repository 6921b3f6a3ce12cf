"""NaN and Infinity, which Python writes and reads, in the sessions of agents whose parser takes nothing but JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests import cline_sessions as cline
from tests import continue_sessions as continued
from tests import copilot_sessions as copilot
from tests import gemini_sessions as gemini
from tests import kimi_sessions as kimi
from tests import pi_sessions as pi
from tests import qwen_sessions as qwen
from tests.agents.planted import sound, written
from tests.formats.codex_files import NAME as ROLLOUT
from tests.formats.codex_files import Rollout
from tests.history.opening import judged_by
from toolpair.cli.file_report import describe
from toolpair.session.session import Session, open_session


def _rollout() -> bytes:
    rollout = Rollout()
    rollout.begins("t1", "first words")
    rollout.call("call_one")
    rollout.output("call_one")
    rollout.says("second words")
    return rollout.data


def _claude() -> bytes:
    return written(sound())


def _long() -> bytes:
    """So many records that they are read in windows."""
    records = sound()
    for number in range(1500):
        made = json.loads(json.dumps(records[-2:]))
        for value, name in zip(made, ("u", "a"), strict=True):
            value["uuid"], value["parentUuid"] = f"{name}-long-{number}", records[-1]["uuid"]
            if name == "a":
                value["message"]["id"] = f"msg_long_{number}"
            records.append(value)
    return written(records)


def _continue() -> bytes:
    return continued.written(continued.sound())


MADE: dict[str, tuple[str, Callable[[], bytes], bytes, str]] = {
    "Claude Code": ("session.jsonl", _claude, b"output C", "Claude Code skips it"),
    "Claude Code, long": ("session.jsonl", _long, b"output C", "Claude Code skips it"),
    "Codex": (ROLLOUT, _rollout, b"done", "Codex skips the line"),
    "Codex, its first line": (ROLLOUT, _rollout, b"session_meta", "Codex does not resume this session"),
    "Qwen Code": (qwen.NAME, lambda: qwen.sound().data(), b"tool_result", "Qwen Code skips it"),
    "Gemini CLI": (gemini.NAME, lambda: gemini.sound().data(), b"functionResponse", "Gemini CLI skips it"),
    "Copilot CLI": (copilot.NAME, lambda: copilot.sound().data(), b"execution_complete", "deletes it from the file"),
    "pi": (pi.NAME, lambda: pi.sound().data(), b"toolResult", "pi skips it"),
    "Cline CLI": (cline.NAME, lambda: cline.sound().data(), b"", "begins an empty session in its place"),
    "Continue, around its history": (continued.NAME, _continue, b"sessionId", "begins an empty session in its place"),
    "Continue": (continued.NAME, _continue, b"", "begins an empty session in its place"),
}
"""Name, the session, a word of the line to break, and what its agent was seen to do. (Documents: their last message.)"""


def _opened(folder: Path, name: str, data: bytes) -> Session:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return open_session(path)


def _sent(session: Session) -> Any:
    seen = session.conversation.judged.seen
    assert seen is not None
    return seen.refuses or [[part.value for part in message.parts] for message in seen.messages]


@pytest.mark.parametrize("name", MADE)
def test_a_record_that_its_agent_cannot_read_is_said_and_mended(name: str, tmp_path: Path) -> None:
    file, make, word, says = MADE[name]
    data = make()
    at = data.rfind(b"\n", 0, data.index(word)) + 2 if word else data.rindex(b'"role"')
    odd = data[:at] + b'"odd": [NaN, -Infinity, "NaN"], ' + data[at:]
    session = _opened(tmp_path, file, odd)
    (problem,) = [one for one in session.problems if one.rule == "record.bad_json"]
    assert problem.severity == "error" and says in problem.text and problem.fixes[0].recommended
    assert problem.on_resume is not None and problem.fixes[0].loses is None
    with judged_by(1):
        in_windows = open_session(tmp_path / file, reporting=True)
        assert describe(in_windows, "s").entry == describe(session, "s").entry
    sound = _sent(_opened(tmp_path / "sound", file, data))
    assert _sent(session) != sound
    session.stage(problem)
    assert session.to_bytes() == odd.replace(b"[NaN, -Infinity,", b'["NaN", "-Infinity",')
    assert not [one for one in session.problems if one.rule == "record.bad_json"] and _sent(session) == sound


def test_kimi_cli_reads_it(tmp_path: Path) -> None:
    data = kimi.sound().data()
    at = data.index(b'"role": "tool"') if b'"role": "tool"' in data else data.index(b'"role":"tool"')
    session = _opened(tmp_path, kimi.NAME, data[:at] + b'"odd": NaN, ' + data[at:])
    (problem,) = session.problems
    assert (problem.rule, problem.severity) == ("record.bad_json", "warning")
    assert "Kimi CLI reads it as it is" in problem.text and problem.fixes[0].id == "as-text"
