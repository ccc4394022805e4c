"""The rule critic: one file per dimension."""
