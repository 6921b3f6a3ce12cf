"""The journal: applied but unsaved fixes, kept in the user's state folder so that a crash or a closed terminal loses
none.

One small file per open session, found by the session's path. It holds decisions: rules, ids, places, fix names, and
what the user typed; nothing else of the session. It is deleted when the session is saved or closed.
"""
