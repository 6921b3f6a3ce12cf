"""The libraries judge the forms: they write the lists, toolpair mends them, and the libraries load and send these.

Skipped where a library is not installed (extra `frameworks`, run at night).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.each import each
from tests.forms.libraries import LIBRARIES, NODE_FOLDER, Calls, CannotBeError, Library, Result, Says, Turns
from toolpair.session.session import Session, open_session
from toolpair.transcript.model import PLACEHOLDER

ORDER, PARCEL = "find_order", "find_parcel"


def whole(prefix: str) -> Turns:
    a, b, c = (prefix + id for id in ("Aa11bbCC", "Dd22eeFF", "Gg33hhII"))
    return [
        Says("user", "word-ask"),
        Calls(((a, ORDER, {"of": "word-8"}), (b, PARCEL, {"of": "word-7"})), "word-look"),
        Result(a, ORDER, "word-one shipped"),
        Result(b, PARCEL, "word-two on its way"),
        Says("assistant", "word-said"),
        Says("user", "word-nine"),
        Calls(((c, ORDER, {"of": "word-9"}),)),
        Result(c, ORDER, "word-three lost"),
        Says("assistant", "word-end"),
    ]


def _first_missing(turns: Turns) -> Turns:
    return turns[:2] + turns[3:]


def _both_missing(turns: Turns) -> Turns:
    return turns[:2] + turns[4:]


def _orphan(turns: Turns) -> Turns:
    return [Says("assistant", "word-again") if turn is turns[6] else turn for turn in turns]


def _differs(turns: Turns) -> Turns:
    return [Result("call_other", ORDER, turn.text) if turn is turns[7] else turn for turn in turns]  # type: ignore[union-attr]


def _late(turns: Turns) -> Turns:
    return turns[:3] + turns[4:6] + turns[3:4] + turns[6:]


def _last_open(turns: Turns) -> Turns:
    return turns[:7]


def _renamed(old: str, new: str) -> Callable[[Turns], Turns]:
    def make(turns: Turns) -> Turns:
        made: Turns = []
        for turn in turns:
            match turn:
                case Calls(calls, text):
                    made.append(Calls(tuple((i.replace(old, new), name, args) for i, name, args in calls), text))
                case Result(id, name, text):
                    made.append(Result(id.replace(old, new), name, text))
                case _:
                    made.append(turn)
        return made

    return make


DEFECTS: dict[str, tuple[Callable[[Turns], Turns], str | None]] = {
    "whole": (list, None),
    "missing": (_first_missing, "result.missing"),
    "missing_both": (_both_missing, "result.missing"),
    "orphan": (_orphan, "result.orphan"),
    "differs": (_differs, "result.id_mismatch"),
    "late": (_late, "result.not_adjacent"),
    "last_open": (_last_open, "turn.trailing_call"),
}
SHARED = {"in_one_turn": _renamed("Dd22eeFF", "Aa11bbCC"), "in_two_turns": _renamed("Gg33hhII", "Aa11bbCC")}
"""Two calls have one id: what is refused is up to the API, and what is left out to the library."""
CASES = [(name, defect) for name in LIBRARIES for defect in DEFECTS]


def of(name: str) -> Library:
    where, _, package = LIBRARIES[name].module.rpartition(":")
    if where and not Path(NODE_FOLDER, "node_modules", package).is_dir():
        pytest.skip(f"the package {package} is not in TOOLPAIR_NODE_LIBRARIES")
    if not where:
        pytest.importorskip(package)
    return LIBRARIES[name]


def written(library: Library, turns: Turns) -> bytes:
    try:
        data = library.write(turns)
    except CannotBeError:
        pytest.skip("such a list cannot be so")
    return data if isinstance(data, bytes) else data.encode()


def errors(session: Session) -> set[str]:
    return {problem.rule for problem in session.problems if problem.severity == "error"}


def missing(turns: Turns, told: Any) -> list[str]:
    said = [word for turn in turns for word in turn.text.split() if word.startswith("word-")]
    given = [args["of"] for turn in turns if isinstance(turn, Calls) for _, _, args in turn.calls]
    return [word for word in (*said, *given) if word not in str(told)]


@each(("name", "defect"), CASES)
def test_what_a_library_wrote_is_mended_and_loaded(name: str, defect: str) -> None:
    library = of(name)
    make, rule = DEFECTS[defect]
    turns = make(whole(library.prefix))
    data = written(library, turns)
    session = open_session("s.json", data=data)
    assert session.format.id == library.form
    rule = library.finds.get(defect, rule)
    assert errors(session) == ({rule} if rule else set())
    session.stage_recommended()
    assert errors(session) <= {"result.id_mismatch"}  # a guess
    mended = session.to_bytes()
    if rule is None:
        assert mended == data
    assert (PLACEHOLDER in mended.decode()) == (defect in ("missing", "missing_both") or rule == "turn.trailing_call")
    assert missing(turns, library.load(mended)) == []


@pytest.mark.parametrize(("name", "defect"), [*CASES, *((name, shared) for name in LIBRARIES for shared in SHARED)])
def test_a_library_sends_all_of_what_is_called_valid(name: str, defect: str) -> None:
    library = of(name)
    if library.sends is None:
        pytest.skip("it sends what it loads")
    make = SHARED[defect] if defect in SHARED else DEFECTS[defect][0]
    turns = make(whole(library.prefix))
    session = open_session("s.json", data=written(library, turns))
    session.stage_recommended()
    waits = any(problem.rule == "turn.trailing_call" for problem in session.problems)  # its result may still come
    if not errors(session) and not waits:
        sent = library.sends(library.load(session.to_bytes()))
        assert [word for word in missing(turns, sent) if word != library.unsent] == []
