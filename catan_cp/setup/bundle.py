"""Programs from Debian packages, with the libraries that they load and no others, startable from any folder.

bin/minizinc, fzn-gecode, fzn-chuffed    scripts that start the programs through the loader in lib/
libexec/                                 the programs themselves
lib/                                     the dynamic loader and the libraries, flat
share/minizinc/                          MiniZinc's standard library and one configuration for each solver
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from catan_cp.errors import listed
from catan_cp.processes import run
from catan_cp.setup.apt import RELEASE, AptFailed, Archive, Progress, dependencies, download, unpack

WANTED = ("minizinc", "gecode-flatzinc", "chuffed-flatzinc")
PROGRAMS = ("minizinc", "fzn-gecode", "fzn-chuffed")
CONFIGURATIONS = ("gecode.msc", "chuffed.msc")
_LOADER_PACKAGE = "libc6"

_WRAPPER = """\
#!/bin/sh
# Starts {program} with the libraries beside it, wherever this folder stands; exec: this process becomes it.
self=$0
[ -L "$self" ] && self=$(readlink -f -- "$self")
case $self in /*) ;; *) self=$PWD/$self ;; esac
here=${{self%/*}}/..
export MZN_STDLIB_DIR="$here/share/minizinc"
exec "$here/lib/{loader}" --library-path "$here/lib" "$here/libexec/{program}" "$@"
"""


def build_bundle(archive: Archive, scratch: Path, bundle: Path, progress: Progress) -> None:
    """Fill the new folder *bundle* with what the programs need, from packages unpacked under *scratch*.

    What a program loads is asked of the bundle's own loader, and what is missing is looked for in the
    dependencies of the packages that were of use so far, so that little is downloaded in vain.

    Raises:
        AptFailed: a download failed, or no package holds a library that a program loads.
    """
    have: set[str] = set()
    useful = {_LOADER_PACKAGE, *WANTED}
    files = _fetch(archive, useful, scratch, progress)
    have |= useful
    loader = _start(scratch, bundle)
    while missing := _missing(bundle, loader):
        found = {name: path for name in missing if (path := _look_up(scratch, name)) is not None}
        for name, path in found.items():
            shutil.copyfile(path, bundle / "lib" / name)
            useful.add(path.relative_to(scratch).parts[0])
        if found:
            continue
        next_ones = {name for package in useful for name in dependencies(files[package])}
        next_ones = (next_ones & archive.packages.keys()) - have or archive.packages.keys() - have
        if not next_ones:
            raise AptFailed(f"no package holds {listed(sorted(missing))}")
        files |= _fetch(archive, next_ones, scratch, progress)
        have |= next_ones


def _fetch(archive: Archive, names: set[str], scratch: Path, progress: Progress) -> dict[str, Path]:
    """Download *names* and unpack each one into its own folder, named after it."""
    files = download(archive, sorted(names), progress)
    for name, file in files.items():
        unpack(file, scratch / name)
    return files


def _start(scratch: Path, bundle: Path) -> str:
    """Lay out *bundle* with all but the libraries, and return the file name of the loader."""
    loader = next(iter(_loaders(scratch / _LOADER_PACKAGE)), None)
    if loader is None:
        raise AptFailed(f"package {_LOADER_PACKAGE} holds no dynamic loader")
    for name in ("bin", "lib", "libexec"):
        (bundle / name).mkdir(parents=True)
    shutil.copy(loader.resolve(), bundle / "lib" / loader.name)
    for package in WANTED:
        shutil.copytree(
            scratch / package / "usr/share/minizinc", bundle / "share/minizinc", dirs_exist_ok=True
        )
    for program in PROGRAMS:
        source = next(
            path for package in WANTED if (path := scratch / package / "usr/bin" / program).exists()
        )
        shutil.copy(source, bundle / "libexec" / program)
        wrapper = bundle / "bin" / program
        wrapper.write_text(_WRAPPER.format(program=program, loader=loader.name))
        wrapper.chmod(0o755)
    for configuration in (bundle / "share/minizinc/solvers").iterdir():
        if configuration.name not in CONFIGURATIONS:
            configuration.unlink()
    return loader.name


def _loaders(package: Path) -> Iterator[Path]:
    """Yield the dynamic loaders of a C library: one file, called ``ld-linux-....so.2`` or ``ld64.so.2``."""
    for pattern in ("ld-linux*.so.*", "ld64.so.*"):
        yield from (path for path in package.rglob(pattern) if path.resolve().is_file())


def _missing(bundle: Path, loader: str) -> set[str]:
    """Return the libraries that some program loads and that do not come from the bundle's own folder."""
    library = bundle / "lib"
    missing: set[str] = set()
    for program in PROGRAMS:
        said = run(
            [library / loader, "--inhibit-cache", "--library-path", library, bundle / "libexec" / program],
            env={"LD_TRACE_LOADED_OBJECTS": "1"},  # unlike --list, goes on where a library is missing
        )
        if said.returncode != 0:
            raise AptFailed(f"the loader of Debian {RELEASE} does not start here: {said.stderr.strip()}")
        for name, place in re.findall(
            r"(?m)^\s+(\S+) => (not found|/.*?)(?: \(0x[0-9a-f]+\))?$", said.stdout
        ):
            if Path(name).name != loader and Path(place).parent != library:
                missing.add(name)
    return missing


def _look_up(scratch: Path, library: str) -> Path | None:
    """Return the file that unpacked packages hold under the name *library*."""
    # Files further down are builds of the same library for newer processors, or plugins of the same name.
    paths = sorted(scratch.glob(f"*/usr/lib/**/{library}"), key=lambda path: (len(path.parts), path))
    return next((path for path in paths if path.is_file()), None)
