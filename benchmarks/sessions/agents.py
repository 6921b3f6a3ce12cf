"""Sessions of agents that keep lines or one document, each as its agent writes it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import orjson

from benchmarks.sessions.story import Call, Exchange, Prompt, Result, Step, Words
from benchmarks.sessions.writer import Json, Writer, chat_calls, plain_content

_MODEL = "mock-model"


class AgentWriter(Writer):
    """The steps as what is asked, said with its calls, and answered, one record or more each."""

    OVERHEAD: ClassVar[int] = 900
    COPIES: ClassVar[float] = 1.06

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._last: str | None = None

    def records(self, step: Step) -> Iterator[Json]:
        if not isinstance(step, Exchange):
            yield from self._asked(step.text) if isinstance(step, Prompt) else self._said(step.text, None)
            return
        yield from self._said(step.said or "", step)
        for answer in step.answers:
            yield from self._asked(answer.text) if isinstance(answer, Words) else self._answered(answer)

    def _linked(self, name: str, parent: str, id_: str) -> Json:
        """The id of a record, and of the one before it."""
        before, self._last = self._last, id_
        return {name: id_, parent: before}

    def _asked(self, text: str) -> Iterator[Json]:
        raise NotImplementedError

    def _said(self, text: str, step: Exchange | None) -> Iterator[Json]:
        raise NotImplementedError

    def _answered(self, result: Result) -> Iterator[Json]:
        raise NotImplementedError


def _calls(step: Exchange | None) -> tuple[Call, ...]:
    return step.calls if step is not None else ()


def _text(text: str) -> list[Json]:
    return [{"type": "text", "text": text}] if text else []


class Pi(AgentWriter):
    CHANGE: ClassVar[Json] = {"provider": "mock", "modelId": _MODEL}

    def begin(self) -> Iterator[Json]:
        yield {"type": "session", "version": 3, "id": self.uuid(), "timestamp": self.time(), "cwd": "/home/dev/shop"}
        yield self._record("model_change", **self.CHANGE)

    def _record(self, kind: str, **fields: Any) -> Json:
        return {"type": kind, **self._linked("id", "parentId", self.hex(8)), "timestamp": self.time(), **fields}

    def _message(self, role: str, content: list[Json], **fields: Any) -> Iterator[Json]:
        message = {"role": role, "content": content, **fields, "timestamp": self.epoch}
        yield self._record("message", message=message)

    def _asked(self, text: str) -> Iterator[Json]:
        return self._message("user", _text(text))

    def _said(self, text: str, step: Exchange | None) -> Iterator[Json]:
        calls = [
            {"type": "toolCall", "id": call.id, "name": call.name, "arguments": call.arguments} for call in _calls(step)
        ]
        usage = {"input": 9, "output": 5, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 14, "cost": {"total": 0}}
        of = {"api": "anthropic-messages", "provider": "mock", "model": _MODEL, "usage": usage}
        return self._message("assistant", [*_text(text), *calls], **of, stopReason="toolUse" if calls else "stop")

    def _answered(self, result: Result) -> Iterator[Json]:
        name = result.call.name if result.call else "bash"
        said = _text(plain_content(result))
        return self._message("toolResult", said, toolCallId=result.id, toolName=name, isError=result.error)


class OhMyPi(Pi):
    CHANGE: ClassVar[Json] = {"model": f"mock/{_MODEL}"}

    def begin(self) -> Iterator[Json]:
        yield {"type": "title", "v": 1, "title": "", "updatedAt": self.time(), "pad": " " * 172}
        yield from super().begin()


class QwenCode(AgentWriter):
    def _record(self, kind: str, parts: list[Json], **fields: Any) -> Iterator[Json]:
        of = {"sessionId": "01a1fd11-0000-4000-8000-000000000001", "timestamp": self.time(), "type": kind}
        links = self._linked("uuid", "parentUuid", self.uuid())
        role = "model" if kind == "assistant" else "user"
        about = {"cwd": "/home/dev/shop", "version": "0.24.4"}
        yield {**links, **of, **about, **fields, "message": {"role": role, "parts": parts}}

    def _asked(self, text: str) -> Iterator[Json]:
        return self._record("user", [{"text": text}])

    def _said(self, text: str, step: Exchange | None) -> Iterator[Json]:
        calls = [{"functionCall": {"id": one.id, "name": one.name, "args": one.arguments}} for one in _calls(step)]
        return self._record("assistant", [*([{"text": text}] if text else []), *calls], model=_MODEL)

    def _answered(self, result: Result) -> Iterator[Json]:
        note = {"callId": result.id, "status": "success", "resultDisplay": ""}
        return self._record("tool_result", [_response(result)], toolCallResult=note)


def _response(result: Result) -> Json:
    name = result.call.name if result.call else "Bash"
    return {"functionResponse": {"id": result.id, "name": name, "response": {"output": plain_content(result)}}}


class GeminiCli(AgentWriter):
    """A response is written without its calls first, and again with them and their results."""

    def begin(self) -> Iterator[Json]:
        time = self.time()
        times = {"startTime": time, "lastUpdated": time}
        yield {"sessionId": self.uuid(), "projectHash": self.hex(64), **times, "kind": "main"}

    def _message(self, kind: str, content: Any, **fields: Any) -> Json:
        return {"id": self.uuid(), "timestamp": self.time(), "type": kind, "content": content, **fields}

    def _asked(self, text: str) -> Iterator[Json]:
        yield self._message("user", [{"text": text}])

    def _said(self, text: str, step: Exchange | None) -> Iterator[Json]:
        said = self._message("gemini", text, thoughts=[], tokens={"input": 9, "output": 5}, model="gemini-2.5-pro")
        yield said
        yield {"$set": {"lastUpdated": said["timestamp"]}}
        calls = [self._call(call, step) for call in _calls(step) if step is not None]
        if calls:
            yield {**said, "toolCalls": calls}

    def _call(self, call: Call, step: Exchange) -> Json:
        results = [_response(one) for one in step.answers if isinstance(one, Result) and one.call is call]
        made = {"id": call.id, "name": call.name, "args": call.arguments, "status": "success", "timestamp": self.time()}
        return {**made, **({"result": results} if results else {})}

    def _answered(self, result: Result) -> Iterator[Json]:
        return iter(())


class CopilotCli(AgentWriter):
    def begin(self) -> Iterator[Json]:
        of = {"sessionId": self.uuid(), "version": 1, "producer": "copilot-agent", "copilotVersion": "1.0.102"}
        started = {"startTime": self.time(), "selectedModel": _MODEL, "context": {"cwd": "/home/dev/shop"}}
        yield self._event("session.start", **of, **started, alreadyInUse=False)

    def _event(self, kind: str, /, **data: Any) -> Json:
        links = self._linked("id", "parentId", self.uuid())
        return {"type": kind, "data": data, "id": links["id"], "timestamp": self.time(), "parentId": links["parentId"]}

    def _asked(self, text: str) -> Iterator[Json]:
        sent = f"<current_datetime>{self.time()}</current_datetime>\n\n{text}"
        yield self._event("user.message", content=text, transformedContent=sent, interactionId=self.uuid())

    def _said(self, text: str, step: Exchange | None) -> Iterator[Json]:
        calls = _calls(step)
        asked = [
            {"toolCallId": call.id, "name": call.name, "arguments": call.arguments, "type": "function"}
            for call in calls
        ]
        yield self._event("assistant.turn_start", turnId="0", interactionId=self.uuid())
        of = {"messageId": self.uuid(), "model": _MODEL, "turnId": "0", "apiCallId": self.hex(12)}
        yield self._event("assistant.message", **of, content=text, toolRequests=asked)
        for call in calls:
            given = {"toolName": call.name, "arguments": call.arguments, "turnId": "0"}
            yield self._event("tool.execution_start", toolCallId=call.id, **given)
        if not calls:
            yield self._event("assistant.turn_end", turnId="0")

    def _answered(self, result: Result) -> Iterator[Json]:
        said = {"content": plain_content(result), "detailedContent": "for the screen"}
        of = {"toolCallId": result.id, "model": _MODEL, "turnId": "0"}
        yield self._event("tool.execution_complete", **of, success=True, result=said)


class KimiCli(AgentWriter):
    def begin(self) -> Iterator[Json]:
        yield {"role": "_system_prompt", "content": "You are Kimi."}

    def _asked(self, text: str) -> Iterator[Json]:
        yield {"role": "user", "content": text}

    def _said(self, text: str, step: Exchange | None) -> Iterator[Json]:
        thought = {"type": "think", "think": "I should look.", "encrypted": None}
        calls = {"tool_calls": chat_calls(step)} if step is not None else {}
        yield {"role": "assistant", "content": [thought, *_text(text)], **calls}
        yield {"role": "_usage", "token_count": 1000}

    def _answered(self, result: Result) -> Iterator[Json]:
        parts = _text("<system>Command executed successfully.</system>") + _text(plain_content(result))
        yield {"role": "tool", "content": parts, "tool_call_id": result.id}


class KimiCode(AgentWriter):
    """A step of the response is an event at its begin and its end, each call and each result."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._steps = 0

    def begin(self) -> Iterator[Json]:
        self.time()
        yield {"type": "metadata", "protocol_version": "1.5", "created_at": self.epoch}
        prompt = {"systemPrompt": "You are Kimi Code CLI.", "thinkingEffort": "on", "disallowedTools": []}
        yield self._record("profile.bind", modelAlias="kimi-k2", profileName="agent", **prompt)

    def _record(self, kind: str, **fields: Any) -> Json:
        self.time()
        return {"type": kind, "agentId": "main", **fields, "time": self.epoch}

    def _event(self, kind: str, **fields: Any) -> Json:
        return self._record("context.append_loop_event", event={"type": kind, **fields})

    def _asked(self, text: str) -> Iterator[Json]:
        origin = {"kind": "user"}
        yield self._record("turn.prompt", input=_text(text), origin=origin)
        message = {"role": "user", "content": _text(text), "toolCalls": [], "id": f"msg_{self.hex(8)}"}
        yield self._record("context.append_message", message={**message, "origin": origin})

    def records(self, step: Step) -> Iterator[Json]:
        if isinstance(step, Prompt):
            yield from self._asked(step.text)
            return
        self._steps += 1
        id_, calls = self.uuid(), _calls(step if isinstance(step, Exchange) else None)
        of = {"turnId": "0", "step": self._steps}
        yield self._event("step.begin", uuid=id_, **of)
        if text := step.said if isinstance(step, Exchange) else step.text:
            yield self._event("content.part", uuid=self.uuid(), stepUuid=id_, part=_text(text)[0])
        for call in calls:
            named = {"toolCallId": call.id, "name": call.name, "args": call.arguments}
            yield self._event("tool.call", uuid=call.id, **of, stepUuid=id_, **named)
        later: list[str] = []
        for answer in step.answers if isinstance(step, Exchange) else ():
            if isinstance(answer, Words):
                later.append(answer.text)
            else:
                said = {"output": plain_content(answer), **({"isError": True} if answer.error else {})}
                yield self._event("tool.result", parentUuid=answer.id, toolCallId=answer.id, result=said)
        yield self._event("step.end", uuid=id_, **of, finishReason="tool_use" if calls else "end_turn")
        for text in later:
            yield from self._asked(text)


