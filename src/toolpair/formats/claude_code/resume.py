"""stub"""
from typing import Any


def on_resume(transcript: Any, problem: Any) -> Any:
    return None
