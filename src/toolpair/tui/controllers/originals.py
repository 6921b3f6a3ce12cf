"""The backups kept by earlier saves: choose one and restore it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolpair.tui.numbers import size_text
from toolpair.tui.screens.confirm import ConfirmScreen

if TYPE_CHECKING:
    from toolpair.session.session import Backup
    from toolpair.tui.controllers.owner import Owner


def choose_original(owner: Owner) -> None:
    """Show the menu; the chosen one is restored after one question."""
    from toolpair.source.rows.backup import backups_of
    from toolpair.source.saving.backups import backups
    from toolpair.tui.screens.menu import MenuEntry, MenuScreen

    path, rows = owner.session.path, owner.session.file.snapshot.rows
    kept = () if path is None else backups(path) if rows is None else backups_of(path, rows.session)
    if not kept:
        owner.say(f"no original of this {'file' if rows is None else 'session'} has been kept")
        return
    entries = [
        MenuEntry(str(n), f"{n + 1:>3}  {one.time:%Y-%m-%d %H:%M:%S}  {size_text(one.size):>8}", one.path.name)
        for n, one in enumerate(kept)
    ]

    def chosen(value: str | None) -> None:
        if value is None:
            return
        backup = kept[int(value)]
        what = "file" if rows is None else "session"
        words = f"Restore {backup.path.name}? What the {what} holds now is kept as a backup, too."
        words += "" if rows is None else " Other sessions stay as they are."
        if owner.desk.unsaved:
            words += " Fixes that are not saved are undone."
        answers = [("enter", "yes", "restore it")]
        question = ConfirmScreen("Restore", lambda width, _: owner.glyphs.paragraph(words, width), answers)
        owner.ask(question, lambda answer: _restore(owner, backup) if answer == "yes" else None, of_state=True)

    owner.ask(MenuScreen("Originals kept by earlier saves", entries), chosen, of_state=True)


def _restore(owner: Owner, backup: Backup) -> None:
    from toolpair.tui.controllers.backup_restore import restore_backup

    def ended(problem: str | None) -> None:
        owner.say(problem or f"restored {backup.path.name}; what the file held before is kept as a backup")

    restore_backup(owner, owner.desk, backup.path, ended)
