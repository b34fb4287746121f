"""Public files that other programs wrote, by address and checksum. None is stored in the repository.

    python -m tests.formats.public FOLDER        download all of them

The environment variable CATAN_CP_PUBLIC_GAMES names such a folder, for tests without a network.
"""

import hashlib
import os
import sys
import urllib.request
from pathlib import Path

HOST = "https://raw.githubusercontent.com/"
TABLE = Path(__file__).with_suffix(".sha256").read_text(encoding="utf-8")
ADDRESSES = {address: checksum for checksum, address in map(str.split, TABLE.splitlines())}
"""The checksum of each file. The logs of catanlog are examples in README files."""


def content(address: str) -> str:
    """Return the text of a file from the folder, or else from the network.

    Raises:
        OSError: there is no network.
        ValueError: the checksum is another.
    """
    folder, checksum = os.environ.get("CATAN_CP_PUBLIC_GAMES"), ADDRESSES[address]
    stored = Path(folder or "/nonexistent", checksum)
    if stored.is_file():
        data = stored.read_bytes()
    else:
        with urllib.request.urlopen(HOST + address, timeout=30) as reply:
            data = reply.read(10_000_000)
    if hashlib.sha256(data).hexdigest() != checksum:
        raise ValueError(f"{address} has another content")
    return data.decode("utf-8")


if __name__ == "__main__":
    for address, checksum in ADDRESSES.items():
        Path(sys.argv[1], checksum).write_text(content(address), encoding="utf-8", newline="")
