"""Long sessions are divided: every page is whole, and every link between them leads somewhere."""

from __future__ import annotations

import re
import tracemalloc
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import toolpair
from tests.reports.page.conftest import Writing
from tests.reports.page.parsed import (
    anchors_of,
    assert_markdown_only_of_the_template,
    assert_only_the_template,
    tree,
    words,
)
from tests.reports.page.sessions import assistant, call, result, text, user, written
from tests.rounds import tries
from toolpair.reports.page.files import ReportFiles, write_files
from toolpair.reports.page.report import Pages, Wanted


def long(pairs: int, every: int = 0, words: str = "ok") -> list[dict[str, Any]]:
    """Calls one after the other; each `every`-th has no result."""
    messages: list[dict[str, Any]] = [user(text("go"))]
    for number in range(pairs):
        messages.append(assistant(text(f"step {number}"), call(f"t{number}", "Read", file_path=f"src/{number}.py")))
        broken = every and number % every == every - 1
        messages.append(user(text("on")) if broken else user(result(f"t{number}", words)))
    return messages


def assert_links_lead_somewhere(files: ReportFiles) -> int:
    anchors = {path.name: anchors_of(path) for path in files.paths}
    found = 0
    for path in files.paths:
        page = path.read_text("utf-8")
        for href in re.findall(r'href="([^"]+)"' if path.suffix == ".html" else r"\]\(([^)]+)\)", page):
            name, _, anchor = href.partition("#")
            target = unquote(name.removeprefix("./")) or path.name
            assert target in anchors, href
            assert not anchor or anchor in anchors[target], href
            found += 1
    return found


@pytest.mark.parametrize("name", ["report.html", "report.md", "a b'c&d:e.html"])
def test_pages_of_a_long_session(tmp_path: Path, write: Writing, name: str) -> None:
    files = write(written(tmp_path, long(60, every=7)), name, blocks=40)
    stem, suffix = Path(name).stem, Path(name).suffix
    assert [path.name for path in files.paths] == [
        name,
        *(f"{stem}-{n}{suffix}" for n in range(2, len(files.paths) + 1)),
    ]
    assert len(files.paths) > 3 and files.blocks == 60 * 2 + 52 + 1 + 8
    assert assert_links_lead_somewhere(files) > 30
    names = [path.name for path in files.paths]
    whole = ""
    for path in files.paths:
        page = path.read_text("utf-8")
        if path.suffix == ".html":
            whole += words(assert_only_the_template(page, names))
        else:
            assert_markdown_only_of_the_template(page, names)
            whole += page
        assert path.stat().st_mode & 0o777 == 0o600
    for number in range(60):
        assert whole.count(f"step {number}\n") == 1


def test_a_page_is_divided_by_its_size_too(tmp_path: Path, write: Writing) -> None:
    files = write(written(tmp_path, long(20, words="x" * 2000)), bytes=10_000)
    assert len(files.paths) > 3
    assert all(path.stat().st_size < 10_000 + 30_000 for path in files.paths)


def test_many_problems_have_pages_of_their_own(tmp_path: Path, write: Writing) -> None:
    files = write(written(tmp_path, long(1200, every=1)), blocks=1000)
    assert assert_links_lead_somewhere(files) > 2400
    first = words(tree(files.paths[0].read_bytes()))
    assert "Problem 400 of 1,200" in first and "Problem 600 of 1,200" not in first
    assert "1,200 problems" in first


@given(st.integers(0, 40), st.integers(0, 5), st.integers(2, 30))
@settings(max_examples=tries(20), deadline=None, suppress_health_check=list(HealthCheck))
def test_any_length(tmp_path_factory: pytest.TempPathFactory, pairs: int, every: int, blocks: int) -> None:
    folder = tmp_path_factory.mktemp("long")
    session = toolpair.open(written(folder, long(pairs, every)))
    files = write_files(session, Wanted(blocks=blocks), folder / "r.html")
    assert_links_lead_somewhere(files)
    for path in files.paths:
        page = path.read_text("utf-8")
        assert_only_the_template(page, [each.name for each in files.paths])
        pair_blocks = page.count('<details class="pair') * 2 - page.count("result</h4>")
        assert pair_blocks + page.count('class="said') <= max(blocks, 3)


def test_several_conversations(samples: Path, write: Writing) -> None:
    files = write(samples / "request-log.jsonl")
    said = words(assert_only_the_template(files.paths[0].read_bytes()))
    session = toolpair.open(samples / "request-log.jsonl")
    count = len(session.conversations)
    assert count > 1 and f"Conversation 1 of {count}" in said and f"Conversation {count} of {count}" in said
    assert assert_links_lead_somewhere(files) >= count
    assert {f"c{number}-conversation" for number in range(1, count + 1)} <= anchors_of(files.paths[0])


def test_what_is_across_the_list_is_across_the_page(samples: Path, write: Writing) -> None:
    kinds: set[str] = set()
    for sample in ("compaction-cut.json", "claude-code-branches.jsonl", "damaged.jsonl", "pi-lost-line.jsonl"):
        session = toolpair.open(samples / sample)
        page = tree(write(samples / sample).paths[0].read_bytes())
        across = [words(line) for line in page.iter("p") if line.attrib.get("class", "").startswith("across")]
        rows = [row.label for row in session.conversation.rows if row.kind in ("cut", "compaction", "damaged")]
        assert [line.partition(": ")[2] for line in across] == rows, sample
        kinds.update(row.kind for row in session.conversation.rows)
    assert {"cut", "damaged"} <= kinds


def test_pairs_are_numbered_as_in_the_interface(samples: Path, write: Writing) -> None:
    for sample in ("claude-code-branches.jsonl", "codex-killed.jsonl", "parallel-swapped.json", "reused-ids.json"):
        session = toolpair.open(samples / sample)
        anchors = anchors_of(write(samples / sample).paths[0])
        pairs = {f"pair-{pair.index}" for pair in session.conversation.pairs}
        assert {anchor for anchor in anchors if anchor.startswith("pair-")} == pairs
        problems = sum(anchor.startswith(("problem-", "warning-", "note-")) for anchor in anchors)
        assert problems == len(session.problems)


def test_memory_does_not_grow_with_the_session(tmp_path: Path) -> None:
    """What is written waits on disk: ten times as many pages take no ten times as much."""

    def peak(parts: int) -> int:
        tracemalloc.start()
        pages = Pages(str(tmp_path), 100, 10_000)
        for _ in range(parts):
            pages.turn_over(2)
            pages.add("x" * 5_000, 2)
        for number in range(pages.count):
            for _ in pages.content(number):
                pass
        pages.close()
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    assert peak(4_000) < peak(400) + 500_000
