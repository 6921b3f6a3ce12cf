"""Parts of Gemini's contents as blocks, and back: what did not change is the same object."""

from typing import Any

from tests.each import each
from toolpair.dialects.gemini import blocks_of, call_block, part_block, part_of, written_result
from toolpair.dialects.gemini_writer import GeminiResultWriter, GeminiWriter
from toolpair.transcript.draft import DraftBlock
from toolpair.transcript.model import Block

_CALL: dict[str, Any] = {
    "functionCall": {"id": "c1", "name": "read_file", "args": {"path": "a"}},
    "thoughtSignature": "s",
}
_RESULT: dict[str, Any] = {
    "functionResponse": {"id": "c1", "name": "read_file", "response": {"output": "three lines"}, "more": 1}
}
_PNG = {"inlineData": {"mimeType": "image/png", "data": "iVBO"}}
_PARTS: tuple[Any, ...] = (
    _CALL,
    _RESULT,
    _PNG,
    {"text": "hello", "more": 1},
    {"text": "Look at it", "thought": True, "thoughtSignature": "s"},
    {"functionResponse": {"id": "c1", "name": "shot", "response": {"output": "it"}, "parts": [_PNG]}},
    {"functionResponse": {"name": "shot", "response": [1, 2]}},
    {"function_call": {"name": "read_file"}},
    {"fileData": {"mimeType": "application/pdf", "fileUri": "gs://it"}},
    {"executableCode": {"language": "PYTHON", "code": "1"}},
    {"type": "tool_use", "id": "x", "name": "n", "input": {}},
    {"functionCall": None},
    {"functionResponse": {"id": ["x"], "response": None}},
    "bare words",
    {},
    [],
    None,
    7,
)


def _draft(block: Block, written: Any) -> DraftBlock:
    made = DraftBlock(block.kind, block.value, block.id, block.slot)
    made.source, made.written = block, written
    return made


@each("part", _PARTS)
def test_a_part_that_did_not_change_stays_the_same_object(part: Any) -> None:
    block = part_block(part, 3, ("parts", 0))
    assert part_of(block.value, block, part) is part
    assert (block.record, block.slot) == (3, ("parts", 0))


def test_what_parts_say() -> None:
    blocks = blocks_of([*_PARTS[:6], _PARTS[6]], 1, ("parts",))
    assert [block.kind for block in blocks] == ["call", "result", "media", "text", "thinking", "result", "result"]
    assert (blocks[0].id, blocks[0].name, blocks[0].value["input"]) == ("c1", "read_file", {"path": "a"})
    assert (blocks[1].id, blocks[1].name, blocks[1].text) == ("c1", "read_file", "three lines")
    assert blocks[5].text == "it\n[image]"
    assert blocks[6].text == "[1, 2]"
    assert blocks[6].id is None


def test_an_error_is_one() -> None:
    block = part_block({"functionResponse": {"id": "c", "name": "n", "response": {"error": "no such file"}}}, 0, ())
    assert (block.is_error, block.text) == (True, "no such file")


def test_a_content_is_text_parts_or_one_part() -> None:
    assert [block.text for block in blocks_of("words", 0, ("content",))] == ["words"]
    assert [block.slot for block in blocks_of({"text": "words"}, 0, ("content",))] == [("content",)]
    assert blocks_of(None, 0, ("content",)) == ()


def test_a_call_and_a_result_without_a_part_around_them() -> None:
    call = {"id": "c1", "name": "read_file", "args": None}
    assert call_block(call, 0, ("toolCalls", 0)).value["input"] == {}
    result = written_result("words", call, 0, ("toolCalls", 0, "result"))
    assert (result.id, result.name, result.text) == ("c1", "read_file", "words")


def test_a_new_id_changes_nothing_else() -> None:
    writer = GeminiWriter()
    call, result = part_block(_CALL, 0, ()), part_block(_RESULT, 0, ())
    made = part_of(writer.renamed(_draft(call, _CALL), "c2"), call, _CALL)
    assert made == {"functionCall": {**_CALL["functionCall"], "id": "c2"}, "thoughtSignature": "s"}
    assert made["functionCall"]["args"] is _CALL["functionCall"]["args"]
    made = part_of(writer.renamed(_draft(result, _RESULT), "c2"), result, _RESULT)
    assert made == {"functionResponse": {**_RESULT["functionResponse"], "id": "c2"}}
    assert made["functionResponse"]["response"] is _RESULT["functionResponse"]["response"]


def test_other_content_of_a_result() -> None:
    block = part_block(_RESULT, 0, ())
    made = part_of({**block.value, "content": "gone", "is_error": True}, block, _RESULT)
    assert made["functionResponse"]["response"] == {"error": "gone"}
    assert made["functionResponse"]["id"] == "c1"
    shown = [{"type": "text", "text": "see"}, part_block(_PNG, 0, ()).value]
    made = part_of({**block.value, "content": shown}, block, _RESULT)
    assert (made["functionResponse"]["response"], made["functionResponse"]["parts"]) == ({"output": "see"}, [_PNG])


def test_a_new_result_names_its_function() -> None:
    call = _draft(part_block(_CALL, 0, ()), _CALL)
    made = GeminiWriter().result(call, "interrupted", True, None)
    assert GeminiWriter().with_blocks({"role": "user", "parts": []}, [made]) == {
        "role": "user",
        "parts": [{"functionResponse": {"id": "c1", "name": "read_file", "response": {"error": "interrupted"}}}],
    }
    assert GeminiResultWriter().result(call, "ok", False, None).value == {
        "role": "user",
        "parts": [{"functionResponse": {"id": "c1", "name": "read_file", "response": {"output": "ok"}}}],
    }


def test_new_words_are_parts() -> None:
    assert GeminiWriter().message("assistant", "hi") == {"role": "model", "parts": [{"text": "hi"}]}
    assert GeminiWriter("content").message("user", [{"type": "text", "text": "hi"}]) == {
        "role": "user",
        "content": [{"text": "hi"}],
    }
