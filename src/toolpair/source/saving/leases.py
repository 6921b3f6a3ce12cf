"""Leases on an open file: they show whether somebody writes to it, and make the next process that opens it wait."""

from __future__ import annotations

import errno
import os
from typing import Final, Literal

from toolpair.source.system import Io, Lease

State = Literal["granted", "held", "unsupported"]
POLL: Final = 0.002
"""Seconds between two attempts."""


class Leased:
    """The lease on one descriptor. It ends when the descriptor is closed, or the process ends."""

    def __init__(self, descriptor: int, io: Io) -> None:
        self._descriptor = descriptor
        self._io = io
        self.supported = True

    def take(self, kind: Lease) -> State:
        """Take the lease. "held": the file is open for writing elsewhere, or, for a "write" lease, open at all."""
        if not self.supported:
            return "unsupported"
        try:
            self._io.set_lease(self._descriptor, kind)
        except OSError as error:
            if error.errno == errno.EAGAIN:
                return "held"
            # Not the owner, a network file system, or a system without leases.
            self.supported = False
            return "unsupported"
        return "granted"

    def blind(self, found: os.stat_result) -> bool:
        """Whether leases fail because the file is another user's, whose processes cannot be inspected either."""
        return not self.supported and hasattr(os, "geteuid") and os.geteuid() not in (0, found.st_uid)

    def drop(self) -> None:
        try:
            self._io.set_lease(self._descriptor, "none")
        except OSError:
            pass
