"""Arguments, prompts, printing and exit codes."""
