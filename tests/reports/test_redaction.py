"""Redacted copies: nothing of the original is left in them, and they are judged like it."""

from __future__ import annotations

import base64
import json
import os
import random
import re
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from uuid import UUID

import orjson
import pytest

from scripts import make_vocabulary
from tests import (
    cline_sessions,
    continue_sessions,
    copilot_sessions,
    gemini_sessions,
    kimi_sessions,
    oh_my_pi_sessions,
    pi_sessions,
    qwen_sessions,
)
from tests.agents import codex_planted, planted
from tests.each import each
from tests.reports.secrets_in_sessions import SESSIONS, found_in
from tests.rounds import ROUNDS, some
from tests.source_code import PACKAGE, Module
from toolpair.dialects.media import pixels_of
from toolpair.formats.claude_code import branches, session_files
from toolpair.formats.claude_code.sending import taking
from toolpair.formats.engine.reading import context_texts
from toolpair.reports.redaction import copies, ids
from toolpair.reports.redaction.check import described, left_in
from toolpair.reports.redaction.copies import redacted_session
from toolpair.reports.redaction.redactor import Redactor
from toolpair.rules.pages import pages
from toolpair.session.session import Refused, SessionError, open_session
from toolpair.transcript.known_systems import known_texts
from toolpair.transcript.placeholders import known_placeholder

KEY = b"the same in each test"
SAMPLES = sorted(
    path for path in (Path(__file__).parents[2] / "sample_sessions").glob("*.*") if path.suffix not in (".py", ".md")
)
OF_AGENTS = {
    "pi": pi_sessions,
    "oh-my-pi": oh_my_pi_sessions,
    "Qwen Code": qwen_sessions,
    "Gemini CLI": gemini_sessions,
    "Copilot CLI": copilot_sessions,
    "Cline": cline_sessions,
    "Continue": continue_sessions,
    "Kimi CLI": kimi_sessions,
}
REAL = os.environ.get("TOOLPAIR_REAL_SESSIONS", "")
"""A folder with sessions that agents wrote: their copies are compared as those of the samples are."""


def copy_of(text: str, whole: str | None = None) -> str:
    return Redactor(whole if whole is not None else text, KEY).file(text)


def value(text: str, key: str = "text") -> str:
    """What becomes of a string under a key."""
    return str(json.loads(copy_of(json.dumps({key: text}, ensure_ascii=False)))[key])


# --- nothing is left


@pytest.mark.parametrize("name", SESSIONS)
def test_no_planted_secret_is_left(name: str) -> None:
    original = SESSIONS[name]()
    assert len(found_in(original)) > 10
    copy = redacted_session(name, data=original, key=KEY)
    assert not found_in(copy.data) and not found_in(copy.name.encode())
    assert len(copy.data) == len(original)
    assert copy.session.file.shown_name == copy.name


_KEYS = ["203.0.113.77", "2001:db8::17", "+49 170 555 019", "14.03", "2026-11-21", "al@b.io", "12345", "7", "42"]
_ODD = {
    "enclosed": "\u24b6\u24dd\u24dd\u24d8\u24da\u24d0",
    "in circles": "\u2776\u2777\u2778\u2779",
    "tags": "".join(chr(0xE0000 + ord(one)) for one in "Annika"),
    "Braille": "\u2801\u281d\u281d\u280a\u2805",
    "regional": "".join(chr(0x1F1E6 + ord(one) - 97) for one in "annika"),
    "private": "\ue001\ue002\ue003\ue004",
    "squared": "".join(chr(0x1F130 + ord(one) - 97) for one in "annika"),
}


@each("where", ["input", "content", "toolUseResult", "nested"])
def test_keys_are_replaced_as_values_are(where: str) -> None:
    anybodys = {key: number for number, key in enumerate(_KEYS)}
    held: object = {"hosts": anybodys}
    text = json.dumps({"text": json.dumps(held)} if where == "nested" else {where: held})
    (copy,) = json.loads(copy_of(text)).values()
    copy = json.loads(copy) if where == "nested" else copy
    (keys,) = (list(one) for one in copy.values())
    assert len(set(keys)) == len(_KEYS)
    assert [len(one) for one in keys] == [len(one) for one in _KEYS]
    for old, new in zip(_KEYS, keys, strict=True):
        assert old != new or len(old) < 3, old


