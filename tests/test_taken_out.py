"""What an error text asks to be taken out: images, thinking, cache marks. It goes, all else stays, and it is kept aside."""

from __future__ import annotations

import base64
import io
import json
import re
import struct
import tempfile
from collections.abc import Callable
from copy import deepcopy
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

import toolpair
from tests import goose_sessions as goose
from tests import opencode_sessions as opencode
from tests.cline_sessions import ClineSession
from tests.copilot_sessions import CopilotSession
from tests.formats.claude_code_files import Log
from tests.formats.codex_files import NAME as ROLLOUT
from tests.formats.codex_files import Rollout
from tests.forms.made_lists import ASK, OSLO, made_lists
from tests.gemini_sessions import NAME as GEMINI
from tests.gemini_sessions import GeminiSession
from tests.pi_sessions import NAME as PI
from tests.pi_sessions import PiSession
from tests.rounds import some
from toolpair.dialects.media import pixels_of
from toolpair.rules.where import NamedPlace
from toolpair.session.decisions import with_named
from toolpair.session.session import Found, Session
from toolpair.source.changes import changes
from toolpair.source.errors import Refused
from toolpair.transcript.edits import ShrinkImages

RAW = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 9000, 400) + bytes(40)
DATA = base64.b64encode(RAW).decode()
URL = f"data:image/png;base64,{DATA}"
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": DATA}}
SIGNED = {"type": "thinking", "thinking": "a quiet thought", "signature": "c2lnbmVk" * 8}
SAID = "word-one-word"
NOTE = "removed by toolpair: image/png, 9,000 x 400 pixels, 64 bytes]"

Made = tuple[str, bytes] | Callable[[Path], Path]


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _lines(records: list[Any]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def _anthropic() -> Made:
    call = {"type": "tool_use", "id": "toolu_one", "name": "look", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "toolu_one", "content": [_text(SAID), IMAGE]}
    messages = [
        {"role": "user", "content": [_text("See this."), IMAGE]},
        {"role": "assistant", "content": [SIGNED, call]},
        {"role": "user", "content": [result]},
    ]
    return "list.json", json.dumps(messages).encode()


def _chat() -> Made:
    image = {"type": "image_url", "image_url": {"url": URL}}
    call = {"id": "call_one", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": [_text("See this."), image]},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_one", "content": [_text(SAID), image]},
    ]
    return "list.json", json.dumps(messages).encode()


def _responses() -> Made:
    image = {"type": "input_image", "image_url": URL}
    said = {"type": "input_text", "text": "See this."}
    items = [
        {"type": "message", "role": "user", "content": [said, image]},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "c2VhbGVk"},
        {"type": "function_call", "id": "fc_1", "call_id": "call_one", "name": "look", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "call_one", "output": [{**said, "text": SAID}, image]},
    ]
    return "list.json", json.dumps(items).encode()


