"""A judged window for a report: what it tells, without what its records say."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

from msgspec.structs import replace

from toolpair.history.checked_records import CheckedRecords
from toolpair.history.window_checks import CheckedWindow, ReportedWindow
from toolpair.rules.judge import Judgement
from toolpair.rules.problem import Fix, KnownOutcome, Problem
from toolpair.transcript.edits import Edit, InsertResult, Rename
from toolpair.transcript.model import Block
from toolpair.transcript.pairing import Pair, Pairing


def lightened(found: CheckedWindow) -> ReportedWindow:
    """The same problems at the same places, but with no fix to apply and nothing to show."""
    names = ReportedWindow.__struct_fields__[1:]
    return ReportedWindow(_light(found.judged), *(getattr(found, name) for name in names))


def _light(judged: CheckedRecords) -> CheckedRecords:
    block = cache(lambda full: replace(full, value=None))
    transcript, seen, judgement = judged.transcript, judged.seen, judged.judgement
    messages = (
        replace(message, value=None, blocks=tuple(map(block, message.blocks))) for message in transcript.messages
    )
    kept_fields = None if seen is None else replace(seen, messages=(), fates={})
    return replace(
        judged,
        items=(),
        document=None,
        view=replace(judged.view, surroundings=None),
        given=replace(
            transcript,
            messages=tuple(messages),
            inactive_blocks=(),
            unreached=(),
            agent_facts=None,
            copies={},
            tree=replace(transcript.tree, broken=()),
            boundaries=(),
            frame=None,
        ),
        look=lambda: kept_fields,
        as_judged=Judgement(
            Pairing(tuple(_pair(pair, block) for pair in judgement.pairs), {}),
            tuple(_problem(problem, block) for problem in judgement.problems),
            judgement.new_ids,
        ),
    )


def _pair(pair: Pair, block: Callable[[Block], Block]) -> Pair:
    call = None if pair.call is None else block(pair.call)
    return replace(pair, call=call, results=tuple(map(block, pair.results)), candidates=())


def _problem(problem: Problem, block: Callable[[Block], Block]) -> Problem:
    return replace(
        problem,
        call=None if problem.call is None else block(problem.call),
        result=None if problem.result is None else block(problem.result),
        others=(),
        about=None,
        fixes=tuple(replace(fix, edits=tuple(_edits(fix, block))) for fix in problem.fixes),
        resumes=KnownOutcome(problem.on_resume),
        says=None,
    )


def _edits(fix: Fix, block: Callable[[Block], Block]) -> Iterator[Edit]:
    """Those of which is asked, when all is judged, whether they part a call from what may be its output."""
    for edit in fix.edits:
        match edit:
            case Rename():
                yield replace(edit, block=block(edit.block))
            case InsertResult():
                yield replace(edit, call=block(edit.call))
