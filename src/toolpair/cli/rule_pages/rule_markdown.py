"""Rules as Markdown: the pages of docs/rules/, and `toolpair rules --output-format markdown`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from toolpair.cli.file_report import Entry
from toolpair.cli.markdown import code, fenced, prose, words
from toolpair.cli.rule_pages.entry import OF_FILES, how_fixed, judged_rows
from toolpair.cli.rule_pages.example import compared, lines_of
from toolpair.cli.rule_pages.severities import EVIDENCE, MEANING, SIGNS, letters, signs
from toolpair.rules.pages import FAMILIES
from toolpair.rules.profiles import PROFILES
from toolpair.rules.registry import RULES


def page(entry: Entry) -> str:
    """The page of one rule, from a complete `rule_entry`."""
    return "\n".join(_page(entry)) + "\n"


def _page(entry: Entry) -> Iterator[str]:
    yield f"# {entry['rule']}: {prose(entry['title'])}"
    for part in (entry["meaning"], entry["remedy"] and f"**toolpair:** {entry['remedy']}"):
        if part:
            yield ""
            yield prose(part)
    if entry["example"]:
        yield from _example(entry["example"])
    elif entry["no_example"]:
        yield ""
        yield f"There is no example: {prose(entry['no_example'])}"
    if entry["fixes"]:
        yield from _fixes(entry)
    yield from _profiles(entry)


def _example(example: Entry) -> Iterator[str]:
    where = f" at line {example['line']:,}" if example["line"] is not None else ""
    yield ""
    yield "## Broken"
    yield ""
    yield f"`toolpair check`, format `{example['format']}`, profile `{example['profile']}`, says:"
    yield ""
    yield f"> **{example['severity']}**{where}: {words(example['says'])}"
    if example["api_says"]:
        yield ""
        yield f"The API says: {code(example['api_says'])}"
    if example["others"]:
        yield ""
        yield f"With it {', '.join(f'`{rule}`' for rule in example['others'])} is broken too."
    yield ""
    yield from fenced("json", lines_of(example["broken"]))
    yield ""
    yield "## Fixed"
    yield ""
    if example["mended"] is None:
        yield f"By hand: {words(example['no_fix'] or 'there is no fix for it.')}"
        return
    yield f"{how_fixed(example)} `{example['command']}`:"
    yield ""
    lines = [f"{line.mark}{line.text}" for line in compared(example["broken"], example["mended"])]
    yield from fenced("diff", lines)


def _fixes(entry: Entry) -> Iterator[str]:
    yield ""
    yield "## Fixes"
    yield ""
    yield f"`--choose {entry['rule']}=FIX` applies one of them to all such problems."
    yield ""
    yield "| fix | what it does | loses |"
    yield "|---|---|---|"
    for fix in entry["fixes"]:
        about = words(fix["title"])
        if fix["recommended"]:
            about += " (**recommended**)"
        elif not fix["certain"]:
            about += " (a guess: by hand)"
        loses = words(fix["loses"]) if fix["loses"] else "nothing"
        yield f"| `{fix['id']}` | {about} | {loses} |"


def _profiles(entry: Entry) -> Iterator[str]:
    yield ""
    yield "## Profiles"
    yield ""
    rows = judged_rows(entry)
    if RULES[entry["rule"]].of_file:
        yield OF_FILES
        return
    if rows:
        yield "| profile | severity | evidence | |"
        yield "|---|---|---|---|"
    for profile, cell in rows.items():
        evidence = cell["evidence"] or "unknown"
        about = f"[{evidence}]({cell['link']})" if cell["link"] else evidence
        yield f"| `{profile}` | {cell['severity'] or 'accepted'} | {about} | {prose(cell['note'] or '')} |"
    if entry["accepted"]:
        yield ""
        yield f"Accepted by: {', '.join(f'`{profile}`' for profile in entry['accepted'])}."
    grades = dict.fromkeys(cell["evidence"] or "unknown" for cell in rows.values())
    if grades:
        yield ""
        yield "Evidence: " + "; ".join(f"*{grade}*: {EVIDENCE[grade]}" for grade in EVIDENCE if grade in grades) + "."


def index(entries: Sequence[Entry]) -> str:
    """The list of rules, family by family, with links to the pages beside it."""
    return "\n".join(_index(entries)) + "\n"


def _index(entries: Sequence[Entry]) -> Iterator[str]:
    yield "# Rules"
    yield ""
    yield "What toolpair checks, and what each profile says about it. `toolpair rules RULE` prints a page."
    yield ""
    yield f"{MEANING.replace('E ', '**E** ')}; without a letter: checked in the file itself, whoever the provider is."
    yield ", ".join(f"{letters()[name]} `{name}`" for name in PROFILES) + "."
    for family, group in groupby(entries, key=lambda entry: str(entry["rule"]).split(".")[0]):
        listed = list(group)
        judged = not all(RULES[entry["rule"]].of_file for entry in listed)
        yield ""
        yield f"## {FAMILIES.get(family, family)}"
        yield ""
        columns = [letters()[name] for name in PROFILES] if judged else []
        yield f"| rule | | {''.join(f'{column} | ' for column in columns)}".rstrip()
        yield "|---|---|" + ":-:|" * len(columns)
        for entry in listed:
            row = signs(entry) if judged else []
            bold = [f"**{sign}**" if sign == SIGNS["error"] else sign for sign in row]
            if judged and RULES[entry["rule"]].of_file:
                bold = [" "] * len(columns)
            cells = "".join(f"{sign} | " for sign in bold)
            yield f"| [{entry['rule']}]({entry['rule']}.md) | {prose(entry['title'])} | {cells}".rstrip()
