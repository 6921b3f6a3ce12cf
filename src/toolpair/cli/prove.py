"""`toolpair prove`: the agent that is installed here resumes a copy of a session, and what it really sends is shown."""

from __future__ import annotations

import argparse
import shlex
import sys
from typing import Final

from toolpair.cli import exits, inputs
from toolpair.cli.exits import UsageError
from toolpair.cli.file_report import Entry
from toolpair.cli.hand_over import text_entries
from toolpair.cli.terminal import (
    Parser,
    add_common,
    add_options,
    dump,
    fitted,
    is_terminal,
    may_start,
    one_profile,
    out,
    safe,
    say,
    style_for,
)
from toolpair.proof import isolation
from toolpair.proof.asking import CannotAsk
from toolpair.proof.proof import Proof, how_it_starts, prove
from toolpair.proof.who import Asked, who_resumes
from toolpair.proof.words import NETWORK, NO_NETWORK, after_words, told
from toolpair.session.session import Session

_EPILOG: Final = """\
examples:
  toolpair prove session.jsonl              what the agent sends of it, now and after the recommended fixes
  toolpair prove session.jsonl --dry-run    what would be started, and with which variables
  toolpair prove fixed.jsonl --before --yes
  toolpair prove --corpus sessions/ --write releases.md    all sessions in a folder, as a table for each agent

The agent resumes a copy of the session in an empty home that is made for it and removed again. Its requests are
answered here, with one word, so that no tool runs; hooks, MCP servers and settings are not taken along. On Linux it
has no network but this where the system allows that. The session and your home are not touched.

exit code: 0 all that is real is sent, in a valid request (of the file as it is; with --fixed, after the fixes), 1 not,
2 the agent is not installed, cannot be asked, or gives no answer in time. With --corpus: 0 `sees` says of each
session what its agent sends, 1 of some it does not, 2 none could be asked about
"""


def parser() -> Parser:
    result = Parser(
        "prove", "Let the agent that is installed here resume a copy of a session, and show what it sends.", _EPILOG
    )
    result.add("FILE...  a session file, a session's id, or - for standard input; with --corpus several, and folders")
    which = result.add_mutually_exclusive_group()
    add_options(
        which,
        """
        --before  only as the file is now
        --fixed   only as it would be after the recommended fixes
        """,
    )
    result.add("""
        --corpus        ask about all these sessions, each as it is and after the recommended fixes
        --write PAGE    with --corpus: write what each agent loses into this page of Markdown, which keeps its tables of
                        the agents that are not asked
        --program PATH  the agent's command; default: the one that a shell would run
        --seconds N     how long the agent may take, each time; default: as long as it usually needs, and more
        --dry-run       print what would be started, and start nothing
        --yes           do not ask before it is started
        """)
    add_common(result, ("text", "json"), "also print the beginnings of the texts that are missing")
    return result


def run(options: argparse.Namespace) -> int:
    if options.seconds is not None and options.seconds < 1:
        raise UsageError(f"--seconds takes a whole number of at least 1, not {options.seconds}.")
    if options.corpus:
        from toolpair.cli.prove_corpus import run_corpus

        return run_corpus(options)
    if options.write is not None or len(options.files) > 1:
        raise UsageError("--write and several sessions belong to --corpus.")
    (options.file,) = options.files
    session = inputs.opened(options, one_profile(options))
    try:
        asked = who_resumes(session, options.program)
        if options.program and options.agent_version is None and options.file != inputs.STDIN:
            options.agent_version = asked.version  # what `sees` says of it is compared, not of the usual one
            session = inputs.opened(options, one_profile(options))
    except CannotAsk as error:
        raise UsageError(f"{safe(options.file)}: {error}.") from error
    isolated = isolation.prefix() is not None
    if options.dry_run or not options.yes:
        try:
            _tell_start(session, asked, isolated)
        except CannotAsk as error:
            raise UsageError(f"{safe(options.file)}: {error}.") from error
    if not may_start(options, asked.agent.title):
        return exits.OK if options.dry_run else exits.UNREADABLE
    if is_terminal(sys.stderr):
        say(f"Asking {asked.agent.title} …")
    fixed = session.draft()
    fixes = sum(row.count for row in fixed.staged) if fixed.stage_recommended() is not None else 0
    sessions = {} if options.fixed else {"before": (session, fixed)}
    if not options.before and (fixes or options.fixed):
        sessions["after"] = fixed, fixed
    try:
        asked, proofs = prove(asked, sessions, isolated=isolated, seconds=options.seconds)
    except CannotAsk as error:
        raise UsageError(f"{safe(options.file)}: {error}.") from error
    if options.output_format == "json":
        out(dump(_json(options, asked, isolated, proofs, fixes), indent=2))
    else:
        _print(options, asked, proofs, fixes)
    if not all(proof.is_known for proof in proofs.values()):
        return exits.UNREADABLE
    return exits.OK if next(iter(proofs.values())).is_whole else exits.PROBLEMS


def _tell_start(session: Session, asked: Asked, isolated: bool) -> None:
    start = how_it_starts(asked, session)
    out(f"{asked.named} is started in an empty home with a copy of the session:")
    out()
    for key, value in sorted(start.variables.items()):
        out(f"  {safe(key)}={safe(shlex.quote(value))}")
    out(f"  {safe(shlex.join((asked.program, *start.arguments)))}")
    out()
    for line in fitted(NETWORK if isolated else NO_NETWORK):
        out(line)


def _print(options: argparse.Namespace, asked: Asked, proofs: dict[str, Proof], fixes: int) -> None:
    style = style_for(sys.stdout, options.color)
    tones = {"good": style.green, "bad": style.red, "doubtful": style.yellow}
    out(style.bold(f"{safe(options.file)}: {asked.named}, {safe(asked.program)}"))
    for name, proof in proofs.items():
        out()
        when = "as it is" if name == "before" else after_words(fixes)
        for line in told(when, asked.agent.title, proof, options.show_content):
            text = safe(line.text)
            for part in fitted(text) if not text.startswith(" ") else (text,):  # what is listed stays as it is
                out(tones[line.tone](part) if line.tone else part)


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
            "agrees": proof.agrees if proof.is_known else None,
            "refuses": proof.model_refuses,
            "said_to_be_sent": text_entries(proof.unexpected, content),
            "sent_besides": text_entries(proof.besides, content),
        },
    }
