"""Actions that the package never takes, the contents of its builds, and reproducible builds."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import catan_cp
from tests.conftest import script
from tests.mutation.rows import MUTANTS

PACKAGE = Path(catan_cp.__file__).parent
ROOT = PACKAGE.parent
MODULES = sorted(PACKAGE.rglob("*.py"))

NEVER = re.compile(
    r"""(?<![\w.])(?:compile|__import__)\(|\.extractall\(|allow_pickle=True|subprocess\.\w+\(\s*f?["']"""
)
"""Code that runs text, unpickles or writes anywhere, and that no rule of ruff finds."""


def test_nothing_runs_text_or_unpickles():
    """The rules of ruff find the rest: see S and the banned names in pyproject.toml."""
    assert [path for path in MODULES if NEVER.search(path.read_text(encoding="utf-8"))] == []
    for code in ("compile(x)", "a.extractall(b)", "load(x, allow_pickle=True)", "subprocess.run(f'rm {x}')"):
        assert NEVER.search(code)
    assert not NEVER.search("re.compile(x)")


def test_named_extras_exist():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    texts = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("notebooks/*.ipynb"), *MODULES]
    extras = {
        name
        for path in texts
        for names in re.findall(r"pip install 'catan-cp\[([^\]]*)\]", path.read_text(encoding="utf-8"))
        for name in names.split(",")
    }
    assert {"solver", "fast", "frame"} <= extras - {"{name}"} <= set(project["optional-dependencies"])


def test_no_file_names_machine():
    words = re.compile(
        rf"{re.escape(str(ROOT))}|{re.escape(str(Path.home()))}/|pypi\.org|pythonhosted|/root/"
    )
    for path in (*MODULES, *ROOT.glob("models/*.mzn"), ROOT / "pyproject.toml", ROOT / "Makefile"):
        assert not words.search(path.read_text(encoding="utf-8")), path


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_make_board_prints_next_steps(tmp_path):
    script(tmp_path / "catan-cp", 'echo called: "$@"')
    result = subprocess.run(
        ["make", "--no-print-directory", "--old-file=.venv/installed", "board", f"BIN={tmp_path}"],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if not name.startswith("MAKE")},
        capture_output=True,
        text=True,
        check=True,
    )
    first, *rest = result.stdout.splitlines()
    assert first == "called: generate --rules tournament --save board.png --force"
    output = "\n".join(rest)
    for way in ("source {}/activate", "{}/catan-cp --help", "pipx install .", "or: pip install ."):
        assert way.format(tmp_path) in output


def test_oldest_versions_are_those_tested():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    bounds = dict(re.findall(r"^([\w-]+)>=([\d.]+)(?=,|$)", line)[0] for line in project["dependencies"])
    lines = (ROOT / "tests" / "oldest.txt").read_text(encoding="utf-8").splitlines()
    oldest = dict(line.split("==") for line in lines if not line.startswith("#"))
    for name, bound in bounds.items():
        version = bound.split(".")
        assert oldest[name].split(".")[: len(version)] == version, f"{name}: {oldest[name]} is not {bound}"


# Wheel and sdist

LICENSES = ("MPL-2.0", "EPL-2.0", "Bitstream-Vera", "OFL-1.1")


def build(target: Path) -> dict[str, Path]:
    """A wheel and an sdist, as hatchling makes them of the checkout."""
    code = (
        "import sys, hatchling.build as build; "
        "print(build.build_wheel(sys.argv[1])); print(build.build_sdist(sys.argv[1]))"
    )
    target.mkdir()
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1577836800"}
    subprocess.run(
        [sys.executable, "-c", code, str(target)], cwd=ROOT, env=environment, check=True, capture_output=True
    )
    (wheel,), (sdist,) = target.glob("*.whl"), target.glob("*.tar.gz")
    return {"wheel": wheel, "sdist": sdist}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    pytest.importorskip("hatchling")
    return build(tmp_path_factory.mktemp("first") / "dist")


@pytest.mark.slow
def test_twice_same_bytes(built, tmp_path):
    again = build(tmp_path / "dist")
    for kind, path in built.items():
        digests = {hashlib.sha256(file.read_bytes()).hexdigest() for file in (path, again[kind])}
        assert len(digests) == 1, kind


def test_contents_of_wheel(built):
    with zipfile.ZipFile(built["wheel"]) as wheel:
        names = wheel.namelist()
        dates = {item.date_time[:3] for item in wheel.infolist()}
        (path,) = (name for name in names if name.endswith("METADATA"))
        text = wheel.read(path).decode()
    assert dates == {(2020, 1, 1)}
    assert len(names) == len(set(names))
    code = {
        path.relative_to(ROOT).as_posix() for pattern in ("*.py", "*.pyi") for path in PACKAGE.rglob(pattern)
    }
    for folder in ("models", "layouts"):
        code |= {f"catan_cp/{folder}/{path.name}" for path in (ROOT / folder).iterdir()}
    assert code | {"catan_cp/py.typed"} <= set(names)
    allowed = (
        r"catan_cp-[\d.]+\.dist-info/(METADATA|WHEEL|RECORD|entry_points\.txt|licenses/(LICENSE|.*\.txt))"
    )
    allowed += r"|catan_cp/(web/.*|.*\.(json|npz|csv|cjs|msc)|py\.typed)"
    allowed += r"|catan_cp/.*/library/(fzn_all_different_int|redefinitions)\.mzn"
    assert {name for name in set(names) - code if not re.fullmatch(allowed, name)} == set()
    assert ("catan_cp/web/index.html" in names) == (ROOT / "page/dist/index.html").is_file()
    assert "License-Expression: MIT AND MPL-2.0 AND EPL-2.0 AND Bitstream-Vera AND OFL-1.1\n" in text
    licenses = {"LICENSE", *(f"LICENSES/{name}.txt" for name in LICENSES)}
    assert licenses <= set(re.findall(r"License-File: (.*)", text))
    links = re.findall(r"\]\(([^)]*)\)", text)
    assert len(links) > 30 and all(link.startswith(("https://", "#")) for link in links)
    assert "ADDRESS" not in text


def test_sdist_contains_tests(built):
    with tarfile.open(built["sdist"]) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
        assert all(not member.issym() and not member.islnk() for member in sdist.getmembers())
    texts = (
        "pyproject.toml README.md LICENSE Makefile CONTRIBUTING.md CITATION.cff CHANGELOG.md docs/index.md"
    )
    texts += " docs/paper/paper.md .github/SECURITY.md tools/release.py page/build.mjs tests/oldest.txt"
    assert {*texts.split(), "catan_cp/__init__.py", "models/board.mzn"} <= names
    folders = ("tests", "checks", "tests/fuzz", "benchmarks", "research", "docs/tools")
    paths = [path for folder in folders for path in (ROOT / folder).glob("*.py")]
    assert {path.relative_to(ROOT).as_posix() for path in paths} <= names
    assert not [name for name in names if re.match("tests/fuzz/(corpus|found)|docs/_build", name)]
    assert not [name for name in names if name.endswith((".pyc", ".db"))]


@pytest.mark.slow
def test_sdist_can_run_its_own_tests(built, tmp_path):
    """The sdist contains all of them, and a few that read files beside the package run."""
    with tarfile.open(built["sdist"]) as sdist:
        sdist.extractall(tmp_path, filter="data")
    (home,) = tmp_path.iterdir()
    environment = {**os.environ, "PYTHONPATH": str(home), "PYTHONDONTWRITEBYTECODE": "1"}
    for words in (["--collect-only"], ["tests/rules/test_models.py", "-k", "magic_squares or blog"]):
        result = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words],
            cwd=home,
            env=environment,
            capture_output=True,
            text=True,
        )
        assert result.returncode == 0, result.stdout[-3000:] + result.stderr
    assert "no tests ran" not in result.stdout


