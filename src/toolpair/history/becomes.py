"""What becomes of a problem when its agent resumes the session: it follows from the request that would be sent.

A request does not tell what its agent makes of links and records: `Agent.outcomes` does, and `Agent.on_resume` where
that depends on more than the rule.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from toolpair.dialects.block_texts import is_output, output_bytes, output_lines
from toolpair.dialects.sent_parts import part_text
from toolpair.formats.agent import Agent
from toolpair.formats.format import SentPart
from toolpair.history.judged_request import JudgedRequest, blocks_of
from toolpair.rules.problem import Effect, OnResume, Problem
from toolpair.rules.registry import RULES
from toolpair.transcript.model import Block

_OF_FILES: Final = ("chain.", "record.", "rollout.", "tools.")
"""Families of rules about what is in the file, of which a request shows nothing."""
_UNANSWERED: Final = ("result.missing", "turn.trailing_call")
_FORGETS: Final = "forgets everything before this line without telling you"
_LINKS: Final = {
    **dict.fromkeys(("chain.missing_parent", "chain.second_root", "chain.null_parent", "chain.cycle"), _FORGETS),
    "chain.wrong_leaf": "continues from this line and does not see what follows",
}
"""What agents do that follow links from the last record to the first."""
_HIDES: Final = "does not see what follows, and does not tell you"
_ALL: Final = "the whole session"
_ACCEPTED: Final = "sends it in a form that the API accepts"
_HEALED: Final = {
    "call.not_trailing": "sends the call last in its message",
    "content.empty_message": "leaves the empty message out",
    "content.empty_tool_calls": "leaves the empty list out",
    "result.duplicate": "sends the first result and leaves the copy out",
    "result.id_mismatch": "takes it for the result of this call",
    "result.order": "sends the results in the order of the calls",
    "result.split_over_messages": "sends these results together",
    "role.result_in_assistant": "sends it as a result",
    "server.call_unpaired": "leaves the call out",
    "turn.alternation": "sends both messages as one",
    "turn.trailing_assistant": "continues with your next words",
    **dict.fromkeys(
        ("result.crossed", "result.not_adjacent", "result.not_first", "result.orphan"),
        "sends the result after its call",
    ),
}
"""What an agent has done where nothing is wrong with what it sends."""
_AS_THEY_ARE: Final = {"result.order": "the results as they are", "turn.alternation": "both messages as they are"}
_REPLACED: Final = "\ufffd"
_QUOTED: Final = 60
"""Characters of an agent's own words that are quoted."""


def what_becomes(agent: Agent, problem: Problem, request: JudgedRequest) -> OnResume | None:
    """What the agent does about a problem of one of its sessions; None if that is unknown."""
    return _Outcome(agent, problem, request).found()


