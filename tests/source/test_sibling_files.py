"""Which parts of the files beside a session are read, and what is left alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from toolpair.source import sibling_files
from toolpair.source.sibling_files import FilesBeside


def test_a_file_is_read_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sibling_files, "_LIMIT", 10)
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "small").write_bytes(b"0123456789")
    (tmp_path / "s" / "large").write_bytes(b"0123456789x")
    files = FilesBeside(tmp_path / "s.jsonl")
    assert files.names("s") == ["large", "small"] and files.names("missing") == ()
    assert files.read("s/small") == b"0123456789"
    assert files.read("s/large") is None
    assert files.start("s/large", 3) == b"012"


def test_nothing_outside_the_folder_is_read(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "secret").write_bytes(b"secret\n")
    (home / "link").symlink_to(tmp_path / "secret")
    files = FilesBeside(home / "s.jsonl")
    for name in ("../secret", str(tmp_path / "secret"), "link", "\0"):
        assert files.read(name) is None
        assert files.start(name, 9) == b""
        assert files.lines_with(name, [b"secret"])[b"secret"] == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    files = FilesBeside(tmp_path / "s.jsonl")
    assert files.read("pipe") is None and files.start("pipe", 9) == b""
    assert files.lines_with("pipe", [b"x"]) == {b"x": []}


def test_lines_are_searched_once_and_a_few_are_enough(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"a one\nb two\n" * 50)
    files = FilesBeside(tmp_path / "s.jsonl")
    found = files.lines_with("log", [b"one"])
    assert set(found[b"one"]) == {b"a one\n"} and 0 < len(found[b"one"]) <= 50
    path.unlink()
    again = files.lines_with("log", [b"one", b"two"])
    assert again[b"one"] and again[b"two"] == []


def test_repeated_searches_find_what_a_single_one_finds(tmp_path: Path) -> None:
    lines = [f'{{"tool_use_id":"toolu_{n % 40}","n":{n}}}\n'.encode() for n in range(200)]
    (tmp_path / "log").write_bytes(b"".join(lines))
    words = [f'"tool_use_id":"toolu_{n}"'.encode() for n in range(45)]
    at_once = FilesBeside(tmp_path / "session.jsonl").lines_with("log", words)
    one_by_one = FilesBeside(tmp_path / "session.jsonl")

    for word in words:
        assert one_by_one.lines_with("log", [word])[word] == at_once[word]
