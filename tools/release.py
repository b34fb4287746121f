"""Build the files of a release twice, and install them like a user (``make release``).

The result is the folder ``dist/release``: sdist, wheel, web page, documentation, bill of materials, digests.
Both builds start from a fresh clone of the last commit and must be equal byte for byte. Nothing is uploaded.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from tools.sbom import bill_of_materials

ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent
QUICK = ("tests/boards", "tests/house/test_package.py", "tests/rules/test_models.py")
"""Tests that run from the unpacked sdist."""
PAGE = "page --no-browser --port 0 --minutes 0.01"
"""The command that serves the page for a moment."""


def main() -> None:
    """Build, compare, check and install."""
    _need_clean()
    final = ROOT / "dist" / "release"
    with tempfile.TemporaryDirectory(prefix="catan-cp release ") as name:
        work = Path(name)
        commit = _run(["git", "rev-parse", "HEAD"], ROOT).strip()
        first, second = (_build(commit, work / f"build {number}") for number in (1, 2))
        _compare(first, second)
        _check(first)
        _test_sdist(first, work / "sdist")
        _install(first, work)
        shutil.rmtree(final, ignore_errors=True)
        shutil.copytree(first, final)
    _report(f"the release is in {final}")


def _report(text: str) -> None:
    print(f"release: {text}", flush=True)


def _run(command: Sequence[str | Path], cwd: Path, env: Mapping[str, str] | None = None) -> str:
    """Run a command, and return its output.

    A failure ends the release with the output.
    """
    result = subprocess.run(command, cwd=cwd, env=env, text=True, capture_output=True, check=False)
    if result.returncode != 0:
        words = " ".join(map(str, command))
        sys.exit(f"release: {words} fails in {cwd}:\n{result.stdout[-4000:]}{result.stderr[-4000:]}")
    return result.stdout


def _need_clean() -> None:
    changed = _run(["git", "status", "--porcelain"], ROOT)
    if changed:
        sys.exit(f"release: the checkout must equal its last commit; commit or remove:\n{changed}")


def _build(commit: str, work: Path) -> Path:
    """Build all artifacts of a commit from a fresh clone, and return their folder."""
    _report(f"building in {work}")
    clone, out = work / "catan_cp", work / "release"
    out.mkdir(parents=True)
    _run(["git", "clone", "--quiet", ROOT, clone], work)
    _run(["git", "checkout", "--quiet", "--detach", commit], clone)
    environment = {
        **os.environ,
        "PYTHONPATH": str(clone),
        "PYTHON": sys.executable,
        "SOURCE_DATE_EPOCH": "1577836800",
    }
    _run(["npm", "ci", "--silent"], clone / "page")
    _run(["npm", "run", "--silent", "build"], clone / "page", environment)
    _run([BIN / "python", "-m", "build", "--no-isolation", "--outdir", out, clone], work, environment)
    (wheel,) = out.glob("*.whl")
    direct = work / "from the checkout"
    _run(
        [BIN / "python", "-m", "build", "--no-isolation", "--wheel", "--outdir", direct, clone],
        work,
        environment,
    )
    if (direct / wheel.name).read_bytes() != wheel.read_bytes():
        sys.exit("release: the wheel from the sdist differs from the wheel from the checkout")
    version = wheel.name.split("-")[1]
    html = work / "docs"
    _run([BIN / "sphinx-build", "-W", "-q", "-b", "html", clone / "docs", html], clone, environment)
    shutil.rmtree(html / ".doctrees", ignore_errors=True)
    _zip(html, out / f"catan-cp-docs-{version}.zip")
    _zip(clone / "page/dist", out / f"catan-cp-page-{version}.zip")
    bill = json.dumps(bill_of_materials(version), indent=2)
    (out / f"catan-cp-{version}.cdx.json").write_text(bill + "\n", encoding="utf-8")
    sums = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in sorted(out.iterdir())
    ]
    (out / "SHA256SUMS").write_text("".join(sums), encoding="utf-8")
    return out


def _zip(folder: Path, target: Path) -> None:
    """Write the files of *folder* with one date, in order of their names."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                entry = zipfile.ZipInfo(path.relative_to(folder).as_posix(), (2020, 1, 1, 0, 0, 0))
                entry.external_attr = 0o644 << 16
                archive.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)


def _compare(first: Path, second: Path) -> None:
    names = sorted(path.name for path in first.iterdir())
    if names != sorted(path.name for path in second.iterdir()):
        sys.exit(f"release: the second build has other files than {names}")
    if unequal := [name for name in names if (first / name).read_bytes() != (second / name).read_bytes()]:
        result = ROOT / "dist" / "unequal"
        shutil.rmtree(result, ignore_errors=True)
        for number, folder in enumerate((first, second), 1):
            shutil.copytree(folder, result / str(number))
        sys.exit(f"release: two builds differ in {', '.join(unequal)}; both are in {result}")
    _report(f"two builds are equal: {', '.join(names)}")


