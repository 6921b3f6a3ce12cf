"""The budgets: what each measurement is held to. This table is the only place that knows the numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Budget:
    """`unit` is `×` (against a baseline of the same run), `ms`, `s` or `MB`.

    `limit` must hold; `aim` is what the work goes towards. Where there is no limit, the aim is what is judged.
    """

    name: str
    what: str
    unit: str
    limit: float | None
    aim: float | None
    module: str
    """The module of `benchmarks.measures` that measures it; several budgets may share one run."""

    @property
    def judged_by(self) -> float:
        value = self.limit if self.limit is not None else self.aim
        assert value is not None, self.name
        return value


_LINES = "of a 500 MB JSONL, against a loop of `orjson.loads` per line"

BUDGETS: Final = (
    Budget("check.ordinary", f"`check` {_LINES}: Claude Code, ordinary outputs", "×", 1.5, 1.0, "check_lines"),
    Budget("check.codex", "… Codex", "×", 1.5, 1.0, "check_lines"),
    Budget("check.anthropic", "… Anthropic messages, one a line", "×", 1.5, 1.0, "check_lines"),
    Budget("check.openai-chat", "… OpenAI chat messages, one a line", "×", 1.5, 1.0, "check_lines"),
    Budget("check.escapes", "… text with many escapes", "×", 1.5, 1.0, "check_lines"),
    Budget("check.huge", "… few lines of many megabytes", "×", 1.5, 1.0, "check_lines"),
    Budget("check.small", "… many small outputs", "×", 1.5, 1.0, "check_lines"),
    Budget("check.images", "… base64 images", "×", 1.5, 1.0, "check_lines"),
    Budget("check.memory", "peak memory of `check`, 500 MB JSONL", "MB", 100, 60, "check_lines"),
    Budget("check.dense", f"`check` {_LINES}: one pair in fifty is broken, resumed by a new version", "×",
           2.5, 1.5, "check_dense"),
    Budget("check.dense-old", "… by an old version", "×", 2.5, 1.5, "check_dense"),
    Budget("check.dense-memory", "peak memory of these two", "MB", 100, 60, "check_dense"),
    Budget("check.memory-flat", "its peak against that of 50 MB, as many records", "×", None, 1.1, "memory_flat"),
    Budget("check.siblings", "`check` of 100 MB of which five outputs are missing, with 300 MB of sessions forked from "
           "it beside, against the same alone", "×", 2.0, 1.5, "siblings"),
    Budget("directory.check", "`check` of a directory of 2,000 sessions, 500 MB, against the processor time of "
           "checking them in one process, divided by the cores", "×", 1.2, 1.0, "directory"),
    Budget("directory.again", "… again, when none has changed", "s", 0.5, 0.2, "directory"),
    Budget("directory.list", "list these sessions, with their verdicts", "s", 0.5, 0.2, "directory"),
    Budget("check.forms.gemini-contents", "`check` of 300 MB in another form, against `orjson.loads`: Gemini contents",
           "×", 4.0, 3.0, "check_forms"),
    Budget("check.forms.gemini-without-ids", "… Gemini contents without ids", "×", 4.0, 3.0, "check_forms"),
    Budget("check.forms.bedrock-converse", "… Bedrock Converse, a body", "×", 4.0, 3.0, "check_forms"),
    Budget("check.forms.kiro-cli", "… Kiro CLI, lines", "×", 4.0, 3.0, "check_forms"),
    Budget("check.forms.pydantic-ai", "… pydantic-ai, a list", "×", 4.0, 3.0, "check_forms"),
    Budget("check.forms.ai-sdk-ui", "… AI SDK UI messages, results inside calls", "×", 4.0, 3.0, "check_forms"),
    Budget("check.forms.livekit", "… LiveKit, items", "×", 4.0, 3.0, "check_forms"),
    Budget("check.forms.memory", "peak memory of these", "MB", 150, 120, "check_forms"),
    Budget("check.agents.pi", "`check` of 100 MB of another agent's session, against `orjson.loads` of it: pi", "×",
           3.0, 2.0, "check_agents"),
    Budget("check.agents.oh-my-pi", "… oh-my-pi", "×", 3.0, 2.0, "check_agents"),
    Budget("check.agents.qwen-code", "… Qwen Code", "×", 3.0, 2.0, "check_agents"),
    Budget("check.agents.gemini-cli", "… Gemini CLI", "×", 3.0, 2.0, "check_agents"),
    Budget("check.agents.copilot-cli", "… Copilot CLI", "×", 3.0, 2.0, "check_agents"),
    Budget("check.agents.kimi-cli", "… Kimi CLI", "×", 3.0, 2.0, "check_agents"),
    Budget("check.agents.kimi-code", "… Kimi Code", "×", 3.0, 2.0, "check_agents"),
    Budget("check.agents.cline-cli", "… Cline CLI, one document", "×", 3.0, 2.0, "check_agents"),
    Budget("check.agents.continue", "… Continue, one document", "×", 3.0, 2.0, "check_agents"),
    Budget("check.agents.memory", "peak memory of these", "MB", 120, 80, "check_agents"),
    Budget("array.memory", "peak memory of `check`, 500 MB in one JSON array", "MB", 200, 200, "check_array"),
    Budget("array.conversations", "`check` of 20 MB of many conversations in one JSON document, against `orjson.loads`",
           "×", 4.0, 2.0, "check_array"),
    Budget("first-break", "`first-break` of a log of requests, 100 MB, against a loop of `orjson.loads` per line", "×",
           10, 5, "first_break"),
    Budget("first-break.memory", "its peak memory", "MB", 150, 100, "first_break"),
    Budget("sees", "`sees` of a session of 100 MB, against a loop of `orjson.loads` per line", "×", 4.0, 2.0,
           "hand_on"),
    Budget("report", "… `report`, as HTML", "×", 4.0, 2.0, "hand_on"),
    Budget("export", "… `export --to anthropic`", "×", 4.0, 2.0, "hand_on"),
    Budget("excerpt", "… `excerpt`", "×", 4.0, 2.0, "hand_on"),
    Budget("hand-on.memory", "peak memory of these", "MB", 150, 120, "hand_on"),
    Budget("content.small", "interface: first content, small file, against a Textual app with one Static", "×",
           1.6, 1.3, "interface_start"),
    Budget("content.big", "… of a file of 500 MB", "×", 1.6, 1.3, "interface_start"),
    Budget("rows.small", "interface: first rows after the first content, small file", "s", 0.15, 0.1,
           "interface_start"),
    Budget("rows.big", "… of a file of 500 MB", "s", 0.15, 0.1, "interface_start"),
    Budget("keys.loading", "page and cursor keys while 500 MB load, 95th percentile", "ms", 50, 16, "keys_loading"),
    Budget("keys.move", "page and cursor keys in 100,000 pairs, 95th percentile", "ms", 30, 16, "keys"),
    Budget("keys.problem", "next and previous problem, 95th percentile", "ms", 60, 30, "keys"),
    Budget("keys.search", "keys of a search, 95th percentile", "ms", 30, 16, "keys"),
    Budget("keys.filter", "keys of a filter, 95th percentile", "ms", 30, 16, "keys"),
    Budget("keys.stage", "stage a fix, key to frame, 95th percentile", "ms", 60, 30, "keys"),
    Budget("keys.undo", "undo, key to frame, 95th percentile", "ms", 60, 30, "keys"),
    Budget("fix-all", "`A` on 10,000 problems in 100,000 pairs, until the review is seen", "s", 8, 3, "fix_all"),
    Budget("fix-many", "`fix --in-place` of 1,000 problems in 10,000 pairs, against `check`, the worst of four formats",
           "×", 3.0, 2.0, "fix_many"),
    Budget("viewer.big", "a result of 5 MB opened in the viewer", "ms", None, 100, "viewer"),
    Budget("viewer.cjk", "a line of 1 MB of Chinese characters opened in the viewer", "ms", None, 100, "viewer"),
    Budget("save", "save one edit in 500 MB, against `cp` and `sync` of the file", "×", 1.5, 1.1, "save"),
    Budget("databases.list", "list 2,000 sessions of a database of 100 MB, against a query for each one's last message",
           "×", 4.0, 2.0, "databases"),
    Budget("databases.open", "open one of them", "ms", 100, 50, "databases"),
    Budget("databases.check", "`check` of a session of 60 MB in a database, against a query for its rows and "
           "`orjson.loads` of each, the worst of four agents", "×", 3.0, 2.0, "database_sessions"),
    Budget("databases.hermes", "… Hermes Agent", "×", 3.0, 2.0, "database_sessions"),
    Budget("databases.agents-sdk", "… the Agents SDK", "×", 3.0, 2.0, "database_sessions"),
    Budget("databases.google-adk-database", "… ADK", "×", 3.0, 2.0, "database_sessions"),
    Budget("databases.check-memory", "peak memory of the four", "MB", 120, 100, "database_sessions"),
    Budget("databases.dense", "… 31,000 rows, of which 1,000 are broken", "×", 4.0, 3.0, "database_sessions"),
    Budget("databases.row", "… one row of 20 MB", "×", 3.0, 2.0, "database_sessions"),
    Budget("databases.folder", "… opencode's older folder, 20,000 small files, against reading and parsing them", "×",
           3.0, 2.0, "database_sessions"),
    Budget("databases.list-many", "list 10,000 sessions, the worst of four agents, processor time", "s", 1.0, 0.5,
           "database_sessions"),
    Budget("databases.list-big", "list the 5,000 sessions of a database of 2 GB", "s", 1.0, 0.5, "database_sessions"),
    Budget("databases.fix-one", "fix and save one pair in a session of 31,000 rows, against `check` of it", "×", None,
           4.0, "database_sessions"),
    Budget("databases.fix-big", "… in one session of a database of 2 GB", "×", None, 4.0, "database_sessions"),
    Budget("library.check", "`toolpair.check` of 1,000 messages, against `json.dumps` of them", "×", 1.5, 0.7,
           "library"),
    Budget("library.chat", "… in OpenAI's chat form", "×", 1.5, 0.7, "library"),
    Budget("start.version", "`toolpair --version` over `python -c pass`", "ms", 30, 10, "startup"),
    Budget("start.check", "`toolpair check` of a small file over `python -c pass`", "ms", 75, 50, "startup"),
    Budget("growth.ordinary", "ten times the records: `check`, ordinary, the worst of four formats", "×", 11, 10,
           "growth"),
    Budget("growth.equal-ids", "… all ids equal", "×", 11, 10, "growth"),
    Budget("growth.alike-ids", "… ids that differ only at their end", "×", 11, 10, "growth"),
    Budget("growth.all-broken", "… every pair broken", "×", 11, 10, "growth"),
    Budget("growth.one-message", "… all calls in one message", "×", 11, 10, "growth"),
    Budget("growth.library", "… `toolpair.check`, 10,000 and 100,000 messages, the worst of these cases", "×", 11, 10,
           "growth_library"),
)  # fmt: skip


def measured_by(module: str) -> tuple[str, ...]:
    """The names of the budgets that one module measures, in the order of the table."""
    return tuple(budget.name for budget in BUDGETS if budget.module == module)
