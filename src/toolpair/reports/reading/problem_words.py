"""A problem in sentences: what happens on resume, why, what a fix loses. Untrusted: tool names and ids are in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolpair.rules.problem import Cause, Fix, OnResume, Problem


def severity_name(problem: Problem) -> str:
    """What a problem is called by its severity, and numbered as."""
    return {"error": "Problem", "warning": "Warning"}.get(problem.severity, "Note")


def loss_text(fix: Fix) -> str:
    return f"Loses {fix.loses}." if fix.loses else "Loses nothing."


def on_resume_text(resumed: OnResume) -> str:
    """`On resume Claude Code drops …`."""
    return f"On resume{'' if resumed.text.startswith(resumed.agent) else ':'} {resumed.text}"


def api_text(problem: Problem) -> str | None:
    """The provider's own words, where what would be sent is refused."""
    resumed = problem.on_resume
    refused = resumed is None or (resumed.sends and (resumed.effect == "rejected" or problem.impact == "stops"))
    return problem.api_says if refused else None


def cause_text(cause: Cause) -> str:
    """Why the problem is there, and what shows it."""
    return " ".join(filter(None, cause_texts(cause)))


def cause_texts(cause: Cause) -> tuple[str, str]:
    """Why the problem is there; what shows it, empty if nothing is said."""
    evidence = f"{cause.evidence[:1].upper()}{cause.evidence[1:].rstrip('.')}." if cause.evidence else ""
    return f"{cause.text.rstrip('.')}.", evidence


def known_text(cause: Cause) -> str:
    """Which program is known for it, and where that is said; empty when nothing is known."""
    known = ", ".join(part for part in (cause.product, cause.link) if part)
    return f"{'Seen in:' if cause.product else 'See'} {known}" if known else ""


def other_ways_text(problem: Problem) -> str:
    """The fixes that are not recommended, each with what it loses."""
    others = (fix for fix in problem.fixes if fix is not problem.recommended)
    return "; ".join(f"{fix.title} ({loss_text(fix).rstrip('.').lower()})" for fix in others)


def no_fix_text(problem: Problem) -> str:
    """Why there is no fix."""
    return problem.no_fix or ("nothing breaks." if problem.severity == "info" else "none is known.")
