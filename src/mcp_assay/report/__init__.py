"""From a finished evaluation to what people and machines read."""