@each("odd", _ODD)
@each("ascii_only", [True, False])
@each("as_key", [True, False])
def test_characters_that_can_be_read_are_replaced(odd: str, ascii_only: bool, as_key: bool) -> None:
    text = _ODD[odd]
    written = json.dumps({"input": {text: "x"} if as_key else {"x": f"see {text}"}}, ensure_ascii=ascii_only)
    for nested in (written, json.dumps({"content": written}, ensure_ascii=ascii_only)):
        copy = copy_of(nested)
        assert len(copy.encode()) == len(nested.encode())
        assert text not in copy and json.dumps(text)[1:-1] not in copy.replace("\\\\", "\\")
        assert left_in(nested, nested) and not left_in(nested, copy)


def test_signs_that_tell_nothing_stay() -> None:
    text = "│ ✓ → ─ “x” € ± … \u200d \ufeff \ufffd"
    assert value(text) == text.replace("x", value(text)[value(text).index("“") + 1])


def test_numbers_of_a_tool_are_its_own_whatever_their_keys_are_called() -> None:
    for held in ({"toolUseResult": {"line": 5550134}}, {"content": json.dumps({"line": 5550134, "max_tokens": 48151})}):
        assert not re.search("5550134|48151", copy_of(json.dumps(held)))
    assert "5550134" in copy_of('{"ordinal": 5550134}')


def test_addresses_that_are_left_are_found() -> None:
    for held in ("203.0.113.77", "+49 170 555 019", "2026-11-21-7", "10.23.45.67:8080"):
        text = json.dumps({"input": {"hosts": {held: "x"}}})
        assert left_in(text, text), held
        assert not left_in(text, copy_of(text))


def test_without_a_key_each_copy_is_another() -> None:
    original = SESSIONS["annika-quokkaworks.json"]()
    assert len({redacted_session("a.json", data=original).data for _ in range(4)}) == 4
    assert (
        redacted_session("a.json", data=original, key=KEY).data
        == redacted_session("a.json", data=original, key=KEY).data
    )


@each(
    "line",
    [
        '{"type":"user","message":{"role":"user","content":"Annika at qu',
        '{"type":"user","content":"Annika{"type":"user","uuid":"quokkaworks"}',
        "Annika: quokkaworks\n",
        '{"type":"user"}\0\0{"content":"Annika"}',
        '\ufeff{"quokkaworks":"Annika"}',
        '{"content":"Annika\\',
        "{'content': 'Annika', 'quokkaworks': 1}",
        '{"type":"user","content":"\udcc1nnik\udce4 Annika"}',
    ],
)
def test_damaged_lines(line: str) -> None:
    copy = copy_of(line + "\n")
    assert "Annika" not in copy and "quokkaworks" not in copy
    assert len(copy) == len(line) + 1 and re.sub(r"[^\W_]|[^\x00-\x7f]", "", copy) == re.sub(
        r"[^\W_]|[^\x00-\x7f]", "", line + "\n"
    )


