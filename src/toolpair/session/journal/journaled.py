"""The interface that the journal needs from a session."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from toolpair.rules.profiles import Profile
    from toolpair.session.opening import FileReader, OpenedState
    from toolpair.session.staged import Staged
    from toolpair.session.staging import Staging


class Journaled(Protocol):
    """A session, as far as it is recorded, and replayed on what its file holds later."""

    reader: FileReader
    file: OpenedState
    profile: Profile
    staging: Staging

    @property
    def staged(self) -> Sequence[Staged]: ...

    def set_profile(self, id_: str) -> None: ...
