"""What `first-break` found, as text for a person: a paragraph for each request and cause."""

from __future__ import annotations

from itertools import groupby
from typing import Final

from msgspec import Struct

from toolpair.cli.file_report import cause_entry, cause_sentence
from toolpair.cli.terminal import TerminalStyle, dump, out, out_content, safe, say, typed
from toolpair.reports.first_break.breaks import Break, BrokenPair, FirstBreaks, of_request
from toolpair.reports.first_break.changes import TITLES, Renamed
from toolpair.reports.first_break.request import Answer, Request
from toolpair.reports.first_break.times import shown
from toolpair.shell.program import command
from toolpair.text.differ import differ
from toolpair.text.safe import visible
from toolpair.transcript.counting import plural

_PAIRS: Final = 5
"""Pairs of one cause of which the text lists no more; JSON has all."""
_REFUSED: Final = 5
_UNREAD: Final = {
    "cut": "the log cut {their} prompt",
    "compressed": "the body is compressed in a way that cannot be read",
    "no body": "the log has no history of {them}",
    "not rebuilt": "the file does not hold all parts of {them}",
}


def print_found(found: FirstBreaks, path: str, style: TerminalStyle, content: bool) -> None:
    printer = _Printer(path, style, content)
    for number, (_, breaks) in enumerate(groupby(found.breaks, key=lambda one: one.request.number)):
        if number:
            out()
        printer.request(list(breaks))
    if found.breaks:
        out()
    for request in found.refused[:_REFUSED]:
        printer.refused(request)
    if len(found.refused) > _REFUSED:
        out(f"… and {plural(len(found.refused) - _REFUSED, 'more such request')}; JSON lists them")
    _summary(found, path, style)
    _notes(found)


def command_for(one: Break, path: str) -> str:
    """The command that looks at the request of a break."""
    body = command(f"first-break {typed(path)} --request {one.request.number}")
    return f"{body} | {command('-')}" if one.readable else body