@pytest.mark.slow
def test_type_checker_reads_types_of_wheel(built, tmp_path):
    """Without py.typed, every name of the package has the type Any for its users."""
    site = tmp_path / "site"
    with zipfile.ZipFile(built["wheel"]) as wheel:
        wheel.extractall(site)
    assert (site / "catan_cp" / "py.typed").is_file()  # else mypy looks on, for another copy that has one
    client = tmp_path / "client.py"
    lines = (
        "board = catan_cp.Board.from_notation('a')",
        "reveal_type(board)",
        "catan_cp.efficiency_error(3)",
    )
    client.write_text("\n".join(["import catan_cp", *lines]))
    result = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--config-file=", "client.py"],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": "", "PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert 'Revealed type is "catan_cp.boards.board.Board"' in result.stdout, result.stdout + result.stderr
    assert "client.py:4: error" in result.stdout


def test_each_mutant_changes_one_place():
    """`make mutants` takes minutes and is not in CI, so its table is compared with the code."""
    counts = {(m.file, m.old): (ROOT / m.file).read_text(encoding="utf-8").count(m.old) for m in MUTANTS}
    assert {place: count for place, count in counts.items() if count != 1} == {}
    files = {test.split("::")[0] for m in MUTANTS for test in m.tests}
    assert not [name for name in files if not (ROOT / "tests" / name).is_file()]
