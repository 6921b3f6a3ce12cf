"""Sessions of agents that keep lines or one document, read in windows for a report: they tell what the whole does."""

from __future__ import annotations

import json
import random
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from benchmarks.generate import generate
from benchmarks.sessions.options import AGENTS, Options
from tests.history.mutated import mutated_values
from tests.history.opening import SIZES, judged_by
from tests.rounds import tries
from toolpair.cli.file_report import describe
from toolpair.formats import get_format
from toolpair.session.session import open_session

LIT: Final = {
    "pi": "pi",
    "oh-my-pi": "oh-my-pi",
    "openclaw": "pi",
    "qwen-code": "qwen-code",
    "gemini-cli": "gemini-cli",
    "copilot-cli": "copilot-cli",
    "kimi-cli": "kimi-cli",
    "kimi-code": "kimi-code",
    "cline-cli": "cline-cli",
    "continue": "continue",
}
"""Format -> the agent whose records are read as such."""
_ODD: Final[tuple[Any, ...]] = (
    *(None, "", " ", 5, 1e400, 2**70, True, [], {}, "<odd>", [None], {"x": [[]]}, "call_x", "a|b", [{"text": "x"}]),
    *({"output": ""}, {"content": " "}, [{"type": "text", "text": ""}], [{"content": "", "name": "Tool Result"}]),
    *("user", "assistant", "system", "error", "model", {"type": "text", "text": ""}, "[Request interrupted by user]"),
)
_PARTS: Final[tuple[Any, ...]] = (
    {"type": "thinking", "thinking": "Hm.", "thinkingSignature": "c2ln"},
    {"type": "thinking", "thinking": "Hm."},
    {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"},
    {"type": "text", "text": "More."},
    {"type": "image", "data": "aGk=", "mimeType": "image/png"},
    {"type": "tool_use", "id": "call_x", "name": "Bash", "input": {}},
    {"type": "tool_result", "tool_use_id": "call_x", "content": "Done."},
    {"text": "Hm.", "thought": True},
    {"functionCall": {"id": "call_x", "name": "Bash", "args": {}}},
    {"functionResponse": {"id": "call_x", "name": "Bash", "response": {"output": "Done."}}},
    {"inlineData": {"mimeType": "image/png", "data": "aGk="}},
)
_KEYS: Final = ("more", "id", "type", "text", "content", "role", "toolCalls", "thought", "agentId", "status", "name")


@cache
def _sound(agent: str, folder: Path) -> tuple[bytes, list[Any], bytes]:
    """The records of a session, and what stands before and behind them."""
    path = folder / agent
    generate(Options(pairs=40, problems=0, shape="small", format=agent, layout=AGENTS[agent]), path)
    data = path.read_bytes()
    if AGENTS[agent] == "lines":
        return b"", list(map(json.loads, data.splitlines())), b""
    start, end = data.index(b"[") + 1, data.rindex(b"]")
    return data[:start], json.loads(data[start - 1 : end + 1]), data[end:]


def _compacted(values: list[Any], chance: random.Random) -> None:
    """Put summaries into a session of pi's or Qwen Code's, each with what it keeps."""
    for number in range(chance.randrange(3)):
        at = chance.randrange(8, len(values))
        first = chance.randrange(max(at - 9, 3), at)
        if "uuid" in values[at - 1]:
            said = [value["message"] for value in values[first:at] if "message" in value]
            text = json.dumps(said)
            if text.count('"functionCall"') != text.count('"functionResponse"') and chance.random() < 0.8:
                said = []
            payload = {"compressedHistory": [{"role": "user", "parts": [{"text": "What was done."}]}, *said]}
            made = {**values[at - 1], "uuid": f"c{number}", "type": "system", "subtype": "chat_compression"}
            values.insert(at, {**{key: one for key, one in made.items() if key != "message"}, "systemPayload": payload})
        else:
            made = {"summary": "What was done.", "firstKeptEntryId": values[first].get("id"), "tokensBefore": 9}
            values.insert(at, {"type": "compaction", "id": f"c{number}", "parentId": "", "timestamp": "2026", **made})


def _linked(values: list[Any]) -> None:
    """Put the links right that lead from a record to the one before."""
    last = None
    for value in values:
        for own, parent in (("id", "parentId"), ("uuid", "parentUuid")):
            if isinstance(value, dict) and parent in value:
                value[parent], last = last, value.get(own)


def _written(values: list[Any], layout: str, chance: random.Random | None = None) -> bytes:
    lines = [json.dumps(v, separators=(",", ":"), ensure_ascii=False).replace("Infinity", "1e400") for v in values]
    made = [line.encode("utf-8", "surrogatepass") for line in lines]
    if chance is not None and chance.random() < 0.2:
        at = chance.randrange(len(made))
        wrong = [(b'":"', b'":"\xff'), (b'{"', b'{"k":1,"k":2,"'), (b'":"', b'":"\\ud800'), (b"}", b"")]
        old, new = chance.choice(wrong if layout == "lines" else wrong[:-1])
        made[at] = made[at].replace(old, new, 1)
    return (b"\n" if layout == "lines" else b",").join(made)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("agents")


@pytest.mark.parametrize("agent", LIT)
def test_windows_together_tell_what_the_whole_does(agent: str, folder: Path) -> None:
    like = LIT[agent]
    start, sound, end = _sound(like, folder)
    parts = 0
    rounds = tries(150, 10)
    for seed in range(rounds):
        chance = random.Random(f"{agent} {seed}")
        values = json.loads(json.dumps(sound))
        if seed:
            values = mutated_values(values, chance, odd=_ODD, keys=_KEYS, parts=_PARTS)
            if seed % 4 == 1 and like in ("pi", "oh-my-pi", "qwen-code"):
                _compacted(values, chance)
            if seed % 2:
                _linked(values)
        path = folder / f"{agent}.{'jsonl' if AGENTS[like] == 'lines' else 'json'}"
        path.write_bytes(start + _written(values, AGENTS[like], chance) + end)
        profile = (None, *sorted(get_format(agent).clean_by))[seed % (1 + len(get_format(agent).clean_by))]
        with judged_by(None):
            whole = describe(open_session(path, profile=profile, format=agent), "x")
        with judged_by((1, *SIZES)[seed % 4]):
            session = open_session(path, profile=profile, format=agent, reporting=True)
            parted = describe(session, "x")
        assert (parted.entry, parted.verdict) == (whole.entry, whole.verdict), seed
        parts += len(session.conversation.windows) > 1
    assert parts > rounds / 8


@pytest.mark.parametrize("agent", LIT)
def test_records_in_order_are_not_judged(agent: str, folder: Path) -> None:
    like = LIT[agent]
    start, sound, end = _sound(like, folder)
    path = folder / f"sound-{agent}.{'jsonl' if AGENTS[like] == 'lines' else 'json'}"
    path.write_bytes(start + _written(sound, AGENTS[like]) + end)
    with judged_by(3):
        session = open_session(path, format=agent, reporting=True)
        assert len(session.conversation.windows) > 9
        assert all(window.clean for window in session.conversation.windows[:-1])
        assert not session.problems


def _rereading(chance: random.Random, provider: str) -> list[Any]:
    """Messages of Cline's command line that read the same files again and again, some of them with long outputs."""
    values: list[Any] = [{"id": "u", "role": "user", "content": [{"type": "text", "text": "Go on."}], "ts": 10**12}]
    longest = chance.choice((300, 3_000, 20_000))
    for number in range(60):
        path, id_ = f"/{chance.randrange(chance.choice((3, 60)))}.py", f"call_{number}"
        given = {"files": [{"path": path, "start_line": chance.choice((None, 3))}]}
        call = {"type": "tool_use", "id": id_, "name": chance.choice(("read_files", "editor")), "input": given}
        text = chance.choice("xé\U0001f600") * chance.randrange(1, longest)
        entry = {"query": chance.choice((path, f"{path}:3-EOF")), "result": text, "success": True}
        content = chance.choice(
            ([entry], json.dumps([entry]), json.dumps(entry), text, [{"type": "text", "text": text}])
        )
        made = {"type": "tool_result", "tool_use_id": id_, "name": call["name"], "content": content}
        if number % 9 == 5:
            made["is_error"] = True
        of = {"modelInfo": {"id": "m", "provider": provider}}
        values.append({"id": f"a{number}", "role": "assistant", "content": [call], "ts": 10**12 + number, **of})
        if chance.random() < 0.95:
            values.append({"id": f"r{number}", "role": "user", "content": [made], "ts": 10**12 + number})
        if chance.random() < 0.1:
            said = [{"type": "file", "path": path, "content": text}, {"type": "text", "text": "Look."}]
            values.append({"id": f"f{number}", "role": "user", "content": said[chance.randrange(2) :], "ts": 10**12})
    return values


@pytest.mark.parametrize("provider", ["anthropic", "openai-compatible"])
def test_what_is_read_again_later_is_known_in_every_window(provider: str, tmp_path: Path) -> None:
    path = tmp_path / "s.messages.json"
    told = set()
    for seed in range(tries(60, 9)):
        values = _rereading(random.Random(seed), provider)
        path.write_bytes(json.dumps({"version": 1, "messages": values}).encode())
        with judged_by(None):
            whole = describe(open_session(path, format="cline-cli"), "x")
        with judged_by((1, *SIZES)[seed % 4]):
            session = open_session(path, format="cline-cli", reporting=True)
            parted = describe(session, "x")
        assert (parted.entry, parted.verdict) == (whole.entry, whole.verdict), seed
        conversation = session.conversation
        told.add((len(conversation.windows) > 1, conversation.verdict.outputs_shortened > 30))
    assert {(True, True), (True, False)} <= told
