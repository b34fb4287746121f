"""The pages are correct: examples run, figures are reproduced, and nothing is missing.

In README.md and docs/*.md, a block of Python runs. If it has prompts, it must print the output that it
shows. A ``console`` block runs each line after a ``$`` and must print the next lines. The lines of a ``sh``
block that start with ``catan-cp`` run, and a ``toml`` block is a rules file. Each page runs in a separate
folder. The page on studies contains commands for nights and clusters, so they are only compared with the
existing commands.
"""

import ast
import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

import catan_cp
from catan_cp import LAYOUTS, Rules, cli
from catan_cp.rules.rules import PRESETS
from catan_cp.search.engines import ENGINES, METHODS
from docs.tools import manual, pictures, reference, structure

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
README = ROOT / "README.md"
PAGES = [README, *sorted(DOCS.glob("*.md"))]
LONG = {"studies.md"}
SLOW = {
    *("count_models.md", "counting.md", "evenness.md", "generate.md"),
    *("layouts.md", "manual.md", "measures.md", "placement.md", "play.md", "printing.md"),
    *("prove.md", "tournament.md", "write_rules.md"),
}
"""Their examples take six seconds to half a minute each, and run with the long tests."""
ALONE = {"README.md"}
"""Its shell lines run with the long tests, each alone and twice, and all in a fresh clone."""
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

_FENCE = re.compile(r"^```(?P<open>.*?)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_KIND = re.compile(r"(?:\{code-block\} )?(\w+)$")
_CAPTION = re.compile(r"\A:caption: (\S+)\n\n")


class Block(NamedTuple):
    """A fenced block of a page."""

    kind: str
    text: str
    line: int


def blocks(page):
    text = page.read_text(encoding="utf-8")
    for match in _FENCE.finditer(text):
        kind = _KIND.match(match["open"].strip())
        if kind is not None:
            yield Block(kind[1], match["text"], text.count("\n", 0, match.start()) + 2)


# Examples


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=pytest.mark.slow) if page.name in SLOW else page
        for page in PAGES
        if page.name not in LONG
    ],
    ids=lambda page: page.name,
)
def test_examples_on_pages_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("board.png").touch()  # make board has drawn it
    names: dict[str, object] = {"__name__": "__main__"}
    for block in blocks(page):
        place = f"{page.name}, line {block.line}"
        if block.kind == "pycon" or (block.kind == "python" and ">>> " in block.text):
            run_session(block, page, names)
        elif block.kind == "python":
            exec(compile("\n" * (block.line - 1) + block.text, page, "exec"), names)
        elif block.kind == "console":
            run_console(block.text, place)
        elif block.kind == "sh" and page.name not in ALONE:
            for command in block.text.splitlines():
                if command.startswith("catan-cp"):
                    shell(command, place)
        elif block.kind == "toml":
            keep_rules(block.text)


def command_lines():
    section = README.read_text(encoding="utf-8").partition("## On the command line")[2]
    return section.partition("```sh\n")[2].partition("```")[0].splitlines()


@pytest.mark.slow
@pytest.mark.parametrize("command", [line for line in command_lines() if line.startswith("catan-cp")])
def test_command_lines_work_twice(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shell(command, "README.md")
    shell(command, "README.md")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_readme_and_tutorial_in_fresh_clone(tmp_path):
    clone = tmp_path / "catan_cp"
    env = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "VIRTUAL_ENV"))}
    env["PATH"] = os.pathsep.join(
        part for part in env["PATH"].split(os.pathsep) if Path(part) != Path(sys.executable).parent
    )
    env["PYTHON"] = shutil.which("python3", path=env["PATH"]) or sys.executable
    lines = [line for block in blocks(README) if block.kind == "sh" for line in block.text.splitlines()]
    assert lines[0] == "git clone ADDRESS catan_cp && cd catan_cp" and lines[1].startswith("make board")
    lines[0] = lines[0].replace("ADDRESS", f"--quiet {shlex.quote(str(ROOT))}")
    text = (DOCS / "tutorial.md").read_text(encoding="utf-8")
    lines += [line[2:] for line in text.splitlines() if line.startswith("$ ")]
    script = "\n".join(["set -eo pipefail", *lines])
    result = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
        timeout=1800,
        check=False,
    )
    assert result.returncode == 0, result.stdout[-2000:] + result.stderr[-2000:]
    assert any(line.startswith("source ") for line in lines)
    for name in ("board.png", "even.png", "settle.png", "tonight.pdf", "place.png"):
        assert (clone / name).stat().st_size > 10_000, name


