"""Outputs that Cline wrote as texts of the next message: `[read_file for 'a.py'] Result:`, then what came back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from toolpair.dialects.anthropic import text_as_result
from toolpair.dialects.block_texts import arguments
from toolpair.transcript.model import Block, Message

_END: Final = "] Result:"


def with_texts_as_results(messages: Sequence[Message]) -> list[Message]:
    """The messages with these texts as the results of the calls before them that have no other."""
    made: list[Message] = []
    waiting: list[Block] = []
    for message in messages:
        if message.role == "assistant":
            before = waiting if made and made[-1].role == "assistant" else []
            waiting = [*before, *message.calls]
        elif waiting:
            answered = [result.id for result in message.results]
            waiting = [call for call in waiting if call.id not in answered]
            message = _read(message, waiting)
        made.append(message)
    return made


def _read(message: Message, waiting: list[Block]) -> Message:
    blocks = list(message.blocks)
    for number, block in enumerate(blocks):
        call = _called(block, waiting) if block.kind == "text" else None
        if call is not None:
            waiting.remove(call)
            output = blocks[number + 1].text if block.text.endswith(_END) and number + 1 < len(blocks) else ""
            blocks[number] = text_as_result(block, call.id, call.name, output)
    same = all(new is old for new, old in zip(blocks, message.blocks, strict=True))
    return message if same else replace(message, blocks=tuple(blocks))


def _called(block: Block, waiting: Sequence[Block]) -> Block | None:
    """The call whose output the text is, by the tool's name and what the text says of the arguments."""
    text = block.text
    end = text.find(_END) if text.startswith("[") else -1
    name, _, said = text[1:end].partition(" ") if end > 0 else ("", "", "")
    named = [call for call in waiting if call.name == name]
    fitting = [call for call in named if any(value in said for value in _values(call))]
    return next(iter(fitting or named), None)


def _values(call: Block) -> list[str]:
    given = arguments(call)
    return [value for value in given.values() if isinstance(value, str) and value] if isinstance(given, dict) else []
