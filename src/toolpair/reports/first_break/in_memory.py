"""The Python API for requests in memory."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolpair.library.sdk_objects import plain
from toolpair.reports.first_break.breaks import Break, breaks_of
from toolpair.reports.first_break.log import ListLog
from toolpair.rules.profiles import is_profile, no_such_profile


def first_break(requests: Iterable[Any], profile: str | None = None) -> tuple[Break, ...]:
    """For each pair that breaks, the first of these requests in which it is broken, and what changed before it.

    `requests` are request bodies in the order in which they were sent, of any number of conversations; or records that
    have one under `body`, `request` or `json`, with a time and an answer. `profile` names the provider; by default the
    one that each body looks like. Never changes its input. Raises ValueError for an unknown profile.
    """
    if profile is not None and not is_profile(profile):
        raise ValueError(no_such_profile(profile))
    return tuple(breaks_of(ListLog([plain(request) for request in requests]), profile).breaks)
