"""A checked file as plain data: printed by `--output-format json`, and the source of every other output."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct, field

from toolpair.cli import inputs
from toolpair.cli.selection import wanted_rules
from toolpair.history.conversation import rank
from toolpair.session.session import Branch, Cause, Conversation, Location, Problem, Session, SessionError
from toolpair.session.summary import counts_of, family_of, sentence_of
from toolpair.source.errors import TooLarge
from toolpair.transcript.counting import plural

if TYPE_CHECKING:
    import argparse

    from toolpair.history.losses import Losses
    from toolpair.session.verdict_cache import Findings, Kept, Question, VerdictCache

Entry = dict[str, Any]
REPORT_VERSION: Final = 1
_WITH_BRANCHES: Final = frozenset({"json", "jsonl"})
"""Output formats that tell of a session's branches."""


def entry_of(found: object, names: str) -> Entry:
    """These attributes of an object under their own names."""
    return {name: getattr(found, name) for name in names.split()}


class Checked(Struct):
    """One file checked with one profile. `entry` is its part of the JSON report."""

    entry: Entry
    verdict: str = ""
    read: bool = True
    several: bool = False
    """The file is checked with other profiles as well."""
    on_resume: list[str | None] = field(default_factory=list)
    """What the agent does about each problem, as a sentence."""
    hidden: int = 0
    """How many problems were not asked for."""
    known: int = 0
    """How many problems are not shown because a baseline lists them."""
    kept: tuple[bytes, Kept] | None = None
    """What a `VerdictCache` takes of it."""
    findings: Findings | None = None
    """What was found, in numbers, where they are asked for (`options.counted`)."""


Answered = tuple[inputs.Input, list[Checked]]
"""A file with its reports, as far as they are known before it is checked."""


class Totals(Struct):
    """Totals over all files."""

    files: int = 0
    errors: int = 0
    warnings: int = 0
    unreadable: int = 0
    skipped: int = 0
    hidden: int = 0
    """Problems that were not asked for."""
    known: int = 0
    """Problems that a baseline lists."""
    seen: set[str] = field(default_factory=set)

    def add(self, checked: Checked) -> None:
        if checked.entry["path"] not in self.seen:
            self.seen.add(checked.entry["path"])
            self.files += 1
        if not checked.read:
            self.unreadable += 1
            return
        self.hidden += checked.hidden
        self.known += checked.known
        for problem in checked.entry["problems"]:
            self.errors += problem["severity"] == "error"
            self.warnings += problem["severity"] == "warning"

    @property
    def sentence(self) -> str:
        counts = [plural(self.errors, "error"), plural(self.warnings, "warning")]
        counts += [f"{self.unreadable:,} not readable"] if self.unreadable else []
        counts += [f"{self.known:,} known not shown"] if self.known else []
        counts += [f"{self.hidden:,} not asked for"] if self.hidden else []
        return f"{plural(self.files, 'file')}: {', '.join(counts)}."

    def as_json(self) -> Entry:
        """`known` and `hidden` are only there if some are not shown."""
        found = entry_of(self, "files errors warnings unreadable")
        return found | {key: count for key, count in entry_of(self, "known hidden").items() if count}


def describe(
    session: Session,
    path: str,
    show_content: bool = False,
    inactive: bool = False,
    several: bool = False,
    wanted: Callable[[str], bool] | None = None,
) -> Checked:
    """The report of one open session in its current state, over all its conversations: what stops comes first.

    With `inactive`, records that are not sent are checked as well. `several`: there is one report for each of several
    profiles. `wanted`: the rules to report, by name.
    """
    found: list[tuple[Problem, Conversation]] = []
    for conversation in session.conversations:
        for problem in (*conversation.problems, *(conversation.inactive_problems() if inactive else ())):
            found.append((problem, conversation))
    shown = sorted(found, key=lambda each: rank(each[0]))
    if wanted is not None:
        shown = [each for each in shown if wanted(each[0].rule)]
    problems = [problem_entry(session, conversation, problem, show_content) for problem, conversation in shown]
    on_resume = [problem.on_resume.text if problem.on_resume is not None else None for problem, _ in shown]
    entry: Entry = {
        "path": path,
        "format": session.format.id,
        "profile": session.profile.id,
        "counts": counts_of(session),
        "problems": problems,
    }
    if (family := family_of(session)) is not None:
        entry["family"] = family
    branches = [
        branch_entry(conversation, branch, show_content)
        for conversation in session.conversations
        for branch in conversation.transcript.tree.branches
    ]
    if branches:
        entry["branches"] = branches
    hidden = len(found) - len(shown)
    if hidden:
        entry["hidden"] = hidden
    sentence = "" if hidden else sentence_of(session)
    return Checked(entry, sentence, several=several, on_resume=on_resume, hidden=hidden)


def judge_file(
    source: inputs.Input, options: argparse.Namespace, progress: Callable[[int], None] | None = None
) -> list[Checked] | None:
    """One report per profile in `options.profile`; None for a file that is not a session and was not named by the user.

    `progress` is called with the number of bytes of a large file read so far.
    """
    skipping = source.walked or (options.skip_unrecognised and os.access(source.name, os.R_OK))
    if skipping and not inputs.may_be_session(source.name):
        return None
    several = len(options.profile) > 1
    wanted = wanted_rules(options.select, options.ignore)
    made: list[Checked] = []
    begun = time.time_ns()
    try:
        session = source.open(options, next(iter(options.profile), None), progress, reporting=not options.show_content)
        for profile in options.profile or [None]:
            if made:
                session.set_profile(profile)
            checked = describe(session, source.name, options.show_content, options.inactive, several, wanted)
            if options.cached and source.walked:
                from toolpair.session.verdict_cache import kept_of

                checked.kept = kept_of(session, question(options, profile), begun)
            if getattr(options, "counted", False):
                from toolpair.session.verdict_cache import findings_of

                checked.findings = findings_of(session, options.inactive)
            made.append(checked)
    except SessionError as error:
        # A file that is too large may well be a session.
        if skipping and not isinstance(error, TooLarge):
            return made or None
        made.append(unreadable(source.name, str(error)))
    return made