def run_session(block, page, names):
    session = doctest.DocTestParser().get_doctest(block.text, names, page.name, str(page), block.line - 1)
    output: list[str] = []
    doctest.DocTestRunner(optionflags=FLAGS).run(session, out=output.append, clear_globs=False)
    names.update(session.globs)
    assert not output, "".join(output)


def run_console(text, place):
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        got = shell(command, place)
        same = doctest.OutputChecker().check_output(expected, got, FLAGS)
        assert same, f"{place}: {command}\nwanted:\n{expected}\ngot:\n{got}"


def shell(command, place):
    """Run a command line as a reader would, and return what it prints on standard output."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    result = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert result.returncode == 0, (
        f"{place}: {command}\nstatus {result.returncode}\n{result.stdout}{result.stderr}"
    )
    return result.stdout


def keep_rules(text):
    """A rules file: it must be valid.

    If it has a caption, it is written under that name.
    """
    caption = _CAPTION.match(text)
    body = _CAPTION.sub("", text)
    path = Path(caption[1] if caption is not None else "unnamed.toml")
    path.write_text(body, encoding="utf-8")
    Rules.from_toml(path)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_on_pages_exist(page):
    known = dict(manual_sections())
    count = 0
    for block in blocks(page):
        if block.kind not in ("sh", "console"):
            continue
        for call in re.findall(r"^(?:.*?[$|] )?catan-cp ([^|#\n]*)", block.text, re.MULTILINE):
            words = call.split()
            name = " ".join(words[: 2 if words[0] == "entropy" else 1])
            assert name in known, f"{page.name}: there is no catan-cp {name}"
            used = {word for word in words if re.fullmatch(r"--[a-z][a-z-]*", word)} - {"--help"}
            assert used <= options(known[name]), f"{page.name}: catan-cp {call}"
            count += 1
    assert count or page.name not in {"README.md", *LONG}


# Nothing is left out


def test_every_public_name_is_in_reference():
    pages = [path.read_text(encoding="utf-8") for path in sorted((DOCS / "reference").glob("*.md"))]
    assert len(pages) >= 5  # by subject: one page of all was 57,000 pixels long on a phone
    page = "\n".join(pages)
    packages = [room for names in re.findall(r"<!-- names: ([a-z_. ]+) -->", page) for room in names.split()]
    assert len(packages) == len(set(packages))
    assert set(reference.public_names()) <= set(packages)
    assert {name for names in reference.public_names().values() for name in names} == set(
        vars(catan_cp)["__all__"]
    )
    for name in set(vars(catan_cp)["__all__"]) - {"LAYOUTS"}:  # whose words are below it
        assert getattr(catan_cp, name).__doc__, f"{name} has no docstring"


def test_rules_table_is_complete():
    page = (DOCS / "rules.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `(\w+)` \| .* \| .* \| .* \|$", page, re.MULTILINE) == list(
        Rules.__dataclass_fields__
    )
    presets = re.findall(r"^\| `(\w+)` \| [^|]* \| [^|]* \|$", page, re.MULTILINE)
    assert sorted(presets) == sorted(PRESETS)


def manual_sections():
    page = manual.filled(manual.PLACE)
    return dict(re.findall(r"^### catan-cp (.*)\n((?:(?!^### ).*\n?)*)", page, re.MULTILINE))


def options(section):
    """The options that a section of the manual lists."""
    return set(re.findall(r"--[a-z][a-z-]*", " ".join(re.findall(r"^`(.*)`$", section, re.MULTILINE))))


def test_manual_is_complete(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    sections = manual_sections()
    for name, section in sections.items():
        with pytest.raises(SystemExit):
            cli.main([*name.split(), "--help"])
        output = capsys.readouterr().out
        arguments = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", output.partition("Options")[2])) - {"--help"}
        assert options(section) == arguments, name
    with pytest.raises(SystemExit):
        cli.main(["--help"])
    listed = capsys.readouterr().out.partition("Make boards")[2]
    commands = set(re.findall(r"^│ ([a-z]+) +", listed, re.MULTILINE))
    assert commands == {name.split()[0] for name in sections}


@pytest.mark.parametrize("model", sorted(path.stem for path in (ROOT / "models").glob("*.mzn")))
def test_models_explained_whole(model):
    """Every line of a model is on the page, in order, and the page's marks are in the model."""
    page = (DOCS / "models.md").read_text(encoding="utf-8")
    pattern = (
        rf"literalinclude\}} \.\./models/{model}\.mzn\n:language: minizinc\n"
        r':start-at: "(.*)"\n(?::end-before: "(.*)"\n)?```'
    )
    pieces = re.findall(pattern, page)
    lines = (ROOT / "models" / f"{model}.mzn").read_text(encoding="utf-8").splitlines()
    at = 0
    for start, end in pieces:
        number = next((i for i, line in enumerate(lines) if start in line), None)
        assert number == at, f"{start!r} is not what comes next in {model}.mzn"
        at = next((i for i, line in enumerate(lines) if i > at and end and end in line), len(lines))
    assert at == len(lines)


