"""Databases of checkpoints that programs with LangGraph keep (`SqliteSaver`): a thread is read as the list of messages
that its newest checkpoint holds, in the form of LangGraph's state. May import `engine`.
"""
