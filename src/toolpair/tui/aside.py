"""Long work beside the interface. It never holds up a key, nor the end of the program."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.app import App

if TYPE_CHECKING:
    from toolpair.tui.later import Ticket


class Aside:
    """A thread that ends with the program, whatever it is at: Textual's own workers are waited for.

    Screens start it by `in_thread` of `later`.
    """

    def __init__(
        self,
        app: App[object],
        ticket: Ticket,
        work: Callable[[Aside], None],
        name: str,
        failed: Callable[[Exception], None],
    ) -> None:
        """`work` runs in the thread, and should look at `stopped` now and then.

        `failed` is told in the interface's own thread what ended it too early. What is told when the ticket is not
        good any more is not heard.
        """
        self._app = app
        self._ticket = ticket
        self._work = work
        self._failed = failed
        self.stopped = False
        threading.Thread(target=self._run, name=name, daemon=True).start()

    def _run(self) -> None:
        try:
            self._work(self)
        except Exception as error:
            failed = error  # the name of a handler is gone when this is told
            self.tell(lambda: self._failed(failed))

    def tell(self, what: Callable[[], None]) -> None:
        """Run something in the interface's own thread."""
        if self.stopped or not self._app.is_running:
            return
        try:
            self._app.call_from_thread(lambda: self._hear(what))
        except RuntimeError:
            if self._app.is_running:
                raise
            # The program has gone meanwhile, and nobody is there to be told.

    def _hear(self, what: Callable[[], None]) -> None:
        if not self.stopped and self._ticket.is_good:
            what()

    def hand_over(self, ticket: Ticket) -> None:
        """What is told from now on is for another screen."""
        self._ticket = ticket

    def stop(self) -> None:
        self.stopped = True
