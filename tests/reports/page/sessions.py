"""Sessions made for the tests: one of everything that a report shows, and ones that try to break out of it."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any, Final

PNG: Final = base64.b64encode(
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89"
    b"\0\0\0\rIDATx\x9cc\xf8\xcf\xc0\xf0\x1f\0\x05\0\x01\xff\xa6\xd1\xe2\xd4\0\0\0\0IEND\xaeB`\x82"
).decode()
LONG: Final = "\n".join(f"tests/test_cart.py::test_total_{number} PASSED" for number in range(900))


def call(id_: str, name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": id_, "name": name, "input": arguments}


def result(id_: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id_, "content": content, **more}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def assistant(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def user(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def one_of_everything() -> list[dict[str, Any]]:
    """A short session with commands, edits, a list, an image, thinking, a long output, and broken pairs."""
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}
    return [
        user(text("The total of the cart is wrong when a coupon is used.\nPlease find out why, and fix it.")),
        assistant(
            {"type": "thinking", "thinking": "The coupon is probably applied after rounding.", "signature": "c2ln"},
            text("I will look at the cart and run its tests."),
            call("toolu_01", "Read", file_path="src/shop/cart.py"),
            call("toolu_02", "Bash", command="pytest -q tests/test_cart.py | tail -40", description="Run the tests"),
            call(
                "toolu_03",
                "TodoWrite",
                todos=[
                    {"content": "Find where the coupon is applied", "status": "completed"},
                    {"content": "Round at the end", "status": "in_progress"},
                    {"content": "Run the tests", "status": "pending"},
                ],
            ),
        ),
        user(
            result("toolu_01", "     1\tdef total(items, coupon=None):\n     2\t    return round(sum(items), 2)\n"),
            result("toolu_02", f"Exit code 1\n\x1b[31m{LONG}\x1b[0m", is_error=True),
            result("toolu_03", "Todos have been modified successfully."),
        ),
        assistant(
            call(
                "toolu_04",
                "Edit",
                file_path="src/shop/cart.py",
                old_string="    return round(sum(items), 2)\n",
                new_string="    net = sum(items)\n    return round(net * (1 - (coupon or 0)), 2)\n",
            ),
        ),
        user(result("toolu_04", "The file src/shop/cart.py has been updated.")),
        assistant(call("functions_screenshot_5", "mcp__browser__screenshot", url="http://localhost:8000/cart")),
        user(result("functions.screenshot:5", [text("The cart page"), image])),
        assistant(call("toolu_06", "query", sql="select 1", limits={"rows": 10, "factor": 1.50, "tags": ["a", "b"]})),
        user(result("toolu_06", '{"rows":[{"id":1,"total":12.30}],"more":false}')),
        assistant(text("Now I run all tests again."), call("toolu_07", "Bash", command="pytest -q")),
        user(text("and?")),
    ]


# What nothing of may run, load, lead away, or be read as markup.
HOSTILE: Final = (
    "<script>document.title='owned'</script>",
    "</pre></details></main><img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "<meta http-equiv=refresh content='0;url=http://127.0.0.1:PORT/refresh'>",
    "<link rel=stylesheet href='http://127.0.0.1:PORT/style'><style>*{display:none}</style>",
    "<iframe src='http://127.0.0.1:PORT/frame'></iframe><object data='http://127.0.0.1:PORT/object'></object>",
    "<img src='http://127.0.0.1:PORT/image'><form action='http://127.0.0.1:PORT/form'><input autofocus></form>",
    "<base href='http://127.0.0.1:PORT/'><a href='javascript:alert(1)'>x</a>",
    "--><b>out of the comment</b><!--",
    "]]> <![CDATA[ <textarea><title></title></textarea> </style></script>",
    "&lt;b&gt; &amp;amp; &#x3c;script&#x3e;",
    "![picture](http://127.0.0.1:PORT/markdown) [link](http://127.0.0.1:PORT/link) <http://127.0.0.1:PORT/auto>",
    "```\n# out of the fence\n@octocat fixes #1 and owner/name#2, 0123456789abcdef0123456789abcdef01234567\n```",
    "````\n~~~~\n</details>\n<details open>\n$$x$$ | a | b |\n|---|---|",
    "\0 \x1b[31mred\x1b[0m \x1b]8;;http://x\x07link\x1b]8;;\x07 \x9b31m \u202egnp.exe \u2066x\u2069 \ud800 \udfff \ufeff\ufdd0\U0001ffff",
    "e" + "\u0301" * 50 + " \t\r\n\f\v \u2028 \u2029 \x7f \x85",
)


def hostile(port: int = 9) -> list[dict[str, Any]]:
    """The same words in every place that a session has."""
    messages: list[dict[str, Any]] = []
    for number, words in enumerate(HOSTILE):
        words = words.replace("PORT", str(port))
        id_ = f"call_{number} {words}"
        messages += [
            user(text(words)),
            assistant(
                text(words),
                {"type": "thinking", "thinking": words, "signature": words},
                call(id_, f"Bash {words}", command=words, **{words: {words: [words]}}),
                call(f"{id_}w", "Write", file_path=words, content=words),
                call(f"{id_}e", "Edit", file_path=words, old_string=f"a {words} b", new_string=f"a {words}{words} c"),
                call(f"{id_}t", "TodoWrite", todos=[{"content": words, "status": "pending"}]),
                call(f"{id_}m", f"mcp__{words}__{words}", x=words),
                call(f"{id_}!", words, q=words),
            ),
            user(
                result(f"{id_}?", words, is_error=True),
                result(f"{id_}w", [text(words), {"type": "image", "source": {"type": "url", "url": words}}]),
                result(f"{id_}e", json.dumps({words: [words]})),
                {"type": words, "words": words},
            ),
        ]
    return messages


def written(folder: Path, messages: object, name: str = "session.json") -> Path:
    path = folder / name
    path.write_bytes(json.dumps(messages).encode())
    return path
