"""The folders of opencode's sessions before 0.6, one for each project: recognised, and not read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Final, NoReturn

from toolpair.source.errors import UnreadableFile
from toolpair.source.folders.layout import FolderLayout
from toolpair.source.rows.layout import Row, StoredSession

_OWN: Final = ("session", "info")
_ENDS: Final = ".json"


class OpencodeOlderFolder(FolderLayout):
    """`project/NAME/storage` with `session/info/ID.json`, `session/message/…` and `session/part/…`."""

    agent = "opencode"
    title = "opencode's folder of sessions from before 0.6"

    def claims(self, folder: str) -> bool:
        try:
            names = os.listdir(os.path.join(folder, *_OWN))
        except OSError:
            return False
        return any(name.startswith("ses_") and name.endswith(_ENDS) for name in names)

    def meant(self, path: str) -> tuple[str, str] | None:
        folder, *inside = os.path.abspath(path).rsplit(os.sep, 3)
        is_one = tuple(inside[:2]) == _OWN and inside[2].endswith(_ENDS)
        return (folder, inside[2].removesuffix(_ENDS)) if is_one and self.claims(folder) else None

    def sessions(self, folder: str) -> Iterator[StoredSession]:
        _refuse(folder)

    def files(self, folder: str, session: str) -> Iterator[Row]:
        _refuse(folder)


def _refuse(folder: str) -> NoReturn:
    raise UnreadableFile(
        f"{folder} is opencode's folder of sessions from before 0.6; start opencode 1.1.65 once (`npx "
        "opencode-ai@1.1.65 session list`), which copies the sessions of Git repositories into the folder storage, and "
        "open them there."
    )


OPENCODE_OLDER_FOLDER: Final = OpencodeOlderFolder()
