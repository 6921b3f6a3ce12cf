"""Names of files in commands that are pasted."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

from toolpair.text.safe import visible
from toolpair.text.shell import shell_word

NAMES = ["a.jsonl", "my file's.jsonl", "é漢.json", "a\nb\x1b[31m'\\1.json", "-rf", "a\u202eb", "\udcff.json", "$(x)`y`"]


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize("name", NAMES)
def test_what_is_pasted_names_the_file(name: str) -> None:
    word = shell_word(name)
    assert visible(word) == word
    command = ["bash", "-c", f"printf %s {word}"]
    env = {**os.environ, "LC_ALL": "C.UTF-8"}
    said = subprocess.run(command, capture_output=True, check=True, env=env).stdout
    assert said.removeprefix(b"./") == os.fsencode(name)
