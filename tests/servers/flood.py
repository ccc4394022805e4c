"""Writes to stdout for ever, never waiting to be asked: the piece given on the command line, again and again."""

import sys

PIECE = sys.argv[1].encode().decode("unicode_escape").encode() * 4096

while True:
    sys.stdout.buffer.write(PIECE)