class ClineCli(AgentWriter):
    def _message(self, role: str, content: list[Json], **fields: Any) -> Iterator[Json]:
        self.time()
        yield {"id": f"msg_{self.hex(8)}", "role": role, "content": content, "ts": self.epoch, **fields}

    def _asked(self, text: str) -> Iterator[Json]:
        return self._message("user", _text(f'<user_input mode="act">{text}</user_input>'))

    def _said(self, text: str, step: Exchange | None) -> Iterator[Json]:
        calls = [
            {"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments} for call in _calls(step)
        ]
        of = {"modelInfo": {"id": _MODEL, "provider": "openai-compatible"}}
        return self._message("assistant", [*_text(text), *calls], **of)

    def _answered(self, result: Result) -> Iterator[Json]:
        said = {"query": "run", "result": plain_content(result), "success": not result.error}
        name = result.call.name if result.call else "run_commands"
        made = {"type": "tool_result", "tool_use_id": result.id, "name": name, "content": [said]}
        return self._message("user", [{**made, **({"is_error": True} if result.error else {})}])


class ContinueDev(Writer):
    """Each entry holds a message, and beside a response the states of its calls."""

    OVERHEAD: ClassVar[int] = 900
    COPIES: ClassVar[float] = 1.06

    def records(self, step: Step) -> Iterator[Json]:
        if isinstance(step, Prompt):
            yield {"message": {"role": "user", "content": step.text}, "contextItems": [], "editorState": step.text}
        elif not isinstance(step, Exchange):
            yield {"message": {"role": "assistant", "content": step.text}, "contextItems": []}
        else:
            calls = chat_calls(step)
            done = {one.id: one for one in step.answers if isinstance(one, Result)}
            states = [_state(call, done[call["id"]]) for call in calls if call["id"] in done]
            message = {"role": "assistant", "content": step.said or "", "toolCalls": calls}
            yield {"message": message, "contextItems": [], **({"toolCallStates": states} if states else {})}


def _state(call: Json, result: Result) -> Json:
    output = [{"content": plain_content(result), "name": "Tool Result", "description": "Tool execution result"}]
    given = orjson.loads(call["function"]["arguments"])
    return {"toolCallId": call["id"], "toolCall": call, "status": "done", "parsedArgs": given, "output": output}


AGENTS: dict[str, type[Writer]] = {
    "pi": Pi,
    "oh-my-pi": OhMyPi,
    "qwen-code": QwenCode,
    "gemini-cli": GeminiCli,
    "copilot-cli": CopilotCli,
    "kimi-cli": KimiCli,
    "kimi-code": KimiCode,
    "cline-cli": ClineCli,
    "continue": ContinueDev,
}
