"""The report as HTML. Nothing in it runs or loads anything: escaping keeps content text, the policy is a second guard.

`_line` and `_lines` are the only ways from untrusted text into a page.
"""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from pathlib import PurePath
from typing import Final

from toolpair.reports.page import parts
from toolpair.reports.page.writer import (
    EMPTY,
    LINE_SIGNS,
    NO_ARGUMENTS,
    TODO_SIGNS,
    ChangedLine,
    PageHead,
    Pieces,
    Writer,
    changed_lines,
    compared,
    difference_text,
    id_text,
    neighbours,
)
from toolpair.text.safe import visible, visible_text

_OPEN: Final = 20
"""Problems of one cause that are open on the screen; in print all are."""
_CODE: Final = re.compile(r"`([^`]{1,400})`")


def _line(text: object) -> str:
    """Any text as one line."""
    return html.escape(visible(text))


def _sentence(text: object) -> str:
    """A sentence as one line, with what stands in backticks as code."""
    pieces = _CODE.split(visible(text))
    return "".join(f"<code>{_line(one)}</code>" if number % 2 else _line(one) for number, one in enumerate(pieces))


def _lines(text: str) -> str:
    """A text with its line ends."""
    return html.escape(visible_text(text))


@cache
def _style() -> str:
    return files("toolpair.reports.page").joinpath("style.css").read_text("utf-8")


@cache
def _policy(images: bool, style: str) -> str:
    digest = base64.b64encode(hashlib.sha256(f"{_style()}{style}".encode()).digest()).decode()
    pictures = "img-src data:; " if images else ""
    return f"default-src 'none'; {pictures}style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


FOOT: Final = "<p>Written by toolpair. Nothing on this page runs or loads anything.</p>\n</footer>\n</body>\n</html>\n"


def page_head(
    heading: str, title: str, kind: str, notice: str, comment: str, images: bool = False, style: str = ""
) -> Iterator[str]:
    """How a page begins, up to its notice. `style` is what it needs besides the style of all pages."""
    yield (
        f"<!DOCTYPE html>\n<!-- {comment} -->\n"
        '<html lang="en">\n<head>\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(images, style)}">\n'
        '<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{_line(heading)} – {title}</title>\n"
        f"<style>{_style()}{style}</style>\n</head>\n<body>\n"
    )
    yield f'<header>\n<p class="kind">{_line(kind)}</p>\n<h1>{_line(heading)}</h1>\n'
    yield f'<p class="notice">{html.escape(notice)}</p>\n'


