"""Rules about tools that the provider runs itself: their calls and results belong in one assistant message."""

from __future__ import annotations

import re
from typing import Final

from toolpair.dialects.block_values import as_text
from toolpair.rules.context import Context, tool_of
from toolpair.rules.problem import Cause, Fix
from toolpair.rules.rule import Rule
from toolpair.rules.where import at_block
from toolpair.transcript.edits import Remove, Rename
from toolpair.transcript.id_shapes import usable
from toolpair.transcript.model import Block, BlockKind, Message, kept_output_label

_KINDS: Final = frozenset({"server_call", "server_result", "mcp_call", "mcp_result"})
_SERVER_ID: Final = re.compile(r"srvtoolu_[a-zA-Z0-9_]+")


def check(context: Context) -> None:
    if context.wire != "anthropic" or context.tool_messages:
        return  # no other API has them: they are never sent there
    if _KINDS.isdisjoint(context.kinds):
        return
    for number, message in enumerate(context.messages):
        if not any(block.kind in _KINDS for block in message.blocks):
            continue
        _server(context, number, message)
        _mcp(context, number, message)


RULES: Final = (
    Rule("server.call_unpaired", "server_tools", check, of_pair=True),
    Rule("server.result_orphan", "server_tools", check, of_pair=True),
    Rule("server.id_pattern", "server_tools", check, of_pair=True),
    Rule("mcp.unpaired", "server_tools", check, of_pair=True),
)


def _ids(message: Message, kind: BlockKind) -> set[str]:
    """The ids of a message's blocks of one kind, as `repr`, since an id may be any JSON value."""
    return {repr(block.id) for block in message.blocks if block.kind == kind}


def _server(context: Context, number: int, message: Message) -> None:
    calls = _ids(message, "server_call")
    answered = _ids(message, "server_result")
    last = number == len(context.messages) - 1
    for position, block in enumerate(message.blocks):
        if block.kind == "server_call":
            if repr(block.id) not in answered and not last:
                context.add(
                    "server.call_unpaired",
                    f"{tool_of(block)} was run by the provider, but its result is not in the same message.",
                    at_block(number, position, message),
                    cause=Cause("server_call_unpaired", "the turn was cut off while the provider's tool ran"),
                    fixes=(
                        Fix(
                            "as-text",
                            "keep the call as text",
                            (as_text(block, _words(block)),),
                            recommended=True,
                        ),
                        Fix("remove-call", "remove the call", (Remove(block),), loses="its input"),
                    ),
                )
            elif isinstance(block.id, str) and not _SERVER_ID.fullmatch(block.id):
                _id(context, number, position, message, block)
        elif block.kind == "server_result" and (repr(block.id) not in calls or not usable(block.id)):
            context.add(
                "server.result_orphan",
                "A result of one of the provider's own tools has no call before it.",
                at_block(number, position, message),
                cause=Cause("server_result_orphan", "the call was cut off, or the message was split up"),
                fixes=(
                    Fix(
                        "as-text",
                        "keep the output as text",
                        (as_text(block, f"{kept_output_label(None)}\n{block.text}"),),
                        recommended=True,
                    ),
                    Fix("drop", "drop the output", (Remove(block),), loses="the tool's output"),
                ),
            )


def _words(block: Block) -> str:
    return f"[Earlier call of {block.name or 'a tool'} without a result, kept by toolpair.]\n{block.text}"


def _id(context: Context, number: int, position: int, message: Message, block: Block) -> None:
    partners = [found for found in message.blocks if found.kind == "server_result" and found.id == block.id]

    def fixes() -> tuple[Fix, ...]:
        new = context.new_server_id(str(block.id))
        edits = tuple(Rename(found, new) for found in (block, *partners))
        return (Fix("new-id", f"give both sides the id {new}", edits, recommended=True),)

    context.add(
        "server.id_pattern",
        f"{context.profile.title} does not accept the id {block.id} for one of its own tools.",
        at_block(number, position, message, *partners),
        cause=Cause("server_id", "the id was made by another provider, or rewritten"),
        fixes=fixes,
    )


def _mcp(context: Context, number: int, message: Message) -> None:
    calls = _ids(message, "mcp_call")
    results = _ids(message, "mcp_result")
    last = number == len(context.messages) - 1
    for position, block in enumerate(message.blocks):
        lonely = (block.kind == "mcp_call" and repr(block.id) not in results and not last) or (
            block.kind == "mcp_result" and repr(block.id) not in calls
        )
        if not lonely:
            continue
        what = "call" if block.kind == "mcp_call" else "result"
        context.add(
            "mcp.unpaired",
            f"An MCP {what} has no counterpart in its message.",
            at_block(number, position, message),
            cause=Cause("mcp_unpaired", "the turn was cut off while the MCP tool ran"),
            fixes=(
                Fix(
                    "as-text",
                    f"keep the {what} as text",
                    (as_text(block, _words(block)),),
                    recommended=True,
                ),
                Fix("remove", f"remove the {what}", (Remove(block),), loses=f"the {what}"),
            ),
        )
