"""A census as one page: the sentence, then tables. It holds no content of a session."""

from __future__ import annotations

import html
from collections.abc import Iterator
from typing import Final

from toolpair import __version__
from toolpair.reports.census import COLUMNS, Census, Counted
from toolpair.reports.page.html import FOOT, page_head
from toolpair.text.safe import visible

_NOTICE: Final = "Numbers, names of agents, versions, rules and causes; nothing that stands in a session, and no path."
_WITH_PATHS: Final = "This page names the paths of sessions. Read it before you share it."
_STYLE: Final = """
table.counts { border-collapse: collapse; margin: .75rem 0; }
table.counts th, table.counts td { padding: .15rem .9rem .15rem 0; text-align: right; vertical-align: top; }
table.counts th { font-weight: 400; color: var(--quiet); }
table.counts th:first-child, table.counts td.words { text-align: left; }
table.counts tr.broken td { color: var(--lose); }
"""


def census_page(census: Census, paths: bool) -> Iterator[str]:
    """The page in pieces. `paths`: it names the worst sessions."""
    notice = _WITH_PATHS if paths else _NOTICE
    kind = f"Census of sessions, toolpair {__version__}"
    yield from page_head("Sessions on this machine", "census", kind, notice, notice, style=_STYLE)
    yield "</header>\n<main>\n"
    outlook = "stops" if census.all.refused else "loses" if census.all.losing else "ready"
    yield f'<p class="verdict {outlook}">{_line(census.sentence)}</p>\n'
    told = (*census.left_out(), *filter(None, [census.uneven]))
    yield from (f"<p>{_line(sentence)}</p>\n" for sentence in told)
    yield from _table("agent", census.of_agents())
    yield from _table("month", census.of_months())
    for name, rows in census.lists():
        if rows:
            yield f'<h2>{name}, by sessions</h2>\n<table class="counts"><tbody>\n'
            for count, id_, words in rows:
                yield f'<tr><td>{count:,}</td><td class="words"><code>{_line(id_)}</code> {_line(words)}</td></tr>\n'
            yield "</tbody></table>\n"
    if census.worst:
        yield "<h2>the worst</h2>\n<ul>\n"
        for words, opening in census.of_worst(paths):
            code = f"<br><code>{_line(opening)}</code>" if opening is not None else ""
            yield f"<li>{_line(words)}{code}</li>\n"
        yield "</ul>\n"
    yield f"</main>\n<footer>\n{FOOT}"


def _line(text: str) -> str:
    return html.escape(visible(text))


def _table(head: str, rows: dict[str, Counted]) -> Iterator[str]:
    columns = "".join(f'<th scope="col">{name}</th>' for name in (head, *COLUMNS))
    yield f'<h2>by {head}</h2>\n<table class="counts"><thead><tr>{columns}</tr></thead><tbody>\n'
    for name, one in rows.items():
        broken = ' class="broken"' if one.broken else ""
        numbers = "".join(f"<td>{number:,}</td>" for number in one.numbers)
        yield f'<tr{broken}><th scope="row">{_line(name)}</th>{numbers}</tr>\n'
    yield "</tbody></table>\n"
