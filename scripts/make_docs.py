"""Write the pages of docs/ that are made from the program's own data; with --check only say which are out of date.

    python scripts/make_docs.py            write what is out of date
    python scripts/make_docs.py --check    write nothing; exit code 1 when something is out of date

A folder of pages is a function below that gives file names and texts, and a line in FOLDERS. A folder holds nothing
else: what no function gives is removed.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from importlib import import_module, util
from pathlib import Path
from typing import Final

_ROOT: Final = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(_ROOT / "src"), str(_ROOT / "scripts")]

_MADE: Final = "<!-- Made by scripts/make_docs.py; change the data that it is made from. -->\n"

Pages = Mapping[str, str]
"""File name -> Markdown."""


def rules() -> Pages:
    """A page for every rule, and the index of them."""
    from toolpair.cli.rule_pages.entry import rule_entry
    from toolpair.cli.rule_pages.rule_markdown import index, page
    from toolpair.rules.pages import pages
    from toolpair.rules.profiles import PROFILES

    entries = [rule_entry(name) for name in pages()]
    made = {f"{entry['rule']}.md": _linked(page(entry), PROFILES, "../profiles") for entry in entries}
    return {"README.md": index(entries), **{name: f"{text}\n[All rules](README.md)" for name, text in made.items()}}


def profiles() -> Pages:
    """A page for every profile, and the index of them."""
    from toolpair.cli.profiles import profile_markdown
    from toolpair.rules.pages import pages
    from toolpair.rules.profiles import PROFILES, profile

    known = [profile(id_) for id_ in PROFILES]
    made = {f"{one.id}.md": _linked("\n".join(profile_markdown(one)), pages(), "../rules") for one in known}
    rows = [f"| [{one.id}]({one.id}.md) | {one.title} | {one.judged} |" for one in known]
    about = "The providers whose rules can be judged. `toolpair profiles NAME` prints a page."
    index = "\n".join(["# Profiles", "", about, "", "| | | rules |", "|---|---|--:|", *rows])
    return {"README.md": index, **{name: f"{text}\n\n[All profiles](README.md)" for name, text in made.items()}}


def recipes() -> Pages:
    """A page for every recipe, and the index of them: what `pages()` of scripts/recipe_pages.py gives."""
    if util.find_spec("recipe_pages") is None:
        return {}
    made: Pages = import_module("recipe_pages").pages()
    return made


def systems() -> Pages:
    """The page on agents and other systems."""
    made: Pages = import_module("system_pages").pages()
    return made


def formats() -> Pages:
    """A page for every format, and the index of them."""
    made: Pages = import_module("format_pages").pages()
    return made


def errors() -> Pages:
    """A page for each provider's error texts, and the index of them."""
    made: Pages = import_module("error_pages").pages()
    return made


def dead_session() -> str:
    """What to type, agent by agent."""
    made: str = import_module("dead_session_page").page()
    return made


def export() -> str:
    """What an export cannot carry."""
    made: str = import_module("export_page").page()
    return made


def _linked(text: str, names: Collection[str], folder: str) -> str:
    """The page with links where a row of a table begins with one of the names."""

    def link(match: re.Match[str]) -> str:
        name = match[1]
        return f"| [`{name}{match[2] or ''}`]({folder}/{name}.md) |" if name in names else match[0]

    return re.sub(r"^\| `([\w.-]+)(/[\w.-]+)?` \|", link, text, flags=re.MULTILINE)


FOLDERS: Final[Mapping[str, Callable[[], Pages]]] = {
    "rules": rules,
    "profiles": profiles,
    "recipes": recipes,
    "systems": systems,
    "formats": formats,
    "errors": errors,
}
"""Folder of docs/ -> what makes it."""
ALONE: Final[Mapping[str, Callable[[], str]]] = {"export.md": export, "dead-session.md": dead_session}
"""File in docs/ itself -> what makes it."""


STAMPED: Final = ("on-resume.md",)
"""Files in docs/ that are written by hand, but for the versions in their headings."""


def stamped(docs: Path) -> dict[Path, str]:
    """The pages that are written by hand, with the versions of today in their headings."""
    stamp: Callable[[str], str] = import_module("measured_versions").stamped
    return {Path(name): stamp((docs / name).read_text(encoding="utf-8")) for name in STAMPED if (docs / name).is_file()}


def wanted() -> dict[Path, str]:
    """Every made page, by its path below docs/."""
    alone = {Path(name): _marked(make()) for name, make in ALONE.items()}
    return alone | {
        Path(folder, name): _marked(text) for folder, make in FOLDERS.items() for name, text in make().items()
    }


def _marked(page: str) -> str:
    """The page, which says below its title how it is made: what begins otherwise has no title in the docs site."""
    title, _, rest = page.rstrip("\n").partition("\n")
    return f"{title}\n{_MADE}{rest}\n"


def out_of_date(docs: Path, pages: Mapping[Path, str]) -> tuple[list[Path], list[Path]]:
    """The pages that are missing or differ, and the files in made folders that no function gives."""
    stale = [path for path, text in pages.items() if _text(docs / path) != text]
    folders = {path.parent for path in pages} - {Path()}
    there = (file.relative_to(docs) for folder in sorted(folders) for file in sorted((docs / folder).glob("*")))
    return stale, [path for path in there if path not in pages]


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None


def main(argv: Sequence[str] | None = None) -> int:
    """Write or check the pages; the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 when something is out of date")
    parser.add_argument("--docs", type=Path, default=_ROOT / "docs", metavar="FOLDER", help="default: docs/")
    options = parser.parse_args(argv)
    pages = wanted() | stamped(options.docs)
    stale, gone = out_of_date(options.docs, pages)
    for path in (*stale, *gone):
        print(f"{options.docs.name}/{path}: {'out of date' if path in stale else 'nothing makes it any more'}")
    if options.check:
        return 1 if stale or gone else 0
    for path in stale:
        (options.docs / path).parent.mkdir(parents=True, exist_ok=True)
        (options.docs / path).write_text(pages[path], encoding="utf-8")
    for path in gone:
        (options.docs / path).unlink()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
