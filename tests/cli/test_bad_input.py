"""Bad input of every kind: exit 2, one sentence that names the file, nothing written, never a traceback."""

from __future__ import annotations

import gzip
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from toolpair.cli.main import program


def _write(content: bytes) -> Callable[[Path], None]:
    return lambda path: (path.write_bytes(content), None)[1]


def _sqlite(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("create table t (x)")
    connection.commit()
    connection.close()


def _fifo(path: Path) -> None:
    os.mkfifo(path)


BAD: dict[str, Callable[[Path], None]] = {
    "missing": lambda path: None,
    "empty": _write(b""),
    "blank": _write(b" \n\n\t\n"),
    "directory": lambda path: path.mkdir(),
    "fifo": _fifo,
    "binary": _write(bytes(range(256)) * 40),
    "utf-16": _write('[{"role": "user", "content": "x"}]'.encode("utf-16")),
    "gzip": _write(gzip.compress(b'[{"role": "user", "content": "x"}]')),
    "sqlite": _sqlite,
    "json without transcript": _write(b'{"name": "shop", "version": 2}'),
    "json number": _write(b"42"),
    "json array of numbers": _write(b"[1, 2, 3]"),
    "broken json": _write(b'{"messages": [{"role": "user", "content": "x"}, }]}'),
    "yaml": _write(b"messages:\n  - role: user\n    content: hello\n"),
    "html": _write(b"<!doctype html><html><body>[]</body></html>"),
    "deep": _write(b"[" * 20_000 + b"]" * 20_000),
    "deep and open": _write(b'{"a":' * 20_000),
}


@pytest.fixture(params=sorted(BAD))
def bad(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "bad.json"
    BAD[request.param](path)
    return path


def _commands(path: Path) -> list[list[str]]:
    commands = [["fix", str(path), "--in-place"], ["fix", str(path), "-o", str(path) + ".out"], [str(path)]]
    if not path.is_dir():  # a directory is walked by check
        commands.append(["check", str(path)])
    return commands


def test_one_sentence_and_nothing_written(run: Run, bad: Path) -> None:
    before = sorted(os.listdir(bad.parent))
    for command in _commands(bad):
        ran = run(*command)
        assert ran.code == 2, command
        assert ran.out == ""
        assert len(ran.err.strip().splitlines()) == 1, ran.err
        assert "bad.json" in ran.err
        assert len(ran.err) < 600
    assert sorted(os.listdir(bad.parent)) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(b"[]")
    path.chmod(0)
    ran = run("check", path)
    assert ran.code == 2
    assert len(ran.err.splitlines()) == 1


@pytest.mark.parametrize("content", [b"", b"nothing", b"\x1f\x8b\x08\x00"])
def test_bad_standard_input(run: Run, content: bytes) -> None:
    ran = run("check", "-", stdin=content)
    assert ran.code == 2
    assert len(ran.err.splitlines()) == 1


def test_a_walked_directory_goes_past_all_of_it(run: Run, tmp_path: Path, samples: Path) -> None:
    for number, make in enumerate(BAD.values()):
        make(tmp_path / f"bad-{number}.json")
    (tmp_path / "good.json").write_bytes((samples / "valid.json").read_bytes())
    ran = run("check", tmp_path)
    assert ran.code == 0, ran.err
    assert "good.json" in ran.out


def test_on_windows_it_says_where_it_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.platform", "win32")
    assert program() == 2
    said = capsys.readouterr().err
    assert said.startswith("toolpair: On Windows toolpair runs in WSL") and said.count("\n") == 1
