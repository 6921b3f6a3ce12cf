"""What a session is handed on as: a request body, a page to read, a redacted case, the first request that broke.

Stands on sessions and on `text`; commands, interface and the library's functions stand on it. Nothing here prints.
"""
