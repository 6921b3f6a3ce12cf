"""Plain lists of messages: Anthropic's and OpenAI's chat form."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from benchmarks.sessions.story import Exchange, Prompt, Step, Words
from benchmarks.sessions.writer import Json, Writer, anthropic_content, chat_calls, plain_content


class Anthropic(Writer):
    OVERHEAD: ClassVar[int] = 420
    COPIES: ClassVar[float] = 1.06

    def records(self, step: Step) -> Iterator[Json]:
        if not isinstance(step, Exchange):
            yield {"role": "user" if isinstance(step, Prompt) else "assistant", "content": step.text}
            return
        blocks: list[Json] = []
        if step.thought is not None:
            signature = f"{self._rng.getrandbits(2048):0512x}"
            blocks.append({"type": "thinking", "thinking": step.thought, "signature": signature})
        if step.said is not None:
            blocks.append({"type": "text", "text": step.said})
        for call in step.calls:
            blocks.append({"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments})
        yield {"role": "assistant", "content": blocks}
        answers: list[Json] = []
        for answer in step.answers:
            if isinstance(answer, Words):
                answers.append({"type": "text", "text": answer.text})
                continue
            block: Json = {"type": "tool_result", "tool_use_id": answer.id, "content": anthropic_content(answer)}
            if answer.error:
                block["is_error"] = True
            answers.append(block)
        yield {"role": "user", "content": answers or [{"type": "text", "text": "Go on."}]}


class OpenAIChat(Writer):
    OVERHEAD: ClassVar[int] = 380
    COPIES: ClassVar[float] = 1.06

    def records(self, step: Step) -> Iterator[Json]:
        if not isinstance(step, Exchange):
            yield {"role": "user" if isinstance(step, Prompt) else "assistant", "content": step.text}
            return
        yield {"role": "assistant", "content": step.said, "tool_calls": chat_calls(step)}
        for answer in step.answers:
            if isinstance(answer, Words):
                yield {"role": "user", "content": answer.text}
            else:
                yield {"role": "tool", "tool_call_id": answer.id, "content": plain_content(answer)}
