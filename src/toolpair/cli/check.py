"""`toolpair check`: report what is wrong in files, with an exit code that says whether anything is."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Final

from toolpair.cli import exits, inputs, streams
from toolpair.cli.exits import UsageError
from toolpair.cli.file_report import Answered, Checked, Totals, judge_file, known
from toolpair.cli.main import COMMANDS
from toolpair.cli.output import FORMATS, Output, Quiet, make_output
from toolpair.cli.progress import FilesProgress
from toolpair.cli.selection import selected, wanted_rules
from toolpair.cli.terminal import Parser, add_common, add_leaf, chosen_profiles, say, style_for
from toolpair.shell.program import command
from toolpair.transcript.counting import plural

if TYPE_CHECKING:
    from toolpair.cli.baseline import Baseline
    from toolpair.session.verdict_cache import VerdictCache

_EPILOG = """\
examples:
  toolpair check session.jsonl
  toolpair check ~/.claude/projects          every session below a directory
  toolpair check 7c3e1b                      the session whose id begins so
  some-program | toolpair check -            what is on standard input
  toolpair check log.json --profile anthropic --profile openai-chat
  toolpair check ~/.claude/projects -q       only files with errors or warnings
  toolpair check . --statistics              how often each rule, tool and cause occurs
  toolpair check . --baseline known.json     only what is not listed there; --update-baseline writes it
  toolpair check . --output-format sarif > toolpair.sarif

exit code: 0 no error, 1 errors found, 2 something cannot be read or is not a session
"""
LITTLE: Final = 16 << 20
"""Bytes of files that are checked in the time it takes workers to start."""


def parser() -> Parser:
    result = Parser(
        "check", "Find tool calls and results that do not match, and anything else that an API would refuse.", _EPILOG
    )
    result.add("""
        PATH...  a file, a session's id, a directory to walk (`.` without sessions: this folder's newest session), or
                 -
        """)
    result.set_defaults(cached=False, project=None)
    add_leaf(result)
    result.add(
        """
        --inactive           also check what is not sent (other branches, compacted history, sub-agents), as warnings
                             at most
        --skip-unrecognised  skip named files that are not sessions, as in directories; for hooks that name every JSON
                             file
        -q, --quiet          print only files with errors or warnings, and those that cannot be read
        --select RULE,…...   report only these; a family such as `result` names all its rules
        --ignore RULE,…...   do not report these
        --baseline FILE      report only what FILE does not list as known
        --update-baseline    write all that is found to that FILE, and report nothing of it
        --statistics         print how often each rule, tool and cause occurs in place of the problems (text or json)
        --jobs N             check up to N files at once, each in its own process; the output keeps its order.
                             Default: one for each core where several files are given; a few small files need none
        --no-cache           check every file, also those that are as they were when a walked directory was last checked
        """,
        jobs={"type": _number},
    )
    add_common(result, FORMATS, several="; may be given again: checked against each")
    return result


def run(options: argparse.Namespace) -> int:
    if options.leaf is not None and (len(options.paths) != 1 or os.path.isdir(options.paths[0])):
        raise UsageError("--leaf names a record of one session, so give one file.")
    output = _output(options)
    baseline = _settled(options)
    totals = Totals()
    cache = _cache(options)
    options.cached = cache is not None
    try:
        sources = _inside(inputs.collect(options.paths), options)
        _check(sources, options, _most_workers(options), output, totals, cache, baseline)
    finally:
        if cache is not None:
            cache.save()
    if inputs.HERE in options.paths and not totals.files:
        # Nothing was found by walking: check the newest session that an agent has in this folder.
        if options.project is not None:
            options = _without_project(options)
            baseline = _settled(options)
        _check(inputs.newest_here(), options, 1, output, totals, None, baseline)
    output.end(totals)
    _tell(options, totals, baseline)
    if totals.skipped and not totals.files and not options.skip_unrecognised:
        say(f"No session was found in {', '.join(options.paths)}; `{command('formats')}` lists what is recognised.")
        return exits.UNREADABLE
    if not totals.files and not totals.skipped:
        what = "files" if any(map(os.path.isdir, options.paths)) else "sessions"
        say(f"There are no {what} in {', '.join(options.paths)}.")
        return exits.UNREADABLE
    if totals.unreadable:
        return exits.UNREADABLE
    return exits.PROBLEMS if totals.errors else exits.OK


def _settled(options: argparse.Namespace) -> Baseline | None:
    """Look up what the options name. Raises UsageError."""
    options.profile = chosen_profiles(options)
    options.select, options.ignore = selected(options)
    return _baseline(options)


def _without_project(options: argparse.Namespace) -> argparse.Namespace:
    """The options without what the project sets: an agent's session lies outside of it."""
    from toolpair.cli.configured import configured

    path, _, typed = options.project
    say(f"Nothing that {path} sets is used: this folder's newest session is outside of that project.")
    made = parser()
    return made.parse_args([*configured("check", COMMANDS, None, made, typed), *typed])


