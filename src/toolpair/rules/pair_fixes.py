"""Fixes shared by several kinds of broken pairs."""

from __future__ import annotations

from typing import Final

from toolpair.dialects.block_texts import is_real_output, output_lines
from toolpair.rules.problem import Fix
from toolpair.transcript.edits import Edit, Remove
from toolpair.transcript.pairing import Pair

PLACEHOLDER_TITLE: Final = 'write "no result was recorded"'
BOTH_AS_TEXT: Final = "keep the call and the output as text"
NO_CALL: Final = "the model reads it as text, no longer as a call"


def remove_call(pair: Pair, *, results: bool = True) -> Fix:
    assert pair.call is not None
    real = [result for result in pair.results if is_real_output(result)]
    loses = "its input"
    if real and results:
        loses += f" and its output ({output_lines(real[:1])})"
    edits: tuple[Edit, ...] = (Remove(pair.call), *(Remove(result) for result in pair.results if results))
    return Fix("remove-call", "remove the call", edits, loses=loses)