def _gemini_contents() -> Made:
    part = {"inlineData": {"mimeType": "image/png", "data": DATA}}
    answer = {"id": "1", "name": "look", "response": {"output": SAID}, "parts": [part]}
    contents = [
        {"role": "user", "parts": [{"text": "See this."}, part]},
        {"role": "model", "parts": [{"functionCall": {"id": "1", "name": "look", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": answer}]},
    ]
    return "list.json", json.dumps(contents).encode()


def _bedrock() -> Made:
    part = {"image": {"format": "png", "source": {"bytes": DATA}}}
    result = {"toolUseId": "1", "content": [{"text": SAID}, part]}
    signed = {"reasoningContent": {"reasoningText": {"text": "a quiet thought", "signature": "c2lnbmVk"}}}
    messages = [
        {"role": "user", "content": [{"text": "See this."}, part]},
        {"role": "assistant", "content": [signed, {"toolUse": {"toolUseId": "1", "name": "look", "input": {}}}]},
        {"role": "user", "content": [{"toolResult": result}]},
    ]
    return "list.json", json.dumps(messages).encode()


def _strands() -> Made:
    _, data = _bedrock()
    messages = json.loads(data)
    times = {"created_at": "2026-11-01T10:00:00Z", "updated_at": "2026-11-01T10:00:00Z"}
    listed = [{"message": one, "message_id": number, **times} for number, one in enumerate(messages)]
    return "list.json", json.dumps(listed).encode()


def _claude_code() -> Made:
    log = Log()
    log.user("u1", [_text("See this."), IMAGE])
    log.says("a1", "m1", SIGNED)
    log.says("a2", "m1", {"type": "tool_use", "id": "toolu_one", "name": "look", "input": {}})
    log.result("u2", "a2", "toolu_one", [_text(SAID), IMAGE], toolUseResult=[_text(SAID), IMAGE])
    return "session.jsonl", _lines(log.values)


def _codex() -> Made:
    rollout = Rollout()
    rollout.begins("t1", "See this.")
    image = {"type": "input_image", "image_url": URL}
    rollout.values[-1]["payload"]["content"].append(image)
    rollout.thinks()
    rollout.call("call_one")
    rollout.output("call_one")["payload"]["output"] = [{"type": "input_text", "text": SAID}, image]
    return ROLLOUT, rollout.data


def _pi() -> Made:
    image = {"type": "image", "data": DATA, "mimeType": "image/png"}
    session = PiSession()
    session.user("See this.")["message"]["content"].append(image)
    session.says("", "one")["message"]["content"].insert(
        0, {"type": "thinking", "thinking": "a quiet thought", "thinkingSignature": "c2lnbmVk"}
    )
    session.result("one")["message"]["content"].append(image)
    return PI, session.data()


def _cline() -> Made:
    session = ClineSession()
    session.user("See this.")["content"].append(IMAGE)
    session.says("", "one")["content"].insert(0, SIGNED)
    session.result("one")["content"][0]["content"] = [_text(SAID), IMAGE]
    return "1779958000000_abcde/1779958000000_abcde.messages.json", session.data()


def _copilot() -> Made:
    return _copilot_with({"type": "blob", "data": DATA, "mimeType": "image/png", "displayName": "a.png"})


def _copilot_by_asset() -> Made:
    """The bytes are in an event of their own, where they stay: it is no longer named."""
    return _copilot_with(
        {"type": "file", "path": "/a.png", "displayName": "a.png", "assetId": "sha256:1", "mimeType": "image/png"}
    )


def _copilot_with(attached: dict[str, str]) -> Made:
    session = CopilotSession()
    if "assetId" in attached:
        session.add("session.binary_asset", assetId="sha256:1", type="image", mimeType="image/png", data=DATA)
    file = {"type": "file", "path": "/b.py", "displayName": "b.py"}
    session.user("See this.")["data"]["attachments"] = [file, attached]
    session.says("I look.", "one", reasoningText="a quiet thought", reasoningOpaque="c2lnbmVk")
    session.result("one")
    return "events.jsonl", session.data()


def _gemini_cli() -> Made:
    part = {"inlineData": {"mimeType": "image/png", "data": DATA}}
    session = GeminiSession()
    session.user("See this.")["content"].append(part)
    call = session.says("I look.", "one")["toolCalls"][0]
    call["result"][0]["functionResponse"]["parts"] = [part]
    return GEMINI, session.data()


def _opencode(folder: Path) -> Path:
    file = {"type": "file", "mime": "image/png", "filename": "a.png", "url": URL}
    session = opencode.OpencodeSession()
    session.user("See this.", file)
    thought = {"type": "reasoning", "text": "a quiet thought", "metadata": {"anthropic": {"signature": "c2lnbmVk"}}}
    session.assistant(thought, opencode.done("one", attachments=[file]))
    return opencode.written(folder / "opencode.db", session)


def _goose(folder: Path) -> Path:
    image = {"type": "image", "data": DATA, "mimeType": "image/png"}
    answer = goose.result("one")
    answer["toolResult"]["value"]["content"].append(image)
    thought = {"type": "thinking", "thinking": "a quiet thought", "signature": "c2lnbmVk"}
    rows = [goose.user(goose.text("See this."), image), goose.says(thought, goose.call("one")), goose.user(answer)]
    return goose.database(folder / "sessions.db", rows)


def _ai_sdk() -> Made:
    said = {"type": "text", "text": "See this."}
    url = {"image": URL}
    messages: list[Any] = []
    for number, kind in enumerate(({"image": DATA}, {"type": "file", "data": DATA, "mediaType": "image/png"}, url)):
        of_call = {"toolCallId": f"{number}", "toolName": "look"}
        part = {"type": ("media", "image-data", "file-data")[number], "data": DATA, "mediaType": "image/png"}
        output = {"type": "content", "value": [{"type": "text", "text": SAID}, part]}
        messages += [
            {"role": "user", "content": [said, {"type": "image", **kind}]},
            {"role": "assistant", "content": [{"type": "tool-call", **of_call, "input": {}}]},
            {"role": "tool", "content": [{"type": "tool-result", **of_call, "output": output}]},
        ]
    return "list.json", json.dumps(messages).encode()


BY_ASSET = "copilot-cli, by asset"
MADE: dict[str, Any] = {
    "anthropic": _anthropic,
    "openai-chat": _chat,
    "openai-responses": _responses,
    "gemini-contents": _gemini_contents,
    "bedrock-converse": _bedrock,
    "strands": _strands,
    "claude-code": _claude_code,
    "codex": _codex,
    "pi": _pi,
    "cline-cli": _cline,
    "copilot-cli": _copilot,
    BY_ASSET: _copilot_by_asset,
    "gemini-cli": _gemini_cli,
    "opencode": _opencode,
    "goose": _goose,
}


def _opened(name: str, folder: Path) -> Session:
    make = MADE[name]
    if make.__code__.co_argcount:
        path = make(Path(tempfile.mkdtemp(dir=folder)))
        session_id = goose.SESSION if name == "goose" else opencode.ID
        return toolpair.open(f"{path}::{session_id}")
    file, data = make()
    path = folder / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return toolpair.open(path)


def _aside(session: Session) -> bytes:
    return b"\n".join(session.conversation.document.aside)


def _staged(name: str, folder: Path, rule: str, fix: str) -> list[tuple[Session, Session]]:
    """The session as opened, and with this fix of each message for which the rule has it."""
    made = []
    for number in range(len(_opened(name, folder).conversation.transcript.messages)):
        opened, session = _opened(name, folder), _opened(name, folder)
        for problem in session.conversation.named([rule], NamedPlace(number)):
            assert problem.severity == "error" and problem.fixes[0].recommended
            for chosen in (one for one in problem.fixes if one.id == fix):
                session.stage(problem, chosen)
                made.append((opened, session))
    return made


def _is_whole(opened: Session, session: Session) -> None:
    """Every text of the file is in the result or beside it, nothing is refused that was not, and undo takes it back."""
    assert not session.conversation.texts_gone(opened.conversation)
    before = [problem.rule for problem in opened.problems if problem.severity == "error"]
    assert all(problem.rule in before for problem in session.problems if problem.severity == "error")
    assert session.undo() is not None and session.to_bytes() == opened.to_bytes() and not _aside(session)


IN_RESULTS = set(MADE) - {"opencode", "copilot-cli", BY_ASSET}
"""The formats that send images in results. (opencode sends them in messages of their own, Copilot CLI not again.)"""


@pytest.mark.parametrize("name", sorted(MADE))
def test_an_image_is_taken_out(name: str, tmp_path: Path) -> None:
    made = _staged(name, tmp_path, "content.image_too_large", "remove-image")
    assert len(made) == 1 + (name in IN_RESULTS)
    for opened, session in made:
        now = session.to_bytes()
        assert now.count(DATA.encode()) == opened.to_bytes().count(DATA.encode()) - (name != BY_ASSET)
        assert NOTE.encode() in now and SAID.encode() in now and b"See this." in now
        assert now.index(b"See this.") < now.index(NOTE.encode())
        assert (b"sha256:1" if name == BY_ASSET else DATA.encode()) in _aside(session)
        _is_whole(opened, session)


def _put(elements: Any, *path: Any) -> None:
    """Put the last of `path` at the place that the others name."""
    *above, key, value = path
    for step in above:
        elements = elements[step]
    if isinstance(elements, list) and key is None:
        elements.append(value)
    else:
        elements[key] = value


_ADDRESS: Any = {"type": "image_url", "image_url": {"url": URL}}
_HELD: Any = {"type": "image", "base64": DATA, "mime_type": "image/png"}
_INLINE: Any = {"inlineData": {"mimeType": "image/png", "data": DATA}}
_ITEM: Any = {"type": "input_image", "image_url": URL, "detail": "auto"}
_FILE: Any = {"type": "file", "mediaType": "image/png", "url": URL}
_BINARY: Any = {"data": DATA, "media_type": "image/png", "kind": "binary"}
_BLOCK: Any = {"block_type": "image", "image": DATA, "image_mimetype": "image/png"}
_ATTACHED: Any = {"type": "file", "mime": "image/png", "url": URL}
_IN_FORMS: dict[str, tuple[tuple[Any, ...] | None, tuple[Any, ...] | None]] = {
    "langchain dict": ((0, "data", "content", [_text(ASK), _ADDRESS]), (2, "data", "content", [_text(OSLO), _HELD])),
    "langchain state": ((0, "content", [_text(ASK), _HELD]), (2, "content", [_text(OSLO), IMAGE])),
    "langchain constructors": ((0, "kwargs", "content", [_text(ASK), IMAGE]), None),
    "ui": ((0, "parts", None, _FILE), None),
    "pydantic-ai": ((0, "parts", 0, "content", [ASK, _BINARY]), (2, "parts", 0, "content", [OSLO, _BINARY])),
    "adk": ((0, "content", "parts", None, _INLINE), (2, "content", "parts", 0, "functionResponse", "parts", [_INLINE])),
    "livekit": ((0, "content", None, {"id": "img_1", "type": "image_content", "image": URL}), None),
    "agents sdk": ((0, "content", [_ITEM]), (3, "output", [{"type": "input_text", "text": OSLO}, _ITEM])),
    "semantic kernel": ((0, "items", None, {"metadata": {}, "content_type": "image", "data_uri": URL}), None),
    "autogen": ((0, "content", [ASK, {"data": DATA}]), None),
    "llamaindex": ((0, "blocks", None, _BLOCK), (2, "blocks", None, _BLOCK)),
    "ollama": ((0, "images", [DATA]), None),
    "letta": ((0, "content", None, IMAGE), (2, "content", None, IMAGE)),
    "opencode": ((0, "parts", None, _ATTACHED), (1, "parts", 1, "state", "attachments", [_ATTACHED])),
    "agent framework": ((0, "contents", None, {"type": "data", "uri": URL, "media_type": "image/png"}), None),
    "mastra": ((0, "content", "parts", None, {"type": "file", "data": URL, "mimeType": "image/png"}), None),
    "swe-agent": ((0, "content", [_text(ASK), _ADDRESS]), (2, "content", [_text(OSLO), _ADDRESS])),
}
"""Forms -> where in a list of theirs an image may be, in a message and in a result. Where none is named, what the model
is sent of it is for the library to say (a user's message, a text), or images cannot be told from other values.
"""


@pytest.mark.parametrize("name", some(sorted(_IN_FORMS), 4))
def test_an_image_is_taken_out_of_any_form(name: str) -> None:
    for place in filter(None, _IN_FORMS[name]):
        made = made_lists()[name]
        _put(made.elements, *deepcopy(place))
        data = made.data()
        opened = toolpair.session.session.open_session("list.json", data=data)
        staged = 0
        for number in range(len(opened.conversation.transcript.messages)):
            session = toolpair.session.session.open_session("list.json", data=data)
            for problem in session.conversation.named(["content.image_too_large"], NamedPlace(number)):
                session.stage(problem, next(one for one in problem.fixes if one.id == "remove-image"))
                now, staged = session.to_bytes(), staged + 1
                assert DATA.encode() not in now and b"[image removed by toolpair: " in now
                assert (ASK.encode() in now) == (ASK.encode() in data) and OSLO.encode() in now
                assert DATA.encode() in _aside(session)
                _is_whole(opened, session)
        assert staged == 1


@pytest.mark.parametrize(
    "name", sorted(set(MADE) - {"copilot-cli", BY_ASSET, "gemini-cli", "gemini-contents", "openai-chat"})
)
def test_thinking_is_removed_or_becomes_text(name: str, tmp_path: Path) -> None:
    encrypted = name in ("codex", "openai-responses")
    for fix in ("remove-all-thinking", *([] if encrypted else ["remove-thinking", "thinking-as-text"])):
        opened, session = _staged(name, tmp_path, "reasoning.bad_signature", fix)[0]
        blocks = [block for message in session.conversation.transcript.messages for block in message.blocks]
        assert not any(block.kind == "thinking" for block in blocks)
        assert b"fc_1" not in session.to_bytes(), "an item that had to follow the reasoning"
        assert (b"a quiet thought" in session.to_bytes()) == (fix == "thinking-as-text")
        if fix == "thinking-as-text":
            (said,) = (block for block in blocks if "a quiet thought" in block.text)
            assert said.kind == "text" and blocks[blocks.index(said) + 1].kind == "call"
        assert (b"c2Vh" if encrypted and name != "codex" else b"abc" if encrypted else b"c2ln") in _aside(session)
        _is_whole(opened, session)


def test_thinking_of_other_models_goes_and_what_is_from_here_on(tmp_path: Path) -> None:
    log = Log()
    for number, model in enumerate(("glm-5", "claude-opus-4-7", "claude-opus-4-7")):
        log.user(f"u{number}", f"question {number}")
        log.says(f"a{number}", f"m{number}", {**SIGNED, "thinking": f"thought {number}"}, _text(f"answer {number}"))
        log.values[-1]["message"]["model"] = model
    path = tmp_path / "session.jsonl"
    path.write_bytes(_lines(log.values))
    for rule, fix, left in (
        ("reasoning.bad_signature", "remove-other-thinking", [1, 2]),
        ("reasoning.bad_signature", "remove-thinking", [0, 2]),
        ("reasoning.prefix_changed", "remove-thinking-from-here", [0]),
        ("reasoning.prefix_changed", "remove-all-thinking", []),
    ):
        session = toolpair.open(path)
        (problem,) = session.conversation.named([rule], NamedPlace(3, 0))
        session.stage(problem, next(one for one in problem.fixes if one.id == fix))
        assert [n for n in range(3) if f"thought {n}" in session.to_bytes().decode()] == left
        saved = session.save_as(tmp_path / f"{fix}-{rule}.jsonl")
        assert saved.aside is not None and saved.aside.read_bytes().count(b"\n") == 3 - len(left)


def test_many_images_and_cache_marks() -> None:
    marked = [{**_text(f"say {number}"), "cache_control": {"type": "ephemeral"}} for number in range(5)]
    messages: list[Any] = [{"role": "user", "content": [part, IMAGE]} for part in marked for _ in range(5)]
    session = toolpair.session.session.open_session("list.json", data=json.dumps(messages).encode())
    for rule in ("content.too_many_images", "content.too_many_cache_marks"):
        (problem,) = session.conversation.named([rule], NamedPlace())
        session.stage(problem)
    kept = session.to_bytes()
    assert kept.count(DATA.encode()) == 20 and kept.count(b"removed by toolpair") == 5
    assert kept.count(b"cache_control") == 2 and kept.rindex(b"cache_control") > kept.rindex(b"say 4")


def test_stored_items_lose_their_ids() -> None:
    _, data = _responses()
    items = json.loads(data)
    items.insert(1, {"type": "reasoning", "id": "rs_0", "summary": []})
    session = toolpair.session.session.open_session("list.json", data=json.dumps(items).encode())
    (problem,) = session.conversation.named(["reasoning.unresolvable_ref"], NamedPlace())
    session.stage(problem)
    now = session.to_bytes()
    assert b'"id"' not in now and b"c2VhbGVk" in now and b"rs_0" in _aside(session)


@pytest.mark.parametrize(
    ("width", "size", "severity"), [(1900, 9, None), (2100, 9, "info"), (8100, 9, "error"), (90, 4 << 20, "error")]
)
def test_sizes_of_images(width: int, size: int, severity: str | None) -> None:
    raw = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", width, 400) + bytes(size)
    image = {**IMAGE, "source": {**IMAGE["source"], "data": base64.b64encode(raw).decode()}}  # type: ignore[dict-item]
    call = {"type": "tool_use", "id": "toolu_one", "name": "look", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "toolu_one", "content": [_text(SAID), image]}
    messages = [
        {"role": "user", "content": "See this."},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result]},
    ]
    found = {
        name: [(one.rule, one.severity) for one in toolpair.check(messages, profile=name).problems]
        for name in ("anthropic", "gemini")
    }
    assert found["anthropic"] == ([("content.image_too_large", severity)] if severity else [])
    for problem in toolpair.check(messages, profile="anthropic").problems:
        assert [fix.loses for fix in problem.fixes] == ["the image"], "a list in memory has no file beside it"
        said = "At least one of the image dimensions exceed max allowed size: 8000 pixels"
        assert problem.api_says == (said if width > 8000 else None), "a number that is not known is not quoted"
    assert found["gemini"] == []


@pytest.mark.parametrize(("profile", "empty"), [("deepseek", ""), ("moonshot", " ")])
def test_thinking_that_has_to_come_back_is_written_empty_as_the_provider_takes_it(profile: str, empty: str) -> None:
    call = {"type": "function", "function": {"name": "look", "arguments": "{}"}}
    messages: list[Any] = []
    for id_ in "ab":
        messages += [
            {"role": "user", "content": "Look."},
            {"role": "assistant", "content": "", "tool_calls": [{"id": id_, **call}]},
            {"role": "tool", "tool_call_id": id_, "content": SAID},
        ]
    data = json.dumps(messages).encode()
    session = toolpair.session.session.open_session("list.json", data=data, profile=profile)
    assert not [one for one in session.problems if one.rule.startswith("reasoning")], "the file does not say"
    (problem,) = session.conversation.named(["reasoning.missing_before_call"], NamedPlace(4))
    assert problem.message == 4 and problem.no_fix is not None and "disabled" in problem.no_fix
    session.stage(problem)
    assert [one.get("reasoning_content") for one in json.loads(session.to_bytes())] == [None, empty, None] * 2


@pytest.mark.parametrize("call", ["functionCall", "function_call"])
def test_a_call_of_geminis_contents_gets_the_documented_signature(call: str) -> None:
    said = {"functionResponse": {"id": "1", "name": "look", "response": {"output": SAID}}}
    contents = [
        {"role": "user", "parts": [{"text": "Look."}]},
        {"role": "model", "parts": [{call: {"id": "1", "name": "look", "args": {}}}]},
        {"role": "user", "parts": [said]},
    ]
    body = {"model": "gemini-3-pro", "contents": contents}
    session = toolpair.session.session.open_session("list.json", data=json.dumps(body).encode(), profile="gemini/3")
    assert [problem.rule for problem in session.problems] == ["reasoning.missing_signature"]
    session.stage_recommended()
    part = json.loads(session.to_bytes())["contents"][1]["parts"][0]
    assert (
        part["thoughtSignature"] == "skip_thought_signature_validator" and part[call] == contents[1]["parts"][0][call]
    )  # type: ignore[index]
    assert not session.problems


def test_a_cache_mark_on_an_empty_text_in_a_result_is_removed() -> None:
    _, data = _anthropic()
    messages = json.loads(data)
    empty = {"type": "text", "text": "", "cache_control": {"type": "ephemeral"}}
    messages[0]["content"].pop()
    messages[2]["content"][0]["content"] = [_text(SAID), empty]
    repaired = toolpair.repair(messages)
    assert [taken.fix for taken in repaired.taken] == ["remove-cache-mark"] and not repaired.left
    assert repaired.messages[2]["content"][0]["content"] == [_text(SAID), {"type": "text", "text": ""}]
    assert not toolpair.check(
        [
            *messages[:2],
            {**messages[2], "content": [{**messages[2]["content"][0], "content": [_text(SAID), _text("")]}]},
        ]
    ).problems


def test_an_image_is_made_smaller_where_pillow_is_installed() -> None:
    pillow = pytest.importorskip("PIL.Image")
    out = io.BytesIO()
    pillow.new("RGB", (2400, 60), "red").save(out, "PNG")
    _, data = _anthropic()
    messages = json.loads(data)
    result = messages[2]["content"][0]
    result["content"][1]["source"]["data"] = large = base64.b64encode(out.getvalue()).decode()
    session = toolpair.session.session.open_session("list.json", data=json.dumps(messages).encode())
    place = "messages.2.content.0.tool_result.content.1.image.source.base64.data: "
    too_large = (
        place + "At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels"
    )
    found = session.find(too_large)
    assert found is not None and found.problem is not None and found.found is Found.INDEX
    assert [fix.id for fix in found.problem.fixes] == ["shrink-image", "remove-image"]
    session.stage(found.problem)
    assert found.problem.key not in [one.key for one in with_named([found.problem], session.conversation)]
    other = session.find(too_large)
    assert other is not None and other.problem is not None
    assert (other.found, other.problem.message) == (Found.RULE, 0), "another one that is too large"
    after = json.loads(session.to_bytes())
    del after[0]["content"][1]
    mended = toolpair.session.session.open_session("list.json", data=json.dumps(after).encode()).find(too_large)
    assert mended is not None and mended.problem is None and "may already have been fixed" in mended.text
    unreadable = session.find(place + "Could not process image")
    assert unreadable is not None and unreadable.problem is not None, "small as it is, it may be broken"
    assert [fix.id for fix in unreadable.problem.fixes] == ["remove-image"]
    source = json.loads(session.to_bytes())[2]["content"][0]["content"][1]["source"]
    assert pixels_of(source["data"]) == (2000, 50) and source["media_type"] == "image/png"
    assert large.encode() in _aside(session)
    assert session.staging.losses.text == "detail of 1 image"
    (broken,) = session.conversation.named(["content.image_too_large"], NamedPlace(0, 1))
    assert "shrink-image" not in [fix.id for fix in broken.fixes], "one that cannot be read cannot be made smaller"
    made = ShrinkImages(broken.others[0], (broken.others[0].value,), 2000, 1 << 20)
    with pytest.raises(Refused, match="remove it instead"):
        session.conversation.apply([made])


@pytest.mark.parametrize("name", ["ai-sdk-model", *some(sorted(MADE), 4)])
def test_an_image_is_made_smaller_in_every_spelling(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pillow = pytest.importorskip("PIL.Image")
    out = io.BytesIO()
    pillow.new("RGB", (8400, 60), "red").save(out, "PNG")
    large = base64.b64encode(out.getvalue()).decode()
    monkeypatch.setitem(globals(), "DATA", large)
    monkeypatch.setitem(globals(), "URL", f"data:image/png;base64,{large}")
    monkeypatch.setitem(IMAGE["source"], "data", large)
    monkeypatch.setitem(MADE, "ai-sdk-model", _ai_sdk)
    made = _staged(name, tmp_path, "content.image_too_large", "shrink-image")
    for opened, session in made:
        images = re.findall(r"iVBORw0KGgo[A-Za-z0-9+/]+=*", session.to_bytes().decode())
        before = re.findall(r"iVBORw0KGgo[A-Za-z0-9+/]+=*", opened.to_bytes().decode())
        assert len(images) == len(before) + (name == BY_ASSET)
        assert {pixels_of(one) for one in images if one not in before} == {(2000, 14)}, name
        assert (b"sha256:1" if name == BY_ASSET else large.encode()) in _aside(session)
        _is_whole(opened, session)
    assert len(made) == 6 if name == "ai-sdk-model" else made
    if name == "ai-sdk-model":
        for opened, session in _staged(name, tmp_path, "content.image_too_large", "remove-image"):
            assert (
                session.to_bytes().count(large.encode()) == 5 and b"[image removed by toolpair: " in session.to_bytes()
            )
            _is_whole(opened, session)


@pytest.mark.parametrize("name", ["anthropic", "claude-code"])
def test_an_image_in_a_long_session_is_found_and_removed(name: str, tmp_path: Path) -> None:
    """It is read in windows, of which the scan proves most to be in order."""
    log = Log(step=0.01)
    for number in range(700):
        id_ = f"toolu_{number}"
        log.user(f"u{number}", "Look.")
        log.says(f"a{number}", f"m{number}", {"type": "tool_use", "id": id_, "name": "look", "input": {}})
        held = [IMAGE] if number == 350 else []
        log.result(f"r{number}", f"a{number}", id_, [_text(f"word-{number}"), *held])
        log.says(f"e{number}", f"n{number}", SIGNED, _text("Done."))
    log.user("last", "Go on.")
    lines = log.values
    if name == "anthropic":
        lines = [{key: value["message"][key] for key in ("role", "content")} for value in log.values]
    path = tmp_path / "session.jsonl"
    path.write_bytes(_lines(lines))
    session = toolpair.open(path)
    assert len(session.conversation.windows) > 10
    (problem,) = session.problems
    assert (problem.rule, problem.severity) == ("content.image_too_large", "error")
    session.stage(problem, next(fix for fix in problem.fixes if fix.id == "remove-image"))
    assert not session.problems and DATA.encode() not in session.to_bytes()
    (named,) = session.conversation.named(["reasoning.bad_signature"], NamedPlace(2203))
    session.stage(named, next(fix for fix in named.fixes if fix.id == "remove-thinking-from-here"))
    assert 0 < session.to_bytes().count(b"a quiet thought") < 700
    saved = session.save_as(tmp_path / "out.jsonl")
    assert saved.aside is not None
    kept = saved.aside.read_bytes()
    assert DATA.encode() in kept and kept.count(b"quiet") + session.to_bytes().count(b"quiet") == 700


def _gemini_turn(**beside: str) -> bytes:
    said = {"functionResponse": {"id": "1", "name": "look", "response": {"output": SAID}}}
    contents = [
        {"role": "user", "parts": [{"text": "Look."}]},
        {"role": "model", "parts": [{"functionCall": {"id": "1", "name": "look", "args": {}}, **beside}]},
        {"role": "user", "parts": [said]},
    ]
    return json.dumps({"contents": contents}).encode()


THOUGHT_LAST = [{"role": "user", "content": "Go."}, {"role": "assistant", "content": [SIGNED, _text("So.")]}]


@pytest.mark.parametrize(
    ("rule", "data", "profile", "fix", "left"),
    [
        ("missing_signature", _gemini_turn(), "gemini", "skip-signature", b"skip_thought_signature_validator"),
        ("bad_signature", _gemini_turn(thoughtSignature="QkJC"), "gemini", "skip-signature", b"skip_thought"),
        ("missing_before_call", _anthropic()[1].replace(b'"thinking"', b'"text"'), "anthropic", None, b""),
        (
            "missing_before_call",
            _responses()[1].replace(b'"type": "reasoning"', b'"type": "other"'),
            "openai-responses",
            "without-item-id",
            b"call_one",
        ),
        ("final_thinking_disabled", json.dumps(THOUGHT_LAST).encode(), "anthropic", "remove-thinking", b"So."),
    ],
)
def test_what_an_error_text_alone_asks_for(rule: str, data: bytes, profile: str, fix: str | None, left: bytes) -> None:
    session = toolpair.session.session.open_session("list.json", data=data, profile=profile)
    (problem,) = session.conversation.named([f"reasoning.{rule}"], NamedPlace())
    assert [one.id for one in problem.fixes if one.recommended] == ([fix] if fix else [])
    assert fix or problem.no_fix
    if fix:
        session.stage(problem)
        now = session.to_bytes()
        assert left in now and b"fc_1" not in now and b"QkJC" not in now and b"quiet" not in now


def test_encrypted_summaries_go_where_the_text_names_one_and_are_offered_elsewhere() -> None:
    rollout = Rollout()
    rollout.begins("t1", "one")
    rollout.thinks("rs_1")
    rollout.says("well")
    user = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "one"}]}
    sealed = {"type": "reasoning", "id": "rs_9", "summary": [], "encrypted_content": "c2VhbGVk"}
    rollout.compacted([user, sealed, {"type": "compaction", "encrypted_content": "c3VtbWFyeQ"}])
    rollout.begins("t2", "two")
    rollout.thinks("rs_2")
    rollout.says("so")
    for place, first, left in ((NamedPlace(), "remove-all-thinking", 1), (NamedPlace(1, 1), "remove-encrypted", 0)):
        session = rollout.session()
        (problem,) = session.conversation.named(["reasoning.bad_signature"], place)
        ids = [fix.id for fix in problem.fixes]
        assert ids[0] == first and problem.fixes[0].recommended and "remove-encrypted" in ids
        session.stage(problem)
        now = session.to_bytes()
        assert now.count(b"c3VtbWFyeQ") == left and b"c2VhbGVk" not in now and b"rs_2" not in now
        assert b"c2VhbGVk" in _aside(session) and not session.problems