class HtmlWriter(Writer):
    """Writes pages."""

    def __init__(self, first: PurePath | None) -> None:
        super().__init__(first)
        self._of_group = 0
        self._who = "", 0
        """Who spoke last, and on which page."""

    def _link(self, link: parts.Link, page: int) -> str:
        return f'<a href="{html.escape(self.target(link, page))}">{_line(link.words)}</a>'

    # the page around it

    def head(self, about: PageHead) -> Iterator[str]:
        page = f", page {about.page:,} of {about.pages:,}" if about.pages > 1 else ""
        kind = f"Session report, toolpair {about.version}{page}"
        yield from page_head(about.title, f"session report{page}", kind, about.notice, about.comment, about.images)
        links = [self._link(link, about.page) for link in about.jumps] if about.page == 1 else []
        if links:
            yield _listed("Contents", links)
        yield from self._pages(about)
        yield "</header>\n<main>\n"

    def _pages(self, about: PageHead) -> Iterator[str]:
        if about.pages > 1:
            links = [
                f"<b>{_line(words)}</b>"
                if number == about.page
                else f'<a href="{html.escape(self.address(number))}">{_line(words)}</a>'
                for words, number in neighbours(about)
            ]
            yield _listed("Pages", links)

    def foot(self, about: PageHead) -> Iterator[str]:
        yield "</main>\n<footer>\n"
        yield from self._pages(about)
        yield FOOT

    # before the conversations

    def front(self, part: parts.Front, page: int) -> str:
        match part:
            case parts.Opening():
                return self._opening(part, page)
            case parts.ProblemGroup():
                self._of_group = 0
                count = f" <small>{part.counted}</small>" if part.counted else ""
                return f"<h3>{_sentence(part.title)}{count}</h3>\n"
            case parts.ProblemPart():
                self._of_group += 1
                return self._problem(part, page)

    def _opening(self, part: parts.Opening, page: int) -> str:
        title = f'<h2 id="{part.anchor}">{_line(part.title)}</h2>\n' if part.title else ""
        anchor = "" if part.title else f' id="{part.anchor}"'
        facts = "".join(f"<dt>{_line(name)}</dt><dd>{_line(words)}</dd>\n" for name, words in part.facts)
        link = f"<p>{self._link(part.conversation, page)}</p>\n" if part.conversation is not None else ""
        heading = ""
        if part.counted:
            name = "h3" if part.title else "h2"
            heading = f'<{name} id="{part.anchor}-problems">What is wrong <small>{part.counted}</small></{name}>\n'
        return (
            f'{title}<p class="verdict"{anchor}><span class="badge {_word(part.outlook)}">{_line(part.badge)}</span> '
            f"{_sentence(part.sentence)}</p>\n<dl>\n{facts}</dl>\n{link}{heading}"
        )

    def _problem(self, part: parts.ProblemPart, page: int) -> str:
        is_open = " open" if part.severity != "info" and self._of_group <= _OPEN else ""
        where = [_line(words) for words in (part.about, part.where) if words]
        if part.target is not None:
            where.append(self._link(part.target, page))
        out = [
            f'<details class="problem {_word(part.severity)}" id="{part.anchor}"{is_open}>\n<summary>',
            f'<b>{_line(part.title)}</b> <span class="tag">{_line(part.severity)}, {_line(part.impact)}</span> ',
            f'<span class="says">{_sentence(part.text)}</span></summary>\n',
            f'<p class="quiet">{" · ".join(where)}</p>\n' if where else "",
            _ids(part.ids),
        ]
        facts = [f"<dt>{_line(name)}</dt><dd>{_sentence(words)}</dd>\n" for name, words in part.lines]
        for fix in part.fixes:
            name, title = fix.name, f"{_sentence(fix.title)}."
            if fix.recommended:
                name, title = f"<b>{name}</b>", f"<b>{title}</b>"
            note = f" {_sentence(f'Note: {fix.note}')}" if fix.note else ""
            facts.append(f"<dt>{name}</dt><dd>{title} {_sentence(fix.loses)}{note}</dd>\n")
        if part.no_fix is not None:
            facts.append(f"<dt>{part.no_fix_name}</dt><dd>{_sentence(part.no_fix)}</dd>\n")
        facts.append(f"<dt>Rule</dt><dd><code>{_line(part.rule)}</code></dd>\n")
        return "".join((*out, "<dl>\n", *facts, "</dl>\n</details>\n"))

    # the conversation

    def part(self, part: parts.Part, page: int) -> str:
        match part:
            case parts.Begin():
                return f'<h2 id="{part.anchor}">{_line(part.title)}</h2>\n'
            case parts.Turn():
                again = " again" if self._who == (part.who, page) else ""
                self._who = part.who, page
                time = f" <time>{part.time}</time>" if part.time else ""
                about = self._about(part.problems, page)
                return (
                    f'<p class="turn{again}" id="{part.anchor}"><b>{_line(part.who)}</b> '
                    f"<span>{_line(part.where)}</span>{time}</p>\n{about}"
                )
            case parts.Said():
                return self._said(part)
            case parts.PairPart():
                return self._pair(part, page)
            case parts.Across():
                about = self._about(part.problems, page)
                words = f"<span>{_line(part.words)}</span></p>\n"
                return f'<p class="across {_word(part.kind)}" id="{part.anchor}">{words}{about}'

    def _about(self, problems: Sequence[tuple[parts.Link, str]], page: int) -> str:
        return "".join(
            f'<p class="about">{self._link(link, page)}: {_sentence(words)}</p>\n' for link, words in problems
        )

    def _said(self, part: parts.Said) -> str:
        if part.kind == "text" and isinstance(part.body, parts.Plain):
            user = " user" if self._who[0] == "User" else ""
            return (
                f'<pre class="said{user}">{_first(part.body.text)}{_lines(part.body.text)}</pre>\n{_cut(part.body.cut)}'
            )
        return f'<details class="aside">\n<summary>{_line(part.words)}</summary>\n{_body(part.body)}</details>\n'

    def _pair(self, part: parts.PairPart, page: int) -> str:
        kind = f" {_word(part.severity)}" if part.severity else ""
        without = NO_ARGUMENTS if part.call is not None else _line(part.words)
        end = _line(part.answers[0].title) if part.answers else ""
        if part.ending:
            end = f'<span class="state">{_line(part.ending)}</span>{" · " if end else ""}{end}'
        ids = compared(part.call_id, part.other_id) if part.both_ids else None
        return "".join(
            (
                f'<details class="pair{kind}" id="{part.anchor}"{part.is_open}>\n<summary>',
                f'<span class="number">{part.number}</span> ',
                f"<b>{_line(part.tool)}</b> " if part.tool else "",
                f'<code>{_line(part.words)}</code> <span class="end">{end}</span></summary>\n',
                self._about(part.problems, page),
                '<div class="sides">\n<div class="side"><h4>call',
                f" · <time>{part.time}</time>" if part.time and part.call is not None else "",
                f" · {_code(part.call_id, ids[0] if ids else None)}" if part.call is not None else "",
                "</h4>\n",
                "".join(map(_body, part.call or ())) or f'<p class="lack">{without}</p>',
                "</div>\n",
                *(
                    _answer(answer, ids[1] if ids and answer.id != part.call_id else None, number)
                    for number, answer in enumerate(part.answers)
                ),
                ""
                if part.answers
                else f'<div class="side"><h4>result</h4>\n<p class="lack">{_line(part.lack)}</p></div>\n',
                "</div>\n",
                f'<p class="about">{_line(difference_text(part.call_id, part.other_id))}</p>\n' if ids else "",
                "</details>\n",
            )
        )


