"""The guard before a request: it may refuse messages, but never breaks the request because of its own faults."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar, overload

if TYPE_CHECKING:
    from toolpair.library.report import InvalidMessages, Report

T = TypeVar("T")
S = TypeVar("S", bound=Sequence[Any])
_MODES: Final = ("raise", "report", "repair")


@overload
def guard(messages: S, profile: str | None = None, mode: Literal["raise"] = "raise") -> S: ...


@overload
def guard(messages: Sequence[Any], profile: str | None = None, *, mode: Literal["report"]) -> Report: ...


@overload
def guard(messages: Sequence[Any], profile: str | None, mode: Literal["report"]) -> Report: ...


@overload
def guard(messages: list[T], profile: str | None = None, *, mode: Literal["repair"]) -> list[T]: ...


@overload
def guard(messages: list[T], profile: str | None, mode: Literal["repair"]) -> list[T]: ...


@overload
def guard(messages: Sequence[T], profile: str | None = None, *, mode: Literal["repair"]) -> Sequence[T]: ...


@overload
def guard(messages: Sequence[T], profile: str | None, mode: Literal["repair"]) -> Sequence[T]: ...


def guard(messages: Any, profile: str | None = None, mode: str = "raise") -> Any:
    """Check the messages of a request against `profile`, by default the one they look like.

    "raise" returns the messages, or raises InvalidMessages, which lists the problems. "report" returns a Report.
    "repair" returns valid messages: the same list if nothing is wrong, else a new list in which untouched messages are
    the same objects and a fixed one is a dict, or an object of its framework. If problems remain that no fix is safe
    for, it returns the best possible and warns.

    The messages are never changed. A fault inside the guard never makes a request fail: whatever goes wrong (an object
    that cannot be read, a list that is not understood, a bug in toolpair), the messages are returned unchanged with a
    RuntimeWarning; a report says so in `fault`. If warnings are errors, the message goes to the logger "toolpair"
    instead. Only a mistake in the call itself raises: ValueError for an unknown mode or profile, since either would
    silently disable the guard.
    """
    if mode not in _MODES:
        raise ValueError(f"mode is 'raise', 'report' or 'repair', not {mode!r}")
    known, refused, fault = True, None, "toolpair.guard let the messages through unchecked"
    try:
        from toolpair.rules.profiles import PROFILES, is_profile, no_such_profile

        # Unreadable profile data is our fault, not an unknown profile.
        known = profile is None or profile in PROFILES or is_profile(profile)
        if known:
            answer, refused, warning = _judge(messages, profile, mode)
    except Exception as error:
        answer = messages
        with contextlib.suppress(Exception):
            from toolpair.library.report import in_short

            fault = f"{fault}: {in_short(error)}"
        warning = fault
        if mode == "report":
            answer = _unjudged(profile, fault)
    if not known:
        raise ValueError(no_such_profile(str(profile)))
    if refused is not None:
        raise refused
    if warning is not None:
        with contextlib.suppress(Exception):
            _warn(warning)
    return answer


def _judge(messages: Any, profile: str | None, mode: str) -> tuple[Any, InvalidMessages | None, str | None]:
    """What to return, or to raise; and what to warn about."""
    from toolpair.library.message_lists import check, repair
    from toolpair.library.report import InvalidMessages, one_line

    if mode == "repair":
        repaired = repair(messages, profile)
        left = repaired.left
        more = f"; and {len(left) - 1:,} more" if len(left) > 1 else ""
        warning = f"toolpair.guard could not fix everything: {one_line(left[0])}{more}" if left else None
        return repaired.messages, None, warning
    report = check(messages, profile)
    if mode == "report":
        return report, None, None
    return messages, InvalidMessages(report) if report.errors else None, None


def _unjudged(profile: str | None, fault: str) -> Report:
    from toolpair.library.report import Report

    return Report(profile or "unknown", (), fault)


def _warn(sentence: str) -> None:
    """Warn, attributed to the line that called `guard`."""
    try:
        warnings.warn(sentence, RuntimeWarning, stacklevel=3)
    except Exception:
        # If warnings are errors, this one must not become the fault that it reports.
        import logging

        logging.getLogger("toolpair").warning("%s", sentence)
