"""`V`: the agent that is installed here resumes a copy of the session, and what it really sends is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from textual.app import ComposeResult
from textual.binding import BindingType

from toolpair.proof import isolation
from toolpair.proof.asking import CannotAsk
from toolpair.proof.proof import prove
from toolpair.proof.words import NETWORK, NO_NETWORK, Told, after_words, told
from toolpair.tui.aside import Aside
from toolpair.tui.keys import PROVE
from toolpair.tui.screens.base_screen import Dialog, HeldKey, Hint, hint_line
from toolpair.tui.styled_text import Line
from toolpair.tui.widgets.text_block import Lines
from toolpair.tui.work import failure

if TYPE_CHECKING:
    from toolpair.proof.who import Asked
    from toolpair.session.session import Session

_STYLES: Final = {"good": "good", "bad": "error", "doubtful": "warning", "": ""}
_KEY: Final = "enter"


class ProveScreen(Dialog[None]):
    """Asks first; then the agent runs until it has answered, or escape ends it."""

    BINDINGS: ClassVar[list[BindingType]] = PROVE.bindings()

    def __init__(self, session: Session, asked: Asked) -> None:
        super().__init__()
        self._session = session
        self._asked = asked
        self._state = "question"
        self._told: list[Told] = []
        self._network = ""
        """What network it will have, once that was tried."""
        self._held = HeldKey(self)

    def build(self) -> ComposeResult:
        yield Lines(id="text")

    def on_mount(self) -> None:
        self.in_thread(self._try_network, "search", self._failed)

    def lay_out(self, width: int, height: int) -> None:
        glyphs = self.glyphs
        room = max(2, int(height * 0.9) - 2 - bool(self.note))
        lines: list[Line] = [glyphs.rule(f"What {self._asked.named} really sends", width, "title")]
        for one in self._words():
            style = _STYLES[one.tone]
            words = one.text.lstrip(" ")
            lines += glyphs.paragraph(words, width, style, indent=max(1, len(one.text) - len(words)), limit=3)
        if len(lines) > room:
            lines[room - 1 :] = [(glyphs.ui(" … `toolpair prove FILE` prints the rest", "dim"),)]
        if self.note:
            lines.append((glyphs.ui(f" {self.note}", "warning"),))
        hints: list[Hint] = [(_KEY, "ask it", "ask")] if self._state == "question" else []
        stop = "stop" if self._state == "asking" else "close" if self._state == "answered" else "back"
        lines.append(hint_line(glyphs, [*hints, ("esc", stop, "back")], width))
        self.query_one("#text", Lines).show(lines)

    def _words(self) -> list[Told]:
        if self._state == "question":
            resumes = f"{self._asked.named} resumes a copy of this session in an empty home. No tool runs."
            touched = "Neither the session nor your home is touched."
            return [Told(f"{resumes} {touched}"), Told(self._network), Told(f"  {self._asked.program}")]
        if self._state == "asking":
            return [Told(f"asking {self._asked.agent.title} …")]
        return self._told

    def action_ask(self) -> None:
        if self._state == "question" and self._held.admits(self.glyphs.key(_KEY, "ask")):
            self._state, self.note = "asking", ""
            self.draw()
            self.in_thread(self._ask, "prove", self._failed)

    # in a thread

    def _try_network(self, aside: Aside) -> None:
        network = NETWORK if isolation.prefix() is not None else NO_NETWORK
        aside.run_in_ui(lambda: self._take_network(network))

    def _ask(self, aside: Aside) -> None:
        now = self._session.draft()
        while now.changed:
            now.undo()
        fixed = self._session.draft()
        if not fixed.changed:
            fixed.stage_recommended()
        fixes = sum(row.count for row in fixed.staged)
        sessions = {"now": (now, fixed), **({after_words(fixes): (fixed, fixed)} if fixes else {})}
        self._asked, proofs = prove(
            self._asked,
            sessions,
            isolated=isolation.prefix() is not None,
            stopped=lambda: self._finished,
        )
        lines: list[Told] = []
        for when, proof in proofs.items():
            lines += told(when, self._asked.agent.title, proof, content=True)
        aside.run_in_ui(lambda: self._answer(lines))

    def _take_network(self, network: str) -> None:
        self._network = network
        self.draw()

    def _failed(self, error: Exception) -> None:
        said = f"{error}." if isinstance(error, CannotAsk) else failure(error)
        self._answer([Told(said, "doubtful")])

    def _answer(self, lines: list[Told]) -> None:
        self._told, self._state = lines, "answered"
        self.draw()
