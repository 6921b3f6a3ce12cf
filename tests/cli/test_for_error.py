"""`fix --for-error`: what a pasted error asks for is done, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import toolpair
from tests.cli.conftest import Run
from tests.test_named_places import CHAT

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAIAAAACUFjqAAAADUlEQVR4nGNgGAWkAwABNgABVtF/yAAAAABJRU5ErkJggg=="
IMAGES = [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}] * 3
TURN = {"role": "user", "content": "go on"}


def test_an_error_makes_a_warning_acute_and_is_answered_alone(tmp_path: Path, run: Run) -> None:
    path, error, other = tmp_path / "chat.json", tmp_path / "out.json", tmp_path / "other.json"
    path.write_text(json.dumps(CHAT, indent=1))
    text = "invalid params, invalid function arguments json string, tool_call_id: call_b (2013)"
    target = toolpair.open(path).find(text)
    assert target is not None and target.problem is not None
    assert (target.problem.rule, target.problem.severity) == ("args.unparseable", "error")
    assert target.problem.recommended is not None
    ran = run("explain", "-", path, stdin=text.encode())
    assert ran.code == 0 and f"fix {path} --for-error" in ran.out and "call     run  call_b" in ran.out
    assert json.loads(path.read_bytes()) == CHAT
    ran = run("fix", path, "--for-error", "-", "-o", error, stdin=text.encode())
    assert ran.code == 0, ran.err
    after = json.loads(error.read_bytes())
    mended = after[2]["tool_calls"][1]["function"].pop("arguments")
    assert isinstance(json.loads(mended), dict) and len(after) == len(CHAT)
    assert [message for n, message in enumerate(after) if n != 2] == [m for n, m in enumerate(CHAT) if n != 2]
    for unknown in (text.replace("call_b", "call_z"), "the dog ate it", "Error: messages[2] is invalid"):
        ran = run("fix", path, "--for-error", unknown, "-o", other)
        assert ran.code == 2 and not other.exists(), unknown
    assert "--choose args.unparseable=arguments-json" in ran.err
    long = run("fix", path, "--for-error", "prompt is too long: 210000 tokens > 200000 maximum", "-o", other)
    assert long.code == 2 and long.err.count(f"cut {path} --before messages.N") == 1
    parser = "Expecting property name enclosed in double quotes: line 1 column 21 (char 20)"
    for way in ((unknown, "--choose", "args.unparseable=arguments-json"), (parser,)):
        ran = run("fix", path, "--for-error", *way, "-o", other)
        assert ran.code == 0 and other.read_bytes() == error.read_bytes(), way
        other.unlink()
    assert run("explain", parser, path).code == 0


def test_two_errors_in_one_paste_are_both_answered(tmp_path: Path, run: Run) -> None:
    lost = [message for message in CHAT if message.get("tool_call_id") != "call_a"]
    path, out = tmp_path / "chat.json", tmp_path / "out.json"
    path.write_text(json.dumps(lost))
    text = (
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The "
        "following tool_call_ids did not have response messages: call_a\n\n"
        "invalid params, invalid function arguments json string, tool_call_id: call_b (2013)"
    )
    assert [target.recognised and target.recognised.ids for target in toolpair.open(path).find_all(text)] == [
        ("call_a",),
        ("call_b",),
    ]
    target = toolpair.open(path).find(text)
    assert target is not None and target.problem is not None and target.problem.rule == "args.unparseable"
    assert [problem.rule for problem in target.offers] == ["result.missing"]
    ran = run("explain", text, path)
    assert ran.code == 0 and ran.out.count("What to do: ") == 2
    assert ran.out.index("error result.missing") < ran.out.index("MiniMax") < ran.out.index("error args.unparseable")
    ran = run("fix", path, "--for-error", text, "-o", out)
    assert ran.code == 0, ran.err
    after = json.loads(out.read_bytes())
    assert [message.get("tool_call_id") for message in after] == [None, None, None, "call_a", "call_b", None]
    assert isinstance(json.loads(after[2]["tool_calls"][1]["function"]["arguments"]), dict)
    ran = run("fix", path, "--for-error", text.replace("call_a", "call_z"), "-o", out, "--force")
    assert ran.code == 1 and "The id call_z is not in this file." in ran.err, "one of the two was answered"
    ran = run("fix", out, "--for-error", text.replace("call_a", "call_z"), "--diff")
    assert ran.code == 2 and not ran.out, "now none is"


def test_each_error_of_a_paste_has_its_own_place_and_its_own_provider(tmp_path: Path, run: Run) -> None:
    path, out = tmp_path / "chat.json", tmp_path / "out.json"
    messages = [dict(message) for message in CHAT]
    messages[0] = {"role": "user", "content": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]}
    messages[5] = {"role": "assistant", "content": "half \ud83d"}
    path.write_text(json.dumps(messages))
    text = (
        "'messages.0' : for 'role:user' one must be satisfied[('messages.0.content' : value must be a string)]\n\n"
        "invalid params, invalid function arguments json string, tool_call_id: call_b (2013)\n\n"
        "unexpected end of hex escape at line 1 column 99"
    )
    assert [
        (one.found.is_placed, one.problem and one.problem.message) for one in toolpair.open(path).find_all(text)
    ] == [
        *((True, 0), (True, 2), (False, 5)),
    ]
    ran = run("fix", path, "--for-error", text, "-o", out)
    after = json.loads(out.read_bytes())
    assert ran.code == 0 and after[0]["content"] == "one\n\ntwo" and after[5]["content"] == "half \ufffd", ran.err
    assert isinstance(json.loads(after[2]["tool_calls"][1]["function"]["arguments"]), dict)


def test_an_error_without_a_place_means_all_that_break_its_rule_and_nothing_else(tmp_path: Path, run: Run) -> None:
    path, out = tmp_path / "list.json", tmp_path / "out.json"
    blank = {"type": "text", "text": ""}
    call = {"type": "tool_use", "id": "toolu_1", "name": "run", "input": {}}
    words = [{"type": "text", "text": "look"}]
    turns = [[*words, blank], [*words, blank, call], words, words]
    messages = [{"role": ("user", "assistant")[n % 2], "content": turn} for n, turn in enumerate(turns)]
    path.write_text(json.dumps([*messages, {"role": "user", "content": "go on"}]))
    ran = run("fix", path, "--for-error", "400 messages: text content blocks must be non-empty", "-o", out)
    assert ran.code == 1 and "1 error is left for you" in ran.err and "result.missing" in ran.err
    after = json.loads(out.read_bytes())
    assert [message["content"] for message in after[:4]] == [words, [*words, call], words, words]
    contents = [{"role": "user", "parts": [{"text": ""}, {"text": "look"}]}, {"role": "model", "parts": []}]
    path.write_text(json.dumps([*contents, {"role": "user", "parts": [{"text": "go on"}]}]))
    says = (
        "Unable to submit request because it has an empty text parameter. Add a value to the parameter and try again."
    )
    ran = run(
        "fix", path, "--for-error", says, "-o", out, "--force", "--profile", "gemini", "--format", "gemini-contents"
    )
    after = json.loads(out.read_bytes())
    assert ran.code == 0 and [one["parts"] for one in after] == [[{"text": "look"}], [{"text": "go on"}]], ran.err
    ran = run(
        "fix", path, "--for-error", "messages.0.content.0.tool_use.id: String should match pattern '^[a-z]+$'", "--diff"
    )
    assert ran.code == 2 and "This error is not known. It points here: messages.0.content.0" in ran.err
    for wrong in (("--select", "result"), ("--recipe", "keep"), (path,)):
        assert run("fix", path, "--for-error", "text content is empty", "--diff", *wrong).code == 2


def test_what_is_wrong_at_a_place_in_another_way_is_left(tmp_path: Path, run: Run) -> None:
    path, out = tmp_path / "chat.json", tmp_path / "out.json"
    unnamed = [dict(message) for message in CHAT]
    unnamed[2] = {**CHAT[2], "tool_calls": CHAT[2]["tool_calls"][:1]}
    del unnamed[4], unnamed[3]["tool_call_id"]
    path.write_text(json.dumps(unnamed))
    extra = "messages.[3]: property 'reasoning' is unsupported, did you mean 'role'?"
    ran = run("fix", path, "--for-error", f"'messages.3' : for 'role:tool' {extra}", "-o", out)
    assert ran.code == 2 and not out.exists()
    missing = "Failed to deserialize the JSON body into the target type: messages[3]: missing field `tool_call_id`"
    ran = run("fix", path, "--for-error", missing, "-o", out)
    assert ran.code == 0 and json.loads(out.read_bytes())[3]["tool_call_id"] == "call_a"


def test_words_that_are_not_known_lose_nothing_without_a_place(tmp_path: Path, run: Run) -> None:
    path, out = tmp_path / "th.json", tmp_path / "out.json"
    thinking = {"type": "thinking", "thinking": "hm", "signature": "c2lnbmVk" * 8}
    words = {"type": "text", "text": "well"}
    path.write_text(
        json.dumps(
            [
                {"role": "user", "content": "look"},
                {"role": "assistant", "content": [thinking, words]},
                {"role": "user", "content": [words, *IMAGES]},
            ]
        )
    )
    for text in ("invalid reasoning signature", "too many images: at most 2 images per request are allowed"):
        ran = run("fix", path, "--for-error", text, "-o", out)
        assert ran.code == 2 and not out.exists() and "It is not certain" in ran.err and "--choose " in ran.err, text
        assert "These words are not known; they read like: " in ran.err and "Anthropic" not in ran.err
        target = toolpair.open(path).find(text)
        assert target is not None and target.text.startswith("These words are not known; they read like: ")
        assert target.problem is not None and target.problem.recommended is None and target.problem.severity == "info"
    secret = run("fix", path, "--for-error", "Failed to decrypt encrypted content of the file", "-o", out)
    assert (
        secret.code == 2 and not out.exists() and "that toolpair knows" in secret.err and "--choose" not in secret.err
    )
    ran = run("fix", path, "--for-error", "messages.1.content.0: invalid reasoning signature", "-o", out)
    assert ran.code == 0 and json.loads(out.read_bytes())[1]["content"] == [words], ran.err
    assert ran.err.startswith("toolpair: These words are not known; they read like: ")
    fix = ("--choose", "reasoning.bad_signature=remove-all-thinking")
    ran = run("fix", path, "--for-error", "invalid reasoning signature", *fix, "-o", out, "--force")
    assert ran.code == 0 and json.loads(out.read_bytes())[1]["content"] == [words], ran.err
    # What loses nothing is done.
    chat = [message for message in CHAT if message.get("tool_call_id") != "call_a"]
    path.write_text(json.dumps(chat))
    ran = run(
        "fix", path, "--for-error", "every tool call needs to be followed by a tool message", "-o", out, "--force"
    )
    assert [message.get("tool_call_id") for message in json.loads(out.read_bytes())].count("call_a") == 1, ran.err


def test_an_image_error_without_a_place_counts_the_images_and_offers_all(tmp_path: Path, run: Run) -> None:
    path, out = tmp_path / "img.json", tmp_path / "out.json"
    path.write_text(json.dumps([TURN, {"role": "assistant", "content": "ok"}, {"role": "user", "content": IMAGES}]))
    fix = "--choose content.image_too_large=remove-all-images"
    for text in ("does not support image input", "400 Could not process image"):
        ran = run("fix", path, "--for-error", text, "-o", out)
        assert ran.code == 3 and not out.exists(), (text, ran.err)
        assert "There are 3 images in this conversation." in ran.err and fix in ran.err
        assert "Nothing in this file causes it" not in ran.err
        ran = run("explain", text, path)
        assert ran.code == 0 and "There are 3 images in this conversation." in ran.out and fix in ran.out
    ran = run("fix", path, "--for-error", text, *fix.split(), "-o", out)
    assert ran.code == 0 and b"base64" not in out.read_bytes() and out.read_bytes().count(b"image removed") == 3
    ran = run("fix", path, "--for-error", "image exceeds 5 MB maximum: 9 bytes > 5242880 bytes", "-o", out, "--force")
    assert "There are 3 images" not in ran.err, "these are surely small enough"
    path.write_text(json.dumps([TURN, {"role": "assistant", "content": "ok"}, TURN]))
    ran = run("fix", path, "--for-error", text, "-o", out, "--force")
    assert ran.code == 2 and "Nothing in this file causes it now" in ran.err


def test_a_summary_of_two_fixes_says_what_each_does(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "dup.json"
    turns = []
    for id_, outputs in (("toolu_1", "aa"), ("toolu_2", "ab")):
        turns.append({"role": "assistant", "content": [{"type": "tool_use", "id": id_, "name": "run", "input": {}}]})
        results = [{"type": "tool_result", "tool_use_id": id_, "content": output} for output in outputs]
        turns.append({"role": "user", "content": results})
    both = "2 × drop the copies; keep the first real result of each call, others as text  (2 messages changed"
    for order in (turns, [*turns[2:], *turns[:2]]):
        path.write_text(json.dumps([TURN, *order]))
        said = run("fix", path, "--for-error", "Not the same number of function calls and responses", "--diff").err
        assert both in said or "2 × keep the first real result of each call, others as text; drop the copies" in said
