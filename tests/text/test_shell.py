"""Names and ids in commands that are pasted: each is passed as one argument, and no program takes it for an option."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rounds import tries
from toolpair.shell.quoting import can_be_typed, operand, word
from toolpair.text.safe import visible
from toolpair.text.shell import shell_word

NAMES = [
    "a.jsonl", "my file's.jsonl", "é漢.json", "a\nb\x1b[31m'\\1.json", "-rf", "+3", "a\u202eb", "\udcff.json", "$(x)`y`",
    "", "-", "--", "a\n", "\n", "%s%%", "\\n\\055", "e\u0301", "\u3164", "a  b\t c", "~", "*", "#x", "a\u00a0b", "👩\u200d👧",
]  # fmt: skip
SHELLS = [shell for shell in ("sh", "bash", "dash", "zsh", "ksh") if shutil.which(shell) is not None]
ENV = {**os.environ, "LC_ALL": "C.UTF-8"}


def passed(shell: str, words: str) -> list[bytes]:
    """The arguments that a command gets in this shell."""
    command = f"printf '%s\\0' x {words}"
    said = subprocess.run([shell, "-c", command], capture_output=True, check=True, env=ENV).stdout
    return said.split(b"\0")[1:-1]


@pytest.mark.parametrize("shell", SHELLS)
def test_what_is_pasted_is_what_was_meant(shell: str) -> None:
    names = [name for name in NAMES if not (shell in ("sh", "dash") and name.endswith("\n"))]
    assert passed(shell, " ".join(map(word, names))) == [os.fsencode(name) for name in names]
    files = [name for name in names if name]
    made = passed(shell, " ".join(map(operand, files)))
    assert [os.path.normpath(name) for name in made] == [os.path.normpath(os.fsencode(name)) for name in files]
    assert not any(name.startswith((b"-", b"+")) for name in made)


texts = st.text(st.characters(codec=None, exclude_characters="\0", exclude_categories=()), max_size=20)


@settings(max_examples=tries(300))
@given(texts)
def test_a_word_is_one_line_and_shown_as_it_is(text: str) -> None:
    if can_be_typed(text):
        made = word(text)
        assert visible(made) == made and "\n" not in made
        assert visible(shell_word(text)) == shell_word(text)


@settings(max_examples=tries(20))
@given(st.lists(texts.filter(can_be_typed).filter(lambda text: not text.endswith("\n")), max_size=20))
def test_any_words(words: list[str]) -> None:
    assert passed("sh", " ".join(map(word, words))) == [os.fsencode(text) for text in words]


def test_what_no_program_can_be_given() -> None:
    assert not can_be_typed("a\0") and not can_be_typed("\ud800") and can_be_typed("\udcff") and can_be_typed("")
