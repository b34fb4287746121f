"""An application made by PyInstaller makes a board, and starts no copy of itself."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from catan_cp import generate_board

ROOT = Path(__file__).parents[2]
APPLICATION = """
import os
with open(os.environ["STARTS"], "a") as starts:
    starts.write("x")
import catan_cp
print(catan_cp.generate_board("tournament", seed=1).notation())
"""
UNUSED = ("matplotlib", "PIL", "IPython", "scipy", "pandas", "tkinter", "distributed", "pytest", "mypy")


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only tried on Linux")
@pytest.mark.skipif(importlib.util.find_spec("PyInstaller") is None, reason="PyInstaller is not installed")
def test_a_frozen_application_starts_no_copy_of_itself(tmp_path):
    """With `sys.executable` as the guard's Python, each copy would start the next one without end."""
    (tmp_path / "app.py").write_text(APPLICATION)
    data = [(ROOT / name, f"catan_cp/{name}") for name in ("models", "layouts") if (ROOT / name).is_dir()]
    command = [sys.executable, "-m", "PyInstaller", "--noconfirm", "--onedir", "--log-level", "ERROR"]
    command += ["--paths", str(ROOT), "--collect-all", "catan_cp", "--hidden-import", "minizinc"]
    command += [part for source, goal in data for part in ("--add-data", f"{source}:{goal}")]
    command += [part for name in UNUSED for part in ("--exclude-module", name)]
    built = subprocess.run([*command, "app.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr[-2000:]
    starts = tmp_path / "starts"
    done = subprocess.run(
        [tmp_path / "dist/app/app"],
        env={**os.environ, "STARTS": str(starts)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stderr == ""
    assert done.stdout.strip() == generate_board("tournament", seed=1).notation()
    assert starts.read_text() == "x"
