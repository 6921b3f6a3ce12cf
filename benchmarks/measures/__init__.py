"""One module for each measurement. `measure(plan, found)` fills `found`, at least with what is wanted."""
