"""The shell and the machine: quoting words, how this program is called, and the user's platform, environment and home.

Used wherever a message names a command or one of the user's folders; imports nothing else of toolpair.
"""
