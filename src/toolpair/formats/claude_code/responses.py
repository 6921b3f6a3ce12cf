"""The responses of a transcript while results are added and moved: their records, and those with their results."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

from toolpair.formats.claude_code.answering import Answers
from toolpair.formats.claude_code.chain_order import bring_together
from toolpair.formats.claude_code.frames import Frame
from toolpair.formats.claude_code.working import Working
from toolpair.transcript.draft import DraftMessage


class Responses:
    """Each response is known by the number of its message in the transcript."""

    def __init__(self, work: Working) -> None:
        self.work = work
        self.messages = messages = work.transcript.messages
        frame = work.transcript.frame
        self._front = [work.lines[uid] for uid in frame.front] if isinstance(frame, Frame) else []
        self.message_of = {uid: number for number, message in enumerate(messages) for uid in message.records}
        """uid of a record -> the number of its message, as it was read."""
        self.last = max((number for number, message in enumerate(messages) if message.role == "assistant"), default=-1)
        self.answers = Answers(work)
        self._groups: dict[int, list[DraftMessage]] = {}
        self._together: set[int] = set()
        self._prompts: dict[int, Any] = {}
        self._last_user: list[int] = []
        """Of each message the number of the last one of the user before it; -1 where there is none."""
        for number, message in enumerate(messages[:-1]):
            follower = messages[number + 1]
            if message.role == "assistant" and follower.role == "user":
                for line in (work.lines[uid] for uid in follower.records):
                    if work.has_result(line):
                        self.answers.add(number, line)

    def group(self, number: int) -> list[DraftMessage]:
        """The records of a message as it was read."""
        if number not in self._groups:
            self._groups[number] = [self.work.lines[uid] for uid in self.messages[number].records]
        return self._groups[number]

    def has(self, number: int, line: DraftMessage) -> bool:
        """Whether the record is one of the response, as it was read, or holds results of it."""
        return self.message_of.get(line.uid) == number or (
            self.answers.has(number, line) and self.work.has_result(line)
        )

    def bring_together(self, number: int) -> None:
        """Link the parts of a response in a row, once."""
        if number not in self._together and self.messages[number].role == "assistant":
            self._together.add(number)
            before = self.work.puts
            bring_together(self.work, self.group(number))
            if self.work.puts != before:
                self.answers.forget()

    def bridged_beside(self, number: int) -> list[DraftMessage]:
        """Records that lost their parent next to the response or its results."""
        if not self.work.history.bridged:
            return []
        still = filter(self.work.has_result, self.answers.of(number))
        return self.work.bridged_beside([*self.group(number), *still])

    # --- prompts -----------------------------------------------------------------------------------------

    def prompt_id(self, number: int) -> Any:
        """The prompt that the turn belongs to: the results of one turn name the same."""
        if number not in self._prompts:
            lines = chain(self.answers.of(number), self._user_before(number))
            named = (self.work.get(line, "promptId") for line in lines)
            self._prompts[number] = next((found for found in named if found is not None), None)
        return self._prompts[number]

    def forget_prompts(self) -> None:
        self._prompts.clear()

    def _user_before(self, number: int) -> Sequence[DraftMessage]:
        """The records of the user's message before the response."""
        if not self._last_user:
            last = -1
            for place, message in enumerate(self.messages):
                self._last_user.append(last)
                last = place if message.role == "user" else last
        before = self._last_user[number]
        return self.group(before) or self._front if before >= 0 else []
