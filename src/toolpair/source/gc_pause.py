"""Pausing the garbage collector for work that creates millions of objects and no garbage."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def gc_paused() -> Iterator[None]:
    """Pause the garbage collector: otherwise half of the time a long session takes goes into scanning live objects.

    The work must end soon and leave no reference cycles. Only the caller that disabled the collector enables it again,
    so this may be nested, and used in several threads.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@contextmanager
def made_to_stay() -> Iterator[None]:
    """The same for work whose results are kept: afterwards the collector does not look at them either.

    For a program of its own only, since it goes for all objects that there are. So what is unused is collected first,
    except the first time, and work that fails leaves everything to the collector.
    """
    with gc_paused():
        if gc.get_freeze_count():
            gc.collect()
        yield
        gc.freeze()


def keep_all() -> None:
    """What is unused is collected, and the collector does not look at the rest again, where `made_to_stay` was used.

    After work that leaves much behind, when nobody waits: it takes a moment for what is new since the last time.
    """
    if gc.get_freeze_count():
        gc.collect()
        gc.freeze()


def collect_young() -> None:
    """Collect the youngest generation: its cost does not depend on older objects."""
    gc.collect(0)
