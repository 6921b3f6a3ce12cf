"""Commands that a person can type: how a word is quoted, and how this program is called here.

Used wherever a sentence names a command; uses nothing of toolpair.
"""
