"""`toolpair hook`: what makes an agent tell of a broken session by itself. It reports; a person repairs."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import orjson
from msgspec import Struct

from toolpair.cli import exits, streams
from toolpair.cli.exits import UsageError
from toolpair.cli.inputs import named as path_of
from toolpair.cli.meant import closest
from toolpair.cli.terminal import Parser, dump, out, safe, say
from toolpair.formats import get_agent
from toolpair.session.session import SessionError, open_session
from toolpair.session.summary import sentence_of
from toolpair.shell.machine import Machine, home_short
from toolpair.shell.program import command
from toolpair.source.errors import SaveFailed
from toolpair.source.splice import splice
from toolpair.text.shell import shell_word

_MARK: Final = "toolpair hook"
"""What is in everything that is installed, and found again by."""
_REPORTS: Final = "hook report claude-code"
"""The end of the command in Claude Code's settings, however the program's path has to be quoted there."""
_EVENTS: Final = ("SessionStart", "Stop")
_ID: Final = re.compile(r"\b[0-9a-f]{8}-[0-9a-f-]{27}\b")
_SECONDS: Final = 10
"""After which the agent goes on without an answer."""
_LONGEST: Final = 1 << 20
_EPILOG: Final = """\
examples:
  toolpair hook                           what there is, and whether it is installed
  toolpair hook claude-code               what would be written, and where
  toolpair hook claude-code --install     write it, after asking; --yes: without
  toolpair hook claude-code --remove
  toolpair hook shell >> ~/.bashrc

What is installed only reports: a line when a session is begun, resumed or at rest of which something would be lost or
refused. Nothing is repaired without you.

exit code: 0, 1 if it was not wanted, 2 if it cannot be done
"""
_SKILL: Final = """\
---
name: toolpair
description: Use when a request of an agent session is refused because of its history (400, tool_use without
  tool_result, tool_call_id, thinking signature, image too large), or when a session seems to have lost tool outputs.
---
<!-- {mark} -->
Sessions of agents are checked and repaired with `toolpair`; never edit a session file by hand.

1. `toolpair explain - FILE`, with the error text on standard input, says what it means and which block it points to.
2. `toolpair check FILE` lists what is broken and why. FILE may be a session's id, or `.` for this folder's newest.
3. `toolpair fix FILE --diff` shows what would change, `toolpair fix FILE -o OUT` writes a repaired copy.
4. Tell the user what would change and what it loses. Only the user decides to write to the session itself
   (`toolpair fix FILE --in-place`), while its agent is not running; the original is kept beside it.
"""
_PLUGIN: Final = """\
// {mark}: tells in a notice of a session that is broken. It only reports.
export const Toolpair = async ({{ $, client }}) => ({{
  event: async ({{ event }}) => {{
    if (event.type !== "session.idle") return
    const said = await $`{program} report opencode ${{event.properties.sessionID}}`.quiet().nothrow().text()
    if (said.trim()) await client.tui.showToast({{ body: {{ message: said.trim(), variant: "warning" }} }})
  }},
}})
"""
_SHELL: Final = """\
# {mark}: checks a session before its agent resumes it
claude() {{
  case " $* " in
    *" --resume "* | *" -r "* | *" --continue "* | *" -c "*) {program} report shell " $*" ;;
  esac
  command claude "$@"
}}
"""


def parser() -> Parser:
    result = Parser("hook", "Make an agent tell of a broken session by itself.", _EPILOG)
    result.add("""
        [WHAT]     claude-code, skill, opencode or shell; report is what they run
        [ARGS...]  of report
        --install  write it, after asking
        --remove   take it out again
        --yes      do not ask
        """)
    return result


class Hook(Struct, frozen=True):
    """`content` gives the whole file of the bytes that are there, None for no file; `without` the file without it."""

    title: str
    path: Callable[[Machine], Path]
    content: Callable[[bytes | None], bytes]
    without: Callable[[bytes], bytes | None]


def run(options: argparse.Namespace) -> int:
    if options.what == "report":
        return _report(options.argss)
    if options.argss:
        raise UsageError(f"`{command('hook --help')}` shows how it is used.")
    machine = Machine.here()
    if options.what is None:
        for name, hook in HOOKS.items():
            path = hook.path(machine)
            said = "installed" if _is_in(_read(path)) else "not installed"
            out(f"{name:<12} {hook.title}: {said}; {safe(home_short(str(path), str(machine.home)))}")
        return exits.OK
    if options.what == "shell":
        streams.write(_SHELL.format(mark=_MARK, program=command("hook")))
        return exits.OK
    if options.what not in HOOKS:
        meant = closest(options.what, (*HOOKS, "shell"))
        raise UsageError(f"There is no hook {options.what!r}. " + (f"Did you mean {meant}?" if meant else _known()))
    hook = HOOKS[options.what]
    path = hook.path(machine)
    there = _read(path)
    if options.remove:
        return _remove(hook, path, there, options.yes)
    made = hook.content(there)
    if not options.install:
        out(f"# {safe(path)}")
        streams.write(made.decode("utf-8", "backslashreplace"))
        return exits.OK
    if made == there:
        out(f"{safe(path)} has it already.")
        return exits.OK
    if not _wanted(f"Write to {safe(path)}?", options.yes):
        return exits.PROBLEMS
    _write(path, made)
    out(f"Written to {safe(path)}. `{command(f'hook {options.what} --remove')}` takes it out again.")
    return exits.OK


def _is_in(there: bytes | None) -> bool:
    return there is not None and (_MARK.encode() in there or _REPORTS.encode() in there)


def _known() -> str:
    return f"There are {', '.join(HOOKS)} and shell."


def _remove(hook: Hook, path: Path, there: bytes | None, yes: bool) -> int:
    if there is None or not _is_in(there):
        out(f"It is not in {safe(path)}.")
        return exits.OK
    left = hook.without(there)
    if not _wanted(f"Take it out of {safe(path)}?" if left is not None else f"Remove {safe(path)}?", yes):
        return exits.PROBLEMS
    if left is None:
        path.unlink()
    else:
        _write(path, left)
    out(f"Taken out of {safe(path)}." if left is not None else f"Removed {safe(path)}.")
    return exits.OK


def _wanted(question: str, yes: bool) -> bool:
    if yes:
        return True
    if not sys.stdin.isatty():
        raise UsageError("Asking needs a terminal; --yes writes without.")
    streams.say(f"{question} [y/N] ")
    return sys.stdin.readline().strip().casefold() in ("y", "yes")


def _read(path: Path) -> bytes | None:
    try:
        with path.open("rb") as file:
            return file.read(_LONGEST)
    except (FileNotFoundError, NotADirectoryError):
        return None


def _write(path: Path, data: bytes) -> None:
    """Whole or not at all; the mode of what is there stays, and a link is followed."""
    real = Path(os.path.realpath(path))
    made = real.with_name(f".{real.name}.toolpair-new")
    try:
        real.parent.mkdir(parents=True, exist_ok=True)
        mode = real.stat().st_mode & 0o7777 if real.exists() else 0o600
        with os.fdopen(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, mode), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(made, mode)
        os.replace(made, real)
    except OSError as error:
        raise SaveFailed(f"{path} could not be written: {error.strerror}; it is as it was.") from None


# --- what is written ----------------------------------------------------------------------------------------


def _whole(text: str) -> tuple[Callable[[bytes | None], bytes], Callable[[bytes], bytes | None]]:
    """Of a file that is toolpair's own."""
    return lambda there: text.format(mark=_MARK, program=command("hook")).encode(), lambda there: None


