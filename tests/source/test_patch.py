"""A diff of whole lines: `patch` turns the old bytes into exactly the new ones."""

from __future__ import annotations

import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.patience import PATIENCE
from tests.rounds import tries
from toolpair.source.byte_runs import OriginalRun, Piece
from toolpair.source.patch import unified

needs_patch = pytest.mark.skipif(shutil.which("patch") is None, reason="no patch here")
LINES = st.lists(
    st.tuples(st.sampled_from([b"", b"a", b"b", b"{}", b"- x", b"\xff\x00", b"@@ -1 +1 @@", b"--- a"]),
              st.sampled_from([b"\n", b"\r\n", b"\n", b"\r", b""])),
    max_size=30,
).map(lambda lines: b"".join(line + end for line, end in lines))  # fmt: skip


@st.composite
def changed(draw: st.DrawFn) -> tuple[bytes, list[Piece]]:
    """A content and pieces, most of which are runs of it, some moved."""
    content = draw(LINES)
    cuts = sorted({0, len(content), *draw(st.lists(st.integers(0, len(content)), max_size=8))})
    pieces: list[Piece] = [OriginalRun(a, b) for a, b in pairwise(cuts)]
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(pieces)))
        match draw(st.sampled_from(["put in", "take out", "move"])):
            case "put in":
                pieces.insert(at, draw(LINES))
            case "take out" if pieces:
                pieces.pop(at % len(pieces))
            case "move" if pieces:
                pieces.insert(draw(st.integers(0, len(pieces) - 1)), pieces.pop(at % len(pieces)))
    return content, pieces


def whole(content: bytes, pieces: list[Piece]) -> bytes:
    return b"".join(content[piece.start : piece.end] if isinstance(piece, OriginalRun) else piece for piece in pieces)


def applied(content: bytes, diff: bytes) -> bytes:
    """What `patch` does, but stricter: context lines must match at their line number."""
    old = content.split(b"\n")
    lines = [line + b"\n" for line in old[:-1]] + ([old[-1]] if old[-1] else [])
    made: list[bytes] = []
    at = 0
    rows = diff.split(b"\n")[:-1]
    assert rows[0].startswith(b"--- ") and rows[1].startswith(b"+++ ")
    number = 2
    while number < len(rows):
        _, before, after, _ = rows[number].split(b" ")
        first, _, count = before[1:].partition(b",")
        olds, news = int(count or 1), int(after.partition(b",")[2] or 1)
        start = int(first) - (1 if olds else 0)
        assert start >= at
        made += lines[at:start]
        assert int(after[1:].partition(b",")[0]) == len(made) + (1 if news else 0)
        at, number = start, number + 1
        while olds or news:
            mark, line = rows[number][:1], rows[number][1:] + b"\n"
            if number + 1 < len(rows) and rows[number + 1].startswith(b"\\ "):
                line, number = line[:-1], number + 1
            number += 1
            if mark in b" -":
                assert lines[at] == line
                at, olds = at + 1, olds - 1
            if mark in b" +":
                made.append(line)
                news -= 1
    return b"".join(made + lines[at:])


@given(changed())
@settings(max_examples=tries(400))
def test_the_diff_leads_to_the_new_bytes(case: tuple[bytes, list[Piece]]) -> None:
    content, pieces = case
    diff = b"".join(unified(pieces, content, "x"))
    new = whole(content, pieces)
    assert (diff == b"") == (content == new)
    if diff:
        assert applied(content, diff) == new


@needs_patch
@given(changed())
@settings(max_examples=tries(40))
def test_patch_accepts_the_diff(tmp_path_factory: pytest.TempPathFactory, case: tuple[bytes, list[Piece]]) -> None:
    content, pieces = case
    new = whole(content, pieces)
    if content == new or not content or not new:  # patch itself removes a file that becomes empty
        return
    folder = tmp_path_factory.mktemp("patch")
    (folder / "x").write_bytes(content)
    diff = b"".join(unified(pieces, content, "x"))
    ran = subprocess.run(["patch", "-s", "x"], input=diff, cwd=folder, capture_output=True, timeout=PATIENCE)
    assert ran.returncode == 0, (ran.stdout, ran.stderr, diff)
    assert (folder / "x").read_bytes() == new


@needs_patch
@pytest.mark.parametrize("name", ["plain.jsonl", "with space.jsonl", 'quote".jsonl', "é.jsonl", "line\nfeed.jsonl"])
def test_patch_finds_any_file_name(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"a\nb\n")
    diff = b"".join(unified([OriginalRun(0, 2), b"c\n"], b"a\nb\n", name))
    ran = subprocess.run(["patch", "-p0", "-s"], input=diff, cwd=tmp_path, capture_output=True, timeout=PATIENCE)
    if "\n" not in name:  # patch refuses such a name, but never takes part of it for a line of the diff
        assert ran.returncode == 0, (ran.stdout, diff)
        assert path.read_bytes() == b"a\nc\n"
    assert len(diff.splitlines()) == 6
