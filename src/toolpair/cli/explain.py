"""`toolpair explain`: what a rule, a cause or an API error means, what to do, and where in a file it applies."""

from __future__ import annotations

import argparse
import re
import sys
from typing import Final

from msgspec import Struct

from toolpair.cli import exits, inputs
from toolpair.cli.exits import UsageError
from toolpair.cli.explained_places import asked_of_file, places_of
from toolpair.cli.file_report import Entry, entry_of, place_shown, problem_entry
from toolpair.cli.pasted import pasted
from toolpair.cli.rule_pages.entry import rule_entry
from toolpair.cli.rule_pages.text import print_rule
from toolpair.cli.terminal import Parser, TerminalStyle, add_common, add_pager, dump, out, safe, say, style_for, typed
from toolpair.rules.causes import CausePage, cause_called, cause_ids
from toolpair.rules.errors.error_detection import Recognised, nearest, passed_on_by, recognise_all
from toolpair.rules.errors.places import places_in, typed_place
from toolpair.rules.errors.texts import ErrorText, title_of
from toolpair.rules.errors.unwrapping import inner_text
from toolpair.rules.registry import RULES
from toolpair.session.session import Session
from toolpair.shell.program import command

_EPILOG: Final = """\
examples:
  toolpair explain result.missing
  toolpair explain provider_switch                      a cause, by its id or as `check` words it
  toolpair explain 'messages.22: `tool_use` ids were found without `tool_result` blocks …'
  toolpair explain "API Error: 400 …" session.jsonl     which block of the file it means
  toolpair explain - session.jsonl                      an error text that is pasted, or piped

Put a text with backticks in single quotes, or pass it through standard input: in double quotes the shell runs them.

exit code: 0 known, 1 unknown text or one that only reads like a known one, 2 bad usage or unreadable file
"""
_NAME: Final = re.compile(r"[a-z_]+(?:\.[a-z_0-9]+)?")
_CAUSE: Final = 400
"""Characters: no cause is longer."""
_LISTED: Final = 10
_SHOWN: Final = 160
_SAID: Final = 1_000
"""Characters shown of a known text, and of what an unknown one says."""


class _Asked(Struct, frozen=True):
    """What is to be explained, and what is known about it."""

    thing: str
    rule: str | None
    recognised: tuple[Recognised, ...]
    """The known errors in it; `places` has one for each, where there are several."""
    places: list[Entry]
    unreadable: str | None = None
    """Why the file could not be read, one sentence."""

    @property
    def rules(self) -> list[str]:
        if self.rule is not None:
            return [self.rule]
        return list(dict.fromkeys(rule for known in self.recognised for rule in known.error.rules))

    @property
    def known(self) -> bool:
        """A rule, a known error text, or a word that identifies a place; no text that only reads like a known one."""
        one_word = len(self.thing.split()) == 1
        errors = any(not known.read_like for known in self.recognised)
        if self.rule is not None or errors or (one_word and bool(self.places)):
            return True
        return any(fix["recommended"] for entry in self.places for fix in entry.get("fixes", ()))

    @property
    def said(self) -> str:
        """What an unknown text says inside its wrappers; empty when it has none."""
        plain = " ".join(self.thing.split())
        said = "" if self.known or _NAME.fullmatch(plain) else inner_text(self.thing)
        return said if said not in (plain, plain.strip(" .-")) else ""


def parser() -> Parser:
    result = Parser("explain", "Say what a rule or an error text means, where it points, and what to do.", _EPILOG)
    result.add("""
        THING   a rule, a cause or an error text; - reads it from standard input
        [FILE]  the session that the error text is about
        """)
    add_common(result, ("text", "json"))
    add_pager(result)
    return result


def run(options: argparse.Namespace) -> int:
    thing = options.thing
    if thing == inputs.STDIN:
        if options.file == inputs.STDIN:
            raise UsageError("Standard input can be the error text or the file, not both.")
        thing = pasted()
    thing = thing.strip()
    if not thing:
        raise UsageError("Explain what? Give a rule, such as result.missing, or an error text.")
    name = thing.strip("`'\"")
    rule = name if name in RULES else None
    if rule is None and len(name) < _CAUSE:
        page = cause_called(name)
        if page is not None:
            return _explain_cause(options, page)
    recognised = recognise_all(thing) if rule is None else ()

    def places(session: Session) -> list[Entry]:
        _judged_otherwise(session, recognised[-1] if recognised else None)
        return places_of(session, options.file, rule, thing, options.show_content)

    asked = _Asked(thing, rule, recognised, *asked_of_file(options, places))
    if options.output_format == "json":
        out(dump(_as_json(asked), indent=2))
    else:
        _print(options, asked, style_for(sys.stdout, options.color))
    return _ended(asked.unreadable, asked.known)


