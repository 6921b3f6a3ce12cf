"""The terminal interface, built on Textual. `run` is the only entry point; importing this package does not load
Textual.

`screens/` and `widgets/` draw, `controllers/` do what keys ask for. May use session, agents for the picker, and text.
"""

from __future__ import annotations

import gc
import os
import sys
from typing import TYPE_CHECKING, Final

from toolpair.tui.own import USUAL, Own, own_of
from toolpair.tui.run_result import RunResult

if TYPE_CHECKING:
    from toolpair.session.journal.folder import Folder
    from toolpair.session.session import Session
    from toolpair.tui.background_loading import Open as Open
    from toolpair.tui.session_list import Sessions

__all__ = ["Own", "RunResult", "own_of", "run", "themes"]

_ESCAPE: Final = "15"
"""Milliseconds before escape counts as a key rather than the start of a sequence, as in other terminal programs.
ESCDELAY overrides it.
"""
_HANDOVER: Final = 0.0005
"""Thread switch interval in seconds. With the default 5 ms, each step of a key waits that long for a busy thread."""


def run(
    session: Session | None,
    at: str | None = None,
    ascii: bool = False,
    open: Open | None = None,
    path: str | None = None,
    journal: bool = True,
    database: str | None = None,
    cached: bool = True,
    own: Own = USUAL,
    theme: str = "",
) -> RunResult:
    """Show `session`, or the file at `path`, else the list of all sessions found, until the user quits.

    `at` is where to start: an id, line:N, message:N, pair:N or an error text. `open` opens `path`, or a session from
    the list, which is that of `database` if one is given. `journal`: applied but unsaved fixes are kept, and offered
    when the file is opened again. `cached`: the verdicts in the list are kept, and known from earlier runs. `own`: what
    the user has set of the keys and colours. `theme` counts more than the one that was chosen in the interface.
    """
    expect_escape()
    # The imports create many permanent objects: collecting garbage between them is a waste of time.
    gc.disable()
    from toolpair.tui.app import ToolpairApp
    from toolpair.tui.background_loading import Opening
    from toolpair.tui.leaving import Leaving
    from toolpair.tui.preferences import Preferences

    opening = Opening(path, open) if path is not None and open is not None else None
    app = ToolpairApp(
        session,
        at=at,
        ascii=ascii,
        sessions=lambda: _sessions(open, database, cached),
        opening=opening,
        journal=_journal if journal else None,
        preferences=Preferences.of_user(),
        own=own,
        theme=theme,
    )
    gc.freeze()
    gc.enable()
    sys.setswitchinterval(_HANDOVER)
    with Leaving(app):
        app.run()
    return app.result


def themes() -> tuple[str, ...]:
    """The names that `run` takes."""
    expect_escape()
    from toolpair.tui.theme import THEMES

    return THEMES


def expect_escape() -> None:
    """Call this before Textual is loaded: it reads its delay then."""
    os.environ.setdefault("ESCDELAY", _ESCAPE)


def _journal() -> Folder:
    from toolpair.session.journal.folder import Folder

    return Folder.of_user()


def _sessions(open: Open | None, database: str | None, cached: bool) -> Sessions:
    from functools import partial

    from toolpair.session.session import open_session
    from toolpair.shell.machine import Machine
    from toolpair.shell.program import current_folder
    from toolpair.tui.picker_checks import ProcessJudge
    from toolpair.tui.session_list import Sessions

    judge = partial(ProcessJudge, cached)
    return Sessions(open or open_session, Machine.here(), current_folder(), judge, of=database)
