"""The known error texts are recognised however they come, and what they name comes out whole."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.each import each
from tests.error_samples import NEIGHBOURS, SAMPLES, Sample
from tests.rounds import ROUNDS, tries
from toolpair.rules.errors.concepts import tables
from toolpair.rules.errors.error_detection import Recognised, nearest, passed_on_by, recognise
from toolpair.rules.errors.pasted import LIMIT, PastedText, squeezed
from toolpair.rules.errors.texts import TITLES, texts, title_of
from toolpair.rules.profiles import PROFILES, is_profile
from toolpair.rules.registry import RULES

SAYS_THE_SAME = {
    # What is wrapped is what counts.
    "VTX01": {"ANT01"},
    "LIT01": {"ANT18"},
    "ORT01": {"LIT01"},
    # One validator on two endpoints.
    "AZR01": {"OAI04"},
    "OAI04": {"AZR01"},
}
CUT_ALIKE = {
    # Texts that begin with the same words are one as long as only these are left.
    "DSK01": {"OAI01", "QWN01"},
    "QWN01": {"OAI01", "DSK01"},
    "OAI01": {"QWN01", "DSK01"},
    "OAI02": {"DSK02", "QWN02"},
    "DSK02": {"OAI02", "QWN02"},
    "QWN02": {"OAI02", "DSK02"},
    "ANT15": {"ANT14"},
    "ANT10": {"ANT01"},
    "BDR10": {"BDR11"},
    "BDR11": {"BDR10"},
    "GRQ02": {"GRQ01"},
    "GRQ01": {"GRQ02"},
    "RSP02": {"RSP01"},
    "MIS08": {"MIS07"},
    "MIS07": {"MIS08"},
    "RSP04": {"RSP05"},
    # Without its beginning, which names the field.
    "OAI06": {"RSP07"},
    "RSP07": {"OAI06"},
    "MIS14": {"MIS16"},
    "SRV04": {"GRQ05"},
    "OAI08": {"RSP08", "RSP10", "OAI07"},
    "RSP08": {"RSP10", "OAI08"},
    "RSP10": {"RSP08", "OAI08"},
}
GUTTERS = ("\n", "\n    ", "\r\n", "\n  │ ", " │\n│ ", "\n> ", "\n │ > ", "\n  ⎿  ", "\n|  ")


def embedded(text: str) -> str:
    return json.dumps({"type": "error", "error": {"message": text}})


def in_google(text: str) -> str:
    inner = json.dumps({"error": {"message": text}})
    return json.dumps([{"error": {"code": 400, "message": inner, "status": "INVALID_ARGUMENT"}}])


def in_openrouter(text: str) -> str:
    raw = json.dumps({"error": {"message": text}})
    return json.dumps(
        {"error": {"message": "Provider returned error", "metadata": {"raw": raw, "provider_name": "Anthropic"}}}
    )


CHANGED: Sequence[Callable[[str], str]] = (
    str,
    str.upper,
    lambda text: text.replace("`", ""),
    lambda text: text.replace("'", "’").replace('"', "“").replace("`", "‘"),
    lambda text: text.replace("`", "\\u0060").replace("'", "\\u0027"),
    lambda text: text.replace('"', "&quot;").replace("'", "&#39;"),
)
WRAPPED: Sequence[Callable[[str], str]] = (
    str,
    embedded,
    lambda text: embedded(embedded(text)),
    lambda text: "Error code: 400 - " + repr({"error": {"message": text, "code": None}}),
    in_google,
    in_openrouter,
    lambda text: f"litellm.BadRequestError: AnthropicException - {embedded(text)}\nReceived Model Group=x",
    lambda text: f"Request ID: req_011CV\n{text} (request id: req_vr9)",
    lambda text: f"panic: boom\n\tmain.go:12 +0x1d\nError: {text}\n    at Object.<anonymous> (/app/index.js:10:5)\n",
)


@st.composite
def distorted(draw: st.DrawFn, text: str) -> tuple[str, bool]:
    """The text as it may come to us, and whether its letters are all capitals now."""
    change = draw(st.sampled_from(CHANGED))
    text = change(text)
    levels = draw(st.integers(0, 2))
    for level in range(levels + 1):
        if level:
            text = draw(st.sampled_from(WRAPPED))(text)
        # A terminal breaks the words, or the whole answer; in between nobody does.
        if level in ((0, levels) if "\\" not in text else (levels,)) and draw(st.booleans()):
            width = draw(st.integers(4, 100))
            start, gutter = draw(st.integers(1, width)), draw(st.sampled_from(GUTTERS))
            text = gutter.join((text[:start], *(text[at : at + width] for at in range(start, len(text), width))))
    colours = draw(st.lists(st.integers(0, max(0, len(text) - 1)), max_size=4))
    for at in sorted(colours, reverse=True):
        text = f"{text[:at]}\x1b[38;5;{at % 255}m{text[at:]}\x1b[0m"
    if draw(st.booleans()):
        text = f"\x1b]8;;https://example.com/x\x1b\\{text}\x1b]8;;\x1b\\"
    return text, change is str.upper


def accepted(id_: str, more: dict[str, set[str]] | None = None) -> set[str]:
    return {id_, *SAYS_THE_SAME.get(id_, ()), *(more or {}).get(id_, ())}


def is_said_by(found: Recognised, id_: str, more: dict[str, set[str]] | None = None) -> bool:
    """Whether what was found is this error: by one of its wordings, or by what it says, which is about the same."""
    if found.provider == "chat-server":
        rules = {error.rules for error in texts() if error.id in accepted(id_, more)}
        return any(found.error.rules == one or not set(found.error.rules).isdisjoint(one) for one in rules)
    return found.error.id in accepted(id_, more)


def assert_whole(found: Recognised, sample: Sample, capitals: bool) -> None:
    """Every id can be read as it was, and the index is right."""
    read = [{reading.lower() if capitals else reading for reading in one} for one in found.readings]
    for id_ in sample.ids:
        assert any((id_.lower() if capitals else id_) in one for one in read), (id_, found.readings)
    assert (found.message, found.block) == (sample.message, sample.block)


@each("id_", SAMPLES)
def test_a_text_as_it_was_reported(id_: str) -> None:
    found = recognise(SAMPLES[id_].text)
    assert found is not None and found.error.id in accepted(id_)
    assert found.ids == SAMPLES[id_].ids
    assert_whole(found, SAMPLES[id_], False)


@given(st.data())
@settings(max_examples=tries(250))
def test_a_text_through_proxies_terminals_and_clipboards(data: st.DataObject) -> None:
    id_ = data.draw(st.sampled_from(sorted(SAMPLES)))
    text, capitals = data.draw(distorted(SAMPLES[id_].text))
    found = recognise(text)
    assert found is not None, text
    assert found.error.id in accepted(id_), (found.error.id, text)
    if found.error.id == id_:
        assert_whole(found, SAMPLES[id_], capitals)


def left_of_it(text: str, id_: str) -> bool:
    """Whether a text still has what makes it this error."""
    error = next(error for error in texts() if error.id == id_)
    said = PastedText.of(text).bare
    if error.beside and not any(word in said for word in error.beside):
        return False
    for words in error.words:
        tells = [tell for tell in error.tells if tell in words] or [words]
        for tell in tells:
            pieces = [re.escape(squeezed(piece)) for piece in re.split(r"\{\w+\}", tell)]
            if re.search(r"[^\s,;()\[\]<>]*".join(pieces), said):
                return True
    return False


@given(st.data())
@settings(max_examples=tries(250))
def test_a_text_that_is_cut(data: st.DataObject) -> None:
    """It is known as long as what makes it this error is left, and never taken for another."""
    id_ = data.draw(st.sampled_from(sorted(set(SAMPLES) - {"ORT01", "LIT01", "VTX01"})))
    text = SAMPLES[id_].text
    cut = data.draw(st.integers(0, len(text)))
    if data.draw(st.booleans()):
        left = text[:cut] + data.draw(st.sampled_from(("", "…", "...", '…"}')))
        enough = left_of_it(left, id_)
    else:
        left = text[cut:]
        # A cut in a list of ids is not told from another sentence, nor one letter before an id from another word.
        enough = left_of_it(left, id_) and cut < len(text) * 0.3 and len(left) >= 60 and not re.match(r"[a-z]\W", left)
    found = recognise(left)
    assert found is not None or not enough, left
    assert found is None or is_said_by(found, id_, CUT_ALIKE), (found.error.id, left)


@pytest.mark.parametrize(
    ("width", "unknown"),
    [
        (
            80,
            {
                "ANT17",
                "BDR11",
                "BDR18",
                "CPL01",
                "DSK05",
                "DSK06",
                "DSK07",
                "DSK08",
                "GEM08",
                "GRQ01",
            }
            | {"GRQ02", "GRQ03", "LIT01", "LIT04", "OAI15", "OAI16", "PAI01", "RSP04", "RSP05", "TPL05"}
            | {"BDR24", "GEM20", "QWN03", "QWN06", "RSP23", "TPL10", "VLM01", "VTX01"},
        ),
        (120, {"BDR18", "LIT01", "LIT04", "RSP04", "RSP05"}),
    ],
)
def test_most_texts_are_known_from_what_a_narrow_terminal_shows(width: int, unknown: set[str]) -> None:
    """Of the others only a wrapper, a long id or what many errors begin with is left."""
    assert {id_ for id_, sample in SAMPLES.items() if recognise(sample.text[:width]) is None} == unknown


# Of these the id, or the field that is missing, stands in backticks.
EATEN = sorted({id_ for id_, sample in SAMPLES.items() if "`" in sample.text} - {"ANT17", "DSK05", "DSK06"})


@each("id_", EATEN)
def test_a_text_of_which_a_shell_has_run_the_words_in_backticks(id_: str) -> None:
    sample = SAMPLES[id_]
    found = recognise(re.sub(r"`[^`]*`", "", sample.text))
    assert found is not None and found.error.id in {id_, *SAYS_THE_SAME.get(id_, ())}
    assert (found.ids, found.message, found.block) == sample[1:]


def test_a_neighbour_is_not_taken_for_it() -> None:
    assert {id_: text for id_, text in NEIGHBOURS.items() if recognise(text) is not None} == {}
    assert set(NEIGHBOURS) <= set(SAMPLES)


def test_texts_from_public_threads_are_named_rightly_or_not_at_all() -> None:
    """As people pasted them, each with the errors that it is; none where it is about something else than a history."""
    rows = [json.loads(line) for line in (Path(__file__).parent / "data" / "errors_from_threads.jsonl").open("rb")]
    named = [(row["is"], found.error.id if (found := recognise(row["text"])) is not None else None) for row in rows]
    assert [pair for pair in named if pair[1] is not None and pair[1] not in pair[0]] == []
    histories = [id_ for known, id_ in named if known]
    assert len(rows) >= 290 and len([id_ for id_ in histories if id_ is not None]) >= 0.95 * len(histories)


def test_texts_in_words_of_any_program_are_read_rightly_or_not_at_all() -> None:
    """What servers, gateways and clients say, of histories and of other things, each with errors of the same rules."""
    rows = [json.loads(line) for line in (Path(__file__).parent / "data" / "errors_in_other_words.jsonl").open("rb")]
    rules = {error.id: set(error.rules) or {error.remedy} for error in texts()}
    right = 0
    for row in rows:
        found = recognise(row["text"])
        meant = {rule for id_ in row["is"] for rule in rules[id_]}
        claims = found is not None and not found.error.wraps
        assert not claims or rules[found.error.id] & meant, (row["text"], found.error.id)
        right += claims
    assert right >= 0.9 * len([row for row in rows if row["is"]])


@each(
    ("rule", "said"),
    [
        ("result.orphan", "messages[7]: a tool result must directly follow the tool call that it answers"),
        ("result.orphan", "Orphaned tool_result at messages.7: no preceding assistant message with tool calls"),
        ("result.orphan", "messages[7]: the function response has no matching function call"),
        ("result.orphan", "messages.7: tool_call_id 'call_8a1' does not match any tool call of the previous message"),
        ("result.missing", "messages[7]: every tool call needs to be followed by a tool message"),
        ("result.missing", "messages.7 has unanswered tool calls: call_8a1"),
        ("result.missing", "messages[7]: missing tool result for tool call call_8a1"),
        ("result.orphan", "The number of tool results (2) must match the number of tool calls (1) at messages[7]"),
        ("result.duplicate", "messages[7]: duplicate tool result"),
        ("call.duplicate_id", "messages[7]: tool_call_id call_8a1 has already been used"),
        ("turn.alternation", "messages[7]: consecutive user messages are not allowed"),
        ("turn.first_not_user", "Invalid history: the first message should be from the user"),
        ("turn.trailing_assistant", "The final message cannot be from the assistant"),
        ("turn.no_user", "Request has no user message."),
        ("turn.user_after_tool", "messages[7]: a user message cannot follow a tool message"),
        ("content.null", "messages[7].content must not be null"),
        ("content.empty_message", "messages[7]: empty content is not allowed"),
        ("content.not_a_string", "messages[7].content: expected a string, got array"),
        ("content.too_many_images", "Too many images: at most 4 images per request are allowed"),
        ("content.image_too_large", "messages[7]: failed to decode image"),
        ("content.too_many_cache_marks", "At most 4 blocks with cache_control are accepted"),
        (
            "reasoning.missing_before_call",
            "messages[7]: reasoning_content must be sent back with the assistant message",
        ),
        ("reasoning.bad_signature", "messages[7]: the thinking signature could not be verified"),
        ("reasoning.missing_signature", "messages[7]: thought_signature is required"),
        ("field.unsupported", "messages[7].reasoning_details: this field is not supported"),
        ("role.unknown", "messages[7]: unsupported role: developer"),
        ("args.unparseable", "messages[7]: tool call arguments are not valid JSON"),
        ("id.pattern", "messages[7]: tool_call_id must match pattern [a-z0-9]{9}"),
        ("id.length", "messages[7]: tool_call_id too long (max 40)"),
        ("record.lone_surrogate", "messages[7]: lone surrogate in text"),
        ("tools.undeclared", "tools must be provided when the messages contain tool calls"),
        ("turn.alternation", "user messages must be followed by assistant messages, messages[7] is not"),
        ("turn.trailing_assistant", "the conversation does not end with a user message"),
        ("content.not_a_string", "body -> messages -> 7 -> content: input should be a valid string"),
        ("content.null", "content is required for messages"),
        ("content.image_too_large", "image input detected, but the model has no mmproj"),
        ("result.orphan", "messages[7]: the tool result's tool id was not found"),
        ("content.image_too_large", "This model doesn't support image blocks in user messages. Remove them."),
        ("content.image_too_large", "messages[7]: Unsupported MIME type: image/bmp"),
        (
            "content.image_too_large",
            "contents[7].parts[1].inline_data.mime_type: MIME type must be image/png or image/jpeg",
        ),
        ("content.image_too_large", "The image width and height do not meet the requirements of the model"),
        ("content.image_too_large", "Unable to fetch the multimodal content"),
        ("content.image_too_large", "'data:image/png;base64,iVBORw0KGgo...' is not a valid URI"),
        ("content.empty_message", "EmbedRequest.contents[7].parts[0].data: required oneof field 'data' must be set"),
        ("turn.no_user", "Error: no user or tool message found"),
        ("content.not_a_string", "json: cannot unmarshal object into Go struct field Request.messages of type string"),
        ("content.not_a_string", "This model accepts a single text part per message"),
        ("content.null", "Cannot subscript null at row 23: set start = message.content[:9]"),
        (
            "content.null",
            "TypeError: Cannot read properties of undefined (reading 'map') at _formatContent (/app/message_inputs.cjs:92)",
        ),
        ("content.null", "Invalid 'content': it is wrong: content must be a string, or an array of content blocks"),
        ("turn.alternation", "The role of messages at even positions must be user"),
        ("turn.alternation", "the number of messages should be odd"),
        ("turn.alternation", "消息数量必须为奇数"),
        ("turn.alternation", "user 和 assistant 角色需要交替出现"),
        ("turn.alternation", "messages[7]: expected role user, but got assistant"),
        ("turn.first_not_user", "Role of the first message must be in ['system', 'user']"),
        ("field.unsupported", "messages[7].content[1] has unknown field(s): signature"),
        ("result.missing", "TOOL_CALL_RESULT_MISMATCH"),
        ("turn.no_user", "HTTP 422: Invalid messages"),
    ],
)
def test_words_that_nobody_has_read_are_known_by_what_they_say(rule: str, said: str) -> None:
    for text in (
        said,
        embedded(said),
        in_openrouter(said),
        f"litellm.BadRequestError: GroqException - {said}",
    ):
        found = recognise(text)
        assert found is not None and rule in found.error.rules, (text, found and found.error.id)
        assert found.read_like and found.meaning.startswith("These words are not known; they read like: ")
        assert found.provider in ("chat-server", "anthropic", "groq")
        if "7" in said:
            assert found.message == 7
        if "call_8a1" in text:
            assert found.ids == ("call_8a1",)


@each(
    "text",
    [
        "Tool call finished: the result of the function follows below",
        "2 tool calls, 2 tool results, 0 errors",
        "The user cannot follow this link.",
        "The first argument must be a user name",
        "The last command should end with a newline",
        "tools[3].function.name must match pattern [a-z]",
        "tools.0.function.parameters must be valid JSON",
        "Request too large for gpt-4o on tokens per minute (TPM): Limit 30000, Requested 41000",
        "max_tokens must be at most 8192",
        "IAM role is not supported in this region",
        "Image generation is not supported by this model",
        "docker: image not found",
        "No user found with this key",
        "Duplicate tool names are not allowed",
        "The signature of the request is not valid",
        "Your account has too many images stored",
        "Unknown content type: text/x-log",
        "The message attribute 'x' must contain non-empty message attribute value.",
        "Profile type x is not supported",
        "Tool argument models must have an object JSON schema; root-level compositions are unsupported",
        "WebSocket message content must be a list or null",
        "The last message must contain only tool_result content if any is present",
        "Mistral streamed tool-call identity is missing",
        "Responses stream completed with unresolved tool calls",
        "Video generation does not support image and video inputs together.",
        "Session transcript header exceeds the active-context byte limit",
        "Provider continuation payload has no user input",
        "call id must be a string.",
        "oldText must not be empty in edit.",
        "Encoded export request is too large",
        "The message attribute 'size' must contain non-empty message attribute value for message attribute type 'Number'.",
        "The journey does not end with a user account.",
        "body -> title -> 7: input should be a valid string",
        "a title is required for messages",
        "unknown name id at catalogue[7].parts[0]",
        "image detected, but the printer has no paper",
        "Unexpected item type in the basket",
        "The tool result's tool icon was not found",
        "This browser doesn't support image-rendering",
        "This model doesn't support image generation.",
        "Unsupported MIME type: application/zip",
        "Unsupported MIME type: application/pngcrush",
        "inline_data.mime_types: 3 registered",
        "The image and its title do not meet in the middle",
        "The image size does not matter for this model",
        "Failed to download multimodal benchmark",
        "'https://example.org/a b' is not a valid absolute URI",
        "tools[0].parts[0].data: required oneof field 'data' must have one initialized field",
        "no user or group found",
        "Invalid 'stop': empty array. Expected an array with minimum length 1, but got an empty array instead.",
        "json: cannot unmarshal array into Go struct field Request.options of type string",
        "The chart expects a single text element per axis",
        "Cannot subscript null at row 3: tool.parameters.properties[0]",
        "Use of every even index in the list must be documented by the user",
        "the length of the message id must be an odd number",
        "密码长度必须为奇数",
        "expected role admin, got user",
        "The role of the last reviewer must be user",
        "schema has invalid field(s): text",
        "[type=literal_error, input_value='imagery', input_type=str]",
        "tool_use_result_mismatches: 0",
        "HTTP 400: Invalid messages.json file",
        "'str' object has no attribute 'items'",
        "TypeError: Cannot read properties of undefined (reading 'map') at formatContentList (/app/view.js:3)",
        "The file content must be a string or an array of lines",
        "messages[3].content_type: invalid enum value",
        "KeyError: 'content'",
        "温度参数非法，请检查文档",
        "A phone says: duplicate call_id",
        "the prompt is too long, summarizing",
        "tool_call_id must refer to a person on the call sheet",
        'Invalid option: expected one of "user"|"assistant" at "params.members[0].role"',
        'Invalid option: expected one of "text"|"image" at "params.messages[0].content[1].type"',
        "no tool call found to match the filter",
        "The system message must be at hand in every shift",
        "An empty user prompt template was provided. Every user message needs at least one label.",
        "tools.0.cache_control: Extra inputs are not permitted",
        "The earlier tool result is missing a title",
        "Session too large to export",
        "choices.0.message.content: Input should be a valid string",
        "rows[3].message.content must be a string",
        "TypeError: str is not valid UTF-8: surrogates not allowed",
        "done\n2026-02-01 10:00:00 ERROR Could not upload: toolResult is corrupted",
    ],
)
def test_words_about_something_else_are_not_known_by_what_they_say(text: str) -> None:
    assert recognise(text) is None


def test_other_records_of_a_log_hide_nothing() -> None:
    """Words of something else in the record before or behind are not about the error."""
    before = "2026-02-01 08:40:40,100 INFO uploaded a video to the bucket\n2026-02-01 08:40:41,738 ERROR "
    behind = '\nERROR:    Exception in ASGI application\nTraceback (most recent call last):\n  File "/app/docker.py"'
    for said in (
        "messages[3]: every tool call needs to be followed by a tool message",
        'messages[3]: unsupported role "critic"',
        "messages[3].content must not be null",
        SAMPLES["BDR03"].text,
    ):
        alone = recognise(said)
        assert alone is not None and alone == recognise(before + said) == recognise(said + behind), said
    assert recognise("messages[3]: an uploaded docker image\nERROR: could not be decoded") is None


def test_the_words_of_an_api_name_its_error_where_nobodys_wording_is_known() -> None:
    for said, id_ in (
        ("messages.3: tool_use blocks must be followed by tool_result blocks", "ANT01"),
        ("messages.4.content.0: tool_result has no corresponding tool_use in the previous message", "ANT02"),
        ("toolUse blocks at messages.3 have no toolResult blocks", "BDR01"),
        ('messages: Unexpected role "tool". The Messages API accepts roles "user", "assistant" only', "ANT38"),
        ("messages.3: tool calls must be followed by tool messages", "OAI01"),
    ):
        found = recognise(said)
        assert found is not None and found.read_like and found.is_of_nobody and found.error.id == id_, said


def test_all_texts_are_data_that_hold_together() -> None:
    known = set(RULES)
    read = {says[0] for says in tables().says}
    for id_, whose in tables().in_words_of.items():
        assert id_ in read
        read |= set(whose.values())
    assert {error.id for error in texts()} == set(SAMPLES) and len(texts()) == len(SAMPLES) > 230
    for error in texts():
        assert error.provider in PROFILES or error.provider in TITLES
        assert title_of(error.provider)
        assert error.judged_as is None or is_profile(error.judged_as)
        assert error.at in ("itself", "behind", "conversation")
        assert set(error.rules) <= known, error.id
        assert all(word == squeezed(word) for word in error.beside)
        assert error.meaning.endswith(".") and error.remedy.endswith(".")
        assert error.link.startswith("https://")
        if error.id in read:
            # Whoever reads like it may be anybody.
            assert not re.search(r"\b(Ollama|Anthropic|OpenAI|Gemini|Mistral|DeepSeek|Kimi|Bedrock)\b", error.meaning)


def test_the_wrapper_is_named_and_what_is_inside_decides() -> None:
    inner = SAMPLES["ANT01"].text
    by_openrouter = recognise(in_openrouter(inner))
    assert by_openrouter is not None and by_openrouter.error.id == "ANT01"
    assert by_openrouter.through == "OpenRouter (Anthropic)"
    by_litellm = recognise(f"litellm.BadRequestError: AzureException - {SAMPLES['OAI01'].text}")
    assert by_litellm is not None and by_litellm.error.id == "OAI01"
    assert (by_litellm.provider, by_litellm.through) == ("azure-openai", "LiteLLM (Azure)")
    vertex = recognise(SAMPLES["VTX01"].text)
    assert vertex is not None and (vertex.error.id, vertex.provider) == ("ANT01", "vertex-anthropic")
    unknown = 'litellm.BadRequestError: GroqException - {"error": "the cat sat on it"}'
    assert recognise(unknown) is None and passed_on_by(unknown) == "LiteLLM (Groq)"
    empty = recognise("litellm.BadRequestError: GroqException - ")
    assert empty is not None and empty.error.wraps and empty.through == "LiteLLM (Groq)"


def test_the_id_of_a_request_is_none_of_a_call() -> None:
    for said in ("request id", "Request id", "trace id", "session id"):
        found = recognise(f"messages[3].content[2] has invalid field(s): text ({said}: 5793e940-4e16-428b-b588)")
        assert found is not None and (found.ids, found.message, found.block) == ((), 3, 2)
    found = recognise("messages[3]: duplicate tool result (id: call_8a1)")
    assert found is not None and found.ids == ("call_8a1",)


@pytest.mark.parametrize("root", ["CountTokensRequest", "EmbedRequest", "***"])
def test_a_place_is_taken_whatever_request_it_is_of(root: str) -> None:
    found = recognise(
        f"* {root}.contents[2].parts[1].data: required oneof field 'data' must have one initialized field"
    )
    assert found is not None and (found.error.id, found.message, found.block) == ("GEM10", 2, 1)
    assert recognise(f"* {root}.system_instruction.parts[1].data: required one of the fields") is None


def test_a_type_of_a_part_that_is_not_taken_is_known_by_its_path() -> None:
    found = recognise(
        'path: request.messages[3].content[0].content[1].type\ndetail: Invalid literal value, expected "text"'
    )
    assert found is not None and (found.error.id, found.message, found.block, found.part) == ("OAI18", 3, 0, 1)


def test_the_index_that_only_the_body_names_is_taken() -> None:
    found = recognise(
        "Error code: 400 - {'error': {'message': \"Invalid parameter: messages with role 'tool' must be a response to a "
        "preceeding message with 'tool_calls'.\", 'type': 'invalid_request_error', 'param': 'messages.[22].role'}}"
    )
    assert found is not None and (found.error.id, found.message) == ("OAI02", 22)


def test_the_last_of_several_errors_is_meant_and_they_are_counted() -> None:
    found = recognise(f"{SAMPLES['ANT01'].text}\nretrying…\n{SAMPLES['ANT02'].text}\n{SAMPLES['ANT02'].text}")
    assert found is not None and (found.error.id, found.count) == ("ANT02", 2)


def test_what_names_a_place_goes_before_a_clients_summary_of_it() -> None:
    found = recognise(f"{SAMPLES['ANT01'].text}\nAPI Error: 400 due to tool use concurrency issues.")
    assert found is not None and (found.error.id, found.count) == ("ANT01", 1)


@each(
    "text",
    [
        "the dog ate my homework",
        "Invalid 'tools[0].function.name': string too long. Expected a string with maximum length 64, but got a string "
        "with length 70 instead.",
        "tools.3.input_examples.1.tool_use.input: Field required",
        "Invalid 'previous_response_id': 'x'. Expected an ID that begins with 'resp'.",
        "",
        "\x1b]8;;",
        "\\u00",
        "\ud800\udfff \x00",
    ],
)
def test_what_is_no_known_text_is_not_taken_for_one(text: str) -> None:
    assert recognise(text) is None


def test_the_nearest_known_texts_are_few_and_alike() -> None:
    near = nearest("messages.4: some `tool_use` ids were found lacking `tool_result` blocks in the next message")
    assert 0 < len(near) <= 3 and near[0].id == "ANT01"
    assert nearest("the dog ate my homework") == ()


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-21 INFO something happened with id=42 └─ messages.3: all\n",
        SAMPLES["ANT01"].text + "\n",
        "\n".join(sample.text for sample in SAMPLES.values()),
        " ",
        "\\",
        "\\u",
        "'\n'",
        "\x1b]",
        "&amp;",
        "messages.1.content.2: ",
        "1",
        "tool_use ids were found ",
        "immediately after: a, ",
        "litellm.aError: ",
        "provider_name ",
    ],
)
def test_a_megabyte_of_anything_is_looked_through(text: str) -> None:
    """What grew with the square of the length would not end."""
    size = 1_000_000 if ROUNDS else 300_000
    pasted = (text * (size // len(text) + 1))[:size]
    recognise(pasted)
    nearest(pasted)


def test_of_more_than_the_limit_the_end_is_looked_at() -> None:
    noise = "nothing to see here\n" * (LIMIT // 10)
    found = recognise(noise + SAMPLES["ANT02"].text)
    assert found is not None and found.ids == SAMPLES["ANT02"].ids
    assert len(PastedText.of(noise).marked) <= LIMIT


def test_an_id_that_a_terminal_may_have_broken_has_all_its_readings() -> None:
    found = recognise("Expected toolResult blocks at messages.2.content for the following Ids: tooluse_jQ91\n  2rboYg")
    assert found is not None
    assert set(found.readings[0]) == {"tooluse_jQ912rboYg", "tooluse_jQ91"}
    followed = recognise(f"{SAMPLES['OAI01'].text}\nPlease try again later")
    assert followed is not None and followed.ids == SAMPLES["OAI01"].ids
