"""Run by the Python that has OpenHands' SDK, in a network of its own: what it sends of each conversation in a folder.

`openhands_inside.py ROOT`: for each folder of ROOT with conversations a line of JSON, its name and the messages, or why
there are none. Knows nothing of toolpair's dependencies.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from toolpair.proof.isolation import loopback_up

sent: list[Any] = []


class Api(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        sent.append(json.loads(self.rfile.read(int(self.headers["content-length"])))["messages"])
        choice = {"index": 0, "message": {"role": "assistant", "content": "done"}, "finish_reason": "stop"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        said = {"id": "r-new", "object": "chat.completion", "created": 1, "model": "mock", "choices": [choice]}
        body = json.dumps({**said, "usage": usage}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None: ...


def resumed(folder: Path, port: int) -> dict[str, Any]:
    from openhands.sdk import LLM, Agent, Conversation

    (made,) = (path for path in (folder / "conversations").iterdir() if (path / "base_state.json").is_file())
    llm = LLM(model="openai/mock", api_key="x", base_url=f"http://127.0.0.1:{port}/v1", num_retries=0)
    sent.clear()
    try:
        conversation = Conversation(
            agent=Agent(llm=llm, tools=[]),
            workspace=str(folder),
            persistence_dir=str(folder / "conversations"),
            conversation_id=uuid.UUID(made.name),
            visualizer=None,
        )
        conversation.send_message("go on")
        conversation.run()
    except Exception as failed:
        return {"messages": None, "note": f"{type(failed).__name__}: {failed}"}
    return {"messages": sent[0] if sent else None, "note": ""}


def main(root: Path) -> None:
    loopback_up()
    os.environ |= {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "OPENHANDS_SUPPRESS_BANNER": "1", "HOME": str(root)}
    server = ThreadingHTTPServer(("127.0.0.1", 0), Api)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    out, sys.stdout = sys.stdout, sys.stderr
    for folder in sorted(path for path in root.iterdir() if (path / "conversations").is_dir()):
        print(json.dumps({"name": folder.name, **resumed(folder, server.server_port)}), file=out, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
