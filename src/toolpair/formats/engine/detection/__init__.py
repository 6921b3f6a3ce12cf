"""Which format records are in, and whether they are understood as one."""