def test_what_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The check does not trust what replaces: a word that is left is found, and so is a copy that is judged otherwise."""
    original = SESSIONS["annika-quokkaworks.json"]()
    whole = Redactor.file

    def careless(self: Redactor, content: str, python: bool = False) -> str:
        done = whole(self, content, python)
        at = content.index("Sørensen")
        return done[:at] + content[at : at + 8] + done[at + 8 :]

    monkeypatch.setattr(Redactor, "file", careless)
    with pytest.raises(Refused, match="1 word of the original would still be in the copy: 'sørensen'"):
        redacted_session("a.json", data=original)
    monkeypatch.setattr(
        Redactor, "file", lambda self, content, python=False: whole(self, content, python).replace("toolu", "tool ")
    )
    with pytest.raises(Refused, match=r"in the redacted copy .*id\.pattern.* would not be what it is"):
        redacted_session("a.json", data=original)
    monkeypatch.setattr(Redactor, "file", lambda self, content, python=False: "no session")
    with pytest.raises(Refused, match="cannot be opened"):
        redacted_session("a.json", data=original)


def test_words_are_found_however_they_are_written() -> None:
    for kept in (
        r'"\u0041nnika"',
        r'"{\"a\":\"\\u0041nnika\"}"',
        '"x\\nAnnika"',
        '{"Annika":1}',
        "2026-03-04T05:06:07Z",
        "4815162342",
    ):
        assert left_in(f"[{kept}]", f"[{kept}]"), kept
    assert not left_in('[{"role":"user"}]', '[{"role":"user"}]')


# --- judged alike


def broken() -> Iterator[tuple[str, bytes, str | None, str | None, str | None]]:
    for name, page in pages().items():
        if page.example is not None:
            yield (
                f"page {name}",
                page.example.data,
                page.example.format,
                page.example.profile,
                page.example.agent_version,
            )
    for name, data in planted.corpus().items():
        yield f"Claude Code {name}", data, None, None, None
    for name, rollout in codex_planted.corpus().items():
        yield f"Codex {name}", rollout.data, None, None, None
    for agent, corpus in OF_AGENTS.items():
        for name, found in corpus.corpus().items():
            yield f"{agent} {name}", found.data, None, None, None
    for path in SAMPLES:
        yield path.name, path.read_bytes(), None, None, None


def test_copies_of_all_broken_sessions_have_the_same_problems() -> None:
    """Same rules, severities, impacts, places, causes, effects and fixes; the same length to the byte."""
    count = 0
    for name, data, format, profile, version in some(broken(), 40):
        try:
            original = open_session("a.jsonl", data=data, format=format, profile=profile, agent_version=version)
        except SessionError:
            continue
        copy = redacted_session("a.jsonl", data=data, format=format, profile=profile, agent_version=version, key=KEY)
        assert described(copy.session) == described(original), name
        assert len(copy.data) == len(data), name
        count += 1
    assert count > (400 if ROUNDS else 35)


@pytest.mark.skipif(not REAL, reason="TOOLPAIR_REAL_SESSIONS names a folder with sessions of agents")
def test_copies_of_real_sessions_have_the_same_problems() -> None:
    done = 0
    for path in sorted(Path(REAL).rglob("*")):
        if path.is_file() and path.suffix in (".json", ".jsonl"):
            try:
                copy = redacted_session(path, key=KEY)
            except SessionError:
                continue
            done += 1
            assert len(copy.data) == len(open_session(path).to_bytes()), path
    assert done


def test_a_session_is_redacted_as_it_is_with_its_fixes() -> None:
    session = open_session("a.json", data=SESSIONS["annika-quokkaworks.json"]())
    assert session.stage_recommended() is not None
    copy = copies.redacted(session, key=KEY)
    assert not copy.session.problems and len(copy.data) == len(session.to_bytes())


def test_a_branch_is_found_again() -> None:
    data = (Path(__file__).parents[2] / "sample_sessions/claude-code-branches.jsonl").read_bytes()
    other = next(
        branch
        for branch in open_session("a.jsonl", data=data).conversation.transcript.tree.branches
        if not branch.active
    )
    copy = redacted_session("a.jsonl", data=data, leaf=other.leaf[:8], key=KEY)
    leaf = copy.session.conversation.transcript.tree.leaf
    assert leaf is not None and leaf != other.leaf and len(leaf) == len(other.leaf)


# --- what stays


def test_spacing_escapes_and_duplicate_keys_stay() -> None:
    text = '{ "role" :\t"user",\r\n "content": "Annika\\n\\u0041\\"x\\ud83d\\ude00", "content":"Ab\\/c" , "n":[1, 2.50,-0]}\r\n'
    copy = copy_of(text)
    assert re.sub(r"[A-Za-z]", "a", copy) == re.sub(r"[A-Za-z]", "a", text).replace(
        "0041", copy[copy.index("\\u") + 2 :][:4]
    )
    assert "\\ud83d\\ude00" in copy and copy.count('"content"') == 2


def test_the_same_text_becomes_the_same_and_no_word_repeats() -> None:
    first = json.loads(
        copy_of(json.dumps([{"text": "again and again"}, {"text": "again and again"}, {"text": "again"}]))
    )
    assert first[0] == first[1]
    words = first[0]["text"].split()
    assert words[0] != words[2] and first[2]["text"] not in (words[0], words[2])


def test_case_script_and_length_stay() -> None:
    text = "Hallo WELT camelCase Grüße ЖИВИ привет 東京 ひらがな 한국어 x1 0 42 2026"
    new = value(text)
    assert [len(word) for word in new.split()] == [len(word) for word in text.split()]
    assert len(new.encode()) == len(text.encode())
    for old, one in zip(text, new, strict=True):
        assert (old.isupper(), old.islower(), old.isdigit(), old.isspace()) == (
            one.isupper(),
            one.islower(),
            one.isdigit(),
            one.isspace(),
        )
    assert re.fullmatch(r"[\u4e00-\u9fff]{2}", new.split()[6]) and re.fullmatch(r"[\uac00-\ud7a3]{3}", new.split()[8])


@each("known", known_texts())
def test_placeholders_stay_and_what_varies_in_them_does_not(known: object) -> None:
    text = known.text.replace("…", "Annika quokkaworks")
    for written in (text, f"Error: {text}", f"<tool_use_error>{text}</tool_use_error>", json.dumps({"error": text})):
        if known_placeholder(written) is None:
            continue
        copy = value(written, "content")
        found = known_placeholder(copy)
        assert found is not None and found.text == known_placeholder(written).text
        assert "Annika" not in copy and "quokkaworks" not in copy


@each(
    "mark",
    [
        *context_texts.USER,
        *context_texts.DEVELOPER,
        context_texts.SUMMARY,
        taking._CAVEAT,
        taking._COMMAND,
        *taking._PRINTED,
        *(mark for mark in (*branches._NO_WORDS, *session_files._NOT_WORDS) if not mark.endswith("-")),
        "[Request interrupted by user for tool use]",
        "The user doesn't want to ",
        "Error: ",
    ],
)
def test_marks_that_sessions_are_judged_by_stay(mark: str) -> None:
    for spelled in (mark, mark.replace("agents.md", "AGENTS.md")):
        if spelled != mark or "agents.md" not in mark:
            assert value(f"{spelled} Annika").startswith(spelled)


def test_prompts_that_only_say_to_go_on_stay() -> None:
    for text in ("continue", "Go on!", "please proceed", "weiter"):
        assert value(text, "content") == text
    assert "continue" not in value("continue with Annika", "content")


def test_what_is_wrapped_is_the_same_as_bare() -> None:
    """An output and its copies elsewhere: as an error, with a reminder after it."""
    bare = value("Annika was here.")
    assert value("Error: Annika was here.") == f"Error: {bare}"
    assert value("<tool_use_error>Annika was here.</tool_use_error>") == f"<tool_use_error>{bare}</tool_use_error>"
    assert value("Annika was here.\n\n<system-reminder>Say.</system-reminder>").startswith(
        f"{bare}\n\n<system-reminder>"
    )


def test_public_models_and_versions_stay() -> None:
    assert value("claude-sonnet-4-5-20250929", "model") == "claude-sonnet-4-5-20250929"
    assert value("gpt-5.1-codex", "model") == "gpt-5.1-codex"
    tuned = value("ft:gpt-4o:bandicoot:pademelon:x1", "model")
    assert "gpt-4o" in tuned and "bandicoot" not in tuned and "pademelon" not in tuned
    assert value("2.1.330", "version") == "2.1.330"
    assert value("2.1.330-quokka", "version") != "2.1.330-quokka"


def test_names_of_tools() -> None:
    assert value("Bash", "name") == "Bash"
    new = value("mcp__quokka__make_potoroo", "name")
    assert re.fullmatch(r"mcp__[a-z]{6}__[a-z]{4}_[a-z]{7}", new) and "quokka" not in new
    both = json.loads(copy_of('[{"name":"Deploy_kowari"},{"name":"deploy_KOWARI"},{"name":"deploy-kowari"}]'))
    low = [one["name"].lower().replace("-", "_") for one in both]
    assert low[0] == low[1] == low[2] and len({one["name"] for one in both}) == 3


def test_times_move_by_the_same_amount() -> None:
    from datetime import datetime

    times = [
        "2026-03-04T05:06:07.891Z",
        "2026-03-04T05:06:08.000Z",
        "2026-03-04T07:06:08.000+02:00",
        "2026-03-04 05:06:08",
    ]
    moved = json.loads(
        copy_of(json.dumps([{"timestamp": time} for time in times] + [{"ts": 1772600767891}, {"ts": 1772600767}]))
    )
    first, second, third = (datetime.fromisoformat(one["timestamp"]) for one in moved[:3])
    assert (second - first).total_seconds() == pytest.approx(0.109) and third == second
    assert moved[2]["timestamp"].endswith("+00:00") and first.year < 2026
    shift = datetime.fromisoformat(times[0]) - first
    assert shift.total_seconds() % 86400 and moved[4]["ts"] == 1772600767891 - round(shift.total_seconds() * 1000)
    assert len(str(moved[5]["ts"])) == 10
    assert value("on 2026-03-04 it rained") != "on 2026-03-04 it rained"


def test_the_ids_of_a_long_session_are_drawn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every group of four hexadecimal digits stands somewhere in such a session, also those of letters alone: that is
    no reason to draw again, and none to write nothing.
    """
    drawn: list[str] = []

    class Counted(ids.Stream):
        def __init__(self, key: bytes, text: str, again: int = 0) -> None:
            drawn.append(text)
            super().__init__(key, text, again)

    monkeypatch.setattr(ids, "Stream", Counted)
    found = [str(UUID(int=random.Random(n).getrandbits(128), version=4)) for n in range(12_000)]
    letters = [f"{a}{b}{c}{d}" for a in "ab" for b in "abcdef" for c in "abcdef" for d in "abcdef"]
    found += [f"{found[n][:19]}{word}{found[n + 500][23:]}" for n, word in enumerate(letters)]
    text = "".join(f'{{"uuid":"{one}"}}\n' for one in found)
    copy = copy_of(text)
    assert len(drawn) < 1.2 * len(found)
    assert not left_in(text, copy) and len(set(copy.splitlines())) == len(found)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("iVBORw0KGgoAAAA+BB/CC+", "iVBORw0KGgoxxxxxyyyzzz"),  # signs of Base64: there are fewer words in the copy
        ("beta-2025-05-14", "xqwz-8813-93-56"),  # a time only in the original
        ("a33de6ba-1d84-4a57-8bcd-fd0b6a8dd120", "qx3de6bz-qw84-zzqq-wwxx-fd0b6q8qz12q"),  # a UUID only there
        ("“abcd” – Ünïted", "“zqxw” – Ömïwqr"),
    ],
)
def test_a_short_number_is_left_only_where_it_stood(before: str, after: str) -> None:
    """Of a long session every number of four digits is drawn somewhere; what else is in the lines changes nothing."""
    original = f'{{"text":"{before} 2783 5194"}}\n'
    assert left_in(original, f'{{"text":"{after} 9640 2783"}}\n') == []
    assert left_in(original, f'{{"text":"{after} 2783 9640"}}\n') == ["2783"]


