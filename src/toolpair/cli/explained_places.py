"""The places in a file that a rule or an error text refers to, as plain data."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from toolpair.cli import inputs
from toolpair.cli.file_report import Entry, entry_of, location_entry, problem_entry
from toolpair.cli.for_error import is_meant
from toolpair.cli.main import explained
from toolpair.cli.terminal import one_profile
from toolpair.reports.reading.call_line import call_line
from toolpair.reports.reading.titles import result_title
from toolpair.session.session import Conversation, Location, Problem, Session, Target
from toolpair.shell.program import called
from toolpair.text.shell import shell_word
from toolpair.text.short import size_text

if TYPE_CHECKING:
    from toolpair.transcript.model import Block

_TYPED: Final = 120
"""Characters: a longer error text is given on standard input, as one in which quotes had to be written otherwise."""
_WORDS: Final = 200
_BLOCKS: Final = 5


def asked_of_file(options: argparse.Namespace, ask: Callable[[Session], list[Entry]]) -> tuple[list[Entry], str | None]:
    """The places in the file that was named, if any; and why it cannot be read: the rest is explained all the same."""
    if not options.file:
        return [], None
    profile = one_profile(options)
    try:
        return ask(inputs.opened(options, profile)), None
    except Exception as error:
        if os.environ.get("TOOLPAIR_TRACEBACK"):
            raise
        return [], explained(error)[0]


def places_of(session: Session, path: str, rule: str | None, thing: str, show_content: bool = False) -> list[Entry]:
    """All problems of a rule, or the place that a text refers to; empty when it refers to none."""
    if rule is not None:
        return list(_of_rule(session, path, rule, show_content))
    found = []
    for target in session.find_all(thing):
        if target.leads_somewhere or target.line is not None or target.recognised is not None:
            found.append(_of_target(session, path, target, thing, show_content))
    return found


def _of_target(session: Session, path: str, target: Target, thing: str, show_content: bool) -> Entry:
    number = target.conversation if target.conversation is not None else session.current
    conversation = session.conversations[number]
    meaning = target.recognised.meaning if target.recognised is not None else ""
    return {
        "text": target.text,
        "how": target.how,
        "notes": " ".join(target.text.replace(meaning, "").split()),
        "conversation": number,
        "profile": target.profile,
        **_place(session, conversation, target, show_content),
        "block": _block_words(conversation, target, show_content),
        "fixes": list(_fixes(path, target, thing)),
        "command": _command(session, path, number, target),
    }


def _block_words(conversation: Conversation, target: Target, show_content: bool) -> list[str]:
    """The block that is meant, with the other side of its pair, a line each, as a person sees them."""
    if target.pair is not None:
        pair = conversation.pairs[target.pair]
        return [_in_words(block, show_content) for block in (pair.call, *pair.results) if block is not None]
    if target.message is None:
        return []
    message = conversation.transcript.messages[target.message]
    blocks = message.blocks if target.place is None else target.place.blocks(message)
    return [f"{message.role}: {_in_words(block, show_content)}" for block in blocks[:_BLOCKS]]


def _in_words(block: Block, show_content: bool) -> str:
    if block.kind == "call":
        tool, does = call_line(block)
        return f"call     {tool}  {does}" if show_content else f"call     {tool}  {block.id}"
    words = " ".join(block.text[:_WORDS].split())
    size = result_title(block) if block.kind == "result" else size_text(len(block.text.encode(errors="replace")))
    return f"{block.kind:7}  {words if show_content and words else size}"


def _fixes(path: str, target: Target, thing: str) -> Iterator[Entry]:
    """All fixes for what is meant, each once, with the command that does it: several rules may have the same."""
    asked = shell_word(thing) if len(thing) <= _TYPED and not set(thing) & set("\n'") else inputs.STDIN
    acute = target.problem if is_meant(target) else None
    listed = set()
    for problem in (target.problem, *target.offers):
        if problem is None:
            continue
        for fix in problem.fixes:
            if (fix.id, fix.title, fix.loses) in listed:
                continue
            listed.add((fix.id, fix.title, fix.loses))
            best = problem is acute and fix is problem.recommended
            words = [called(), "fix", shell_word(path), "--for-error", asked]
            words += [] if best else ["--choose", f"{problem.rule}={fix.id}"]
            yield {
                "rule": problem.rule,
                **entry_of(fix, "id title certain loses"),
                "recommended": best,
                "command": None if path == inputs.STDIN else " ".join([*words, "--in-place"]),
            }


def _place(session: Session, conversation: Conversation, target: Target, show_content: bool) -> Entry:
    if target.problem is not None:
        return _of_problem(session, conversation, target.problem, show_content)
    location = Location(line=target.line)
    block = None
    if target.pair is not None:
        pair = conversation.pairs[target.pair]
        block = pair.call or pair.result
        location = Location(message=pair.start[0], block=pair.start[1], pair=pair.index)
    elif target.message is not None:
        message = conversation.transcript.messages[target.message]
        block = next(iter(message.blocks), None)
        location = Location(message=target.message)
    if block is not None and block.record in conversation.document:
        document = conversation.document
        line = conversation.source.line
        location = Location(
            document.index(block.record),
            line if line is not None else document.line_of_value(block.record, block.slot),
            None,
            location.message,
            location.block,
            location.pair,
        )
    return {
        "message": location.message,
        "pair": location.pair,
        "location": location_entry(location),
        "fix": None,
        "problem": None,
    }


def _of_problem(session: Session, conversation: Conversation, problem: Problem, show_content: bool) -> Entry:
    entry = problem_entry(session, conversation, problem, show_content)
    return {
        "message": problem.message,
        "pair": problem.pair,
        "location": entry["location"],
        "fix": next((fix for fix in entry["fixes"] if fix["recommended"]), None),
        "problem": entry,
    }


def _of_rule(session: Session, path: str, rule: str, show_content: bool) -> Iterator[Entry]:
    for number, conversation in enumerate(session.conversations):
        for problem in conversation.problems:
            if problem.rule == rule:
                target = Target(problem.text, problem.pair, problem.message, problem, conversation=number)
                yield {
                    "text": problem.text,
                    "how": "by the rule",
                    "notes": "",
                    "conversation": number,
                    "profile": None,
                    **_of_problem(session, conversation, problem, show_content),
                    "block": _block_words(conversation, target, show_content),
                    "fixes": [],
                    "command": _command(session, path, number, target),
                }


def _command(session: Session, path: str, number: int, target: Target) -> str | None:
    """The command to look at it; None when the interface cannot open it."""
    if path == inputs.STDIN or not target.leads_somewhere:
        return None
    conversation = session.conversations[number]
    where = None
    # Places are relative to the conversation that the interface opens on.
    if number == len(session.conversations) - 1:
        where = f"pair:{target.pair}" if target.pair is not None else None
        where = where or (f"message:{target.message}" if target.message is not None else None)
    if where is None and target.pair is not None:
        pair = conversation.pairs[target.pair]
        ids = [block.id for block in (pair.call, *pair.results) if block is not None]
        where = next((id_ for id_ in ids if isinstance(id_, str) and id_), None)
    if where is None and target.problem is not None:
        where = target.problem.rule
    if where is None:
        return None
    words = [called(), shell_word(path), "--at", shell_word(where)]
    if target.profile is not None:
        words += ["--profile", target.profile]
    return " ".join(words)
