"""Many cases of a few microseconds in one test: to collect, set up and report a test takes longer than each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from inspect import signature
from typing import Any

import pytest

_PARAMETERS = type(pytest.param())
Test = Callable[..., None]


def each(names: str | Sequence[str], cases: Iterable[Any]) -> Callable[[Test], Test]:
    """As `pytest.mark.parametrize`, but all are one test; a failure names its case. For tests that leave nothing behind."""
    named = [names] if isinstance(names, str) else list(names)

    def values(case: Any) -> dict[str, Any]:
        found = case.values if isinstance(case, _PARAMETERS) else [case] if isinstance(names, str) else case
        return dict(zip(named, found, strict=True))

    listed = list(map(values, cases))
    assert listed

    def decorate(test: Test) -> Test:
        @wraps(test)
        def run(**fixtures: Any) -> None:
            skipped = []
            for case in listed:
                try:
                    test(**fixtures, **case)
                except pytest.skip.Exception as why:  # what is missing for one case is not missing for all
                    skipped.append(why)
                except Exception as error:
                    error.add_note(f"in the case of {case!r:.2000}")
                    raise
            if len(skipped) == len(listed):
                raise skipped[0]

        wanted = signature(test)
        kept = [one for name, one in wanted.parameters.items() if name not in named]
        run.__signature__ = wanted.replace(parameters=kept)  # type: ignore[attr-defined]
        return run

    return decorate