def test_a_uuid_that_begins_with_a_time_begins_with_the_moved_time() -> None:
    early, late = "01a1fd17-9d21-7c63-8bcd-fd0b6a8dd120", "01a1fd17-9d22-7000-8000-000000000001"
    copy = json.loads(copy_of(json.dumps([{"id": early}, {"id": late}])))
    one, other = (int(found["id"].replace("-", "")[:12], 16) for found in copy)
    assert other - one == 1 and one < int(early.replace("-", "")[:12], 16)
    assert all(
        re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}", found["id"]) for found in copy
    )


def test_numbers() -> None:
    text = '{"a":[123,-4567,0.25,12345.67890,1e5,20260101,9223372036854775808,18446744073709551615],"max_tokens":32000,"ordinal":1234}'
    copy = copy_of(text)
    assert [len(one) for one in re.findall(r"[\d.e-]+", copy)] == [len(one) for one in re.findall(r"[\d.e-]+", text)]
    found = list(orjson.loads(copy).values())
    assert found[0][0] == 123 and found[0][1] != -4567 and found[0][2] == 0.25 and found[0][4] == 1e5
    assert 2**63 <= found[0][6] < 2**64 and found[0][7] < 2**64 and found[1:] == [32000, 1234]


def test_arguments_stay_as_parseable_as_they_are() -> None:
    for written in (
        '{"command": "ls 007", "n": 10, "x": [true, null, 1e9], "quokka": "\\u0041b"}',
        '{"command": "ls',
        '{"a": \\d}',
    ):
        copy = value(written, "arguments")
        assert _reads(copy) == _reads(written)
        assert "quokka" not in copy and len(copy) == len(written)
    assert next(iter(json.loads(value('{"command":"ls","quokka":1}', "arguments")))) == "command"


