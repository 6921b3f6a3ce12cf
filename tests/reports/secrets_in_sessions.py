"""Sessions with something to hide in every place where agents write it, and what nobody may find in a copy."""

from __future__ import annotations

import base64
import json
import re
from typing import Any, Final

PEOPLE: Final = ("Annika", "Sørensen", "annika.sorensen", "Иван", "田中太郎")
SECRETS: Final = (
    *PEOPLE,
    *(
        "quokkaworks",
        "wombatstore",
        "numbatdb",
        "bilbyqueue",
        "sk-ant-api03-Zq81LmWd",
        "ghp_Tt5Yy6Uu7Ii8",
        "hunter2pass",
    ),
    *(
        "10.23.45.67",
        "+49 170 5550123",
        "Potoroo",
        "kowari",
        "dunnart",
        "Europe/Copenhagen",
        "quoll-7f3a",
        "AKIAQ3EXAMPLE77",
    ),
    *(
        "req_011QuokkaReq",
        "feature/bettong",
        "8f14e45f-ceea-467a-9538-7b1d2c3e4f50",
        "c9f0f895-fb98-4b91-a7d5-1234567890ab",
    ),
    *("2026-03-04T05:06:07.891Z", "1772600767891", "org-bandicoot", "pademelon", "48151623"),
)
_PATH: Final = "/home/annika.sorensen/work/quokkaworks/src/wombatstore.py"
_OUTPUT: Final = (
    "PASSWORD=hunter2pass host numbatdb.internal.quokkaworks.example 10.23.45.67\n"
    "Authorization: Bearer sk-ant-api03-Zq81LmWd\ttoken ghp_Tt5Yy6Uu7Ii8 AKIAQ3EXAMPLE77\n"
    "C:\\Users\\Annika\\kowari %41nnika \\u0041nnika Annika Sørensen <annika.sorensen@quokkaworks.example>\n"
    "+49 170 5550123 田中太郎 Иван at 2026-03-04T05:06:07.891Z\n"
)
_PICTURE: Final = "iVBORw0KGgo" + base64.b64encode(b"EXIF Annika Sorensen, quokkaworks, Copenhagen" * 4).decode()


def claude_code() -> bytes:
    """A session of Claude Code whose last pair is broken."""
    session, first = "8f14e45f-ceea-467a-9538-7b1d2c3e4f50", "c9f0f895-fb98-4b91-a7d5-1234567890ab"
    common = {
        "isSidechain": False,
        "userType": "external",
        "cwd": "/home/annika.sorensen/work/quokkaworks",
        "sessionId": session,
        "version": "2.1.330",
        "gitBranch": "feature/bettong",
    }

    def record(number: int, kind: str, message: dict[str, Any], **more: Any) -> dict[str, Any]:
        return {
            "parentUuid": f"c9f0f895-fb98-4b91-a7d5-1234567890{0xAA + number:02x}" if number else None,
            **common,
            "type": kind,
            "message": {"role": kind, **message},
            "uuid": f"c9f0f895-fb98-4b91-a7d5-1234567890{0xAB + number:02x}",
            "timestamp": f"2026-03-04T05:06:0{number}.891Z",
            **more,
        }

    assert first.endswith("ab")
    records: list[dict[str, Any]] = [
        {"type": "summary", "summary": "Annika moves the Potoroo queue", "leafUuid": first},
        record(0, "user", {"content": "Please fix bilbyqueue for Annika Sørensen."}),
        record(
            1,
            "assistant",
            {
                "id": "msg_01QuokkaMsg",
                "model": "ft:gpt-4o:org-bandicoot:pademelon:x1",
                "content": [
                    {"type": "thinking", "thinking": "Potoroo is at dunnart.", "signature": _PICTURE},
                    {
                        "type": "tool_use",
                        "id": "toolu_01QuokkaCall1",
                        "name": "mcp__quokkaworks__deploy_kowari",
                        "input": {"file_path": _PATH, "wombatstore": {"annika": 48151623}, "command": "ssh dunnart"},
                    },
                ],
            },
            requestId="req_011QuokkaReq",
        ),
        record(
            2,
            "user",
            {
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "toolu_01QuokkaCall1",
                        "content": [
                            {"type": "text", "text": _OUTPUT},
                            {
                                "type": "image",
                                "source": {"type": "base64", "media_type": "image/png", "data": _PICTURE},
                            },
                        ],
                    }
                ]
            },
            toolUseResult={"stdout": _OUTPUT, "kowari/dunnart.py": "Potoroo", "when": 1772600767891, "port": 48151623},
            mcpMeta={"tz": "Europe/Copenhagen", "machine": "quoll-7f3a"},
        ),
        record(
            3,
            "assistant",
            {
                "id": "msg_02QuokkaMsg",
                "model": "claude-sonnet-4-5",
                "content": [
                    {"type": "tool_use", "id": "toolu_01QuokkaCall2", "name": "Bash", "input": {"command": "ls"}}
                ],
            },
        ),
        record(4, "user", {"content": "Are you there, Annika asks?"}),
    ]
    return b"".join(
        json.dumps(one, ensure_ascii=number % 2 == 0).encode() + b"\n" for number, one in enumerate(records)
    )


