"""toolpair's own recipes: whatever is broken, the result is valid, settled, and what each says of losses is true."""

from __future__ import annotations

import json
import random
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import toolpair
from tests.formats.codex_files import NAME
from tests.properties import test_claude_code as claude_code
from tests.properties import test_codex as codex
from tests.properties.test_repair import broken
from tests.rounds import tries
from toolpair.formats.format import Item
from toolpair.recipes import RECIPES, minimal
from toolpair.recipes.measuring import touched
from toolpair.recipes.recipe import RecipeStep
from toolpair.session.recipe_trial import try_recipe
from toolpair.session.session import Session, open_session

OWN = ("recommended", "keep", "drop", "minimal")
SEEDS = st.integers(min_value=0, max_value=2**32)
SOME = settings(max_examples=tries(20), suppress_health_check=list(HealthCheck))
MADE_UP = b"No result was recorded for this call"


def rollout(rng: random.Random) -> bytes:
    made = codex.written(rng)
    for _ in range(rng.randrange(0, 5)):
        codex.plant(made, rng)
    return made.data


def session_of(kind: str, seed: int) -> tuple[Session, list[str]]:
    """A broken session, and the outputs and words that stand in it."""
    rng = random.Random(seed)
    if kind == "claude-code":
        return open_session("session.jsonl", data=claude_code.planted(rng)), []
    if kind == "codex":
        return open_session(NAME, data=rollout(rng)), []
    _, made = broken(seed, "openai-chat" if kind == "openai-responses" else kind)
    if kind == "openai-responses":
        made.messages = items(made.messages)
    data = json.dumps(made.messages or [{"role": "user", "content": "words"}]).encode()
    return open_session("session.json", data=data, format=kind), made.markers if made.messages else []


