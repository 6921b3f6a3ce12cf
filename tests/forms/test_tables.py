"""Tables that people write: what is wrong with one is said with its place, and one that is right is used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.each import each
from toolpair.cli.main import main
from toolpair.formats.forms.compiled import Compiled
from toolpair.formats.forms.paths import BadPath, conditions_of, path_of
from toolpair.formats.forms.table import BadTable, parsed
from toolpair.session.session import SessionError, open_session

OURS = """
title = "Our agent's log"
lists = ["[]"]
role = ["who", "event"]
roles = { customer = "user", bot = "assistant", "tool.start" = "assistant", "tool.end" = "tool" }
text = ["say"]

[evidence]
each = ["t", "event"]
some = ["event=tool.start|tool.end"]

[[call]]
at = "[event=tool.start]"
id = "run"
name = "tool"
arguments = "with"

[[result]]
at = "[event=tool.end]"
id = "run"
content = "got"
error = ["ok=false"]
"""
NEW = """
[new]
result = '''{"t": "$beside.t", "event": "tool.end", "run": "$id", "$error": {"ok": false}, "$ok": {"ok": true}, "got": "$text"}'''
text = { t = "$beside.t", event = "turn", who = "customer", say = "$text" }
said = { t = "$beside.t", event = "turn", who = "bot", say = "$text" }
"""
LOG = [
    {"t": 1, "event": "turn", "who": "customer", "say": "Where is order 8?"},
    {"t": 2, "event": "turn", "who": "bot", "say": "I look."},
    {"t": 3, "event": "tool.start", "run": "r-77a1", "tool": "find", "with": {"order": 8}},
    {"t": 4, "event": "tool.start", "run": "r-77a2", "tool": "find", "with": {"order": 9}},
    {"t": 5, "event": "tool.end", "run": "r-77a1", "ok": True, "got": "shipped"},
    {"t": 6, "event": "turn", "who": "bot", "say": "It is on its way."},
    {"t": 7, "event": "turn", "who": "customer", "say": "Thanks."},
]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in LOG))
    return path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's folder of tables."""
    made = tmp_path / "config"
    monkeypatch.setattr("toolpair.formats.forms.registry.user_folder", lambda: made)
    made.mkdir()
    return made


@each(
    ("change", "said"),
    [
        (("title", "titel"), "field `titel`"),
        (('id = "run"\nname', 'nome = "x"\nid = "run"\nname'), "line 14: call.nome: Object contains unknown field"),
        (('role = ["who", "event"]', 'role = "who"'), "line 4: role: Expected `array`, got `str`"),
        (('content = "got"', 'content = "got..text"'), "line 21: result.content: 'got..text' has an empty name"),
        (('content = "got"', 'content = "got["'), "line 21: result.content: 'got[' has a [ or a quote that nothing"),
        (('content = "got"', 'content = "a[b]c"'), "line 21: result.content: 'a[b]c' has something after ]"),
        (('error = ["ok=false"]', 'error = ["ok="]'), "line 22: result.error: 'ok=' lacks a path or a value"),
        (('"tool"\nargu', '"a.b.c.d.e.f.g.h.i.j.k.l.m"\nargu'), "line 15: call.name: .* has more than 12 steps"),
        (("[evidence]", 'pair = "os.system"\n[evidence]'), "line 8: pair: is none of names_in_order"),
        (('= "user",', '= "customer",'), "line 5: roles: has 'customer' where user, assistant"),
        (("[evidence]", 'profile = "acme"\n[evidence]'), "line 8: profile: is not a profile: 'acme'"),
        (("[evidence]", 'like = "nothing"\n[evidence]'), "line 8: like: names no form that toolpair has: 'nothing'"),
        (("[evidence]", 'like = "../secret"\n[evidence]'), "like: names no form that toolpair has"),
        (("[[call]]", "[[call"), ":12:7: What stands here is not TOML"),
        (("[evidence]", f'like = "{"x" * 999}"\n[evidence]'), "line 8: like: names no form that toolpair has"),
        (("[evidence]", f"like = {'[' * 9999}\n[evidence]"), " is nested too deeply"),
        (("[evidence]", f"like = {'9' * 9999}\n[evidence]"), " has a number that is too long"),
        (("[evidence]", f"like{'.a' * 9999} = 1\n[evidence]"), "More than 200 dots stand in this line"),
    ],
)
def test_what_is_wrong_with_a_table_is_said_with_its_place(change: tuple[str, str], said: str) -> None:
    text = OURS.replace(*change)
    assert text != OURS
    with pytest.raises(BadTable, match=f"^ours.toml.*{said.replace('[', chr(92) + '[').replace(']', chr(92) + ']')}"):
        parsed(text, "ours.toml")


@each(
    ("template", "said"),
    [
        ('{ got = "$txet" }', "has '\\$txet', which stands for nothing"),
        ('{ "$errors" = { ok = false } }', "has the key '\\$errors'"),
        ("'{\"got\": }'", "is not JSON"),
        ('{ t = "$beside.a..b" }', "has an empty name between dots"),
    ],
)
def test_a_template_is_checked(template: str, said: str) -> None:
    with pytest.raises(BadTable, match=said):
        parsed(f"{OURS}\n[new]\nresult = {template}\n", "ours.toml")


