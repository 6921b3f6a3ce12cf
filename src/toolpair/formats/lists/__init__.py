"""Plain lists of messages or items of an API: no agent resumes them."""