def items(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Chat messages as items of the Responses API."""
    made: list[dict[str, Any]] = []
    for message in messages:
        if message["role"] == "tool":
            output = {"type": "function_call_output", "call_id": message["tool_call_id"], "output": message["content"]}
            made.append(output)
            continue
        if message["content"] is not None:
            made.append({"role": message["role"], "content": message["content"]})
        for call in message.get("tool_calls", ()):
            made.append({"type": "function_call", "call_id": call["id"], **call["function"]})
    return made


def mendable(session: Session) -> list[str]:
    return [problem.rule for problem in session.problems if problem.severity == "error" and not problem.no_fix]


@pytest.mark.parametrize("recipe", OWN)
@pytest.mark.parametrize("kind", ["anthropic", "openai-chat", "openai-responses", "roo-code", "claude-code", "codex"])
@given(seed=SEEDS)
@SOME
def test_valid_settled_and_undone(kind: str, recipe: str, seed: int) -> None:
    session, markers = session_of(kind, seed)
    before = session.to_bytes()

    session.stage_recipe(recipe)

    assert mendable(session) == []
    out = session.to_bytes()
    again = open_session(session.file.shown_name, data=out, format=session.format.id)
    assert again.stage_recipe(recipe) is None and again.to_bytes() == out
    lost = [marker for marker in markers if marker.encode() not in out]
    if recipe in ("recommended", "keep"):
        assert not lost and not session.staging.losses.outputs and not session.staging.losses.words
    assert bool(lost) <= bool(session.staging.losses)
    if lost:
        assert any(row.loses for row in session.staged)
    if recipe in ("keep", "drop") and MADE_UP not in before:
        assert MADE_UP not in out
    session.undo()
    assert session.to_bytes() == before


@pytest.mark.parametrize("kind", ["anthropic", "openai-chat", "claude-code", "codex"])
@given(seed=SEEDS)
@SOME
def test_minimal_touches_no_more_than_any_other(kind: str, seed: int) -> None:
    session, _ = session_of(kind, seed)
    trials = {name: try_recipe(session.conversation, name) for name in OWN}
    assert len(trials["minimal"].left) == min(len(trial.left) for trial in trials.values())
    least = min(trial.touched.total for trial in trials.values() if len(trial.left) == len(trials["minimal"].left))
    assert trials["minimal"].touched.total == least
    equal = [trial for trial in trials.values() if trial.touched.total == least and not trial.losses]
    assert not (equal and trials["minimal"].losses)


@pytest.mark.parametrize("kind", ["anthropic", "openai-chat", "claude-code", "codex"])
@given(seed=SEEDS)
@SOME
def test_a_trial_tells_what_staging_does_and_stages_nothing(kind: str, seed: int) -> None:
    session, _ = session_of(kind, seed)
    before = session.to_bytes()
    for name in toolpair_recipes():
        trial = try_recipe(session.conversation, name)
        assert session.to_bytes() == before and not session.staged
        session.stage_recipe(name)
        assert [(row.title, row.count, row.loses) for row in session.staged] == [
            (row.title, row.count, row.loses) for row in trial.rows
        ]
        assert trial.losses == session.staging.losses
        assert [problem.text for problem in trial.left] == [problem.text for problem in session.left]
        assert [record.body for record in trial.after.document.records] == [
            record.body for record in session.conversation.document.records
        ]
        while session.undo():
            pass


def test_a_trial_can_be_asked_for_from_other_threads() -> None:
    session, _ = session_of("anthropic", 12)
    names = toolpair_recipes()
    alone = [try_recipe(session.conversation, name) for name in names]
    anew, _ = session_of("anthropic", 12)
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(partial(try_recipe, anew.conversation), names))
    assert [(one.touched, one.losses.text, one.valid) for one in together] == [
        (one.touched, one.losses.text, one.valid) for one in alone
    ]
    assert not anew.staged and anew.to_bytes() == session.to_bytes()


def toolpair_recipes() -> list[str]:
    return [recipe.name for recipe in RECIPES.values()]


# --- what each does ------------------------------------------------------------------------------------------

ASKS = {"role": "user", "content": "Look at the tests."}


def calls(*ids: str, words: str | None = None) -> dict[str, Any]:
    blocks: list[dict[str, Any]] = [{"type": "text", "text": words}] if words else []
    blocks += [{"type": "tool_use", "id": id_, "name": "Bash", "input": {"cmd": f"run {id_}"}} for id_ in ids]
    return {"role": "assistant", "content": blocks}


def answers(*pairs: tuple[str, str], words: str | None = None) -> dict[str, Any]:
    blocks: list[dict[str, Any]] = [{"type": "tool_result", "tool_use_id": i, "content": said} for i, said in pairs]
    return {"role": "user", "content": blocks + ([{"type": "text", "text": words}] if words else [])}


def mended(messages: list[dict[str, Any]], recipe: str) -> list[Any]:
    done = toolpair.repair(messages, profile="anthropic", recipe=recipe)
    assert done.ok
    return list(done.messages)


def test_keep_makes_text_of_a_call_that_nothing_answers() -> None:
    found = mended([ASKS, calls("a", "b"), answers(("a", "ok"), words="go on")], "keep")
    said, call = found[1]["content"]
    assert call["id"] == "a"
    assert said["type"] == "text" and said["text"].startswith("[Earlier tool call (Bash), kept by toolpair.")
    assert json.loads(said["text"].split("\n", 1)[1]) == {"cmd": "run b"}
    assert found[2] == answers(("a", "ok"), words="go on")


def test_keep_makes_text_of_a_second_result_but_drops_a_copy() -> None:
    found = mended([ASKS, calls("a"), answers(("a", "one"), ("a", "two"), ("a", "one"))], "keep")
    result, text = found[2]["content"]
    assert result["content"] == "one" and text["text"].endswith("]\ntwo")


def test_keep_tells_images_apart() -> None:
    def image(data: str) -> list[dict[str, Any]]:
        return [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}]

    messages = [ASKS, calls("a"), {"role": "user", "content": []}]
    messages[2]["content"] = [
        {"type": "tool_result", "tool_use_id": "a", "content": image(data)} for data in ("QUFB", "QkJC")
    ]
    for recipe in ("recommended", "keep"):
        done = toolpair.repair(messages, profile="anthropic", recipe=recipe)
        assert "QUFB" in json.dumps(done.messages) and "QkJC" in json.dumps(done.messages)
        assert not done.losses


def test_drop_removes_what_has_no_partner_and_the_message_that_is_empty_then() -> None:
    messages = [ASKS, answers(("gone", "old output"), words="and now"), calls("a"), ASKS]
    done = toolpair.repair(messages, profile="anthropic", recipe="drop")
    assert done.ok
    assert list(done.messages) == [ASKS, {"role": "user", "content": [{"type": "text", "text": "and now"}]}, ASKS]
    assert (len(done.losses.outputs), len(done.losses.calls), done.losses.user_words) == (1, 1, 0)
    assert {taken.loses for taken in done.taken} == {"its output (1 line)", "its input"}


def test_drop_keeps_the_first_real_result() -> None:
    late = "Tool execution was interrupted before completion."
    found = mended([ASKS, calls("a"), answers(("a", late), ("a", "one"), ("a", "two"))], "drop")
    assert [block["content"] for block in found[2]["content"]] == ["one"]


def test_drop_pairs_what_can_be_paired() -> None:
    found = mended([ASKS, calls("read_file_0"), answers(("read.file:0", "text"))], "drop")
    assert found == [ASKS, calls("read_file_0"), answers(("read_file_0", "text"))]


def test_minimal_takes_the_fix_that_touches_fewer_records() -> None:
    nameless = calls("a")
    nameless["content"][0]["name"] = ""
    messages = [ASKS, nameless, answers(("a", "ok"))]
    least = toolpair.repair(messages, profile="anthropic", recipe="minimal")
    assert sum(one is not other for one, other in zip(messages, least.messages, strict=True)) == 1
    default = toolpair.repair(messages, profile="anthropic")
    assert sum(one is not other for one, other in zip(messages, default.messages, strict=True)) == 2


def test_minimal_takes_a_valid_result_before_one_that_touches_fewer_records(monkeypatch: pytest.MonkeyPatch) -> None:
    state = session_of("anthropic", 1)[0].conversation
    cheap, valid = (RecipeStep((), state, state) for _ in range(2))
    ways = [minimal._Way([cheap], errors=1, records=1), minimal._Way([valid], errors=0, records=9)]
    monkeypatch.setattr(minimal, "_ways", lambda state, apply: iter(ways))
    taken = list(minimal.run(state, lambda state, edits: state))
    assert len(taken) == 1 and taken[0] is valid


def test_a_record_that_only_moves_is_touched_and_its_neighbours_are_not() -> None:
    before = [Item(number, {"number": number}) for number in range(4)]
    moved = touched([*before], [before[3], *before[:3]])
    assert (moved.changed, moved.added, moved.removed, moved.total) == (1, 0, 0, 1)
    replaced = touched(before, [before[0], Item(9, {}), *before[2:]])
    assert (replaced.added, replaced.removed, replaced.total) == (1, 1, 1)


def test_what_a_recipe_does_not_heed_is_refused() -> None:
    with pytest.raises(ValueError, match="has no max_id_length"):
        toolpair.repair([ASKS], recipe="keep", max_id_length=64)
    with pytest.raises(ValueError, match="the minimum is 10"):
        toolpair.repair([ASKS], recipe="roo-code-sanitize", max_id_length=3)
