"""Every topic has a page, and what is meant by another word is suggested."""

from __future__ import annotations

import re

import pytest

from toolpair.cli.main import COMMANDS, main


@pytest.mark.parametrize(
    ("topic", "said"),
    [
        ("result.missing", "result.missing"),
        ("roo-code", "It does what Roo Code"),
        ("mistral", "mistral"),
        ("exit-codes", "3    refused, and nothing written"),
        ("repair", "usage: toolpair fix"),
    ],
)
def test_a_topic(topic: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", topic]) == 0
    assert said in capsys.readouterr().out


def test_every_command_and_the_program(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help"]) == 0
    page = capsys.readouterr().out
    assert page.startswith("usage: toolpair [FILE]")
    listed = page.partition("\ncommands:\n")[2].partition("\nexamples:\n")[0]
    assert not [name for name in COMMANDS if not re.search(rf"(toolpair|\|) {name}\b", listed)]
    for name in COMMANDS:
        assert main(["help", name]) == 0
        assert capsys.readouterr().out.startswith(f"usage: toolpair {name}")


def test_an_unknown_topic(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", "reslt.missing"]) == 2
    assert capsys.readouterr().err == "toolpair: There is no page on 'reslt.missing'. Did you mean result.missing?\n"
