"""Lists of messages in other forms, one of each shape: results that are blocks, parts of their calls, or items."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import orjson

from benchmarks.sessions.story import Call, Exchange, Prompt, Result, Step, Words
from benchmarks.sessions.writer import Json, Writer, plain_content


class FormWriter(Writer):
    OVERHEAD: ClassVar[int] = 420
    COPIES: ClassVar[float] = 1.06

    def records(self, step: Step) -> Iterator[Json]:
        if isinstance(step, Exchange):
            yield from self._exchange(step)
        elif isinstance(step, Prompt):
            yield self._asked(self._text(step.text))
        else:
            yield self._said([self._text(step.text)])

    def _exchange(self, step: Exchange) -> Iterator[Json]:
        said = [] if step.said is None else [self._text(step.said)]
        yield self._said([*said, *map(self._call, step.calls)])
        results = [self._result(one) for one in step.answers if isinstance(one, Result)]
        if results:
            yield self._answered(results)
        yield from (self._asked(self._text(one.text)) for one in step.answers if isinstance(one, Words))

    def _text(self, text: str) -> Any:
        raise NotImplementedError

    def _call(self, call: Call) -> Any:
        raise NotImplementedError

    def _result(self, result: Result) -> Any:
        raise NotImplementedError

    def _asked(self, text: Any) -> Json:
        raise NotImplementedError

    def _said(self, parts: list[Any]) -> Json:
        raise NotImplementedError

    def _answered(self, results: list[Any]) -> Json:
        raise NotImplementedError


class GeminiContents(FormWriter):
    IDS: ClassVar[bool] = True

    def _text(self, text: str) -> Any:
        return {"text": text}

    def _call(self, call: Call) -> Any:
        given = {"id": call.id} if self.IDS else {}
        return {"functionCall": {**given, "name": call.name, "args": call.arguments}}

    def _result(self, result: Result) -> Any:
        given = {"id": result.id} if self.IDS else {}
        key, name = ("error" if result.error else "output"), result.call.name if result.call else "Bash"
        return {"functionResponse": {**given, "name": name, "response": {key: plain_content(result)}}}

    def _asked(self, text: Any) -> Json:
        return {"role": "user", "parts": [text]}

    def _said(self, parts: list[Any]) -> Json:
        return {"role": "model", "parts": parts}

    def _answered(self, results: list[Any]) -> Json:
        return {"role": "user", "parts": results}


class GeminiWithoutIds(GeminiContents):
    IDS: ClassVar[bool] = False


class BedrockConverse(FormWriter):
    def _text(self, text: str) -> Any:
        return {"text": text}

    def _call(self, call: Call) -> Any:
        return {"toolUse": {"toolUseId": call.id, "name": call.name, "input": call.arguments}}

    def _result(self, result: Result) -> Any:
        status = "error" if result.error else "success"
        content = [{"text": plain_content(result)}]
        return {"toolResult": {"toolUseId": result.id, "content": content, "status": status}}

    def _asked(self, text: Any) -> Json:
        return {"role": "user", "content": [text]}

    def _said(self, parts: list[Any]) -> Json:
        return {"role": "assistant", "content": parts}

    def _answered(self, results: list[Any]) -> Json:
        return {"role": "user", "content": results}


class KiroCli(FormWriter):
    def _text(self, text: str) -> Any:
        return {"kind": "text", "data": text}

    def _call(self, call: Call) -> Any:
        return {"kind": "toolUse", "data": {"toolUseId": call.id, "name": call.name, "input": call.arguments}}

    def _result(self, result: Result) -> Any:
        status, content = "error" if result.error else "success", [self._text(plain_content(result))]
        return {"kind": "toolResult", "data": {"toolUseId": result.id, "content": content, "status": status}}

    def _entry(self, kind: str, content: list[Any], **more: Any) -> Json:
        return {"version": "v1", "kind": kind, "data": {"message_id": self.uuid(), "content": content, **more}}

    def _asked(self, text: Any) -> Json:
        return self._entry("Prompt", [text])

    def _said(self, parts: list[Any]) -> Json:
        return self._entry("AssistantMessage", parts)

    def _answered(self, results: list[Any]) -> Json:
        return self._entry("ToolResults", results, results={one["data"]["toolUseId"]: {"tool": 1} for one in results})


class PydanticAI(FormWriter):
    def _text(self, text: str) -> Any:
        return {"content": text, "part_kind": "text"}

    def _call(self, call: Call) -> Any:
        given = orjson.dumps(call.arguments).decode()
        return {"tool_name": call.name, "args": given, "tool_call_id": call.id, "part_kind": "tool-call"}

    def _result(self, result: Result) -> Any:
        kept = {"tool_name": result.call.name if result.call else "Bash", "part_kind": "tool-return"}
        more = {"content": plain_content(result), "metadata": None, "timestamp": self.time()}
        return {**kept, **more, "tool_call_id": result.id}

    def _asked(self, text: Any) -> Json:
        part = {"content": text["content"], "timestamp": self.time(), "part_kind": "user-prompt"}
        return {"parts": [part], "instructions": None, "kind": "request"}

    def _said(self, parts: list[Any]) -> Json:
        return {"parts": parts, "model_name": "gpt-5", "timestamp": self.time(), "kind": "response"}

    def _answered(self, results: list[Any]) -> Json:
        return {"parts": results, "instructions": None, "kind": "request"}


class AISDKUI(FormWriter):
    """Results are parts of their calls: one that is missing leaves its call without output."""

    def _text(self, text: str) -> Any:
        return {"type": "text", "text": text}

    def _message(self, role: str, parts: list[Any]) -> Json:
        return {"id": self.hex(16), "role": role, "parts": parts}

    def _asked(self, text: Any) -> Json:
        return self._message("user", [text])

    def _said(self, parts: list[Any]) -> Json:
        return self._message("assistant", [{"type": "step-start"}, *parts])

    def _exchange(self, step: Exchange) -> Iterator[Json]:
        answers = {one.id: one for one in step.answers if isinstance(one, Result)}
        parts = [] if step.said is None else [self._text(step.said)]
        for call in step.calls:
            part: Json = {"type": f"tool-{call.name}", "toolCallId": call.id, "state": "input-available"}
            part |= {"input": call.arguments}
            if (found := answers.get(call.id)) is not None:
                key, state = ("errorText", "output-error") if found.error else ("output", "output-available")
                part |= {"state": state, key: plain_content(found)}
            parts.append(part)
        yield self._said(parts)


class LiveKit(FormWriter):
    def _item(self, kind: str, **more: Any) -> Json:
        return {"id": f"item_{self.hex(12)}", "type": kind, **more}

    def records(self, step: Step) -> Iterator[Json]:
        if not isinstance(step, Exchange):
            yield self._words("user" if isinstance(step, Prompt) else "assistant", step.text)
            return
        if step.said is not None:
            yield self._words("assistant", step.said)
        for call in step.calls:
            given = orjson.dumps(call.arguments).decode()
            yield self._item("function_call", call_id=call.id, name=call.name, arguments=given)
        for one in step.answers:
            if isinstance(one, Words):
                yield self._words("user", one.text)
            else:
                more = {"name": one.call.name if one.call else "Bash", "is_error": one.error}
                yield self._item("function_call_output", call_id=one.id, output=plain_content(one), **more)

    def _words(self, role: str, text: str) -> Json:
        return self._item("message", role=role, content=[text], interrupted=False)
