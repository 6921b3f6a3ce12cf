"""Claude Code sessions with defects planted in their bytes: found, mended in the agent's own form, nothing lost."""

from __future__ import annotations

import json
import random

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.formats.claude_code_files import Log, call, text
from tests.rounds import tries
from toolpair.dialects.block_texts import is_real_output, result_text
from toolpair.session.session import Session, open_session


def written(rng: random.Random) -> tuple[list[bytes], list[int], list[int]]:
    """The lines of a session, and the numbers of those with results and with calls."""
    log = Log(step=rng.choice([1.0, 7.0]))
    log.user("u0", "<user-0>")
    number = 0
    for turn in range(rng.randrange(1, 5)):
        calls = rng.choice([1, 1, 2, 3])
        if rng.random() < 0.5:
            log.says(f"t{turn}", f"m{turn}", text("words"))
        asked = []
        for _ in range(calls):
            number += 1
            log.says(f"c{number}", f"m{turn}", call(f"toolu_{number:03d}"))
            asked.append(number)
        rng.shuffle(asked)
        for one in asked:
            log.result(f"r{one}", f"c{one}", f"toolu_{one:03d}", f"<output-{one}>")
        if rng.random() < 0.5:
            log.says(f"d{turn}", f"n{turn}", text("done"))
            log.user(f"u{turn + 1}", f"<user-{turn + 1}>")
    log.says("end", "m-end", text("the end"))
    log.note("last-prompt", lastPrompt="x", leafUuid="end")
    lines = [json.dumps(value, separators=(",", ":")).encode() for value in log.values]
    results = [n for n, value in enumerate(log.values) if str(value.get("uuid")).startswith("r")]
    calls_at = [n for n, value in enumerate(log.values) if str(value.get("uuid")).startswith("c")]
    return lines, results, calls_at


def shuffled(rng: random.Random) -> bytes:
    """Lines in another order, lines that are gone, links that lead elsewhere: several of these."""
    lines, _, _ = written(rng)
    values = [json.loads(line) for line in lines]
    linked = [value for value in values if "uuid" in value]
    for _ in range(rng.randrange(1, 4)):
        if rng.random() < 0.6:
            rng.shuffle(values)
        if rng.random() < 0.6 and len(values) > 2:
            values.pop(rng.randrange(len(values)))
        if rng.random() < 0.8:
            one = rng.choice(linked)
            one["parentUuid"] = rng.choice([rng.choice(linked)["uuid"], "gone", None, one["uuid"]])
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def planted(rng: random.Random) -> bytes:
    lines, results, calls = written(rng)
    for _ in range(rng.randrange(0, 4)):
        at, call_at = rng.choice(results), rng.choice(calls)
        match rng.choice(
            ["lost result", "lost call", "torn", "glued", "sanitised", "twice", "characters", "parent", "nul"]
        ):
            case "lost result":
                lines[at] = b""
            case "lost call":
                lines[call_at] = b""
            case "torn":
                lines[at] = lines[at][: len(lines[at]) // 2]
            case "glued" if lines[at] and lines[at + 1]:
                lines[at], lines[at + 1] = lines[at] + lines[at + 1], b""
            case "sanitised":
                lines[at] = lines[at].replace(b'"tool_use_id":"toolu_', b'"tool_use_id":"toolu.')
            case "twice":
                lines[at] += b"\n" + lines[at].replace(b'"uuid":"r', b'"uuid":"x')
            case "characters":
                id_ = f"toolu_{rng.randrange(1, len(calls) + 1):03d}".encode()
                lines = [line.replace(id_, id_ + b":1") for line in lines]
            case "parent":
                lines[call_at] = lines[call_at].replace(b'"parentUuid":"', b'"parentUuid":"lost-', 1)
            case "nul" if lines[at]:
                lines[at] = b"\0\0\0" + lines[at]
    return b"\n".join(line for line in lines if line) + b"\n"


def errors(session: Session) -> list[str]:
    """The rules of errors, without the guesses: these are left to a person."""
    return [problem.rule for problem in session.problems if problem.severity == "error" and not problem.guess]


def sent(session: Session) -> str:
    """All that the model would read."""
    return "\n".join(
        result_text(block) if block.kind == "result" else block.text
        for message in session.conversation.transcript.messages
        for block in message.blocks
    )


@given(seed=st.integers(min_value=0, max_value=2**32))
@settings(max_examples=tries(200), suppress_health_check=list(HealthCheck))
def test_mended_in_native_form(seed: int) -> None:
    data = planted(random.Random(seed))
    session = open_session("session.jsonl", data=data)
    assert session.format.id == "claude-code"
    # Where the chain itself is broken an orphan may end up on no branch at all; it stays in the file.
    whole = not any(problem.rule.startswith(("chain.", "record.")) for problem in session.problems)
    guesses = {pair for problem in session.left if problem.guess for pair in problem.pairs}
    outputs = [
        result_text(block)
        for pair in session.conversation.pairs
        for block in pair.results
        if pair.index not in guesses and is_real_output(block) and ((pair.call is not None and pair.certain) or whole)
    ]
    before = {record.uid: record.body for record in session.conversation.document.records}

    session.stage_recommended()

    assert errors(session) == []
    out = session.to_bytes()
    again = open_session("session.jsonl", data=out)
    assert errors(again) == []
    assert all(output in sent(again) for output in outputs)
    assert all(output.encode() in out for output in outputs)
    assert sent(again) == sent(session)
    changed = {change.record for change in session.staging.changes()}
    kept = {record.uid: record.body for record in session.conversation.document.records}
    for number, (uid, body) in enumerate(before.items()):
        assert number in changed or kept[uid] == body
    assert again.stage_recommended() is None and again.to_bytes() == out
    while session.undo():
        pass
    assert session.to_bytes() == data


@settings(max_examples=tries(120), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 10**9))
@example(20)
@example(27)
@example(120)
def test_no_recommended_fix_makes_the_agent_send_less(seed: int) -> None:
    session = open_session("s.jsonl", data=shuffled(random.Random(seed)))
    before = session.conversation
    session.stage_recommended()
    after = session.conversation
    if not before.sends_nothing:
        assert after.sends_less(before).text is None
    assert all(held.problem in after.problems and held.without for held in session.staging.held_back)
    again = open_session("s.jsonl", data=session.to_bytes())
    again.stage_recommended()
    assert again.to_bytes() == session.to_bytes()
