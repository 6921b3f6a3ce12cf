"""`python -m toolpair` is the same as `toolpair`."""

from toolpair.cli.main import program

if __name__ == "__main__":
    raise SystemExit(program())
