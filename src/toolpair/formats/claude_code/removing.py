"""Removing records from the chain, and from the file: their children link to the record before."""

from __future__ import annotations

from toolpair.formats.claude_code import compaction
from toolpair.formats.claude_code.responses import Responses
from toolpair.formats.claude_code.working import Working
from toolpair.transcript.draft import DraftMessage


class Removing:
    def __init__(self, work: Working, responses: Responses) -> None:
        self._work = work
        self._responses = responses
        self.heirs: dict[str, str] = {}
        """uuid of a removed record -> uuid of the one before it."""

    def unchain(self, line: DraftMessage) -> None:
        """Remove it from the chain: its children link to its parent."""
        work = self._work
        parent = work.parent_of(line)
        for child in work.chain_children_of(line):
            work.link(child, self._heir(line, child, parent))
        work.on_chain.discard(line.uid)

    def remove(self, line: DraftMessage) -> None:
        """Remove the record from the file."""
        work = self._work
        if not work.is_there(line):
            return
        own, parent = work.id_of(line), work.parent_of(line)
        passed = {own}
        while parent in self.heirs and parent not in passed:  # the agent took it for a lost parent
            passed.add(parent)
            parent = self.heirs[parent]
        heirs = []
        for child in work.children_of(line):
            heirs.append(self._heir(line, child, parent))
            work.link(child, heirs[-1])
        work.take_out(line)
        work.on_chain.discard(line.uid)
        if own is not None and parent is not None:
            self.heirs[own] = parent
        for heir in heirs:
            above = work.named(heir)
            while above is not None and above.uid not in work.on_chain and work.is_there(above):
                work.on_chain.add(above.uid)
                above = work.named(work.parent_of(above))
        for double in work.doubles_of(line):
            work.take_out(double)
        compaction.forget(work, line, parent)

    def _heir(self, line: DraftMessage, child: DraftMessage, parent: str | None) -> str | None:
        """The new parent for a child of `line`: that of `line`, unless the rest of a response would be lost."""
        work, responses = self._work, self._responses
        number = responses.message_of.get(line.uid)
        if number is None or child.uid not in work.on_chain:
            return parent
        if responses.messages[number].role == "user":
            number -= 1
        if number < 0 or responses.messages[number].role != "assistant":
            return parent

        def is_left(other: DraftMessage) -> bool:
            """Of the response or its results, and there without `line`."""
            return responses.has(number, other) and work.is_there(other) and other is not line

        if is_left(child):
            return parent
        above = work.named(parent)
        if above is None or is_left(above):
            return parent
        group = responses.group(number)
        of_results = responses.message_of.get(line.uid) != number
        if of_results and any(is_left(other) and other.uid in work.on_chain for other in group):
            return parent
        answers = [other for other in responses.answers.of(number) if is_left(other)]
        heirs = [other for other in (answers or filter(is_left, group)) if work.id_of(other) is not None]
        return work.id_of(max(heirs, key=work.place)) if heirs else parent
