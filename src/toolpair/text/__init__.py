"""Makes untrusted text safe to show and measures it in terminal cells. All text from a transcript goes through here.

Folding, highlights of what differs, and quoting. Used by commands and interface alone; may use nothing but `shell`.
"""
