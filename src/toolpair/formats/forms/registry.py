"""The forms that are known: the shipped tables, those in the user's folder, and one that is named by its file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from toolpair.dialects.besides import telling_keys
from toolpair.formats.engine.reading.view import AS_RESUMED, Item, View
from toolpair.formats.format import Damage, Format, ResumeEffect
from toolpair.formats.forms.compiled import Compiled, Slot
from toolpair.formats.forms.light import PROVEN, FormLight, can_be_scanned
from toolpair.formats.forms.reading import Reader
from toolpair.formats.forms.table import FOLDER, BadTable, ProfileAt, Table, parsed, text_of
from toolpair.formats.lazy import lazy
from toolpair.rules.context import Context
from toolpair.rules.odd_records import no_message
from toolpair.transcript.edits import Edit
from toolpair.transcript.model import Transcript


class Form:
    """A table, and the format that it is."""

    def __init__(self, id_: str, table: Table) -> None:
        self.id = id_
        self.table = table

    @cached_property
    def compiled(self) -> Compiled:
        return Compiled(self.table, self.id)

    @cached_property
    def reader(self) -> Reader:
        return Reader(self.compiled)

    @cached_property
    def format(self) -> Format:
        return Format(
            id=self.id,
            title=self.table.title,
            where=self.table.where,
            containers=frozenset({"array", "lines"}),
            profile=self.table.profile,
            sniff=self.sniff,
            surest=SURE,
            knows=self.knows,
            read=self.read,
            apply=self.apply,
            stricter=self.table.stricter,
            check=self.check,
            read_only=self.table.read_only or (None if self.table.new.is_known else _ONLY_READ),
            light=self.light if can_be_scanned(self.table) else None,
            clean_by=PROVEN & {self.table.profile},
            damage=self.damage,
        )

    def for_list(self, values: Sequence[Any]) -> Form:
        """The same form, judged as these elements say that they are: where all that is written means one profile.

        Unsigned thoughts are left out, or become text, by most programs that send to an API which wants signatures:
        a list with such is judged as others are.
        """
        for rule, find in self._profiles:
            words = {word for value in values for _, word in find(value) if isinstance(word, str)}
            meant = {_meant(rule.means, word) for word in words}
            if len(meant) == 1 and (profile := meant.pop()) is not None:
                form = self if profile == self.table.profile else self.judged_by(profile)
                return form if form.reader.is_signed_enough(values) else self
        return self

    @cached_property
    def _profiles(self) -> Sequence[tuple[ProfileAt, Callable[[Any], Iterator[tuple[Slot, Any]]]]]:
        return [(rule, self.compiled.finder(self.compiled.whole(rule.at))) for rule in self.table.profile_at]

    @cache  # noqa: B019 - forms live as long as the program
    def judged_by(self, profile: str) -> Form:
        """The same form, judged by another profile."""
        return Form(self.id, replace(self.table, profile=profile))

    def sniff(self, values: Sequence[Any]) -> int:
        return SURE if self.fits(values) else 0

    def fits(self, values: Sequence[Any], around: Iterable[Any] = ()) -> bool:
        """Whether most of these elements are of this form, even without as many as show that they are not, and one of
        them, or what is around them, shows what only it has. One that says something of which nothing is read is not.
        """
        tests = self.compiled.tests
        objects = [value for value in values if isinstance(value, dict)]
        against = [value for value in objects if tests["none"](value)]
        mine = [value for value in objects if tests["mine"](value)]
        spare = len(mine) - len(against) - len(values) / 2
        if spare <= 0 or not (
            any(map(tests["some"], mine)) or any(isinstance(one, dict) and tests["around"](one) for one in around)
        ):
            return False
        unread = (value for value in mine if not (self.reader.skips(value) or self.reader.reads(value)))
        return sum(bool(telling_keys(value)) for value in unread) < spare

    def knows(self, value: dict[str, Any]) -> bool:
        return bool(self.compiled.tests["mine"](value))

    def read(self, items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
        return self.reader.read(items, view)

    def light(self, view: View) -> FormLight:
        return FormLight(self.compiled, self.reader)

    def check(self, context: Context, items: Sequence[Item], view: View) -> None:
        """Report elements in other spellings: what they say and call is not seen here."""
        for foreign, some in groupby(items, lambda item: self._is_foreign(item.value)):
            if foreign:
                of_one = list(some)
                no_message(context, of_one[0].value, [item.uid for item in of_one], len(of_one), in_file=False)

    def _is_foreign(self, value: Any) -> bool:
        reader = self.reader
        if type(value) is not dict or (self.knows(value) and (reader.skips(value) or reader.reads(value))):
            return False
        if _holds_calls(value) if reader.skips(value) else reader.is_unread(value, reader.blocks(value, 0)):
            return True
        others = (form for form in shipped() if form.id != self.id)
        return any(form.knows(value) and form.sniff([value]) for form in others)

    def damage(
        self, items: Sequence[Item], transcript: Transcript, found: Sequence[Damage]
    ) -> Sequence[ResumeEffect | None]:
        effects = zip(found, _EFFECTS(items, transcript, found), strict=True)
        return [
            None
            # Of an element that a library keeps, not all is sent.
            if effect is None or (one.readable and one.rule in _ANYWHERE and self.id not in _OF_APIS)
            else replace(effect, holds_output=self._holds_output(one))
            for one, effect in effects
        ]

    def _holds_output(self, damage: Damage) -> bool:
        """Whether it may contain a tool's output, be it without the id or the kind that came after it."""
        left = [value for value in (*damage.values, damage.partial) if isinstance(value, dict)]
        read = self.read([Item(damage.record, value) for value in left])
        results = any(block.kind == "result" for message in read.messages for block in message.blocks)
        return results or any(not self.knows(value) or self.reader.own_role_of(value) == "tool" for value in left)

    def apply(self, items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
        if self.format.read_only is not None:
            return list(items)
        from toolpair.formats.forms.writing import FormLinear, FormWriter

        return FormLinear(items, transcript, FormWriter(self.compiled, self.reader)).run(edits)


def _meant(means: Mapping[str, str], word: str) -> str | None:
    begun = (profile for key, profile in means.items() if key.endswith("*") and word.startswith(key[:-1]))
    return means.get(word) or next(begun, None)


@cache
def form_in(path: Path) -> Form:
    """The form of a table beside a format whose records hold its elements."""
    return Form(path.stem, parsed(text_of(path), str(path)))


class GuessedForm(Form):
    """A form that was drafted from a file, to look at that file: its pairs are shown, and nothing is judged.
    `described`: it is one of `shown`, which was not drafted.
    """

    def __init__(self, id_: str, table: Table, described: bool = False) -> None:
        super().__init__(id_, table)
        self._described = described

    @cached_property
    def format(self) -> Format:
        why = _NOT_COMPARED if self._described else _ONLY_SHOWN
        # It is read whole: a scan would judge.
        return replace(super().format, is_guess=True, is_described=self._described, read_only=why, light=None)


def _holds_calls(value: dict[str, Any]) -> bool:
    """Whether it is, or lists, calls or results in any API's spelling."""
    from toolpair.dialects.foreign_parts import foreign_part  # few lists have anything that is not theirs

    listed = (part for parts in value.values() if isinstance(parts, list) for part in parts)
    return foreign_part(value) is not None or any(foreign_part(part) is not None for part in listed)


SURE: Final = 98
_ANYWHERE: Final = ("record.lone_surrogate", "record.bad_json")
"""What may be wrong in any field."""
_OF_APIS: Final = ("gemini-contents", "bedrock-converse", "ollama-chat")
"""The forms whose elements are sent as they are."""
_EFFECTS: Final = lazy("toolpair.formats.engine.damage.lost:effects_without_agent")
_ONLY_READ: Final = "Such a file is only read: the table of its form does not say what a new result looks like ([new])."
_ONLY_SHOWN: Final = "This form is a guess: nothing is checked, fixed or saved."
_NOT_COMPARED: Final = "This form was never compared with the agent: nothing is checked, fixed or saved."
_GUESSED: Final[dict[str, Form]] = {}
"""Those that this run of the program drafted or only shows a file by, by id."""
_SHOWN: Final = FOLDER / "shown"
"""The tables of agents' files that were never compared with their agents."""
_KEPT: Final[dict[tuple[str, str], Form]] = {}
"""(id, the text of its table) -> a form that was made."""


def _form(id_: str, path: Path) -> Form:
    """The form of the table in a file: the same one as long as that is not changed. Raises BadTable."""
    text = text_of(path)
    if (id_, text) not in _KEPT:
        _KEPT[id_, text] = Form(id_, parsed(text, str(path), ours=path.parent == FOLDER))
    return _KEPT[id_, text]


@cache
def shipped() -> tuple[Form, ...]:
    """The forms of toolpair's own tables."""
    return tuple(_form(path.stem, path) for path in sorted(FOLDER.glob("*.toml")))


def of_user() -> tuple[tuple[Form, ...], tuple[BadTable, ...]]:
    """The forms of the tables in the user's folder, and what is wrong with those that cannot be used."""
    found: list[Form] = []
    wrong: list[BadTable] = []
    for path in sorted(user_folder().glob("*.toml")):
        try:
            found.append(_form(path.stem, path))
        except BadTable as error:
            wrong.append(error)
    return tuple(found), tuple(wrong)


def known() -> tuple[Form, ...]:
    """All forms: the user's, where they have a table of the same name as a shipped one."""
    return tuple({form.id: form for form in (*shipped(), *of_user()[0])}.values())


def user_folder() -> Path:
    from platformdirs import user_config_path

    return user_config_path("toolpair", appauthor=False) / "forms"


def form_of(format: Format) -> Form | None:
    """The form that a format is; None for any other."""
    found = getattr(format.sniff, "__self__", None)
    return found if isinstance(found, Form) else None


def guessed(table: Table) -> str:
    """The id by which this run of the program can read a file as a drafted table says."""
    id_ = f"(drafted {len(_GUESSED) + 1})"  # which no file of a table has
    _GUESSED[id_] = GuessedForm(id_, table)
    return id_


def described(name: str) -> str:
    """The id by which this run of the program can show a file of an agent that its forms were not compared with."""
    id_ = f"(shown {name})"  # which nobody can ask for: what checks would find nothing wrong
    if id_ not in _GUESSED:
        _GUESSED[id_] = GuessedForm(id_, parsed(text_of(_SHOWN / f"{name}.toml"), name, ours=True), described=True)
    return id_


def form_named(id_: str) -> Form:
    """The form with this id, or of the table in the file of this name. Raises KeyError, BadTable."""
    if id_ in _GUESSED:
        return _GUESSED[id_]
    if id_.endswith(".toml"):
        return _form(id_, Path(id_))
    return {form.id: form for form in known()}[id_]
