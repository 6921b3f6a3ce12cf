"""The pages about rules: there is one for every rule, and its example does what the page says."""

from __future__ import annotations

import ast
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from tests.conftest import SAMPLES
from tests.patience import PATIENCE
from tests.source_code import Module
from toolpair.cli.main import main
from toolpair.cli.markdown import words
from toolpair.cli.rule_pages.entry import rule_entry
from toolpair.cli.rule_pages.example import Shown, lines_of, shown
from toolpair.cli.rule_pages.rule_markdown import page as markdown_page
from toolpair.rules.pages import FAMILIES, RulePage, page_of, pages
from toolpair.rules.profiles import PROFILES
from toolpair.rules.registry import RULES
from toolpair.session.session import Session, open_session

_SOURCE = Path(__file__).resolve().parent.parent / "src" / "toolpair"
_WITH_EXAMPLE = [name for name, page in pages().items() if page.example is not None]
_WITHOUT_EXAMPLE = {
    "content.not_a_list",
    "content.too_many_cache_marks",
    "content.too_many_images",
    "reasoning.prefix_changed",
    "reasoning.unresolvable_ref",
}
"""Rules that no file can break: what they speak of is not in it."""


@cache
def _run(name: str) -> tuple[RulePage, Shown]:
    page = pages()[name]
    run = shown(page)
    assert run is not None
    return page, run


def _opened(page: RulePage, data: bytes, tmp_path: Path) -> Session:
    example = page.example
    assert example is not None
    path = tmp_path / (example.path or "session.jsonl")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return open_session(path, format=example.format, profile=example.profile)


def test_every_rule_has_its_page_and_every_page_its_rule() -> None:
    assert set(pages()) == set(RULES)
    assert set(FAMILIES) == {name.split(".")[0] for name in pages()}
    assert all(page_of(name) is page for name, page in pages().items())


def test_every_rule_that_is_raised_has_its_page(modules: Sequence[Module]) -> None:
    """Whatever rule's name stands in the code that judges."""
    family = "|".join(FAMILIES)
    raised = set()
    for module in modules:
        for node in module.nodes if re.match(r"rules/\w+\.py|formats/", module.path) else ():
            named = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "add"
            first = node.args[0] if named and node.args else None
            if isinstance(first, ast.Constant) and re.fullmatch(rf"({family})\.[a-z_]+", str(first.value)):
                raised.add(first.value)
    assert len(raised) > 40
    assert raised <= set(pages())


def test_only_what_no_file_can_show_has_no_example() -> None:
    assert {name for name, page in pages().items() if page.example is None} == _WITHOUT_EXAMPLE
    assert all(pages()[name].no_example for name in _WITHOUT_EXAMPLE)


@pytest.mark.parametrize("name", _WITH_EXAMPLE)
def test_an_example(name: str, tmp_path: Path) -> None:
    _breaks_its_rule_and_no_other(name)
    _is_mended_and_no_error_is_left(name, tmp_path)
    _is_mended_by_the_command_of_its_page(name, tmp_path)
    _is_shown_on_the_page(name)


def _breaks_its_rule_and_no_other(name: str) -> None:
    page, run = _run(name)
    assert page.example is not None
    assert set(run.others) == set(page.example.also)
    assert len(run.broken) < 1600, "an example is short"


def _is_mended_and_no_error_is_left(name: str, tmp_path: Path) -> None:
    page, run = _run(name)
    if run.fixed is None:
        assert run.how == "by hand" and run.problem.no_fix
        return
    assert run.fixed != run.broken
    assert not run.left
    again = _opened(page, run.fixed, tmp_path)
    assert name not in [problem.rule for problem in again.problems]
    assert not [problem.rule for problem in again.problems if problem.severity == "error"]


def _is_mended_by_the_command_of_its_page(name: str, tmp_path: Path) -> None:
    page, run = _run(name)
    command = rule_entry(name)["example"]["command"]
    if command is None:
        return
    session = _opened(page, run.broken, tmp_path)
    assert session.path is not None
    chosen = [word for word in shlex.split(command)[2:] if word not in ("FILE", "--in-place")]
    if page.example is not None and page.example.format is not None:
        chosen += ["--format", page.example.format]
    assert main(["fix", str(session.path), "-o", str(tmp_path / "mended"), *chosen]) == 0
    assert (tmp_path / "mended").read_bytes() == run.fixed


def _is_shown_on_the_page(name: str) -> None:
    entry = rule_entry(name)
    example = entry["example"]
    text = markdown_page(entry)
    broken, mended = example["broken"], example["mended"]
    assert words(example["says"]) in text
    fenced = dict(re.findall(r"```(json|diff)\n(.*?)\n```", text, re.DOTALL))
    assert fenced["json"].split("\n") == lines_of(broken)
    if mended is not None:
        rows = fenced["diff"].split("\n")
        assert any(row[0] in "+-" for row in rows)
        assert [row[1:] for row in rows if row[0] != "+"] == lines_of(broken)
        assert [row[1:] for row in rows if row[0] != "-"] == lines_of(mended)


def test_the_words_of_the_pages() -> None:
    for name, page in pages().items():
        assert len(page.title) <= 58 and not page.title.endswith("."), name
        assert not re.search(r"orphan|synthetic|record|parentUuid", page.title, re.IGNORECASE), name
        for text in (page.meaning, page.remedy):
            assert text.endswith((".", "`.")) and text == " ".join(text.split()), name
        assert 2 <= len(re.findall(r"[.!?](?=\s|$)", page.meaning)) <= 6, name
        assert len({offered.id for offered in page.offers}) == len(page.offers), name


def test_the_fixes_of_a_page_are_those_that_a_problem_has() -> None:
    """What the sample sessions offer stands on the pages, too."""
    offered: dict[str, set[str]] = {}
    for path in SAMPLES.glob("*.json*"):
        session = open_session(path)
        for profile in PROFILES:
            session.set_profile(profile)
            for problem in session.problems:
                ids = {re.sub(r"-\d+$", "", fix.id.removesuffix("+drop-thinking")) for fix in problem.fixes}
                offered.setdefault(problem.rule, set()).update(ids)
    assert len(offered) > 10
    for rule, ids in offered.items():
        assert ids <= {fix["id"] for fix in rule_entry(rule)["fixes"]}, rule


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", str(SAMPLES / "interrupted-call.json")),
        ("fix", str(SAMPLES / "interrupted-call.json"), "--diff", "--select", "result,record"),
    ],
)
def test_no_page_is_loaded_by_what_judges(arguments: tuple[str, ...]) -> None:
    code = f"import sys; from toolpair.cli.main import main; main({list(arguments)!r}); print(*sys.modules, file=sys.stderr)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=PATIENCE)
    loaded = ran.stderr.split()
    assert "toolpair.rules.judge" in loaded
    assert not [name for name in loaded if name.startswith(("toolpair.rules.pages", "toolpair.cli.rule"))]


def test_each_fix_that_a_rule_can_offer_stands_on_a_page() -> None:
    """By the names that the rules' code gives them."""
    code = [
        path for part in ("rules", "formats") for path in (_SOURCE / part).rglob("*.py") if "pages" not in path.parts
    ]
    written = {id_ for path in code for id_ in re.findall(r'\bFix\(\s*"([a-z0-9-]+)"', path.read_text("utf-8"))}
    told = {fix["id"] for rule in RULES for fix in rule_entry(rule)["fixes"]}
    assert len(written) > 40 and written <= told, written - told
