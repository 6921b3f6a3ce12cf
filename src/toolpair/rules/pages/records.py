"""Pages about damaged lines: what is wrong with the bytes of the file."""

from __future__ import annotations

from typing import Final

from toolpair.rules.pages.base import Example, Offered, Page

_ASIDE: Final = Offered("set-aside", "set it aside, in a file beside this one, byte for byte")

PAGES: Final = (
    Page(
        "record.torn",
        "A line was cut off",
        "The writer stopped in the middle of a line: a crash, a full disk. Or a line end within a text was written "
        "raw, so that one record stands on several lines. Agents skip such a line, and with it the output in it; "
        "where other lines hang on it the history before it is forgotten, too.",
        "Its end is written where the agent can go on with it then; lines that are one record are written as one. Of "
        "an output that was cut off what can be read is put at its call. A line can always be set aside: it leaves "
        "the session for a file beside it, byte for byte.",
        Example(
            """
{"role":"user","content":"Do the tests pass?"}
{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"pytest"}}]}
{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"passed
{"role":"user","content":"Well?"}
""",
            also=("result.missing",),
        ),
        (
            Offered("close", "write the missing end", "what was cut off, which is not in the file"),
            Offered("join", "write the lines of one record as one"),
            _ASIDE,
        ),
    ),
    Page(
        "record.glued",
        "Several lines glued into one",
        "A line end is missing: two writers at once, or one that went on behind a torn line. Claude Code reads only "
        "the first of them, Codex none.",
        "Each is written on a line of its own, not a byte changed. A piece that was cut off then stands by itself.",
        Example(
            """
{"role":"user","content":"Do the tests pass?"}
{"role":"assistant","content":"Shall I run them?"}{"role":"user","content":"Yes."}
""",
            format="anthropic",
        ),
        (_ASIDE,),
    ),
    Page(
        "record.nul",
        "NUL bytes in a line",
        "The file system lost what was being written in a crash. Agents skip the line unless the NUL bytes stand "
        "behind the record.",
        "They are taken out where records are whole without them; a line of nothing else is set aside, in a file "
        "beside the session.",
        Example(
            b'{"role":"user","content":"Do the tests pass?"}\n'
            b'\x00\x00\x00\x00{"role":"assistant","content":[{"type":"text","text":"Shall I run them?"}]}\n'
            b'{"role":"user","content":"Yes."}\n',
            format="anthropic",
            also=("turn.alternation",),
        ),
        (_ASIDE,),
    ),
    Page(
        "record.bad_json",
        "A line that is no JSON",
        "Something wrote over it, put other text before or behind the record, or wrote control characters into a text "
        "without escapes. Agents skip such a line; Claude Code reads a record that other text follows.",
        "The record is kept and the other text set aside, in a file beside the session; control characters are written "
        "as escapes. Where nothing can be read the line can be set aside.",
        Example(
            """
{"role":"user","content":"Do the tests pass?"}
Warning: low memory {"role":"assistant","content":[{"type":"text","text":"Shall I run them?"}]}
{"role":"user","content":"Yes."}
""",
            format="anthropic",
            also=("turn.alternation",),
        ),
        (Offered("escape", "write the control characters as escapes"), _ASIDE),
    ),
    Page(
        "record.bad_utf8",
        "Bytes that are no text",
        "A write was torn within a character, or a program wrote another encoding. Claude Code reads U+FFFD in their "
        "place. Codex does not resume a session with one such byte anywhere in it; of some paginated rollouts it leaves "
        "out the line.",
        "U+FFFD is put in place of these bytes, as readers do. Nothing else in the line changes.",
        Example(
            b'{"timestamp":"2026-11-21T08:00:00Z","type":"session_meta","payload":{'
            b'"id":"01a1fd17-7a6c-7c11-9e18-deaa896459f4","timestamp":"2026-11-21T08:00:00Z","cwd":"/shop",'
            b'"originator":"codex_cli_rs","cli_version":"0.169.0"}}\n'
            b'{"timestamp":"2026-11-21T08:00:01Z","type":"response_item","payload":{"type":"message","role":"user",'
            b'"content":[{"type":"input_text","text":"Order a caf\xe9."}]}}\n',
        ),
    ),
    Page(
        "record.duplicate_key",
        "A key stands twice in one object",
        "What wrote the line wrote a key twice. Readers take the last value and never see the others. It is looked for "
        "in what would be sent.",
        "The last value is kept, as readers take it; on request the first. Only by hand: which is right its writer "
        "knows.",
        Example(
            """
[
  {"role": "user", "role": "user", "content": "Do the tests pass?"}
]
"""
        ),
    ),
    Page(
        "record.big_number",
        "A number that is too long for readers",
        "It fits neither in 64 bits nor in a double, so most readers round it or take it for infinite. It is looked "
        "for in what would be sent. The file keeps all its digits, also when the line is changed. Codex skips a line "
        "with a whole number of more than 64 bits and at most 128.",
        "None: what the number ought to be only its writer knows. Where Codex skips the line, `.0` is written behind "
        "the number: so it is read, and keeps its digits.",
        Example(
            """
[
  {"role": "user", "content": "Show order 7."},
  {"role": "assistant", "content": [
    {"type": "tool_use", "id": "toolu_1", "name": "show",
     "input": {"order": 123456789012345678901234}}]},
  {"role": "user", "content": [
    {"type": "tool_result", "tool_use_id": "toolu_1", "content": "none"}]}
]
"""
        ),
        (Offered("as-fraction", "write the number as a fraction (ending in .0), which is read"),),
    ),
    Page(
        "record.bom",
        "A byte order mark",
        "An editor wrote it in front of the file, or files that begin with it were put together. Claude Code passes it "
        "by. Codex does not resume a session that begins with one, and skips a line within it that does.",
        "It is taken out.",
        Example(
            "\ufeff"
            '{"timestamp":"2026-11-21T08:00:00Z","type":"session_meta","payload":{'
            '"id":"01a1fd17-7a6c-7c11-9e18-deaa896459f4","timestamp":"2026-11-21T08:00:00Z","cwd":"/shop",'
            '"originator":"codex_cli_rs","cli_version":"0.169.0"}}\n'
            '{"timestamp":"2026-11-21T08:00:01Z","type":"response_item","payload":{"type":"message","role":"user",'
            '"content":[{"type":"input_text","text":"Do the tests pass?"}]}}\n',
        ),
    ),
    Page(
        "record.trailing_comma",
        "A comma that nothing follows",
        "A comma stands behind the last element of an array, or behind the record of each line, as where lines were cut "
        "out of an array. JSON has none there: parsers refuse the file. Claude Code reads over it in lines; Codex finds "
        "no record in them and does not resume the session.",
        "The commas are taken out. Nothing else changes.",
        Example(
            """
[
  {"role": "user", "content": "Do the tests pass?"},
]
"""
        ),
    ),
    Page(
        "record.no_message",
        "Something in the list that is no message",
        "An element of a plain list is null, a number or a text. The API refuses the whole request.",
        "What was meant only you know: it can be set aside, in a file beside this one, or write the message that "
        "belongs there.",
        Example(
            """
[
  {"role": "user", "content": "Do the tests pass?"},
  null
]
"""
        ),
    ),
    Page(
        "record.lone_surrogate",
        "Half of a character",
        "A text was cut in the middle of an emoji, which JSON writes as two halves. The API answers that the request "
        "body is not valid JSON.",
        "The half is replaced by U+FFFD.",
        Example(
            """
[
  {"role": "user", "content": "Well done \\ud83d"}
]
"""
        ),
    ),
)
