"""How a body is sent: a shell command, or a Python program. The body is in a file, keys are in the environment."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from toolpair.shell.quoting import operand, word


class Endpoint(Struct, frozen=True):
    """Where an API's requests go. Addresses and headers may name variables of the environment."""

    url: str
    headers: tuple[str, ...]
    model_in_url: bool
    client: str
    """The lines of the Python program after the body is read."""


_ANTHROPIC: Final = """\
import anthropic

client = anthropic.Anthropic()
# `post` sends any body; `messages.create` refuses some that the agent itself sends.
answer = client.post("/v1/messages", body=body, cast_to=object, options={"headers": HEADERS})
print(json.dumps(answer, indent=2))
"""
_OPENAI: Final = """\
import openai

client = openai.OpenAI()
answer = client.post("PATH", body=body, cast_to=object, options={"headers": HEADERS})
print(json.dumps(answer, indent=2))
"""
_GEMINI: Final = """\
from google import genai
from google.genai import types

client = genai.Client(http_options={"api_version": "v1beta"})
contents = [types.Content.model_validate_json(json.dumps(content)) for content in body.pop("contents")]
config = types.GenerateContentConfig.model_validate_json(json.dumps(body))
answer = client.models.generate_content(model=os.environ["MODEL"], contents=contents, config=config)
print(answer.model_dump_json(indent=2, exclude_none=True))
"""
_BEDROCK: Final = """\
import base64

import boto3


def decoded(value):
    \"\"\"The body with bytes where its JSON has Base64.\"\"\"
    if isinstance(value, list):
        return [decoded(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        key: base64.b64decode(one) if key in ("bytes", "redactedContent") and isinstance(one, str)
        else one if key in ("input", "json") else decoded(one)
        for key, one in value.items()
    }


client = boto3.client("bedrock-runtime")
answer = client.converse(modelId=os.environ["MODEL"], **decoded(body))
print(json.dumps(answer, indent=2, default=repr))
"""

ENDPOINTS: Final[Mapping[str, Endpoint]] = {
    "anthropic": Endpoint(
        "${ANTHROPIC_BASE_URL:-https://api.anthropic.com}/v1/messages",
        ("x-api-key: $ANTHROPIC_API_KEY", "anthropic-version: 2023-06-01"),
        False,
        _ANTHROPIC,
    ),
    "openai-chat": Endpoint(
        "${OPENAI_BASE_URL:-https://api.openai.com/v1}/chat/completions",
        ("Authorization: Bearer $OPENAI_API_KEY",),
        False,
        _OPENAI.replace("PATH", "/chat/completions"),
    ),
    "openai-responses": Endpoint(
        "${OPENAI_BASE_URL:-https://api.openai.com/v1}/responses",
        ("Authorization: Bearer $OPENAI_API_KEY",),
        False,
        _OPENAI.replace("PATH", "/responses"),
    ),
    "gemini": Endpoint(
        "${GEMINI_BASE_URL:-https://generativelanguage.googleapis.com}/v1beta/models/${MODEL}:generateContent",
        ("x-goog-api-key: $GEMINI_API_KEY",),
        True,
        _GEMINI,
    ),
    "bedrock-converse": Endpoint(
        "${BEDROCK_BASE_URL:-https://bedrock-runtime.${AWS_REGION}.amazonaws.com}/model/${MODEL}/converse",
        ("Authorization: Bearer $AWS_BEARER_TOKEN_BEDROCK",),
        True,
        _BEDROCK,
    ),
}

_PLAIN: Final = re.compile(r"[A-Za-z0-9._:/@-]+")
"""A model that can stand in an address as it is."""


def curl(to: str, path: str, headers: Mapping[str, str], model: str | None) -> str:
    """A command for a POSIX shell; without a model it asks the variable MODEL for one."""
    endpoint = ENDPOINTS[to]
    named = model if model is not None and _PLAIN.fullmatch(model) else None
    lines = [f'curl -sS --fail-with-body "{endpoint.url.replace("${MODEL}", named or "${MODEL}")}"']
    lines += [f'-H "{header}"' for header in endpoint.headers]
    given = (("content-type", "application/json"), *headers.items())
    lines += [f"-H {word(f'{name}: {value}')}" for name, value in given]
    if model is None and not endpoint.model_in_url:
        # The body's second line is its model.
        lines.append("--data-binary @-")
        return f"sed '2s|\\$MODEL|'\"$MODEL\"'|' {operand(path)} | " + " \\\n  ".join(lines) + "\n"
    lines.append(f"--data-binary {word(f'@{path}')}")
    return " \\\n  ".join(lines) + "\n"


def python(to: str, path: str, headers: Mapping[str, str], model: str | None) -> str:
    """A program for the provider's own library; without a model it asks the variable MODEL for one."""
    endpoint = ENDPOINTS[to]
    lines = ["import json", "import os", ""]
    lines += [f'with open({path!a}, encoding="utf-8") as file:', "    body = json.load(file)"]
    if model is None and not endpoint.model_in_url:
        lines.append('body["model"] = os.environ["MODEL"]')
    client = endpoint.client.replace("HEADERS", ascii(dict(headers)))
    if model is not None:
        client = client.replace('os.environ["MODEL"]', ascii(model))
    if "os.environ" not in "".join(lines) + client:
        lines.remove("import os")
    return "\n".join(lines) + "\n\n" + client
