"""Sessions whose records are files of a folder, one each: read as rows are, and written back all together.

A journal makes an exchange of many files one step, which the next save finishes after a crash. May use the rest of
source.
"""
