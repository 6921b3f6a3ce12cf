"""What the measurements stand on: processes, a terminal, files, figures."""
