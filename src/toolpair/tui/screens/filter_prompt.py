"""The line in which a filter is typed: its terms are listed and completed, and a wrong one is not accepted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Final

from textual.binding import Binding, BindingType

from toolpair.tui.filter_terms import completed
from toolpair.tui.screens.prompt import PromptScreen
from toolpair.tui.widgets.safe_input import SafeInput

TERMS: Final = (
    "tool:Bash  is:problem  is:error  is:fixed  is:note  took:>10s  size:>100K  time:10:30..11:00  cause:1  id:toolu_1",
    'text:"two words" or any word. All terms must match; -term excludes. tab completes.',
)


class FilterPrompt(PromptScreen):
    """Returns the words of a filter, or None after escape."""

    sign = "&"
    DEFAULT_CSS = "FilterPrompt { background: $background 0%; }"  # the rows must be readable while one types

    BINDINGS: ClassVar[list[BindingType]] = [Binding("tab", "complete", "complete", show=False, priority=True)]

    def __init__(
        self,
        words: str,
        wrong: Callable[[str], str],
        tools: Sequence[str],
        causes: int,
        terms: Sequence[str] = TERMS,
    ) -> None:
        """`wrong` says in a sentence what is wrong with words; `tools` and `causes` are completed, `terms` shown."""
        super().__init__("Filter: show only", words, terms, "filter")
        self._terms = terms
        self._wrong = wrong
        self._tools = list(tools)
        self._causes = causes

    def action_complete(self) -> None:
        field = self.query_one(SafeInput)
        field.value = completed(field.value, self._tools, self._causes)
        field.cursor_position = len(field.value)

    def action_submit(self) -> None:
        said = self._wrong(self.query_one(SafeInput).value)
        if said:
            self.note(said, *self._terms)
        else:
            super().action_submit()
