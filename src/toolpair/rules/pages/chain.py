"""Pages about the links between the lines of a Claude Code session."""

from __future__ import annotations

from typing import Final

from toolpair.rules.pages.base import Example, Page

PAGES: Final = (
    Page(
        "chain.missing_parent",
        "A line hangs on one that is not in the file",
        "The agent walks from the last record to the first along `parentUuid`. Where the link names nothing the "
        "history ends, and everything before is forgotten without a word. Claude Code bridges a gap of five seconds "
        "at most. The line was lost or is damaged, its record has no uuid, or is of a kind that the agent does not "
        "know. At the very beginning of a file it is a note: the file is a part of a session.",
        "The record is linked to what stood before it: its call for a result, the rest of its response, else the "
        "nearest record before it; or the record that is meant gets the uuid that is named.",
        Example(
            """
{"type":"user","uuid":"u1","parentUuid":null,"message":{"role":"user","content":"Do the tests pass?"},"sessionId":"s","timestamp":"2026-11-21T08:00:00Z"}
{"type":"assistant","uuid":"a1","parentUuid":"u1","message":{"id":"msg_1","role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"pytest"}}]},"sessionId":"s","timestamp":"2026-11-21T08:01:00Z"}
{"type":"user","uuid":"r1","parentUuid":"a1","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"passed"}]},"sourceToolAssistantUUID":"a1","sessionId":"s","timestamp":"2026-11-21T08:02:00Z"}
{"type":"assistant","uuid":"a2","parentUuid":"lost","message":{"id":"msg_2","role":"assistant","content":[{"type":"text","text":"They pass."}]},"sessionId":"s","timestamp":"2026-11-21T08:03:00Z"}
"""
        ),
    ),
    Page(
        "chain.null_parent",
        "A line in the middle hangs on nothing",
        "The agent takes it for the beginning and forgets everything before. A response or a result never begins a "
        "session. The first record behind a compaction hangs on nothing, too, and that is as it should be.",
        "The record is linked to the one that stands before it.",
        Example(
            """
{"type":"user","uuid":"u1","parentUuid":null,"message":{"role":"user","content":"Do the tests pass?"},"sessionId":"s","timestamp":"2026-11-21T08:00:00Z"}
{"type":"assistant","uuid":"a1","parentUuid":null,"message":{"id":"msg_1","role":"assistant","content":[{"type":"text","text":"Both pass."}]},"sessionId":"s","timestamp":"2026-11-21T08:01:00Z"}
{"type":"user","uuid":"u2","parentUuid":"a1","message":{"role":"user","content":"Commit it."},"sessionId":"s","timestamp":"2026-11-21T08:02:00Z"}
"""
        ),
    ),
    Page(
        "chain.second_root",
        "A second beginning",
        "A prompt in the middle of the file hangs on nothing, so the agent does not see what stands before it. It is "
        "no problem where the file shows that the user began anew: a start of the session, or what the agent tells at "
        "a beginning, stands behind the prompt. Where nothing shows it, only you know.",
        "The prompt is linked to the record before it, by itself only where history was lost for certain.",
        Example(
            """
{"type":"user","uuid":"u1","parentUuid":null,"promptId":"p1","message":{"role":"user","content":"Look at this."},"sessionId":"s","timestamp":"2026-11-21T08:00:00Z"}
{"type":"assistant","uuid":"a1","parentUuid":"u1","message":{"id":"msg_1","role":"assistant","content":[{"type":"text","text":"I look."}]},"sessionId":"s","timestamp":"2026-11-21T08:01:00Z"}
{"type":"user","uuid":"u2","parentUuid":null,"promptId":"p1","message":{"role":"user","content":"And at that."},"sessionId":"s","timestamp":"2026-11-21T08:02:00Z"}
{"type":"assistant","uuid":"a2","parentUuid":"u2","message":{"id":"msg_2","role":"assistant","content":[{"type":"text","text":"Done."}]},"sessionId":"s","timestamp":"2026-11-21T08:03:00Z"}
"""
        ),
    ),
    Page(
        "chain.cycle",
        "Lines hang on each other in a circle",
        "The agent goes round and never comes to the beginning, so it forgets what stands before the circle. Older "
        "versions hang for ever.",
        "The link that closes the circle is set to the record before.",
        Example(
            """
{"type":"user","uuid":"u1","parentUuid":null,"message":{"role":"user","content":"Do the tests pass?"},"sessionId":"s","timestamp":"2026-11-21T08:00:00Z"}
{"type":"assistant","uuid":"a1","parentUuid":"u2","message":{"id":"msg_1","role":"assistant","content":[{"type":"text","text":"Both pass."}]},"sessionId":"s","timestamp":"2026-11-21T08:01:00Z"}
{"type":"user","uuid":"u2","parentUuid":"a1","message":{"role":"user","content":"Commit it."},"sessionId":"s","timestamp":"2026-11-21T08:02:00Z"}
"""
        ),
    ),
    Page(
        "chain.duplicate_uuid",
        "Two lines with one uuid",
        "The later record replaces the earlier everywhere, so what that says is lost to the model, and history with it "
        "when the chain runs through it. A record that is merely written twice is a note.",
        "The record gets the uuid that its neighbours still name, or one of its own, and is linked in again.",
        Example(
            """
{"type":"user","uuid":"u1","parentUuid":null,"message":{"role":"user","content":"Do the tests pass?"},"sessionId":"s","timestamp":"2026-11-21T08:00:00Z"}
{"type":"assistant","uuid":"a1","parentUuid":"u1","message":{"id":"msg_1","role":"assistant","content":[{"type":"text","text":"I look."}]},"sessionId":"s","timestamp":"2026-11-21T08:01:00Z"}
{"type":"user","uuid":"u2","parentUuid":"a1","message":{"role":"user","content":"Well?"},"sessionId":"s","timestamp":"2026-11-21T08:02:00Z"}
{"type":"assistant","uuid":"a1","parentUuid":"u2","message":{"id":"msg_2","role":"assistant","content":[{"type":"text","text":"Both pass."}]},"sessionId":"s","timestamp":"2026-11-21T08:03:00Z"}
""",
            also=("chain.cycle",),
        ),
    ),
    Page(
        "chain.kept_missing",
        "A compaction lost what it kept",
        "A compaction names the records that go on behind its summary. When one of them is not in the file, the agent "
        "sends none of them.",
        "A record without a uuid, or with that of another, gets the one that is named. Where the record itself is "
        "gone, it is taken out of the list, and the agent sends the others again.",
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
    Page(
        "chain.wrong_leaf",
        "A late line hides the end of the session",
        "A result, or the report of a hook, was written at the end of the file, but it hangs on a call far above. The "
        "agent goes on from the last record of the file, so everything that followed the call is gone.",
        "The record is put behind its call; the conversation goes on where it ended.",
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
    Page(
        "chain.no_timestamp",
        "The last line has no time, or one that cannot be read",
        "Claude Code lists sessions by the time of their last record. Where that has none, version 2.1.329 says "
        "`No conversation found with session ID`, and nothing of the session is resumed. Later versions resume it, so "
        "for them (`--agent-version 2.1.330`) it is no problem.",
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
