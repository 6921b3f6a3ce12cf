"""HTTP archives of browsers and proxies, and mitmproxy's flows as JSON. Of headers only the encoding is read."""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Iterator
from typing import Any, Final

from toolpair.reports.first_break.answers import answer_in, parsed
from toolpair.reports.first_break.bodies import body_in
from toolpair.reports.first_break.logs.bodies import TIMES
from toolpair.reports.first_break.logs.kind import kind
from toolpair.reports.first_break.request import Answer, Found, Unread
from toolpair.reports.first_break.times import first_time

_LONGEST: Final = 1 << 28
"""Bytes that are unpacked of one body."""
_TIMES: Final = ("startedDateTime", "timestamp_start", *TIMES)
_MAGIC: Final = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\x78\x01", b"\x78\x9c", b"\x78\xda")


def _fits(record: Any) -> bool:
    request = record.get("request") if isinstance(record, dict) else None
    if not isinstance(request, dict) or "method" not in request:
        return False
    return any(key in request for key in ("url", "path", "pretty_url", "host"))


def _entries(record: Any) -> Iterator[dict[str, Any]]:
    log = record.get("log") if isinstance(record, dict) else None
    entries = log.get("entries") if isinstance(log, dict) else None
    for entry in entries if isinstance(entries, list) else (record,):
        if _fits(entry):
            yield entry


def _fits_whole(record: Any) -> bool:
    return next(_entries(record), None) is not None


def _requests(record: Any) -> Iterator[Found]:
    for entry in _entries(record):
        request = entry["request"]
        posted = request.get("postData")
        text, packed = _text(posted if isinstance(posted, dict) else request, request)
        body = body_in(text)
        unread: Unread | None = None
        if body is None:
            if not packed:
                continue  # an ordinary request of a page
            unread = "compressed"
        time = first_time(entry, _TIMES) or first_time(request, _TIMES)
        yield Found(body, unread, time, _answer(entry.get("response")))


def _answer(response: Any) -> Answer | None:
    if not isinstance(response, dict):
        return None
    content = response.get("content")
    text, _ = _text(content if isinstance(content, dict) else response, response)
    return answer_in({"status": response.get("status", response.get("status_code")), "response_body": text})


def _text(holder: dict[str, Any], message: dict[str, Any]) -> tuple[str | None, bool]:
    """The text of a body, and whether it is there but cannot be unpacked."""
    text = next((holder[key] for key in ("text", "content", "body") if isinstance(holder.get(key), str)), None)
    if not text:
        return None, False
    if holder.get("encoding") != "base64" and (parsed(text) is not None or not _is_packed(message)):
        return text, False
    raw = _unpacked(_bytes(text, holder.get("encoding") == "base64"))
    return (raw.decode("utf-8", "replace"), False) if raw is not None else (None, True)


def _bytes(text: str, encoded: bool) -> bytes:
    if not encoded:
        try:
            return text.encode("latin-1")  # each character stands for one byte
        except UnicodeEncodeError:
            encoded = True
    try:
        return base64.b64decode(text, validate=False)
    except (binascii.Error, ValueError):
        return b""


def _is_packed(message: dict[str, Any]) -> bool:
    headers = message.get("headers")
    if isinstance(headers, dict):
        return any(str(name).lower() == "content-encoding" for name in headers)
    for header in headers if isinstance(headers, list) else ():
        name: Any = header.get("name") if isinstance(header, dict) else header
        if isinstance(name, list) and name:
            name = name[0]
        if isinstance(name, str) and name.lower() == "content-encoding":
            return True
    return False


def _unpacked(raw: bytes) -> bytes | None:
    """The bytes without gzip, deflate or Zstandard; None where they are packed otherwise, or damaged."""
    try:
        if raw.startswith(_MAGIC[1]):
            import zstandard

            return zstandard.ZstdDecompressor().decompressobj().decompress(raw)[:_LONGEST]
        if raw.startswith(_MAGIC):
            return zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(raw, _LONGEST)
    except Exception:  # zstandard's own errors have no common base
        return None
    return raw if raw.lstrip()[:1] in (b"{", b"[") else None


KIND: Final = kind("har", "an HTTP archive", _fits_whole, _requests)
