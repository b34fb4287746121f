"""Compiled functions: stored if that is safe, otherwise compiled again.

Without numba, results are the same.
"""

import os
import subprocess
import sys
import textwrap

import pytest

from tests.small_boards import needs_numba

SQUARES = """
    from catan_cp.compiled import compiled

    @compiled
    def square(n):
        return n * n

    @compiled
    def sum_of_squares(n):
        total = 0
        for i in range(n):
            total += square(i)
        return total
"""
NOWHERE = """
    import types
    import numba.core.caching

    def refused(*args, **kwargs):
        raise OSError(30, "Read-only file system")

    numba.core.caching.tempfile = types.SimpleNamespace(TemporaryFile=refused)
"""


def run(folder, *lines, **environment):
    """Run lines of Python beside the module `squares` and return what they print."""
    (folder / "squares.py").write_text(textwrap.dedent(SQUARES), encoding="utf-8")
    env = {**os.environ, "PYTHONPATH": str(folder), **environment}
    code = "\n".join(map(textwrap.dedent, lines))
    result = subprocess.run(
        [sys.executable, "-c", code], env=env, cwd=folder, capture_output=True, text=True, timeout=600
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


@needs_numba
def test_functions_compile_without_cache(tmp_path):
    code = "import squares; print(squares.sum_of_squares(5), list(squares.square.dispatcher.overloads) != [])"
    assert run(tmp_path, NOWHERE, code) == "30 True"


@needs_numba
@pytest.mark.parametrize("before", ["", "import numba, yaml"])
def test_local_configuration_not_read(tmp_path, before):
    pytest.importorskip("yaml")
    (tmp_path / ".numba_config.yaml").write_text("cache_dir: came_with_data\ndump_bytecode: 1\n")
    code = """
        import squares, sys
        print(squares.sum_of_squares(5), "yaml" in sys.modules)
    """
    assert run(tmp_path, before, code) == f"30 {bool(before)}"
    assert not (tmp_path / "came_with_data").exists()


@needs_numba
def test_remark_only_when_compiling(tmp_path):
    code = """
        import sys
        from catan_cp import terminal
        sys.stderr = sys.stdout
        terminal.is_command = True
        import squares
        squares.square(5), squares.sum_of_squares(5)
    """
    environment = {"NUMBA_CACHE_DIR": str(tmp_path / "kept")}
    assert run(tmp_path, code.replace("= True", "= False")) == ""  # no command
    assert len(run(tmp_path, code, **environment).splitlines()) == 1  # for both functions
    assert run(tmp_path, code, **environment) == ""  # from the cache


@needs_numba
@pytest.mark.skipif(os.name != "posix", reason="owners and modes are POSIX's")
def test_no_cache_in_writable_folders(tmp_path):
    """Others who may rename a folder above can put their own in its place."""
    above = tmp_path / "above"
    (above / "kept").mkdir(parents=True)
    place = {"NUMBA_CACHE_DIR": str(above / "kept")}
    assert run(tmp_path, "import squares; print(squares.sum_of_squares(5))", **place) == "30"
    (folder,) = (above / "kept").iterdir()
    for file in folder.iterdir():
        file.write_bytes(b"not a pickle")
    cases = [(path, mode, uid) for path in (folder, above) for mode, uid in ((0o700, 0), (0o777, 0))]
    cases += [(path, 0o700, 65_534) for path in (folder, above) if os.geteuid() == 0]  # root gives files away
    code = f"""
        import os, sys
        from pathlib import PosixPath
        for path, mode, uid in {cases}:
            if uid:
                os.chown(path, uid, uid)
            path.chmod(mode)
            import squares
            print(squares.square.dispatcher.stats.cache_path is not None, end=" ")
            if mode == 0o777 or uid:
                print(squares.sum_of_squares(5), end=" ")  # what lies there is not read
            del sys.modules["squares"]
            path.chmod(0o700)
            os.chown(path, os.geteuid(), -1)
    """
    assert run(tmp_path, code, **place) == " ".join(
        "True" if mode == 0o700 and not uid else "False 30" for _, mode, uid in cases
    )


@needs_numba
def test_stored_code_unused_after_change(tmp_path):
    """Numba looks at the date of a function's own file alone."""
    other = "from catan_cp.compiled import compiled\nSTEP = {}\n@compiled\ndef next_of(n): return n + {}\n"
    caller = """
        from catan_cp.compiled import compiled
        from other import STEP, next_of

        @compiled
        def after(n):
            return next_of(n) * STEP
    """
    (tmp_path / "caller.py").write_text(textwrap.dedent(caller), encoding="utf-8")
    answers = []
    for step, more in ((2, 1), (3, 1), (3, 5), (3, 5)):
        (tmp_path / "other.py").write_text(other.format(step, more), encoding="utf-8")
        answers.append(run(tmp_path, "import caller; print(caller.after(1))", PYTHONDONTWRITEBYTECODE="1"))
    assert answers == ["4", "6", "18", "18"]
    assert len(list(tmp_path.glob("__pycache__/caller.after*.nbc"))) == 3  # the last one was kept


@needs_numba
def test_unreadable_stored_code_compiled_again(tmp_path):
    source = """
        from typing import NamedTuple
        from catan_cp.compiled import compiled

        class Pair(NamedTuple):
            a: int
            b: int

        @compiled
        def add(pair):
            return pair.a + pair.b
    """
    source = textwrap.dedent(source)

    def hits(name="Pair"):
        (tmp_path / "pairs.py").write_text(source.replace("Pair", name), encoding="utf-8")
        code = f"import pairs; print(pairs.add(pairs.{name}(2, 3)), pairs.add.dispatcher.stats.cache_hits)"
        result, _, counts = run(tmp_path, code).partition(" ")
        assert result == "5"
        return counts.count(": 1")

    assert (hits(), hits()) == (0, 1)
    for ending in ("nbi", "nbc"):
        (file,) = tmp_path.glob(f"__pycache__/*.{ending}")
        file.write_bytes(file.read_bytes()[:-20])
        assert hits() == 0, ending
    assert (hits("Couple"), hits("Couple")) == (0, 1)


def test_functions_without_numba(tmp_path):
    code = (
        "import squares, types; print(squares.sum_of_squares(5), type(squares.square) is types.FunctionType)"
    )
    assert run(tmp_path, code, NUMBA_DISABLE_JIT="1") == "30 True"
