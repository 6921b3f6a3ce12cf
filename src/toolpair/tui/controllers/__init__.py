"""What the main screen does, one module for each job. A controller uses its screen only through `Owner`."""
