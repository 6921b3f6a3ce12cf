"""Pages about results: missing, too many, in another place, under another id."""

from __future__ import annotations

from typing import Final

from toolpair.rules.pages.rule_page import Example, Offered, RulePage

_COPY: Final = Offered("use-copy", "use the real output found elsewhere: on another branch, in a log, beside the file")

PAGES: Final = (
    RulePage(
        "result.missing",
        "A call without a result",
        "The model called a tool, and nothing in the history answers that call. Most APIs refuse the whole request. "
        "It comes from interrupted runs and crashes, and from cutting a history between a call and its result.",
        "toolpair looks for the real output everywhere in the file, under other ids and in the copies that an agent "
        "leaves. If there is none, it writes a placeholder that says so, marked as an error. You can choose to keep "
        "the call as text or remove it instead.",
        Example(
            """
[
  {"role": "user", "content": "Do the tests pass?"},
  {"role": "assistant", "content": [
    {"type": "tool_use", "id": "toolu_1", "name": "Bash",
     "input": {"command": "pytest"}}]},
  {"role": "user", "content": "Well?"}
]
"""
        ),
        (
            _COPY,
            Offered("fix-line", "make the damaged line with the result readable"),
            Offered("keep-readable", "keep what can be read of the result in a damaged line", "what was cut off"),
        ),
    ),
    RulePage(
        "result.orphan",
        "A result without a call",
        "A result names a call that does not come before it. It comes from compaction, rewinding and truncation, or "
        "from an assistant message that was lost. APIs look for the call in the message right before the results.",
        "If its call can be found, the result is linked or moved there; otherwise its output is kept as labelled "
        "text where it is.",
        Example(
            """
[
  {"role": "user", "content": [
    {"type": "tool_result", "tool_use_id": "toolu_9", "content": "passed"}]},
  {"role": "assistant", "content": "Both tests pass."},
  {"role": "user", "content": "Thanks. Now commit it."}
]
"""
        ),
        (
            Offered("move", "move it after its call, where the call comes later"),
            Offered("link", "link it to the call that may be meant: a guess, for you to confirm"),
            Offered("fix-line", "make the damaged line with the call readable"),
        ),
    ),
    RulePage(
        "result.id_mismatch",
        "A result with a different id from its call",
        "The call and the result belong together, but their ids are spelled differently, so the API sees a call "
        "without a result and a result without a call. Often only one side was sanitised (characters such as `.` and "
        "`:` replaced) or cut to a length.",
        "The result gets the id of its call: where one spelling is made from the other, where long random ids differ in "
        "one or two characters, and where a result without an id directly follows the only call. A pair that only its "
        "position suggests is left for you to confirm.",
        Example(
            """
[
  {"role": "user", "content": "What is in notes.txt?"},
  {"role": "assistant", "content": [
    {"type": "tool_use", "id": "functions_read_0", "name": "read",
     "input": {"path": "notes.txt"}}]},
  {"role": "user", "content": [
    {"type": "tool_result", "tool_use_id": "functions.read:0", "content": "buy tea"}]}
]
"""
        ),
        (
            Offered("placeholder-and-text", "for a guess: write a placeholder, and keep the output as text"),
            Offered("fix-line", "make the damaged line with the other half of each readable"),
        ),
    ),
    RulePage(
        "result.duplicate",
        "Two results for one call",
        "A call may be answered only once. Second results come from resuming and retrying, and from placeholders "
        "that were written while the tool was still running.",
        "A copy is dropped. If the results differ, the first real one stays and the others are kept as text; a "
        "placeholder next to a real result is dropped.",
        Example(
            """
[
  {"role": "user", "content": "Do the tests pass?"},
  {"role": "assistant", "content": [
    {"type": "tool_use", "id": "toolu_1", "name": "Bash",
     "input": {"command": "pytest"}}]},
  {"role": "user", "content": [
    {"type": "tool_result", "tool_use_id": "toolu_1", "content": "passed"},
    {"type": "tool_result", "tool_use_id": "toolu_1", "content": "passed"}]}
]
"""
        ),
        (
            Offered("keep-last", "where they differ: keep the last one as the result, the others as text"),
            Offered("keep-first-only", "keep the first one and drop the others", "the other outputs"),
            Offered("keep-last-only", "keep the last one and drop the others", "the other outputs"),
        ),
    ),
    RulePage(
        "result.not_adjacent",
        "A result that comes too late",
        "The result is in the history, but other messages come between it and its call. The API looks only at the "
        "very next message. It comes from a prompt that was typed while the tool ran, from a compaction, or from a "
        "resumed session.",
        "The result is moved after its call.",
        Example(
            """
[
  {"role": "user", "content": "Do the tests pass?"},
  {"role": "assistant", "content": [
    {"type": "tool_use", "id": "toolu_1", "name": "Bash",
     "input": {"command": "pytest"}}]},
  {"role": "user", "content": "And be quick."},
  {"role": "assistant", "content": "I'll wait for the tests."},
  {"role": "user", "content": [
    {"type": "tool_result", "tool_use_id": "toolu_1", "content": "passed"}]}
]
"""
        ),
    ),
    RulePage(
        "result.split_over_messages",
        "Results of one turn spread over several messages",
        "Calls that were made together must be answered in one message. Here the results came one by one and each "
        "got a message of its own, so the API misses all but the first.",
        "They are collected in the first of these messages, in the order of the calls.",
        Example(
            """
[
  {"role": "user", "content": "Read both files."},
  {"role": "assistant", "content": [
    {"type": "tool_use", "id": "toolu_1", "name": "read",
     "input": {"path": "a.txt"}},
    {"type": "tool_use", "id": "toolu_2", "name": "read",
     "input": {"path": "b.txt"}}]},
  {"role": "user", "content": [
    {"type": "tool_result", "tool_use_id": "toolu_1", "content": "tea"}]},
  {"role": "user", "content": [
    {"type": "tool_result", "tool_use_id": "toolu_2", "content": "milk"}]}
]
""",
            also=("turn.alternation",),
        ),
    ),
    RulePage(
        "result.not_first",
        "Something comes before the results",
        "In the message that answers calls, the results must come first. Text or an image before them hides them "
        "from the API, which then says that they are missing.",
        "The results are moved to the front; everything else keeps its order.",
        Example(
            """
[
  {"role": "user", "content": "Do the tests pass?"},
  {"role": "assistant", "content": [
    {"type": "tool_use", "id": "toolu_1", "name": "Bash",
     "input": {"command": "pytest"}}]},
  {"role": "user", "content": [
    {"type": "text", "text": "Here it is:"},
    {"type": "tool_result", "tool_use_id": "toolu_1", "content": "passed"}]}
]
"""
        ),
    ),
    RulePage(
        "result.text_after",
        "Text after the results",
        "Some models accept only results in the message that answers calls and refuse text after them. Most accept "
        "it, and Anthropic's Messages API certainly does.",
        "Nothing is changed unless you ask. On request the text moves into a message of its own, after a short "
        "assistant message where two user messages in a row are refused.",
        Example(
            """
[
  {"role": "user", "content": "Do the tests pass?"},
  {"role": "assistant", "content": [
    {"type": "tool_use", "id": "tooluse_1", "name": "Bash",
     "input": {"command": "pytest"}}]},
  {"role": "user", "content": [
    {"type": "tool_result", "tool_use_id": "tooluse_1", "content": "passed"},
    {"type": "text", "text": "Now commit it."}]}
]
""",
            profile="bedrock-converse",
        ),
    ),
    RulePage(
        "result.order",
        "Results in a different order from the calls",
        "Results came back as they were ready. APIs match them by id, so this is a note: it costs the prompt cache, "
        "and some models read results by position.",
        "Nothing is changed unless you ask. On request the results are put in the order of their calls.",
        Example(
            """
[
  {"role": "user", "content": "Read both files."},
  {"role": "assistant", "content": [
    {"type": "tool_use", "id": "toolu_1", "name": "read",
     "input": {"path": "a.txt"}},
    {"type": "tool_use", "id": "toolu_2", "name": "read",
     "input": {"path": "b.txt"}}]},
  {"role": "user", "content": [
    {"type": "tool_result", "tool_use_id": "toolu_2", "content": "milk"},
    {"type": "tool_result", "tool_use_id": "toolu_1", "content": "tea"}]}
]
"""
        ),
    ),
    RulePage(
        "result.name",
        "A result with another tool's name, or none",
        "Gemini pairs by count and name: a function's response must have the name of its call. Kimi's own examples "
        "write the name, too. Other APIs match by id.",
        "On request the name is taken from the call.",
        Example(
            """
[
  {"role": "user", "content": "Do the tests pass?"},
  {"role": "assistant", "content": null, "tool_calls": [
    {"id": "call_1", "type": "function",
     "function": {"name": "run", "arguments": "{}"}}]},
  {"role": "tool", "tool_call_id": "call_1", "name": "read",
   "content": "passed"}
]
""",
            profile="gemini",
        ),
    ),
    RulePage(
        "result.kind",
        "An output of a different type from its call",
        "The Responses API pairs by `call_id` within a type: a `custom_tool_call` requires a "
        "`custom_tool_call_output`, a `function_call` a `function_call_output`. An output of the other type leaves "
        "the call unanswered, and Codex drops it without telling you.",
        "The output gets the type that its call requires; its content stays.",
        Example(
            """
[
  {"type": "message", "role": "user", "content": "Fix the typo."},
  {"type": "custom_tool_call", "call_id": "call_1", "name": "apply_patch",
   "input": "*** Begin Patch"},
  {"type": "function_call_output", "call_id": "call_1", "output": "Done."}
]
"""
        ),
        (Offered("placeholder-and-text", "write a placeholder, and keep the output as text"),),
    ),
    RulePage(
        "result.type_not_allowed",
        "Content that a result may not have",
        "A result may contain text and a few other kinds of content, which differ from API to API; this one contains "
        "something else. It comes from sessions that switched provider, and from tools that return raw JSON.",
        "What is not allowed in a result is written as text; images of a tool message follow in a user message.",
        Example(
            """
[
  {"role": "user", "content": "How many users are there?"},
  {"role": "assistant", "content": [
    {"type": "tool_use", "id": "toolu_1", "name": "query",
     "input": {"sql": "SELECT count(*)"}}]},
  {"role": "user", "content": [
    {"type": "tool_result", "tool_use_id": "toolu_1", "content": [{"type": "rows", "count": 42}]}]}
]
"""
        ),
        (Offered("images-behind", "move its images into a user message after it"),),
    ),
    RulePage(
        "result.json_not_object",
        "A JSON result that is not an object",
        "Bedrock accepts a result's `json` only as an object: a list, a number or a string there is refused. It "
        "comes from tools that return a list.",
        "It is written as text.",
        Example(
            """
[
  {"role": "user", "content": "Which files changed?"},
  {"role": "assistant", "content": [
    {"type": "tool_use", "id": "tooluse_1", "name": "changed",
     "input": {}}]},
  {"role": "user", "content": [
    {"type": "tool_result", "tool_use_id": "tooluse_1", "content": [{"json": ["a.py", "b.py"]}]}]}
]
""",
            profile="bedrock-converse",
        ),
    ),
    RulePage(
        "result.placeholder",
        "A placeholder where the real output is known",
        "An agent wrote that there is no result, or left it empty, but the output itself exists elsewhere: on "
        "another branch, in the copy of a request, in a forked session, in a file beside the session. No API refuses "
        "it, but the model works without something that is known.",
        "The real output replaces the placeholder.",
        Example(
            """
{"type":"user","uuid":"u1","parentUuid":null,"message":{"role":"user","content":"Do the tests pass?"},"sessionId":"s","timestamp":"2026-11-21T08:00:00Z"}
{"type":"assistant","uuid":"a1","parentUuid":"u1","message":{"id":"msg_1","role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"pytest"}}]},"sessionId":"s","timestamp":"2026-11-21T08:00:01Z"}
{"type":"user","uuid":"r1","parentUuid":"a1","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":""}]},"toolUseResult":{"stdout":"passed","stderr":""},"sourceToolAssistantUUID":"a1","sessionId":"s","timestamp":"2026-11-21T08:00:09Z"}
"""
        ),
    ),
    RulePage(
        "result.crossed",
        "Two outputs that seem to be swapped",
        "Each of two parallel calls has the other's output. No API notices, since the ids are fine, and the model "
        "reads the wrong output. It comes from repairs that paired results with calls by position alone.",
        "On request the two outputs are swapped back. Only you can be certain: look at both.",
        Example(
            """
[
  {"role": "user", "content": "Read both files."},
  {"role": "assistant", "content": [
    {"type": "tool_use", "id": "toolu_1", "name": "read",
     "input": {"path": "src/cart.py"}},
    {"type": "tool_use", "id": "toolu_2", "name": "read",
     "input": {"path": "src/price.py"}}]},
  {"role": "user", "content": [
    {"type": "tool_result", "tool_use_id": "toolu_1",
     "content": "src/price.py: PRICES = {}"},
    {"type": "tool_result", "tool_use_id": "toolu_2",
     "content": "src/cart.py: class Cart: ..."}]}
]
"""
        ),
    ),
    RulePage(
        "result.unreached",
        "A result that nothing leads to",
        "The line with a call was lost, and its result hangs beside the history, as those of parallel calls do. The "
        "agent does not find it, and does not tell you.",
        "Its output is kept as labelled text in the history, where it was.",
        Example(
            """
{"type":"user","uuid":"u1","parentUuid":null,"message":{"role":"user","content":"Read both files."},"sessionId":"s","timestamp":"2026-11-21T08:00:00Z"}
{"type":"assistant","uuid":"a2","parentUuid":"u1","message":{"id":"msg_1","role":"assistant","content":[{"type":"tool_use","id":"toolu_2","name":"Read","input":{"file_path":"b.txt"}}]},"sessionId":"s","timestamp":"2026-11-21T08:00:02Z"}
{"type":"user","uuid":"r1","parentUuid":"u1","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"tea"}]},"sessionId":"s","sourceToolAssistantUUID":"a1","timestamp":"2026-11-21T08:00:03Z"}
{"type":"user","uuid":"r2","parentUuid":"a2","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_2","content":"milk"}]},"sessionId":"s","sourceToolAssistantUUID":"a2","timestamp":"2026-11-21T08:00:04Z"}
{"type":"assistant","uuid":"a3","parentUuid":"r2","message":{"id":"msg_2","role":"assistant","content":[{"type":"text","text":"Tea and milk."}]},"sessionId":"s","timestamp":"2026-11-21T08:00:05Z"}
"""
        ),
    ),
)
