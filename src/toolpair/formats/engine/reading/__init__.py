"""Reading records: histories in a row, trees, turns, rows; and the few facts that a scan needs."""
