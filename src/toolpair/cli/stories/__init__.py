"""The sample sessions shipped with the program, each with a real story, and making a copy of one to try things on."""

from __future__ import annotations

from pathlib import Path
from typing import Final

SESSIONS: Final = Path(__file__).parent / "sessions"
FIRST: Final = "sanitised-on-one-side"
"""The default story."""
STORIES: Final = {
    "sanitised-on-one-side.json": "Roo Code sanitised the ids of the calls but not those of their results.",
    "interrupted-call.json": "Esc was pressed while the tests ran, and the next prompt follows the call.",
    "claude-code-branches.jsonl": "Claude Code lost one line, and forgets everything before it.",
    "codex-killed.jsonl": "Codex was killed while three commands ran at once.",
    "pi-lost-line.jsonl": "pi lost one line, and forgets everything before it; a later call has no result.",
    "qwen-late-result.jsonl": "Qwen Code wrote a result too late, and was killed while two commands ran.",
    "continue-cancelled.json": "Continue wrote one result twice, and a call that did not end has none.",
    "copilot-damaged-line.jsonl": "Copilot CLI deletes lines that were cut off; here one with an output.",
    "gemini-doubled.jsonl": "Gemini CLI wrote every result twice, and one of two calls was never answered.",
    "cline-late-result.json": "Cline wrote a result after the user's next words, and no longer resumes the session.",
    "docker-agent-late-result.db": "docker-agent stored a result after the next words, and no longer sends it.",
    "opencode-failed-response.db": "An API error made opencode leave two outputs out, and a lost one stops it.",
    "goose-left-out.db": "goose leaves out a call and its output, whose ids differ, without telling you.",
    "openclaw-cut-history.db": "A row deleted by hand makes OpenClaw forget everything before it.",
    "hermes-other-id.db": "Hermes leaves out an output whose id a proxy rewrote.",
    "kimi-code-late-result.jsonl": "Kimi Code skips a result that was written after its response had ended.",
    "openhands-killed.jsonl": "OpenHands was killed while a command ran, which it would run again.",
    "vibe-words-between.jsonl": "Mistral Vibe sends the user's words before a result, and the API refuses that.",
    "parallel-swapped.json": "Three calls at once, whose results came back in two messages.",
    "compaction-cut.json": "The history was cut after a call, so it begins with its result.",
    "orphan-after-rewind.json": "Rewinding to a checkpoint removed a call and left its result.",
    "duplicate-after-resume.json": "A resumed session sent one result twice.",
    "reused-ids.json": "A gateway calls every call call_0, and one of them has no result.",
    "reused-ids-anthropic.json": "The same gateway with the Messages API, which refuses ids that are used twice.",
    "text-before-result.json": "A reminder was put before a result, and the API no longer sees the result.",
    "openai-chat-missing.json": "Two calls at once; the process ended after the first result.",
    "responses-request.json": "A request of the Responses API with an id from another provider.",
    "request-log.jsonl": "A proxy's log with one request a line; the third lost a result.",
    "proxy-log.jsonl": "Two agents in one log; one cut its history between a call and its result.",
    "damaged.jsonl": "Two lines glued into one, a run of NUL bytes, a last line cut off.",
    "python-repr.txt": "A list that Python printed into a bug report; it can be exported, not saved.",
    "valid.json": "Nothing is wrong: every call has its result.",
}
"""File -> its story, in one line."""


def names() -> list[str]:
    """The names of the stories."""
    return [file.partition(".")[0] for file in STORIES]


def file_of(name: str) -> str | None:
    """The file of a story, by the story's or the file's name; None for an unknown one."""
    wanted = name.casefold()
    return next((file for file in STORIES if wanted in (file, file.partition(".")[0])), None)


def copy_of(file: str) -> Path:
    """A copy in a new temporary folder, which may be changed, saved and restored."""
    import shutil
    import tempfile

    return Path(shutil.copyfile(SESSIONS / file, Path(tempfile.mkdtemp(prefix="toolpair-demo-")) / file))
