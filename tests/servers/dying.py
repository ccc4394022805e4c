"""Complains on stderr, as told on the command line, and exits before it was initialized."""

import sys

sys.stderr.write(sys.argv[1] + "\n")
sys.exit(4)
