"""What can be read on a screen, as styled lines for a width: texts, JSON, diffs. No widgets and no screens.

A `Body` is laid out once for a width and gives the line of any row; long ones are laid out bit by bit. `reading.py`
makes the body of a call and of a result.
"""
