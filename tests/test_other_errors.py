"""Errors of these APIs about other things, from their documentation and public threads, are taken for none that is known."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import pytest

from tests.error_samples import SAMPLES
from tests.test_error_texts import GUTTERS, SAYS_THE_SAME, embedded, in_google, in_openrouter
from toolpair.rules.errors.error_detection import recognise
from toolpair.rules.errors.unwrapping import inner_text
from toolpair.session.session import open_session

LINES: Final = (Path(__file__).parent / "data" / "errors_about_other_things.jsonl").read_text("utf-8").splitlines()
OTHERS: Final[Sequence[str]] = [json.loads(line)["text"] for line in LINES]
PLAIN: Final = [text for text in OTHERS if not text.startswith("{") and "litellm." not in text]


def in_litellm(text: str) -> str:
    return f"litellm.BadRequestError: GroqException - {embedded(text)}"


def in_python(text: str) -> str:
    return "openai.BadRequestError: Error code: 400 - " + repr({"error": {"message": text, "code": None}})


def in_a_trace(text: str) -> str:
    return f"Error: {text}\n    at Object.<anonymous> (/app/index.js:10:5)\n    at async run (/app/main.js:2:1)\n"


def in_a_box(text: str) -> str:
    words = f"API Error: 400 {text}".split(" ")
    lines = [" ".join(words[at : at + 7]) for at in range(0, len(words), 7)]
    width = max(map(len, lines))
    body = "\n".join(f"│ {line:{width}} │" for line in lines)
    return f"╭{'─' * (width + 2)}╮\n{body}\n╰{'─' * (width + 2)}╯"


WRAPPERS: Final[Sequence[Callable[[str], str]]] = (
    in_google,
    in_openrouter,
    in_litellm,
    in_python,
    in_a_trace,
    in_a_box,
    lambda text: embedded(embedded(text)),
)


def claimed(texts: Sequence[str]) -> dict[str, str]:
    found = {text: recognise(text) for text in texts}
    # That a gateway's answer was cut off is no claim about it.
    return {text: known.error.id for text, known in found.items() if known is not None and not known.error.wraps}


def test_there_are_many_of_every_api() -> None:
    assert len(set(OTHERS)) == len(OTHERS) >= 200
    assert len({json.loads(line)["provider"] for line in LINES}) >= 10


def test_nothing_is_claimed_of_any() -> None:
    assert [text for text in OTHERS if recognise(text) is not None] == []


@pytest.mark.parametrize("wrapped", WRAPPERS)
def test_nothing_is_claimed_in_a_wrapper_and_its_words_are_found(wrapped: Callable[[str], str]) -> None:
    assert claimed([wrapped(text) for text in OTHERS]) == {}
    for text in PLAIN:
        said, bare = inner_text(wrapped(text)), inner_text(text)
        assert said.replace(" ", "") == bare.replace(" ", ""), text


@pytest.mark.parametrize("width", [40, 60, 80, 100, 120])
def test_nothing_is_claimed_of_what_a_narrow_terminal_shows(width: int) -> None:
    assert claimed([text[:width] for text in OTHERS]) == {}
    assert claimed([text[:width] + "…" for text in OTHERS]) == {}


def test_nothing_is_claimed_of_wrapped_lines() -> None:
    for gutter in GUTTERS:
        assert claimed([gutter.join(text[at : at + 60] for at in range(0, len(text), 60)) for text in OTHERS]) == {}


@pytest.mark.parametrize("wrapped", WRAPPERS)
def test_the_known_texts_are_found_in_the_same_wrappers(wrapped: Callable[[str], str]) -> None:
    for id_ in set(SAMPLES) - {"ORT01"}:
        found = recognise(wrapped(SAMPLES[id_].text))
        assert found is not None and found.error.id in {id_, *SAYS_THE_SAME.get(id_, ())}, id_


def test_the_interface_claims_nothing_and_shows_the_words_inside(samples: Path) -> None:
    session = open_session(samples / "interrupted-call.json")
    for text in OTHERS:
        target = session.find(text)
        assert target is not None and target.recognised is None, text
        assert not target.leads_somewhere or target.text.startswith("This error is not known. It points here: "), text
    target = session.find(in_openrouter("Unsupported parameter: 'max_tokens'"))
    assert target is not None and "It says: \"Unsupported parameter: 'max_tokens'\"" in target.text


@pytest.mark.parametrize(
    ("text", "not_this"),
    [
        # The beginning is that of a known text; what follows is not.
        ("Missing required parameter: 'tools[10].custom'.", "OAI10"),
        ("Invalid parameter: 'temperature' must be less than or equal to 2.", "AZR01"),
        ("'messages' must contain the word 'json' in some form, to use 'response_format'.", "OAI02"),
        ("'messages.3' : for 'role:assistant' the following must be satisfied[('messages.3.content' : x)]", "GRQ01"),
        ("Item 'fc_1' of type 'function_call' was provided twice.", "RSP04"),
        ("Item with id rs_1 could not be loaded because the file was not found.", "RSP11"),
        ("The text field in the ContentBlock object at messages.2.content.1 is too long.", "BDR15"),
        ("The number of toolResult blocks at messages.2.content exceeds the limit of 20.", "BDR03"),
        ("messages.1.content.0: Invalid `signature` in `document` block", "ANT14"),
        ("messages.1.content.0.mcp_server_tool_use.id: String should match pattern '^mcptoolu_'", "ANT06"),
        ("tools.0.custom.input_examples.1.tool_use.input: Input should be a valid dictionary", "ANT08"),
        ("tools.5.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'", "ANT06"),
        ("the embedding input text content is empty", "KIM03"),
        ("Invalid 'metadata.id': string too long. Expected a string with maximum length 64, but got 70.", "OAI06"),
        ("string too long. Expected a string with maximum length 64, but got a string with length 70", "OAI06"),
        ("Tool call id was changed by the proxy but must be a string.", "MIS01"),
        ("No tool output found for the selected filter.", "RSP01"),
        ("`tool_use` blocks can only be in `assistant` turns of a batch", "ANT11"),
    ],
)
def test_a_known_beginning_alone_is_not_the_error(text: str, not_this: str) -> None:
    found = recognise(text)
    assert found is None, (found.error.id, not_this)


@pytest.mark.parametrize(
    "text", ["\\" * 100_000, '"message":"' * 20_000, " " * 200_000, "400 " * 50_000, "{'error': '" * 9_000]
)
def test_the_inside_of_a_long_text_is_found_in_time(text: str) -> None:
    """What grew with the square of the length would not end."""
    inner_text(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (r'{"error":{"message":"caf\u00e9 \ud83d\ude00 \ud800 is bad"}}', "café 😀 \ufffd is bad"),
        ('{"error": {"message": ""}}', ""),
        ('{"error": {"message": "no end of', "no end of"),
        ('{"detail":[{"msg":"first"},{"msg":"second"}]}', "second"),
        ("API Error: 400 the dog", "the dog"),
        ("the dog ate my homework", "the dog ate my homework"),
        ("Provider returned error", ""),
        ("", ""),
    ],
)
def test_what_stands_inside(text: str, said: str) -> None:
    assert inner_text(text) == said
