"""Messages of Bedrock's Converse API, written from what messages say. Bytes are Base64, as in its JSON."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from toolpair.dialects.anthropic_content import input_object, object_schema
from toolpair.dialects.neutral import NO_OUTPUT, Call, Found, Media, Part, Result, Say, Text, Thinking, Tool, Turn
from toolpair.dialects.openai_chat_content import texts_of

_IMAGES: Final = {
    "image/png": "png",
    "image/jpeg": "jpeg",
    "image/jpg": "jpeg",
    "image/gif": "gif",
    "image/webp": "webp",
}
_DOCUMENTS: Final = {
    "application/pdf": "pdf",
    "text/csv": "csv",
    "application/msword": "doc",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.ms-excel": "xls",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "text/html": "html",
    "text/plain": "txt",
    "text/markdown": "md",
}
_NOT_IN_NAMES: Final = re.compile(r"[^A-Za-z0-9()\[\] -]+")
_SPACES: Final = re.compile(r"\s{2,}")
_LONGEST_NAME: Final = 200
_CACHE: Final[dict[str, Any]] = {"cachePoint": {"type": "default"}}


class ConverseWriter:
    """Writes the messages of one body: document names are unique in it."""

    def __init__(self, say: Say, keeps_thinking: bool) -> None:
        self._say = say
        self._keeps_thinking = keeps_thinking
        self._names: set[str] = set()

    def messages(self, turns: Sequence[Turn]) -> list[dict[str, Any]]:
        made: list[dict[str, Any]] = []
        for turn in turns:
            content = [one for part in turn.parts for one in self._blocks(part)]
            documents = any("document" in one for one in content)
            if documents and not any("text" in one for one in content):
                self._say("document_text")
                content.append({"text": "(document)"})
            if content:
                made.append({"role": turn.role, "content": content})
        return made

    def _blocks(self, part: Part) -> list[dict[str, Any]]:
        made = self._plain(part)
        return [*made, _CACHE] if made and getattr(part, "marked", False) else made

    def _plain(self, part: Part) -> list[dict[str, Any]]:
        match part:
            case Call():
                given = input_object(part, self._say)
                return [{"toolUse": {"toolUseId": part.id, "name": part.name, "input": given}}]
            case Result():
                return [{"toolResult": self._result(part)}]
            case Thinking() if self._keeps_thinking and (part.signature or part.sealed):
                return [{"reasoningContent": _reasoning(part)}]
            case Media() if (written := self._medium(part)) is not None:
                return [written]
            case Found() if part.texts and part.source and part.title:
                return [_search_result(part)]
        return [{"text": text} for text in texts_of(_unmarked(part), self._say) if text.strip()]

    def _result(self, result: Result) -> dict[str, Any]:
        content = [one for part in result.parts for one in self._plain(part)]
        made: dict[str, Any] = {"toolUseId": result.id, "content": content or [{"text": NO_OUTPUT}]}
        if result.is_error:
            made["status"] = "error"
        return made

    def _medium(self, media: Media) -> dict[str, Any] | None:
        if media.kind == "image" and media.data and media.type in _IMAGES:
            return {"image": {"format": _IMAGES[media.type], "source": {"bytes": media.data}}}
        if media.kind != "document":
            return None
        source: dict[str, Any]
        if media.text is not None and media.text.strip():
            form, source = "txt", {"text": media.text}
        elif media.data and media.type in _DOCUMENTS:
            form, source = _DOCUMENTS[media.type], {"bytes": media.data}
        else:
            return None
        made: dict[str, Any] = {"format": form, "name": self._name(media.title), "source": source}
        if media.context:
            made["context"] = media.context
        if media.cited:
            made["citations"] = {"enabled": True}
        return {"document": made}

    def _name(self, title: str) -> str:
        clean = _SPACES.sub(" ", _NOT_IN_NAMES.sub("-", title)).strip()[: _LONGEST_NAME - 8] or "document"
        name, count = clean, 2
        while name in self._names:
            name, count = f"{clean} {count}", count + 1
        self._names.add(name)
        if name != title:
            self._say("title" if title else "document_name")
        return name


def _unmarked(part: Part) -> Part:
    return Text(part.text, part.citations) if isinstance(part, Text) and part.marked else part


def _reasoning(thinking: Thinking) -> dict[str, Any]:
    if thinking.sealed:
        return {"redactedContent": thinking.sealed}
    return {"reasoningText": {"text": thinking.text, "signature": thinking.signature}}


def _search_result(found: Found) -> dict[str, Any]:
    content = [{"text": text} for text in found.texts]
    held = {"source": found.source, "title": found.title, "content": content, "citations": {"enabled": False}}
    return {"searchResult": held}


def write_system(parts: Sequence[Part]) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    for part in parts:
        if isinstance(part, Text) and part.text.strip():
            made.append({"text": part.text})
            if part.marked:
                made.append(_CACHE)
    return made


def write_tools(tools: Sequence[Tool]) -> dict[str, Any]:
    specs = []
    for tool in tools:
        spec: dict[str, Any] = {"name": tool.name, "inputSchema": {"json": object_schema(tool)}}
        specs.append({"toolSpec": {**spec, "description": tool.description} if tool.description else spec})
    return {"tools": specs}
