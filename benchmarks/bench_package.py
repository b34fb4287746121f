"""Cost of starting fresh processes, in seconds and memory.

An installed copy starts like this, and so does numpy in the comparison. Some machines tell Python to keep no
bytecode, so the benchmark turns bytecode on.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from functools import partial

from benchmarks.measure import Row, printed, row, timed

_TIMED = """
import sys, time
began = time.perf_counter()
{work}
spent = time.perf_counter() - began
loaded = "matplotlib" in sys.modules
from benchmarks.memory import peak
print(spent, peak(), int(loaded))
"""
_EVERYTHING = "import catan_cp\nfor name in catan_cp.__all__: getattr(catan_cp, name)"
_SAVED = "from catan_cp.cli import main; main(['generate', '--seed', '1', '--force', '--save', {path!r}])"


def rows(quick: bool) -> Iterator[Row]:
    """Measure imports of the package and numpy, and starts of a command and matplotlib."""
    runs = 3 if quick else 11
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": folder}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)

        def process(work: str) -> list[float]:
            """Return the seconds of whole processes, including their start and end."""
            command = [sys.executable, "-c", work]
            start = partial(subprocess.run, command, env=environment, capture_output=True, check=True)
            return timed(runs + 1, start)[1:]  # the first one keeps the bytecode

        def fresh(work: str) -> tuple[Sequence[float], Sequence[float]]:
            """Return the seconds and the MiB of some work in new processes."""
            program = _TIMED.format(work=work)
            values = [printed(program, environment=environment) for _ in range(runs + 1)][1:]
            spent, memory, loaded = zip(*values, strict=True)
            if any(loaded):
                raise AssertionError(f"{work} loads matplotlib")
            return spent, memory

        spent, memory = fresh("import catan_cp")
        all_spent, all_memory = fresh(_EVERYTHING)
        numpy_spent, numpy_memory = fresh("import numpy")
        beside = "import numpy"
        yield row("import catan_cp", "s", spent, 0.3, beside, numpy_spent)
        yield row("import every public name", "s", all_spent, 0.5, beside, numpy_spent)
        yield row("memory after import", "MiB", memory, None, beside, numpy_memory)
        yield row("memory with every name", "MiB", all_memory, 60, beside, numpy_memory)
        saved, plots = process(_SAVED.format(path=f"{folder}/board.png")), process("import matplotlib.pyplot")
        yield row("catan-cp generate --save board.png", "s", saved, 5, "import matplotlib.pyplot", plots)
