"""The report of `toolpair fix`: what was fixed, what is left, where the original is, what to do next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from msgspec import Struct

from toolpair.cli import streams
from toolpair.cli.file_report import Entry, entry_of, losses_entry, problem_entry
from toolpair.cli.terminal import TerminalStyle, safe, typed
from toolpair.history.losses import NOTHING, Losses
from toolpair.session.saving import Saved
from toolpair.session.session import Problem, Session
from toolpair.session.staged import Staged
from toolpair.shell.program import command
from toolpair.text.shell import shell_word
from toolpair.transcript.counting import plural

_LISTED: Final = 20


class Outcome(Struct, frozen=True):
    """What is staged and which errors are left, just before writing."""

    path: str
    changed: bool
    staged: tuple[Staged, ...]
    left: tuple[Entry, ...]
    still_lost: tuple[Entry, ...] = ()
    """What is no error, and yet keeps something real from the model on resume."""
    profiles: tuple[str, ...] = ()
    """The profiles that the result must be valid for, if several. Each entry of `left` then names its `profile`."""
    recipe: str = "recommended"
    losses: Losses = NOTHING
    """What is actually lost, whatever the fixes say."""
    noun: str = "line"
    """What is counted: lines, or the messages of an array."""

    @classmethod
    def of(
        cls,
        session: Session,
        path: str,
        show_content: bool,
        profiles: Sequence[str] = (),
        recipe: str = "recommended",
    ) -> Outcome:
        left: list[Entry] = []
        if len(profiles) < 2:
            left += _errors(session, show_content)
        else:
            for name in profiles:
                session.set_profile(name)
                left += [{"profile": name, **entry} for entry in _errors(session, show_content)]
            session.set_profile(profiles[0])
        return cls(
            path,
            session.changed,
            tuple(session.staged),
            tuple(left),
            tuple(_entries(session, show_content, _is_still_lost)),
            tuple(profiles) if len(profiles) > 1 else (),
            recipe,
            session.staging.losses,
            "line" if session.conversation.document.kind == "lines" else "message",
        )

    @property
    def refused_by(self) -> tuple[str, ...]:
        """Those of several profiles that still have an error."""
        found = {entry["profile"] for entry in self.left if "profile" in entry}
        return tuple(name for name in self.profiles if name in found)

    def as_json(self, saved: Saved | None) -> Entry:
        return {
            "version": 1,
            "path": self.path,
            "output": str(saved.path) if saved else None,
            "backup": str(saved.backup) if saved and saved.backup else None,
            "aside": str(saved.aside) if saved and saved.aside else None,
            "removed_backups": [str(path) for path in saved.removed] if saved else [],
            "changed": self.changed,
            "recipe": self.recipe,
            "fixed": [_row(one) for one in self.staged],
            "losses": losses_entry(self.losses),
            "left": list(self.left),
            "still_lost": list(self.still_lost),
            **({"valid_for": [name for name in self.profiles if name not in self.refused_by]} if self.profiles else {}),
            "notes": list(saved.notes) if saved else [],
            "resume": saved.resume if saved else None,
        }


def _errors(session: Session, show_content: bool) -> list[Entry]:
    return _entries(session, show_content, lambda problem: problem.severity == "error")


def _is_still_lost(problem: Problem) -> bool:
    return problem.severity != "error" and problem.impact == "loses"


def _entries(session: Session, show_content: bool, wanted: Callable[[Problem], bool]) -> list[Entry]:
    why = {id(held.problem): held.text for held in session.staging.held_back}
    return [
        {
            **problem_entry(session, conversation, problem, show_content),
            **({"not_applied": why[id(problem)]} if id(problem) in why else {}),
        }
        for conversation in session.conversations
        for problem in conversation.problems
        if wanted(problem)
    ]


def _row(one: Staged) -> Entry:
    return {
        "title": one.title,
        "rules": list(one.rules),
        "fixes": list(one.fix_ids),
        **entry_of(one, "problems lines_changed lines_added lines_removed loses"),
    }


def report(outcome: Outcome, saved: Saved | None, style: TerminalStyle, only_shown: bool) -> None:
    """Print the report on standard error. `only_shown`: nothing was meant to be written."""
    name = safe(outcome.path)
    if outcome.changed:
        _line(style.bold(f"{name}: {'would be fixed' if only_shown else 'fixed'}"))
    elif outcome.left or outcome.still_lost:
        _line(style.bold(f"{name}: nothing was changed."))
    else:
        _line(style.bold(f"{name}: nothing to fix."))
    for one in outcome.staged:
        counts = ((one.lines_changed, "changed"), (one.lines_added, "added"), (one.lines_removed, "removed"))
        parts = [f"{plural(count, outcome.noun)} {what}" for count, what in counts if count]
        parts = parts or [f"no {outcome.noun} changed"]
        parts.append(f"loses {safe(one.loses)}" if one.loses else "loses nothing")
        _line(f"  {one.count:,} × {safe(one.title)}  ({', '.join(parts)})")
    if outcome.changed and outcome.losses:
        _line(style.severity("warning", f"  Verified: it loses {outcome.losses.text}"))
    elif outcome.changed:
        _line(f"  Verified: no output or user text is lost{' by these fixes' if outcome.still_lost else ''}")
    if outcome.profiles:
        valid = [name for name in outcome.profiles if name not in outcome.refused_by]
        if valid:
            _line(style.green(f"  valid for {', '.join(valid)}"))
        if outcome.refused_by:
            _line(style.red(f"  still refused by {', '.join(outcome.refused_by)}"))
    _left(outcome, style)
    if saved is None:
        return
    _line(f"  Written to {safe(saved.path)}")
    if saved.backup is not None:
        _line(f"  The original is kept as {safe(saved.backup)}")
        _line(f"  Undo: {command('restore')} {shell_word(outcome.path)} --backup latest")
    if saved.aside is not None:
        _line(f"  What was set aside is kept as {safe(saved.aside)}")
    if saved.removed:
        _line(f"  {plural(len(saved.removed), 'older backup')} deleted, as the limit you set says")
    for note in saved.notes:
        _line(style.severity("warning", f"  Note: {safe(note)}"))
    if saved.resume and not outcome.left:
        _line(f"  Next: {safe(saved.resume)}")


def _left(outcome: Outcome, style: TerminalStyle) -> None:
    left = outcome.left
    if left:
        _line(style.red(f"  {plural(len(left), 'error')} {'is' if len(left) == 1 else 'are'} left for you:"))
        _list(left, outcome.path)
    if outcome.still_lost:
        _line(style.severity("warning", "  Not fixed, and still lost on resume:"))
        _list(outcome.still_lost, outcome.path)


def _list(entries: Sequence[Entry], path: str) -> None:
    for entry in entries[:_LISTED]:
        words = entry.get("not_applied") or entry.get("no_fix")
        why = f" {safe(words)}" if words else ""
        whose = f" ({entry['profile']})" if "profile" in entry else ""
        line = entry["location"]["line"]
        where = f"line {line:,}: " if line is not None else ""
        _line(f"    {entry['rule']}{whose}  {where}{safe(entry['message'])}{why}")
    if len(entries) > _LISTED:
        _line(f"    and {len(entries) - _LISTED:,} more: {command('check')} {typed(path)}")


def _line(text: str) -> None:
    streams.say(text + "\n")
