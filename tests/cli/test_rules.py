"""`toolpair rules`: the list, a family, the page of one rule; `explain RULE` prints the same page."""

from __future__ import annotations

import re

import pytest

from tests.cli.conftest import Run
from toolpair.rules.pages import pages
from toolpair.rules.profiles import PROFILES, profile


@pytest.fixture(autouse=True)
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def test_the_list_says_of_every_rule_what_every_profile_says(run: Run) -> None:
    listed = run("rules").out
    letters = {name: letter for letter, name in _legend(listed).items()}
    assert set(letters) == set(PROFILES)
    (head, *_) = [line for line in listed.splitlines() if line.startswith("What the tool returned")]
    columns = head.split("  ")[-1]
    for name in pages():
        (line,) = [line for line in listed.splitlines() if line.startswith(f"{name} ")]
        for profile_ in PROFILES:
            cell = profile(profile_).cell(name)
            sign = line[head.index(columns) + columns.index(letters[profile_])]
            if cell is not None:
                assert sign == {"error": "E", "warning": "w", "info": "i", None: "·"}[cell.severity]


def _legend(listed: str) -> dict[str, str]:
    words = listed.replace("\n", " ").split(". E error")[0].rstrip(".").split(", ")
    return dict(word.split(" ", 1) for word in words)


def test_the_list_fits_into_80_columns(run: Run) -> None:
    assert max(map(len, run("rules").out.splitlines())) <= 80


def test_a_family(run: Run) -> None:
    listed = run("rules", "call").out
    assert "call.reused_id" in listed and "result.missing" not in listed


def test_one_profile_alone(run: Run) -> None:
    entries = run("rules", "--profile", "mistral", "--output-format", "json").json["rules"]
    assert {name for entry in entries for name in entry["profiles"]} == {"mistral"}
    assert "M mistral. E error" in run("rules", "turn", "--profile", "mistral").out


def test_the_page_of_a_rule(run: Run) -> None:
    shown = run("rules", "result.missing").out
    for part in (
        "result.missing: A call without a result",
        "Bash was called, but no result for it is in this file.",
        "The API says: messages.2: `tool_use` ids were found without",
        '  -  {"role": "user", "content": "Well?"}',
        "[No result was recorded for this call.",
        "Fixed by\n  toolpair fix FILE --in-place\n",
        "insert-placeholder  write",
        "(recommended)",
        "remove-call",
        "loses its input",
        "https://github.com/anthropics/claude-code/issues/5989",
    ):
        assert part in shown
    assert "groq              warning   inferred" in shown


def test_every_page_fits_into_80_columns(run: Run) -> None:
    for name in pages():
        for line in run("rules", name).out.splitlines():
            assert len(line) <= 80 or "https://" in line or "toolpair fix FILE" in line, name


def test_explain_prints_the_same_page(run: Run) -> None:
    for name in ("result.missing", "chain.missing_parent", "record.nul"):
        assert run("rules", name).out in run("explain", name).out


def test_a_page_as_json(run: Run) -> None:
    (entry,) = run("rules", "call.reused_id", "--output-format", "json").json["rules"]
    assert entry["profiles"]["moonshot"]["severity"] == "error"
    assert "gemini" in entry["accepted"]
    example = entry["example"]
    assert '"call_0"' in example["broken"] and "call_0-2" in example["mended"]
    assert example["left"] == [] and example["how"] == "recommended"
    assert entry["fixes"][0]["id"] == "new-ids" and entry["fixes"][0]["recommended"]


def test_what_differs_by_model_stands_behind_its_profile(run: Run) -> None:
    (entry,) = run("rules", "id.length", "--output-format", "json").json["rules"]
    assert entry["families"]["mistral/v13"]["severity"] is None
    shown = run("rules", "id.length").out
    assert shown.index("  mistral ") < shown.index("  mistral/v13 ")


def test_a_page_as_markdown(run: Run) -> None:
    page = run("rules", "result.missing", "--output-format", "markdown").out
    assert page.startswith("# result.missing: A call without a result\n")
    assert "```json\n[" in page and '\n-  {"role": "user", "content": "Well?"}' in page
    assert "| `groq` | warning | inferred |" in page
    assert run("rules", "--output-format", "markdown").out.startswith("# Rules\n")


@pytest.mark.parametrize(
    ("given", "meant"),
    [("result.mising", "result.missing"), ("missing_parent", "chain.missing_parent"), ("resutl", "result")],
)
def test_an_unknown_rule_names_the_nearest(run: Run, given: str, meant: str) -> None:
    ran = run("rules", given)
    assert ran.code == 2
    assert f"There is no rule '{given}'. Did you mean {meant}" in ran.err


def test_a_rule_like_none(run: Run) -> None:
    ran = run("rules", "zzz")
    assert ran.code == 2 and "`toolpair rules` lists them all" in ran.err


def test_a_page_says_what_is_done_unasked_and_what_on_request(run: Run) -> None:
    assert "  Fixed by\n  toolpair fix FILE --in-place\n" in run("rules", "call.reused_id").out
    assert (
        "  Fixed on request, by\n  toolpair fix FILE --in-place --select result.order\n"
        in run("rules", "result.order").out
    )
    assert "  Fixed, once a person has seen that it is right, by\n" in run("rules", "result.crossed").out
    assert "  By hand: Declare the tool in the request" in run("rules", "tools.undeclared").out


def test_what_no_provider_judges_is_marked_so_however_few_are_listed(run: Run) -> None:
    alone = run("rules", "--profile", "mistral").out
    assert "f of the file" in " ".join(alone.split())
    assert re.search(r"^record\.torn +f +A line was cut off$", alone, re.M)
    every = run("rules").out
    assert re.search(r"^record\.torn +of the file +A line was cut( off)?$", every, re.M) and ", f of" not in every