def _settings(there: bytes | None) -> Any:
    """Claude Code's settings. Raises UsageError where they are not an object."""
    try:
        found = orjson.loads(there or b"{}")
    except orjson.JSONDecodeError as error:
        raise UsageError(f"Claude Code's settings are not JSON ({error}); nothing was written.") from None
    if not isinstance(found, dict) or not isinstance(found.get("hooks", {}), dict):
        raise UsageError("Claude Code's settings are no object with hooks in it; nothing was written.")
    return found


def _with_hooks(there: bytes | None) -> bytes:
    if there is not None and _is_in(there):
        return there
    settings = _settings(there)
    entry = {"type": "command", "command": f"{command('hook')} report claude-code", "timeout": _SECONDS}
    hooks = dict(settings.get("hooks", {}))
    for event in _EVENTS:
        hooks[event] = [*hooks.get(event, []), {"hooks": [dict(entry)]}]
    return _spliced(there, settings, {**settings, "hooks": hooks})


def _without_hooks(there: bytes) -> bytes:
    settings = _settings(there)
    hooks: dict[str, Any] = {}
    for event, groups in settings["hooks"].items():
        kept = [group for group in groups if f'{_REPORTS}"' not in dump(group)]
        if kept or not groups:
            hooks[event] = kept if len(kept) < len(groups) else groups
    new = {key: value for key, value in settings.items() if key != "hooks"}
    return _spliced(there, settings, {**new, "hooks": hooks} if hooks else new)


def _spliced(there: bytes | None, old: Any, new: Any) -> bytes:
    """Every byte of what is there stays but for the entry."""
    if there is None or not there.strip():
        return orjson.dumps(new, option=orjson.OPT_INDENT_2) + b"\n"
    return splice(there, old, new)


HOOKS: Final = {
    "claude-code": Hook(
        "Claude Code's hooks on a session that begins, is resumed or rests",
        lambda machine: get_agent("claude-code").home(machine) / "settings.json",
        _with_hooks,
        _without_hooks,
    ),
    "skill": Hook(
        "a skill for Claude Code: what to do when a session is refused",
        lambda machine: get_agent("claude-code").home(machine) / "skills/toolpair/SKILL.md",
        *_whole(_SKILL),
    ),
    "opencode": Hook(
        "opencode's plugin: a notice when a session rests",
        lambda machine: machine.folder("XDG_CONFIG_HOME", machine.home / ".config") / "opencode/plugins/toolpair.js",
        *_whole(_PLUGIN),
    ),
}


# --- what they run ------------------------------------------------------------------------------------------


def _report(words: list[str]) -> int:
    """One line on what is wrong with a session, if something is. Never fails: it must not stop an agent."""
    agent, *others = words or [""]
    try:
        if agent == "claude-code":
            told = orjson.loads(sys.stdin.buffer.read(_LONGEST))
            said = _broken(str(told["transcript_path"]))
            if said is not None:
                out(dump({"systemMessage": said}))
        elif agent == "opencode":
            said = _broken(f"{get_agent('opencode').databases(Machine.here())[0]}::{others[0]}")  # type: ignore[attr-defined]
            if said is not None:
                out(said)
        elif agent == "shell":
            named = next(iter(_ID.findall(" ".join(others))), ".")
            said = _broken(path_of(named))
            if said is not None:
                say(said)
    except (SessionError, OSError, ValueError, LookupError, TypeError):
        return exits.OK
    return exits.OK


def _broken(path: str) -> str | None:
    """One line on a session of which something would be refused or lost."""
    session = open_session(path, reporting=True)
    serious = [problem for problem in session.problems if problem.impact in ("stops", "loses")]
    if not serious:
        return None
    return f"toolpair: {sentence_of(session)} `{command(shell_word(path))}` shows and fixes it."
