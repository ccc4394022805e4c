"""Who judges the transcript."""
