"""Words are found in what was said in a session, however its JSON spells them, and in nothing else of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.docker_agent_databases import copies_of_sample
from toolpair.agents.contents import said_in


@pytest.mark.parametrize(
    ("value", "words", "found"),
    [
        ({"text": "The Build\n\n  fails"}, "the build fails", "The Build fails"),
        ({"text": 'a "deadlock" in C:\\new'}, '"deadlock" in c:\\NEW', 'a "deadlock" in C:\\new'),
        ({"arguments": json.dumps({"q": 'say "no"\nnow'})}, 'SAY "no" now', '{"q": "say \\"no\\"\\nnow"}'),
        ({"content": "Größe 🦀 Ä"}, "GRÖSSE", None),
        ({"content": "Größe 🦀 Ä"}, "größe 🦀 ä", "Größe 🦀 Ä"),
        ({"path": "src/app.py"}, "app.py", "src/app.py"),
        ({"uuid": "app-1", "type": "text"}, "app", None),
        ({"uuid": "app-1", "type": "text"}, "type", None),
        ({"two words": "x"}, "two words", None),
        ({"ends": "\\", "content": "then"}, "then", "then"),
        ({"content": "x" * 60 + " y needle " + "z" * 900}, "needle", "x" * 37 + " y needle " + "z" * 253),
        ({"content": "said"}, "  ", None),
    ],
)
@pytest.mark.parametrize("ascii", [True, False])
def test_words_in_strings(tmp_path: Path, value: dict[str, str], words: str, found: str | None, ascii: bool) -> None:
    path = tmp_path / "a.jsonl"
    lines = [json.dumps(one, ensure_ascii=ascii) for one in ({"n": 1}, value, {"text": "torn"})]
    path.write_text("\n".join(lines)[:-3], encoding="utf-8")
    assert said_in(str(path), words) == found


def test_sessions_of_a_database(tmp_path: Path) -> None:
    database = copies_of_sample(tmp_path / "several.db", "one", "two")
    said = said_in(f"{database}::two", "the")
    assert said is not None and "the" in said.lower()