class _Outcome:
    """One problem of a session, and what is sent of it."""

    def __init__(self, agent: Agent, problem: Problem, request: JudgedRequest) -> None:
        self.agent = agent
        self.problem = problem
        self.request = request
        named = blocks_of(problem)
        of_file = problem.rule.startswith(_OF_FILES)
        blocks = named or ([] if of_file else request.message_of(problem))
        self.calls = [block for block in blocks if block.kind == "call"]
        self.results = [block for block in blocks if block.kind == "result"]
        # An order loses nothing: an output that is left out has a problem of its own.
        self.lost = request.lost(self.results) if problem.rule != "result.order" else []
        self.gone = [block for block in self.calls if not request.reaches(block)]
        self.about_message = not any(block.kind in ("call", "result") for block in named)
        self.blocks = blocks

    def found(self) -> OnResume | None:
        problem, seen = self.problem, self.request.seen
        rule, of_file = problem.rule, problem.rule.startswith(_OF_FILES)
        if rule.startswith("chain.") and problem.severity == "info":
            return None
        if not self.lost and (told := self.agent.outcomes.get(rule)) is not None:
            return self._is(told[0], told[1], told[2])
        if of_file and (problem.impact, problem.severity) == ("stops", "error") and seen.refuses is not None:
            return self._is("rejected", f"{seen.refuses.partition(':')[0].rstrip('.')}.", _ALL)
        if rule in _LINKS and not self.lost and problem.impact != "harmless":
            behind = problem.message and _LINKS[rule] == _FORGETS
            return self._is("dropped", _HIDES if behind else _LINKS[rule], "history")
        if of_file and rule != "record.lone_surrogate" and not self.lost and not self.gone:
            return None
        if not self.blocks and self.problem.message is None:
            return None
        if seen.refuses is not None and not seen.messages:
            # Nothing is sent, whatever this one is.
            return None if self.problem.severity == "info" else self._is("rejected", seen.refuses, sends=False)
        return self._sent()

    def _sent(self) -> OnResume:
        """What becomes of it in the request."""
        rule, request, lost = self.problem.rule, self.request, self.lost
        loses = _named(lost) if lost else None
        wrong = request.still_wrong(self.problem)
        if any(found.severity == "error" for found in wrong):
            refuses = request.seen.refuses
            does = self._refused(wrong) if refuses is None else refuses
            return self._is("rejected", does, loses, sends=refuses is None)
        if self.about_message:
            return self._of_a_message(wrong)
        if rule == "result.order":
            return self._kept(wrong) if wrong else self._is("healed", self._healed())
        if lost:
            lines, its = output_lines(lost), "its" if len(self.gone) == 1 else "their"
            if self.gone:
                does = f"drops {_this('call', self.gone)} and {its} {lines} without telling you"
            else:
                does = f"drops {_this('result', lost)} of {lines}{self.agent.silently}"
            return self._is("dropped", does, loses)
        if self.gone:
            also = " and its result" if any(not request.reaches(result) for result in self.results) else ""
            as_text = ", and sends its result as a text" if any(map(self._is_text, self.results)) else ""
            does = f"leaves {_this('call', self.gone)}{also} out{as_text or ' without telling you'}"
            return self._is("dropped", does, "the call" if len(self.gone) == 1 else f"{len(self.gone):,} calls")
        sent = list(filter(request.reaches, self.results))
        if sent and any(map(is_output, self.results)) and not any(map(is_output, sent)):
            does = "sends the placeholder and drops the output, which is empty, without telling you"
            return self._is("placeholder", does, "that the call ran")
        if rule == "result.placeholder":
            return self._is("placeholder", "sends the placeholder as it is", "the real output")
        if self.results and not sent:
            return self._is("dropped", f"leaves this result out{self.agent.silently}")
        if rule in _UNANSWERED and self.problem.call is not None:
            return self._unanswered(self.problem.call)
        if wrong:
            return self._kept(wrong)
        return self._is("healed", self._healed())

    def _of_a_message(self, wrong: Sequence[Problem]) -> OnResume:
        rule, request = self.problem.rule, self.request
        whole = request.message_of(self.problem)
        # A call without a result, and neighbours of one role, have problems of their own.
        said = [b for b in whole if b.text.strip() and (b.kind != "call" or request.answers_to([b], self.problem))]
        of_turns = rule.startswith("turn.") and rule != "turn.first_not_user"
        if said and not of_turns and not any(map(request.reaches, said)):
            calls = [block for block in whole if block.kind == "call"]
            results = [*(b for b in whole if b.kind == "result"), *request.answers_to(calls, self.problem)]
            outputs = request.lost(results)
            what = "message" if self.request.role_of(self.problem) != "assistant" else "response"
            loses = f"the {what} with its calls" if calls else _named(outputs) if outputs else f"the {what}"
            return self._is("dropped", f"leaves this {what} out without telling you", loses, outputs=len(outputs))
        if wrong:
            return self._kept(wrong)
        if rule == "content.empty_text" and not any(map(request.reaches, blocks_of(self.problem))):
            return self._is("healed", "leaves the empty text out")
        if rule == "content.empty_message" and (added := request.in_place_of(self.problem)) is not None:
            return self._is("healed", f"sends {_quoted(added)} in its place")
        return self._is("healed", self._healed())

    def _unanswered(self, call: Block) -> OnResume:
        added = self.request.answer_to(call)
        if added is not None and added.block is not None:
            return self._is("healed", "takes the result of another call for this one's")
        if added is None:
            return self._is("healed", "sends the call without a result, which the API accepts")
        if not part_text(added.value, None).strip():
            return self._is("placeholder", "sends an empty result for this call")
        return self._is("placeholder", self.agent.filled or f"tells the model {_quoted(added)} for this call")

    def _refused(self, wrong: Sequence[Problem]) -> str:
        request, rule = self.request, self.problem.rule
        placing = any(RULES[found.rule].decided_by == "pairing" for found in wrong)
        sent = [block for block in self.results if request.reaches(block)]
        if placing and self.gone:
            return f"leaves {_this('call', self.gone)} out, and the API refuses its result without it"
        if placing and self.lost and not sent:
            return f"leaves {_this('result', self.lost)} out, and the API refuses the call without it"
        if placing and sent and any((added := request.answer_to(c)) and added.block is None for c in self.calls):
            return "sends this result, and one of its own for the call, and the API refuses the session"
        if rule in _UNANSWERED and any((added := request.answer_to(c)) and added.block for c in self.calls):
            return "takes the result of another call for this one's, and the API refuses the session"
        if rule in _UNANSWERED:
            return "sends the call without a result, and the API refuses the session"
        if rule == "result.duplicate" and len(sent) > 1:
            return "sends each copy of the result, and the API refuses the session"
        return "sends it as it is, and the API refuses the session"

    def _kept(self, wrong: Sequence[Problem]) -> OnResume:
        what = _AS_THEY_ARE.get(self.problem.rule, "it as it is")
        may = "may refuse" if any(found.severity == "warning" for found in wrong) else "accepts"
        return self._is("kept", f"sends {what}, which the API {may}")

    def _healed(self) -> str:
        rule, request = self.problem.rule, self.request
        changed = list(filter(request.is_changed, self.blocks))
        if rule.startswith("id."):
            return f"sends another id{' on both sides' if self.calls and self.results else ''}"
        if RULES[rule].decided_by == "ids":
            every = all(call in changed for call in self.calls)
            return "sends other ids on both sides" if every else "gives the later call a new id"
        if rule == "result.orphan" and any(map(self._is_text, self.results)):
            return "sends the result as a text"
        if rule.startswith("reasoning.") and self.blocks and not any(map(request.reaches, self.blocks)):
            return "leaves the thinking out"
        if rule.startswith("reasoning.") and any(map(self._is_text, self.blocks)):
            return "sends the thinking as text"
        if rule == "turn.alternation" and not request.together(self.problem):
            return _ACCEPTED
        if rule == "record.lone_surrogate":
            sent = json.dumps(list(map(request.sent_as, changed)), ensure_ascii=False, default=str)
            return f"{'replaces' if _REPLACED in sent else 'leaves out'} the damaged characters"
        return _HEALED.get(rule, _ACCEPTED)

    def _is_text(self, block: Block) -> bool:
        return self.request.reaches(block) and self.request.is_text(block)

    def _is(
        self, effect: Effect, does: str, loses: str | None = None, *, outputs: int | None = None, sends: bool = True
    ) -> OnResume:
        title = self.agent.title
        text = does if does.startswith(title) else f"{title} {does}."
        if self.request.seen.asked is not None:
            text = f"{text.removesuffix('.')} (measured with {self.request.seen.version})."
        count = len(self.lost) if outputs is None else outputs
        return OnResume(title, self.request.seen.version, effect, loses, text, count, sends)


def _named(lost: Sequence[Block]) -> str:
    return f"{'the result' if len(lost) == 1 else f'{len(lost):,} results'}, {output_bytes(lost):,} bytes"


def _this(what: str, blocks: Sequence[Block]) -> str:
    return f"this {what}" if len(blocks) == 1 else f"these {what}s"


def _quoted(part: SentPart) -> str:
    text = " ".join(part_text(part.value, None).split())
    return f'"{text}"' if len(text) <= _QUOTED else f'"{text[:_QUOTED].rsplit(" ", 1)[0]} …"'
