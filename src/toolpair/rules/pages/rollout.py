"""Pages about session files as a whole: what stops an agent from resuming them, and records that it skips."""

from __future__ import annotations

from typing import Final

from toolpair.rules.pages.rule_page import Example, Offered, RulePage

_FORK: Final = "sessions/2026/11/21/rollout-2026-11-21T08-00-00-01a1fd17-7a6c-7c11-9e18-deaa896459f4.jsonl"

PAGES: Final = (
    RulePage(
        "rollout.no_meta",
        "A session without its first line",
        "The first record says which session it is: in a Codex rollout that is `session_meta`, elsewhere `session` or `session.start`. If "
        "it is lost or cut off, the agent does not resume the session.",
        "It is rewritten from the file's name and the other records; for Codex, if they agree on the session's id, time "
        "and folder. If it is there, and Codex cannot read one of its fields, that field is written again or left out.",
        Example(
            """
{"timestamp":"2026-11-21T08:00:01Z","type":"turn_context","payload":{"turn_id":"t1","cwd":"/shop","model":"gpt-5.5"}}
{"timestamp":"2026-11-21T08:00:02Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Do the tests pass?"}]}}
""",
            path=_FORK,
        ),
        (Offered("complete-meta", "add the fields Codex needs and drop those it can't read"),),
    ),
    RulePage(
        "rollout.envelope",
        "Something that its agent needs is not there",
        "Each event of GitHub Copilot CLI has an `id` that is a UUID, a `parentId` that is a UUID or null, a `timestamp` "
        "with a time zone, and `data` with the fields of its type. A single event without them, and the session does not "
        "load: `Session file is corrupted`. Qwen Code does not resume a session whose records have more than one "
        "`sessionId`, whose first record has no `cwd`, or which has a part that is not an object. Each entry of Continue's "
        "history has a list `contextItems`; a single one without it, and Continue does not start with the session. It comes "
        "from programs that write records themselves.",
        "What is missing is written: a new id, the id or the time of the event before it, the session's own id, the "
        "folder that later records name, an empty list; a text becomes a part. An event that says nothing is removed. What records say "
        "stays as it is.",
        Example(
            """
{"type":"session.start","data":{"sessionId":"01a1fd17-7a6c-4c11-9e18-deaa896459f4","version":1,"producer":"copilot-agent","copilotVersion":"1.0.102","startTime":"2026-11-21T08:00:00.000Z"},"id":"01a1fd17-0000-4c11-9e18-deaa89645901","timestamp":"2026-11-21T08:00:00.000Z","parentId":null}
{"type":"user.message","data":{"content":"Do the tests pass?"},"id":"e2","timestamp":"2026-11-21T08:00:01.000Z","parentId":"01a1fd17-0000-4c11-9e18-deaa89645901"}
"""
        ),
        (
            Offered("write-fields", "write what an event of its type has"),
            Offered("write-session", "write this session's id into 2 records"),
            Offered("write-folder", "write the folder that later records name"),
            Offered("write-part", "write it as a text"),
            Offered("remove-part", "remove it"),
            Offered("write-list", "write it as a list with one message"),
        ),
    ),
    RulePage(
        "rollout.old_form",
        "A rollout in the form of 2025",
        "Until September 2025 Codex wrote each item as a line of its own, without an envelope around it. Today's Codex "
        "finds nothing in such a file: `rollout … is empty`. Single lines in this form it skips.",
        "Each line is put into today's envelope, and the first one becomes a `session_meta` line; what they say stays "
        "as it is. The folder is taken from what Codex told the model, the time of all lines from the first.",
        Example(
            """
{"id":"01a1fd17-7a6c-7c11-9e18-deaa896459f4","timestamp":"2025-08-18T01:16:13.522Z","instructions":null}
{"record_type":"state"}
{"type":"message","id":null,"role":"user","content":[{"type":"input_text","text":"Do the tests pass?"}]}
{"type":"function_call","id":"fc_1","name":"shell","arguments":"{\\"command\\":[\\"pytest\\"]}","call_id":"call_1"}
{"type":"function_call_output","call_id":"call_1","output":"12 passed"}
"""
        ),
    ),
    RulePage(
        "rollout.last_ordinal",
        "The last line has no number",
        "In a paginated rollout each record has an `ordinal`, and Codex continues counting from the last one. If "
        "that record has none, Codex does not resume the session. Gaps and earlier records without one do not matter "
        "to it.",
        "The number is written; if all are gone, all of them.",
        Example(
            """
{"timestamp":"2026-11-21T08:00:00Z","ordinal":0,"type":"session_meta","payload":{"id":"01a1fd17-7a6c-7c11-9e18-deaa896459f4","timestamp":"2026-11-21T08:00:00Z","cwd":"/shop","originator":"codex_cli_rs","cli_version":"0.169.0","history_mode":"paginated"}}
{"timestamp":"2026-11-21T08:00:01Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Do the tests pass?"}]}}
"""
        ),
    ),
    RulePage(
        "rollout.parent_missing",
        "A fork without its parent",
        "A fork of a session holds only what came after the fork. Codex reads the rest from the parent's rollout, "
        "and does not resume the fork if that is not under the same sessions folder.",
        "Nothing is wrong with the file: put the parent's rollout back.",
        Example(
            """
{"timestamp":"2026-11-21T08:00:00Z","ordinal":21,"type":"session_meta","payload":{"id":"01a1fd17-7a6c-7c11-9e18-deaa896459f4","timestamp":"2026-11-21T08:00:00Z","cwd":"/shop","originator":"codex_cli_rs","cli_version":"0.169.0","history_mode":"paginated","forked_from_id":"01a1fd17-d37f-7833-bddc-d042d96e8488","history_base":{"thread_id":"01a1fd17-d37f-7833-bddc-d042d96e8488","end_ordinal_exclusive":21,"end_byte_offset":14021}}}
{"timestamp":"2026-11-21T08:00:01Z","ordinal":22,"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Do the tests pass?"}]}}
""",
            path=_FORK,
        ),
    ),
    RulePage(
        "rollout.compaction_ignored",
        "A compaction that Codex ignores",
        "`replacement_history` and `replacement_history_metadata` of a compaction must have the same length. "
        "Otherwise Codex skips the compaction, and everything that it had replaced comes back.",
        "On request the second list is made as long as the first.",
        Example(
            """
{"timestamp":"2026-11-21T08:00:00Z","type":"session_meta","payload":{"id":"01a1fd17-7a6c-7c11-9e18-deaa896459f4","timestamp":"2026-11-21T08:00:00Z","cwd":"/shop","originator":"codex_cli_rs","cli_version":"0.169.0"}}
{"timestamp":"2026-11-21T08:00:01Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Do the tests pass?"}]}}
{"timestamp":"2026-11-21T08:00:02Z","type":"compacted","payload":{"message":"Both pass.","replacement_history":[{"type":"message","role":"user","content":[{"type":"input_text","text":"Both pass."}]}],"replacement_history_metadata":[]}}
"""
        ),
    ),
    RulePage(
        "rollout.not_loaded",
        "An item that its agent cannot load",
        "Codex cannot read a call without arguments, an output that is an object (as early versions wrote it), a message "
        "whose content is a single text, or a part of a type that it does not know. It skips the whole record, and drops "
        "its partner or answers it with `aborted`. Qwen Code leaves out a message whose words are not in a list of parts. "
        "Kimi CLI skips a message with arguments that are not a text, or a content that is neither text nor a list; one "
        "without a content, or with a part of a type that it does not have, keeps it from starting with the session.",
        "The item is written the way today's version writes it; nothing it says is lost.",
        Example(
            """
{"timestamp":"2026-11-21T08:00:00Z","type":"session_meta","payload":{"id":"01a1fd17-7a6c-7c11-9e18-deaa896459f4","timestamp":"2026-11-21T08:00:00Z","cwd":"/shop","originator":"codex_cli_rs","cli_version":"0.169.0"}}
{"timestamp":"2026-11-21T08:00:01Z","type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\\"cmd\\":\\"pytest\\"}","call_id":"call_1"}}
{"timestamp":"2026-11-21T08:00:02Z","type":"response_item","payload":{"type":"function_call_output","call_id":"call_1","output":{"content":"passed","success":true}}}
"""
        ),
        (
            Offered("write-parts", "write them as a part"),
            Offered("remove-copy", "remove the copy of the output"),
        ),
    ),
    RulePage(
        "rollout.no_timestamp",
        "A line without a time",
        "Codex skips records without a `timestamp` without telling you. It comes from programs that add an output by "
        "hand and forget it.",
        "The time of the record before it is written. If no line has one, Codex does not load the file, and every line "
        "gets the time that the session began.",
        Example(
            """
{"timestamp":"2026-11-21T08:00:00Z","type":"session_meta","payload":{"id":"01a1fd17-7a6c-7c11-9e18-deaa896459f4","timestamp":"2026-11-21T08:00:00Z","cwd":"/shop","originator":"codex_cli_rs","cli_version":"0.169.0"}}
{"timestamp":"2026-11-21T08:00:01Z","type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\\"cmd\\":\\"pytest\\"}","call_id":"call_1"}}
{"type":"response_item","payload":{"type":"function_call_output","call_id":"call_1","output":"passed"}}
"""
        ),
        (Offered("write-times", "write the time that the session began at into all 12 lines"),),
    ),
)