def question(options: argparse.Namespace, profile: str | None) -> Question:
    """How `options` have a session checked."""
    from toolpair.session.verdict_cache import Question

    return Question(options.format, profile, options.agent_version, options.max_size, options.inactive)


def known(source: inputs.Input, options: argparse.Namespace, cache: VerdictCache) -> list[Checked]:
    """The reports of a file as `judge_file` would make them, by what an earlier run has found; empty where they are not
    known, or have more to say than was kept.
    """
    if not source.walked or not inputs.may_be_session(source.name):
        return []
    made = []
    for profile in options.profile or [None]:
        found = cache.find(source.name, question(options, profile))
        if found is None:
            return []
        silent = options.quiet and not options.statistics and not found.errors and not found.warnings
        if not silent and (found.sentence is None or (found.branched and options.output_format in _WITH_BRANCHES)):
            return []
        entry = {"path": source.name, **entry_of(found, "format profile counts"), "problems": []}
        if found.family is not None:
            entry["family"] = found.family
        made.append(Checked(entry, found.sentence or "", several=len(options.profile) > 1))
    return made


def branch_entry(conversation: Conversation, branch: Branch, show_content: bool = False) -> Entry:
    """One branch of a file that forks. `active`: the agent would continue from there."""
    line = conversation.document.line_of(branch.record)
    names = "kind time messages active words" if show_content else "kind time messages active"
    return {"leaf": branch.leaf, "line": line, **entry_of(branch, names)}


def unreadable(path: str, sentence: str) -> Checked:
    """The report of a file that could not be read."""
    return Checked({"path": path, "error": sentence}, read=False)


def location_entry(place: Location) -> Entry:
    """A place in a file, as in the JSON report.

    `column` is set if a line holds more than one record, `end_line` for a range of lines.
    """
    entry = entry_of(place, "record line bytes message block pair")
    if place.column is not None:
        entry["column"] = place.column
    if place.end_line not in (None, place.line):
        entry["end_line"] = place.end_line
    return entry


def problem_entry(session: Session, conversation: Conversation, problem: Problem, show_content: bool = False) -> Entry:
    """One problem, as in the JSON report."""
    place = session.location(problem, conversation)
    resumed, best = problem.on_resume, problem.recommended
    sides = (problem.call, problem.result)
    entry: Entry = {
        **entry_of(problem, "rule severity impact evidence scope"),
        "message": problem.text,
        "location": location_entry(place),
        "call_id": _id_of(problem.call),
        "result_id": _id_of(problem.result),
        "tool": next((block.name for block in sides if block is not None and block.name), None),
        "cause": cause_entry(problem.cause) if problem.cause else None,
        "on_resume": entry_of(resumed, "agent version effect loses") if resumed is not None else None,
        "fixes": [
            {"id": fix.id, "title": fix.title, "recommended": fix is best, **entry_of(fix, "certain loses")}
            for fix in problem.fixes
        ],
    }
    if best is None and problem.no_fix:
        entry["no_fix"] = problem.no_fix
    if show_content:
        call, result = (block.text if block is not None else None for block in sides)
        entry["content"] = {"call": call, "result": result}
    return entry


def cause_entry(cause: Cause) -> Entry:
    """The cause: `evidence` is what shows it, `product` which program is known for it, `link` the source for that."""
    return entry_of(cause, "id text evidence product link") | {"evidence": cause.evidence or None}


def cause_sentence(entry: Entry) -> str:
    """A report entry's cause as a sentence: what it is and what shows it."""
    return f"{entry['text']}; {entry['evidence']}" if entry["evidence"] else str(entry["text"])


def _id_of(block: Any) -> str | None:
    """An id as written; one that is not a string is shown as JSON."""
    if block is None or block.id is None or isinstance(block.id, str):
        return None if block is None else block.id
    import json

    return json.dumps(block.id, default=str)


def place_shown(path: str, location: Entry) -> str:
    """PATH:LINE or PATH:LINE:COLUMN, as editors and terminals accept it."""
    return ":".join(str(part) for part in (path, location["line"], location.get("column")) if part is not None)


def losses_entry(losses: Losses) -> Entry:
    """Counts, and each thing that is lost. `size` is in bytes of UTF-8; for "words", their number."""
    whole = (*losses.outputs, *losses.words, *losses.images, *losses.calls, *losses.texts)
    return {
        "text": losses.text,
        "outputs": len(losses.outputs),
        "output_bytes": losses.output_bytes,
        "user_words": losses.user_words,
        "images": losses.images_gone,
        "calls": len(losses.calls),
        "input_bytes": losses.input_bytes,
        "texts": len(losses.texts),
        "no_longer_sent": len(losses.unsent),
        "at_another_call": len(losses.crossed),
        "details": [
            *({"what": lost.kind, **entry_of(lost, "id tool size")} for lost in whole),
            *({"what": f"{lost.kind}_no_longer_sent", **entry_of(lost, "id tool size")} for lost in losses.unsent),
            *(
                {"what": "at_another_call", "id": lost.result_id, **entry_of(lost, "belongs_to answers size")}
                for lost in losses.crossed
            ),
        ],
    }


def rule_shown(entry: Entry, rule: str, several: bool) -> str:
    """The rule, preceded by the profile if there are several."""
    return f"{rule} ({entry['profile']})" if several else rule
