"""What is wrong with a transcript, why, and which fixes there are: one module a family of rules, run by `judge.py`.

Profiles, error texts and causes are data, with evidence. May use dialects and transcript; knows no file and no agent.
"""
