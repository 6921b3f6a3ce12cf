"""Pages about the links between the lines of a Claude Code session."""

from __future__ import annotations

from typing import Final

from toolpair.rules.pages.rule_page import Example, RulePage

PAGES: Final = (
    RulePage(
        "chain.missing_parent",
        "A line links to one that is not in the file",
        "The agent walks from the last record to the first along `parentUuid`. Where a link names nothing, the "
        "history ends, and everything before it is forgotten without telling you. Claude Code bridges a gap of five "
        "seconds at most. The line was lost or is damaged, its record has no uuid, or it is of a kind that the agent "
        "does not know. At the very start of a file it is only a note: the file is part of a longer session.",
        "The record is linked to what came before it: its call if it is a result, the rest of its response, or else "
        "the nearest record before it. Or the record that was meant gets the uuid that is named.",
        Example(
            """
{"type":"user","uuid":"u1","parentUuid":null,"message":{"role":"user","content":"Do the tests pass?"},"sessionId":"s","timestamp":"2026-11-21T08:00:00Z"}
{"type":"assistant","uuid":"a1","parentUuid":"u1","message":{"id":"msg_1","role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"pytest"}}]},"sessionId":"s","timestamp":"2026-11-21T08:01:00Z"}
{"type":"user","uuid":"r1","parentUuid":"a1","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"passed"}]},"sourceToolAssistantUUID":"a1","sessionId":"s","timestamp":"2026-11-21T08:02:00Z"}
{"type":"assistant","uuid":"a2","parentUuid":"lost","message":{"id":"msg_2","role":"assistant","content":[{"type":"text","text":"They pass."}]},"sessionId":"s","timestamp":"2026-11-21T08:03:00Z"}
"""
        ),
    ),
    RulePage(
        "chain.null_parent",
        "A line in the middle links to nothing",
        "The agent takes it for the beginning and forgets everything before it. A response or a result never starts "
        "a session. The first record after a compaction links to nothing too, and that is normal.",
        "The record is linked to the one before it.",
        Example(
            """
{"type":"user","uuid":"u1","parentUuid":null,"message":{"role":"user","content":"Do the tests pass?"},"sessionId":"s","timestamp":"2026-11-21T08:00:00Z"}
{"type":"assistant","uuid":"a1","parentUuid":null,"message":{"id":"msg_1","role":"assistant","content":[{"type":"text","text":"Both pass."}]},"sessionId":"s","timestamp":"2026-11-21T08:01:00Z"}
{"type":"user","uuid":"u2","parentUuid":"a1","message":{"role":"user","content":"Commit it."},"sessionId":"s","timestamp":"2026-11-21T08:02:00Z"}
"""
        ),
    ),
    RulePage(
        "chain.second_root",
        "A second beginning",
        "A prompt in the middle of the file links to nothing, so the agent does not see what comes before it. This "
        "is not a problem where the file shows that the user started over: a session start, or what the agent writes "
        "at one, follows the prompt. Where nothing shows it, only you know.",
        "The prompt is linked to the record before it, without asking only where history was certainly lost.",
        Example(
            """
{"type":"user","uuid":"u1","parentUuid":null,"promptId":"p1","message":{"role":"user","content":"Look at this."},"sessionId":"s","timestamp":"2026-11-21T08:00:00Z"}
{"type":"assistant","uuid":"a1","parentUuid":"u1","message":{"id":"msg_1","role":"assistant","content":[{"type":"text","text":"Let me look."}]},"sessionId":"s","timestamp":"2026-11-21T08:01:00Z"}
{"type":"user","uuid":"u2","parentUuid":null,"promptId":"p1","message":{"role":"user","content":"And at that."},"sessionId":"s","timestamp":"2026-11-21T08:02:00Z"}
{"type":"assistant","uuid":"a2","parentUuid":"u2","message":{"id":"msg_2","role":"assistant","content":[{"type":"text","text":"Done."}]},"sessionId":"s","timestamp":"2026-11-21T08:03:00Z"}
"""
        ),
    ),
    RulePage(
        "chain.cycle",
        "Lines link to each other in a loop",
        "The agent goes round and never reaches the beginning, so it forgets what comes before the loop. Older "
        "versions hang forever.",
        "The link that closes the loop is set to the record before it.",
        Example(
            """
{"type":"user","uuid":"u1","parentUuid":null,"message":{"role":"user","content":"Do the tests pass?"},"sessionId":"s","timestamp":"2026-11-21T08:00:00Z"}
{"type":"assistant","uuid":"a1","parentUuid":"u2","message":{"id":"msg_1","role":"assistant","content":[{"type":"text","text":"Both pass."}]},"sessionId":"s","timestamp":"2026-11-21T08:01:00Z"}
{"type":"user","uuid":"u2","parentUuid":"a1","message":{"role":"user","content":"Commit it."},"sessionId":"s","timestamp":"2026-11-21T08:02:00Z"}
"""
        ),
    ),
    RulePage(
        "chain.duplicate_uuid",
        "Two lines with one uuid",
        "The later record replaces the earlier one everywhere, so the model never sees what the earlier one says, "
        "and loses history too when the chain runs through it. A record that is simply written twice is a note.",
        "The record gets the uuid that its neighbours still name, or a new one of its own, and is linked in again.",
        Example(
            """
{"type":"user","uuid":"u1","parentUuid":null,"message":{"role":"user","content":"Do the tests pass?"},"sessionId":"s","timestamp":"2026-11-21T08:00:00Z"}
{"type":"assistant","uuid":"a1","parentUuid":"u1","message":{"id":"msg_1","role":"assistant","content":[{"type":"text","text":"Let me look."}]},"sessionId":"s","timestamp":"2026-11-21T08:01:00Z"}
{"type":"user","uuid":"u2","parentUuid":"a1","message":{"role":"user","content":"Well?"},"sessionId":"s","timestamp":"2026-11-21T08:02:00Z"}
{"type":"assistant","uuid":"a1","parentUuid":"u2","message":{"id":"msg_2","role":"assistant","content":[{"type":"text","text":"Both pass."}]},"sessionId":"s","timestamp":"2026-11-21T08:03:00Z"}
""",
            also=("chain.cycle",),
        ),
    ),
    RulePage(
        "chain.kept_missing",
        "A compaction lost what it kept",
        "A compaction names the records that stay after its summary. When one of them is not in the file, the agent "
        "sends none of them.",
        "A record without a uuid, or with another record's uuid, gets the one that is named. If the record itself is "
        "gone, it is removed from the list, and the agent sends the others again.",
        Example(
            """
{"type":"user","uuid":"u1","parentUuid":null,"message":{"role":"user","content":"Do the tests pass?"},"sessionId":"s","timestamp":"2026-11-21T08:00:00Z"}
{"type":"assistant","uuid":"a1","parentUuid":"u1","message":{"id":"msg_1","role":"assistant","content":[{"type":"text","text":"Both pass."}]},"sessionId":"s","timestamp":"2026-11-21T08:01:00Z"}
{"type":"system","subtype":"compact_boundary","uuid":"c1","parentUuid":null,"logicalParentUuid":"a1","compactMetadata":{"preservedMessages":{"anchorUuid":"c2","uuids":["a1","lost"],"allUuids":["a1","lost"]}},"sessionId":"s","timestamp":"2026-11-21T08:02:00Z"}
{"type":"user","uuid":"c2","parentUuid":"c1","isCompactSummary":true,"message":{"role":"user","content":"This session is being continued."},"sessionId":"s","timestamp":"2026-11-21T08:03:00Z"}
{"type":"user","uuid":"u2","parentUuid":"c2","message":{"role":"user","content":"Commit it."},"sessionId":"s","timestamp":"2026-11-21T08:04:00Z"}
"""
        ),
    ),
    RulePage(
        "chain.wrong_leaf",
        "A late line hides the end of the session",
        "A result, or a hook's report, was written at the end of the file, but it links to a call far above. The "
        "agent continues from the last record of the file, so everything that followed the call is gone.",
        "The record is put after its call; the conversation continues where it ended.",
        Example(
            """
{"type":"user","uuid":"u1","parentUuid":null,"message":{"role":"user","content":"Do the tests pass?"},"sessionId":"s","timestamp":"2026-11-21T08:00:00Z"}
{"type":"assistant","uuid":"a1","parentUuid":"u1","message":{"id":"msg_1","role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"pytest"}}]},"sessionId":"s","timestamp":"2026-11-21T08:01:00Z"}
{"type":"user","uuid":"r1","parentUuid":"a1","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"passed"}]},"sourceToolAssistantUUID":"a1","sessionId":"s","timestamp":"2026-11-21T08:02:00Z"}
{"type":"assistant","uuid":"a2","parentUuid":"r1","message":{"id":"msg_2","role":"assistant","content":[{"type":"text","text":"Both pass."}]},"sessionId":"s","timestamp":"2026-11-21T08:03:00Z"}
{"type":"attachment","uuid":"h1","parentUuid":"a1","attachment":{"type":"hook_success","toolUseID":"toolu_1"},"sessionId":"s","timestamp":"2026-11-21T08:04:00Z"}
"""
        ),
    ),
    RulePage(
        "chain.list_differs",
        "The list of the history and the links differ",
        "OpenClaw keeps a list of the rows that are the history, beside the rows themselves, and sends what the list "
        "has. Where a position is missing in it, because a row was deleted or its entry in the index of ids is lost, "
        "everything before is forgotten. If the list does not end where the session would continue, or is out of date, "
        "the session is not resumed. Only other programs leave it so: OpenClaw writes a row and its place together.",
        "A new list is written from the links, where nothing that is sent now is lost by that. Otherwise the links are "
        "changed to what the list says.",
        Example(
            """
{"session_transcript_index_state":{"session_id":"s","indexed_seq":4,"leaf_event_id":"m4","needs_rebuild":0,"active_event_count":4}}
{"transcript_events":{"session_id":"s","seq":0,"identity_event_id":"s","listed_active_position":null,"listed_context_eligible":null,"event_json":{"type":"session","version":4,"id":"s","cwd":"/"}}}
{"transcript_events":{"session_id":"s","seq":1,"identity_event_id":"m1","listed_active_position":0,"listed_context_eligible":1,"event_json":{"type":"message","id":"m1","parentId":null,"message":{"role":"user","content":"Do the tests pass?"}}}}
{"transcript_events":{"session_id":"s","seq":2,"identity_event_id":"m2","listed_active_position":1,"listed_context_eligible":1,"event_json":{"type":"message","id":"m2","parentId":"m1","message":{"role":"assistant","content":[{"type":"toolCall","id":"call_1","name":"exec","arguments":{}}],"api":"openai-completions"}}}}
{"transcript_events":{"session_id":"s","seq":3,"identity_event_id":"m3","listed_active_position":null,"listed_context_eligible":null,"event_json":{"type":"message","id":"m3","parentId":"m2","message":{"role":"toolResult","toolCallId":"call_1","content":[{"type":"text","text":"passed"}]}}}}
{"transcript_events":{"session_id":"s","seq":4,"identity_event_id":"m4","listed_active_position":3,"listed_context_eligible":1,"event_json":{"type":"message","id":"m4","parentId":"m3","message":{"role":"assistant","content":[{"type":"text","text":"They pass."}],"api":"openai-completions"}}}}
"""
        ),
    ),
    RulePage(
        "chain.no_timestamp",
        "The last line has no time, or one that cannot be read",
        "Claude Code lists sessions by the time of their last record. If that has none, version 2.1.329 says `No "
        "conversation found with session ID`, and resumes nothing. Later versions resume it, so for them "
        "(`--agent-version 2.1.330`) it is not a problem.",
        "The record gets the time of the one before it.",
        Example(
            """
{"type":"user","uuid":"u1","parentUuid":null,"message":{"role":"user","content":"Do the tests pass?"},"sessionId":"s","version":"2.1.329","timestamp":"2026-11-21T08:00:00Z"}
{"type":"assistant","uuid":"a1","parentUuid":"u1","message":{"id":"msg_1","role":"assistant","content":[{"type":"text","text":"Both pass."}]},"sessionId":"s","version":"2.1.329"}
""",
            agent_version="2.1.329",
        ),
    ),
)