def test_a_table_may_say_only_what_differs_from_another() -> None:
    table = parsed('like = "bedrock-converse"\ntitle = "Mine"\nlists = ["turns[]"]\n', "mine.toml")
    assert (table.title, table.lists, table.profile) == ("Mine", ["turns[]"], "bedrock-converse")


@each("text", ["a]", "a[b", '"a', "a.", ".a", "a[x=]", "a|.b", "[a][b]c", "x" * 401, "!"])
def test_a_path_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(BadPath):
        path_of(text) if text != "!" else conditions_of(text)


VALUE = {
    "a": {"b": 1, "c.d": "dotted"},
    "l": [{"type": "x", "v": 1}, {"type": "y", "v": 2}, "text", {"type": "x", "v": None}],
    "m": {"k1": {"n": 1}, "k2": {"n": 2}},
    "e": [],
}


@each(
    ("path", "found"),
    [
        ("", [((), VALUE)]),
        ("a.b", [(("a", "b"), 1)]),
        ("z|a.b", [(("a", "b"), 1)]),
        ('a."c.d"', [(("a", "c.d"), "dotted")]),
        ("l[].v", [(("l", 0, "v"), 1), (("l", 1, "v"), 2)]),
        ("l[type=x].v", [(("l", 0, "v"), 1)]),
        ("l[type!=x,v].v", [(("l", 1, "v"), 2)]),
        ("l[2]", [(("l", 2), "text")]),
        ("l[-1].type", [(("l", 3, "type"), "x")]),
        ("l[9]", []),
        ("m.*.n", [(("m", "k1", "n"), 1), (("m", "k2", "n"), 2)]),
        ("m.~", [(("m", "~", "k1"), "k1"), (("m", "~", "k2"), "k2")]),
        ("[a].a.b", [(("a", "b"), 1)]),
        ("[!a].a.b", []),
        ("a.b.c", []),
    ],
)
def test_a_path_finds_what_it_says(path: str, found: list[tuple[tuple[str | int, ...], Any]]) -> None:
    compiled = Compiled(parsed(OURS, "ours.toml"), "ours")
    assert list(compiled.finder(path_of(path))(VALUE)) == found


@each(
    ("condition", "holds"),
    [
        ("a", True),
        ("z", False),
        ("!z", True),
        ("!e", True),
        ("!a", False),
        ("a~", True),
        ("l~", False),
        ("a.b=1", True),
        ("a.b=true", False),
        ("l[].type=y|z", True),
        ("l[].type=z", False),
        ("l[].type!=z", True),
        ("l[].type^=x|q", True),
        ("a,!z", True),
        ("a,z", False),
    ],
)
def test_a_condition_holds_as_it_says(condition: str, holds: bool) -> None:
    compiled = Compiled(parsed(OURS, "ours.toml"), "ours")
    assert compiled.meets([condition])(VALUE) is holds
    assert compiled.meets([condition])("no object") is False


def test_a_table_that_is_named_reads_and_mends(log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "ours.toml"
    table.write_text(OURS + NEW)
    assert main(["check", str(log)]) == 2
    assert main(["check", "--form", str(table), str(log)]) == 1
    assert main(["fix", "--in-place", "--form", str(table), str(log)]) == 0
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [line for line in lines if line in LOG] == LOG
    (new,) = (line for line in lines if line not in LOG)
    assert lines.index(new) == 5
    assert new.pop("got").startswith("[No result was recorded")
    assert new == {"t": 4, "event": "tool.end", "run": "r-77a2", "ok": False}
    assert main(["check", "--form", str(table), str(log)]) == 0
    capsys.readouterr()
    assert main(["check", "--form", "ours", str(log)]) == 2
    assert "its name has to end in .toml" in capsys.readouterr().err


def test_tables_in_the_users_folder_are_known(log: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "ours.toml").write_text(OURS + NEW)
    assert open_session(log).format.id == "ours"
    assert open_session(log, format="ours").format.title == "Our agent's log"
    assert main(["formats"]) == 0
    assert "Our agent's log" in capsys.readouterr().out
    (folder / "ours.toml").write_text(OURS.replace('id = "run"', 'idd = "run"'))
    with pytest.raises(SessionError, match=r"one table cannot: .*ours\.toml, line 14: call\.idd"):
        open_session(log)


def test_without_new_a_list_is_only_read(log: Path, folder: Path) -> None:
    (folder / "ours.toml").write_text(OURS)
    session = open_session(log)
    (problem,) = session.problems
    assert problem.rule == "result.missing" and not problem.fixes
    assert problem.no_fix is not None and "only read" in problem.no_fix
    session.stage_recommended()
    assert session.to_bytes() == log.read_bytes()


def test_the_example_in_the_documentation_is_right(log: Path, folder: Path) -> None:
    page = Path(__file__).parents[2].joinpath("docs", "forms.md").read_text()
    (folder / "ours.toml").write_text(page.split("```toml\n")[1].split("```")[0])
    session = open_session(log)
    session.stage_recommended()
    assert [problem for problem in session.problems if problem.severity == "error"] == []
    said = page.split("```json\n")[1].split("```")[0]
    log.write_text(said)
    assert open_session(log).problems == ()
