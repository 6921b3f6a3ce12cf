"""A recipe of one's own is what its choices are when they are typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import SAMPLES
from toolpair.cli.main import main

BROKEN = str(SAMPLES / "interrupted-call.json")
RECIPE = 'title = "Calls go"\nignore = ["id.pattern"]\n[fixes]\n"result.missing" = "remove-call"\n'


def test_it_does_what_is_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    path = tmp_path / "toolpair/recipes/mine.toml"
    path.parent.mkdir(parents=True)
    path.write_text(RECIPE)

    def fixed(*words: str) -> bytes:
        to = tmp_path / "out.json"
        to.unlink(missing_ok=True)
        assert main(["fix", BROKEN, "-o", str(to), *words]) == 0
        return to.read_bytes()

    typed = fixed("--choose", "result.missing=remove-call")
    assert typed != fixed()
    assert fixed("--recipe", "mine") == fixed("--recipe", str(path)) == typed
    assert fixed("--recipe", "mine", "--choose", "result.missing=insert-placeholder") == fixed()
    capsys.readouterr()
    assert main(["recipes"]) == 0
    assert "your own\n  mine\n      Calls go\n" in capsys.readouterr().out
    assert main(["recipes", "mine"]) == 0
    said = capsys.readouterr().out
    assert "As recommended, but:" in said and "result.missing: remove-call" in said and "Not id.pattern." in said
    assert main(["recipes", "mine", "--output-format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["recipe"]["fixes"] == ["result.missing=remove-call"]
    (path.parent / "broken.toml").write_text("[fixes")
    assert main(["recipes"]) == 2
    ran = capsys.readouterr()
    assert (
        "broken.toml:1:7: What stands here is not TOML: " in ran.err
        and "      Calls go\n" in ran.out
        and "recommended" in ran.out
    )
    assert main(["recipes", "--output-format", "json"]) == 2
    told = json.loads(capsys.readouterr().out)
    assert told["recipes"][-1]["name"] == "mine" and "broken.toml" in told["wrong"][0]
    for name in ("mine", str(path)):
        assert main(["compare", BROKEN, name, "--output-format", "json"]) == 0
        (tried,) = json.loads(capsys.readouterr().out)["recipes"]
        assert tried["name"] == name and tried["losses"]["calls"] == 1 and tried["valid"]
        assert main(["compare", BROKEN, name]) == 0
        assert f"--recipe {name} --diff" in capsys.readouterr().out
    path.write_text('[fixes]\n"result.missing" = "nope"\n')
    assert main(["compare", BROKEN, "mine"]) == 2
    assert "result.missing has no fix 'nope' here; it has " in capsys.readouterr().err
    assert main(["fix", BROKEN, "--diff", "--recipe", "min"]) == 2
    assert "Did you mean mine?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[fixes", "is not TOML: "),
        ("fix = 1", "a recipe has no 'fix'; it has title, base, select, ignore, fixes."),
        ("fixes = 1", "[fixes] names a fix for each rule"),
        ('base = "none"', "base is one of recommended, "),
        ('base = ["x"]', "base is one of recommended, "),
        ("base = 0x" + "f" * 5000, "base is one of recommended, "),
        ("title = " + "9" * 5000, "has a number that is too long."),
        ("title = 1", "title is a text."),
        ('select = "result"', "select is a list of rules"),
        ('[fixes]\n"result.mising" = "remove-call"', "There is no rule 'result.mising'. Did you mean result.missing?"),
        ('[fixes]\n"result.missing" = "remove"', "result.missing has no fix 'remove' here; it has "),
        ('base = "roo-code"\nselect = ["result"]', "The recipe roo-code works on the whole conversation"),
    ],
)
def test_what_is_wrong_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, said: str
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    assert main(["fix", BROKEN, "--diff", "--recipe", str(path)]) == 2
    assert said in capsys.readouterr().err
