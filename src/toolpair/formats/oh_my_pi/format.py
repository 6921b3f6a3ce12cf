"""oh-my-pi's sessions: pi's records after a line with the title, with records of its own. As measured on 18.3.4.

Of the calls and results that do not fit together it leaves some out, and sends others as text: what its history is and
what it makes of it was read in its code and compared with what it sends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from toolpair.dialects.block_texts import is_real_output
from toolpair.dialects.block_values import whole_characters
from toolpair.formats.engine.damage.own_problems import no_message
from toolpair.formats.engine.reading.reading import as_text
from toolpair.formats.engine.reading.turns import Turn
from toolpair.formats.engine.sending import with_id
from toolpair.formats.format import AS_RESUMED, Damage, Item, ResumeEffect, View
from toolpair.formats.oh_my_pi.pairing import Names, paired
from toolpair.formats.pi_family.checks import check as pi_check
from toolpair.formats.pi_family.checks import damage as pi_damage
from toolpair.formats.pi_family.checks import is_header
from toolpair.formats.pi_family.detection import is_title
from toolpair.formats.pi_family.history import SPEAKING, Model, PiHistory, Ways, history_of, ran
from toolpair.formats.pi_family.history import read as pi_read
from toolpair.formats.pi_family.sending import PiSending
from toolpair.rules.context import Context
from toolpair.transcript.id_shapes import sanitised
from toolpair.transcript.model import Block, Transcript

if TYPE_CHECKING:
    from toolpair.formats.engine.reading.light import Light

# --- data --------------------------------------------------------------------------------------------------


TITLE: Final = "oh-my-pi"
MEASURED: Final = "18.3.4"
_BRANCH: Final = ("Branch-return summary:\n\n<summary>\n", "\n</summary>")
_SUMMARY: Final = (
    "Prior model work/tool state available.\nMUST build on prior work; NEVER duplicate prior work.\n\n<summary>\n",
    "\n</summary>",
)
_HANDOFF: Final = (
    "Context replaced. The <handoff> below is a handoff document a prior instance of you wrote from the full "
    "conversation. It is your own working memory, not user input.\n- First person inside it refers to you (the prior "
    'instance).\n- "Next Steps" is your own resumed plan; re-check it against the latest user message before acting.\n'
    "- The handoff already exists and is complete: NEVER write another handoff document unless the user explicitly "
    "asks.\nMUST build on prior work; NEVER duplicate prior work.\n\n<handoff>\n",
    "\n</handoff>",
)
_SUMMARIES: Final = {
    "compaction": _SUMMARY,
    "compactionSummary": _SUMMARY,
    "branch_summary": _BRANCH,
    "branchSummary": _BRANCH,
}
_IMAGES_BELOW: Final = "\n-------------- imaged middle below\n"
_IMAGES_ABOVE: Final = "-------------- imaged middle above\n"
_TOLD_ONCE: Final = ("prewalk-plan", "vibe-mode-context")
"""Types of an extension's words that it does not send again."""
_INTERRUPTED: Final = "interrupted-thinking"
"""Type of the note after a response that the user interrupted, which is then sent nevertheless."""
HEADLESS: Final = "oh-my-pi does not resume this session"
_NO_HEADER: Final = f"{HEADLESS}: its first line does not say that it is one."
_NULL: Final = f"{HEADLESS}: a line of the file is null."
NO_ID_AT_ALL: Final = "oh-my-pi stops before it sends this session: a result names no call."


# --- the history -------------------------------------------------------------------------------------------


def _unsent(record: dict[str, Any]) -> bool:
    message = record.get("message")
    if record.get("type") == "custom_message":
        return record.get("customType") in _TOLD_ONCE or not isinstance(record.get("content"), (str, list))
    return isinstance(message, dict) and message.get("role") == "assistant" and bool(message.get("retryRecovery"))


def _words(said: dict[str, Any], kind: Any) -> str | None:
    """What it says of summaries, of commands that the user ran, and of files that the user named."""
    if kind in _SUMMARIES:
        archive = said.get("preserveData") if kind == "compaction" else None
        archive = archive.get("snapcompact") if isinstance(archive, dict) else None
        if isinstance(archive, dict):
            return _archived(said.get("summary"), archive)
        before, after = _HANDOFF if said.get("method") == "handoff" else _SUMMARIES[kind]
        return f"{before}{said.get('summary')}{after}" if said.get("summary") or kind == "compaction" else None
    if kind == "bashExecution":
        return ran({**said, "truncated": False})
    if kind == "pythonExecution" and not said.get("excludeFromContext"):
        text = f"Ran Python:\n```python\n{said.get('code')}\n```\n"
        return text + (f"Output:\n```\n{said['output']}\n```" if said.get("output") else "(no output)")
    files = said.get("files") if kind == "fileMention" else None
    if not isinstance(files, list):
        return None
    return "\n".join(map(_named, files)) or None


def _archived(summary: Any, archive: dict[str, Any]) -> str:
    """A summary with what was said before it, of which the middle may be images."""
    head, tail = (as_text(archive.get(key)) or "" for key in ("textHead", "textTail"))
    if archive.get("frames"):
        head, tail = head and head + _IMAGES_BELOW, tail and _IMAGES_ABOVE + tail
    elif tail and archive.get("truncatedChars"):
        tail = f"\n-------------- middle history omitted above\n{tail}"
    return f"{summary}\n{head}{tail}".replace("\u2588", "\n").replace("\x0e", "").replace("\x0f", "")


