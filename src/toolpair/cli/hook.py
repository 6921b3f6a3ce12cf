"""`toolpair hook`: what makes an agent tell of a broken session by itself. It reports; a person repairs."""

from __future__ import annotations

import argparse
import hashlib
import html
import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import orjson
from msgspec import Struct

from toolpair.agents.catalog import index
from toolpair.cli import exits, streams
from toolpair.cli.exits import UsageError
from toolpair.cli.inputs import version_here
from toolpair.cli.meant import closest
from toolpair.cli.terminal import Parser, agreed, dump, out, safe, say
from toolpair.formats import get_agent
from toolpair.session.session import open_session
from toolpair.session.summary import sentence_of
from toolpair.shell.machine import Machine, home_short
from toolpair.shell.program import command, current_folder
from toolpair.shell.whole_files import write_whole
from toolpair.source.errors import Refused, SaveFailed
from toolpair.source.splice import splice
from toolpair.source.system import FLAGS, O_WAITLESS
from toolpair.text.shell import shell_word

_MARK: Final = "toolpair hook"
"""What is in every file of toolpair's own, with a digest of the file."""
_MARKED: Final = re.compile(rf"(?<={_MARK}) ([0-9a-f]{{16}})\b")
_REPORTS: Final = "report claude-code || exit 0"
"""The end of the command in Claude Code's settings: an exit code of 2 would stop the agent."""
_OF_ANY: Final = re.compile(r"[^;&|]*\btoolpair\S* hook report claude-code( \|\| exit 0)?")
"""The command that any toolpair has written there, however its path has to be quoted."""
_NOTIFIED: Final = ["hook", "report", "codex"]
"""The end of the command in Codex's settings; Codex adds what has ended, as JSON."""
_LINE: Final = re.compile(rf"^notify = \[.*\]  # {_MARK}\n".encode(), re.MULTILINE)
_NOTICES: Final[dict[str, tuple[str, ...]]] = {
    "notify-send": ("--app-name=toolpair", "--", "toolpair"),
    "osascript": ("-e", 'on run argv\ndisplay notification (item 1 of argv) with title "toolpair"\nend run'),
}
"""What shows a desktop notification; the text is the last argument."""
_EVENTS: Final = ("SessionStart", "Stop")
_ID: Final = re.compile(r"\b[0-9a-f]{8}-[0-9a-f-]{27}\b")
_SECONDS: Final = 10
"""After which the agent goes on without an answer."""
_LONGEST: Final = 1 << 20
_EPILOG: Final = """\
examples:
  toolpair hook                           what there is, and whether it is installed
  toolpair hook claude-code               what would be written, and where
  toolpair hook claude-code --install     write it, after asking; --yes does not ask
  toolpair hook claude-code --remove
  toolpair hook shell >> ~/.bashrc

What is installed only reports: one line when a session begins, is resumed or comes to rest, if something in it would be
lost or refused. Nothing is repaired without you.

exit code: 0, 1 if it was not wanted, 2 if it cannot be done, 3 if that would overwrite what is not toolpair's
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
        [WHAT]     claude-code, skill, codex, opencode or shell; report is what they run
        [ARGS...]  of report
        --install  write it, after asking
        --remove   take it out again
        --yes      do not ask
        """)
    return result


class Hook(Struct, frozen=True):
    """What there is to install. The bytes are those of the whole file; None where there is none."""

    title: str
    path: Callable[[Machine], Path]
    state: Callable[[bytes | None], str]
    content: Callable[[bytes | None], bytes]
    """The file with it."""
    added: Callable[[bytes | None, bytes], str]
    """What the second has and the first has not, to be shown."""
    without: Callable[[bytes], bytes | None]
    """The file without it."""


_IN: Final = "installed"
_NOT_IN: Final = "not installed"
_ANOTHER: Final = "another file is there"
_ANOTHERS: Final = "its notify is another's"
_WHY_NOT: Final = {
    _ANOTHER: "{} is not as toolpair wrote it and stays as it is; only you can move or remove it.",
    _ANOTHERS: "{} has a notify, and Codex runs only one: it stays as it is.",
}


