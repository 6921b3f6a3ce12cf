"""Sessions whose records are files of a folder, one each: read as rows are, and written back all together.

A journal makes an exchange of many files one step, also for whoever opens the folder after a crash. May use the rest of
source.
"""
