"""The providers' own error texts: their data, recognising a pasted one, quoting the one that a problem causes."""
