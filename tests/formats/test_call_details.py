"""What records say of a call beside what is sent: when, how long, what an edit changed, where the whole output is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from toolpair.formats.claude_code import FORMAT as CLAUDE_CODE
from toolpair.formats.codex import FORMAT as CODEX
from toolpair.formats.engine.reading.call_details import DetailReader
from toolpair.formats.format import Format
from toolpair.formats.lists import OPENAI_CHAT as CHAT
from toolpair.formats.pi import FORMAT as PI
from toolpair.formats.roo_code import FORMAT as ROO
from toolpair.source.sibling_files import FilesBeside

BEGUN, ENDED = "2026-11-21T08:00:00.000Z", "2026-11-21T08:00:04.500Z"
KEYS = (
    *("message", "usage", "metrics", "timestamp", "ts", "toolUseResult", "structuredPatch", "durationMs"),
    *("role", "type", "payload", "info", "content", "lines", "oldStart", "newStart"),
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(KEYS),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


def answer(*results: str, **details: Any) -> dict[str, Any]:
    parts = [{"type": "tool_result", "tool_use_id": id_, "content": "done"} for id_ in results]
    return {"type": "user", "timestamp": ENDED, "message": {"content": parts}, "toolUseResult": details}


@each(
    ("format", "call", "result", "seconds"),
    [
        (CLAUDE_CODE, {"timestamp": BEGUN}, answer("a"), 4.5),
        (CLAUDE_CODE, {"timestamp": BEGUN}, answer("a", durationMs=250), 0.25),
        (CLAUDE_CODE, None, answer("a", totalDurationMs=61_000), 61),
        (CLAUDE_CODE, {"timestamp": BEGUN}, answer("a", durationMs=-1), 4.5),
        (CLAUDE_CODE, {"timestamp": BEGUN}, answer("a", "b", durationMs=250), 4.5),
        (CODEX, {"timestamp": BEGUN}, {"timestamp": ENDED}, 4.5),
        (PI, {"timestamp": BEGUN}, {"timestamp": ENDED}, 4.5),
        (ROO, {"ts": 1_795_248_000_000}, {"ts": 1_795_248_004_500}, 4.5),
        (ROO, {"ts": 1_795_248_000_000}, {"role": "user"}, None),
        (PI, {"timestamp": ENDED}, {"timestamp": BEGUN}, None),
        (CHAT, {"timestamp": BEGUN}, {"timestamp": ENDED}, None),
    ],
)
def test_how_long_a_call_took(format: Format, call: Any, result: Any, seconds: float | None) -> None:
    assert DetailReader(format).seconds(call, result) == seconds


@pytest.mark.parametrize(
    ("format", "record"),
    [
        (
            PI,
            {"type": "message", "message": {"role": "assistant", "usage": {"input": 9, "cacheRead": 90, "output": 5}}},
        ),
        (ROO, {"role": "assistant", "metrics": {"inputTokens": 99, "outputTokens": 5, "cacheReadTokens": 0}}),
    ],
)
def test_tokens(format: Format, record: Any) -> None:
    reader = DetailReader(format)
    usage = reader.usage_of(record)
    assert usage is not None and (usage.context, usage.written) == (104, 5)
    assert reader.usage_of({"message": {"role": "user"}, "role": "user"}) is None


def _patch(value: Any) -> Any:
    assert CLAUDE_CODE.patch_of is not None
    return CLAUDE_CODE.patch_of(value)


def test_the_patch_of_an_edit() -> None:
    hunk = {"oldStart": 7, "newStart": 8, "lines": [" a", "-b", "+c", "\\ No newline at end of file"]}
    assert list(_patch(answer("a", structuredPatch=[hunk]))) == [(7, 8, [" a", "-b", "+c"])]
    assert list(_patch(answer("a", structuredPatch=[hunk, {"lines": [1]}]))) == []
    assert list(_patch(answer("a", structuredPatch="x"))) == []
    assert list(_patch(answer("a", "b", structuredPatch=[hunk]))) == []


@given(VALUES)
def test_odd_records_say_nothing(value: Any) -> None:
    for format in (CLAUDE_CODE, CODEX, PI, ROO):
        reader = DetailReader(format)
        reader.seconds(value, value)
        reader.usage_of(value)
        if format.patch_of is not None:
            format.patch_of(value)


def test_the_file_of_a_long_output(tmp_path: Path) -> None:
    folder = tmp_path / "session" / "tool-results"
    folder.mkdir(parents=True)
    (folder / "b1.txt").write_text("all of it")
    beside = FilesBeside(tmp_path / "session.jsonl")

    def shortened(path: str) -> str:
        return (
            f"<persisted-output>\nOutput too large (9.4KB). Full output saved to: {path}\n\nPreview (first 2KB):\nall"
        )

    for path in ("/home/dev/x/session/tool-results/b1.txt", "C:\\x\\session\\tool-results\\b1.txt"):
        assert CLAUDE_CODE.output_file(shortened(path), beside) == "session/tool-results/b1.txt"
    for output in (shortened("/etc/passwd"), shortened("/x/.."), shortened("/"), "b1.txt", ""):
        assert CLAUDE_CODE.output_file(output, beside) is None
