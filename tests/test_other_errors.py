"""Errors of these APIs about other things, from their documentation and public threads, are taken for none that is known."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import Final

import pytest

from tests.each import each
from tests.error_samples import SAMPLES
from tests.rounds import dealt
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


@pytest.mark.parametrize(("turn", "wrapped"), list(enumerate(WRAPPERS)))
def test_nothing_is_claimed_in_a_wrapper_and_its_words_are_found(turn: int, wrapped: Callable[[str], str]) -> None:
    assert claimed([wrapped(text) for text in dealt(OTHERS, turn)]) == {}
    for text in dealt(PLAIN, turn):
        said, bare = inner_text(wrapped(text)), inner_text(text)
        assert said.replace(" ", "") == bare.replace(" ", ""), text


def test_nothing_is_claimed_of_what_a_narrow_terminal_shows() -> None:
    for turn, (width, end) in enumerate(product([40, 60, 80, 100, 120], ["", "…"])):
        assert claimed([text[:width] + end for text in dealt(OTHERS, turn)]) == {}, width


def test_nothing_is_claimed_of_wrapped_lines() -> None:
    for turn, gutter in enumerate(GUTTERS):
        texts = dealt(OTHERS, turn)
        assert claimed([gutter.join(text[at : at + 60] for at in range(0, len(text), 60)) for text in texts]) == {}


@pytest.mark.parametrize(("turn", "wrapped"), list(enumerate(WRAPPERS)))
def test_the_known_texts_are_found_in_the_same_wrappers(turn: int, wrapped: Callable[[str], str]) -> None:
    for id_ in dealt(sorted(set(SAMPLES) - {"ORT01"}), turn):
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


@each(
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


@each(
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


# fmt: off
PROGRAMS: Final = (
    "pdfTeX error (ext4): \\pdfendlink ended up in different nesting level than \\pdfstartlink.",
    "Syntax Error: Couldn't find trailer dictionary. Syntax Error (612): Dictionary key must be a name object",
    "PdfReadError: Could not read malformed PDF file: object 14 0 not found, expected id 14",
    "qpdf: input.pdf: unable to find trailer dictionary while recovering damaged file",
    "mutt: Error: message 12 not found in mailbox; index out of range",
    "IMAP NO [CANNOT] Message id 442 not found in folder INBOX",
    "550 5.6.0 message content rejected: attachment image.png is too large",
    "postfix/cleanup[2211]: warning: message content rejected: header too long",
    "git: fatal: bad object id 3fa1c0ffee; expected 40 hexadecimal digits",
    "error: tool 'clang-format' not found; install it or set tool.path in the config",
    "make: *** No rule to make target 'tools/call', needed by 'all'. Stop.",
    "psql: ERROR: duplicate key value violates unique constraint \"messages_pkey\" DETAIL: Key (id)=(42) already exists.",
    "sqlite3.IntegrityError: UNIQUE constraint failed: tool_calls.id",
    "ORA-00904: \"CONTENT\": invalid identifier in messages at index 3",
    "MySQL 1406 (22001): Data too long for column 'content' at row 1 of table messages",
    "MongoServerError: E11000 duplicate key error collection: chat.messages index: id_1 dup key: { id: \"call_1\" }",
    "redis.exceptions.ResponseError: MAXLEN: messages stream id must be greater than the last entry",
    "kafka.errors.MessageSizeTooLargeError: The message is 1048600 bytes when serialized which is larger than the maximum request size",
    "amqp: Exception (406) PRECONDITION_FAILED - unknown delivery tag 12: message was not found",
    "grpc: received message larger than max (5242880 vs. 4194304)",
    "protobuf: missing required field: Message.tool_id",
    "Unity: MissingReferenceException: The object of type 'Tool' has been destroyed but you are still trying to call it.",
    "Blender: tool 'builtin.move' not found for space type VIEW_3D",
    "Error: Cannot find module './tools/result' Require stack: - /app/index.js",
    "TypeError: Cannot read properties of undefined (reading 'toolbar')",
    "ERR_REQUIRE_ESM: require() of ES Module content.js not supported",
    "webpack: Module not found: Error: Can't resolve 'messages.json' in '/src/locales'",
    "i18n: messages.12.title: key is missing in locale de",
    "messages.po:214: duplicate message definition... messages.po:88: ...this is the location of the first definition",
    "msgfmt: messages.po:12: end-of-line within string; found 1 fatal error",
    "Rails: ActiveRecord::RecordInvalid: Validation failed: Content can't be blank",
    "PIL.Image.DecompressionBombError: Image size (400000000 pixels) exceeds limit of 178956970 pixels, could be decompression bomb DOS attack.",
    "Django: ValidationError {'content': ['This field cannot be blank.']} in form MessageForm",
    "jsonschema.exceptions.ValidationError: 'id' is a required property in instance['items'][0]",
    "ajv: data/steps/2/tool must have required property 'version'",
    "GitHub Actions: Error: .github/workflows/ci.yml (Line: 12, Col: 5): Unexpected value 'tools'",
    "terraform: Error: Missing required argument: The argument \"role\" is required, but no definition was found.",
    "ansible: ERROR! the role 'assistant' was not found in /etc/ansible/roles",
    "docker: Error response from daemon: No such image: tools:latest",
    "ImageMagick: convert: width or height exceeds limit `photo.png' @ error/cache.c/OpenPixelCache/3909.",
    "ffmpeg: Invalid data found when processing input: stream 2, codec none",
    "ffprobe: moov atom not found; audio.mp4: Invalid data found when processing input",
    "gcc: error: unrecognized command-line option '-fno-thinking'",
    "rustc E0308: mismatched types: expected `Message`, found `ToolResult` at src/main.rs:14:9",
    "Traceback: KeyError: 'tool_name' in settings.py line 12",
    "xmllint: parser error : Opening and ending tag mismatch: message line 3 and messages",
    "yaml.scanner.ScannerError: mapping values are not allowed here in \"messages.yaml\", line 4, column 12",
    "toml: line 12: duplicate key tools.ruff",
    "ruff: error: Failed to parse pyproject.toml: unknown field `tool_calls`, expected one of `line-length`, `select`",
    "LSP: Request textDocument/hover failed. Error: Unhandled method; id 14 has no response",
    "MQTT: message id 0 is not valid; must be between 1 and 65535",
    "Slack API error: message_not_found: no message at ts 1712345678.0001",
    "Discord: 400 Bad Request (error code: 50035): Invalid Form Body In content: Must be 2000 or fewer in length.",
    "Telegram: Bad Request: message text is empty",
    "Telegram: Bad Request: message to delete not found",
    "Twilio 21617: The concatenated message body exceeds the 1600 character limit",
    "Jira: Field 'content' cannot be set. It is not on the appropriate screen, or unknown.",
    "WordPress: There has been a critical error: role 'assistant' does not exist",
    "LibreOffice: The document 'thinking.odt' is locked for editing by another user.",
)
# fmt: on
"""What programs without models say of tools, messages, roles, contents and ids."""


def test_programs_without_models_say_nothing_of_a_conversation() -> None:
    assert not claimed(PROGRAMS)
    assert not claimed([in_a_trace(text) for text in PROGRAMS])
