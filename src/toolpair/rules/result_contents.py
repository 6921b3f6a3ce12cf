"""Rules about result contents: missing, of a type that the API refuses, or an error that is not text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from toolpair.dialects import anthropic, openai_chat, openai_responses
from toolpair.dialects.block_texts import result_content, text_of
from toolpair.dialects.block_values import (
    SHOWN,
    hands_back_tools,
    is_object,
    is_output,
    is_text_part,
    said,
    saying,
    text_part,
    text_type,
)
from toolpair.dialects.item_types import type_name
from toolpair.dialects.media import HeldMedia
from toolpair.rules.context import Context, tool_of
from toolpair.rules.problem import Cause, Fix, Severity
from toolpair.rules.rule import Rule
from toolpair.rules.where import at_result
from toolpair.transcript.edits import InsertMessage, SetValue
from toolpair.transcript.model import Block, kept_output_label
from toolpair.transcript.pairing import Pair

_NO_OUTPUT: Final = "(no output)"


class _Output(Struct, frozen=True):
    """One result being checked, and its position."""

    context: Context
    pair: Pair
    result: Block
    at: tuple[int, int]

    def problem(
        self, rule: str, what: str, cause: Cause, fixes: Sequence[Fix], severity: Severity | None = None
    ) -> None:
        """`what` continues a sentence that begins with whose result it is."""
        self.context.add(
            rule,
            f"The result of {tool_of(self.pair.call)} {what}.",
            at_result(self.pair, self.result),
            severity=severity,
            cause=cause,
            fixes=fixes,
        )

    def holding(self, content: Any, **fields: Any) -> tuple[SetValue]:
        """The edit that gives it new content, and these fields."""
        return (saying(self.result, content, **fields),)


def check(context: Context) -> None:
    moonshot = context.provider == "moonshot"
    for pair in context.pairing.pairs:
        for result, at in zip(pair.results, pair.results_at, strict=True):
            # A tool search returns tools, not text.
            if not is_object(result) or hands_back_tools(result):
                continue
            content = result_content(result)
            if isinstance(content, str) and content and not moonshot:
                continue  # nearly all: text, which every API takes
            _content(_Output(context, pair, result, at), content)


RULES: Final = (
    Rule("content.empty_result", "contents", check, of_result=True),
    Rule("result.type_not_allowed", "results", check, of_pair=True, of_result=True, of_text=True),
    Rule("result.json_not_object", "results", check, of_pair=True, of_result=True, of_text=True),
    Rule("error.non_text", "contents", check, of_result=True),
    Rule("error.empty_content", "contents", check, of_result=True),
)


def _content(output: _Output, content: Any) -> None:
    context, result = output.context, output.result
    empty = not content or (context.provider == "moonshot" and not text_of(content).strip())
    if not empty:
        _parts(output, content)
        return
    if result.is_error and context.written == "blocks" and context.judges("error.empty_content"):
        output.problem(
            "error.empty_content",
            "is an error with no content",
            Cause("empty_result", "the tool failed without saying why"),
            (_said_nothing(output, _NO_OUTPUT),),
        )
    elif context.provider == "moonshot":
        _empty_result(output, "is empty", _said_nothing(output, _NO_OUTPUT))
    elif content is None and (context.written != "blocks" or context.in_turns) and context.wire != "gemini":
        # Gemini always gets an object, and a block without content becomes an empty tool message.
        empty_string = replace(_said_nothing(output, ""), id="empty-string", title="write an empty string")
        _empty_result(output, "has no content", empty_string)


def _said_nothing(output: _Output, text: str) -> Fix:
    return Fix("fill", f'write "{text}"', output.holding(text), recommended=True)


def _empty_result(output: _Output, what: str, fix: Fix) -> None:
    output.problem(
        "content.empty_result",
        what,
        Cause("empty_result", "the tool printed nothing, and null was written"),
        (fix,),
        severity="error" if output.context.provider == "mistral" else None,  # its types do not allow null
    )


def _parts(output: _Output, content: Any) -> None:
    if isinstance(content, str):
        return
    context, result = output.context, output.result
    parts = content if isinstance(content, list) else [content]
    if context.wire == "bedrock" and _json_parts(output, parts):
        return
    bad = [part for part in parts if not _may_hold(context, result, part)]
    if context.transcript.native:
        # An agent's own form, which it turns into text before sending.
        bad = [part for part in bad if not (isinstance(part, dict) and "type" not in part)]
    if bad or not isinstance(content, list):
        _not_allowed(output, content, bad)
        return
    media = [part for part in parts if isinstance(part, dict) and not is_text_part(part)]
    if result.is_error and media and context.written == "blocks":
        _error_with_media(output, parts, media)


def _may_hold(context: Context, result: Block, part: Any) -> bool:
    """Whether a result may hold this part, in its form and for its provider."""
    kind = type_name(part)
    if isinstance(part, HeldMedia) and part.apart:
        return True
    if is_output(result):
        return kind in openai_responses.OUTPUT_PARTS and not (
            context.wire == "chat" and kind in openai_responses.OUTPUT_MEDIA
        )
    if context.written == "chat":
        return kind == "text" or (context.in_turns and kind in openai_chat.RESULT_MEDIA)
    if context.wire == "chat":
        return kind in anthropic.RESULT_PARTS - SHOWN
    if context.wire == "responses":
        return kind in anthropic.RESULT_PARTS | openai_responses.OUTPUT_PARTS
    return kind in anthropic.RESULT_PARTS


def _not_allowed(output: _Output, content: Any, bad: list[Any]) -> None:
    context, result = output.context, output.result
    parts = content if isinstance(content, list) else [content]
    mended: Any = [
        _in_its_form(context, result, part) if any(part is found for found in bad) else part for part in parts
    ]
    if not isinstance(content, list):
        mended = json.dumps(content, ensure_ascii=False)
    images = [part for part in bad if type_name(part) in SHOWN]
    fixes = [
        Fix(
            "as-text",
            "write it as text",
            output.holding(mended),
            recommended=not images,
        )
    ]
    if images and context.wire == "chat" and len(images) == len(bad):
        fixes.insert(0, _images_after(output, parts, images))
    elif images:
        fixes[0] = replace(fixes[0], id="as-image", title="write its images the way this API does", recommended=True)
    # Some of Mistral's models accept images in a result; its types allow nothing else.
    strange = context.provider == "mistral" and context.written == "chat" and len(images) < len(bad)
    output.problem(
        "result.type_not_allowed",
        "has content that a result may not have",
        Cause("result_type", "content in another API's form was written into the result"),
        fixes,
        severity="error" if strange else None,
    )


def _in_its_form(context: Context, result: Block, part: Any) -> dict[str, Any]:
    """A part from another API: an image as an image where results may hold one, anything else as text."""
    address = openai_chat.image_address(part)
    if context.written == "blocks" and context.in_turns and address is not None:
        return anthropic.image_at(address)
    return text_part(said(part), text_type(result))


def _json_parts(output: _Output, parts: list[Any]) -> bool:
    """Bedrock's own `json` parts, which must hold an object. Returns whether there are any."""
    from toolpair.dialects import bedrock_converse  # a start for another provider does without

    held = [part for part in parts if bedrock_converse.holds_json(part)]
    bad = [part for part in held if not bedrock_converse.is_json_object(part)]
    if bad:
        mended = [
            bedrock_converse.json_as_text(part) if any(part is found for found in bad) else part for part in parts
        ]
        output.problem(
            "result.json_not_object",
            "has JSON that is not an object",
            Cause("result_json", "the tool returned a list or a plain value, and it was written as it came"),
            (Fix("json-as-text", "write the JSON as text", output.holding(mended), recommended=True),),
        )
    return bool(held)


