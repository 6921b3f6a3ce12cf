"""What chat templates refuse is what the profiles of local servers say, and a repaired history is rendered.

The templates show one rule each. They are written after those that models come with: of Mistral Small 3.1, Qwen 3.5 and
Qwen3 Coder, and older ones that join texts.
"""

from __future__ import annotations

import json
from typing import Any, Final, NoReturn

import jinja2
import pytest

import toolpair

ALTERNATING: Final = """
{%- set counted = messages | rejectattr('role', 'in', ['system', 'tool']) | rejectattr('tool_calls', 'defined') -%}
{%- for message in counted -%}
{%- if (message.role == 'user') != (loop.index0 % 2 == 0) -%}
{{ raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}
{%- endif -%}{%- endfor -%}
{%- for message in messages -%}{{ message.content }}{%- endfor -%}
"""
USER_NEEDED: Final = """
{%- if not messages | selectattr('role', 'equalto', 'user') | list -%}
{{ raise_exception('No user query found in messages.') }}
{%- endif -%}
{%- for message in messages -%}{{ message.content }}{%- endfor -%}
"""
TEXT_ONLY: Final = "{%- for message in messages -%}{{ '<' + message.role + '>' + message.content }}{%- endfor -%}"
ARGUMENTS_WALKED: Final = """
{%- for message in messages -%}{%- for call in message.tool_calls or [] -%}
{%- for name, value in call.function.arguments | items -%}{{ name }}={{ value }}{%- endfor -%}
{%- endfor -%}{%- endfor -%}
"""


def user(content: Any = "Go.") -> dict[str, Any]:
    return {"role": "user", "content": content}


def says(content: Any = "Done.") -> dict[str, Any]:
    return {"role": "assistant", "content": content}


def calls(arguments: str = '{"a": 1}') -> list[dict[str, Any]]:
    call = {"id": "call_1", "type": "function", "function": {"name": "run", "arguments": arguments}}
    return [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "passed"},
    ]


SYSTEM: Final = {"role": "system", "content": "Be brief."}
PARTS: Final = [{"type": "text", "text": "Look."}, {"type": "text", "text": "Twice."}]
HISTORIES: Final = {
    "calls between": [SYSTEM, user(), *calls(), says(), user("And?")],
    "two users": [user(), user("Well?"), says(), user("And?")],
    "two users, calls between": [user(), *calls(), user("Stop.")],
    "two assistants, calls between": [user(), says("I look."), *calls(), says(), user("And?")],
    "text and call apart": [user(), says("I look."), *calls()],
    "an assistant first": [says("Hello."), user()],
    "a call first": [*calls(), user("And?")],
    "no user": [SYSTEM, *calls()],
    "a list": [user(PARTS), says(), user("And?")],
    "arguments cut off": [user(), *calls('{"a": "x')],
    "arguments in a list": [user(), *calls("[1]")],
}


def raise_exception(message: str) -> NoReturn:
    raise jinja2.TemplateError(message)


def rendered(template: str, messages: list[dict[str, Any]]) -> str | None:
    """What a server makes of the messages: it parses the arguments and fills the template; None where it refuses."""
    environment = jinja2.Environment(autoescape=False)
    environment.globals["raise_exception"] = raise_exception
    sent = json.loads(json.dumps(messages))
    try:
        for message in sent:
            for call in message.get("tool_calls", ()):
                call["function"]["arguments"] = json.loads(call["function"]["arguments"])
        return environment.from_string(template).render(messages=sent)
    except (jinja2.TemplateError, TypeError, ValueError):
        return None


@pytest.mark.parametrize(
    ("family", "template"),
    [
        ("alternating", ALTERNATING),
        ("user-needed", USER_NEEDED),
        ("text-only", TEXT_ONLY),
        ("arguments-walked", ARGUMENTS_WALKED),
    ],
)
def test_a_profile_says_what_its_template_refuses(family: str, template: str) -> None:
    for name, messages in HISTORIES.items():
        if name == "arguments cut off" and family != "arguments-walked":
            continue  # the server refuses it, whatever the template
        report = toolpair.check(messages, profile=f"vllm/{family}")
        assert report.ok == (rendered(template, messages) is not None), (name, [one.rule for one in report.errors])
        mended = toolpair.repair(messages, profile=f"vllm/{family}")
        assert not mended.left and rendered(template, mended.messages) is not None, name
        assert toolpair.repair(mended.messages, profile=f"vllm/{family}").messages is mended.messages
        words = [text for text in ("Go.", "Well?", "Stop.", "And?", "Look.", "passed") if text in json.dumps(messages)]
        assert all(text in json.dumps(mended.messages) for text in words), name


def test_a_server_that_is_not_known_by_its_template_only_warns() -> None:
    for server in ("llama-cpp", "ollama", "lm-studio"):
        for name, messages in HISTORIES.items():
            assert toolpair.check(messages, profile=server).ok, (server, name)
