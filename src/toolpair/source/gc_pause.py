"""Work that makes millions of objects and no garbage, with the garbage collector standing still."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def gc_paused() -> Iterator[None]:
    """Without it, half of the time that a long session takes goes into looking again and again at what is still used.

    What is done within it has to end soon and leave no cycles behind. The collector is switched on again only by whom
    switched it off, so this may be entered again within itself, and in other threads.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def collect_young() -> None:
    """Give back what was made last and is not used any more, in no time that depends on what was made before."""
    gc.collect(0)