def test_thinking_beside_the_content_of_chat_messages_is_removed_with_its_signature() -> None:
    messages: list[Any] = [
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": "So.", "reasoning_content": "a quiet thought", "thinking_blocks": [SIGNED]},
        {"role": "user", "content": "On."},
        {
            "role": "assistant",
            "content": "Well.",
            "reasoning_details": [{"type": "reasoning.encrypted", "data": "c2ln"}],
        },
        {"role": "user", "content": "And?"},
    ]
    for place, left in ((NamedPlace(1), {3}), (NamedPlace(), set())):
        session = toolpair.session.session.open_session("list.json", data=json.dumps(messages).encode())
        (problem,) = session.conversation.named(["reasoning.bad_signature"], place)
        session.stage(problem)
        now = json.loads(session.to_bytes())
        assert {number for number, one in enumerate(now) if len(one) > 2} == left
        assert b"c2lnbmVk" in _aside(session) and (b"encrypted" in _aside(session)) == (3 not in left)
        assert session.undo() is not None and json.loads(session.to_bytes()) == messages


def test_half_a_character_in_arguments_is_replaced_where_an_error_says_so(tmp_path: Path) -> None:
    given = '{"a": "x\\ud83d", "b": "\\\\ud83d \\ud83d\\ude00"}'
    call = {"id": "call_one", "type": "function", "function": {"name": "look", "arguments": given}}
    ok = {**call, "id": "call_two", "function": {"name": "look", "arguments": "{}"}}
    answers = [{"role": "tool", "tool_call_id": one["id"], "content": SAID} for one in (call, ok)]
    messages = [{"role": "user", "content": "Go."}, {"role": "assistant", "tool_calls": [call, ok]}, *answers]
    session = toolpair.session.session.open_session("list.json", data=json.dumps(messages).encode())
    assert not session.problems, "the API that this is for reads no arguments"
    target = session.find(
        "400 The request body is not valid JSON: no low surrogate in string: line 1 column 9 (char 8)"
    )
    assert target is not None and target.problem is not None and target.problem.severity == "error"
    row = session.stage(target.problem)
    assert row.loses is None and not session.staging.losses
    after = json.loads(session.to_bytes())
    assert after[1]["tool_calls"][0]["function"].pop("arguments") == given.replace("x\\ud83d", "x\\ufffd")
    call["function"].pop("arguments")
    assert after == messages
    body = {"model": "m", "system": "Be \ud83d", "messages": [{"role": "user", "content": "Go."}]}
    session = toolpair.session.session.open_session("log.json", data=json.dumps({"payload": body}).encode())
    target = session.find(
        "400 The request body is not valid JSON: no low surrogate in string: line 1 column 9 (char 8)"
    )
    assert target is not None and target.problem is None
    assert target.text.startswith("Half a character stands outside of the messages, in system: ")


