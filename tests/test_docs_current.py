"""The pages of docs/ that are made from data say what the program says now."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

from tests.patience import PATIENCE
from toolpair.formats.opencode.history import KILO
from toolpair.formats.opencode.sending import NEWEST as OF_BOTH
from toolpair.formats.pi.format import NEWEST
from toolpair.recipes import RECIPES
from toolpair.rules.pages import pages
from toolpair.rules.profiles import PROFILES

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
SCRIPT = ROOT / "scripts" / "make_docs.py"


@pytest.fixture(scope="module")
def made() -> ModuleType:
    spec = spec_from_file_location("make_docs", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    before = list(sys.path)
    spec.loader.exec_module(module)
    sys.path[:] = before
    sys.path.append(str(SCRIPT.parent))
    return module


@pytest.fixture(scope="module")
def wanted(made: ModuleType) -> dict[Path, str]:
    """Path below docs/ -> text."""
    pages: dict[Path, str] = made.wanted()
    return pages


def test_the_made_pages_are_current(made: ModuleType, wanted: dict[Path, str]) -> None:
    stale, gone = made.out_of_date(DOCS, wanted | made.stamped(DOCS))
    assert not (stale or gone), "run `python scripts/make_docs.py`"


def test_headings_of_pages_by_hand_name_the_versions_that_were_measured(made: ModuleType, tmp_path: Path) -> None:
    page = "# pi 0.1\n## pi 1.0.0, 0.87.1 and Kilo CLI 7.0\npi 1.0.0 is older; ## pi 1.0\n## OpenClaw 2026.6.11\n"
    (tmp_path / "on-resume.md").write_text(page, encoding="utf-8")
    (text,) = made.stamped(tmp_path).values()
    expected = page.replace("## pi 1.0.0, 0.87.1", f"## pi {NEWEST}, 0.87.1").replace("7.0\n", f"{OF_BOTH[KILO]}\n")
    assert text == expected


def test_there_is_a_page_for_everything(wanted: dict[Path, str]) -> None:
    there = {path.as_posix() for path in wanted}
    assert {f"rules/{name}.md" for name in pages()} <= there
    assert {f"profiles/{name}.md" for name in PROFILES} <= there
    assert {f"recipes/{name}.md" for name in RECIPES} <= there
    assert {f"{folder}/README.md" for folder in ("rules", "profiles", "recipes")} <= there
    assert all(text.startswith("# ") for text in wanted.values()), "the docs site takes a title from the first line"
    assert "\n## messages.{N}: tool\\_use ids were found without " in wanted[Path("errors/anthropic.md")]


def test_the_same_pages_on_every_run_and_none_names_this_machine(made: ModuleType, wanted: dict[Path, str]) -> None:
    assert wanted == made.wanted()
    for text in wanted.values():
        assert (
            str(ROOT) not in text
            and str(Path.home()) + "/" not in text
            and "/tmp/" not in text.replace("/.gemini/tmp/", "")
        )
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", text)


def test_links_between_the_pages_lead_somewhere(wanted: dict[Path, str]) -> None:
    found = 0
    for path, text in wanted.items():
        for target in re.findall(r"\]\((?!https?://)([^)#]+)[^)]*\)", text):
            found += 1
            assert (DOCS / path.parent / target).resolve().exists(), f"{path}: {target}"
    assert found > 500


def test_links_of_the_pages_by_hand_lead_somewhere() -> None:
    """Also to a heading, as a forge and the docs site name it."""

    def anchors(path: Path) -> set[str]:
        heads = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
        return {re.sub(r"[^\w -]", "", head.lower()).strip().replace(" ", "-") for head in heads}

    pages = [ROOT / "README.md", ROOT / "CHANGELOG.md", *DOCS.glob("*.md"), *(ROOT / "examples").glob("*.md")]
    for page in pages:
        text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        for target, anchor in re.findall(r"\]\((?!https?://)([^)#\s]*)(?:#([^)]*))?\)", text):
            path = (page.parent / target).resolve() if target else page
            assert path.exists(), f"{page.name}: {target}"
            assert page.parent != DOCS or path.is_relative_to(DOCS), (
                f"{page.name}: the docs site does not have {target}"
            )
            assert not anchor or anchor in anchors(path), f"{page.name}: {target}#{anchor}"


def test_the_docs_site_has_each_page() -> None:
    nav = set(re.findall(r"([\w/.-]+\.md)\s*$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE))
    folders = {f"{path.parent.name}/README.md" for path in DOCS.glob("*/README.md")}
    assert nav == {path.name for path in DOCS.glob("*.md")} | folders


def test_what_is_out_of_date_is_named_and_written(
    made: ModuleType,
    wanted: dict[Path, str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(made, "wanted", lambda: wanted)

    def run(*arguments: str) -> int:
        code: int = made.main(["--docs", str(tmp_path), *arguments])
        return code

    assert run("--check") == 1
    assert not list(tmp_path.iterdir())
    assert run() == 0
    assert run("--check") == 0
    page = tmp_path / "rules" / "result.missing.md"
    whole = page.read_text(encoding="utf-8")
    page.write_text(whole.replace("error", "fault"), encoding="utf-8")
    (tmp_path / "rules" / "no.such_rule.md").write_text("# gone", encoding="utf-8")
    capsys.readouterr()
    assert run("--check") == 1
    told = capsys.readouterr().out
    assert "rules/result.missing.md: out of date" in told and "rules/no.such_rule.md" in told
    assert run() == 0
    assert page.read_text(encoding="utf-8") == whole and not (tmp_path / "rules" / "no.such_rule.md").exists()


def test_the_script_runs_by_itself() -> None:
    """As a person calls it: without the package on the path, from anywhere."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, str(SCRIPT), "--check"]
    ran = subprocess.run(command, capture_output=True, text=True, cwd="/", env=environment, timeout=PATIENCE)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_the_pictures_show_the_screen_as_it_is() -> None:
    script = SCRIPT.with_name("make_pictures.py")
    ran = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, timeout=PATIENCE)
    assert ran.returncode == 0, f"run `python scripts/make_pictures.py`: {ran.stdout}{ran.stderr[-500:]}"
    head, *frames = map(json.loads, (DOCS / "rescue.cast").read_text(encoding="utf-8").splitlines())
    assert (head["version"], head["width"], head["height"]) == (2, 120, 40)
    assert [kind for _, kind, _ in frames] == ["o"] * 5 and [at for at, _, _ in frames] == sorted(
        at for at, _, _ in frames
    )
    assert all(screen.count("\r\n") == 39 for _, _, screen in frames[:-1]) and "READY TO RESUME" in frames[-2][2]