def run(options: argparse.Namespace) -> int:
    if options.what == "report":
        return _report(options.argss)
    if options.argss:
        told = f"`{command('hook --help')}` shows how it is used."
        raise UsageError(f"One WHAT at a time: {options.argss[0]!r} is one too many. {told}")
    machine = Machine.here()
    if options.what is None:
        for name, hook in HOOKS.items():
            path = hook.path(machine)
            try:
                said = hook.state(_read(path))
            except (UsageError, OSError):
                said = "its file cannot be read"
            out(f"{name:<12} {hook.title}: {said}; {safe(home_short(str(path), str(machine.home)))}")
        out(f"{'shell':<12} a function that checks before `claude --resume`: {_by_hand()}")
        return exits.OK
    if options.what == "shell":
        if options.install or options.remove:
            raise UsageError(f"Your shell's settings are yours: {_by_hand()}, and it is removed there by hand.")
        streams.write(_SHELL.format(mark=_MARK, program=command("hook")))
        return exits.OK
    if options.what not in HOOKS:
        meant = closest(options.what, (*HOOKS, "shell"))
        raise UsageError(f"There is no hook {options.what!r}. " + (f"Did you mean {meant}?" if meant else _known()))
    hook = HOOKS[options.what]
    path = hook.path(machine)
    there = _read(path)
    state = hook.state(there)
    if state in _WHY_NOT:
        raise Refused(_WHY_NOT[state].format(path))
    if options.remove:
        return _remove(hook, path, there if state == _IN else None, options.yes)
    made = hook.content(there)
    if made == there:
        out(f"{safe(path)} has it already.")
        return exits.OK
    if not options.install:
        out(f"# {safe(path)}")
        for line in hook.added(there, made).splitlines():
            out(safe(line))
        return exits.OK
    if not _wanted(f"Write to {safe(path)}?", options.yes):
        return exits.PROBLEMS
    _write(path, made, there)
    if options.what == "codex" and not any(map(shutil.which, _NOTICES)):
        say(f"Neither {' nor '.join(_NOTICES)} is installed, so nothing will be shown until one is.")
    out(f"Written to {safe(path)}. `{command(f'hook {options.what} --remove')}` takes it out again.")
    return exits.OK


def _by_hand() -> str:
    return f"`{command('hook shell')} >> ~/.bashrc` adds it"


def _known() -> str:
    return f"There are {', '.join(HOOKS)} and shell."


def _remove(hook: Hook, path: Path, there: bytes | None, yes: bool) -> int:
    if there is None:
        out(f"It is not in {safe(path)}.")
        return exits.OK
    left = hook.without(there)
    if not _wanted(f"Take it out of {safe(path)}?" if left is not None else f"Remove {safe(path)}?", yes):
        return exits.PROBLEMS
    _write(path, left, there)
    out(f"Taken out of {safe(path)}." if left is not None else f"Removed {safe(path)}.")
    return exits.OK


def _wanted(question: str, yes: bool) -> bool:
    if yes:
        return True
    if not sys.stdin.isatty():
        raise UsageError("A question needs a terminal; --yes goes ahead without asking.")
    return agreed(question)


def _read(path: Path) -> bytes | None:
    """Raises UsageError for what cannot be such a file, and OSError."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise UsageError(f"{path} is not a regular file; nothing was written.")
        with open(os.open(path, os.O_RDONLY | O_WAITLESS | FLAGS), "rb") as file:
            data = file.read(_LONGEST + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    if len(data) > _LONGEST:
        raise UsageError(f"{path} has more than a megabyte; nothing was written.")
    return data


def _write(path: Path, data: bytes | None, there: bytes | None) -> None:
    """Whole or not at all, and only while it is as it was read; None removes it. The mode of what is there stays, and
    a link is followed.
    """
    real = Path(os.path.realpath(path))
    try:
        if data is None:
            _refuse_changed(path, there)
            path.unlink()
            return
        real.parent.mkdir(parents=True, exist_ok=True)
        mode = real.stat().st_mode & 0o7777 if real.exists() else 0o600
        write_whole(str(real), data, mode, lambda: _refuse_changed(path, there))
    except OSError as error:
        raise SaveFailed(f"{path} could not be written: {error.strerror}; it is as it was.") from None


def _refuse_changed(path: Path, there: bytes | None) -> None:
    if _read(path) != there:
        raise Refused(f"{path} has changed meanwhile; nothing was written.", "changed")


# --- what is written ----------------------------------------------------------------------------------------


def _state_of_own(there: bytes | None) -> str:
    """Of a file that is toolpair's own, if any toolpair wrote it as it is."""
    if there is None:
        return _NOT_IN
    text = there.decode("utf-8", "surrogateescape")
    found = _MARKED.search(text)
    return _IN if found and _digest(text[: found.start()] + text[found.end() :]) == found[1] else _ANOTHER