class _Printer(Struct, frozen=True):
    """Prints the breaks of one request after the other."""

    path: str
    style: TerminalStyle
    content: bool

    def request(self, breaks: list[Break]) -> None:
        request = breaks[0].request
        turn = f", turn {breaks[0].turn:,}" if breaks[0].turn else ""
        session = f" · {request.session}" if request.session else ""
        where = f"conversation {request.conversation:,}, its request {request.step:,}{turn}{session}"
        out(f"{self.style.bold(_name(request))}  {self.style.dim(safe(where))}")
        for one in breaks:
            self._break(one)
        self._answer(breaks[0])
        self._before(breaks[0])
        for text in dict.fromkeys(f"{TITLES[one.change.kind]}: {one.change.text}" for one in breaks):
            out(f"    changed  {safe(text)}")
        self._later(breaks)
        out(f"    look     {safe(command_for(breaks[0], self.path))}")

    def _break(self, one: Break) -> None:
        severity = self.style.severity("error", "error")
        several = f"  ×{len(one.pairs):,}" if len(one.pairs) > 1 else ""
        out(f"  {severity} {self.style.dim(one.rule)}{several}  {safe(one.pairs[0].text)}")
        for pair in one.pairs[:_PAIRS]:
            self._pair(pair, one)
        if len(one.pairs) > _PAIRS:
            out(f"    … and {len(one.pairs) - _PAIRS:,} more; JSON lists them")
        if one.cause is not None:
            out(f"    cause    {safe(of_request(cause_sentence(cause_entry(one.cause))))}")

    def _pair(self, pair: BrokenPair, one: Break) -> None:
        key, before = one.key, one.request.before
        if pair.call_id is None and pair.result_id is None:
            at = pair.call_at if pair.call_at is not None else pair.result_at
            if at is not None:
                out(f"    at       {key}.{at}")
            return
        tool = f"  {safe(pair.tool)}" if pair.tool else ""
        for side, id_, at in (("call", pair.call_id, pair.call_at), ("result", pair.result_id, pair.result_at)):
            where = f"  {key}.{at}" if at is not None else ""
            shown = (id_ or '"" (empty)') if isinstance(id_, str) else dump(id_)
            named = safe(shown) if id_ is not None else "no id" if at is not None else "none"
            if id_ is None and at is None and pair.lost_at is not None and before is not None:
                where = f"  was {key}.{pair.lost_at} of request {before.number:,}"
            out(f"    {side:<8} {named}{self.style.dim(where + tool)}")
            tool = ""
        if isinstance(pair.call_id, str) and isinstance(pair.result_id, str) and pair.call_id != pair.result_id:
            self._marks(pair.call_id, pair.result_id)
        if pair.renamed is not None and pair.renamed.before not in (pair.call_id, pair.result_id):
            self._renamed(pair.renamed)
        if self.content:
            out_content(self.style, "call", pair.call)
            out_content(self.style, "result", pair.result)

    def _renamed(self, renamed: Renamed) -> None:
        out(f"    was      {safe(renamed.before)}  {self.style.dim(f'the id of the {renamed.side} before')}")
        out(f"    is       {safe(renamed.after)}")
        self._marks(renamed.before, renamed.after)

    def _marks(self, above: str, below: str) -> None:
        """A line of carets below two ids, where either differs from the other."""
        found = differ(visible(above), visible(below))
        if found.none:
            return
        width = max((*found.left, *found.right)) + 1
        out(f"             {''.join('^' if at in found.left | found.right else ' ' for at in range(width))}")

    def _answer(self, one: Break) -> None:
        answer = one.request.answer
        if answer is not None and answer.taken:
            out(f"    API      answered {answer.status}: this provider took it")
        elif answer is not None:
            out(self.style.red(f"    API      {safe(_answered(answer))}"))
        elif one.expected is not None:
            out(f"    API      would say: {safe(one.expected)}")

    def _later(self, breaks: list[Break]) -> None:
        later = max((one.later for one in breaks), key=lambda later: later.still)
        if not later.still:
            return
        have = "has" if later.still == 1 else "have"
        said = f"{plural(later.still, 'later request')} of this conversation still {have} it"
        if later.refused:
            numbers = ", ".join(f"{number:,}" for number in later.refused[:_REFUSED])
            more = f" and {len(later.refused) - _REFUSED:,} more" if len(later.refused) > _REFUSED else ""
            said += f"; refused: request {numbers}{more}"
        out(f"    later    {said}")

    def _before(self, one: Break) -> None:
        before = one.request.before
        if before is None:
            return
        said = f"{_name(before)}: {plural(before.length, 'message')}"
        if one.ended:
            said += f", ended with {one.ended}"
        if before.answer is not None:
            said += f"; {_answered(before.answer)}"
        out(f"    before   {safe(said)}")

    def refused(self, request: Request) -> None:
        """A request that the provider refused for something else."""
        words = _answered(request.answer) if request.answer is not None else ""
        out(f"{_name(request)}  {safe(words)}")
        out(self.style.dim("    Nothing that is checked here is wrong with it."))


def _name(request: Request) -> str:
    time = f", {shown(request.time)}" if request.time is not None else ""
    return f"request {request.number:,}, line {request.line:,}{time}"


def _answered(answer: Answer) -> str:
    status = f"answered {answer.status}" if answer.status is not None else "answered with an error"
    return f"{status}: {answer.words}" if answer.words else status


def _summary(found: FirstBreaks, path: str, style: TerminalStyle) -> None:
    checked = len(found.requests) - sum(found.unread.values())
    against = f", checked against {', '.join(found.profiles)}" if found.profiles else ""
    what = f"{plural(checked, 'request')} in {plural(found.conversations, 'conversation')}"
    head = style.bold(safe(path)) + f" ({safe(found.log.kind.title + against)}): {what}, "
    if not found.breaks:
        out(head + style.green("no pair broke."))
        return
    requests = len({one.request.number for one in found.breaks})
    out(head + style.red(f"{plural(len(found.breaks), 'break')} in {plural(requests, 'request')}."))


def _notes(found: FirstBreaks) -> None:
    tally = found.log.tally
    if tally.broken:
        theirs = "its request is" if tally.broken == 1 else "their requests are"
        say(f"{plural(tally.broken, 'line')} cannot be read, so {theirs} missing.")
    for reason, count in sorted(found.unread.items()):
        one = count == 1
        why = _UNREAD[reason].format(their="its" if one else "their", them="it" if one else "them")
        say(f"{plural(count, 'request')} not checked: {why}.")
    if found.cut:
        say(f"The log shortened texts of {plural(found.cut, 'request')}; what only such a text breaks is not reported.")
