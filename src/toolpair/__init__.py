"""toolpair: see every tool call beside its result, fix the broken pairs, save a transcript that works again.

check(messages)   what the provider would refuse, as a Report
repair(messages)  the fixed messages, as a Repaired
guard(messages)   raise, report or repair before a request
export(messages)  a request body for any of five APIs, of messages or of a session, as an Exported
open(path)        a session file, as a Session with staged fixes, undo and lossless saving
first_break(requests)   the first request in which each pair broke, and what changed before it
excerpt(path)     the smallest part of a session that shows a problem, redacted, as an Excerpt
redact(path)      a session without anything that tells who, where or what about, as a RedactedCopy
report(session)   a session as pages to read: what is wrong, and each call beside its result
cut(session, where, side)   what is before a place, or after it, left out, as a new session, as a Part
diff(a, b)        where two sessions part, and what differs, as a SessionDiff
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in `typing`, which is slow to load
if TYPE_CHECKING:
    from typing import Final

    from toolpair.library.guard import guard
    from toolpair.library.message_lists import Repaired, Taken, check, repair
    from toolpair.library.report import InvalidMessages, Report
    from toolpair.reports.excerpt.excerpts import excerpt
    from toolpair.reports.excerpt.issue import Excerpt
    from toolpair.reports.export.exported import Exported, ExportRefused
    from toolpair.reports.export.exporting import export
    from toolpair.reports.first_break.breaks import Break
    from toolpair.reports.first_break.in_memory import first_break
    from toolpair.reports.page.files import ReportFiles, report
    from toolpair.reports.redaction.copies import RedactedCopy
    from toolpair.reports.redaction.copies import redacted_session as redact
    from toolpair.session.cutting import Part, cut
    from toolpair.session.session import Session, SessionError
    from toolpair.session.session import open_session as open
    from toolpair.session.two_sessions import SessionDiff, diff
    from toolpair.source.errors import Refused


__version__: Final = "0.1.0"

__all__ = [
    "Break",
    "Excerpt",
    "ExportRefused",
    "Exported",
    "InvalidMessages",
    "Part",
    "RedactedCopy",
    "Refused",
    "Repaired",
    "Report",
    "ReportFiles",
    "Session",
    "SessionDiff",
    "SessionError",
    "Taken",
    "__version__",
    "check",
    "cut",
    "diff",
    "excerpt",
    "export",
    "first_break",
    "guard",
    "open",
    "redact",
    "repair",
    "report",
]

_FROM = {
    **dict.fromkeys(("Repaired", "Taken", "check", "repair"), "toolpair.library.message_lists"),
    **dict.fromkeys(("InvalidMessages", "Report"), "toolpair.library.report"),
    "Break": "toolpair.reports.first_break.breaks",
    "first_break": "toolpair.reports.first_break.in_memory",
    **dict.fromkeys(("ExportRefused", "Exported"), "toolpair.reports.export.exported"),
    "export": "toolpair.reports.export.exporting",
    **dict.fromkeys(("ReportFiles", "report"), "toolpair.reports.page.files"),
    **dict.fromkeys(("SessionDiff", "diff"), "toolpair.session.two_sessions"),
    **dict.fromkeys(("Part", "cut"), "toolpair.session.cutting"),
    "Refused": "toolpair.source.errors",
    "guard": "toolpair.library.guard",
    "Excerpt": "toolpair.reports.excerpt.issue",
    "excerpt": "toolpair.reports.excerpt.excerpts",
    "RedactedCopy": "toolpair.reports.redaction.copies",
    "redact": "toolpair.reports.redaction.copies:redacted_session",
    "Session": "toolpair.session.session",
    "SessionError": "toolpair.session.session",
    "open": "toolpair.session.session:open_session",
}

if not TYPE_CHECKING:

    def __getattr__(name):
        """Lazy imports (PEP 562): a program that imports the package pays only for what it uses."""
        if name not in _FROM:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        module, _, there = _FROM[name].partition(":")
        found = globals()[name] = getattr(import_module(module), there or name)
        return found
