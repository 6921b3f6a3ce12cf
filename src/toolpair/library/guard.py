"""The guard in front of a request: it may refuse messages, and never breaks the request for a reason of its own."""

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
    """Stand before a request and judge its messages as `profile`, by default as what they look like.

    "raise" hands the messages back, or raises InvalidMessages, which lists the problems. "report" hands back a
    Report. "repair" hands back messages that are valid: the ones that were given where nothing is wrong, else a new
    list in which the untouched messages are the same objects and a mended one is a dict. Where problems are left that
    no fix is safe for, it hands back the best there is and warns.

    The messages are never changed. A fault inside the guard is never the reason that a request fails: whatever goes
    wrong (an object that cannot be read, a list that is not understood, a mistake of toolpair's), the messages go
    through untouched with a RuntimeWarning; a report says so in `fault`. Where warnings are errors, the sentence goes
    to the logger "toolpair". Only a mistake in the call itself raises: ValueError for an unknown mode or an
    unknown profile, since either would switch the guard off without a word.
    """
    if mode not in _MODES:
        raise ValueError(f"mode is 'raise', 'report' or 'repair', not {mode!r}")
    known, refused, fault = True, None, "toolpair.guard let the messages through unchecked"
    try:
        from toolpair.rules.profiles import PROFILES, is_profile, no_such_profile

        # Data that cannot be read is a fault of ours, not a profile that does not exist.
        known = profile is None or profile in PROFILES or is_profile(profile)
        if known:
            answer, refused, warning = _judge(messages, profile, mode)
    except Exception as error:
        answer = messages
        with contextlib.suppress(Exception):
            fault = f"{fault}: {_in_short(error)}"
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
    """What to hand back, or to raise; and what to warn of."""
    from toolpair.library.message_lists import check, repair
    from toolpair.library.report import InvalidMessages, told

    if mode == "repair":
        repaired = repair(messages, profile)
        left = repaired.left
        more = f"; and {len(left) - 1:,} more" if len(left) > 1 else ""
        warning = f"toolpair.guard could not fix everything: {told(left[0])}{more}" if left else None
        return repaired.messages, None, warning
    report = check(messages, profile)
    if mode == "report":
        return report, None, None
    return messages, InvalidMessages(report) if report.errors else None, None


def _unjudged(profile: str | None, fault: str) -> Report:
    from toolpair.library.report import Report

    return Report(profile or "unknown", (), fault)


def _in_short(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".split("\n", 1)[0][:300]


def _warn(sentence: str) -> None:
    """Warn at the line that called `guard`."""
    try:
        warnings.warn(sentence, RuntimeWarning, stacklevel=3)
    except Exception:
        # Where warnings are errors, this one must not become the fault that it tells of.
        import logging

        logging.getLogger("toolpair").warning("%s", sentence)
