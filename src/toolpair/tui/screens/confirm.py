"""A question, with what one needs to know to answer it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from toolpair.tui.keys import key_names
from toolpair.tui.later import LaterOn
from toolpair.tui.screens.base_screen import Dialog, HeldKey, Hint, hint_lines
from toolpair.tui.styled_text import Line
from toolpair.tui.widgets.text_block import Lines


def ask_first(
    screen: LaterOn[Any],
    title: str,
    text: str | Callable[[int, int], Sequence[Line]],
    answer: tuple[str, str],
    then: Callable[[], object],
) -> None:
    """Ask whether to do something, and do it; `answer` is the key and what it does."""
    key, words = answer
    question = ConfirmScreen(title, text, [(key, "yes", words)])
    screen.ask(question, lambda answer: then() if answer == "yes" else None, of_state=True)


class ConfirmScreen(Dialog[str | None]):
    """Returns the name of the chosen answer, None for escape, which always means that nothing happens.

    `text` is a sentence, or gives the lines for a width and a maximum height. `answers` are (key, name, words).
    A name that `[keys]` may set has the key of the user's own.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "back", "close", show=False)]

    def __init__(
        self,
        title: str,
        text: str | Callable[[int, int], Sequence[Line]],
        answers: Sequence[tuple[str, str, str]],
        escape: str = "back",
    ) -> None:
        """`escape` says what escape does."""
        super().__init__()
        self._title = title
        self._text = text
        self._answers = answers
        self._escape = escape
        self._held = HeldKey(self)

    def _keys(self, key: str, name: str) -> list[str]:
        """Those of an answer, by Textual's names."""
        return self.tool.own.keys.get(name, key).split(",")

    def build(self) -> ComposeResult:
        yield Lines(id="text")

    def lay_out(self, width: int, height: int) -> None:
        glyphs = self.glyphs
        room = max(3, int(height * 0.9) - 3)
        text = glyphs.paragraph(self._text, width) if isinstance(self._text, str) else self._text(width, room)
        lines: list[Line] = [glyphs.rule(self._title, width, "title"), *text[:room], ()]
        hints: list[Hint] = [
            (key_names(self._keys(key, name)[0]), words, f"answer('{name}')") for key, name, words in self._answers
        ]
        bar = hint_lines(glyphs, [*hints, ("esc", self._escape, "back")], width)
        # The answers matter most: the text above them is cut first.
        most = max(1, int(height * 0.9))
        lines = [*lines[: max(2, most - len(bar) - bool(self.note))]]
        if self.note:
            lines.append((glyphs.ui(f" {self.note}", "warning"),))
        lines += bar
        self.query_one("#text", Lines).show(lines)

    def on_key(self, event: events.Key) -> None:
        for key, name, _ in self._answers:
            keys = self._keys(key, name)
            if event.key in keys or event.character in keys:
                event.stop()
                if not self.inert:
                    self._answer(keys, name)
                return

    def _answer(self, keys: Sequence[str], name: str) -> None:
        if self._held.admits(key_names(keys[0])):
            self.finish(name)

    def action_answer(self, name: str) -> None:
        """An answer was clicked."""
        self._answer(next(self._keys(key, name) for key, other, _ in self._answers if other == name), name)
