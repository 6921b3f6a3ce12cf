"""What pi, OpenClaw and oh-my-pi write and send alike: JSONL, a tree of records."""
