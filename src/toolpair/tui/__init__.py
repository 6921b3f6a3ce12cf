"""The interface. `run` is the only way in; importing this package loads no Textual."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolpair.tui.result import RunResult

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolpair.session import Session
    from toolpair.tui.sessions import Sessions

__all__ = ["RunResult", "run"]


def run(
    session: Session | None,
    at: str | None = None,
    ascii: bool = False,
    open: Callable[[str], Session] | None = None,
) -> RunResult:
    """Show `session`, or the list of all that are found, until the user quits.

    `at` is where to start: an id, line:N, message:N, pair:N or an error text. `open` opens a path of the list.
    """
    import gc

    # The imports make many objects that live for ever: collecting between them is time spent for nothing.
    gc.disable()
    from toolpair.tui.app import ToolpairApp

    app = ToolpairApp(session, at=at, ascii=ascii, sessions=lambda: _sessions(open))
    gc.freeze()
    gc.enable()
    app.run()
    return app.result


def _sessions(open: Callable[[str], Session] | None) -> Sessions:
    from toolpair.discovery.machine import Machine, current_folder
    from toolpair.session import open_session
    from toolpair.tui.sessions import Sessions

    return Sessions(open or open_session, Machine.here(), current_folder())
