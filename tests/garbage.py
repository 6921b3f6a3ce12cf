"""What a piece of code leaves to the garbage collector, without a look at everything that was there before."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def only_new_garbage() -> Iterator[None]:
    """The collector does nothing by itself, and `gc.collect` and `gc.get_objects` see only what was made in here."""
    gc.disable()
    gc.freeze()
    try:
        yield
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()
