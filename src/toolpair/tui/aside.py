"""Long work beside the interface. It never holds up a key, nor the end of the program."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable

from textual.app import App


class Aside:
    """A thread that ends with the program, whatever it is at: Textual's own workers are waited for."""

    def __init__(self, app: App[object], work: Callable[[Aside], None], name: str = "aside") -> None:
        """`work` runs in the thread, and should look at `stopped` now and then."""
        self._app = app
        self._work = work
        self.stopped = False
        threading.Thread(target=self._run, name=name, daemon=True).start()

    def _run(self) -> None:
        # The program may have gone meanwhile, and nobody is there to be told.
        with contextlib.suppress(RuntimeError):
            self._work(self)

    def tell(self, what: Callable[[], None]) -> None:
        """Run something in the interface's own thread."""
        if not self.stopped:
            self._app.call_from_thread(what)

    def stop(self) -> None:
        self.stopped = True
