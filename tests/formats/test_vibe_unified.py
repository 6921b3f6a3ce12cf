"""Mistral Vibe's newer store: its folders are read, listed and exported, and never written."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.formats.fixing import errors, sent_results
from tests.vibe_stores import ID, SOUND, Json, store
from toolpair.agents import catalog
from toolpair.cli.main import main
from toolpair.formats.vibe.asking import ASK_OF_STORE
from toolpair.proof.inside import Copy, furnished
from toolpair.session.session import SessionError, open_session
from toolpair.shell.machine import Machine


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_session_is_found_read_and_copied_but_not_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = store(tmp_path / ".vibe", SOUND)
    (folder.parent / "active").mkdir()
    (found,) = catalog.index(Machine("linux", {}, tmp_path), "/work")
    described = catalog.describe(found)
    assert (found.title, found.session_id, found.here, found.name) == ("Mistral Vibe", ID, True, "A look")
    assert (described.folder, described.words) == ("/work", "begin")
    for path in (folder, folder / "CURRENT", found.path):
        session = open_session(path)
        assert (session.format.id, session.profile.id, errors(session)) == ("vibe-unified", "mistral", [])
    assert sent_results(session) == [("Ab0dEf0Gh", "OUT-Ab0dEf0Gh"), ("Ab1dEf1Gh", "OUT-Ab1dEf1Gh")]
    assert session.resume_command() == f"cd /work && VIBE_HOME={tmp_path / '.vibe'} vibe --resume {ID}"
    assert main(["export", found.path, "--to", "openai-chat", "-o", str(tmp_path / "body.json")]) == 0
    assert "OUT-Ab1dEf1Gh" in (tmp_path / "body.json").read_text()
    before, copy = files(folder), tmp_path / "copy" / ID
    copy.parent.mkdir()
    assert main(["fix", str(folder), "-o", str(copy)]) == 0 and files(copy) == before
    assert open_session(copy).resume_command() == (
        f"Mistral Vibe reads it as logs/session/unified/{ID}, in the folder that VIBE_HOME names."
    )
    broken = store(tmp_path / "b", [one for one in SOUND if one.get("tool_call_id") != "Ab0dEf0Gh"])
    assert errors(open_session(broken)) == ["result.missing"]
    before = files(broken)
    assert main(["fix", "--in-place", str(broken)]) == 1 and files(broken) == before
    assert main(["check", str(broken)]) == 1 and "is only read" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("told", "made", "befall"),
    [
        ("has not ended", {"journal": '{"payload":{},"sequence":9,"type":"core_input"}\n'}, None),
        ("has not ended", {"journal": '{"payload": {}, "sequence": 9, "type": "core_input"}\n'}, None),
        ("of a kind that is not known", {"journal": '{"sequence":9,"type":"core_output"}\n'}, None),
        ("of a kind that is not known", {"journal": '{"sequence":9,"type":"action_in'}, None),
        ("in a newer form", {"minor": 10}, None),
        ("chunks/[0-9a-f]{64}.json of .* is gone", {}, lambda path: path.write_bytes(path.read_bytes() + b" \n")),
        ("chunks/[0-9a-f]{64}.json of .* is gone", {}, os.unlink),
    ],
)
def test_what_is_not_known_of_it_or_not_loaded_is_refused(told: str, made: Json, befall: Any, tmp_path: Path) -> None:
    folder = store(tmp_path, SOUND, **made)
    if befall is not None:
        befall(sorted((folder / "chunks").iterdir())[0])
    with pytest.raises(SessionError, match=told):
        open_session(folder)


def _a_link(path: Path) -> None:
    path.symlink_to("meta.json")


def _a_linked_folder(path: Path) -> None:
    path.symlink_to("chunks")


@pytest.mark.parametrize("make", [os.mkfifo, _a_link, _a_linked_folder])
def test_what_is_no_file_in_its_folder_is_named_and_nothing_is_copied(
    make: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = store(tmp_path / "a", SOUND)
    make(folder / "odd")
    assert main(["fix", str(folder), "-o", str(tmp_path / "copy")]) == 3
    said = f"{folder / 'odd'} is a link, or no file, so it is not copied; put the file itself there, or remove it."
    assert said in capsys.readouterr().err
    assert os.listdir(tmp_path) == ["a"]


def test_a_copy_whose_meta_is_no_object_is_not_asked_about(tmp_path: Path) -> None:
    folder = store(tmp_path, SOUND)
    (folder / "meta.json").write_text("[]")
    (tmp_path / "home").mkdir()
    with pytest.raises(ValueError, match="not an object"):
        furnished(ASK_OF_STORE, ("vibe",), Copy(str(folder), ID), tmp_path / "home")
