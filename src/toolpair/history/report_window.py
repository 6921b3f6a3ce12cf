"""A checked window reduced for a report: its findings without the content of its records."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, cached_property
from typing import Final

from msgspec.structs import replace

from toolpair.history.checked_records import CheckedRecords
from toolpair.history.window_checks import CheckedWindow
from toolpair.rules.judge import Judgement
from toolpair.rules.problem import Problem
from toolpair.transcript.model import Block
from toolpair.transcript.pairing import Pair, Pairing

_TOLD: Final = tuple(name for name, found in vars(CheckedWindow).items() if isinstance(found, cached_property))
"""Fields whose text comes from the records."""


def lightened(found: CheckedWindow) -> CheckedWindow:
    """The same problems at the same places, but with no fix to apply and nothing to show."""
    kept_fields = {name: getattr(found, name) for name in _TOLD}
    light = CheckedWindow(_light(found.judged))
    light.__dict__.update(kept_fields)
    return light


def _light(judged: CheckedRecords) -> CheckedRecords:
    block = cache(lambda full: replace(full, value=None))
    transcript, seen, judgement = judged.transcript, judged.seen, judged.judgement
    made = replace(judged, items=(), document=None)
    made.__dict__["transcript"] = replace(
        transcript,
        messages=tuple(
            replace(message, value=None, blocks=tuple(map(block, message.blocks))) for message in transcript.messages
        ),
        inactive_blocks=(),
        unreached=(),
        copies={},
        tree=replace(transcript.tree, broken=()),
        boundaries=(),
        frame=None,
    )
    kept_fields = None if seen is None else replace(seen, messages=(), fates={})
    made.__dict__["_look"] = lambda: kept_fields
    made.__dict__["judgement"] = Judgement(
        Pairing(tuple(_pair(pair, block) for pair in judgement.pairs), {}),
        tuple(_problem(problem, block) for problem in judgement.problems),
        judgement.new_ids,
    )
    return made


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
        fixes=tuple(replace(fix, edits=()) for fix in problem.fixes),
        says=None,
    )
