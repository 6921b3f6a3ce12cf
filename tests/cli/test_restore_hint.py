"""The command that takes a save back has to work as it is printed, whatever the file is called."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from toolpair.cli.main import main

SESSION = (
    '[{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function",'
    '"function":{"name":"f","arguments":"{}"}}]},{"role":"user","content":"go on"}]'
)


@pytest.mark.parametrize("name", ["-dash.json", "new\nline \x1b[31m'it'.json", "plain.json"])
def test_the_printed_command(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(SESSION)
    assert main(["fix", "--in-place", "--", name]) == 0
    assert Path(name).read_text() != SESSION
    printed = capsys.readouterr().err
    command = re.search(r"toolpair (restore .* --backup latest)$", printed, re.MULTILINE)
    assert command is not None, printed
    subprocess.run(["bash", "-c", f'"$0" -m toolpair {command[1]}', sys.executable], check=True)
    assert Path(name).read_text() == SESSION
