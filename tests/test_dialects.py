"""How an API spells things is the dialects' affair: no other room but the formats looks into a block's value."""

import ast
import sys
from collections.abc import Iterator, Sequence

from tests.each import each
from tests.source_code import Module
from toolpair.dialects import anthropic, item_types, openai_chat, openai_responses

_ROOMS = (
    "transcript",
    "rules",
    "recipes",
    "history",
    "library",
    "agents",
    "session",
    "text",
    "reports",
    "cli",
    "tui",
    "shell",
)
"""All but the dialects, the formats, which read records, and the source, which an import contract holds off blocks."""
_ELSE = {
    # Of a block, without looking into it.
    "transcript/model.py": {"self.value"},  # id() of it: which piece of the file a block is
    "transcript/edits.py": {"block.value"},  # set aside whole
    "rules/thinking.py": {"block.value"},
    "session/cutting.py": {"block.value", "item.value"},  # compared whole; ids of a session in its records
    "history/window_edits.py": {"edit.value", "record.value"},
    "transcript/draft.py": {"block.value", "home.value", "self.value"},  # carried from dialects to formats
    # Of the records of a file: an `Item`, a `Record`, what a scan has instead of one.
    "history/checked_records.py": {"item.value", "record.value"},
    "history/compacted.py": {"item.value"},
    "history/link_places.py": {"record.value", "document.record(uid).value"},  # ids and links of records
    "history/id_places.py": {"item.value"},
    "history/losses/assistant_texts.py": {"item.value"},
    "history/losses/kept_whole.py": {"item.value"},
    "history/losses/unnamed.py": {"block.value", "item.value"},
    "history/open_windows.py": {"record.value", "body.value"},
    "history/passing.py": {"item.value"},
    "history/row_times.py": {"record.value", "self._conversation.document.record(uid).value"},
    "history/scan.py": {"value.value"},
    "history/summary.py": {"item.value"},
    "history/window.py": {"item.value"},
    "library/message_lists.py": {"item.value", "given[0].value"},  # elements of the caller's own list
    "reports/excerpt/harness.py": {"record.value"},  # what the agent's own code is given
    "reports/excerpt/parts.py": {"first.value", "record.value", "self._document.record(uid).value"},
    "reports/first_break/log.py": {"record.value"},
    "reports/first_break/logs/records.py": {"body.value", "record.value"},
    "reports/page/conversation_parts.py": {"item.value"},
    "recipes/measuring.py": {"one.value", "other.value"},
    "session/following.py": {"found.document.records[-1].value"},
    "session/reopening.py": {"record.value"},
    "session/surroundings.py": {"record.value"},
    "tui/sees_text.py": {"record.value"},
    # Of a part of a request, which is handed to a dialect, or printed as it is.
    "history/becomes.py": {"added.value", "part.value"},
    "history/judged_request.py": {"block.value", "found[1].value", "part.value", "sent.value"},
    "history/sent_rows.py": {"self.value", "part.value", "SentPart.of(block).value"},
    "cli/sees.py": {"row.value"},
    "session/handed_over.py": {"row.value"},
    "reports/export/source.py": {"part.value", "message.value"},
    # Of arguments that were read.
    "history/losses/comparison.py": {"said.value"},
    "rules/arguments.py": {"said.value"},
    # Of an enumeration's member, and of widgets.
    "library/sdk_objects.py": {"value.value"},
    "tui/screens/command.py": {"event.value", "field.value"},
    "tui/screens/menu.py": {"event.value"},
    "tui/screens/picker.py": {"self.query_one(SafeInput).value", "field.value"},
    "tui/screens/viewer.py": {"field.value", "event.value"},
    "tui/screens/prompt.py": {"event.value", "field.value", "line.value", "self.query_one(SafeInput).value"},
    "tui/widgets/field.py": {"self.value"},
}
"""What else is called so."""
_NAMES_ELSEWHERE = {
    "history/list_windows.py": "tells the form of a list before anything of it is read",
    "library/framework_objects.py": "makes the objects of frameworks of items again",
    "library/sdk_objects.py": "makes messages of the objects that SDKs have instead of them",
    "cli/": "`call_id` and the like are names in what toolpair prints",
    "tui/row_search.py": "what is looked for in the bytes before they are read",
    "rules/errors": "words of the errors that APIs report",
    "transcript/placeholders.py": "what a tool may have written around its words",
}
"""Where names of an API stand for a reason."""
_KINDS = {"text", "thinking", "image", "document", "message", "reasoning", "compaction"}
"""Words that are no API's own."""
_NAMES = {
    *anthropic._KINDS,
    *anthropic._ID_KEYS.values(),
    *item_types.CALL_FAMILY,
    *item_types.OUTPUT_FAMILY,
    *openai_chat.RESULT_MEDIA,
    *item_types.ITEMS,
    *openai_responses.OUTPUT_PARTS,
    *("tool_calls", "tool_call_id", "tool_use_id", "call_id", "function_call", "is_error", "output_text"),
    *("reasoning_content", "extra_content", "image_url", "encrypted_content", "cache_control"),
} - {*_KINDS, "id", "file", "mcp_call", "computer_call"}


def _nodes(modules: Sequence[Module], *rooms: str) -> Iterator[tuple[str, ast.AST]]:
    """The path of a module with each of its nodes."""
    for module in modules:
        if module.path.partition("/")[0] in (rooms or _ROOMS):
            for node in module.nodes:
                yield module.path, node


def test_no_room_looks_into_a_block(modules: Sequence[Module]) -> None:
    found: dict[str, set[str]] = {}
    for name, node in _nodes(modules):
        if (isinstance(node, ast.Attribute) and node.attr == "value") or _is_looked_up(node):
            found.setdefault(name, set()).add(ast.unparse(node))
    assert found == _ELSE


def _is_looked_up(node: ast.AST) -> bool:
    """getattr(block, "value"), or the same as a pattern of a match."""
    if isinstance(node, ast.MatchClass):
        return "value" in node.kwd_attrs
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "getattr"
        and any(isinstance(given, ast.Constant) and given.value == "value" for given in node.args)
    )


def test_no_room_names_what_an_api_writes(modules: Sequence[Module]) -> None:
    found = {
        f"{name}:{node.lineno} {node.value}"
        for name, node in _nodes(modules)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in _NAMES
        if not name.startswith(tuple(_NAMES_ELSEWHERE))
    }
    assert not found


def test_the_transcript_stands_on_nothing(modules: Sequence[Module]) -> None:
    for name, node in _nodes(modules, "transcript"):
        used = (
            [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else []
        )
        for module in used:
            assert module.startswith(("toolpair.transcript", "toolpair.shell", "msgspec")) or (
                module.partition(".")[0] in sys.stdlib_module_names
            ), (name, module)


@each(
    "block",
    [
        anthropic.block_of(
            {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "x"}]}, 0, ()
        ),
        openai_responses.block_of({"type": "function_call_output", "call_id": "a", "output": "x"}, 0, ()),
        openai_responses.block_of({"type": "custom_tool_call_output", "call_id": "a", "output": "x"}, 0, ()),
        *openai_chat.message_of({"role": "tool", "tool_call_id": "a", "content": "x"}, 0, ()).blocks,  # type: ignore[union-attr]
    ],
)
def test_a_block_says_what_it_says_in_any_spelling(block: anthropic.Block) -> None:
    assert (block.kind, block.id, block.text) == ("result", "a", "x")
