"""Choosing the profile to check against, with the number of problems under each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolpair.tui.controllers.working import takes_long

if TYPE_CHECKING:
    from toolpair.session.session import Session, Transcript
    from toolpair.tui.controllers.owner import Owner
    from toolpair.tui.screens.profile_list import Found


class ProfileChoice:
    """Caches what each profile finds, as long as the transcript is the same."""

    def __init__(self, owner: Owner) -> None:
        self._owner = owner
        self._counted: dict[str, Found] = {}
        """The results by profile for `_counted_of`, as far as they are known."""
        self._counted_of: Transcript | None = None

    def ask(self) -> None:
        from toolpair.tui.screens.profile_list import ProfilesScreen

        session = self._owner.session
        if self._counted_of is not session.conversation.transcript:
            self._counted_of, self._counted = session.conversation.transcript, {}

        def chosen(value: str | None) -> None:
            now = self._owner.session.profile
            if value is not None and (value != now.id or not now.chosen):
                self._check_against(value)

        self._owner.ask(ProfilesScreen(self._counted), chosen, of_state=True)

    def _check_against(self, profile: str) -> None:
        """Switch the profile, in the background if that takes long."""
        owner = self._owner

        def checked() -> None:
            owner.overview.current = None
            owner.note = f"checked against {owner.session.profile.name}"
            owner.reload()
            owner.problems.show_first()

        if not takes_long(owner.session):
            owner.session.set_profile(profile)
            checked()
            return

        def ended(draft: Session) -> None:
            owner.session.accept(draft)
            checked()

        owner.work.on_draft("checking", 0, lambda draft: draft.set_profile(profile), ended)
