"""Runs a command in this process and captures everything it leaves behind."""

from __future__ import annotations

import io
import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from toolpair.cli.main import main


@dataclass(frozen=True)
class Ran:
    """One run: exit code, standard output as bytes, standard error as text."""

    code: int
    raw: bytes
    err: str

    @property
    def out(self) -> str:
        return self.raw.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.raw)


Run = Callable[..., Ran]


@pytest.fixture
def run(capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Run:
    """run("check", path, stdin=b"…") -> Ran. A traceback anywhere fails the test."""

    def do(*arguments: object, stdin: bytes = b"") -> Ran:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = main([str(argument) for argument in arguments])
        sys.stdout.flush()
        sys.stderr.flush()
        out, err = capfdbinary.readouterr()
        ran = Ran(code, out, err.decode())
        assert "Traceback" not in ran.err
        assert "toolpair itself failed" not in ran.err, ran.err
        return ran

    return do


@pytest.fixture
def copy(tmp_path: Path, samples: Path) -> Callable[[str], Path]:
    """copy("valid.json") -> a writable copy of the sample."""

    def do(name: str) -> Path:
        return Path(shutil.copy(samples / name, tmp_path / name))

    return do
