"""The providers' own error texts: what is known of them, recognising a pasted one, quoting the one a problem raises."""
