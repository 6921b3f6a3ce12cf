"""Whether elements of a list are of a form."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from toolpair.formats.forms.compiled import Compiled


def fits(form: Compiled, values: Sequence[Any], around: Iterable[Any] = ()) -> bool:
    """Whether most of these elements are of this form, even without as many as show that they are not, and one of
    them, or what is around them, shows what only it has.
    """
    tests = form.tests
    objects = [value for value in values if isinstance(value, dict)]
    against = [value for value in objects if tests["none"](value)]
    mine = [value for value in objects if tests["each"](value) and not tests["none"](value)]
    if (len(mine) - len(against)) * 2 <= len(values):
        return False
    return any(map(tests["some"], mine)) or any(isinstance(one, dict) and tests["around"](one) for one in around)
