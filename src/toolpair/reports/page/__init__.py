"""A session as pages to read and to attach to a bug report: HTML, or Markdown as GitHub shows it.

`problem_parts.py` and `conversation_parts.py` say what is shown, as the neutral data of `parts.py`; `html.py` and
`markdown.py` write it down, and are where all text is made safe; `report.py` divides it into pages, and `files.py`
writes them.
"""
