"""`toolpair prove --corpus`: the agents that are installed here are asked about many sessions."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from toolpair.cli import exits, inputs
from toolpair.cli.exits import UsageError
from toolpair.cli.terminal import may_start, one_profile, out, safe, say
from toolpair.proof import isolation
from toolpair.proof.asking import CannotAsk
from toolpair.proof.corpus import Found, counted, page, prove_all, said, section, short_names
from toolpair.proof.who import Asked, who_resumes
from toolpair.proof.words import NETWORK, NO_NETWORK
from toolpair.session.session import Session, SessionError
from toolpair.source.errors import UnreadableFile
from toolpair.text.safe import visible_text
from toolpair.transcript.counting import plural


def run_corpus(options: argparse.Namespace) -> int:
    if options.output_format == "json" or options.before or options.fixed or options.program:
        raise UsageError("--corpus takes none of --output-format json, --before, --fixed and --program.")
    path = Path(options.write) if options.write is not None else None
    if path is not None and not os.access(path if path.exists() else path.parent, os.W_OK):
        raise UsageError(f"{safe(options.write)} cannot be written.")
    groups = _by_agent(options)
    if not groups:
        raise UsageError("There is no session here whose agent can be asked.")
    isolated = isolation.prefix() is not None
    if options.dry_run or not options.yes:
        for asked, names in groups.values():
            out(f"{asked.named}, {safe(asked.program)}, is started for each of {plural(len(names), 'session')}, twice.")
        out(NETWORK if isolated else NO_NETWORK)
    titles = {asked.agent.title for asked, _ in groups.values()}
    if not may_start(options, "them all" if len(titles) > 1 else titles.pop()):
        return exits.OK if options.dry_run else exits.UNREADABLE
    sections: dict[str, str] = {}
    told: dict[str, list[Found]] = {}
    wrong = 0
    for named, names in groups.values():
        say(f"Asking {named.named} about {plural(len(names), 'session')} …")
        try:
            asked, found = _asked(options, named, names, isolated)
        except (CannotAsk, SessionError) as error:
            say(f"{named.agent.title}: {safe(error)}.")
            continue
        for one in (unknown := [one for one in found if not one.is_known]):
            say(f"{asked.agent.title} gave no answer about {safe(one.name)} in time: what it sends is not known.")
        if len(unknown) == len(found):
            continue
        wrong += _tell(asked, [one for one in found if one.is_known])
        of_title = told.setdefault(asked.agent.title, [])  # Vibe's files and its store are of one agent
        of_title += found
        sections[asked.agent.title] = section(asked, of_title, str(datetime.now(UTC).date()))
        if path is not None:  # after each agent: all of them take long
            old = path.read_text("utf-8", "replace") if path.exists() else ""
            path.write_text(visible_text(page(old, sections)), "utf-8")
    return exits.UNREADABLE if not sections else exits.PROBLEMS if wrong else exits.OK


def _by_agent(options: argparse.Namespace) -> dict[str, tuple[Asked, list[str]]]:
    """The sessions of each agent, by its id; what cannot be asked about is said."""
    groups: dict[str, tuple[Asked, list[str]]] = {}
    without: dict[str, int] = {}
    for name in dict.fromkeys(_names(options.files)):
        try:
            asked = who_resumes(_opened(options, name))
        except CannotAsk as error:
            without[str(error)] = without.get(str(error), 0) + 1
        except (SessionError, UnreadableFile) as error:
            say(f"{safe(name)}: {safe(str(error).removeprefix(f'{name}: '))}")
        else:
            groups.setdefault(asked.agent.id, (asked, []))[1].append(name)
    for why, times in without.items():
        say(f"{plural(times, 'session')} left out: {safe(why)}.")
    return groups


def _names(given: list[str]) -> Iterator[str]:
    for source in inputs.collect(given):
        if not source.walked or inputs.may_be_session(source.name):
            yield source.name


def _opened(options: argparse.Namespace, name: str) -> Session:
    return inputs.Input(name).open(options, one_profile(options))


def _asked(options: argparse.Namespace, asked: Asked, names: list[str], isolated: bool) -> tuple[Asked, list[Found]]:
    sessions: Mapping[str, Session] = {
        short: _opened(options, name) for short, name in zip(short_names(names), names, strict=True)
    }
    return prove_all(asked, sessions, isolated=isolated, seconds=options.seconds)


def _tell(asked: Asked, found: list[Found]) -> int:
    """Print what is not sent whole, and where `sees` is wrong; how often that is. All got an answer."""
    wrong = [one for one in found if not one.agrees]
    broken = [one for one in found if not one.after.is_whole]
    out(
        f"{asked.named}: {plural(len(found), 'session')}, {len(broken):,} not sent whole after the fixes, "
        f"{len(wrong):,} of which `sees` says something else"
    )
    for one in broken:
        out(f"  after the fixes  {safe(one.name)}: {safe(said(one.after))}")
    for one in wrong:
        out(f"  `sees` is wrong  {safe(one.name)}: {safe('; '.join(_states(one)))}")
    return len(wrong)


def _states(found: Found) -> Iterator[str]:
    for when, proof in (("as it is", found.before), ("after the fixes", found.after)):
        if not proof.agrees:
            differ = ("not sent", proof.unexpected), ("sent besides", proof.besides)
            differs = "; ".join(f"{how}: {counted(texts)}" for how, texts in differ if texts)
            yield f"{when}: {said(proof) or 'sent whole'} (`sees`: {proof.model_refuses or differs or 'resumed'})"
