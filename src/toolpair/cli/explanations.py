"""What each rule means and what to do about it: the pages of `toolpair explain RULE`."""

from __future__ import annotations

from typing import Final, NamedTuple


class Page(NamedTuple):
    """`meaning` says what is wrong and why it is refused, `remedy` what toolpair does about it."""

    title: str
    meaning: str
    remedy: str


PAGES: Final[dict[str, Page]] = {
    "result.missing": Page(
        "A call without a result",
        "The model called a tool, and nothing in the history answers that call. Most APIs refuse the whole "
        "request. It comes from interrupted runs, crashes, and from cutting a history between a call and its "
        "result.",
        "The real output is looked for everywhere in the file, under other ids and in copies that the agent "
        "left. If there is none, a placeholder says so and is marked as an error. Removing the call is a "
        "choice.",
    ),
    "result.orphan": Page(
        "A result without a call",
        "A result names a call that does not stand before it. It comes from compaction, rewinding, "
        "truncation, or from an assistant message that was lost.",
        "If its call can be found it is linked or moved there; otherwise its output is kept as text where it stands.",
    ),
    "result.id_mismatch": Page(
        "A result under another id than its call",
        "Call and result belong together, but their ids are spelt differently, so the API sees a call without "
        "a result and a result without a call. Often one side only was cleaned of characters such as `.` and "
        "`:`, or cut to a length.",
        "The result gets the id of its call. A pair that only position suggests is left for a person to confirm.",
    ),
    "result.duplicate": Page(
        "Two results for one call",
        "A call may be answered once. Resuming, retrying and placeholders that were put in while the tool "
        "still ran write second results.",
        "A copy is dropped. Of results that differ the first real one stays and the others are kept as text; "
        "a placeholder beside a real result is dropped.",
    ),
    "result.placeholder": Page(
        "A placeholder where the real output is known",
        "An agent wrote that there is no result, or left it empty, and the output itself stands elsewhere: on "
        "another branch, in the copy of a request, in a forked session, in a file beside the session.",
        "The real output is put in the placeholder's place.",
    ),
    "result.unreached": Page(
        "A result that nothing leads to",
        "The record of a call was lost, and its result hangs beside the history, as those of parallel calls do. "
        "The agent does not find it, and tells nobody.",
        "Its output is kept as text in the history, where it stood.",
    ),
    "result.not_adjacent": Page(
        "A result that comes too late",
        "The result stands in the history, but other messages stand between it and its call. The API looks at "
        "the very next message alone.",
        "The result is moved behind its call.",
    ),
    "result.split_over_messages": Page(
        "Results of one turn spread over messages",
        "Calls that were made together must be answered in one message. Results that came one by one were "
        "each put into a message of their own.",
        "They are joined in the first of these messages, in the order of the calls.",
    ),
    "result.not_first": Page(
        "Something stands before the results",
        "In the message that answers calls the results must come first. Text or an image in front of them "
        "hides them from the API, which then says that they are missing.",
        "The results are moved to the front; everything else keeps its order.",
    ),
    "result.text_after": Page(
        "Text behind results",
        "Some providers refuse text behind results in one message; the Messages API takes it.",
        "Nothing has to be done for the profiles that this version judges.",
    ),
    "result.order": Page(
        "Results in another order than the calls",
        "Results came back as they were ready. APIs match them by id, so this is a note: it costs the prompt "
        "cache, and some models read results by position.",
        "On request (`--select result.order`) the results are put into the order of their calls.",
    ),
    "result.name": Page(
        "A result without the name of its tool",
        "Some providers want the tool's name on its result.",
        "The name is taken from the call.",
    ),
    "result.type_not_allowed": Page(
        "Content that a result may not hold",
        "A result may hold text and a few other kinds of content; this one holds something else.",
        "What cannot stand in a result is written as text.",
    ),
    "result.kind": Page(
        "An output of another kind than its call",
        "The Responses API pairs by `call_id` within a kind: a `custom_tool_call` wants a "
        "`custom_tool_call_output`, a `function_call` a `function_call_output`. An output of the other kind leaves "
        "the call unanswered, and Codex drops it without a word.",
        "The output gets the type that its call wants; what it says stays.",
    ),
    "result.json_not_object": Page(
        "A JSON result that is no object",
        "Some providers take objects alone as JSON results.",
        "Nothing has to be done for the profiles that this version judges.",
    ),
    "call.duplicate_id": Page(
        "Several calls of one message share an id",
        "Their results cannot be told apart, and the API refuses ids that are not unique.",
        "Each further pair gets an id of its own, on both sides.",
    ),
    "call.reused_id": Page(
        "An id is used again in a later turn",
        "Gateways that number the calls of each response (`call_0`) write it. The Messages API wants every id "
        "once in a request; chat completions take it. Claude Code keeps the first such pair and drops the "
        "others without a word.",
        "Each later pair gets an id of its own, on both sides, the same on every run.",
    ),
    "call.not_trailing": Page(
        "Something follows a call in its message",
        "Behind a call the assistant's message may hold further calls alone. Text behind it makes the API say "
        "that the result is missing, though all ids match.",
        "The calls are moved to the end of their message.",
    ),
    "id.empty": Page(
        "A call or a result without an id",
        "The id is empty, absent or no string, so nothing can be matched by it.",
        "Both sides of the pair get a new id.",
    ),
    "id.pattern": Page(
        "An id with characters that are refused",
        "The Messages API takes letters, digits, `_` and `-`. Other providers make ids such as "
        "`functions.read_file:0`, and a session that changes its provider takes them along.",
        "Both sides of the pair get a clean id that no other pair has.",
    ),
    "id.length": Page(
        "An id that is too long",
        "The provider takes ids up to a certain length; ids made of two parts, or by proxies, are longer.",
        "Both sides of the pair get a shorter id that no other pair has.",
    ),
    "role.call_in_user": Page(
        "A call in a user's message",
        "Only the assistant can call a tool.",
        "The call is put into an assistant's message at its place.",
    ),
    "role.result_in_assistant": Page(
        "A result in an assistant's message",
        "Results belong into the user's next message.",
        "The result is put into a user's message behind its call.",
    ),
    "role.unknown": Page(
        "A role that the API does not know",
        "A message's role is none of those that the provider takes.",
        "The nearest role that is known is put in its place.",
    ),
    "turn.trailing_call": Page(
        "The history ends with a call",
        "The last message calls a tool, and nothing follows. In an agent's own file the call may just be running.",
        "A placeholder answers it; removing the call is a choice.",
    ),
    "turn.trailing_assistant": Page(
        "The history ends with the assistant",
        "Newer models refuse a request whose last message is the assistant's, since it would be continued.",
        "Nothing is changed unasked: the next prompt mends it by itself.",
    ),
    "turn.alternation": Page(
        "Two messages of one role in a row",
        "The provider joins them; stricter ones refuse them.",
        "Nothing is changed unasked.",
    ),
    "turn.first_not_user": Page(
        "The history does not begin with the user",
        "The Messages API takes it; stricter providers do not.",
        "Nothing is changed unasked.",
    ),
    "turn.failed_retries": Page(
        "Failed retries at the end of a session",
        "The API refused a request, and the prompts that were to go on piled up, each with the agent's own error "
        "message behind it. They do no harm: error messages are never sent, and repeated words only take room.",
        "Nothing is changed unasked. On request the repeated prompts and the error messages are removed; a prompt "
        "with words of its own stays.",
    ),
    "turn.user_after_tool": Page(
        "A user's message directly behind a result",
        "Some providers want the assistant to speak first.",
        "Nothing has to be done for the profiles that this version judges.",
    ),
    "args.not_object": Page(
        "Arguments that are no object",
        "The Messages API wants a call's `input` to be an object; it is a string, a list or null.",
        "A string that holds an object is replaced by it, anything else is put into one.",
    ),
    "args.unparseable": Page(
        "Arguments that are no JSON",
        "The arguments of a call are a string that should hold JSON and does not, often since the stream was cut.",
        "They are kept, inside a JSON object.",
    ),
    "name.missing": Page(
        "A call without a name",
        "A call must name its tool.",
        "A call that cannot be named is kept as text, with its result.",
    ),
    "name.pattern": Page(
        "A tool's name with characters that are refused",
        "Names may hold letters, digits, `_` and `-`, up to a certain length.",
        "Refused characters are replaced.",
    ),
    "content.empty_text": Page(
        "An empty text",
        "The Messages API refuses text blocks that are empty or blank.",
        "The block is taken out.",
    ),
    "content.empty_result": Page(
        "A result without content",
        "A chat tool message must have content; null and absence are refused.",
        "An empty text is put in its place.",
    ),
    "content.empty_message": Page(
        "A message without content",
        "The API refuses a user's message that holds nothing.",
        "The message is taken out, or says that it was empty where something must stand.",
    ),
    "content.null": Page(
        "Content that is null",
        "The content of a message is null where text or blocks must stand.",
        "An empty text is put in its place.",
    ),
    "content.empty_tool_calls": Page(
        "An empty list of tool calls",
        "Chat completions refuse `tool_calls: []`.",
        "The empty list is taken out.",
    ),
    "content.mixed_with_tool": Page(
        "Content beside calls",
        "Some providers take either text or calls in one message.",
        "Nothing has to be done for the profiles that this version judges.",
    ),
    "error.non_text": Page(
        "An error result with more than text",
        "A result that is marked as an error may hold text alone.",
        "The mark is taken off, or what is no text is taken out: see the fixes of the problem.",
    ),
    "error.empty_content": Page(
        "An error result that says nothing",
        "A result is marked as an error and has no content. Some providers refuse it.",
        "Nothing is changed unasked.",
    ),
    "tools.undeclared": Page(
        "A call of a tool that the request does not declare",
        "The tools of the request do not contain the tool that was called. It is a note: providers take it today.",
        "Nothing is changed unasked.",
    ),
    "reasoning.missing_before_call": Page(
        "No thinking before a call",
        "With thinking on, the last assistant message with calls must begin with its thinking block. The Responses "
        "API wants the reasoning item before a call that kept its own item id.",
        "Thinking cannot be written afterwards; see the note on the problem.",
    ),
    "reasoning.bad_signature": Page(
        "A thinking block without its signature",
        "Thinking is sent back with the signature that it came with. Without it the API refuses the request.",
        "The thinking block is taken out; the rest of the message stays.",
    ),
    "reasoning.prefix_changed": Page(
        "Something before signed thinking was changed",
        "Newer models bind the signature of thinking to all that stands before it.",
        "The later thinking blocks can be dropped, or the request can ask the API to drop them.",
    ),
    "reasoning.final_thinking_disabled": Page(
        "Thinking in the history while thinking is off",
        "The last turn holds thinking, and the request does not ask for it.",
        "Nothing is changed unasked.",
    ),
    "reasoning.dangling": Page(
        "Reasoning that nothing follows",
        "A reasoning item of the Responses API belongs to the call or the words that the model wrote next. Where "
        "these were removed the API may refuse the request. It does not where the request says `store: false` and "
        "sends the reasoning encrypted, as Codex does: then this is a note.",
        "The reasoning is taken out; encrypted reasoning stays and loses its item id on request.",
    ),
    "rollout.no_meta": Page(
        "A rollout without its first record",
        "A rollout of Codex starts with a `session_meta` record that tells whose it is. Where it is lost or cut off "
        "Codex does not resume the session.",
        "It is written anew where the file's name and the other records agree on the session's id, time and folder.",
    ),
    "rollout.last_ordinal": Page(
        "The last record has no number",
        "In a paginated rollout each record has an `ordinal`, and Codex goes on counting from the last one. Where that "
        "one has none it does not resume the session. Gaps and records without one before it do not matter to it.",
        "The number is written; where all are gone, all.",
    ),
    "rollout.parent_missing": Page(
        "A fork without its parent",
        "A fork of a session holds only what came after the fork. Codex reads the rest from the parent's rollout, and "
        "does not resume the fork where that is not under the same sessions folder.",
        "Nothing in the file is wrong: put the parent's rollout back.",
    ),
    "rollout.compaction_ignored": Page(
        "A compaction that does not count",
        "`replacement_history` and `replacement_history_metadata` of a compaction must be of one length, else Codex "
        "passes it by, and all that it had replaced comes back.",
        "The second list is made as long as the first on request.",
    ),
    "rollout.not_loaded": Page(
        "An item that Codex cannot load",
        "A call without arguments, an output that is an object as early versions wrote it, a part of a type that it "
        "does not know: Codex passes the whole record by, and its partner is dropped or answered with `aborted`.",
        "The item is written as today's version writes it; no word of it is lost.",
    ),
    "rollout.no_timestamp": Page(
        "A record without a time",
        "Codex passes records without a `timestamp` by, without a word. Programs that add an output by hand forget it.",
        "The time of the record before it is written.",
    ),
    "reasoning.unresolvable_ref": Page(
        "An item that the provider does not find",
        "The request names an item by an id that the provider has not stored: the answer was made with "
        "`store: false`, by another organisation, or too long ago. Nothing in a file shows what is stored.",
        "Take the item's id off, or send the reasoning encrypted (`include: reasoning.encrypted_content`).",
    ),
    "item.duplicate_id": Page(
        "Two items have the same id",
        "Each item of a Responses request may have an `id` of its own beside its `call_id`, and the API refuses one "
        "that stands there twice. Lines that were written twice and histories joined with a part of themselves "
        "have such items. Codex sends them as they are.",
        "A copy is dropped; where the items differ, the later one loses its id and stays.",
    ),
    "item.id_prefix": Page(
        "An item's id of another kind",
        "The API wants ids that begin with `fc` on function calls, `rs` on reasoning, `ctc` on custom tool calls and "
        "`msg` on messages. Proxies and converters write others. The `call_id` has no such rule.",
        "The id is taken off the item, which needs none; its `call_id` stays.",
    ),
    "server.call_unpaired": Page(
        "A server tool's call without a result",
        "Calls of tools that the provider runs itself need their result in the same message.",
        "The call is kept as text or taken out.",
    ),
    "server.result_orphan": Page(
        "A server tool's result without a call",
        "The result of a tool that the provider runs itself needs its call before it.",
        "Its content is kept as text.",
    ),
    "server.id_pattern": Page(
        "A server tool's id that is refused",
        "Such ids begin with `srvtoolu_`.",
        "Both sides of the pair get an id of that form.",
    ),
    "mcp.unpaired": Page(
        "An MCP call and its result are parted",
        "Calls of MCP tools that the provider runs have their result in the same message.",
        "Nothing is changed unasked: no error text of an API is known for it.",
    ),
    "field.unsupported": Page(
        "A field that the API does not know",
        "A block carries a field that the provider may refuse.",
        "The field can be taken out.",
    ),
    "field.missing": Page(
        "A field is missing",
        "A call or a message lacks a field that the provider wants.",
        "The field is added.",
    ),
    "record.torn": Page(
        "A record was cut off",
        "The writer stopped in the middle of a line: a crash, a full disk. Or a line end within a text was written "
        "raw, so that one record stands on several lines. Agents skip such a line, and with it the output in it; "
        "where other records hang on it the history before it is forgotten, too.",
        "Its end is written where the agent can go on with the record then; lines that are one record are written as "
        "one. Of an output that was cut off what can be read is put at its call. A line can always be set aside: it "
        "leaves the session for a file beside it, byte for byte.",
    ),
    "record.glued": Page(
        "Several records stand in one line",
        "A line end is missing: two writers at once, or one that went on behind a torn line. Claude Code reads only "
        "the first of them, Codex none.",
        "Each is written on a line of its own, not a byte changed. A piece that was cut off then stands by itself.",
    ),
    "record.nul": Page(
        "NUL bytes in a line",
        "The file system lost what was being written in a crash. Agents skip the line unless the NUL bytes stand "
        "behind the record.",
        "They are taken out where records are whole without them; a line of nothing else is set aside, in a file "
        "beside the session.",
    ),
    "record.bad_json": Page(
        "A line that is no JSON",
        "Something wrote over it, put other text before or behind the record, or wrote control characters into a "
        "text without escapes. Agents skip such a line; Claude Code reads a record that other text follows.",
        "The record is kept and the other text set aside, in a file beside the session; control characters are "
        "written as escapes. Where nothing can be read the line can be set aside.",
    ),
    "record.bad_utf8": Page(
        "Bytes that are no text",
        "A write was torn within a character, or a program wrote another encoding. Claude Code reads U+FFFD in "
        "their place. Codex does not resume a session with one such byte anywhere in it.",
        "U+FFFD is put in place of these bytes, as readers do. Nothing else in the record changes.",
    ),
    "record.duplicate_key": Page(
        "A key stands twice in one object",
        "What wrote the record wrote a key twice. Readers take the last value and never see the others. It is looked "
        "for in records that would be sent.",
        "The last value is kept, as readers take it; on request the first. Only by hand: which is right its writer "
        "knows.",
    ),
    "record.big_number": Page(
        "A number that is too long for readers",
        "It fits neither in 64 bits nor in a double, so most readers round it or take it for infinite. It is looked "
        "for in records that would be sent. The file keeps all its digits, also when the record is changed.",
        "None: what the number ought to be only its writer knows.",
    ),
    "record.bom": Page(
        "A byte order mark",
        "An editor wrote it in front of the file, or files that begin with it were put together. Claude Code passes "
        "it by. Codex does not resume a session that begins with one, and skips a line within it that does.",
        "It is taken out.",
    ),
    "record.no_message": Page(
        "Something in the list that is no message",
        "An element of a plain list is null, a number or a text. The API refuses the whole request.",
        "What was meant only you know: it can be set aside, in a file beside this one, or write the message that "
        "belongs there.",
    ),
    "record.lone_surrogate": Page(
        "Half of a character",
        "A string was cut in the middle of an emoji; the API answers that the request body is not valid JSON.",
        "The half is replaced by U+FFFD.",
    ),
    "chain.missing_parent": Page(
        "A record hangs on one that is not in the file",
        "The agent walks from the last record to the first along `parentUuid`. Where the link names nothing "
        "the history ends, and everything before is forgotten without a word. Claude Code bridges a gap of five "
        "seconds at most. The line was lost or is damaged, its record has no uuid, or is of a kind that the agent "
        "does not know. At the very beginning of a file it is a note: the file is a part of a session.",
        "The record is linked to what stood before it: its call for a result, the rest of its response, else the "
        "nearest record before it; or the record that is meant gets the uuid that is named.",
    ),
    "chain.null_parent": Page(
        "A record in the middle hangs on nothing",
        "The agent takes it for the beginning and forgets everything before. A response or a result never begins "
        "a session. The first record behind a compaction hangs on nothing, too, and that is as it should be.",
        "The record is linked to the one that stands before it.",
    ),
    "chain.cycle": Page(
        "Records hang on each other in a circle",
        "The agent cannot come to the beginning; older versions hang for ever.",
        "The link that closes the circle is set to the record before.",
    ),
    "chain.second_root": Page(
        "A second beginning",
        "A prompt in the middle of the file hangs on nothing, so the agent does not see what stands before it. It is "
        "no problem where the file shows that the user began anew: a start of the session or what the agent tells "
        "at a beginning stands behind the prompt. Where nothing shows it, only you know.",
        "The prompt is linked to the record before it, by itself only where history was lost for certain.",
    ),
    "chain.duplicate_uuid": Page(
        "Two records bear one uuid",
        "The later one replaces the earlier everywhere, so what that says is lost to the model, and history with "
        "it when the chain runs through it. A record that is merely written twice is a note.",
        "The record gets the uuid that its neighbours still name, or one of its own, and is linked in again.",
    ),
    "chain.kept_missing": Page(
        "A compaction lost what it kept",
        "A compaction names the records that go on behind its summary. When one of them is not in the file, the agent "
        "sends none of them.",
        "A record without a uuid, or with that of another, gets the one that is named. Where the record itself is "
        "gone, it is taken out of the list, and the agent sends the others again.",
    ),
    "chain.wrong_leaf": Page(
        "A late record hides the end of the session",
        "A result, or the report of a hook, was written at the end of the file, but it hangs on a call far above. "
        "The agent goes on from the last record of the file, so everything that followed the call is gone.",
        "The record is put behind its call; the conversation goes on where it ended.",
    ),
    "chain.no_timestamp": Page(
        "The last line has no timestamp, or one that cannot be read",
        "Claude Code lists sessions by the time of their last record. Where that has none, version 2.1.329 says "
        "`No conversation found with session ID`, and nothing of the session is resumed; later versions go on.",
        "The record gets the time of the one before it.",
    ),
}
