"""A session, or a list of messages, as a request body for one of several APIs.

`exporting.py` is the way from one to the other, `targets.py` the table of APIs. What an API cannot carry is data
(`ways.py`, and the table in each API's module): the same sentences are printed, returned and documented.
"""
