"""`python -m benchmarks`."""

import os
import sys

from benchmarks.run import main

if __name__ == "__main__":
    code = 0
    try:
        code = main()
        sys.stdout.flush()
    except BrokenPipeError:
        # Its reader has gone, as `head` does; what is left to print goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)
