"""Roo Code, Cline and Kilo Code, extensions of VS Code: their tasks."""
