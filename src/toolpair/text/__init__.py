"""Makes untrusted text safe to show and measures it in terminal cells. All text from a transcript goes through here."""
