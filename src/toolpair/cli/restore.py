"""`toolpair restore`: lists the backups kept beside a file, and puts one back."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from toolpair.cli import exits, inputs, streams
from toolpair.cli.exits import UsageError
from toolpair.cli.progress import Progress
from toolpair.cli.terminal import Parser, add_color, add_format, dump, out, safe, say, style_for
from toolpair.formats import address_of, folder_layout
from toolpair.formats.engine.agents.databases import open_stored
from toolpair.session.saving import refuse_other_session
from toolpair.shell.program import command
from toolpair.source.addresses import divided, is_database, joined
from toolpair.source.limits import USUAL
from toolpair.source.rows.backup import backups_of, session_of
from toolpair.source.saving.backups import Backup, asides, backups
from toolpair.source.saving.restoring import restore
from toolpair.text.shell import shell_word

_EPILOG = """\
examples:
  toolpair restore session.jsonl                      list the backups
  toolpair restore session.jsonl --backup latest      put the newest back
  toolpair restore session.jsonl --backup session.jsonl.toolpair-20261121-0912.bak
  toolpair restore DATABASE::SESSION --backup latest  undo the newest save of this session

Before an original is put back, what the file contains now is kept beside it too. Files with what a fix set aside
are listed as well. TOOLPAIR_BACKUPS or `toolpair fix --keep-backups` say how many backups are kept.

exit code: 0 listed or put back, 2 no such file or backup, 3 refused and nothing changed, 4 put back, but read the note,
5 the system failed while writing
"""


def parser() -> Parser:
    result = Parser("restore", "List the backups of a file, or put one back.", _EPILOG)
    result.add("""
        FILE                the session file, or a session's id
        --backup NAME       put this one back; `latest` is the newest
        --allow-hard-links  even if the file has other hard links, which keep what they contain
        """)
    add_format(result, ("text", "json"))
    add_color(result)
    return result


def run(options: argparse.Namespace) -> int:
    given = options.file
    options.file, options.session = divided(address_of(given) or given)
    found = _backups(options) if options.file != inputs.HERE else []
    if not found and options.session is None:  # a file that is gone may have backups: then its name is no session's
        options.file, options.session = divided(inputs.named(options.file))
        found = _backups(options)
    inputs.finish_killed_save(_name(options))
    inputs.tell_leftovers(options.file)
    if options.backup is None:
        return _list(options, found)

    backup = _choose(options, found)
    in_rows = is_database(options.file) or Path(options.file).is_dir()
    refuse_other_session(options.file, backup.path)
    with Progress(backup.size, f"writing {Path(options.file).name}") as bar:
        links, layout = options.allow_hard_links, folder_layout(str(options.file))
        saved = restore(options.file, backup, allow_links=links, progress=bar.advance, layout=layout)
    streams.note_saved()
    as_json = options.output_format == "json"
    if as_json:
        kept = str(saved.backup) if saved.backup else None
        out(dump({"version": 1, "path": str(saved.path), "backup": kept, "notes": list(saved.notes)}))
    if not as_json or streams.failed():
        if in_rows:
            say(f"What that save changed in {options.file} is back as it was; the rest stays as it is now.")
        else:
            say(f"{options.file} is back as it was.")
        if saved.backup is not None:
            say(f"What it contained until now is kept as {saved.backup}.")
        for note in saved.notes:
            say(f"Note: {note}")
    return exits.READ_THE_NOTE if saved.notes else exits.OK


def _backups(options: argparse.Namespace) -> list[Backup]:
    """The newest first; those of the session alone, if one is named, perhaps by the beginning of its id."""
    if not options.session:
        return backups(options.file)
    found = backups_of(options.file, options.session)
    if not found:
        known = {one: session_of(str(one.path)) for one in backups(options.file)}
        begun = {name for name in known.values() if name is not None and name.startswith(options.session)}
        if len(begun) == 1:
            (options.session,) = begun
            found = [one for one, name in known.items() if name == options.session]
    return found


def _name(options: argparse.Namespace) -> str:
    return joined(options.file, options.session) if options.session else str(options.file)


def _choose(options: argparse.Namespace, found: list[Backup]) -> Backup:
    if not found:
        raise UsageError(f"There is no backup of {_name(options)}; nothing was changed.{_others(options)}")
    if options.backup == "latest":
        return found[0]
    for backup in found:
        if options.backup in (backup.path.name, str(backup.path)) or (
            inputs.same_file(options.backup, backup.path) and Path(options.backup).name == backup.path.name
        ):
            return backup
    raise UsageError(f"{options.backup} is not a backup of {_name(options)}; `{command('restore FILE')}` lists them.")


def _others(options: argparse.Namespace) -> str:
    """A sentence on the backups of other sessions."""
    if not options.session or not backups(options.file):
        return ""
    return f" `{command('restore')} {shell_word(options.file)}` lists those of other sessions."


def _entries(found: list[Backup]) -> list[dict[str, object]]:
    entries: list[dict[str, object]] = []
    for one in found:
        entries.append({"path": str(one.path), "time": one.time.isoformat(), "size": one.size})
        if (session := session_of(str(one.path))) is not None:
            entries[-1]["session"] = session
    return entries


def _list(options: argparse.Namespace, found: list[Backup]) -> int:
    side_files = asides(options.file) if not options.session else []
    if not found and not side_files and not Path(options.file).exists():
        raise UsageError(f"{options.file} does not exist, and there is no backup of it; check the name.")
    if options.session and not found and Path(options.file).exists():
        open_stored(options.file, options.session, _name(options), USUAL)  # the session may not be there either
    if options.output_format == "json":
        entries = {"backups": _entries(found), "asides": _entries(side_files)}
        out(dump({"version": 1, "path": options.file, **entries}, indent=2))
        return exits.OK
    style = style_for(sys.stdout, options.color)
    listed = [(one, f"  (session {safe(session)})" if (session := session_of(str(one.path))) else "") for one in found]
    for one, what in listed + [(one, "  (set aside by a fix)") for one in side_files]:
        name = style.bold(safe(one.path.name))
        out(f"{one.time:%Y-%m-%d %H:%M:%S}  {one.size:>12,} bytes  {name}{what}")
    if not found:
        say(f"There is no backup of {_name(options)}.{_others(options)}")
        return exits.OK
    say(f"To put the newest back: {command('restore')} {shell_word(_name(options))} --backup latest")
    return exits.OK
