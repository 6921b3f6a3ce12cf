"""Anthropic's SDK: the history is made valid before each request, the SDK's own objects in it included."""

from __future__ import annotations

from typing import Any

import anthropic

import toolpair


def ask(client: anthropic.Anthropic, messages: list[Any]) -> anthropic.types.Message:
    """Send the history, and append the answer to it."""
    messages[:] = toolpair.guard(messages, profile="anthropic", mode="repair")
    response = client.messages.create(model="claude-sonnet-5-5", max_tokens=1024, messages=messages)
    messages.append({"role": "assistant", "content": response.content})
    return response


if __name__ == "__main__":
    print(ask(anthropic.Anthropic(), [{"role": "user", "content": "Hello"}]).content)
