"""Rules about neighbouring messages: the same role twice in a row, a user after a result, text next to calls and
results.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolpair.dialects import anthropic, openai_chat
from toolpair.dialects.block_values import as_parts, as_written, field_names, text_in
from toolpair.rules.context import Context
from toolpair.rules.problem import Cause, Fix, Severity
from toolpair.rules.where import NamedPlace, Where, at_message
from toolpair.rules.wire import is_system
from toolpair.transcript.counting import plural
from toolpair.transcript.edits import ABSENT, Edit, InsertMessage, Remove, RemoveMessage, SetField
from toolpair.transcript.model import Block, Message
from toolpair.transcript.pairing import Pair

_BRIDGE: Final = "(tool result received)"
_GO_ON: Final = "(continue)"
_Run = list[tuple[int, Message]]


def check(context: Context) -> None:
    _alternation(context)
    _call_after_model(context)
    _user_after_tool(context)
    _beside_results(context)
    _beside_calls(context)


def _runs(context: Context) -> Iterator[_Run]:
    """Runs of messages with one role, user or assistant, with only system messages between them."""
    run: _Run = []
    lifted = context.in_turns
    for number, message in enumerate(context.messages):
        if lifted and is_system(message):
            continue
        if run and message.role != run[-1][1].role:
            if len(run) > 1:
                yield run
            run = []
        if message.role in ("user", "assistant"):
            run.append((number, message))
    if len(run) > 1:
        yield run


def _alternation(context: Context) -> None:
    # Items have no turns, and what the agent merges is merged here as well.
    if context.transcript.merged or context.written == "items" or not context.judges("turn.alternation"):
        return
    refused = context.is_error("turn.alternation")
    if refused and context.wire == "chat":
        _template_turns(context)
        return
    for run in _runs(context):
        if refused:
            if not any(message.calls for _, message in run[:-1]):  # else an answer is missing between them
                _join(context, "turn.alternation", run, "which is refused")
            continue
        if context.wire == "chat":  # a result is no turn of the user's there
            run = [one for one in run if is_plain(one[1])]
        for number, after in run[1:]:
            context.add(
                "turn.alternation",
                f"Two {after.role} messages in a row, which most APIs accept.",
                at_message(number, after),
                cause=Cause("same_role_twice", "two messages of one role in a row"),
                no_fix="The API joins them itself; joining them here would change lines for nothing.",
            )


def is_plain(message: Message) -> bool:
    """Whether a chat template counts it among those that alternate: calls and results it does not."""
    if message.role == "user":
        return not message.blocks or any(block.kind != "result" for block in message.blocks)
    return message.role == "assistant" and not message.calls


def _template_turns(context: Context) -> None:
    """Messages of one role that follow each other, whatever calls and results are between them."""
    run: _Run = []
    before: Message | None = None
    for number, message in enumerate(context.messages):
        if is_system(message):
            continue
        if is_plain(message):
            if run and run[-1][1].role == message.role and before is run[-1][1]:
                run.append((number, message))
            else:
                _end_of_turns(context, run)
                if run and run[-1][1].role == message.role and before is not None:
                    _across_calls(context, number, message, before, run[-1][1])
                run = [(number, message)]
        before = message
    _end_of_turns(context, run)


def _end_of_turns(context: Context, run: _Run) -> None:
    if len(run) > 1:
        _join(context, "turn.alternation", run, "which is refused")


def _across_calls(context: Context, number: int, message: Message, before: Message, last: Message) -> None:
    """Two messages of one role with calls and their results between them."""
    title = f'add an assistant message before it, "{_BRIDGE}"'
    edits: tuple[Edit, ...] = (InsertMessage(before, "assistant", _BRIDGE),)
    if message.role == "assistant":
        title, edits = f'add a user message before the call, "{_GO_ON}"', (InsertMessage(last, "user", _GO_ON),)
    elif message.results:
        edits = _bridge_within(message, [block for block in message.blocks if block.kind != "result"])
    context.add(
        "turn.alternation",
        f"Two {message.role} messages with only calls and results between them, which is refused.",
        at_message(number, message),
        cause=Cause("same_role_twice", "messages of one role in a row"),
        fixes=(Fix("insert-between", title, edits, recommended=True, several="add short messages between them"),),
    )


def named_run(context: Context, place: NamedPlace) -> None:
    """Messages of one role in a row that an API refused: all of them, or those at the place."""
    if context.transcript.merged or context.written == "items":
        return
    for run in _runs(context):
        here = place.message is None or any(number == place.message for number, _ in run)
        if here and not any(message.calls for _, message in run[:-1]):
            _join(context, "turn.alternation", run, "which this API refuses", "error")


def _call_after_model(context: Context) -> None:
    """A call in a message of its own, after assistant text."""
    if context.transcript.merged or context.written == "items" or not context.judges("turn.call_after_model"):
        return
    for run in _runs(context):
        if run[0][1].role != "assistant":
            continue
        words: _Run = []
        for number, message in run:
            if message.calls and words:
                _join(context, "turn.call_after_model", [*words, (number, message)], "and the last one calls a tool")
            words = [] if message.calls else [*words, (number, message)]


def _join(context: Context, rule: str, run: _Run, why: str, severity: Severity | None = None) -> None:
    """Merge a run into one message: the assistant's last, which may hold calls, or the user's first, which may follow
    calls.
    """
    kept = run[-1][1] if run[0][1].role == "assistant" else run[0][1]
    others = [message for _, message in run if message is not kept]
    gone = sorted({name for message in others for name in field_names(message)} - _TOLD)
    dialect = anthropic if context.written == "blocks" else openai_chat
    joined = dialect.joined_content([message for _, message in run])
    context.add(
        rule,
        f"{len(run)} {kept.role} messages in a row, {why}.",
        Where(at=(run[1][0], None), pairs=_pairs_of(context, list(kept.calls)), about=run[1][1]),
        cause=Cause("same_role_twice", "messages of one role in a row"),
        fixes=(
            Fix(
                "join",
                "join them into one message",
                (SetField(kept, "content", joined), *(RemoveMessage(message) for message in others)),
                recommended=True,
                loses=f"the fields {', '.join(gone)} of the others" if gone else None,
            ),
        ),
        severity=severity,
    )


_TOLD: Final = frozenset({"role", "content"})


def _user_after_tool(context: Context) -> None:
    """A user message directly after a result: some APIs want assistant text between them."""
    if not context.judges("turn.user_after_tool"):
        return
    before: Message | None = None
    for number, message in enumerate(context.messages):
        said = [block for block in message.blocks if block.kind != "result"]
        if message.role == "user" and said and message.results:
            _bridge(context, number, message, _bridge_within(message, said))
        elif message.role == "user" and before is not None and not message.results:
            _bridge(context, number, message, (InsertMessage(before, "assistant", _BRIDGE),))
        before = message if message.results and not said else None


def _bridge_within(message: Message, said: list[Block]) -> tuple[Edit, ...]:
    return (
        InsertMessage(message, "assistant", _BRIDGE),
        InsertMessage(message, "user", as_parts(said)),
        *(Remove(block) for block in said),
    )


def _bridge(context: Context, number: int, message: Message, edits: tuple[Edit, ...]) -> None:
    context.add(
        "turn.user_after_tool",
        "A user message comes right after a result, and an assistant message must come first.",
        at_message(number, message),
        cause=Cause("user_after_tool", "the user wrote while a tool was running, or the turn was interrupted"),
        fixes=(
            Fix(
                "insert-assistant",
                f'add an assistant message between them, "{_BRIDGE}"',
                edits,
                recommended=True,
                several="add short assistant messages between them",
            ),
        ),
    )


def _beside_results(context: Context) -> None:
    """User text in one turn with results, after them: one problem for all."""
    if not context.in_turns or not context.judges("result.text_after"):
        return
    found = list(_text_after_results(context))
    if not found:
        return
    number, first, _ = found[0]
    cell = context.profile.cell("result.text_after")
    who = "no model is known to refuse" if cell is None or cell.severity == "info" else "some models refuse"
    context.add(
        "result.text_after",
        f"In {plural(len(found), 'user turn')} something follows the results, which {who}.",
        Where(
            at=(number, next(at for at, block in enumerate(first.blocks) if block.kind != "result")),
            pairs=_pairs_of(context, [block for _, message, _ in found for block in message.results]),
            about=first,
        ),
        cause=Cause("text_after_result", "the user's words were sent together with the results"),
        fixes=(
            Fix(
                "insert-assistant",
                f'add an assistant message between them, "{_BRIDGE}"',
                tuple(edit for _, _, edits in found for edit in edits),
                recommended=True,
                several="add short assistant messages between them",
            ),
        ),
    )


def _text_after_results(context: Context) -> Iterator[tuple[int, Message, tuple[Edit, ...]]]:
    """Where such text is, and the edits that separate it from the results."""
    before: Message | None = None
    for number, message in enumerate(context.messages):
        said = [block for block in message.blocks if block.kind != "result"]
        answers = len(said) < len(message.blocks)
        if answers and said and message.blocks[0].kind == "result":
            yield number, message, _bridge_within(message, said)
        elif context.tool_messages and message.role == "user" and said and before is not None:
            yield number, message, (InsertMessage(before, "assistant", _BRIDGE),)
        before = message if answers and not said else None


def _beside_calls(context: Context) -> None:
    """Text next to calls in one message: one problem for all."""
    if context.written == "items" or not context.judges("content.mixed_with_tool"):
        return
    found = [
        (number, message)
        for number, message in enumerate(context.messages)
        if message.role == "assistant" and message.calls and any(_speaks(block) for block in message.blocks)
    ]
    if not found:
        return
    number, first = found[0]
    context.add(
        "content.mixed_with_tool",
        text_beside_calls(len(found)),
        Where(
            at=(number, next(at for at, block in enumerate(first.blocks) if _speaks(block))),
            pairs=_pairs_of(context, [block for _, message in found for block in message.calls]),
            about=first,
        ),
        cause=Cause("words_and_calls", "the model wrote text and called a tool in one turn"),
        fixes=(
            Fix(
                "words-in-front",
                "move the text into messages of their own, before the calls",
                tuple(edit for number, message in found for edit in _parted(context, number, message)),
                recommended=True,
            ),
        ),
        count=len(found),
    )


def text_beside_calls(count: int) -> str:
    return f"{plural(count, 'message has', 'messages have')} both text and calls, which some models refuse."


def _pairs_of(context: Context, blocks: list[Block]) -> list[Pair]:
    return [pair for block in blocks if (pair := context.pairing.pair_of(block)) is not None]


def _speaks(block: Block) -> bool:
    text = text_in(block) if block.kind == "text" else ""
    return isinstance(text, str) and text != ""


def _parted(context: Context, number: int, message: Message) -> Iterator[Edit]:
    before = context.messages[number - 1] if number else None
    if context.written == "chat":
        yield InsertMessage(before, "assistant", openai_chat.content_of(message))
        yield SetField(message, "content", ABSENT)
    else:
        words = [block for block in message.blocks if _speaks(block)]
        yield InsertMessage(before, "assistant", as_written(words))
        yield from (Remove(block) for block in words)
    if context.transcript.merged or context.is_error("turn.alternation"):
        yield InsertMessage(before, "user", _GO_ON)