def test_half_a_character_is_replaced_anywhere_in_a_request() -> None:
    """Around the messages, and in fields of theirs that no API knows; the rest stays byte for byte."""
    around = '{ "system":"Be HALF \\ud83d\\ude00 \\\\ud83d",%s"messages" : [{"role":"user","content":"Go."%s}],"tools":[{"%s":1}] }\n'
    for inside in (("", "", ""), ('"metadata":{"user_id":"HALF"},', ',"x":"HALF"', "HALFK")):
        body = around % inside
        data, wanted = (body.replace("HALF", half).encode() for half in ("\\ud83d", "\\ufffd"))
        session = toolpair.session.session.open_session("body.json", data=data)
        assert {(one.rule, one.severity) for one in session.problems} == {("record.lone_surrogate", "error")}
        session.stage_recommended()
        assert session.to_bytes() == wanted and not session.problems and not session.staging.losses
        shown = list(changes(session.conversation.source.document, session.conversation.document))
        assert b"".join(one.after or b"" for one in shown).count(b"ufffd") == body.count("HALF")
        assert not toolpair.session.session.open_session("body.json", data=wanted).problems
        while session.undo() is not None:
            pass
        assert session.to_bytes() == data


@pytest.mark.parametrize(
    "inside",
    [
        "%s",
        '{"body":%s}',
        '{"id":1,"request":%s}',
        '{"a":1,"messages":[{"role":"user","content":"Stay."}],"b":2}\n%s\n{"id":NaN,"messages":[]}\n',
        '{"request":{"messages":[{"role":"user","content":"Stay."}]}}\n{"odd":NaN,"request":%s}\n',
        '[{"messages":[{"role":"user","content":"Stay."}]},%s]',
    ],
)
def test_what_is_no_json_around_the_messages_is_mended(inside: str) -> None:
    """What is around the request is not sent."""
    body = '{"a":%s,"messages":[{"role":"user","content":"Go."}],"b":%s}'
    for bad, good, rule in (
        (b"NaN", b'"NaN"', "record.bad_json"),
        (b'"\\ud800"', b'"\\ufffd"', "record.lone_surrogate"),
        (b'"\xff"', '"\ufffd"'.encode(), "record.bad_utf8"),
    ):
        made = [(inside % body).encode() % (value, value) for value in (bad, good)]
        session = toolpair.session.session.open_session("body.json", data=made[0])
        (session.current,) = (n for n, one in enumerate(session.conversations) if one.problems)
        (problem,) = session.problems
        assert problem.rule == rule and "outside of the messages" in problem.text
        assert session.stage(problem).lines_changed == 0, "no message is changed"
        assert session.to_bytes() == made[1] and not session.problems
        assert [one.count for one in session.staging.changes()] == [0, 0]


