"""What can be larger than it looks is read up to a limit, which the sentence names and --max-size lifts."""

from __future__ import annotations

import io
import json
import shutil
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest
import zstandard

from tests.cli.conftest import Run
from tests.each import each
from toolpair.cli import inputs
from toolpair.cli.exits import UsageError
from toolpair.cli.terminal import _size
from toolpair.session.reopening import reopened
from toolpair.source.file_bytes import FileBytes

RECORD = b'{"role":"user","content":"hi"}\n'
WORDY = b'{"role":"user","content":"' + b"hi " * 300 + b'"}\n'
LONG = b'{"role":"user","content":"' + b"x" * 2_000_000 + b'"}\n'


def packed(data: bytes) -> bytes:
    packer = zstandard.ZstdCompressor().compressobj()
    return packer.compress(data) + packer.flush()


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are not held in memory however small they are."""
    monkeypatch.setattr("toolpair.source.snapshot.LARGE", 0)


@pytest.mark.parametrize(
    "command", [["check"], ["fix", "--diff"], ["sees"], ["excerpt"], ["compare"], ["explain", "result.missing"], []]
)
def test_every_command_has_limits(run: Run, tmp_path: Path, command: list[str]) -> None:
    """Standard input, a compressed file, a line."""
    (tmp_path / "a.jsonl.zst").write_bytes(packed(WORDY * 1_700))
    (tmp_path / "b.jsonl").write_bytes(RECORD + LONG)
    for name, data, sentence in (
        (tmp_path / "a.jsonl.zst", b"", "unpacks to more than 1 MB"),
        (tmp_path / "b.jsonl", b"", "line 2 is longer than 1 MB"),
        ("-", WORDY * 1_700, "holds more than 1 MB"),
    ):
        ran = run(*command, name, "--max-size", "1M", stdin=data)
        # What a rule means does not hang on the file.
        assert ran.code == 2 and bool(ran.out) == (command[:1] == ["explain"])
        assert sentence in ran.err and "--max-size allows more" in ran.err and len(ran.err.splitlines()) == 1
    for name, data in ((tmp_path / "a.jsonl.zst", b""), (tmp_path / "b.jsonl", b""), ("-", WORDY * 1_700)):
        if command:
            assert run(*command, name, "--max-size", "8G", stdin=data).code in (0, 1, 3)


@pytest.mark.parametrize("name", ["b.jsonl", "b.json"])
def test_lines_of_files_that_stay_on_the_disk(run: Run, tmp_path: Path, small: None, name: str) -> None:
    (tmp_path / name).write_bytes(RECORD * 3 + LONG + RECORD)
    ran = run("check", tmp_path / name, "--max-size", "1M")
    assert ran.code == 2 and f"{name}: line 4 is longer than 1 MB" in ran.err
    assert run("check", tmp_path / name).code == 0
    (tmp_path / name).write_bytes(LONG)
    ran = run("check", tmp_path / name, "--max-size", "1M")
    assert ran.code == 2 and "line 1 is longer than 1 MB" in ran.err
    (tmp_path / name).write_bytes(WORDY * 1_200)
    assert run("check", tmp_path / name, "--max-size", "1M").code == 0


def test_a_long_document_of_short_messages_is_no_long_line(run: Run, tmp_path: Path, small: None) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b"[" + b",".join([WORDY.strip()] * 1_200) + b"]")
    assert run("check", path, "--max-size", "1M").code == 0
    path.write_bytes(b"[" + b",".join([WORDY.strip()] * 1_200 + [LONG.strip()]) + b"]")
    ran = run("check", path, "--max-size", "1M")
    assert ran.code == 2 and "longer than 1 MB" in ran.err


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_folder_survives_them_and_counts_them(
    run: Run, tmp_path: Path, jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toolpair.cli.check.LITTLE", 0)
    (tmp_path / "bomb.jsonl.zst").write_bytes(packed(WORDY * 1_700))
    (tmp_path / "line.jsonl").write_bytes(LONG)
    (tmp_path / "none.json").write_text("{}")
    (tmp_path / "sound.jsonl").write_bytes(RECORD)
    ran = run("check", tmp_path, "--max-size", "1M", "--output-format", "json", "--jobs", jobs)
    assert ran.code == 2
    files = {Path(entry["path"]).name: entry.get("error", "") for entry in ran.json["files"]}
    assert sorted(files) == ["bomb.jsonl.zst", "line.jsonl", "sound.jsonl"]
    assert (
        "unpacks to more" in files["bomb.jsonl.zst"] and "is longer" in files["line.jsonl"] and not files["sound.jsonl"]
    )
    assert ran.json["summary"]["unreadable"] == 2
    assert run("check", tmp_path).code == 0


def test_standard_input_is_not_read_beyond_the_limit(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    class Endless(io.RawIOBase):
        given = 0
        what = b" "

        def readable(self) -> bool:
            return True

        def readinto(self, into: bytearray) -> int:  # type: ignore[override]
            into[:] = self.what * len(into)
            self.given += len(into)
            return len(into)

    endless = Endless()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(endless)))
    with pytest.raises(Exception, match="Standard input holds more than 50 MB"):
        inputs.read_stdin(50_000_000)
    assert endless.given < 100_000_000
    endless.given, endless.what = 0, b"\0"
    with pytest.raises(Exception, match="contains only NUL bytes"):
        inputs.read_stdin()
    assert endless.given < 100_000_000


def test_what_was_lifted_stays_so(tmp_path: Path) -> None:
    """Saved, followed and opened again it is the same session."""
    from toolpair.session.session import SessionError, open_session

    call = {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {}}
    messages = [
        {"role": "user", "content": "x" * 3000},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": "on"},
    ]
    path = tmp_path / "a.jsonl.zst"
    path.write_bytes(packed(b"".join(json.dumps(message).encode() + b"\n" for message in messages)))
    with pytest.raises(SessionError):
        open_session(path, max_size=1000)
    session = open_session(path, max_size=5000)
    session.stage_recommended()
    session.save()
    assert len(session.conversation.pairs) == 1 and not session.left
    assert reopened(session).follow() is None


@each(
    ("text", "size"),
    [
        ("8G", 8_000_000_000),
        ("500m", 500_000_000),
        ("1.5GB", 1_500_000_000),
        ("2GiB", 2 << 30),
        ("1 k", 1000),
        ("12", 12),
        ("7B", 7),
    ],
)
def test_sizes(text: str, size: int) -> None:
    assert _size(text) == size


@pytest.mark.parametrize("text", ["", "x", "-1", "0", "0.0001K", "1X", "1e9", "٣", "G"])
def test_no_sizes(text: str, run: Run) -> None:
    with pytest.raises(UsageError, match="--max-size takes a size"):
        _size(text)
    ran = run("check", "x", f"--max-size={text}")
    assert ran.code == 2 and "--max-size takes a size" in ran.err


def test_standard_input_that_is_large_is_kept_on_the_disk(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    line = b'{"role":"user","content":"' + b"x" * 10_000 + b'"}\n'
    assert run("check", "-", stdin=line * 2_000).code == 0
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(line * 2_000)))
    content = inputs.read_stdin()
    assert isinstance(content, FileBytes) and len(content) == 2_000 * len(line)


def test_lines_of_a_few_bytes(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"role":"user","content":"x"}\n' + b"{}\n[]\n" * 1_500_000)
    ran = run("check", path)
    assert ran.code == 2 and "lines of only a few bytes each" in ran.err


def test_a_long_row_is_refused_before_it_is_read(run: Run, tmp_path: Path, samples: Path) -> None:
    path = tmp_path / "a.db"
    shutil.copy(samples / "opencode-failed-response.db", path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "UPDATE part SET data = json_set(data, '$.state.output', ?) WHERE rowid = 2", ("x" * 30_000_000,)
        )
    ran = run("check", path)
    assert ran.code == 2 and "a row is longer than 25 MB" in ran.err and "--max-size" in ran.err
    assert run("check", path, "--max-size", "100M").code < 2