def _check(release: Path) -> None:
    """Run the checkers of packages, licences and the bill of materials."""
    (wheel,), (sdist,) = release.glob("*.whl"), release.glob("*.tar.gz")
    _report(_run([BIN / "twine", "check", "--strict", wheel, sdist], ROOT).strip())
    # W002: the web page needs copies of the models among its own files.
    _report(
        _run([BIN / "check-wheel-contents", "--ignore", "W002", wheel], ROOT)
        .strip()
        .replace(str(release), "")
    )
    _report(_run([BIN / "reuse", "lint", "--lines"], ROOT).strip() or "reuse: every file has a licence")
    _run([BIN / "zizmor", "--offline", "--quiet", "--min-severity", "medium", ".github/workflows"], ROOT)
    _report("zizmor: no finding of medium or high severity in the workflows")
    from rattler_build import Stage0Recipe, VariantConfig

    Stage0Recipe.from_file(ROOT / "tools/conda/recipe.yaml").render(VariantConfig())
    _report("the conda recipe is valid")
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    (bill,) = release.glob("*.cdx.json")
    if problem := JsonStrictValidator(SchemaVersion.V1_6).validate_str(bill.read_text(encoding="utf-8")):
        sys.exit(f"release: {bill.name} is not CycloneDX 1.6: {problem}")
    _report(f"{bill.name} is valid CycloneDX 1.6")


def _test_sdist(release: Path, work: Path) -> None:
    (sdist,) = release.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(work, filter="data")
    (home,) = work.iterdir()
    words = ["-m", "pytest", "-q", "-n", "2", "-m", "not slow", "-p", "no:cacheprovider", *QUICK]
    lines = _run([BIN / "python", *words], home, {**os.environ, "PYTHONPATH": str(home)}).splitlines()
    _report(f"tests from the unpacked sdist: {lines[-1]}")


def _install(release: Path, work: Path) -> None:
    """Install the wheel with pip, pipx and uv from a folder alone, on a bare machine."""
    index = work / "index"
    shutil.copytree(release, index)
    (wheel,) = index.glob("*.whl")
    _report("downloading the dependencies, which the installs below then take from a folder")
    # pipx and uv create environments without pip's own index, so pip and setuptools stand in the folder too.
    _run(
        [BIN / "python", "-m", "pip", "download", "--quiet", "--dest", index, f"{wheel}[solver]", "pip"], work
    )
    for installer in ("pip", "pipx", "uv", "README"):
        home = work / f"home of {installer}"
        home.mkdir()
        environment = _bare_environment(home, index)
        programs = _INSTALLERS[installer](home, environment)
        _use(programs, home, environment)
        _report(f"{installer}: a board, the page and the quickstart work")


def _bare_environment(home: Path, index: Path) -> dict[str, str]:
    """Return the environment of a machine without MiniZinc and Node, whose index is a folder."""
    tools = home / "tools"
    tools.mkdir()
    for tool in ("env", "sh", "uname", "readlink", "cat"):
        if (place := shutil.which(tool)) is not None:
            (tools / tool).symlink_to(place)
    return {
        "PATH": str(tools),
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": index.as_uri(),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "UV_NO_INDEX": "1",
        "UV_FIND_LINKS": str(index),
        "UV_PYTHON": sys.executable,
        "UV_OFFLINE": "1",
        "PIPX_DEFAULT_PYTHON": sys.executable,
        "USE_EMOJI": "0",
    }


def _with_pip(home: Path, environment: Mapping[str, str]) -> Path:
    _run([sys.executable, "-m", "venv", "venv"], home, environment)
    _run([home / "venv/bin/pip", "install", "--quiet", "catan-cp[solver]"], home, environment)
    return home / "venv/bin"


def _with_pipx(home: Path, environment: Mapping[str, str]) -> Path:
    _run([BIN / "pipx", "install", "--backend", "pip", "catan-cp[solver]"], home, environment)
    _run([home / ".local/bin/catan-cp", "--version"], home, environment)
    return home / ".local/share/pipx/venvs/catan-cp/bin"


def _with_uv(home: Path, environment: Mapping[str, str]) -> Path:
    _run([BIN / "uv", "venv", "--quiet", "venv"], home, environment)
    _run(
        [BIN / "uv", "pip", "install", "--quiet", "--python", home / "venv/bin/python", "catan-cp[solver]"],
        home,
        environment,
    )
    return home / "venv/bin"


def _as_in_the_readme(home: Path, environment: Mapping[str, str]) -> Path:
    """Type the lines of the README's block that installs with pip."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    block = next(
        block
        for block in re.findall(r"```\w+\n(.*?)```", text, re.DOTALL)
        if "pip install 'catan-cp" in block
    )
    _run([sys.executable, "-m", "venv", "venv"], home, environment)
    path = f"{home / 'venv/bin'}{os.pathsep}{environment['PATH']}"
    _run(["/bin/sh", "-ec", block], home, {**environment, "PATH": path})
    return home / "venv/bin"


_INSTALLERS = {"pip": _with_pip, "pipx": _with_pipx, "uv": _with_uv, "README": _as_in_the_readme}


def _use(programs: Path, home: Path, environment: Mapping[str, str]) -> None:
    """Generate boards with the solver, serve the page, and run the README's quickstart."""
    folder = home / "empty folder"
    folder.mkdir()
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    quickstart = text.partition("## Quickstart in Python")[2].partition("```python\n")[2].partition("```")[0]
    check = "import catan_cp; assert catan_cp.generate_board(method='solver', seed=1).has_markers"
    _run([programs / "python", "-I", "-c", f"{check}\n{quickstart}"], folder, environment)
    for line in ("generate --rules optimal --method solver --save board.png", PAGE):
        _run([programs / "catan-cp", *line.split()], folder, environment)
    for name in ("mine.png", "board.png"):
        if not (folder / name).stat().st_size:
            sys.exit(f"release: {name} is empty")


if __name__ == "__main__":
    main()
