"""Asking the agent itself: it resumes a copy of a session against an API on loopback, and what it sends is compared.

`asking` starts `inside`, a process with a network of its own where that can be had, in which `mock_api` answers the
agent. `proof` compares what was sent with the session and with the model of the agent. Knows sessions and agents.
"""