def _reads(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def test_a_list_of_calls_named_input_is_no_input() -> None:
    """What a tool is given is anybody's; a request body's `input` is a list of items."""
    assert '"type":"function_call"' in copy_of('{"input":[{"type":"function_call","name":"shell"}]}')
    assert '"type":"user"' not in copy_of('{"name":"shell","input":{"type":"user"}}')


def test_base64_becomes_other_base64() -> None:
    picture = "iVBORw0KGgo" + "Aa1+/Zz9" * 20 + "=="
    copy = value(picture, "data")
    assert copy.startswith("iVBORw0KGgo") and len(copy) == len(picture) and copy.endswith("==")
    assert "+/" not in copy


PICTURES = {
    "png": b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 9000, 400),
    "jpeg": b"\xff\xd8\xff\xe1\x00\x08secret\xff\xc0\x00\x11\x08" + struct.pack(">HH", 400, 9000),
    "gif": b"GIF87a" + struct.pack("<HHH", 9000, 400, 7),
    "webp": b"RIFF\1\0\0\0WEBPVP8 \1\0\0\0\1\2\3\x9d\x01\x2a" + struct.pack("<HH", 9000, 400),
}


@each("kind", PICTURES)
def test_an_image_becomes_another_one_of_the_same_size(kind: str) -> None:
    for behind in (b"", b"a secret" * 20):
        data = base64.b64encode(PICTURES[kind] + b"\0\0\0" + behind).decode()
        new = value(data, "data")
        assert pixels_of(new) == (9000, 400) and len(new) == len(data) and new != data
        assert b"secret" not in base64.b64decode(new)


def test_the_vocabulary_is_what_the_code_reads(modules: Sequence[Module]) -> None:
    nodes = {PACKAGE / module.path: module.nodes for module in modules}
    now = make_vocabulary.text(nodes.__getitem__)
    assert make_vocabulary.OUT.read_text("utf-8") == now, "run scripts/make_vocabulary.py"
    assert '"compared"' not in now, "a word of a sentence that a table has for people"


def test_a_python_literal() -> None:
    text = "[{'role': 'user', 'content': \"Annika's\"}, TextBlock(text='quokka\\n', citations=None)]"
    copy = Redactor(text, KEY).file(text, python=True)
    assert "'role': 'user'" in copy and "None" in copy and "text=" in copy and "citations=" in copy
    assert "Annika" not in copy and "quokka" not in copy and len(copy) == len(text)


def test_names_of_copies() -> None:
    assert copies.neutral_name("/home/annika/quokka.jsonl.zst") == "session.jsonl"
    assert copies.neutral_name("annika.JSON") == "session.json" and copies.neutral_name("annika") == "session"
    assert copies.neutral_name("x/api_conversation_history.json") == "api_conversation_history.json"
