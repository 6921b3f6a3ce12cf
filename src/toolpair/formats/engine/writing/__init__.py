"""Putting edits into records: in a row, in a tree, folded into their calls."""