# The drawing of the layers


def module_name(path):
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@cache
def read(path):
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports(path):
    """Return the imports of a module, inside functions too, without those for type checkers."""

    def walk(node):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.If) and getattr(child.test, "id", "") == "TYPE_CHECKING":
                continue
            if isinstance(child, ast.ImportFrom) and (child.module or "").split(".")[0] == "catan_cp":
                names = [f"{child.module}.{alias.name}" for alias in child.names]
                yield from (name if name in MODULES else str(child.module) for name in names)
            yield from walk(child)

    return frozenset(walk(read(path)))


MODULES = {module_name(path): path for path in (ROOT / "catan_cp").rglob("*.py")}


def test_imports_run_downwards():
    layers = structure.layer_of()
    assert set(layers) == {name.split(".")[1] for name in MODULES if "." in name}
    for name, path in MODULES.items():
        for other in imports(path) - {"catan_cp"} if "." in name else ():
            assert layers[other.split(".")[1]] <= layers[name.split(".")[1]], f"{name} imports {other}"
    assert layers["rules"] < layers["solving"] < layers["problem"]
    assert structure.PICTURE.read_text(encoding="utf-8") == structure.drawing()


def test_no_import_cycles():
    """Take away again and again what imports nothing that is left: a circle would remain."""
    remaining = {name: {other for other in imports(path) if other != name} for name, path in MODULES.items()}
    del remaining["catan_cp"]  # which hands names on, and is imported for its version
    while free := {name for name, imported in remaining.items() if not imported & remaining.keys()}:
        for name in free:
            del remaining[name]
    assert not remaining, f"these import each other in a circle: {sorted(remaining)}"


def defined_names(path):
    """Return the names that a module defines outside functions and classes."""
    for node in read(path).body:
        targets = getattr(node, "targets", [getattr(node, "target", node)])
        yield from {getattr(target, "id", getattr(target, "name", None)) for target in targets} - {None}


def test_a_name_has_one_meaning():
    """Modules import a name that another one defines. Each may have a logger."""
    folders = ("boards", "rules", "problem", "counting", "solving", "search")
    paths = (path for folder in folders for path in (ROOT / "catan_cp" / folder).rglob("*.py"))
    names = Counter(name for path in paths for name in defined_names(path))
    assert {name for name, n in names.items() if n > 1} == {"_log", "__all__"}


FIELD = Rules(vertex_pips_max=11, reds_apart=True)