def _ended(unreadable: str | None, known: bool = True) -> int:
    """The exit code, after saying why the file could not be read."""
    if unreadable is not None:
        say(unreadable)
        return exits.UNREADABLE
    return exits.OK if known else exits.PROBLEMS


def _judged_otherwise(session: Session, recognised: Recognised | None) -> None:
    """Say so when the error came from another provider than the one whose rules the file is checked by."""
    profile = recognised.profile if recognised is not None else None
    if (
        recognised is None
        or recognised.is_of_nobody
        or profile is None
        or session.profile.id.partition("/")[0] == profile
    ):
        return
    say(
        f"This error is from {title_of(recognised.provider)}, and the file is checked against {session.profile.id}: "
        "both are considered."
    )


def _error_entry(error: ErrorText) -> Entry:
    return entry_of(error, "id provider text meaning remedy command evidence link")


def _as_json(asked: _Asked) -> Entry:
    errors = [
        {
            **_error_entry(known.error),
            "provider": None if known.is_of_nobody else known.provider,
            "title": None if known.is_of_nobody else title_of(known.provider),
            "read_like": known.read_like,
            "through": known.through,
            "profile": known.profile,
            "names": entry_of(known, "ids message block tool"),
            "count": len(asked.recognised),
        }
        for known in asked.recognised
    ]
    near = [] if asked.known or asked.recognised else [_error_entry(error) for error in nearest(asked.thing)]
    return {
        "version": 1,
        "thing": asked.thing,
        "known": asked.known,
        "error": errors[-1] if errors else None,
        "errors": errors,
        "says": asked.said or None,
        "nearest": near,
        "rules": [rule_entry(rule, [], whole=asked.rule is not None) for rule in asked.rules],
        "places": asked.places,
        "unreadable": asked.unreadable,
    }


def _print(options: argparse.Namespace, asked: _Asked, style: TerminalStyle) -> None:
    if asked.rule is not None:
        print_rule(rule_entry(asked.rule, []), style)
    several = len(asked.recognised) > 1 and len(asked.recognised) == len(asked.places)
    for number, known in enumerate(asked.recognised):
        if number:
            out()
        _print_error(known, options.file, style)
        if several:
            _print_place(options.file, asked.places[number], style)
    if several:
        return
    near = not (asked.known or asked.recognised) and _print_unknown(asked, style)
    if not options.file or asked.unreadable is not None:
        placed = bool(asked.recognised) or (asked.rule is None and _names_a_place(asked.thing))
        if placed and not options.file:
            out()
            out(f"With the session file after it, `{command('explain')}` says which block it means.")
        return
    if near or asked.rule is not None or asked.recognised:
        out()
    for entry in asked.places[:_LISTED]:
        _print_place(options.file, entry, style)
    if len(asked.places) > _LISTED:
        out(f"and {len(asked.places) - _LISTED:,} more: {command('check')} {typed(options.file)}")
    if not asked.places:
        none = "this rule finds no problem in it" if asked.rule else "the text names nothing that is in it"
        out(f"{safe(options.file)}: {none}.")
        if asked.rule is None:
            out(f"    To see what is wrong with it: {command('check')} {typed(options.file)}")


def _names_a_place(thing: str) -> bool:
    found = typed_place(thing) or next(iter(places_in(thing)), None)
    if found is not None:
        out(f"It names the place {safe(found.words)}.")
    return found is not None


def _print_error(known: Recognised, path: str | None, style: TerminalStyle) -> None:
    error = known.error
    out(safe(known.meaning) if known.read_like else f"{style.bold(safe(known.title))}: {safe(error.meaning)}")
    if known.read_like and known.through:
        out(f"  They came through {safe(known.through)}.")
    out(f"  What to do: {safe(error.remedy)}")
    if error.command:
        out(f"  Run: {command(error.command.replace('FILE', typed(path), 1) if path else error.command)}")
    if error.rules:
        out(f"  {'Rules' if len(error.rules) > 1 else 'Rule'}: {', '.join(error.rules)}")
    if not known.read_like:
        out(style.dim(f"  {safe(error.link)}"))


