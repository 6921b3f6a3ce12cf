"""`toolpair explain`: what a rule or an API's error text means, and where in a file it points."""

from __future__ import annotations

import argparse
import sys

from toolpair.cli import exits, inputs
from toolpair.cli.knowledge import rule_names
from toolpair.cli.listings import print_rule, rule_entry
from toolpair.cli.output import dump
from toolpair.cli.report import Entry, problem_entry
from toolpair.cli.terminal import Parser, UsageError, add_common, one_profile, out, safe, say, style_for
from toolpair.rules.error_texts import ErrorText, recognise
from toolpair.session import Conversation, Problem, Session

_EPILOG = """\
examples:
  toolpair explain result.missing
  toolpair explain "messages.22: `tool_use` ids were found without `tool_result` blocks …"
  toolpair explain "API Error: 400 …" session.jsonl     which block of the file it speaks of
  pbpaste | toolpair explain -                          the error text from standard input

exit code: 0 known, 1 the text is not known, 2 bad usage or the file cannot be read
"""
_LISTED = 10


def parser(command: str = "explain") -> Parser:
    result = Parser(
        prog=f"toolpair {command}",
        description="Say what a rule or an error text means, where it points, and what to do.",
        epilog=_EPILOG,
    )
    result.add_argument("thing", metavar="THING", help="a rule, or an error text; - reads it from standard input")
    result.add_argument("file", nargs="?", metavar="FILE", help="the session that the error text is about")
    add_common(result, ("text", "json"))
    return result


def run(options: argparse.Namespace) -> int:
    thing = options.thing
    if thing == inputs.STDIN:
        if options.file == inputs.STDIN:
            raise UsageError("Standard input can be the error text or the file, not both.")
        thing = inputs.read_stdin().decode("utf-8", "replace")
    thing = thing.strip()
    if not thing:
        raise UsageError("What is to be explained? Give a rule, such as result.missing, or an error text.")
    name = thing.strip("`'\"")
    is_rule = name in rule_names()
    recognised = None if is_rule else recognise(thing)
    error = recognised.error if recognised else None
    if options.file:
        options.file = inputs.named(options.file)
    session = inputs.Input(options.file).open(options.format, one_profile(options)) if options.file else None
    rules = [name] if is_rule else list(error.rules) if error else []
    places = _places(session, name, is_rule, thing) if session else []
    if options.output_format == "json":
        out(dump(_as_json(thing, error, rules, places), indent=2))
    else:
        _print(options, error, rules, places)
    return exits.OK if rules or places else exits.PROBLEMS


def _places(session: Session, rule: str, is_rule: bool, thing: str) -> list[Entry]:
    """Where in the file it points: by rule all problems of it, by text what the session finds."""
    found: list[Entry] = []
    current = session.current
    for number, conversation in enumerate(session.conversations):
        if is_rule:
            found += [_place(session, conversation, one) for one in conversation.problems if one.rule == rule]
            continue
        session.current = number
        target = session.find(thing)
        if target is None or (target.message is None and target.pair is None and target.problem is None):
            continue
        entry: Entry = {"text": target.text, "message": target.message, "pair": target.pair, "problem": None}
        if target.problem is not None:
            entry["problem"] = problem_entry(session, conversation, target.problem)
        found.append(entry)
    session.current = current
    return found


def _place(session: Session, conversation: Conversation, problem: Problem) -> Entry:
    return {
        "text": problem.text,
        "message": problem.message,
        "pair": problem.pair,
        "problem": problem_entry(session, conversation, problem),
    }


def _as_json(thing: str, error: ErrorText | None, rules: list[str], places: list[Entry]) -> Entry:
    return {
        "version": 1,
        "thing": thing,
        "error": {"id": error.id, "provider": error.provider, "meaning": error.meaning, "link": error.link}
        if error
        else None,
        "rules": [rule_entry(rule, []) for rule in rules],
        "places": places,
    }


def _print(options: argparse.Namespace, error: ErrorText | None, rules: list[str], places: list[Entry]) -> None:
    style = style_for(sys.stdout, options.no_color)
    if error is not None:
        out(f"{style.bold(safe(error.provider))}: {safe(error.meaning)}")
        if error.link:
            out(style.dim(f"  {safe(error.link)}"))
        out()
    if len(rules) == 1:
        print_rule(rule_entry(rules[0], []), style)
    for entry in [rule_entry(rule, []) for rule in rules] if len(rules) > 1 else []:
        out(f"  {style.bold(entry['rule'])}  {entry['title']}")
    if not rules and not places:
        say("This text is not known. Give the whole error text, or a rule that `toolpair rules` lists.")
    if not options.file:
        if error is not None:
            out()
            out("  With the session file behind it, `toolpair explain` says which block is meant.")
        return
    out()
    for entry in places[:_LISTED]:
        _print_place(options.file, entry)
    if len(places) > _LISTED:
        out(f"and {len(places) - _LISTED:,} more: toolpair check {safe(options.file)}")
    if not places and rules:
        out(f"{safe(options.file)}: nothing in this file fits.")


def _print_place(path: str, entry: Entry) -> None:
    problem = entry["problem"]
    if problem is None:
        where = f", messages.{entry['message']}" if entry["message"] is not None else ""
        out(f"{safe(path)}{where}: {safe(entry['text'])}")
        return
    line = problem["location"]["line"]
    where = f":{line}" if line is not None else ""
    message = f" (messages.{problem['location']['message']})" if problem["location"]["message"] is not None else ""
    out(f"{safe(path)}{where}: {problem['severity']} {problem['rule']}  {safe(problem['message'])}{message}")
    best = next((fix for fix in problem["fixes"] if fix["recommended"]), None)
    if best:
        out(f"    fix: {safe(best['title'])} ({'loses ' + safe(best['loses']) if best['loses'] else 'loses nothing'})")
