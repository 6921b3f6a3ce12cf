"""A session, or a list of messages, as a request body for one of several APIs.

`exporting.py` is the way from one to the other, `targets.py` has the APIs. What an API cannot carry is data
(`ways.py`, and each API's own table): the same sentences are printed, returned and documented.
"""
