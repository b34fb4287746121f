"""Write what other files say about a release from pyproject.toml, `__version__` and CITATION.cff.

``make metadata`` runs it after a change of the version or of the repository's address. ``--check`` changes
nothing, and fails if a file differs.
"""

import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]


def texts() -> dict[str, str]:
    """Return the text that each generated file must have, by its path in the checkout."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    front = (ROOT / "catan_cp/__init__.py").read_text(encoding="utf-8")
    (version,) = re.findall(r'(?m)^__version__ = "(.*)"$', front)
    urls, title = project["urls"], "catan_cp: Catan boards as a constraint problem"
    address = urls["Repository"]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    citation = re.sub(r"(?m)^version: .*$", f"version: {version}", citation)
    citation = re.sub(r"(?m)^repository-code: .*$", f'repository-code: "{address}"', citation)
    citing = (ROOT / "docs/citing.md").read_text(encoding="utf-8")
    citing = re.sub(r"(?m)^  version = .*$", f"  version = {{{version}}},", citing)
    citing = re.sub(r"(?m)^  url = .*$", f"  url = {{{address}}},", citing)
    recipe = (ROOT / "tools/conda/recipe.yaml").read_text(encoding="utf-8")
    recipe = re.sub(r'(?m)^  version: ".*"$', f'  version: "{version}"', recipe)
    for field, name in (
        ("homepage", "Repository"),
        ("repository", "Repository"),
        ("documentation", "Documentation"),
    ):
        recipe = re.sub(rf"(?m)^  {field}: .*$", f"  {field}: {urls[name]}", recipe)
    people = {"@type": "Organization", "name": project["authors"][0]["name"]}
    codemeta = {
        "@context": "https://w3id.org/codemeta/3.0",
        "@type": "SoftwareSourceCode",
        "name": "catan_cp",
        "description": project["description"],
        "version": version,
        "author": people,
        "license": "https://spdx.org/licenses/MIT",
        "codeRepository": address,
        "issueTracker": urls["Issues"],
        "buildInstructions": f"{address}/blob/main/README.md",
        "programmingLanguage": ["Python", "MiniZinc", "TypeScript"],
        "runtimePlatform": f"Python {project['requires-python']}",
        "softwareRequirements": project["dependencies"],
        "keywords": project["keywords"],
        "developmentStatus": "active",
    }
    zenodo: dict[str, Any] = {
        "title": title,
        "description": project["description"],
        "creators": [{"name": people["name"]}],
        "upload_type": "software",
        "access_right": "open",
        "license": "MIT",
        "keywords": project["keywords"],
        "version": version,
        "related_identifiers": [
            {"identifier": address, "relation": "isSupplementTo", "scheme": "url"},
            *(
                {"identifier": source, "relation": "isDerivedFrom", "scheme": "url"}
                for source in re.findall(r'(?m)^    (?:url|repository-code): "(.*)"$', citation)
            ),
        ],
    }
    return {
        "CITATION.cff": citation,
        "docs/citing.md": citing,
        "tools/conda/recipe.yaml": recipe,
        "codemeta.json": json.dumps(codemeta, indent=2) + "\n",
        ".zenodo.json": json.dumps(zenodo, indent=2) + "\n",
    }


def main() -> None:
    """Write the files, or compare them."""
    differing = []
    for name, text in texts().items():
        path = ROOT / name
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            differing.append(name)
            if "--check" not in sys.argv:
                path.write_text(text, encoding="utf-8")
    if differing and "--check" in sys.argv:
        sys.exit(f"{', '.join(differing)}: differs from pyproject.toml or the version; run make metadata")
    print("\n".join(differing) or "all files are up to date")


if __name__ == "__main__":
    main()