def _error_with_media(output: _Output, parts: list[Any], media: list[Any]) -> None:
    kept = [part for part in parts if not any(part is found for found in media)]
    said = [text_part("[The tool reported an error.]"), *parts]
    output.problem(
        "error.non_text",
        f"is an error with something other than text in it, which the API {output.context.refuses('error.non_text')}",
        Cause("error_non_text", "the tool failed but still returned an image"),
        (
            Fix(
                "error-as-words",
                "say in words that it failed, and remove the error mark",
                output.holding(said, is_error=False),
                recommended=True,
            ),
            Fix(
                "text-only",
                "keep only the text",
                output.holding(kept),
                loses=f"{len(media)} image{'s' if len(media) > 1 else ''} or document",
            ),
        ),
    )


def _images_after(output: _Output, parts: list[Any], images: list[Any]) -> Fix:
    """A tool message may hold only text: its images go to a user message after the run of results."""
    context, result = output.context, output.result
    last = output.at[0]
    while (
        context.tool_messages
        and last + 1 < len(context.messages)
        and context.messages[last + 1].role in ("tool", "function")
    ):
        last += 1
    texts: list[Any] = [part for part in parts if not any(part is image for image in images)]
    label = text_part(kept_output_label(result.name))
    return Fix(
        "images-behind",
        "move its images into a user message after it",
        (
            *output.holding(texts or [text_part("[The image follows.]", text_type(result))]),
            InsertMessage(context.messages[last], "user", [label, *images]),
        ),
        recommended=True,
    )
