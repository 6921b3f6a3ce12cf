"""What `--curl` and `--python` print, run as it stands against a server on this machine: the body arrives whole."""

from __future__ import annotations

import base64
import json
import os
import runpy
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

import toolpair
from tests.patience import PATIENCE
from tests.reports import one_of_everything as everything
from tests.reports.recorded_requests import BETAS, recording
from tests.source.faults import in_a_child

pytestmark = pytest.mark.usefixtures("sdks")
JSON = Any
MODEL = "a-model.v1"
PATHS = {
    "anthropic": "/v1/messages",
    "openai-chat": "/v1/chat/completions",
    "openai-responses": "/v1/responses",
    "gemini": f"/v1beta/models/{MODEL}:generateContent",
    "bedrock-converse": f"/model/{MODEL}/converse",
}
CLIENTS = {
    "anthropic": "anthropic",
    "openai-chat": "openai",
    "openai-responses": "openai",
    "gemini": "google.genai",
    "bedrock-converse": "boto3",
}
ANSWERS = {
    "gemini": {"candidates": [{"content": {"role": "model", "parts": [{"text": "hello"}]}}]},
    "bedrock-converse": {
        "output": {"message": {"role": "assistant", "content": [{"text": "hello"}]}},
        "stopReason": "end_turn",
        "usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2},
        "metrics": {"latencyMs": 1},
    },
}


class Server:
    """Keeps what it is sent."""

    def __init__(self, answer: JSON) -> None:
        self.got: list[tuple[str, dict[str, str], JSON]] = []
        got = self.got

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                got.append((self.path, {k.lower(): v for k, v in self.headers.items()}, json.loads(body)))
                sent = json.dumps(answer).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(sent)))
                self.end_headers()
                self.wfile.write(sent)

            def log_message(self, *_: object) -> None:
                pass

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(PATIENCE)


@pytest.fixture(params=PATHS)
def to(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def server(to: str) -> Iterator[Server]:
    made = Server(ANSWERS.get(to, {"said": "hello"}))
    yield made
    made.close()


def environment(server: Server) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if key in ("PATH", "HOME", "LD_LIBRARY_PATH")}
    return {
        **kept,
        "MODEL": MODEL,
        "ANTHROPIC_API_KEY": "a-key",
        "ANTHROPIC_BASE_URL": server.url,
        "OPENAI_API_KEY": "a-key",
        "OPENAI_BASE_URL": f"{server.url}/v1",
        "GEMINI_API_KEY": "a-key",
        "GEMINI_BASE_URL": server.url,
        "GOOGLE_GEMINI_BASE_URL": server.url,
        "BEDROCK_BASE_URL": server.url,
        "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": server.url,
        "AWS_REGION": "eu-west-1",
        "AWS_DEFAULT_REGION": "eu-west-1",
        "AWS_ACCESS_KEY_ID": "a-key",
        "AWS_SECRET_ACCESS_KEY": "a-key",
        "AWS_BEARER_TOKEN_BEDROCK": "a-key",
        "NO_PROXY": "127.0.0.1",
    }


def expected(body: JSON) -> JSON:
    return {**body, "model": MODEL} if "model" in body else body


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl here")
def test_curl_sends_the_body(to: str, server: Server, tmp_path: Path) -> None:
    exported = toolpair.export(everything.anthropic()["messages"], to=to)
    path = tmp_path / "it's a $MODEL & body.json"
    path.write_bytes(exported.json)
    ran = subprocess.run(
        ["sh", "-c", exported.curl(str(path))],
        env=environment(server),
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    ((where, headers, body),) = server.got
    assert (where, body) == (PATHS[to], expected(exported.body))
    assert headers["content-type"] == "application/json" and any("a-key" in value for value in headers.values())
    assert json.loads(ran.stdout)


def test_python_sends_the_body(to: str, server: Server, tmp_path: Path) -> None:
    pytest.importorskip(CLIENTS[to])
    if to == "bedrock-converse":
        pytest.skip("its library sends a bearer token over HTTPS only: see below")
    exported = toolpair.export(everything.anthropic()["messages"], to=to)
    body = run_python(exported, tmp_path, server)
    if to == "gemini":
        assert len(body["contents"]) == len(exported.body["contents"])
        calls = [part for content in body["contents"] for part in content["parts"] if "functionCall" in part]
        mine = [part for content in exported.body["contents"] for part in content["parts"] if "functionCall" in part]
        assert calls == mine
        assert "parameters_json_schema" in json.dumps(body["tools"]) or "parametersJsonSchema" in json.dumps(
            body["tools"]
        )
    else:
        assert body == expected(exported.body)


@pytest.mark.parametrize("to", ["bedrock-converse"], indirect=True)
def test_bedrock_s_library_sends_bytes_for_base64(to: str, server: Server, tmp_path: Path) -> None:
    pytest.importorskip(CLIENTS[to])
    exported = toolpair.export(everything.anthropic()["messages"], to=to)
    without = {key: value for key, value in environment(server).items() if key != "AWS_BEARER_TOKEN_BEDROCK"}
    body = run_python(exported, tmp_path, server, without)
    assert body == exported.body
    image = next(part for part in body["messages"][0]["content"] if "image" in part)
    assert base64.b64decode(image["image"]["source"]["bytes"]).startswith(b"\x89PNG")


def run_python(
    exported: toolpair.Exported, folder: Path, server: Server, variables: dict[str, str] | None = None
) -> JSON:
    path = folder / "it's a body.json"
    path.write_bytes(exported.json)
    program = folder / "send.py"
    program.write_text(exported.python(str(path)))
    said = folder / "said.json"

    def run() -> None:
        os.environ.clear()
        os.environ.update(variables or environment(server))
        with said.open("w") as sys.stdout:
            runpy.run_path(str(program), run_name="__main__")

    assert not in_a_child(run)  # to which the libraries are loaded already, in a second each
    assert json.loads(said.read_text())
    ((where, _, body),) = server.got
    assert where.split("?")[0] == PATHS[exported.to]
    return body


@pytest.mark.parametrize("to", ["anthropic"], indirect=True)
@pytest.mark.parametrize("how", ["curl", "python"])
def test_a_recorded_request_is_sent_with_its_betas(to: str, how: str, server: Server, tmp_path: Path) -> None:
    """A request of 32,000 tokens with a field of a beta: the library's own method would not send it."""
    session = toolpair.open("session.jsonl", data=recording().to_bytes())
    exported = toolpair.export(session, to=to, turn=2)
    if how == "python":
        pytest.importorskip("anthropic")
        body = run_python(exported, tmp_path, server)
    else:
        if shutil.which("curl") is None:
            pytest.skip("there is no curl here")
        path = tmp_path / "body.json"
        path.write_bytes(exported.json)
        subprocess.run(["sh", "-c", exported.curl(str(path))], env=environment(server), timeout=PATIENCE, check=True)
        ((_, _, body),) = server.got
    assert body == exported.body
    assert server.got[0][1]["anthropic-beta"] == ",".join(BETAS)


def test_nothing_secret_is_printed(to: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "AWS_BEARER_TOKEN_BEDROCK"):
        monkeypatch.setenv(name, "the-secret")
    exported = toolpair.export(everything.anthropic(), to=to)
    assert "the-secret" not in exported.curl("body.json") + exported.python("body.json") + exported.json.decode()
