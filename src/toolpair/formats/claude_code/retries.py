"""Failed retries at the end of a session: prompts answered only by the agent's own error message."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from toolpair.formats.claude_code.record_kinds import ChainNode, parts_of_type
from toolpair.transcript.record_tree import FailedRetries

_FEWEST: Final = 2
GO_ON: Final = re.compile(
    r"(please\s+)?(continue|go\s+on|go\s+ahead|proceed|resume|retry|re-?try|try\s+again|again|carry\s+on|keep\s+going"
    r"|next|yes|ok|okay|weiter|mach\s+weiter|continua|continuer|continuez|继续|続けて)(\s+please)?[\s.!?…。！]*\Z",
    re.IGNORECASE,
)
"""A prompt that says nothing but that the agent is to go on."""


def retries_of(chain: Sequence[ChainNode]) -> FailedRetries | None:
    """The consecutive failed prompts at the end of the history, if there are at least two."""
    turns: list[tuple[ChainNode, list[ChainNode]]] = []
    errors: list[ChainNode] = []
    at = len(chain)
    for number in range(len(chain) - 1, -1, -1):
        node = chain[number]
        if node.type == "assistant":
            if not node.api_error:
                break
            errors.append(node)
        elif node.type == "user" and node.value.get("isMeta") is not True:
            if node.has_result or node.value.get("isCompactSummary") is True or not errors:
                break
            turns.append((node, errors))
            errors, at = [], number
    if len(turns) < _FEWEST:
        return None
    turns.reverse()
    said = _last_words(chain[:at])
    repeated: list[ChainNode] = []
    for prompt, _ in turns:
        words = _words(prompt)
        # A new text is the user's, and stays.
        if words is not None and (words in said or GO_ON.match(words)):
            repeated.append(prompt)
        elif words is not None:
            said.add(words)
    if not repeated:
        return None
    gone = {node.uid for node in repeated} | {node.uid for _, found in turns for node in found}
    return FailedRetries(len(repeated), tuple(node.uid for node in chain if node.uid in gone))


def _last_words(chain: Sequence[ChainNode]) -> set[str]:
    """The user's last texts before the failures."""
    for node in reversed(chain):
        if node.type == "user" and not node.has_result and node.value.get("isMeta") is not True:
            words = _words(node)
            return {words} if words else set()
    return set()


def _words(node: ChainNode) -> str | None:
    """The text of a prompt; None when it holds anything else, and so is not a repetition."""
    content = node.content
    if isinstance(content, str):
        return " ".join(content.split()).casefold()
    texts = [part.get("text") for part in parts_of_type(node.value, "text")]
    if not isinstance(content, list) or len(texts) != len(content):
        return None
    return " ".join(" ".join(text for text in texts if isinstance(text, str)).split()).casefold()
