"""A pre-call hook for LiteLLM's proxy: every request that passes through it is fixed.

In the proxy's config.yaml: `litellm_settings: {callbacks: litellm_hook.proxy_handler_instance}`.
"""

from __future__ import annotations

from typing import Any

from litellm.integrations.custom_logger import CustomLogger

import toolpair


class ToolpairHook(CustomLogger):
    """Judges by what the messages look like: chat for most providers, Anthropic's own for `/v1/messages`."""

    async def async_pre_call_hook(
        self, user_api_key_dict: Any, cache: Any, data: dict[str, Any], call_type: str
    ) -> dict[str, Any]:
        if isinstance(data.get("messages"), list):
            data["messages"] = toolpair.guard(data["messages"], mode="repair")
        return data


proxy_handler_instance = ToolpairHook()