def _own(text: str) -> bytes:
    plain = text.format(mark=_MARK, program=command("hook"))
    return plain.replace(_MARK, f"{_MARK} {_digest(plain)}", 1).encode()


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _settings(there: bytes | None) -> Any:
    """Claude Code's settings. Raises UsageError where they have no place for a hook."""
    try:
        found = orjson.loads((there or b"").strip() or b"{}")
    except orjson.JSONDecodeError as error:
        raise UsageError(f"Claude Code's settings are not JSON ({error}); nothing was written.") from None
    hooks = found.get("hooks", {}) if isinstance(found, dict) else None
    if not isinstance(hooks, dict):
        raise UsageError("Claude Code's settings are not an object with hooks in it; nothing was written.")
    for event, groups in hooks.items():
        if not isinstance(groups, list):
            raise UsageError(f"Claude Code's settings have no list of hooks for {event}; nothing was written.")
    return found


def _entries(group: Any) -> list[Any]:
    """The hooks of a group, in which there may be others' as well."""
    found = group.get("hooks") if isinstance(group, dict) else None
    return found if isinstance(found, list) else []


def _is_own(entry: Any) -> bool:
    given = entry.get("command") if isinstance(entry, dict) else None
    return isinstance(given, str) and (given == _command() or _OF_ANY.fullmatch(given.strip()) is not None)


def _command() -> str:
    return f"{command('hook')} {_REPORTS}"


def _entry() -> dict[str, Any]:
    return {"type": "command", "command": _command(), "timeout": _SECONDS}


def _state_of_hooks(there: bytes | None) -> str:
    groups = [group for groups in _settings(there).get("hooks", {}).values() for group in groups]
    return _IN if any(_is_own(entry) for group in groups for entry in _entries(group)) else _NOT_IN


def _with_hooks(there: bytes | None) -> bytes:
    settings = _settings(there)
    hooks = dict(settings.get("hooks", {}))
    for event in _EVENTS:
        groups = hooks.get(event, [])
        if any(_is_own(entry) for group in groups for entry in _entries(group)):
            hooks[event] = [_renewed(group) for group in groups]
        else:
            hooks[event] = [*groups, {"hooks": [_entry()]}]
    return _spliced(there, settings, {**settings, "hooks": hooks})


def _renewed(group: Any) -> Any:
    """The group with the command as it is written now."""
    entries = _entries(group)
    if not any(_is_own(entry) for entry in entries):
        return group
    return {**group, "hooks": [{**entry, "command": _command()} if _is_own(entry) else entry for entry in entries]}


def _added_hooks(there: bytes | None, made: bytes) -> str:
    """Without what else is in the settings, which may be secret."""
    old, new = (_settings(one).get("hooks", {}) for one in (there, made))
    return dump({"hooks": {event: [{"hooks": [_entry()]}] for event in _EVENTS if new[event] != old.get(event)}}, 2)


def _without_hooks(there: bytes) -> bytes:
    settings = _settings(there)
    hooks: dict[str, Any] = {}
    for event, groups in settings["hooks"].items():
        kept = [left for group in groups if (left := _others(group)) is not None or group is None]
        if kept or not groups:
            hooks[event] = kept
    new = {key: value for key, value in settings.items() if key != "hooks"}
    return _spliced(there, settings, {**new, "hooks": hooks} if hooks else new)


def _others(group: Any) -> Any:
    """The group with only what is not toolpair's; None if nothing else was in it."""
    entries = _entries(group)
    kept = [entry for entry in entries if not _is_own(entry)]
    if len(kept) == len(entries):
        return group
    return {**group, "hooks": kept} if kept else None


