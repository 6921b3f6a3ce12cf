"""The smallest Textual app: one Static. The baseline for the start of the interface."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.widgets import Static


class OneStatic(App[None]):
    def compose(self) -> ComposeResult:
        yield Static("one static")


if __name__ == "__main__":
    OneStatic().run()
