"""`toolpair prove`: the agent that is installed here resumes a copy of a session, and what it really sends is shown."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from typing import Final

from msgspec import Struct

from toolpair.agents.installed import command_path, version_of
from toolpair.cli import exits, inputs
from toolpair.cli.exits import UsageError
from toolpair.cli.file_report import Entry
from toolpair.cli.hand_over import print_texts, text_entries
from toolpair.cli.terminal import (
    Parser,
    TerminalStyle,
    add_common,
    add_options,
    agreed,
    dump,
    is_terminal,
    one_profile,
    out,
    safe,
    style_for,
)
from toolpair.formats import writer_of
from toolpair.formats.agent import Agent
from toolpair.formats.asking import Ask
from toolpair.history.verdict_text import all_of
from toolpair.proof import isolation
from toolpair.proof.asking import CannotAsk
from toolpair.proof.proof import Proof, how_it_starts, prove
from toolpair.session.session import Session
from toolpair.shell.program import command
from toolpair.transcript.counting import plural

_EPILOG: Final = """\
examples:
  toolpair prove session.jsonl              what the agent sends of it, now and after the recommended fixes
  toolpair prove session.jsonl --dry-run    what would be started, and with which variables
  toolpair prove fixed.jsonl --before --yes

The agent resumes a copy of the session in an empty home that is made for it and removed again. Its requests are
answered here, with one word, so that no tool runs; hooks, MCP servers and settings are not taken along. On Linux it
has no network but this where the system allows that. The session and your home are not touched.

