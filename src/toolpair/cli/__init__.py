"""The commands, one module each. None of them loads Textual or Rich, and only `open` knows the interface.

`main.py` has the list of them, `output.py` and `exits.py` what they share. May use session, what is below it, and text.
"""