def _inside(sources: Iterator[inputs.Input], options: argparse.Namespace) -> Iterator[inputs.Input]:
    """Without the walked files that are links out of the project whose settings are used."""
    if options.project is None:
        yield from sources
        return
    from toolpair.cli.configured import leads_out_of

    for source in sources:
        if source.walked and leads_out_of(source.name, options.project[0]):
            say(f"{source.name} is a link out of the project, and was not looked at: name the file itself.")
        else:
            yield source


def _output(options: argparse.Namespace) -> Output:
    style = style_for(sys.stdout, options.color)
    if options.statistics:
        from toolpair.cli import statistics

        if options.output_format not in statistics.FORMATS:
            raise UsageError("--statistics are printed as text or as json.")
        return statistics.Statistics(options.output_format, style)
    output = make_output(options.output_format, style)
    return Quiet(output) if options.quiet else output


def _baseline(options: argparse.Namespace) -> Baseline | None:
    if options.baseline is None:
        if options.update_baseline:
            raise UsageError("--update-baseline needs the file to write: --baseline FILE.")
        return None
    from toolpair.cli.baseline import Baseline

    wanted = wanted_rules(options.select, options.ignore)
    return Baseline(
        options.baseline, options.update_baseline, wanted, options.inactive, one_branch=options.leaf is not None
    )


def _tell(options: argparse.Namespace, totals: Totals, baseline: Baseline | None) -> None:
    """Write the baseline, and say what is not shown, and who has set that."""
    if baseline is not None and baseline.update:
        others = baseline.write()
        kept = f" It still lists {plural(others, 'problem')} of what was not checked this time." if others else ""
        say(f"{plural(baseline.hidden, 'problem')} written to {baseline.path}.{kept}")
    path, set_there, _ = options.project or (None, (), ())
    narrowed = [key for key in ("select", "ignore") if key in set_there]
    if totals.hidden and narrowed:
        say(f"Not shown, since {path} sets {' and '.join(narrowed)}: {plural(totals.hidden, 'problem')}.")
    elif totals.hidden and options.quiet:
        say(f"Not shown, since not asked for: {plural(totals.hidden, 'problem')}.")
    if totals.known and baseline is not None and not baseline.update:
        lists = f"{path} sets baseline" if "baseline" in set_there else f"{baseline.path} lists them"
        say(f"Not shown, since {lists}: {plural(totals.known, 'known problem')}.")


def _number(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or int(text) < 1:
        raise UsageError(f"--jobs takes a whole number of at least 1, not {text!r}.")
    return int(text)


def _most_workers(options: argparse.Namespace) -> int | None:
    """How many files may be checked at once; None for one per core."""
    one = len(options.paths) == 1 and not os.path.isdir(options.paths[0])
    return options.jobs or (1 if one else None)


def _cache(options: argparse.Namespace) -> VerdictCache | None:
    """What earlier runs have found, where directories are walked. A table of a form may change between two runs."""
    if options.no_cache or not any(map(os.path.isdir, options.paths)) or (options.format or "").endswith(".toml"):
        return None
    from toolpair.session.verdict_cache import VerdictCache

    return VerdictCache.of_user()


def _check(
    sources: Iterable[inputs.Input],
    options: argparse.Namespace,
    most: int | None,
    output: Output,
    totals: Totals,
    cache: VerdictCache | None,
    baseline: Baseline | None,
) -> None:
    """Check the files, and print each report as soon as its turn comes."""
    with FilesProgress(sources) as bar:
        answered = ((source, known(source, options, cache) if cache is not None else []) for source in bar.sources)
        for source, results in _judged(answered, options, most, bar):
            bar.finish(source)
            bar.tell_leftovers(source)
            if results is None:
                totals.skipped += 1
            for checked in results or ():
                if baseline is not None:
                    baseline.filter(checked)
                totals.add(checked)
                bar.clear()
                output.file(checked)
                if cache is not None and checked.kept is not None:
                    cache.keep(*checked.kept)
            if streams.unread() and (baseline is None or not baseline.update):
                return


def _judged(
    sources: Iterator[Answered], options: argparse.Namespace, most: int | None, bar: FilesProgress
) -> Iterator[tuple[inputs.Input, list[Checked] | None]]:
    """Each file with its reports, in order, checked unless they are known. Small files are checked here: workers take
    longer to start.
    """
    taken: list[Answered] = []
    size = 0
    while most != 1 and size < LITTLE and (one := next(sources, None)) is not None:
        if one[1] and not taken:
            yield one
            continue
        taken.append(one)
        size += one[0].size if not one[1] else 0
    if size >= LITTLE and len(taken := [*taken, *islice(sources, 1)]) > 1:
        from toolpair.cli.jobs import cores, judge_all

        workers = most or cores()
        if workers > 1:
            yield from judge_all(chain(taken, sources), options, workers, bar.read if bar.shown else None)
            return
    for source, answer in chain(taken, sources):
        yield source, answer or judge_file(source, options, partial(bar.read, source) if bar.shown else None)
