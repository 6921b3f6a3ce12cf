"""Made sessions of any size, and the command that holds toolpair to its budgets with them."""
