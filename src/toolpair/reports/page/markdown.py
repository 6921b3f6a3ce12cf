"""The report as Markdown for GitHub. What a session says stands in code alone, so that none of it is markup."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolpair.reports.page import parts
from toolpair.reports.page.markdown_text import code, fenced, in_html, inline
from toolpair.reports.page.writer import (
    EMPTY,
    LINE_SIGNS,
    NO_ARGUMENTS,
    TODO_SIGNS,
    PageHead,
    Writer,
    changed_lines,
    compared,
    difference_text,
    id_text,
    neighbours,
)


class MarkdownWriter(Writer):
    """Writes pages."""

    def _link(self, link: parts.Link, page: int) -> str:
        return f"[{inline(link.words)}]({self.target(link, page)})"

    # the page around it

    def head(self, about: PageHead) -> Iterator[str]:
        page = f" Page {about.page:,} of {about.pages:,}." if about.pages > 1 else ""
        yield f"<!-- {about.comment} -->\n\n# Session report: {code(about.title)}\n\n"
        yield f"Written by toolpair {code(about.version)}.{page} {about.notice}\n\n"
        if about.page == 1 and about.jumps:
            yield "".join(f"- {self._link(link, about.page)}\n" for link in about.jumps) + "\n"
        yield from self._pages(about)

    def _pages(self, about: PageHead) -> Iterator[str]:
        if about.pages > 1:
            for words, number in neighbours(about):
                here = number == about.page
                yield f"- {inline(words)}\n" if here else f"- [{inline(words)}]({self.address(number)})\n"
            yield "\n"

    def foot(self, about: PageHead) -> Iterator[str]:
        if about.pages > 1:
            yield "---\n\n"
        yield from self._pages(about)

    # before the conversations

    def front(self, part: parts.Front, page: int) -> str:
        match part:
            case parts.Opening():
                return self._opening(part, page)
            case parts.ProblemGroup():
                count = f" ({part.counted})" if part.counted else ""
                return f"**Cause:** {inline(part.title)}{count}\n\n"
            case parts.ProblemPart():
                return self._problem(part, page)

    def _opening(self, part: parts.Opening, page: int) -> str:
        title = f"## Verdict: {_heading(part.title)}\n\n" if part.title else ""
        facts = "".join(f"- **{name}:** {code(words)}\n" for name, words in part.facts)
        link = f"{self._link(part.conversation, page)}\n\n" if part.conversation is not None else ""
        heading = ""
        if part.counted:
            heading = f'<a id="{part.anchor}-problems"></a>\n\n## What is wrong: {part.counted}\n\n'
        return (
            f'<a id="{part.anchor}"></a>\n\n{title}**{part.badge}** {inline(part.sentence)}\n\n{facts}\n{link}{heading}'
        )

    def _problem(self, part: parts.ProblemPart, page: int) -> str:
        about = [inline(part.where)] if part.where else []
        if part.about:
            about.insert(0, code(part.about))
        if part.target is not None:
            about.append(self._link(part.target, page))
        out = [
            f'<a id="{part.anchor}"></a>\n\n### {part.title}: {part.severity}, {part.impact}\n\n',
            f"**{inline(part.text)}**\n\n",
            f"About: {' · '.join(about)}\n\n" if about else "",
            _ids(part.ids),
        ]
        out += [f"- **{name}:** {inline(words)}\n" for name, words in part.lines]
        for fix in part.fixes:
            note = f" Note: {fix.note}" if fix.note else ""
            out.append(f"- **{fix.name}:** {inline(f'{fix.title}. {fix.loses}{note}')}\n")
        if part.no_fix is not None:
            out.append(f"- **{part.no_fix_name}:** {inline(part.no_fix)}\n")
        return "".join((*out, f"- **Rule:** {code(part.rule)}\n\n"))

    # the conversation

    def part(self, part: parts.Part, page: int) -> str:
        match part:
            case parts.Begin():
                return f'<a id="{part.anchor}"></a>\n\n## {_heading(part.title)}\n\n'
            case parts.Turn():
                time = f" · {part.time}" if part.time else ""
                about = self._about(part.problems, page)
                return (
                    f'<a id="{part.anchor}"></a>\n\n**From** {inline(part.who)} · {code(part.where)}{time}\n\n{about}'
                )
            case parts.Said():
                return self._said(part)
            case parts.PairPart():
                return self._pair(part, page)
            case parts.Across():
                about = self._about(part.problems, page)
                return f'---\n\n<a id="{part.anchor}"></a>\n\n**Here:** {inline(part.words)}\n\n{about}---\n\n'

    def _about(self, problems: Sequence[tuple[parts.Link, str]], page: int) -> str:
        return "".join(f"- {self._link(link, page)}: {inline(words)}\n" for link, words in problems) + (
            "\n" if problems else ""
        )

    def _said(self, part: parts.Said) -> str:
        if part.kind == "text":
            return f"{_body(part.body)}\n"
        return f"<details>\n<summary>{in_html(part.words)}</summary>\n\n{_body(part.body)}\n</details>\n\n"

    def _pair(self, part: parts.PairPart, page: int) -> str:
        said = f" · {in_html(part.answers[0].title)}" if part.answers else ""
        tool = f"{in_html(part.tool)} " if part.tool else ""
        state = f" · <b>{part.ending}</b>" if part.ending else ""
        out = [
            f'<a id="{part.anchor}"></a>\n\n<details{part.is_open}>\n',
            f"<summary>{part.number} {tool}{in_html(part.words)}{state}{said}</summary>\n\n",
            self._about(part.problems, page),
        ]
        if part.call is not None:
            time = f" · {part.time}" if part.time else ""
            out.append(f"**call** {code(id_text(part.call_id))}{time}\n\n")
            out.append("\n".join(map(_body, part.call)) or f"{NO_ARGUMENTS}\n")
            out.append("\n")
        for answer in part.answers:
            out.append(f"**result** {code(id_text(answer.id))} · {code(answer.title)}\n\n")
            out.append("\n".join(map(_body, answer.bodies)) or f"{EMPTY}\n")
            out.append("\n")
        if not part.answers:
            out.append(f"**result** {inline(part.lack)}\n\n")
        if part.both_ids:
            out.append(f"Note: {inline(difference_text(part.call_id, part.other_id))}\n\n")
        return "".join((*out, "</details>\n\n"))


def _heading(words: str) -> str:
    own, separator, label = words.partition(": ")
    return f"{inline(own)}{separator}{code(label) if label else ''}"


def _ids(ids: Sequence[tuple[str, object]]) -> str:
    if not ids:
        return ""
    lines = [f"{name:<8}{id_text(id_)}" for name, id_ in ids]
    words = ""
    if len(ids) == 2:
        left, right = ids[0][1], ids[1][1]
        words = f"Note: {inline(difference_text(left, right))}\n\n"
        carets = "".join(_carets(left, right)).rstrip()
        if all(line.isascii() for line in lines) and carets:
            lines.append(f"{'':<8}{carets}")
    return f"{fenced(chr(10).join(lines))}\n{words}"


def _carets(left: object, right: object) -> Iterator[str]:
    """A sign below each place where either differs."""
    one, two = (
        [marked for piece, marked in pieces for _ in piece] for pieces in compared(left, right)
    )  # a flag for each character
    for place in range(max(len(one), len(two))):
        yield "^" if any(place < len(flags) and flags[place] for flags in (one, two)) else " "


def _body(body: parts.Body) -> str:
    match body:
        case parts.Plain():
            return f"{fenced(body.text)}{_cut(body.cut)}" if body.text else f"{EMPTY}\n"
        case parts.Command():
            return f"{fenced(body.line.text, 'sh')}{_cut(body.line.cut)}"
        case parts.Changes():
            lines = "\n".join(
                f"{LINE_SIGNS[line.tag]}{''.join(text for text, _ in line.marks)}" for line in changed_lines(body.hunks)
            )
            return f"File {code(body.title)}\n\n{fenced(lines, 'diff')}{_cut(body.cut)}"
        case parts.Todos():
            return fenced("\n".join(f"{TODO_SIGNS[state]} {words}" for state, words in body.items))
        case parts.Fields():
            lines = "\n".join(
                f"{'  ' * min(depth, 20)}{f'{key}: ' if key else ''}{value}" for depth, key, value in body.lines
            )
            return f"{fenced(lines)}{_cut(body.cut)}"
        case parts.Picture():
            return f"Picture or file: {code(body.words)}\n"


def _cut(cut: str) -> str:
    return f"\n{inline(cut)}\n" if cut else ""