def _spliced(there: bytes | None, old: Any, new: Any) -> bytes:
    """Every byte of what is there stays but for the entry."""
    if there is None or not there.strip():
        return orjson.dumps(new, option=orjson.OPT_INDENT_2) + b"\n"
    return splice(there, old, new)


def _notify(there: bytes | None) -> Any:
    """What Codex runs when a turn has ended. Raises UsageError."""
    import tomllib

    try:
        return tomllib.loads((there or b"").decode("utf-8")).get("notify")
    except (ValueError, RecursionError) as error:
        raise UsageError(f"Codex's settings are not TOML ({error}); nothing was written.") from None


def _state_of_notify(there: bytes | None) -> str:
    found = _notify(there)
    if found is None:
        return _NOT_IN
    is_own = isinstance(found, list) and found[-3:] == _NOTIFIED and any("toolpair" in str(one) for one in found[:-3])
    return _IN if is_own and _LINE.search(there or b"") is not None else _ANOTHERS


def _with_notify(there: bytes | None) -> bytes:
    """At the start of the file, where no table has begun."""
    line = f"notify = {dump([*shlex.split(command('hook'))[:-1], *_NOTIFIED])}  # {_MARK}\n".encode()
    before = there or b""
    return line + (_LINE.sub(b"", before, count=1) if _state_of_notify(there) == _IN else before)


def _of_own(title: str, path: Callable[[Machine], Path], text: str) -> Hook:
    """A file that is toolpair's own."""
    return Hook(
        title, path, _state_of_own, lambda there: _own(text), lambda there, made: made.decode(), lambda there: None
    )


HOOKS: Final = {
    "claude-code": Hook(
        "Claude Code's hooks on a session that begins, is resumed or rests",
        lambda machine: get_agent("claude-code").home(machine) / "settings.json",
        _state_of_hooks,
        _with_hooks,
        _added_hooks,
        _without_hooks,
    ),
    "skill": _of_own(
        "a skill for Claude Code: what to do when a session is refused",
        lambda machine: get_agent("claude-code").home(machine) / "skills/toolpair/SKILL.md",
        _SKILL,
    ),
    "codex": Hook(
        "Codex's notify: a desktop notification when a turn has ended",
        lambda machine: get_agent("codex").home(machine) / "config.toml",
        _state_of_notify,
        _with_notify,
        lambda there, made: made[: made.index(b"\n")].decode(),
        lambda there: _LINE.sub(b"", there, count=1) or None,
    ),
    "opencode": _of_own(
        "opencode's plugin: a notice when a session rests",
        lambda machine: machine.folder("XDG_CONFIG_HOME", machine.home / ".config") / "opencode/plugins/toolpair.js",
        _PLUGIN,
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
        elif agent == "codex":
            thread = str(orjson.loads(others[0])["thread-id"])
            found = index(Machine.here(), current_folder(), ("codex",))
            said = next((_broken(one.path) for one in found if one.session_id == thread), None)
            if said is not None:
                _show(said)
        elif agent == "shell":
            path = _claude_session(" ".join(others))
            said = _broken(path) if path is not None else None
            if said is not None:
                say(said)
    except Exception:
        return exits.OK
    return exits.OK


def _show(said: str) -> None:
    """In a desktop notification, if there is a program for it: Codex shows nothing of what its notify prints."""
    for program, arguments in _NOTICES.items():
        if (path := shutil.which(program)) is not None:
            text = html.escape(said, quote=False) if program == "notify-send" else said
            subprocess.run([path, *arguments, text], check=False, capture_output=True, timeout=_SECONDS)
            return


def _claude_session(words: str) -> str | None:
    """The session of Claude Code that it is asked to resume: the one with the id, else this folder's newest."""
    found = index(Machine.here(), current_folder(), ("claude-code",))
    id_ = _ID.search(words)
    return next((one.path for one in found if (one.session_id == id_[0] if id_ else one.here)), None)


def _broken(path: str) -> str | None:
    """One line on a session of which something would be refused or lost, by the agent that is installed here."""
    session = open_session(path, reporting=True, agent_version=version_here)
    serious = [problem for problem in session.problems if problem.impact in ("stops", "loses")]
    if not serious:
        return None
    return safe(f"toolpair: {sentence_of(session)} `{command(shell_word(path))}` shows and fixes it.")