def _listed(name: str, links: Sequence[str]) -> str:
    return f'<nav aria-label="{name}"><ul>{"".join(f"<li>{link}</li>" for link in links)}</ul></nav>\n'


def _word(name: str) -> str:
    """A class: one of our own words."""
    return name if name.isalpha() and name.isascii() else ""


def _code(id_: object, pieces: Pieces | None) -> str:
    if pieces is None:
        return f"<code>{_line(id_text(id_))}</code>"
    shown = (f"<mark>{_line(piece)}</mark>" if marked else _line(piece) for piece, marked in pieces)
    return f"<code>{''.join(shown)}</code>"


def _ids(ids: Sequence[tuple[str, object]]) -> str:
    if not ids:
        return ""
    pieces: Sequence[Pieces | None] = compared(ids[0][1], ids[1][1]) if len(ids) == 2 else [None]
    rows = (
        f'<tr><th scope="row">{name}</th><td>{_code(id_, each)}</td></tr>\n'
        for (name, id_), each in zip(ids, pieces, strict=True)
    )
    words = f'<p class="quiet">{_line(difference_text(ids[0][1], ids[1][1]))}</p>\n' if len(ids) == 2 else ""
    return f'<table class="ids"><tbody>\n{"".join(rows)}</tbody></table>\n{words}'


def _answer(answer: parts.Answer, pieces: Pieces | None, number: int) -> str:
    again = " again" if number else ""
    failed = ' class="failed"' if answer.failed else ""
    bodies = "".join(map(_body, answer.bodies)) or f'<p class="lack">{EMPTY}</p>\n'
    title = f"<span{failed}>{_line(answer.title)}</span>"
    return f'<div class="side{again}"><h4>result · {title} · {_code(answer.id, pieces)}</h4>\n{bodies}</div>\n'


def _body(body: parts.Body) -> str:
    match body:
        case parts.Plain():
            return f"<pre>{_first(body.text)}{_lines(body.text)}</pre>\n{_cut(body.cut)}"
        case parts.Command():
            return f'<pre class="command">{_first(body.line.text)}{_lines(body.line.text)}</pre>\n{_cut(body.line.cut)}'
        case parts.Changes():
            lines = "".join(map(_changed, changed_lines(body.hunks)))
            return f'<p class="file">{_line(body.title)}</p>\n<pre class="diff">{lines}</pre>\n{_cut(body.cut)}'
        case parts.Todos():
            items = (
                f'<li class="{state.replace(" ", "-")}">{TODO_SIGNS[state]} {_line(words)}</li>\n'
                for state, words in body.items
            )
            return f'<ul class="todo">\n{"".join(items)}</ul>\n'
        case parts.Fields():
            fields = (
                f"{'  ' * min(depth, 20)}{f'<b>{_line(key)}</b>: ' if key else ''}{_line(value)}"
                for depth, key, value in body.lines
            )
            return f'<pre class="fields">{chr(10).join(fields)}</pre>\n{_cut(body.cut)}'
        case parts.Picture():
            picture = (
                f'<img src="data:{body.type};base64,{body.data}" alt="{_line(body.words)}">\n' if body.data else ""
            )
            return f"<figure>{picture}<figcaption>{_line(body.words)}</figcaption></figure>\n"


def _first(text: str) -> str:
    """A line end at the beginning of a `pre` is not shown, so there has to be another one."""
    return "\n" if text[:1] in ("\n", "\r") else ""


def _cut(cut: str) -> str:
    return f'<p class="more">{html.escape(cut)}</p>\n' if cut else ""


def _changed(line: ChangedLine) -> str:
    number = f"<i>{line.number}</i>" if line.number is not None else ""
    words = "".join(f"<mark>{_line(text)}</mark>" if kind == "only" else _line(text) for text, kind in line.marks)
    return f"<{line.tag}>{number}{LINE_SIGNS[line.tag]} {words}</{line.tag}>"
