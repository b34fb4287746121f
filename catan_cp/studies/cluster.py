"""Workers on other machines: the way to a Dask scheduler.

Any executor will do for `catan_cp.run_study`; this is the one that ``catan-cp study --scheduler`` uses. It
needs the extra ``scale``. docs/studies.md shows how to start a scheduler and workers.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from catan_cp.errors import CatanError, InvalidArgument, extra, show


@contextmanager
def dask_executor(address: str, timeout: float = 10.0) -> Iterator[tuple[Executor, int]]:
    """Give an executor on a Dask cluster, and how many threads its workers have together.

    Args:
        address: the scheduler's, as in ``tcp://192.168.0.7:8786``.
        timeout: seconds to wait for it.

    Raises:
        InvalidArgument: that is no address.
        CatanError: nobody answers there, there are no workers, or dask.distributed is not installed.
    """
    if not isinstance(address, str) or not address.strip():
        raise InvalidArgument(f"a scheduler's address is like tcp://HOST:8786, not {show(address)}")
    try:
        client_of: Any = import_module("distributed").Client
    except ImportError:
        raise CatanError(f"a scheduler needs dask.distributed: {extra('scale')} brings it") from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what matters, we say ourselves
    try:
        client = client_of(address, timeout=timeout, set_as_default=False)
    except (OSError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise CatanError(
            f"no Dask scheduler answers at {show(address)} ({reason}); start one with `dask scheduler`, "
            "which prints its address"
        ) from None
    try:
        threads = sum(client.nthreads().values())
        if not threads:
            raise CatanError(
                f"the scheduler at {address} has no workers; start some with `dask worker {address}`"
            )
        yield client.get_executor(), threads
    finally:
        client.close(timeout=2)
