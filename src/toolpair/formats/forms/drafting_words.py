"""Words that people use in their own lists for what calls and results are, as `drafting` compares them."""

from __future__ import annotations

import re
from typing import Final


def _words(text: str) -> list[str]:
    return text.split()


NAMES: Final = _words("name toolname functionname tool function fn toolid command operation")
ARGUMENTS: Final = _words(
    "arguments args input parameters params kwargs toolinput toolargs toolparams toolkwargs inputs rawinput with "
    "argumentsjson inputjson"
)
OUTPUTS: Final = _words("output result response observation outputs results errortext toolresult tooloutput")
CONTENT: Final = [*OUTPUTS, *_words("content text value return data message body error msg")]
LINKS: Final = _words("toolcallid callid tooluseid toolid invocationid functioncallid")
IDS: Final = [*LINKS, *_words("id call run ref requestid correlationid toolcall toolrequestid")]
NO_IDS: Final = re.compile(
    "parent|turnid|message|session|conversation|thread|trace|user|agent|model|group|batch|time|date|version|cwd|name$"
)
KINDS: Final = _words("type kind partkind event eventtype role op record what category action tag status source by")
ENDED: Final = re.compile("result|output|return|response|observation|end|done|finish|complete|tool")
ABOUT: Final = {"metadata", "usage", "providerMetadata", "details"}
SPEAKERS: Final = _words("role author sender speaker who by from source")
SPOKEN: Final = _words("text content say message body words thought reply msg utterance input prompt question answer")
ROLES: Final = {
    "tool": ("tool", "function", "observation"),
    "system": ("system", "developer"),
    "user": ("user", "human", "customer", "client", "visitor", "person", "prompt", "question", "input"),
    "assistant": ("assistant", "ai", "model", "bot", "agent", "llm", "machine", "answer", "reply", "output"),
}
FAILED: Final = {"iserror": "true", "failed": "true", "success": "false", "ok": "false"}
