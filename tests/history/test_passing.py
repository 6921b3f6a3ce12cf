"""Looking through a long history finds what looking at each of its rows finds, and reads no more than it has to."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.each import each
from tests.formats.claude_code_files import Log, call
from tests.history.mutated import mutated
from tests.history.opening import both, judged_by
from tests.history.sessions import session as claude_code
from tests.history.test_lists import broken
from tests.rounds import tries
from toolpair.cli.main import main
from toolpair.history import row_text_search as passing
from toolpair.history.checked_records import items_of
from toolpair.history.conversation import Conversation
from toolpair.history.joined_windows import RowPrefilter
from toolpair.history.text_prefilter import ByteQuery
from toolpair.history.window import Reading, Window
from toolpair.reports.excerpt.excerpts import excerpt_of
from toolpair.reports.export.exporting import export
from toolpair.session.session import Session, open_session
from toolpair.tui.overview import Overview
from toolpair.tui.row_search import filter_test, row_text, term_row_filter, text_row_filter, text_test
from toolpair.tui.searching import RowSearch

SEEDS = st.integers(min_value=0, max_value=2**32)
SOME = settings(derandomize=True, max_examples=tries(8), suppress_health_check=list(HealthCheck))
FORMS = [("anthropic", "anthropic"), ("openai-chat", "openai-chat"), ("claude-code", "anthropic")]
FILTERS = [
    "is:problem",
    "is:error",
    "is:fixed",
    "tool:bash",
    "tool:read id:1",
    "is:error output",
    "is:problem is:fixed",
    "-is:error",
    "tool:bash -id:1 -output",
    "-is:problem -is:fixed size:>10",
    "size:<=9",
    "size:3..40 output",
    'text:"output of" -text:"of 1"',
    "--x",
]
OF_TIMES = [
    "took:>2s",
    "-took:>2s",
    "took:1s..5s is:error",
    "time:>=08:01",
    "time:08:00:30..08:02 tool:bash",
    "time:<2026-11-21T08:02",
]


class Quietly:
    """Stands for the thread that looks."""

    stopped = False

    def run_in_ui(self, what: Any) -> None:
        what()


def is_windowed(session: Session) -> bool:
    return session.conversation.fixes_are_local


def found(
    order: Any, begin: int, by: int, test: Any, row_filter: RowPrefilter | None
) -> tuple[list[int], int | None, int]:
    search = RowSearch(order, begin, by, test, lambda: 0.0, row_filter)
    search.run(Quietly(), lambda _: None)  # type: ignore[arg-type]
    return search.hits, search.first, search.percent


def strange(rng: random.Random, values: list[Any]) -> bytes:
    """The records in lines, some of them with letters spelt as other writers do."""
    lines = []
    for value in values:
        line = json.dumps(value, ensure_ascii=rng.random() < 0.5, separators=rng.choice([None, (",", ":")]))
        if rng.random() < 0.2:
            line = line.replace(
                "output", rng.choice(["\\u006futput", "ou\\u0074put", "\\u212aout", "out\\nput", "1e5"])
            )
        lines.append(line.encode() + b"\n")
    return b"".join(lines)


def text_term(text: str) -> str:
    return 'text:"{}"'.format(text.replace('"', ""))


@pytest.mark.parametrize(("kind", "name"), FORMS)
@given(seed=SEEDS)
@SOME
def test_the_same_rows_are_found(kind: str, name: str, seed: int) -> None:
    rng = random.Random(seed)
    values = claude_code(seed) if kind == "claude-code" else broken(seed, kind)
    sessions = both(strange(rng, values), kind, name, rng.choice([1, 3]))
    if not values or not is_windowed(sessions[1]):
        return
    overviews = [Overview(session) for session in sessions]
    rows = len(overviews[0].rows)
    if not rows:
        return
    for _ in range(2):
        texts = [row_text(overviews[0], row) for row in overviews[0].rows]
        queries = ["output", "null", "none", "100000", "x", "kou", "nowhere_at_all"]
        for _ in range(8):
            text = rng.choice(texts)
            at = rng.randrange(len(text) + 1)
            queries.append(rng.choice([piece := text[at : at + rng.choice([2, 4, 9])], piece.lower()]))
        order = sorted(rng.sample(range(rows), rng.randrange(1, rows + 1)))
        with patch.object(passing, "_BLOCK", rng.choice([1, 2_000, 1 << 20])):
            for query in filter(None, queries):
                begin, by = rng.randrange(len(order)), rng.choice([1, -1])
                tests = [text_test(overview, query) for overview in overviews]
                plainly = found(order, begin, by, tests[0], None)
                assert found(order, begin, by, tests[1], text_row_filter(overviews[1], query)) == plainly, query
            times = OF_TIMES if overviews[0].times.any else []
            for words in [*FILTERS, *times, text_term(rng.choice(queries))]:
                tests = [filter_test(overview, words) for overview in overviews]
                plainly = found(range(rows), -1, 1, tests[0], None)
                assert found(range(rows), -1, 1, tests[1], term_row_filter(overviews[1], words)) == plainly, words
        choices = [n for n, problem in enumerate(sessions[0].problems) if problem.fixes]
        if not choices:
            return
        at = rng.choice(choices)
        for session, overview in zip(sessions, overviews, strict=True):
            problem = session.problems[at]
            session.stage(problem, problem.fixes[0])
            overview.note_staged([problem])
            overview.reload()
        rows = len(overviews[0].rows)
        if not is_windowed(sessions[1]):
            return


@pytest.mark.parametrize(("kind", "name"), FORMS)
@given(seed=SEEDS)
@settings(SOME, max_examples=tries(40))
def test_what_is_clean_is_read_without_looking_for_damage(kind: str, name: str, seed: int) -> None:
    rng = random.Random(seed)
    values = claude_code(seed) if kind == "claude-code" else broken(seed, kind)
    data = b"".join(json.dumps(value, separators=(",", ":")).encode() + b"\n" for value in values)
    if not values:
        return
    session = both(mutated(data, rng), kind, name, rng.choice([1, 3]))[1]
    for window in session.conversation.windows if is_windowed(session) else ():
        if window.clean and not window.replaced:
            quickly = window.read_again()
            with_records = replace(quickly, items=items_of(window.unread.document.now), sound=False)
            assert quickly.sound
            assert with_records.damaged is None, "the scan has seen that"
            assert repr(quickly.items) == repr(with_records.items)


def long_messages() -> list[Any]:
    messages: list[Any] = [{"role": "user", "content": "begin"}]
    for n in range(300):
        use = {"type": "tool_use", "id": f"toolu_{n}", "name": "Read", "input": {"path": f"src/{n}.py"}}
        messages.append({"role": "assistant", "content": [use]})
        told = {"type": "tool_result", "tool_use_id": f"toolu_{n}", "content": f"line {n} of 4"}
        messages.append({"role": "user", "content": [told]})
    return messages


def long_session(messages: list[Any] | None = None) -> Session:
    data = b"".join(json.dumps(message, ensure_ascii=False).encode() + b"\n" for message in messages or long_messages())
    return both(data, "anthropic", "anthropic", 8)[1]


def looked_at(session: Session) -> list[Window]:
    conversation = session.conversation
    assert conversation.fixes_are_local
    return [part for part in conversation.windows if part.looked_at]


@pytest.mark.parametrize(
    ("query", "read"), [("nowhere", 3), ("src/nowhere", 3), ("src/4711.py", 3), ("src/170.py", 4), ("toolu_17\n", 20)]
)
def test_what_cannot_hold_a_text_is_not_read(query: str, read: int) -> None:
    session = long_session()
    overview = Overview(session)
    judged = []
    of = Reading.judged

    def counted(reading: Reading, *given: Any) -> Any:
        judged.append(given)
        return of(reading, *given)

    with patch.object(Reading, "judged", counted), patch.object(passing, "_BLOCK", 5_000):
        rows = range(len(overview.rows))
        hits, _, _ = found(rows, 40, 1, text_test(overview, query), text_row_filter(overview, query))
    assert hits == ([rows[171]] if "170" in query else [rows[18]] if "17\n" in query else [])
    assert len(judged) <= read
    assert not looked_at(session), "what was read for it is forgotten"


def hits(session: Session, query: str) -> list[int]:
    overview = Overview(session)
    rows = range(len(overview.rows))
    return found(rows, 0, 1, text_test(overview, query), text_row_filter(overview, query))[0]


def test_what_the_bytes_do_not_have_is_found() -> None:
    messages = long_messages()
    messages[401]["content"][0]["input"] = ["a\u200bz"]
    session = long_session(messages)
    assert session.conversation.fixes_are_local
    assert hits(session, "u200bz") == [201], "it is shown as Python writes it"


def test_what_a_fix_puts_in_is_found() -> None:
    messages = long_messages()
    del messages[402]
    session = long_session(messages)
    problem = session.problems[0]
    session.stage(problem, problem.recommended or problem.fixes[0])
    assert session.conversation.fixes_are_local and session.conversation.windows
    row = session.conversation.places.of_pair(200)
    assert row is not None
    said = row_text(Overview(session), session.conversation.rows[row]).splitlines()[-1]
    assert said and hits(session, said) == [row]


def test_rows_that_somebody_looks_at_stay_the_same() -> None:
    session = long_session()
    row = session.conversation.rows[100]
    rows = session.conversation.passing_rows()
    assert rows[100] is row and rows[-1].pair is not None
    assert [one.label for one in rows[98:102]] == [one.label for one in session.conversation.rows[98:102]]
    assert len(looked_at(session)) >= 1


@each(
    ("text", "written", "may"),
    [
        ("Zoë's files", {"a": "zoë's FILES"}, True),
        ("tea\tpot", "tea\tpot", True),
        ("teapot", r'"te\u0061pot"', True),
        ("nfoo", r'"\u000afoo"', True),
        ("kelvin", '"\u212aelvin"', True),
        ("100000.0", "[1e5]", True),
        ("1e-05", "0.00001", True),
        ("null", "{}", True),
        ("no", "{}", True),
        ("summary", "{}", True),
        ("undone in", "{}", True),
        ("12345678", "1.2345678e7", True),
        ("1234", r'"{\"a\":\n1.2e3}"', True),
        ("1234567890", "12345678901234567890123", True),
        ("the summary", "{}", False),
        ("teapot", r'"tea\u001bpot"', False),
        ("src/100000", "[1e5]", False),
        ("1234", '"12e34f-3e51-aa"', False),
        ("tea pot", {"a": "tea", "b": "kettle"}, False),
    ],
)
def test_what_bytes_tell(text: str, written: Any, may: bool) -> None:
    data = written if isinstance(written, str) else json.dumps(written)
    wanted = ByteQuery([text])
    assert (not wanted.is_useful or wanted.may_occur_in(data.encode().lower())) is may


def test_what_hands_a_session_on_reads_it_window_by_window(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    log = Log()
    log.user("u", "go")
    for n in range(40):
        log.says(f"a{n}", f"m{n}", call(f"toolu_{n:03}"))
        log.result(f"r{n}", f"a{n}", f"toolu.{n:03}" if n == 20 else f"toolu_{n:03}", f"output {n}")
    path = tmp_path / "long.jsonl"
    path.write_bytes(b"".join(json.dumps(value).encode() + b"\n" for value in log.values))
    with judged_by(4):
        assert len(open_session(path).conversation.windows) > 3
        monkeypatch.setattr(Conversation, "_as_one_window", property(lambda _: pytest.fail("it was read as a whole")))
        assert main(["sees", str(path)]) == 0
        assert len(export(open_session(path), "anthropic").body["messages"]) == 82
        assert excerpt_of(open_session(path), redact=False).problem.rule == "result.id_mismatch"
    assert capsys.readouterr().out.count("after 1 recommended fix") == 1
