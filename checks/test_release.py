"""The public interface beside its snapshot, and the files with version and address."""

import importlib
import re
import tomllib
from pathlib import Path

import pytest

import catan_cp

ROOT = Path(__file__).parents[1]
SNAPSHOT = Path(__file__).with_name("api.txt")


def interface() -> list[str]:
    """Return one line for each public name: functions and methods with their parameters."""
    griffe = pytest.importorskip("griffe")
    package = griffe.load("catan_cp", search_paths=[str(ROOT)], allow_inspection=False)
    lines = []
    for place in ("", *sorted(vars(catan_cp)["SUBPACKAGES"])):
        module = importlib.import_module(f"catan_cp.{place}".rstrip("."))
        for name in sorted(getattr(module, "__all__", ())):
            value = getattr(module, name)
            home = getattr(value, "__module__", None)
            full = ".".join(filter(None, ("catan_cp", place, name)))
            path = f"{home}.{name}" if home else full
            try:
                lines += described(full, package[path.removeprefix("catan_cp.")])
            except (KeyError, ValueError):  # a constant, or a name that is made by a call
                lines.append(f"{full}: {type(value).__name__}")
    return lines


def described(full: str, item) -> list[str]:
    if item.is_alias:
        item = item.final_target
    if item.is_function:
        return [f"{full}({signature(item)})"]
    if not item.is_class:
        return [full]
    members = sorted(item.all_members.items())
    public = [(name, member) for name, member in members if not name.startswith("_")]
    lines = [f"class {full}({signature(item)})"]
    for name, member in public:
        lines += described(f"{full}.{name}", member) if member.is_function else [f"{full}.{name}"]
    return lines


def signature(item) -> str:
    marks = {"variadic positional": "*", "variadic keyword": "**"}
    words = []
    for parameter in item.parameters:
        if parameter.name in ("self", "cls"):
            continue
        kind = parameter.kind.value if parameter.kind else ""
        if kind == "keyword-only" and not any(word.startswith("*") for word in words):
            words.append("*")
        default = re.sub(r"^_field\((.*?), .*", r"\1", str(parameter.default or ""))  # its reader is private
        default = "" if default in ("", "MISSING") or kind in marks else f"={default}"
        words.append(f"{marks.get(kind, '')}{parameter.name}{default}")
    return ", ".join(words)


def test_public_interface_equals_snapshot():
    stored = SNAPSHOT.read_text(encoding="utf-8").splitlines()
    now = interface()
    gone, new = sorted(set(stored) - set(now)), sorted(set(now) - set(stored))
    assert not (gone or new), f"announce this in CHANGELOG.md, then run make api: gone {gone}, new {new}"
    assert any("generate_board(rules" in line for line in now) and len(now) > 300


def test_names_not_frozen_exist():
    page = (ROOT / "docs" / "stability.md").read_text(encoding="utf-8")
    section = page.partition("not frozen\n")[2].partition("\n## ")[0]
    public = set(re.findall(r"catan_cp\.(\w+(?:\.\w+)?)", SNAPSHOT.read_text(encoding="utf-8")))
    for line in section.replace("\n  ", " ").splitlines():
        if line.startswith("- `"):
            owner, *names = re.findall(r"`(\w+)`", line)
            assert {owner, *(f"{owner}.{name}" for name in names)} <= public, line
        elif line.startswith("- "):
            assert set(re.findall(r"`(\w+)`", line)) <= public


def test_files_state_version_and_address():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version, address = catan_cp.__version__, project["urls"]["Repository"]
    assert "version" in project["dynamic"]
    expected = {
        "CHANGELOG.md": [f"## [{version}]"],
        "CITATION.cff": [f"version: {version}", f'repository-code: "{address}"'],
        "docs/sources.md": [f"  version = {{{version}}},", f"  url = {{{address}}},"],
        "tools/conda/recipe.yaml": [
            *(f'  version: "{version}"', f"  homepage: {address}", f"  repository: {address}"),
            f"  documentation: {project['urls']['Documentation']}",
        ],
    }
    for requirement in project["dependencies"]:
        name = requirement.replace("minizinc>", "minizinc-python>").replace("matplotlib>", "matplotlib-base>")
        expected["tools/conda/recipe.yaml"].append(f"    - {name.replace('>', ' >', 1)}")
    for name, lines in expected.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        assert not [line for line in lines if f"\n{line}" not in text], name


if __name__ == "__main__":
    SNAPSHOT.write_text("\n".join(interface()) + "\n", encoding="utf-8")
