"""Everything known about a rule, as plain data: printed as JSON, and the source of the text and Markdown pages."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from toolpair.cli.file_report import Entry, cause_entry, cause_sentence, entry_of
from toolpair.cli.rule_pages.example import Shown, shown
from toolpair.rules.pages import RulePage, page_of
from toolpair.rules.profiles import PROFILES
from toolpair.rules.profiles import profile as profile_named

OF_FILES: Final = "No provider has this rule: it is found in the file itself, and checked the same way for all."


_CELL: Final = "severity evidence note link"


def rule_entry(name: str, only: Collection[str] = (), *, whole: bool = True) -> Entry:
    """What is known about one rule, for the profiles in `only` or for all. Unless `whole`, its example is not run."""
    page = page_of(name)
    judged: Entry = {}
    families: Entry = {}
    accepted: list[str] = []
    for profile in map(profile_named, PROFILES):
        if only and not {profile.id, *(f"{profile.id}/{one.id}" for one in profile.families)} & set(only):
            continue
        cell = profile.cell(name)
        if cell is not None and cell.severity is not None:
            judged[profile.id] = entry_of(cell, _CELL)
        elif cell is not None:
            accepted.append(profile.id)
        families.update(
            (f"{profile.id}/{family.id}", entry_of(family.cells[name], _CELL))
            for family in profile.families
            if name in family.cells
        )
    entry: Entry = {
        "rule": name,
        "title": page.title if page else name,
        "meaning": page.meaning if page else None,
        "remedy": page.remedy if page else None,
        "profiles": judged,
        "families": families,
        "accepted": accepted,
    }
    if whole and page is not None:
        run = shown(page)
        entry["example"] = _example(page, run) if run is not None else None
        entry["no_example"] = page.no_example
        entry["fixes"] = _fixes(page, run)
    return entry


def judged_rows(entry: Entry) -> dict[str, Entry]:
    """Profile, or profile and model family, -> its entry; each family after its profile."""
    rows = {**entry["profiles"], **entry["families"]}
    return {name: rows[name] for name in sorted(rows, key=lambda name: PROFILES.index(name.partition("/")[0]))}


def _example(page: RulePage, run: Shown) -> Entry:
    problem = run.problem
    return {
        "format": run.format,
        "profile": run.profile,
        "broken": _text(run.broken),
        "severity": problem.severity,
        "line": run.line,
        "says": problem.text,
        "cause": cause_sentence(cause_entry(problem.cause)) if problem.cause is not None else None,
        "api_says": problem.api_says,
        "others": list(run.others),
        "mended": _text(run.fixed) if run.fixed is not None else None,
        "how": run.how,
        "command": _command(page, run),
        "certain": run.fix is not None and run.fix.certain,
        "no_fix": problem.no_fix if run.fix is None else None,
        "left": list(run.left),
    }


def how_fixed(example: Entry) -> str:
    """The words before the command that fixes an example."""
    if example["how"] == "recommended":
        return "Fixed by"
    return "Fixed on request, by" if example["certain"] else "Fixed, once a person has seen that it is right, by"


def _text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")


def _command(page: RulePage, run: Shown) -> str | None:
    """The command that fixes it this way; None when there is no fix."""
    if run.fix is None:
        return None
    words = ["toolpair fix FILE --in-place"]
    assert page.example is not None
    if page.example.profile is not None:
        words.append(f"--profile {page.example.profile}")
    if page.example.agent_version is not None:
        words.append(f"--agent-version {page.example.agent_version}")
    if run.how == "select":
        words.append(f"--select {page.rule}")
    elif run.how == "choose":
        words.append(f"--choose {page.rule}={run.fix.id}")
    return " ".join(words)


def _fixes(page: RulePage, run: Shown | None) -> list[Entry]:
    """The fixes of the example's problem, followed by those that other problems of the rule offer."""
    best = run.problem.recommended if run is not None else None
    found = [
        entry_of(fix, "id title loses") | {"recommended": fix is best, "certain": fix.certain, "elsewhere": False}
        for fix in (run.problem.fixes if run is not None else ())
    ]
    known = {fix["id"] for fix in found}
    return found + [
        entry_of(one, "id title loses") | {"recommended": False, "certain": True, "elsewhere": True}
        for one in page.offers
        if one.id not in known
    ]
