"""Which form a file is in: asked when no agent's format and no API's list is recognised in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice, product
from typing import Any, Final

from toolpair.formats.format import Format
from toolpair.formats.forms.paths import Each, InMap, Key, path_of
from toolpair.formats.forms.registry import Form, form_of, of_user, shipped
from toolpair.source.container import Container
from toolpair.source.errors import NotUnderstood
from toolpair.source.limits import Places
from toolpair.source.locate import at_places
from toolpair.source.record import values_of

LOOKED_AT: Final = 200
"""Elements of a list."""
_CONVERSATIONS: Final = 50


def form_in(container: Container, shown: str) -> tuple[Format | None, Places]:
    """The form of a file's conversations, and where these are, if that is not where they were found. Raises
    NotUnderstood for a file that fits several.
    """
    own, wrong = of_user()
    seen = _Seen(container)
    found, places = _forms_in(seen, own)
    if not found:
        found, places = _forms_in(seen, shipped())
    if len(found) > 1:
        names = " and ".join(f"{form.table.title} (--format {form.id})" for form in found)
        raise NotUnderstood(lambda: f"{shown} may be either of these: {names}; say which one it is.")
    if not found and wrong:
        raise NotUnderstood(lambda: f"{shown} is in no form that can be used; one table cannot: {wrong[0]}")
    if not found:
        return None, ()
    _refuse_alone(found[0], container, shown)
    lists = (
        [one.value for root in seen.roots for one in at_places(places, root)]
        if places
        else [values for values, _ in seen.lists]
    )
    return found[0].for_list([value for one in lists[:_CONVERSATIONS] for value in one[:LOOKED_AT]]).format, places


def _refuse_alone(form: Form, container: Container, shown: str) -> None:
    """Raise NotUnderstood for one element of a session whose elements are files: its pairs are in the others."""
    folder = form.table.folder
    if folder and container.kind == "lines" and sum(len(one.document) for one in container.conversations) == 1:
        raise NotUnderstood(
            lambda: (
                f"{shown} is one file of a session that is a folder ({form.table.title}: {folder}), and lies in "
                "none that toolpair can read; give it what is in all the files, in order, as one list."
            )
        )


def form_of_list(values: Sequence[Any]) -> Format | None:
    """The form of a list in memory; None if none fits, or several do."""
    for forms in (of_user()[0], shipped()):
        found = [form for form in forms if form.fits(values[:LOOKED_AT])]
        if found:
            return found[0].for_list(values[:LOOKED_AT]).format if len(found) == 1 else None
    return None


def places_in(format: Format, container: Container, shown: str) -> Places:
    """Where a form that was asked for finds lists that are in it; empty where these were found without it. Raises
    NotUnderstood as `form_in` does.
    """
    form = form_of(format)
    if form is None:
        return ()
    _refuse_alone(form, container, shown)
    return _forms_in(_Seen(container), (form,))[1]


class _Seen:
    """What forms are asked about. A document without a list that is known is one long record: it is read once."""

    def __init__(self, container: Container) -> None:
        looked_at = container.conversations[:_CONVERSATIONS]
        self.lists = [(list(values_of(one.document.records[:LOOKED_AT])), (one.outer, one.root)) for one in looked_at]
        """The beginning of each list, and what is around it."""
        self.roots = [one.root for one in looked_at[:1]]
        """The JSON values of the file, or of its first lines."""
        if container.kind == "lines":
            self.roots = [value for values, _ in self.lists for value in values[:_CONVERSATIONS]]


def _forms_in(seen: _Seen, forms: Sequence[Form]) -> tuple[tuple[Form, ...], Places]:
    """The forms that the conversations of a file are in: as they were found, or where the tables say they are."""
    found = [form for form in forms if _most(form.fits(values, around) for values, around in seen.lists)]
    told = [(form, places) for form in forms if form not in found and (places := _places_in(form, seen.roots))]
    return (*found, *(form for form, _ in told)), () if found or not told else told[0][1]


def _most(answers: Iterable[bool]) -> bool:
    told = list(answers)
    return sum(told) * 2 > len(told)


def _places_in(form: Form, roots: Sequence[Any]) -> Places:
    """Where this form's table finds lists that are in it, in most of these values."""
    made = tuple(place for place in places_of(form) if place)
    found = [tuple(place for place in made if _fits_at(form, place, root)) for root in roots]
    return tuple(dict.fromkeys(place for places in found for place in places)) if _most(map(bool, found)) else ()


def _fits_at(form: Form, place: tuple[str | None, ...], root: Any) -> bool:
    lists = islice(at_places((place,), root), _CONVERSATIONS)
    return any(form.fits(one.value[:LOOKED_AT], (one.outer, root)) for one in lists)


def places_of(form: Form) -> Places:
    """Where a form's table looks for lists."""
    made: list[tuple[str | None, ...]] = []
    for text in form.table.lists:
        steps: list[tuple[str | None, ...]] = []
        for step in path_of(text.removesuffix("[]")):
            match step:
                case Key(names):
                    steps.append(names)
                case Each() | InMap():
                    steps.append((None,))
        made += product(*steps)
    return tuple(dict.fromkeys(made))
