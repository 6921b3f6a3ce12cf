"""Pages about damaged lines: what is wrong with the bytes of the file."""

from __future__ import annotations

from typing import Final

from toolpair.rules.pages.rule_page import Example, Offered, RulePage

_ASIDE: Final = Offered("set-aside", "set it aside, in a file beside this one, byte for byte")

PAGES: Final = (
    RulePage(
        "record.torn",
        "A line was cut off",
        "The writer stopped in the middle of a line: a crash, a full disk. Or a line break inside a text was written "
        "unescaped, so that one record is spread over several lines. Agents skip such a line, and with it the output "
        "in it; if other lines link to it, the history before it is forgotten, too.",
        "Its end is written where that lets the agent continue; lines that are one record are written as one. If an "
        "output was cut off, what can be read of it is put at its call. A line can always be set aside: it moves "
        "from the session to a file beside it, byte for byte.",
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
            Offered("join", "write the lines of one record as a single line"),
            _ASIDE,
        ),
    ),
    RulePage(
        "record.glued",
        "Several lines glued into one",
        "A line break is missing: two programs wrote at once, or one continued after a line that was cut off. Claude "
        "Code reads only the first of the records, Codex none.",
        (
            "Each is written on its own line, without changing a byte. A piece that was cut off is then on a line by "
            "itself."
        ),
        Example(
            """
{"role":"user","content":"Do the tests pass?"}
{"role":"assistant","content":"Shall I run them?"}{"role":"user","content":"Yes."}
""",
            format="anthropic",
        ),
        (_ASIDE,),
    ),
    RulePage(
        "record.nul",
        "NUL bytes in a line",
        "A crash made the file system lose what was being written. Agents skip the line unless the NUL bytes come "
        "after the record.",
        "They are removed where the records are whole without them; a line of nothing else is set aside, in a file "
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
    RulePage(
        "record.bad_json",
        "A line that is not JSON",
        "Something wrote over it, put other text before or after the record, or wrote control characters into a text "
        "without escaping them. Agents skip such a line; Claude Code still reads a record that is followed by other "
        "text.",
        "The record is kept and the other text is set aside, in a file beside the session; control characters are "
        "escaped. Where nothing can be read, the line can be set aside.",
        Example(
            """
{"role":"user","content":"Do the tests pass?"}
Warning: low memory {"role":"assistant","content":[{"type":"text","text":"Shall I run them?"}]}
{"role":"user","content":"Yes."}
""",
            format="anthropic",
            also=("turn.alternation",),
        ),
        (
            Offered("escape", "escape the control characters"),
            Offered("clear", "empty the column of settings that goose ignores", "what is left of the settings"),
            _ASIDE,
        ),
    ),
    RulePage(
        "record.bad_utf8",
        "Bytes that are not text",
        "A write was cut off inside a character, or a program wrote another encoding. Claude Code reads U+FFFD in "
        "their place. Codex does not resume a session with a single such byte anywhere in it; in some paginated rollouts "
        "it skips the line.",
        "These bytes are replaced with U+FFFD, as programs that read them do. Nothing else in the line changes.",
        Example(
            b'{"timestamp":"2026-11-21T08:00:00Z","type":"session_meta","payload":{'
            b'"id":"01a1fd17-7a6c-7c11-9e18-deaa896459f4","timestamp":"2026-11-21T08:00:00Z","cwd":"/shop",'
            b'"originator":"codex_cli_rs","cli_version":"0.169.0"}}\n'
            b'{"timestamp":"2026-11-21T08:00:01Z","type":"response_item","payload":{"type":"message","role":"user",'
            b'"content":[{"type":"input_text","text":"Order a caf\xe9."}]}}\n',
        ),
    ),
    RulePage(
        "record.duplicate_key",
        "A key occurs twice in one object",
        "Whatever wrote the line wrote a key twice. Programs that read it take the last value and never see the "
        "others. Only what would be sent is checked for this.",
        "The last value is kept, as programs read it; on request the first. Never without asking: only its writer "
        "knows which is right.",
        Example(
            """
[
  {"role": "user", "role": "user", "content": "Do the tests pass?"}
]
"""
        ),
    ),
    RulePage(
        "record.big_number",
        "A number that is too long",
        "It fits neither in 64 bits nor in a double, so most programs round it or read it as infinity. Only what "
        "would be sent is checked for this. The file keeps all its digits, even when the line is changed. Codex skips a "
        "line with a whole number of more than 64 bits and at most 128.",
        "None: only its writer knows what the number should be. Where Codex skips the line, `.0` is added to the number: "
        "Codex reads it then, and it keeps its digits.",
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
    RulePage(
        "record.bom",
        "A byte order mark",
        "An editor wrote it at the start of the file, or files that start with it were joined. Claude Code ignores "
        "it. Codex does not resume a session that starts with one, and skips a line inside it that does.",
        "It is removed.",
        Example(
            "\ufeff"
            '{"timestamp":"2026-11-21T08:00:00Z","type":"session_meta","payload":{'
            '"id":"01a1fd17-7a6c-7c11-9e18-deaa896459f4","timestamp":"2026-11-21T08:00:00Z","cwd":"/shop",'
            '"originator":"codex_cli_rs","cli_version":"0.169.0"}}\n'
            '{"timestamp":"2026-11-21T08:00:01Z","type":"response_item","payload":{"type":"message","role":"user",'
            '"content":[{"type":"input_text","text":"Do the tests pass?"}]}}\n',
        ),
    ),
    RulePage(
        "record.trailing_comma",
        "A comma that nothing follows",
        "There is a comma after the last element of an array, or after the record on each line, for example because the "
        "lines were cut out of an array. JSON does not allow it there: parsers refuse the file. Claude Code ignores it in "
        "lines; Codex finds no record in them and does not resume the session.",
        "The commas are removed. Nothing else changes.",
        Example(
            """
[
  {"role": "user", "content": "Do the tests pass?"},
]
"""
        ),
    ),
    RulePage(
        "record.no_message",
        "Something in the list that is not a message",
        "An element of a plain list is null, a number or a string, or an object whose content stands under keys where "
        "no API looks for it, as another program's record. The API refuses the whole request. In opencode's "
        "database the row of a message can be gone while its parts are still there: the agent leaves them out.",
        "Only you know what was meant: set it aside, in a file beside this one, or write the message that belongs "
        "there. The row of a message is written again from its parts and the messages around it.",
        Example(
            """
[
  {"role": "user", "content": "Do the tests pass?"},
  null
]
"""
        ),
        (
            Offered("write-message", "write the row again"),
            Offered("remove-parts", "remove what is left of it", "what it says"),
        ),
    ),
    RulePage(
        "record.left_out",
        "Words of yours that the agent leaves out",
        "Gemini CLI sends what you write, even if it begins with `/` or `?`: a path, or a question. When it resumes the "
        "session, it takes such a message for a command and leaves it out; the model sees an answer without its question. "
        "Commands of its own, `/help` or `/stats`, are not reported: they were never for the model.",
        "A note is put before your words, which stay as they are. So the message begins with something else, and it is "
        "sent.",
        Example(
            """
{"sessionId":"1d1598d1-be83-49b5-aedf-3725d6733298","projectHash":"5f0c1b8e","startTime":"2026-11-21T08:04:00.000Z","lastUpdated":"2026-11-21T08:04:00.000Z","kind":"main"}
{"id":"m1","timestamp":"2026-11-21T08:04:01.000Z","type":"user","content":[{"text":"/home/dev/shop/pair.py has a bug, please fix it"}]}
{"id":"m2","timestamp":"2026-11-21T08:04:02.000Z","type":"gemini","content":"Line 12 counts one too many."}
"""
        ),
    ),
    RulePage(
        "record.failed",
        "A response that is left out because it ended in an error",
        "opencode and Kilo note on a response that the provider's API failed. If they resume the session, they leave out "
        "the whole response without telling you: its texts, its calls, and the outputs of the tools that had run.",
        "The note is removed, so that the response is sent with its calls and outputs.",
        Example(
            """
{"session":{"id":"ses_1","slug":"calm-river","directory":"/shop","title":"Tests","version":"1.18.33","time_created":1,"time_updated":5,"revert":null}}
{"message":{"id":"msg_1","session_id":"ses_1","time_created":1,"time_updated":1,"data":{"role":"user","agent":"build","model":{"providerID":"openai","modelID":"gpt-5.5"},"time":{"created":1}}}}
{"part":{"id":"prt_1","message_id":"msg_1","session_id":"ses_1","time_created":1,"time_updated":1,"data":{"type":"text","text":"Do the tests pass?"}}}
{"message":{"id":"msg_2","session_id":"ses_1","time_created":2,"time_updated":2,"data":{"role":"assistant","parentID":"msg_1","agent":"build","providerID":"openai","modelID":"gpt-5.5","time":{"created":2},"error":{"name":"APIError","data":{"message":"Overloaded"}}}}}
{"part":{"id":"prt_2","message_id":"msg_2","session_id":"ses_1","time_created":2,"time_updated":2,"data":{"type":"tool","tool":"bash","callID":"call_1","state":{"status":"completed","input":{"command":"pytest"},"output":"12 passed","title":"pytest","metadata":{},"time":{"start":2,"end":3}}}}}
"""
        ),
    ),
    RulePage(
        "record.lone_surrogate",
        "Half a character",
        "A text was cut in the middle of an emoji, which JSON writes as two halves. The API answers that the request "
        "body is not valid JSON.",
        "The half is replaced with U+FFFD.",
        Example(
            """
[
  {"role": "user", "content": "Well done \\ud83d"}
]
"""
        ),
    ),
)