exit code: 0 all that is real is sent, in a valid request (of the file as it is; with --fixed, after the fixes), 1 not,
2 the agent is not installed, or cannot be asked
"""
_NETWORK: Final = "It has a network of its own, in which there is nothing but the API that answers it."
_NO_NETWORK: Final = (
    "No network of its own can be had here: it is pointed at an API on this machine, but it may look for updates."
)


def parser() -> Parser:
    result = Parser(
        "prove", "Let the agent that is installed here resume a copy of a session, and show what it sends.", _EPILOG
    )
    result.add("FILE  a session file, a session's id, or - for standard input")
    which = result.add_mutually_exclusive_group()
    add_options(
        which,
        """
        --before  only as the file is now
        --fixed   only as it would be after the recommended fixes
        """,
    )
    result.add("""
        --program PATH  the agent's command; default: the one that a shell would run
        --seconds N     how long the agent may take, each time; default: as long as it usually needs, and more
        --dry-run       print what would be started, and start nothing
        --yes           do not ask before it is started
        """)
    add_common(result, ("text", "json"), "also print the beginnings of the texts that are missing")
    return result


class Asked(Struct, frozen=True):
    """The agent that is asked."""

    agent: Agent
    program: str
    version: str | None

    @property
    def named(self) -> str:
        return f"{self.agent.title} {self.version}" if self.version is not None else self.agent.title


def run(options: argparse.Namespace) -> int:
    if options.seconds is not None and options.seconds < 1:
        raise UsageError(f"--seconds takes a whole number of at least 1, not {options.seconds}.")
    session = inputs.opened(options, one_profile(options))
    asked = _asked(session, options)
    isolated = isolation.prefix() is not None
    if options.dry_run or not options.yes:
        _tell_start(session, asked, isolated)
        if options.dry_run:
            return exits.OK
        if not is_terminal(sys.stdin):
            raise UsageError(f"{asked.agent.title} is started only when you say so: add --yes.")
        if not agreed(f"Start {asked.agent.title}?"):
            return exits.UNREADABLE
    fixed = session.draft()
    fixes = sum(row.count for row in fixed.staged) if fixed.stage_recommended() is not None else 0
    sessions: dict[str, Session] = {} if options.fixed else {"before": session}
    if not options.before and (fixes or options.fixed):
        sessions["after"] = fixed
    try:
        proofs = prove(asked.agent, (asked.program,), sessions, fixed, isolated=isolated, seconds=options.seconds)
    except CannotAsk as error:
        raise UsageError(f"{options.file}: {error}") from error
    if options.output_format == "json":
        out(dump(_json(options, asked, isolated, proofs, fixes), indent=2))
    else:
        _print(options, asked, proofs, fixes)
    return exits.OK if next(iter(proofs.values())).is_whole else exits.PROBLEMS


def _asked(session: Session, options: argparse.Namespace) -> Asked:
    """Raises UsageError where nobody can be asked."""
    name = safe(options.file)
    if len(session.conversations) > 1:
        raise UsageError(f"{name}: it holds several conversations: an agent resumes one of them.")
    agent = writer_of(session.format.id, session.conversation.transcript, session.path)
    if agent is None:
        raise UsageError(f"{name}: it is not known which agent resumes it: `{command('sees')}` shows it as it is.")
    if agent.ask is None or agent.program is None:
        raise UsageError(f"{name}: {agent.title} cannot be asked: how it is started without a person is not known.")
    ask: Ask = agent.ask.found
    called = ask.command or agent.program.command
    program = options.program or command_path(called, agent.program.places, os.environ, os.path.expanduser("~"))
    if program is None:
        raise UsageError(
            f"{name}: {agent.title} is not installed here: no `{called}` is on the PATH; --program names one."
        )
    if not (os.path.isfile(program) and os.access(program, os.X_OK)):
        raise UsageError(f"{program}: this is no program: --program names the command that starts {agent.title}.")
    return Asked(agent, os.path.abspath(program), version_of(program, agent.program))


def _tell_start(session: Session, asked: Asked, isolated: bool) -> None:
    start = how_it_starts(asked.agent, (asked.program,), session)
    out(f"{asked.named} is started in an empty home with a copy of the session:")
    out()
    for key, value in sorted(start.variables.items()):
        out(f"  {safe(key)}={safe(shlex.quote(value))}")
    out(f"  {safe(shlex.join((asked.program, *start.arguments)))}")
    out()
    out(_NETWORK if isolated else _NO_NETWORK)


def _print(options: argparse.Namespace, asked: Asked, proofs: dict[str, Proof], fixes: int) -> None:
    style = style_for(sys.stdout, options.color)
    out(style.bold(f"{safe(options.file)}: {asked.named}, {safe(asked.program)}"))
    for name, proof in proofs.items():
        when = "as it is"
        if name == "after":
            when = f"after {plural(fixes, 'recommended fix', 'recommended fixes')}" if fixes else "with nothing to fix"
        _print_proof(when, asked, proof, style, options.show_content)


def _print_proof(when: str, asked: Asked, proof: Proof, style: TerminalStyle, content: bool) -> None:
    color = style.green if proof.is_whole else style.red
    out()
    if not proof.sent:
        out(color(f"{when}: {asked.agent.title} sends nothing."))
        if proof.note:
            out(f"  it says: {safe(' '.join(proof.note.split()))}")
    else:
        valid = "a valid request" if not proof.problems else f"a request with {plural(len(proof.problems), 'error')}"
        out(
            color(
                f"{when}: {asked.agent.title} sends {_of(proof.messages, 'message')} and "
                f"{_of(proof.outputs, 'output')}, in {valid}."
            )
        )
        for problem in proof.problems:
            out(f"  error      {problem.rule}  {safe(problem.message)}")
        if proof.missing:
            out("not sent:")
            print_texts(proof.missing, style, content)
    if proof.agrees:
        out("What `sees` says of it is true.")
        return
    out(style.yellow("What `sees` says of it is not what was sent:"))
    if proof.model_refuses is not None:
        out(f"  it says: {safe(proof.model_refuses)}")
    elif not proof.sent:
        out("  it says that the session is resumed")
    for title, texts in (("  said to be sent, and not sent:", proof.unexpected), ("  sent besides:", proof.besides)):
        if proof.sent and texts:
            out(title)
            print_texts(texts, style, content)


def _of(counts: tuple[int, int], noun: str) -> str:
    sent, total = counts
    if not total:
        return f"no {noun}"
    if sent == total:
        said = all_of(total, noun)
        return said[0].lower() + said[1:]
    return f"{sent:,} of {plural(total, noun)}"


def _json(options: argparse.Namespace, asked: Asked, isolated: bool, proofs: dict[str, Proof], fixes: int) -> Entry:
    return {
        "version": 1,
        "path": options.file,
        "agent": {"id": asked.agent.id, "title": asked.agent.title, "version": asked.version, "program": asked.program},
        "isolated": isolated,
        "fixes": fixes,
        **{name: _proof_entry(proof, options.show_content) for name, proof in proofs.items()},
    }


def _proof_entry(proof: Proof, content: bool) -> Entry:
    return {
        "sent": proof.sent,
        "note": proof.note or None,
        "messages": {"sent": proof.messages[0], "total": proof.messages[1]},
        "outputs": {"sent": proof.outputs[0], "total": proof.outputs[1]},
        "whole": proof.is_whole,
        "errors": [problem.rule for problem in proof.problems],
        "missing": text_entries(proof.missing, content),
        "model": {
            "agrees": proof.agrees,
            "refuses": proof.model_refuses,
            "said_to_be_sent": text_entries(proof.unexpected, content),
            "sent_besides": text_entries(proof.besides, content),
        },
    }
