"""A run of the portable MiniZinc in the Node process that answers at a socket.

This file is a program with the output and the status of MiniZinc. Its arguments are the socket's folder,
the start script, which it becomes if nothing answers, and MiniZinc's arguments. If it ends, its run in Node
ends.
"""

import json
import os
import signal
import socket
import sys
from contextlib import suppress


def main(place: str, program: str, *args: str) -> None:
    """Send the arguments and the standard input, print the output, and end with the status."""
    connection, folder = socket.socket(socket.AF_UNIX), os.getcwd()  # noqa: PTH109 - imports less
    try:
        os.chdir(place)  # since the path of a socket must be short
        connection.connect("node")
    except OSError:
        os.chdir(folder)
        os.execv(program, [program, *args])  # noqa: S606 - this process becomes it
    text = sys.stdin.buffer.read()
    request = {"args": args, "folder": folder, "size": len(text)}
    connection.sendall(json.dumps(request).encode() + b"\n" + text)
    stream = connection.makefile("rb")
    with suppress(BrokenPipeError):  # nobody reads the output
        while len(head := stream.read(5)) == 5:
            kind, content = head[0], stream.read(int.from_bytes(head[1:], "big"))
            if kind == 0:
                _exit_like(content.decode())
            while content:
                content = content[os.write(kind, content) :]
        _exit_like("SIGABRT")  # Node has ended
    os._exit(1)


def _exit_like(status: str) -> None:
    if status == "SIGABRT":
        os.kill(os.getpid(), signal.SIGABRT)
    os._exit(int(status))


if __name__ == "__main__":
    main(*sys.argv[1:])
