"""Rules as Markdown: the pages of docs/rules/, and `toolpair rules --output-format markdown`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
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
    return "\n\n".join(_page(entry)) + "\n"


def _page(entry: Entry) -> Iterator[str]:
    """Its paragraphs, tables and headings."""
    yield f"# {entry['rule']}: {prose(entry['title'])}"
    yield from map(prose, filter(None, (entry["meaning"], entry["remedy"] and f"**toolpair:** {entry['remedy']}")))
    if entry["example"]:
        yield from _example(entry["example"])
    elif entry["no_example"]:
        yield f"There is no example: {prose(entry['no_example'])}"
    if entry["fixes"]:
        yield "## Fixes"
        yield f"`--choose {entry['rule']}=FIX` applies one of them to all such problems."
        yield _table("| fix | what it does | loses |", map(_fix, entry["fixes"]))
    yield "## Profiles"
    if RULES[entry["rule"]].of_file:
        yield OF_FILES
    else:
        yield from _profiles(entry)


def _example(example: Entry) -> Iterator[str]:
    where = f" at line {example['line']:,}" if example["line"] is not None else ""
    yield "## Broken"
    yield f"`toolpair check`, format `{example['format']}`, profile `{example['profile']}`, says:"
    yield f"> **{example['severity']}**{where}: {words(example['says'])}"
    if example["api_says"]:
        yield f"The API says: {code(example['api_says'])}"
    if example["others"]:
        yield f"With it {', '.join(f'`{rule}`' for rule in example['others'])} is broken too."
    yield fenced("json", lines_of(example["broken"]))
    yield "## Fixed"
    if example["mended"] is None:
        yield f"By hand: {words(example['no_fix'] or 'there is no fix for it.')}"
        return
    yield f"{how_fixed(example)} `{example['command']}`:"
    yield fenced("diff", [f"{line.mark}{line.text}" for line in compared(example["broken"], example["mended"])])


def _fix(fix: Entry) -> str:
    about = words(fix["title"])
    if fix["recommended"]:
        about += " (**recommended**)"
    elif not fix["certain"]:
        about += " (a guess: by hand)"
    return f"| `{fix['id']}` | {about} | {words(fix['loses']) if fix['loses'] else 'nothing'} |"


def _profiles(entry: Entry) -> Iterator[str]:
    rows = []
    grades = []
    for profile, cell in judged_rows(entry).items():
        grades.append(evidence := cell["evidence"] or "unknown")
        about = f"[{evidence}]({cell['link']})" if cell["link"] else evidence
        rows.append(f"| `{profile}` | {cell['severity'] or 'accepted'} | {about} | {prose(cell['note'] or '')} |")
    if rows:
        yield _table("| profile | severity | evidence | |", rows)
    if entry["accepted"]:
        yield f"Accepted by: {', '.join(f'`{profile}`' for profile in entry['accepted'])}."
    if grades:
        yield "Evidence: " + "; ".join(f"*{grade}*: {EVIDENCE[grade]}" for grade in EVIDENCE if grade in grades) + "."


def _table(head: str, rows: Iterable[str]) -> str:
    return "\n".join((head, "|" + "---|" * (head.count("|") - 1), *rows))


def index(entries: Sequence[Entry]) -> str:
    """The list of rules, family by family, with links to the pages beside it."""
    return "\n\n".join(_index(entries)) + "\n"


def _index(entries: Sequence[Entry]) -> Iterator[str]:
    yield "# Rules"
    yield "What toolpair checks, and what each profile says about it. `toolpair rules RULE` prints a page."
    meaning = MEANING.replace("E ", "**E** ")
    profiles = ", ".join(f"{letters()[name]} `{name}`" for name in PROFILES)
    yield f"{meaning}; without a letter: checked in the file itself, whoever the provider is.\n{profiles}."
    for family, group in groupby(entries, key=lambda entry: str(entry["rule"]).split(".")[0]):
        listed = list(group)
        judged = not all(RULES[entry["rule"]].of_file for entry in listed)
        yield f"## {FAMILIES.get(family, family)}"
        columns = [letters()[name] for name in PROFILES] if judged else []
        rows = [
            f"| rule | | {''.join(f'{column} | ' for column in columns)}".rstrip(),
            "|---|---|" + ":-:|" * len(columns),
        ]
        for entry in listed:
            row = signs(entry) if judged else []
            bold = [f"**{sign}**" if sign == SIGNS["error"] else sign for sign in row]
            if judged and RULES[entry["rule"]].of_file:
                bold = [" "] * len(columns)
            cells = "".join(f"{sign} | " for sign in bold)
            rows.append(f"| [{entry['rule']}]({entry['rule']}.md) | {prose(entry['title'])} | {cells}".rstrip())
        yield "\n".join(rows)
