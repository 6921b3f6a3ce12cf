"""`python -m toolpair` is the same as `toolpair`."""

from toolpair.cli.main import main

if __name__ == "__main__":
    raise SystemExit(main())
