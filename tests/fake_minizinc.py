"""A script as MiniZinc, which solves nothing."""

import json
import os
from pathlib import Path

from tests.conftest import script

IDS = {"gecode": "org.gecode.gecode", "chuffed": "org.chuffed.chuffed"}


class FakeMiniZinc:
    """A folder ``bin`` with a script that answers as MiniZinc, and solver configurations."""

    def __init__(self, prefix: Path, version="2.9.2"):
        self.solvers = prefix / "share/minizinc/solvers"
        self.solvers.mkdir(parents=True)
        self.entries = []
        (prefix / "version").write_text(f"MiniZinc to FlatZinc converter, version {version}, build 1\n")
        self.listing, self.asked, self.solution = prefix / "listing", prefix / "asked", prefix / "solution"
        self.listing.write_text("[]")
        self.solution.write_text("x = 5;\ny = 7;\n")
        self.program = script(
            prefix / "bin/minizinc",
            "case $1 in --version) f=version;; --solvers-json) f=listing;; *) f=solution;; esac\n"
            f"echo $1 >> '{prefix}/asked'\nexec /bin/cat \"{prefix}/$f\"",
        )
        self.bin = self.program.parent

    def add(self, name, executable=None, *, folder=None):
        """List a solver whose configuration is in *folder*."""
        config = (folder or self.solvers) / f"{name}.msc"
        config.parent.mkdir(parents=True, exist_ok=True)
        config.touch()
        self.entries.append(
            {
                "id": IDS[name],
                "name": name,
                "version": "6.2.0",
                "mznlib": f"-G{name}",
                "executable": executable or str(script(self.bin / f"fzn-{name}", "")),
                "extraInfo": {"configFile": str(config)},
                "tags": ["cp"],
                "stdFlags": ["-a"],
            }
        )
        self.listing.write_text(json.dumps(self.entries))
        os.utime(self.program, (len(self.entries),) * 2)  # so that it is asked again
