"""The interface. `run` is the only way in; importing this package loads no Textual."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolpair.tui.result import RunResult

if TYPE_CHECKING:
    from toolpair.session import Session

__all__ = ["RunResult", "run"]


def run(session: Session, at: str | None = None, ascii: bool = False) -> RunResult:
    """Show `session` until the user quits. `at` is where to start: an id, line:N, record:N, pair:N or an error text."""
    import gc

    # The imports make many objects that live for ever: collecting between them is time spent for nothing.
    gc.disable()
    from toolpair.tui.app import ToolpairApp

    app = ToolpairApp(session, at=at, ascii=ascii)
    gc.freeze()
    gc.enable()
    app.run()
    return app.result