def _print_unknown(asked: _Asked, style: TerminalStyle) -> bool:
    """Say that it is unknown, what it says, and what is most similar. False when nothing is to be shown."""
    thing = asked.thing
    if _NAME.fullmatch(thing):
        import difflib

        alike = difflib.get_close_matches(thing, [*RULES, *cause_ids()], n=3)
        hint = f"Did you mean {' or '.join(alike)}?" if alike else f"`{command('rules')}` lists the rules."
        say(f"There is no rule, cause or error text {thing!r}. {hint}")
        return False
    say(f"This error text is unknown. Give the whole error text, or a rule that `{command('rules')}` lists.")
    if asked.said:
        through = passed_on_by(thing)
        whose = f"What {safe(through)} passed on" if through is not None else "What it says"
        out(f"{whose}: {safe(_shortened(asked.said, _SAID))}")
    near = nearest(thing)
    if near:
        what = "ones, none of which match" if len(near) > 1 else "one, which does not match"
        out(f"The nearest known {what}:")
    for error in near:
        out(f"  {style.bold(title_of(error.provider))}: {_shortened(error.text, _SHOWN)}")
        out(f"    {error.meaning}")
    return bool(near or asked.said)


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…"


def _print_place(path: str, entry: Entry, style: TerminalStyle) -> None:
    problem = entry["problem"]
    at = place_shown("", entry["location"])
    if problem is None:
        out(f"{safe(path)}{at}: {safe(entry['notes'] or entry['text'])}")
    else:
        message = problem["location"]["message"]
        named = f" (messages.{message})" if message is not None else ""
        severity = style.severity(problem["severity"], problem["severity"])
        out(f"{safe(path)}{at}: {severity} {problem['rule']}  {safe(problem['message'])}{named}")
        if entry["notes"]:
            out(f"    {safe(entry['notes'])}")
    for line in entry["block"]:
        out(style.dim(f"    {safe(line)}"))
    for fix in entry["fixes"] or ([entry["fix"]] if entry["fix"] else []):
        loses = f"loses {safe(fix['loses'])}" if fix["loses"] else "loses nothing"
        name = "or" if any(one["recommended"] for one in entry["fixes"]) and not fix["recommended"] else "fix"
        out(f"    {name}: {safe(fix['title'])} ({loses})")
        if fix.get("command"):
            out(style.dim(f"      {safe(fix['command'])}"))
    if entry["command"] is not None:
        out(f"    Open it there: {safe(entry['command'])}")


def _explain_cause(options: argparse.Namespace, page: CausePage) -> int:
    """How a cause comes about, which programs are known for it, and where the file shows it."""
    places, unreadable = asked_of_file(
        options, lambda session: _places_of_cause(session, page.id, options.show_content)
    )
    if options.output_format == "json":
        out(dump({**_cause_as_json(page, places), "unreadable": unreadable}, indent=2))
    else:
        _print_cause(options, page, places, unreadable is None)
    return _ended(unreadable)


def _print_cause(options: argparse.Namespace, page: CausePage, places: list[Entry], readable: bool) -> None:
    style = style_for(sys.stdout, options.color)
    out(f"{style.bold(page.id)}: {page.text}.")
    out(f"  {page.about}")
    for writer in page.writers:
        out(f"  Known from: {', '.join(part for part in (writer.product, writer.link) if part)}")
    if page.link is not None and all(writer.link != page.link for writer in page.writers):
        out(f"  See {page.link}")
    if options.file and readable:
        out()
        _print_places(options.file, places)


def _places_of_cause(session: Session, id_: str, show_content: bool) -> list[Entry]:
    return [
        problem_entry(session, conversation, problem, show_content)
        for conversation in session.conversations
        for problem in conversation.problems
        if problem.cause is not None and problem.cause.id == id_
    ]


def _print_places(path: str, places: list[Entry]) -> None:
    for entry in places[:_LISTED]:
        where = place_shown(safe(path), entry["location"])
        out(f"{where}: {entry['rule']}  {safe(entry['message'])}")
        if entry["cause"]["evidence"]:
            out(f"    {safe(entry['cause']['evidence'])}")
    if len(places) > _LISTED:
        out(f"and {len(places) - _LISTED:,} more: {command('check')} {typed(path)}")
    if not places:
        out(f"{safe(path)}: it causes no problem there.")


def _cause_as_json(page: CausePage, places: list[Entry]) -> Entry:
    return {
        "version": 1,
        "cause": {
            **entry_of(page, "id text about"),
            "known_from": [entry_of(writer, "product link") for writer in page.writers],
            "link": page.link,
        },
        "places": places,
    }
