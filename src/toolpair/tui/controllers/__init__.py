"""What the main screen does, one job in each module. A controller asks the screen that owns it only for `Owner`."""