def codex() -> bytes:
    """A rollout in which a call has no output."""
    records: list[dict[str, Any]] = [
        {
            "timestamp": "2026-03-04T05:06:07.891Z",
            "type": "session_meta",
            "payload": {
                "id": "8f14e45f-ceea-467a-9538-7b1d2c3e4f50",
                "timestamp": "2026-03-04T05:06:07.891Z",
                "cwd": "/home/annika.sorensen/work/quokkaworks",
                "originator": "codex_cli_rs",
                "cli_version": "0.169.0",
                "git": {"branch": "feature/bettong", "repository_url": "https://numbatdb.example/quokkaworks.git"},
            },
        },
        *(
            {"timestamp": f"2026-03-04T05:06:1{number}.891Z", "type": "response_item", "payload": payload}
            for number, payload in enumerate(
                [
                    {
                        "type": "message",
                        "role": "user",
                        "content": [{"type": "input_text", "text": f"<cwd>{_PATH}</cwd>"}],
                    },
                    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": _OUTPUT}]},
                    {
                        "type": "function_call",
                        "name": "shell",
                        "call_id": "call_QuokkaCall1",
                        "arguments": json.dumps({"command": ["ssh", "dunnart", "Potoroo"], "wombatstore": True}),
                    },
                    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Иван, 田中太郎?"}]},
                ]
            )
        ),
    ]
    return b"".join(json.dumps(one).encode() + b"\n" for one in records)


def messages() -> bytes:
    """A request body with tools of its own, whose call has no result."""
    body = {
        "model": "claude-sonnet-4-5",
        "metadata": {"user_id": "org-bandicoot"},
        "system": "You work for quokkaworks with Annika Sørensen.",
        "tools": [
            {
                "name": "deploy_kowari",
                "description": "Deploys the Potoroo to dunnart.",
                "input_schema": {
                    "type": "object",
                    "properties": {"wombatstore": {"type": "string"}},
                    "required": ["wombatstore"],
                },
            }
        ],
        "messages": [
            {"role": "user", "content": _OUTPUT},
            {
                "role": "assistant",
                "content": [
                    {
                        "type": "tool_use",
                        "id": "toolu_Quokka1",
                        "name": "deploy_kowari",
                        "input": {"wombatstore": _PATH},
                    }
                ],
            },
            {"role": "user", "content": "And, Annika?"},
        ],
    }
    return json.dumps(body, indent=2, ensure_ascii=False).encode()


SESSIONS: Final = {
    "annika-quokkaworks-claude.jsonl": claude_code,
    "annika-quokkaworks-codex.jsonl": codex,
    "annika-quokkaworks.json": messages,
}
"""By a name that tells as much."""


def found_in(data: bytes) -> list[str]:
    """The secrets that are in the data, however they are written."""
    text = data.decode("utf-8", "replace")
    for _ in range(3):
        for escaped in set(text.split("\\u")[1:]):
            try:
                text = text.replace(f"\\u{escaped[:4]}", chr(int(escaped[:4], 16)))
            except ValueError:
                continue
        text = text.replace("\\\\", "\\")
    low = text.lower()
    parts = {part for secret in SECRETS for part in (secret, *secret.split(), *secret.split("-")) if len(part) > 3}
    return sorted(part for part in parts if _is_in(part.lower(), low) and part.lower() not in _OF_EVERYBODY)


def _is_in(part: str, text: str) -> bool:
    """A short part counts as a word of its own: within a long stand-in it may occur by chance, as in a UUID, too."""
    alone = rf"(?<![^\W_])(?<![0-9a-f]{{4}}-){re.escape(part)}(?![^\W_])"
    return part in text and (len(part) > 6 or re.search(alone, text) is not None)


_OF_EVERYBODY: Final = frozenset({"api03"})
