"""OpenAI's SDK: a request that would be refused is not sent. First for chat, then for the Responses API."""

from __future__ import annotations

from typing import Any

import openai

import toolpair


def ask(client: openai.OpenAI, messages: list[Any]) -> str | None:
    """Send the history, and append the answer to it. Raises toolpair.InvalidMessages before the API refuses it."""
    checked = toolpair.guard(messages, profile="openai-chat")
    response = client.chat.completions.create(model="gpt-5", messages=checked)
    messages.append(response.choices[0].message)
    return response.choices[0].message.content


def respond(client: openai.OpenAI, items: list[Any]) -> str:
    """The same with Responses API items, fixed where they are broken."""
    items[:] = toolpair.guard(items, profile="openai-responses", mode="repair")
    response = client.responses.create(model="gpt-5", input=items)
    items += response.output
    return response.output_text


if __name__ == "__main__":
    print(ask(openai.OpenAI(), [{"role": "user", "content": "Hello"}]))
