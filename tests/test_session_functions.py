"""`toolpair.report` and `toolpair.diff`: the library over whole sessions."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import toolpair
from tests.reports.page.parsed import assert_markdown_only_of_the_template, assert_only_the_template, words
from tests.reports.page.sessions import assistant, call, one_of_everything, result, text, user, written
from tests.reports.page.test_pages import long
from tests.rounds import tries
from toolpair.reports.page import files


def test_a_report_as_text(tmp_path: Path) -> None:
    session = written(tmp_path, one_of_everything())
    page = toolpair.report(session)
    assert "API REFUSES IT" in words(assert_only_the_template(page))
    assert toolpair.report(str(session)) == page == toolpair.report(toolpair.open(session))
    markdown = toolpair.report(session, form="markdown")
    assert_markdown_only_of_the_template(markdown)
    assert [path.name for path in tmp_path.iterdir()] == ["session.json"]


def test_a_text_is_one_page_however_long(tmp_path: Path) -> None:
    page = toolpair.report(written(tmp_path, long(tries(2500, 800), every=2)))
    said = words(assert_only_the_template(page))
    assert "step 0" in said and f"step {tries(2500, 800) - 1}" in said and "Page 2" not in said


def test_a_report_as_files(tmp_path: Path) -> None:
    session = written(tmp_path, long(2500))
    made = toolpair.report(session, tmp_path / "r.html")
    assert isinstance(made, toolpair.ReportFiles)
    assert [path.name for path in made.paths] == ["r.html", "r-2.html", "r-3.html", "r-4.html"]
    assert made.size == sum(path.stat().st_size for path in made.paths)
    assert made.notes == () and made.blocks == 7501
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in made.paths)
    with pytest.raises(toolpair.Refused, match="already exists"):
        toolpair.report(session, tmp_path / "r.html")
    assert toolpair.report(session, tmp_path / "r.html", force=True).paths == made.paths
    with pytest.raises(ValueError, match="has to end in"):
        toolpair.report(session, tmp_path / "r.txt")
    assert toolpair.report(session, str(tmp_path / "r.txt"), form="markdown").paths[0].read_text("utf-8")[:4] == "<!--"
    with pytest.raises(toolpair.SessionError):
        toolpair.report(tmp_path / "gone.json")


def test_a_session_from_bytes_is_reported_like_any_other(tmp_path: Path) -> None:
    data = json.dumps(one_of_everything()).encode()
    session = toolpair.open("redacted.json", data=data)
    assert "redacted.json" in words(assert_only_the_template(toolpair.report(session)))
    assert toolpair.report(session, tmp_path / "r.html").paths == (tmp_path / "r.html",)


def test_a_diff(tmp_path: Path) -> None:
    one = one_of_everything()
    other = one_of_everything()
    other[2]["content"][0]["content"] = "another text"
    other.append(assistant(call("toolu_99", "Read", file_path="x.py")))
    other.append(user(result("toolu_99", "ok"), text("good")))
    a, b = written(tmp_path, one, "a.json"), written(tmp_path, other, "b.json")
    found = toolpair.diff(a, b)
    assert isinstance(found, toolpair.SessionDiff)
    assert not found and not found.same
    (conversation,) = found.conversations
    assert conversation is not None
    differences = list(conversation.differences)
    assert [(each.kind, each.differs) for each in differences] == [
        ("differs", ("result",)), ("only b", ()), ("only b", ()),
    ]  # fmt: skip
    first = differences[0]
    assert first.a is not None and first.b is not None
    assert (first.a.kind, first.a.name, first.a.pair, first.a.call_id) == ("pair", "Read", 0, "toolu_01")
    assert first.b.results == ("another text",) and first.a.result_ids == ("toolu_01",)
    assert json.loads(first.a.call or "") == {"file_path": "src/shop/cart.py"} and first.a.text is None
    last = differences[-1].b
    assert last is not None and (last.kind, last.name, last.text, last.message) == ("text", "user", "good", 12)
    assert conversation.counts["only b"].pairs == 1
    assert str(found) == "6 pairs and 5 messages the same; 1 pair differs; 1 pair and 1 message only in B."


def test_what_is_the_same_is_true(tmp_path: Path, samples: Path) -> None:
    for sample in ("valid.json", "claude-code-branches.jsonl", "request-log.jsonl"):
        copied = shutil.copy(samples / sample, tmp_path / sample)
        found = toolpair.diff(samples / sample, copied)
        assert found and found.same
        assert set(str(found).splitlines()) == {"The histories are the same."}


def test_ids_can_be_ignored(tmp_path: Path) -> None:
    def session(id_: str) -> list[dict[str, Any]]:
        return [user(text("go")), assistant(call(id_, "Read", path="a")), user(result(id_, "ok"))]

    a, b = written(tmp_path, session("one"), "a.json"), written(tmp_path, session("two"), "b.json")
    assert not toolpair.diff(a, b)
    assert toolpair.diff(a, b, ignore_ids=True)


def test_a_session_is_compared_with_what_is_staged_on_it(tmp_path: Path) -> None:
    path = written(tmp_path, one_of_everything())
    session = toolpair.open(path)
    assert toolpair.diff(session, path)
    session.stage_recommended()
    found = toolpair.diff(path, session)
    assert not found
    (conversation,) = found.conversations
    assert conversation is not None and conversation.parting is None
    assert {each.kind for each in conversation.differences} == {"differs"}


def test_where_two_part(tmp_path: Path) -> None:
    def steps(first: int, last: int, words: str) -> list[dict[str, Any]]:
        return [
            message
            for number in range(first, last)
            for message in (
                assistant(call(f"{words}{number}", "Read", path=f"{words}/{number}")),
                user(result(f"{words}{number}", f"{words} {number}")),
            )
        ]

    shared = [user(text("go")), *steps(0, 5, "both")]
    a = written(tmp_path, [*shared, *steps(5, 15, "left")], "a.json")
    b = written(tmp_path, [*shared, *steps(5, 12, "right")], "b.json")
    (conversation,) = toolpair.diff(a, b).conversations
    assert conversation is not None and conversation.parting is not None
    parting = conversation.parting
    assert (parting.pairs_a, parting.pairs_b, parting.a.call_id, parting.b.call_id) == (10, 7, "left5", "right5")


def test_a_conversation_that_only_one_has(tmp_path: Path, samples: Path) -> None:
    log = (samples / "request-log.jsonl").read_bytes().splitlines(keepends=True)
    fewer = tmp_path / "fewer.jsonl"
    fewer.write_bytes(b"".join(log[:-1]))
    found = toolpair.diff(samples / "request-log.jsonl", fewer)
    assert not found and found.conversations[-1] is None
    assert str(found).endswith("Only a has this conversation.")


def test_a_report_that_cannot_be_finished_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = toolpair.open(written(tmp_path, long(1400)))
    save, saved = files.save_as, 0

    def full(*arguments: Any, **more: Any) -> Any:
        nonlocal saved
        saved += 1
        if saved == 3:
            raise OSError(28, "No space left on device")
        return save(*arguments, **more)

    monkeypatch.setattr(files, "save_as", full)
    with pytest.raises(OSError, match="No space"):
        toolpair.report(session, tmp_path / "r.html")
    assert [path.name for path in tmp_path.iterdir()] == ["session.json"]
