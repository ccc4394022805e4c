"""Prints banners, progress bars and colours between its frames."""

from peer import Message, raw, serve, text


def call(asked: Message) -> None:
    raw(b"\x1b[2J\x1b]0;title\x07 50% [=====>   ]\r 100%\n::error::not a command\n")
    text(asked)
    raw(b"done\n")


raw("╔══╗\n║ ☕ ║\n╚══╝\nListening on stdio\n".encode())
serve(call)
