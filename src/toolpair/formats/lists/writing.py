"""Edits of plain lists of messages or items: what another API keeps in one message may be several here."""

from __future__ import annotations

from toolpair.formats.engine.writing.linear import Linear
from toolpair.transcript.draft import DraftMessage


class ListEdits(Linear):
    """A block that this API takes only by itself leaves the message that it stands in, once that is written again."""

    def finish(self) -> None:
        for message in list(self.draft):
            if message.changed and message.had_blocks and len(list(message.blocks)) > 1:
                self._split(message)

    def _split(self, message: DraftMessage) -> None:
        """Results go before the rest of their message, where they answer the calls before it; others after it."""
        blocks = list(message.blocks)
        alone = [block for block in blocks if self.writer.stands_alone(block)]
        if len(alone) == len(blocks):
            alone = alone[1:]
        last = message
        for block in alone:
            message.blocks.drop(block)
            made = self.new(block.value, message)
            made.put(None, block)
            self.draft.insert_after(message.before if block.kind == "result" else last, made)
            last = last if block.kind == "result" else made
