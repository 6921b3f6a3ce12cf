"""The data structure of a rule's page."""

from __future__ import annotations

from msgspec import Struct


class Example(Struct, frozen=True):
    """A short file that breaks the rule, as it would be on disk. Its fixes are found by running toolpair on it."""

    text: str | bytes
    profile: str | None = None
    """The profile to check it with, if not the one that the format suggests."""
    format: str | None = None
    """Its format, if the content alone does not show it."""
    also: tuple[str, ...] = ()
    """Other rules that it breaks as well."""
    agent_version: str | None = None
    """The version of its agent that resumes it, if only some versions break on it."""
    path: str | None = None
    """Its path below the agent's own folder, if the rule looks at files beside it."""

    @property
    def data(self) -> bytes:
        """The bytes of the file. The text begins on the line after its opening quotes."""
        return self.text if isinstance(self.text, bytes) else self.text.removeprefix("\n").encode()


class Offered(Struct, frozen=True):
    """A fix that other problems of the rule offer, but the example's does not."""

    id: str
    title: str
    loses: str | None = None


class RulePage(Struct, frozen=True):
    """What one rule means. `meaning` says what is wrong and why it is refused, `remedy` what toolpair does about it."""

    rule: str
    title: str
    meaning: str
    remedy: str
    example: Example | None = None
    offers: tuple[Offered, ...] = ()
    no_example: str | None = None
    """Why no file can show it, if there is no example."""