def test_what_only_keeps_messages_may_hold_anything_around_them() -> None:
    data = b'{"cost":NaN,"history":[{"role":"user","content":"Go."},{"role":"assistant","content":"Well."}]}'
    session = toolpair.session.session.open_session("kept.json", data=data)
    assert not session.problems and len(session.conversation.transcript.messages) == 2


def test_what_is_no_json_around_messages_that_were_cut_off_is_mended() -> None:
    """In front of them, and behind them, where the end is written as well."""
    cut = b'{"a":%s,"messages":[{"role":"user","content":"Go."}],"b":%s,"c":"so'
    for bad, good in ((b"NaN", b'"NaN"'), (b'"\\ud800"', b'"\\ufffd"'), (b'"\xff"', '"\ufffd"'.encode())):
        session = toolpair.session.session.open_session("body.json", data=cut % (bad, bad))
        assert len(session.problems) == 2
        session.stage(session.problems[0])
        session.stage(session.problems[0])
        assert session.to_bytes() == cut % (good, good) + b'"}' and not session.problems
        assert {one.count for one in session.staging.changes()} == {0}
        while session.undo() is not None:
            pass
        assert session.to_bytes() == cut % (bad, bad)


@pytest.mark.parametrize("system", ["Be brief.", "Be \\ud83d"])
def test_what_is_around_many_messages_stays_when_one_is_changed(system: str) -> None:
    """Such a list is read in windows, which have nothing around them."""
    messages: list[Any] = []
    for number in range(900):
        call = {"type": "tool_use", "id": f"toolu_{number}", "name": "look", "input": {}}
        result = {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": SAID}
        messages += [{"role": "user", "content": "Look."}, {"role": "assistant", "content": [call]}]
        messages += [{"role": "user", "content": [result]}] if number != 450 else []
        messages.append({"role": "assistant", "content": "Done."})
    around = f'{{"model": "m", "system": "{system}", "messages": '.encode(), b', "max_tokens": 9}\n'
    session = toolpair.session.session.open_session(
        "body.json", data=around[0] + json.dumps(messages).encode() + around[1]
    )
    session.stage_recommended()
    now = session.to_bytes()
    assert now.startswith(around[0].replace(b"ud83d", b"ufffd")) and now.endswith(around[1]) and not session.left
    assert len(json.loads(now)["messages"]) >= len(messages)


@pytest.mark.parametrize(
    ("name", "sent"), [("anthropic", True), ("gemini-contents", True), ("strands", False), ("codex", True)]
)
def test_what_python_writes_for_no_number_is_no_json(name: str, sent: bool) -> None:
    """What a library or an agent keeps beside a message need not be sent."""
    file, data = MADE[name]()
    at = data.rindex(b'{"role"' if name != "codex" else b'{"timestamp"') + 1
    odd = data[:at] + b'"odd": [NaN, -Infinity, "NaN"], ' + data[at:]
    session = toolpair.session.session.open_session(file, data=odd, profile="openai-chat")
    found = [problem for problem in session.problems if problem.rule == "record.bad_json"]
    assert [(one.severity, one.fixes[0].loses) for one in found] == [("error", None)] * sent
    for problem in found:
        session.stage(problem)
        assert session.to_bytes() == odd.replace(b"[NaN, -Infinity,", b'["NaN", "-Infinity",')


def test_an_image_of_bedrocks_stays_as_it_is_written_where_its_result_becomes_text() -> None:
    user, _, answer = json.loads(_bedrock()[1])
    image = answer["content"][0]["toolResult"]["content"][1]
    messages = [user, {"role": "assistant", "content": [{"text": "Well."}]}, answer]
    session = toolpair.session.session.open_session("list.json", data=json.dumps(messages).encode())
    problem = next(one for one in session.problems if one.rule == "result.orphan")
    session.stage(problem)
    said, kept = json.loads(session.to_bytes())[2]["content"]
    assert SAID in said["text"] and kept == image
    failed = {**answer["content"][0]["toolResult"], "status": "error"}
    call = json.loads(_bedrock()[1])[1]
    messages = [user, call, {**answer, "content": [{"toolResult": failed}]}]
    session = toolpair.session.session.open_session("list.json", data=json.dumps(messages).encode())
    problem = next(one for one in session.problems if one.rule == "error.non_text")
    session.stage(problem, next(fix for fix in problem.fixes if fix.id == "error-as-words"))
    now = json.loads(session.to_bytes())[2]["content"][0]["toolResult"]
    assert "status" not in now and now["content"][1:] == failed["content"] and "error" in now["content"][0]["text"]


def _without_calls(messages: list[Any]) -> None:
    del messages[1]


def _said_twice(messages: list[Any]) -> None:
    messages.append(deepcopy(messages[-1]))


def _begun_by_the_model(messages: list[Any]) -> None:
    del messages[0]


def _cut_in_a_character(messages: list[Any]) -> None:
    messages[-1]["beside"] = "x\ud83d"


def _unanswered(messages: list[Any]) -> None:
    messages[-1] = deepcopy(messages[0])


_DEFECTS = (_without_calls, _said_twice, _begun_by_the_model, _cut_in_a_character, _unanswered)
_TOGETHER = [
    (name, *defects)
    for name in ("anthropic", "openai-chat", "openai-responses", "gemini-contents", "bedrock-converse")
    for defects in combinations(_DEFECTS, 2)
]


@pytest.mark.parametrize(("name", "one", "other"), some(_TOGETHER, 6))
def test_images_and_other_defects_together(
    name: str, one: Callable[[list[Any]], None], other: Callable[[list[Any]], None]
) -> None:
    messages = json.loads(MADE[name]()[1])
    one(messages)
    other(messages)
    body = {"contents" if name.startswith("gemini") else "messages": messages, "modelId": "m", "system": "x\ud83d"}
    data = json.dumps({"input": messages, "instructions": "x\ud83d"} if "responses" in name else body).encode()
    opened, session = (toolpair.session.session.open_session("body.json", data=data) for _ in range(2))
    session.stage_recommended()
    while named := [
        (problem, fix)
        for number in range(len(session.conversation.transcript.messages))
        for problem in session.conversation.named(["content.image_too_large"], NamedPlace(number))
        for fix in problem.fixes
        if fix.id == "remove-image"
    ]:
        session.stage(*named[0])
    now = session.to_bytes()
    json.loads(now)
    assert DATA.encode() not in now and b"ud83d" not in now
    assert not session.conversation.texts_gone(opened.conversation)
    again = toolpair.session.session.open_session("body.json", data=now, format=session.format.id)
    again.stage_recommended()
    assert again.to_bytes() == now
    while session.undo() is not None:
        pass
    assert session.to_bytes() == data