def _named(file: Any) -> str:
    file = file if isinstance(file, dict) else {}
    return f'<file path="{file.get("path")}">' + (f"\n{file['content']}\n" if file.get("content") else "\n") + "</file>"


def _chosen(turns: Sequence[Turn]) -> Sequence[Turn]:
    """A response that was interrupted counts if a note follows it; of one that broke off, placeholders do not."""
    made: list[Turn] = []
    broken: set[str] = set()
    for turn, after in zip(turns, [*turns[1:], None], strict=False):
        if turn.broken_off and after is not None and _custom_type(after) == _INTERRUPTED:
            turn = replace(turn, broken_off=False)
        if turn.broken_off:
            broken |= {repr(block.id) for block in turn.blocks if block.kind == "call"}
        elif turn.role == "assistant":
            broken -= {repr(block.id) for block in turn.blocks if block.kind == "call"}
        if turn.role == "result" and repr(turn.blocks[0].id) in broken and not is_real_output(turn.blocks[0]):
            continue
        made.append(turn)
    return made


def _custom_type(turn: Turn) -> Any:
    value = turn.node.value
    message = value.get("message")
    return (message if isinstance(message, dict) else value).get("customType")


# --- what is sent ------------------------------------------------------------------------------------------


class _Sending(PiSending):
    """Ids that are in use get a number at their end; those of other models, letters that APIs take."""

    clean: Callable[[Any], Any] = staticmethod(whole_characters)

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self.names = Names()
        self.sent: dict[int, str] = {}
        self.now: dict[str, str] = {}

    def part(self, turn: Turn, block: Block) -> Any:
        if block.kind == "thinking":
            return self._thinking(turn, block)
        value = super().part(turn, block)
        if block.kind != "result":
            return self.clean(value)
        return with_id(value, self.now.get(repr(turn.answers), turn.answers))

    def _thinking(self, turn: Turn, block: Block) -> Any:
        value, of_anthropic = block.value, self.model[1] == "anthropic-messages"
        signed = value.get("signature") or value.get("data")
        provider, api = self._made_by(turn)
        if signed and (self._is_own(turn) or (of_anthropic and api == self.model[1] and provider != "anthropic")):
            return self.clean(value)
        words = value.get("thinking")
        return {"type": "text", "text": self.clean(words)} if isinstance(words, str) and words.strip() else None

    @staticmethod
    def _made_by(turn: Turn) -> tuple[Any, Any]:
        message = turn.node.value.get("message")
        return (message.get("provider"), message.get("api")) if isinstance(message, dict) else (None, None)

    def id_of(self, turn: Turn, call: Block) -> Any:
        if id(call) not in self.sent:
            name = self.names.next(call.id)
            theirs = not self._is_own(turn) or self.model[0] == "anthropic"
            plain = sanitised(name)[:64] if theirs and self.model[1] == "anthropic-messages" else name
            self.sent[id(call)] = self.now[repr(name)] = plain
        return self.sent[id(call)]

    def no_result(self, id_: Any) -> Any:
        return super().no_result(self.now.get(repr(id_), id_))


# --- damage ------------------------------------------------------------------------------------------------


def _refuses(history: PiHistory) -> str | None:
    if history.header is None:
        return _NO_HEADER
    if any(item.value is None for item in history.items):
        return _NULL
    results = (block for turn in history.turns if turn.role == "result" for block in turn.blocks)
    return NO_ID_AT_ALL if any(not isinstance(block.id, str) for block in results) else None


def _first_line(damage: Damage) -> ResumeEffect:
    if damage.rule == "record.bom":
        return ResumeEffect("harmless", f"{TITLE} ignores it", "healed")
    return ResumeEffect("stops", HEADLESS, "rejected", complete=is_header(damage))


WAYS: Final = Ways(
    TITLE,
    MEASURED,
    False,
    _refuses,
    _first_line,
    ("error", "stops", HEADLESS),
    _Sending,
    paired,
    cuts=("compaction", "reset_boundary"),
    unsent=_unsent,
    before_header=is_title,
    speaking=(*SPEAKING, "developer"),
    words=_words,
    chosen=_chosen,
    comes_back=True,
)


def _deleted(history: PiHistory, damage: Damage, effect: ResumeEffect | None) -> ResumeEffect | None:
    """A line that it cannot read is not in the file any more once it has resumed the session.

    The one with the title it writes anew.
    """
    says = f"{TITLE} deletes it from the file"
    if damage.first and history.header is not None and not damage.readable:
        return ResumeEffect("harmless", says)
    if effect is None or damage.readable or damage.rule == "record.bom" or effect.effect != "dropped":
        return effect
    if effect.impact == "harmless" and damage.raw.strip(b"\0 \t\r\n"):
        return replace(effect, impact="loses", says=says, loses="the record")
    return replace(effect, says=says)


# --- the format --------------------------------------------------------------------------------------------


def read(items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
    return pi_read(items, view, WAYS)


def light(view: View) -> Light | None:
    from toolpair.formats.pi_family.light import PiLight  # most files are short

    return PiLight(view, read, titled=True) if view.reporting and view.leaf is None else None


def damage(items: Sequence[Item], transcript: Transcript, found: Sequence[Damage]) -> Sequence[ResumeEffect | None]:
    history = history_of(transcript)
    effects = zip(found, pi_damage(items, transcript, found), strict=True)
    return [_deleted(history, damage, effect) for damage, effect in effects]


def check(context: Context, items: Sequence[Item], view: View) -> None:
    pi_check(context, items, view)
    for item in items:
        if item.value is None:
            text = f"A line of the file is null, so {HEADLESS}."
            no_message(context, item, text, empty=True, impact="stops")