@pytest.mark.parametrize(
    "walk",
    [
        lambda: catan_cp.generate_board("tournament", seed=7),
        lambda: catan_cp.find_violations(FIELD, catan_cp.generate_board("open", seed=1)),
        lambda: catan_cp.count_boards(FIELD),
    ],
)
def test_calls_run_downwards(walk):
    """A seed becomes a board, a field becomes checks and counts. No call enters a higher layer."""
    layers, entries, upwards = structure.layer_of(), set(), set()

    def package_frame(frame):
        while frame and not frame.f_globals.get("__name__", "").startswith("catan_cp."):
            frame = frame.f_back
        return frame

    def enter(frame, event, argument):
        caller = package_frame(frame.f_back)
        if event != "call" or caller is None or package_frame(frame) is not frame:
            return
        names = [f.f_globals["__name__"] for f in (caller, frame)]
        before, after = (layers[name.split(".")[1]] for name in names)
        if before < after:
            upwards.add(tuple(names))
        if Path(frame.f_code.co_filename).name == "rules.py" and names[0] != names[1]:  # not a hash
            entries.add((names[0], caller.f_code.co_qualname, frame.f_code.co_qualname))

    sys.setprofile(enter)
    try:
        walk()
    finally:
        sys.setprofile(None)
    assert not upwards
    assert len(entries) <= 4


def test_few_methods_import_higher_layer():
    """Such a method imports a public name from `catan_cp` in its body. `UPWARD` lists it.

    The command line, in the top layer, calls public names of `catan_cp`.
    """
    results: dict[str, set[str]] = {}
    for name, path in MODULES.items():
        if name.startswith("catan_cp.cli."):
            continue
        for node in ast.walk(read(path)):
            if isinstance(node, ast.ImportFrom) and node.module == "catan_cp":
                names = {alias.name for alias in node.names if f"catan_cp.{alias.name}" not in MODULES}
                results.setdefault(name, set()).update(names)
            elif isinstance(node, ast.Import) and any(alias.name == "catan_cp" for alias in node.names):
                results.setdefault(name, set()).add("catan_cp")
    results = {name.removeprefix("catan_cp."): alias - {"__version__"} for name, alias in results.items()}
    upward = {name: tuple(sorted(alias)) for name, alias in results.items() if alias}
    assert upward == structure.UPWARD
    assert sum(map(len, upward.values())) <= 8


@pytest.mark.slow
def test_pictures_can_be_made_again(tmp_path):
    for path in pictures.draw(tmp_path):
        assert (pictures.FOLDER / path.name).exists()
        assert path.stat().st_size > 10_000


# Figures


def table(page, columns):
    text = (DOCS / page).read_text(encoding="utf-8")
    rows = [
        [cell.strip().replace("`", "") for cell in line[1:-1].split("|")]
        for line in text.splitlines()
        if line.startswith("|")
    ]
    return [row for row in rows if len(row) == columns]


COUNTED = [
    pytest.param(*row, marks=pytest.mark.slow) if row[2:] == ["0", "0"] else row
    for row in table("layouts.md", 4)
    if row[0] in LAYOUTS and row[1] in PRESETS and row[:2] != ["base-5-6", "tournament"]
]
"""The slowest part is to prove that no further solution exists."""


@pytest.mark.parametrize(("layout", "preset", "terrains", "distinct"), COUNTED)
def test_presets_counted_as_page_says(layout, preset, terrains, distinct):
    assert f"{catan_cp.count_terrains(preset, layout):,}" == terrains
    assert f"{catan_cp.count_terrains(preset, layout, up_to_symmetry=True):,}" == distinct


def test_every_figure_names_existing_test():
    rows = [row for row in table("sources.md", 4) if "test_" in row[3]]
    assert len(rows) == 19
    scripts = "".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "examples" / "sources").glob("*.py")
    )
    for result, published, _, file in rows:
        text = (ROOT / ("" if file.startswith("checks/") else "tests") / file).read_text(encoding="utf-8")
        text += scripts if file == "checks/test_sources.py" else ""
        figure = re.search(rf"\b{published.replace(',', '_')}\b", text)
        assert figure or result in text.replace("_", " "), f"{file} has no {result!r}"


def test_table_of_methods():
    rows = [row for row in table("methods.md", 3) if row[0] in METHODS]
    assert rows == [[engine.name, engine.about, engine.reason] for engine in ENGINES]
