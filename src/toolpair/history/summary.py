"""Summaries of a conversation: the verdict of the head, the causes with their counts, the rows of the pair list."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from toolpair.dialects.block_texts import result_text, says_something_real
from toolpair.history.checked_records import CheckedRecords
from toolpair.history.verdict_text import (
    Tally,
    Verdict,
    aside_text,
    badge_of,
    broken_text,
    sound_text,
    waiting_text,
)
from toolpair.rules.elsewhere import COPY
from toolpair.rules.problem import Cause, Fix, Problem
from toolpair.rules.profiles import Profile
from toolpair.rules.registry import RULES
from toolpair.transcript.model import KEPT_OUTPUT, Block, Boundary, Damaged, Transcript
from toolpair.transcript.pairing import Pair

RowKind = Literal["pair", "text", "cut", "compaction", "damaged"]
LABEL: Final = 400


class CauseGroup(Struct, frozen=True, eq=False):
    """Problems with one cause, which are decided together."""

    cause: Cause | None
    rule: str
    title: str
    """What its problems have in common."""
    tools: tuple[str, ...]
    """The distinct tools whose calls they are about."""
    problems: tuple[Problem, ...]
    certain: int
    guesses: int
    fix_title: str | None
    loses_outputs: int


class PairRow(Struct, frozen=True, eq=False):
    """One row of the pair list. `group` is the number of calls in the message: more than one ran in parallel."""

    kind: RowKind
    label: str = ""
    pair: Pair | None = None
    result: Block | None = None
    role: str | None = None
    message: int | None = None
    group: int = 1
    record: int | None = None


def tally_of(judged: CheckedRecords) -> Tally:
    transcript = judged.transcript
    cuts = [boundary.cut for boundary in transcript.boundaries if boundary.cut is not None]
    hidden = sum(cut.outputs for cut in cuts)
    hidden += sum(link.outputs for link in transcript.tree.broken if link.severity == "error")
    held, sent, placeholders = _outputs(judged)
    seen = judged.seen
    total = held + hidden + (judged.damaged.outputs if judged.damaged is not None else 0)
    # Neither in a pair nor in a damaged line: outputs known from elsewhere, and those that the history leaves out.
    total += sum(one.rule == "result.unreached" or _is_elsewhere(one) for one in judged.judgement.problems)
    stand_ins = sum(not message.records for message in transcript.messages) if transcript.edges is not None else 0
    return Tally(
        messages=len(transcript.messages) - stand_ins,
        calls=sum(found.call is not None for found in judged.pairs),
        waiting=sum(found.call is not None and not found.results for found in judged.pairs),
        outputs=total,
        seen=_outputs_seen(judged, total - hidden, sent),
        placeholders=placeholders,
        forgotten=sum(cut.messages for cut in cuts) + sum(map(_is_unsent, judged.judgement.problems)),
        shortened=len(seen.shortened) if seen is not None and seen.refuses is None else 0,
    )


def verdict_from(
    tally: Tally, problems: Sequence[Problem], head: Transcript, profile: Profile, refuses: str | None
) -> Verdict:
    """The verdict for the counts. `head` describes the session, `refuses` is why its agent does not resume it."""
    count = {
        severity: sum(found.severity == severity for found in problems) for severity in ("error", "warning", "info")
    }
    errors = count["error"]
    causes = len({group_key(problem) for problem in problems if problem.severity == "error"})
    refused = any(problem.impact == "stops" and problem.severity == "error" for problem in problems)
    outlook, badge = badge_of(tally, head, errors, refused, refuses)
    if errors:
        sentence = broken_text(tally, head, errors, causes, refused, refuses)
    else:
        sentence = sound_text(tally, head, profile, waiting_text(problems, head), refuses)
    return Verdict(
        messages=tally.messages,
        calls=tally.calls,
        outputs_total=tally.outputs,
        outputs_seen=tally.seen,
        outputs_shortened=tally.shortened,
        errors=errors,
        warnings=count["warning"],
        infos=count["info"],
        causes=causes,
        refused=refused,
        native=head.native,
        placeholders=tally.placeholders,
        waiting=tally.waiting,
        outlook=outlook,
        badge=badge,
        sentence=sentence + aside_text(head, errors),
    )


def _is_unsent(problem: Problem) -> bool:
    rule = RULES.get(problem.rule)
    return rule is not None and rule.of_unsent


def _outputs_seen(judged: CheckedRecords, held: int, sent: int) -> int:
    """How many of the outputs in the history (`held` in this part, of which its agent sends `sent`) reach the model."""
    if judged.seen is not None:
        return 0 if judged.seen.refuses is not None else sent
    lost = sum(
        found.outputs_lost
        for problem in judged.judgement.problems
        if not problem.rule.startswith("chain.") and (found := problem.on_resume) is not None
    )
    return max(held - lost, 0)


def _outputs(judged: CheckedRecords) -> tuple[int, int, int]:
    """Real outputs in the history, how many of them are sent, and results that are not real outputs.

    Identical copies count once; what was kept as text counts.
    """
    seen = judged.seen
    held = sent = placeholders = 0
    for found in judged.pairs:
        said: set[str] = set()
        reaching: set[str] = set()
        for result in found.results:
            text = result_text(result)
            if not says_something_real(text):
                placeholders += 1
                continue
            said.add(text)
            if seen is not None and seen.reaches(result):
                reaching.add(text)
        held += len(said)
        sent += len(reaching)
    kept = sum(
        block.kind == "text" and block.text.startswith(KEPT_OUTPUT)
        for message in judged.transcript.messages
        for block in message.blocks
    )
    return held + kept, sent + kept, placeholders


def _is_elsewhere(problem: Problem) -> bool:
    """Whether an output is known only from elsewhere: one in a damaged line is counted with that line."""
    in_a_line = problem.cause is not None and problem.cause.id == "unreadable"
    return not in_a_line and any(fix.id.startswith(COPY) for fix in problem.fixes)


def title_for(fixes: Sequence[Fix]) -> str:
    """One title for fixes of one kind: their own if they share it."""
    first = fixes[0]
    if all(fix.title == first.title for fix in fixes):
        return first.title
    kinds = dict.fromkeys(fix.several for fix in fixes)
    return first.several or first.title if None in kinds else "; ".join(filter(None, kinds))


def group_key(problem: Problem) -> tuple[str, str]:
    return (problem.rule, problem.cause.id if problem.cause is not None else "")


def groups_of(problems: Iterable[Problem]) -> tuple[CauseGroup, ...]:
    """Problems by rule and cause, errors first, then by size."""
    by_key: dict[tuple[str, str], list[Problem]] = {}
    for problem in problems:
        by_key.setdefault(group_key(problem), []).append(problem)
    groups = [_group(found) for found in by_key.values()]
    order = ("error", "warning", "info")
    return tuple(sorted(groups, key=lambda group: (order.index(group.problems[0].severity), -len(group.problems))))


def _group(problems: Sequence[Problem]) -> CauseGroup:
    first = problems[0]
    fixes = [fix for problem in problems if (fix := problem.recommended) is not None]
    return CauseGroup(
        cause=_cause_of_all(problems),
        rule=first.rule,
        title=_shared_title(problems),
        tools=tuple(dict.fromkeys(filter(None, map(_tool, problems)))),
        problems=tuple(problems),
        certain=len(fixes),
        guesses=sum(problem.guess for problem in problems),
        fix_title=title_for(fixes) if fixes else None,
        loses_outputs=sum(found.outputs_lost for problem in problems if (found := problem.on_resume) is not None),
    )


def _shared_title(problems: Sequence[Problem]) -> str:
    """What all of them have in common: the text of their cause, their own text, or else the subject of their rule."""
    first = problems[0]
    if first.cause is not None and len({problem.cause.text for problem in problems if problem.cause is not None}) == 1:
        return first.cause.text
    if len({problem.text for problem in problems}) == 1:
        return first.text
    from toolpair.rules.pages import page_of

    page = page_of(first.rule)
    return page.title if page is not None else first.text


def _tool(problem: Problem) -> str | None:
    block = problem.call or problem.result
    return block.name if block is not None else None


def _cause_of_all(problems: Sequence[Problem]) -> Cause | None:
    """The cause that the problems share; with a product only if it is the same for each."""
    first = problems[0].cause
    if first is None or all(
        problem.cause is not None and (problem.cause.product, problem.cause.link) == (first.product, first.link)
        for problem in problems
    ):
        return first
    return replace(first, product=None, link=None)


def rows_of(judged: CheckedRecords, order: Mapping[int, int]) -> list[PairRow]:
    """The pair list in transcript order. `order` maps record uids to places in the file, to place damaged records."""
    transcript = judged.transcript
    of_block = judged.judgement.pairing.of_block
    across = deque(rows_across(judged, order))
    rows: list[PairRow] = []
    for number, message in enumerate(transcript.messages):
        while across and across[0][0] <= number:
            rows.append(across.popleft()[1])
        calls = len(message.calls)
        for block in message.blocks:
            if block.kind == "text":
                label = block.text[:LABEL].strip()
                if label:
                    role = "summary" if message.note == "summary" else str(message.role)
                    rows.append(PairRow("text", label, role=role, message=number, record=block.record))
            elif block.kind == "call":
                found = of_block[id(block)]
                rows.append(
                    PairRow("pair", pair=found, result=found.result, message=number, group=calls, record=block.record)
                )
                rows.extend(
                    PairRow("pair", pair=found, result=result, message=number, group=calls, record=result.record)
                    for result in found.results[1:]
                )
            elif block.kind == "result":
                found = of_block[id(block)]
                if found.call is None:
                    rows.append(PairRow("pair", pair=found, result=block, message=number, record=block.record))
    rows.extend(row for _, row in across)
    return rows


def rows_across(judged: CheckedRecords, order: Mapping[int, int] | None) -> Iterator[tuple[int, PairRow]]:
    """The rows that are no part of a message, each with the number of the message that follows it: lost history,
    compactions, records that cannot be read. `order` as in `rows_of`; None if all of them can be read.
    """
    transcript = judged.transcript
    boundaries = {boundary.message: boundary for boundary in reversed(transcript.boundaries)}
    damaged = deque(_damaged_rows(judged, order) if order is not None else ())
    last = len(transcript.messages)
    for number, message in enumerate(transcript.messages if damaged else ()):
        place = min(((order or {}).get(uid, 0) for uid in message.records), default=0)
        while damaged and damaged[0][0] < place:
            yield number, damaged.popleft()[1]
        if number in boundaries:
            yield number, _across(judged, boundaries.pop(number), number)
    yield from (
        (number, _across(judged, boundary, number)) for number, boundary in sorted(boundaries.items()) if number < last
    )
    yield from ((last, row) for _, row in damaged)
    if last in boundaries:
        yield last, _across(judged, boundaries[last], None)


def _damaged_rows(judged: CheckedRecords, order: Mapping[int, int]) -> Iterator[tuple[int, PairRow]]:
    """The rows of unreadable records, with their places in the file: one row for lines reported together."""
    until = {
        problem.record: problem.until for problem in judged.judgement.problems if problem.rule.startswith("record.")
    }
    reasons = {item.uid: item.value.reason for item in judged.items if isinstance(item.value, Damaged)}
    reasons |= judged.damaged.reasons if judged.damaged is not None else {}
    malformed = [
        (order[uid], uid) for uid, scope in judged.transcript.scopes.items() if scope == "malformed" and uid in order
    ]
    runs: list[tuple[int, int, int, int]] = []
    """Places and uids of the first and last record of each."""
    for place, uid in sorted(malformed):
        if runs and place <= runs[-1][2]:
            continue
        if uid in until:
            last = until[uid]
            last = uid if last is None else last
            runs.append((place, uid, order.get(last, place), last))
        elif (
            runs
            and place == runs[-1][2] + 1
            and runs[-1][1] not in until
            and reasons.get(runs[-1][1]) == reasons.get(uid)
        ):
            runs[-1] = (*runs[-1][:2], place, uid)  # neither has a problem
        else:
            runs.append((place, uid, place, uid))
    for place, uid, _, last in runs:
        yield place, PairRow("damaged", _lines_before(judged, uid, last) + reasons.get(uid, "no message"), record=uid)


def _lines_before(judged: CheckedRecords, first: int, last: int) -> str:
    """The line numbers of several records, as a prefix for their text."""
    document = judged.document
    if document is None or first not in document or last not in document:
        return ""
    begin, end = document.line_of(first), document.last_line_of(last)
    several = document.kind == "lines" and begin is not None and end is not None and begin != end
    return f"lines {begin:,} to {end:,}: " if several else ""


def _across(judged: CheckedRecords, boundary: Boundary, message: int | None) -> PairRow:
    """A line across the list; that of a lost link names its line in the file."""
    if boundary.cut is None:
        return PairRow("compaction", boundary.text, message=message, record=boundary.record)
    document, record = judged.document, boundary.record
    known = document is not None and record is not None and record in document
    line = document.line_of(record) if document is not None and record is not None and known else None
    label = f"{boundary.text}, line {line:,}" if line is not None else boundary.text
    return PairRow("cut", label, message=message, record=record)
