"""Saving as a person has it: through the session and the commands, with agents that write and files of all kinds."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
import zstandard

from tests.cli.conftest import Run
from toolpair.session.saving import set_aside
from toolpair.session.session import Refused, open_session


def line(number: int, role: str, content: Any) -> bytes:
    record = {
        "parentUuid": uuid(number - 1) if number else None,
        "isSidechain": False,
        "type": role,
        "message": {"role": role, "content": content},
        "uuid": uuid(number),
        "timestamp": f"2026-01-01T00:00:{number:02d}.000Z",
        "sessionId": "00000000-0000-4000-8000-000000000000",
        "version": "2.1.0",
        "cwd": "/shop",
    }
    return json.dumps(record).encode() + b"\n"


def uuid(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012d}"


CALL = [{"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {}}]
BROKEN = (
    line(0, "user", "go")
    + line(1, "assistant", CALL)
    + line(2, "user", "and?")
    + line(3, "assistant", [{"type": "text", "text": "ok"}])
)
MORE = line(4, "user", "go on")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "s.jsonl"
    path.write_bytes(BROKEN)
    return path


def packed(data: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(data)


def unpacked(data: bytes) -> bytes:
    return zstandard.ZstdDecompressor().decompressobj().decompress(data)


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as stream:
        stream.write(data)


def test_records_that_an_agent_appended_are_kept_and_are_in_the_session(file: Path) -> None:
    session = open_session(file)
    session.stage_recommended()
    mended = session.to_bytes()
    append(file, MORE)
    saved = session.save()
    assert file.read_bytes() == mended + MORE
    assert len(saved.notes) == 1
    assert session.to_bytes() == mended + MORE
    assert session.conversation.transcript.messages[-1].role == "user"


def test_saving_twice_with_an_agent_between(file: Path) -> None:
    session = open_session(file)
    session.stage_recommended()
    session.save()
    append(file, MORE + line(5, "assistant", CALL) + line(6, "user", "well?"))
    session = open_session(file)
    session.stage_recommended()
    append(file, line(7, "assistant", [{"type": "text", "text": "yes"}]))
    session.save()
    assert [one["type"] for one in map(json.loads, file.read_bytes().splitlines())].count("user") >= 5
    assert file.read_bytes().endswith(line(7, "assistant", [{"type": "text", "text": "yes"}]))


def test_a_json_document_that_grew_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "history.json"
    path.write_bytes(
        json.dumps(
            [
                {"role": "user", "content": "go"},
                {"role": "assistant", "content": CALL},
                {"role": "user", "content": "?"},
            ]
        ).encode()
    )
    session = open_session(path)
    session.stage_recommended()
    append(path, b"\n")
    with pytest.raises(Refused) as caught:
        session.save()
    assert caught.value.reason == "changed"


def test_packed_files_stay_packed(run: Run, file: Path) -> None:
    session = open_session(file)
    session.stage_recommended()
    mended = session.to_bytes()
    path = file.with_name("p.jsonl.zst")
    path.write_bytes(packed(BROKEN))
    assert run("check", path).code == 1
    assert run("fix", path, "-o", file.with_name("out.jsonl")).code == 0
    assert file.with_name("out.jsonl").read_bytes() == mended
    assert run("fix", path, "-o", file.with_name("out.zst")).code == 0
    assert unpacked(file.with_name("out.zst").read_bytes()) == mended
    assert run("fix", file, "-o", file.with_name("plain.zst")).code == 0
    assert unpacked(file.with_name("plain.zst").read_bytes()) == mended
    assert run("fix", path, "-o", "-").raw == mended
    assert run("fix", path, "--in-place").code == 0
    assert unpacked(path.read_bytes()) == mended
    whole = path.read_bytes()
    assert run("fix", path, "-o", file.with_name("same.zst")).code == 0
    assert file.with_name("same.zst").read_bytes() == whole
    assert run("check", file.parent).code == 1
    assert "p.jsonl.zst" in run("check", file.parent, "--output-format", "json").out
    assert run("restore", path, "--backup", "latest").code == 0
    assert path.read_bytes() == packed(BROKEN)


def test_a_packed_file_can_be_saved_twice_and_is_never_added_to(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl.zst"
    path.write_bytes(packed(BROKEN))
    session = open_session(path)
    session.stage_recommended()
    session.save()
    assert unpacked(path.read_bytes()) == session.to_bytes()
    other = tmp_path / "q.jsonl.zst"
    other.write_bytes(packed(BROKEN))
    session = open_session(other)
    session.stage_recommended()
    append(other, packed(MORE))
    before = other.read_bytes()
    with pytest.raises(Refused):
        session.save()
    assert other.read_bytes() == before


def test_a_torn_packed_file_is_read_and_never_written_back(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl.zst"
    torn = packed(BROKEN) + packed(MORE * 50)[:15]
    path.write_bytes(torn)
    ran = run("fix", path, "--in-place")
    assert ran.code == 3
    assert "cut off or damaged" in ran.err
    assert path.read_bytes() == torn
    assert run("fix", path, "-o", tmp_path / "out.jsonl").code == 0
    assert open_session(tmp_path / "out.jsonl").file.size > len(BROKEN)


def test_hard_links_are_asked_about(run: Run, file: Path) -> None:
    os.link(file, file.with_name("other"))
    ran = run("fix", file, "--in-place")
    assert ran.code == 3
    assert "--allow-hard-links" in ran.err
    ran = run("fix", file, "--in-place", "--allow-hard-links")
    assert ran.code == 4
    assert file.with_name("other").read_bytes() == BROKEN
    assert run("check", file).code == 0
    assert run("fix", file, "-o", "x", "--allow-hard-links").code == 2


def test_the_limit_of_backups(run: Run, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def backups() -> int:
        return len(json.loads(run("restore", file, "--output-format", "json").out)["backups"])

    for count in range(1, 4):
        file.write_bytes(BROKEN)
        assert run("fix", file, "--in-place").code == 0
        assert backups() == count
    file.write_bytes(BROKEN)
    ran = run("fix", file, "--in-place", "--keep-backups", "2")
    assert ran.code == 0
    assert "2 older backups deleted" in ran.err
    assert backups() == 2
    file.write_bytes(BROKEN)
    monkeypatch.setenv("TOOLPAIR_BACKUPS", "1")
    ran = run("fix", file, "--in-place", "--output-format", "json")
    assert ran.code == 0
    assert len(ran.json["removed_backups"]) == 2
    assert backups() == 1
    monkeypatch.setenv("TOOLPAIR_BACKUPS", "none")
    file.write_bytes(BROKEN)
    ran = run("fix", file, "--in-place")
    assert ran.code == 3
    assert "TOOLPAIR_BACKUPS" in ran.err
    assert file.read_bytes() == BROKEN
    assert run("fix", file, "--in-place", "--keep-backups", "0").code == 2


def test_restoring_what_is_gone(run: Run, file: Path) -> None:
    file.chmod(0o640)
    assert run("fix", file, "--in-place").code == 0
    file.with_name("s.jsonl.toolpair-20260101-000000.aside").write_bytes(b"torn\n")
    file.unlink()
    ran = run("restore", file)
    assert ran.code == 0
    assert ".bak" in ran.out
    assert ".aside  (set aside by a fix)" in ran.out
    assert run("restore", file, "--backup", "latest").code == 0
    assert file.read_bytes() == BROKEN
    assert file.stat().st_mode & 0o777 == 0o640
    # An agent that writes to it is in the way of this, too.
    with file.open("ab"):
        assert run("restore", file, "--backup", "latest").code == 3


def test_a_read_only_place_offers_another_name(run: Run, file: Path) -> None:
    file.chmod(0o444)
    ran = run("fix", file, "--in-place")
    assert ran.code == 3
    assert "save under a new name" in ran.err


def test_what_is_set_aside_is_beside_the_file(file: Path) -> None:
    torn = b'{"type":"user","message":{"role":"us'
    append(file, torn)
    session = open_session(file)
    for problem in session.problems:
        for fix in problem.fixes:
            if problem.rule == "record.torn" and "aside" in fix.id:
                session.stage(problem, fix)
                break
    assert set_aside(session.conversations) == (torn,)
    saved = session.save()
    assert saved.aside is not None
    assert saved.aside.read_bytes() == torn + b"\n"
    assert torn not in file.read_bytes()
    assert set_aside(session.conversations) == ()
