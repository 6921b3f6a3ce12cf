"""Records that cannot be read: each kind is a problem of its own, mended byte by byte, and the pairing goes round it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.formats.claude_code_files import Log, call
from tests.rounds import tries
from toolpair.cli.main import main
from toolpair.dialects.block_texts import result_text
from toolpair.session.carrying_out import preview
from toolpair.session.session import Fix, Problem, Session, open_session


def claude_code(turns: int = 4) -> list[bytes]:
    """A session as the agent writes it, its ids behind the message. Records are a minute apart."""
    log = Log(step=60)
    log.user("u0", "words MARK-u0")
    for turn in range(turns):
        log.says(f"a{turn}", f"msg_{turn}", call(f"toolu_{turn}"))
        log.result(f"r{turn}", f"a{turn}", f"toolu_{turn}", f"MARK-{turn} first\nMARK-{turn} second")
    log.user("u9", "words MARK-u9")
    return [_line(value) for value in log.values]


def plain(turns: int = 4) -> list[bytes]:
    """Messages, one a line."""
    values: list[dict[str, Any]] = [{"role": "user", "content": "words MARK-u0"}]
    for turn in range(turns):
        block = {"type": "tool_use", "id": f"toolu_{turn}", "name": "Bash", "input": {}}
        values.append({"role": "assistant", "content": [block]})
        text = f"MARK-{turn} first\nMARK-{turn} second"
        block = {"type": "tool_result", "tool_use_id": f"toolu_{turn}", "content": text}
        values.append({"role": "user", "content": [block]})
    values.append({"role": "user", "content": "words MARK-u9"})
    return [json.dumps(value).encode() for value in values]


def _line(value: dict[str, Any]) -> bytes:
    late = ("uuid", "timestamp", "cwd", "sessionId", "version")
    order = [*(key for key in value if key not in late), *(key for key in late if key in value)]
    return json.dumps({key: value[key] for key in order}, separators=(",", ":")).encode()


def session_of(lines: list[bytes], end: bytes = b"\n") -> Session:
    return open_session("session.jsonl", data=b"\n".join(lines) + end)


def the(session: Session, rule: str) -> Problem:
    (found,) = [problem for problem in session.problems if problem.rule == rule]
    return found


def fix(problem: Problem, id_: str) -> Fix:
    return next(found for found in problem.fixes if found.id == id_)


def errors(session: Session) -> list[str]:
    return [problem.rule for problem in session.problems if problem.severity == "error"]


def outputs(session: Session) -> list[str]:
    return [result_text(block) for message in session.conversation.transcript.messages for block in message.results]


WHOLE = [f"MARK-{turn} first\nMARK-{turn} second" for turn in range(4)]

Damage = Callable[[list[bytes]], list[bytes]]

AT = 4
"""The line of the second result, counted from 0."""


def _changed(old: bytes, new: bytes) -> Damage:
    def change(lines: list[bytes]) -> list[bytes]:
        assert old in lines[AT]
        return [*lines[:AT], lines[AT].replace(old, new, 1), *lines[AT + 1 :]]

    return change


LOSSLESS: dict[str, tuple[Damage, str, str, str]] = {
    "glued": (lambda lines: [*lines[:3], lines[3] + lines[4], *lines[5:]], "record.glued", "split", "reads only the"),
    "torn and glued": (
        lambda lines: [*lines[:AT], b'{"type":"progress","da' + lines[AT], *lines[AT + 1 :]],
        "record.glued",
        "split",
        "skips it",
    ),
    "brackets missing": (lambda lines: [*lines[:AT], lines[AT][:-1], *lines[AT + 1 :]], "record.torn", "close", "skip"),
    "NUL run": (_changed(b"first", b"fi\0\0\0rst"), "record.nul", "clean", "skips it"),
    "NUL in front": (
        lambda lines: [*lines[:AT], b"\0" * 9 + lines[AT], *lines[AT + 1 :]],
        "record.nul",
        "clean",
        "skip",
    ),
    "raw line feed": (_changed(b"first\\n", b"first\n"), "record.torn", "join", "skips it"),
    "control character": (_changed(b"first", b"fi\x1brst"), "record.bad_json", "escape", "skips it"),
    "text in front": (
        lambda lines: [*lines[:AT], b">>> " + lines[AT], *lines[AT + 1 :]],
        "record.bad_json",
        "trim",
        "",
    ),
}


@pytest.mark.parametrize("name", LOSSLESS)
def test_claude_code_loses_the_record_and_the_fix_brings_all_back(name: str) -> None:
    damage, rule, fix_id, says = LOSSLESS[name]
    lines = claude_code()
    session = session_of(damage(lines))
    problem = the(session, rule)
    assert (problem.severity, problem.impact) == ("error", "loses") and session.conversation.damaged >= 1
    assert problem.recommended is not None and problem.recommended.id == fix_id and problem.recommended.loses is None
    assert problem.on_resume is not None and says in problem.on_resume.text
    # The link to the lost record is no second problem, and no placeholder is on offer for what is there.
    assert not any(found.rule.startswith("chain.") for found in session.problems)
    session.stage_recommended()
    assert not errors(session)
    assert [text.replace("\x1b", "") for text in outputs(session)] == WHOLE
    assert session.conversation.verdict.outputs_seen == 4 and session.conversation.verdict.placeholders == 0


@pytest.mark.parametrize("name", LOSSLESS)
def test_nothing_else_changes_and_undo_gives_the_bytes_back(name: str) -> None:
    damage, rule, _, _ = LOSSLESS[name]
    for lines in (claude_code(), plain()):
        data = b"\n".join(damage(lines)) + b"\n"
        session = open_session("session.jsonl", data=data)
        for chosen in the(session, rule).fixes:
            session.stage(the(session, rule), chosen)
            after = session.to_bytes()
            kept = after + b"".join(session.conversation.document.aside)
            for line in lines:
                if line not in lines[AT - 1 : AT + 1]:
                    assert line in after
            assert b"MARK-1" in kept and kept.count(b"MARK-") >= data.count(b"MARK-")
            session.undo()
            assert session.to_bytes() == data and session.conversation.document.aside == ()


def test_a_second_run_changes_nothing() -> None:
    for damage, _, _, _ in LOSSLESS.values():
        session = session_of(damage(claude_code()))
        session.stage_recommended()
        again = open_session("session.jsonl", data=session.to_bytes())
        assert again.stage_recommended() is None and again.to_bytes() == session.to_bytes()


def test_set_aside_takes_the_line_out_of_the_session_and_keeps_it() -> None:
    lines = claude_code()
    session = session_of([*lines[:3], b"junk \xff\x1b]0;x\x07", *lines[3:]])
    problem = the(session, "record.bad_json")
    assert problem.severity == "warning" and problem.recommended is fix(problem, "set-aside")
    assert session.stage_recommended() is None, "a warning is never mended unasked"
    session.stage(problem)
    assert session.to_bytes() == b"\n".join(lines) + b"\n"
    assert session.conversation.document.aside == (b"junk \xff\x1b]0;x\x07",)
    assert [change.kind for change in session.staging.changes()] == ["removed"]


@pytest.mark.parametrize("make", [claude_code, plain])
def test_of_a_torn_output_one_way_is_recommended(make: Callable[[], list[bytes]]) -> None:
    lines = make()
    at = next(number for number, line in enumerate(lines) if b"MARK-2 first" in line)
    lines[at] = lines[at][: lines[at].index(b" second")]
    for problem in session_of(lines).problems:
        assert sum(found.recommended for found in problem.fixes) <= 1


@pytest.mark.parametrize("how", ["in place", "copy"])
def test_what_is_set_aside_is_in_a_file_beside_what_was_saved(tmp_path: Path, how: str) -> None:
    lines = claude_code()
    path = tmp_path / "session.jsonl"
    path.write_bytes(b"\n".join([*lines[:3], b"junk \xff", *lines[3:]]) + b"\n")
    session = open_session(path)
    session.stage(the(session, "record.bad_json"))
    saved = session.save() if how == "in place" else session.save_as(tmp_path / "copy.jsonl")
    assert saved.path.read_bytes() == b"\n".join(lines) + b"\n"
    assert saved.aside is not None and saved.aside.parent == tmp_path
    assert saved.aside.read_bytes() == b"junk \xff\n"


# A call whose result stands in a damaged line


def test_of_a_cut_off_output_what_can_be_read_is_put_at_its_call() -> None:
    lines = claude_code()
    lines[AT] = lines[AT][: lines[AT].index(b" second")]
    session = session_of(lines)
    session.stage_recommended()
    assert not errors(session)
    assert outputs(session) == [WHOLE[0], "MARK-1 first\nMARK-1", *WHOLE[2:]]
    assert session.conversation.document.aside == (lines[AT],) and session.conversation.verdict.placeholders == 0


def test_a_record_cut_off_behind_its_output_is_closed_and_links_as_before() -> None:
    lines = claude_code()
    whole = json.loads(lines[AT])
    whole["extra"] = {"note": "cut"}
    lines[AT] = json.dumps(whole, separators=(",", ":")).encode()[:-4]
    session = session_of(lines)
    problem = the(session, "record.torn")
    assert problem.recommended is not None and problem.recommended.id == "close"
    session.stage_recommended()
    assert not errors(session) and outputs(session) == WHOLE
    assert session.to_bytes() == b"\n".join([*lines[:AT], lines[AT] + b'"}}', *lines[AT + 1 :]]) + b"\n"


def test_a_cut_off_id_or_half_a_call_is_not_taken_for_one() -> None:
    for cut in (b"toolu", b'"input":{"command":"ec'):
        lines = plain()
        written = lines[3].replace(b'"input": {}', b'"input":{"command":"echo 1"}')
        lines[3] = written[: written.index(cut) + len(cut)]
        problem = the(session_of(lines), "record.torn")
        assert [found.id for found in problem.fixes] == ["set-aside"]
    lines = plain()
    lines[AT] = lines[AT][: lines[AT].index(b"toolu_1") + 6]
    assert [found.id for found in the(session_of(lines), "record.torn").fixes] == ["set-aside"]


def test_user_words_are_not_set_aside_unasked() -> None:
    lines = claude_code()
    session = session_of([*lines[:-1], lines[-1][: lines[-1].index(b"MARK-u9") + 9]], end=b"")
    problem = the(session, "record.torn")
    assert problem.severity == "warning" and problem.recommended is None
    assert session.stage_recommended() is None


def test_the_call_says_where_its_result_stands_and_offers_the_placeholder_last() -> None:
    lines = plain()
    lines[AT] = lines[AT][: lines[AT].index(b" second")]
    missing = the(session_of(lines), "result.missing")
    assert "line 5, which cannot be read (cut off)" in missing.text
    assert [found.id for found in missing.fixes] == [
        "keep-readable",
        "insert-placeholder",
        "call-as-text",
        "remove-call",
    ]
    best = missing.recommended
    assert best is not None and best.id == "keep-readable" and best.loses is not None
    lines = plain()
    missing = the(session_of([*lines[:AT], b"# " + lines[AT], *lines[AT + 1 :]]), "result.missing")
    best = missing.recommended
    assert best is not None and best.id == "fix-line" and best.loses is None


def test_no_call_is_guessed_for_a_result_whose_own_stands_in_a_damaged_line() -> None:
    lines = plain()
    session = session_of([*lines[:AT], lines[AT] + lines[AT + 1], *lines[AT + 2 :]])
    mismatch = the(session, "result.id_mismatch")
    assert "two records glued" in mismatch.text and not mismatch.guess
    assert mismatch.recommended is not None and mismatch.recommended.id == "fix-line"
    session.stage(mismatch)
    assert not errors(session) and outputs(session) == WHOLE


def test_an_orphan_says_that_its_call_stands_in_a_damaged_line() -> None:
    lines = plain()
    session = session_of([*lines[:3], b"# " + lines[3], *lines[4:]])
    orphan = the(session, "result.orphan")
    assert "a call in line 4, which cannot be read" in orphan.text
    assert orphan.recommended is not None and orphan.recommended.id == "fix-line"
    session.stage(orphan)
    assert not errors(session) and outputs(session) == WHOLE


def test_where_nothing_can_be_read_no_placeholder_is_recommended() -> None:
    lines = plain()
    lines[AT] = lines[AT].replace(b'"content": "MARK', b'"content" "MARK', 1)
    missing = the(session_of(lines), "result.missing")
    assert "line 5, which cannot be read" in missing.text
    assert missing.recommended is None and any(fix.placeholder for fix in missing.fixes)
    assert missing.no_fix == "Its id also stands in line 5, where its output may be."


# Flaws of records that can be read


@pytest.mark.parametrize(
    ("old", "new", "rule", "severity", "fix_id"),
    [
        (b"first", b"fi\xffrst", "record.bad_utf8", "warning", "replace-bytes"),
        (b'"type":"user"', b'"type":"x","type":"user"', "record.duplicate_key", "warning", "keep-last"),
        (b'"type":"user"', b'"n":123456789012345678901234,"type":"user"', "record.big_number", "info", None),
        (b'{"parentUuid"', b'\xef\xbb\xbf{"parentUuid"', "record.bom", "warning", "drop-mark"),
    ],
)
def test_a_flaw_that_the_agent_reads_over_is_a_note(
    old: bytes, new: bytes, rule: str, severity: str, fix_id: str | None
) -> None:
    lines = claude_code()
    session = session_of(_changed(old, new)(lines))
    problem = the(session, rule)
    assert (problem.severity, problem.impact) == (severity, "harmless")
    assert session.stage_recommended() is None and not session.conversation.damaged
    if fix_id is None:
        assert problem.no_fix
        return
    session.stage(problem, fix(problem, fix_id))
    assert rule not in [found.rule for found in session.problems]
    expected = lines[AT] if rule != "record.bad_utf8" else lines[AT].replace(b"first", b"fi\xef\xbf\xbdrst", 1)
    assert session.to_bytes() == b"\n".join([*lines[:AT], expected, *lines[AT + 1 :]]) + b"\n"


def test_bad_bytes_are_named_and_mended_beside_another_edit_of_the_same_record() -> None:
    lines = plain()
    lines[AT] = lines[AT].replace(b"toolu_1", b"toolu.1", 1).replace(b"first", b"fi\xffrst", 1)
    session = session_of(lines)
    assert "\\xff" in the(session, "record.bad_utf8").text
    session.stage_recommended()
    session.stage(the(session, "record.bad_utf8"))
    expected = lines[AT].replace(b"toolu.1", b"toolu_1", 1).replace(b"\xff", b"\xef\xbf\xbd")
    assert session.to_bytes().split(b"\n")[AT] == expected


def test_a_sound_file_has_nothing_of_it() -> None:
    for lines in (claude_code(), plain()):
        session = session_of(lines)
        assert not session.conversation.damaged
        assert not [found.rule for found in session.problems if found.rule != "turn.alternation"]


# Codex: one bad byte, and the session does not resume


META: Any = {
    "id": "01a1fd17-7a6c-7c11-9e18-deaa896459f4",
    "timestamp": "2026-11-21T08:00:00Z",
    "cwd": "/tmp",
    "originator": "codex_exec",
    "cli_version": "0.169.0",
}


def codex() -> list[bytes]:
    values: list[dict[str, Any]] = [{"type": "session_meta", "payload": META}]
    texts = [{"type": "input_text", "text": "go"}]
    items: list[dict[str, Any]] = [{"type": "message", "role": "user", "content": texts}]
    for turn in range(3):
        name = f"call_{turn}"
        items.append({"type": "function_call", "name": "shell", "arguments": "{}", "call_id": name})
        items.append({"type": "function_call_output", "call_id": name, "output": f"MARK-{turn}"})
    values += [{"type": "response_item", "payload": item} for item in items]
    stamped = [{"timestamp": f"2026-11-21T08:00:{n:02d}Z", **value} for n, value in enumerate(values)]
    return [json.dumps(value).encode() for value in stamped]


def test_codex_does_not_resume_with_a_bad_byte_or_a_mark_in_front() -> None:
    lines = codex()
    for data, rule in (
        (b"\n".join(lines).replace(b"MARK-1", b"MARK-1\xff"), "record.bad_utf8"),
        (b"\xef\xbb\xbf" + b"\n".join(lines), "record.bom"),
    ):
        session = open_session("rollout-x.jsonl", data=data, format="codex")
        problem = the(session, rule)
        assert (problem.severity, problem.impact) == ("error", "stops")
        assert "Codex does not resume this session" in problem.text
        assert session.staging.changes() == []
        session.stage(problem)
        assert rule not in errors(session) and session.staging.changes()
        session.to_bytes().decode("utf-8")
        assert not session.to_bytes().startswith(b"\xef\xbb\xbf")


# Whatever is planted


@settings(max_examples=tries(40))
@given(
    st.sampled_from([claude_code(), plain(), codex()]),
    st.integers(0, 7),
    st.integers(1, 400),
    st.sampled_from([b"", b"\0", b"\xff", b"\n", b"{", b'"', b"}", b"\x07", b"\xef\xbb\xbf", b'{"a":1}']),
    st.booleans(),
)
def test_every_offered_fix_applies_and_loses_nothing(
    lines: list[bytes], number: int, at: int, planted: bytes, cut: bool
) -> None:
    line = lines[number]
    at = min(at, len(line) - 1)
    damaged = line[:at] + planted + (b"" if cut else line[at:])
    data = b"\n".join([*lines[:number], damaged, *lines[number + 1 :]]) + b"\n"
    session = open_session("session.jsonl", data=data)
    others = [other for other in lines if other is not line]
    for problem in [found for found in session.problems if found.rule.startswith("record.")]:
        for chosen in problem.fixes:
            assert preview(session.conversation, chosen)
            session.stage(problem, chosen)
            after = session.to_bytes()
            kept = after + b"".join(session.conversation.document.aside)
            for mark in (b"MARK-0", b"MARK-1", b"MARK-2", b"MARK-u9"):
                assert kept.count(mark) >= min(data.count(mark), 1)
            left = after.split(b"\n")
            assert sum(other in left for other in others) >= len(others) - 2, "only the line, or its call's neighbours"
            session.undo()
            assert session.to_bytes() == data
    session.stage_recommended()
    again = open_session("session.jsonl", data=session.to_bytes(), format=session.format.id)
    assert again.stage_recommended() is None


def test_the_commands_show_the_bytes(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    lines = claude_code()
    path = tmp_path / "session.jsonl"
    path.write_bytes(b"\n".join([*lines[:AT], b"\0\xff\x1b" + lines[AT], *lines[AT + 1 :]]) + b"\n")
    assert main(["check", str(path), "--output-format", "json"]) == 1
    entry = json.loads(capsys.readouterr().out)["files"][0]
    assert entry["counts"]["damaged"] == 1
    (problem,) = [found for found in entry["problems"] if found["rule"].startswith("record.")]
    assert problem["location"]["line"] == AT + 1
    main(["fix", str(path), "--diff"])
    shown = capsys.readouterr().out
    assert "\\xff" in shown and "\x1b" not in shown and "\0" not in shown


def test_a_diff_parts_no_character(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    lines = claude_code()
    path = tmp_path / "session.jsonl"
    for shift in range(3):
        around = ("x" * shift + "é…😀" * 40).encode()
        text = lines[AT].replace(b"first", around + b"fi\xffrst" + around, 1)
        path.write_bytes(b"\n".join([*lines[:AT], text, *lines[AT + 1 :]]) + b"\n")
        main(["fix", str(path), "--diff", "--select", "record"])
        shown = capsys.readouterr().out
        assert "\\xff" in shown and shown.count("\\x") == 1


def test_of_a_glued_line_the_agent_reads_the_first_record() -> None:
    lines = claude_code()
    note = b'{"type":"summary","summary":"s"}'
    for behind in (note, b",", b" words", b"\0\0"):
        session = session_of([*lines[:AT], lines[AT] + behind, *lines[AT + 1 :]])
        [problem] = session.problems
        assert problem.severity == "warning" and outputs(session) == WHOLE
        assert "reads only the first" in problem.text or "still reads the record" in problem.text
    session = session_of([*lines[:AT], lines[AT] + lines[AT + 1], *lines[AT + 2 :]])
    assert the(session, "record.glued").severity == "error" and outputs(session) != WHOLE
    session.stage_recommended()
    assert not errors(session) and outputs(session) == WHOLE


def test_a_fix_of_the_first_record_of_a_glued_line_leaves_what_stands_behind_it() -> None:
    lines = claude_code()
    renamed = lines[AT].replace(b'"toolu_', b'"toolu:')
    assert renamed != lines[AT]
    session = session_of([*lines[:AT], renamed + b" words", *lines[AT + 1 :]])
    session.stage_recommended()
    assert not errors(session) and outputs(session) == WHOLE
    assert session.to_bytes().split(b"\n")[AT] == lines[AT] + b" words"


@pytest.mark.parametrize("before", [b"", b"\0" * 100])
def test_nul_bytes_around_a_torn_record_are_one_damage(before: bytes) -> None:
    lines = claude_code()
    torn = session_of([*lines[:3], before + lines[3][:-20] + b"\0" * 300, *lines[4:]])
    problem = the(torn, "record.torn")
    assert "NUL bytes" in problem.text
    closed = fix(problem, "close")
    assert closed.recommended
    torn.stage(problem, closed)
    assert b"\0" not in torn.to_bytes()
    assert not [one for one in torn.problems if one.rule.startswith("record.")]


def test_a_torn_record_that_another_one_follows_after_nul_bytes_is_not_closed_over_it() -> None:
    lines = claude_code()
    glued = session_of([*lines[:3], b'{"type":"note","x":[1,' + b"\0" * 300 + lines[3], *lines[4:]])
    (problem,) = [one for one in glued.problems if one.rule.startswith("record.")]
    assert problem.rule != "record.torn"
    recommended = next(one for one in problem.fixes if one.recommended)
    glued.stage(problem, recommended)
    assert lines[3] in glued.to_bytes().split(b"\n")


def test_damage_is_judged_by_the_version_that_resumes_the_file(tmp_path: Path) -> None:
    """Whichever version wrote it: one file has one version in all its sentences."""
    lines = [json.dumps({**json.loads(line), "version": "2.1.4"}).encode() for line in claude_code()]
    path = tmp_path / "session.jsonl"
    path.write_bytes(b"\n".join([*lines[:3], lines[3][:-9], *lines[4:6], *lines[7:]]) + b"\n")
    told = {problem.on_resume.version for problem in open_session(path).problems if problem.on_resume is not None}
    assert len(told) == 1 and "2.1.4" not in told
