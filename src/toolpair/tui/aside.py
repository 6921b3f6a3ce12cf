"""Long work beside the interface. It never holds up a key, nor the end of the program."""

from __future__ import annotations

import threading
from collections.abc import Callable

from textual.app import App


class Aside:
    """A thread that ends with the program, whatever it is at: Textual's own workers are waited for."""

    def __init__(
        self,
        app: App[object],
        work: Callable[[Aside], None],
        name: str = "aside",
        failed: Callable[[Exception], None] | None = None,
    ) -> None:
        """`work` runs in the thread, and should look at `stopped` now and then.

        `failed` is told in the interface's own thread what ended it too early; without it that ends the program.
        """
        self._app = app
        self._work = work
        self._failed = failed or app._handle_exception
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
        if self.stopped:
            return
        try:
            self._app.call_from_thread(what)
        except RuntimeError:
            if self._app.is_running:
                raise
            # The program has gone meanwhile, and nobody is there to be told.

    def stop(self) -> None:
        self.stopped = True
