"""Choosing the profile to check against, with the number of problems under each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolpair.tui.controllers.working import takes_long

if TYPE_CHECKING:
    from toolpair.session.session import Session
    from toolpair.tui.controllers.owner import Owner


def choose_profile(owner: Owner) -> None:
    from toolpair.tui.screens.profile_list import ProfilesScreen

    def chosen(value: str | None) -> None:
        now = owner.session.profile
        if value is not None and (value != now.id or not now.chosen):
            _check_against(owner, value)

    owner.ask(ProfilesScreen(owner.counted.of(owner.session.conversation.transcript)), chosen, of_state=True)


def _check_against(owner: Owner, profile: str) -> None:
    """Switch the profile, in the background if that takes long."""

    def checked() -> None:
        owner.overview.current = None
        owner.note = f"checked against {owner.session.profile.name}"
        owner.reload()
        owner.show_first_problem()

    if not takes_long(owner.session):
        owner.session.set_profile(profile)
        checked()
        return

    def ended(draft: Session) -> None:
        owner.session.accept(draft)
        checked()

    owner.work.on_draft("checking", 0, lambda draft: draft.set_profile(profile), ended)
