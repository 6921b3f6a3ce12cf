"""What a page about a rule is made of."""

from __future__ import annotations

from msgspec import Struct


class Example(Struct, frozen=True):
    """A short file that breaks the rule, as it would stand on disk. What mends it is found by mending it."""

    text: str | bytes
    profile: str | None = None
    """Who judges it, where that is not the one that the format suggests."""
    format: str | None = None
    """Which format it is, where its content alone does not tell."""
    also: tuple[str, ...] = ()
    """Other rules that are broken with it."""
    agent_version: str | None = None
    """Which version of its agent resumes it, where only some versions break on it."""
    path: str | None = None
    """Its place below the agent's own folder, where the rule looks at what stands beside the file."""

    @property
    def data(self) -> bytes:
        """The bytes of the file. A text begins on the line behind its opening quotes."""
        return self.text if isinstance(self.text, bytes) else self.text.removeprefix("\n").encode()


class Offered(Struct, frozen=True):
    """A way to mend that other problems of the rule offer than the example's."""

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
    """Why no file can show it, where there is no example."""
