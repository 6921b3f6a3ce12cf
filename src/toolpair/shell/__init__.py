"""The shell and the machine: how a word is quoted, how this program is called here, whose home and environment it is.

Used wherever a sentence names a command or a folder of the user; uses nothing of toolpair but `dataclass`.
"""
