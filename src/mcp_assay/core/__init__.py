"""What the program knows, without doing anything: no files, no clock, no chance, no network."""
