"""The bill of materials of the wheel (CycloneDX 1.6): packages, WebAssembly, dependencies."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
SHIPPED = (
    "minizinc",
    "preact",
    "qrcode-generator",
    "prism-code-editor",
    "@fontsource-variable/figtree",
)
"""The npm packages whose files are in the built page.

All others only build or test it.
"""


def bill_of_materials(version: str) -> dict[str, Any]:
    """Return the bill of materials of the version.

    Without a date, two builds are equal.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    locked = json.loads((ROOT / "page/package-lock.json").read_text(encoding="utf-8"))["packages"]
    parts = json.loads((ROOT / "page/licences/inside.json").read_text(encoding="utf-8"))
    components: list[dict[str, Any]] = []
    for name in SHIPPED:
        package = locked[f"node_modules/{name}"]
        purl = f"pkg:npm/{name.replace('@', '%40')}@{package['version']}"
        components.append(_component(name, package["license"], package["version"], purl))
    minizinc = components[0]
    minizinc["components"] = [
        {
            **_component(part["name"], part["licence"]),
            "externalReferences": [{"type": "vcs", "url": part["source"]}],
        }
        for part in parts
    ]
    for requirement in project["dependencies"]:
        name = re.split(r"[<>=!~ ]", requirement, maxsplit=1)[0]
        range_of = {"name": "catan-cp:required-versions", "value": requirement.removeprefix(name)}
        components.append(
            {
                "type": "library",
                "bom-ref": f"pkg:pypi/{name}",
                "name": name,
                "purl": f"pkg:pypi/{name}",
                "scope": "required",
                "properties": [range_of],
            }
        )
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library",
                "bom-ref": "catan-cp",
                "name": "catan-cp",
                "version": version,
                "purl": f"pkg:pypi/catan-cp@{version}",
                "licenses": [{"expression": project["license"]}],
            }
        },
        "components": components,
        "dependencies": [{"ref": "catan-cp", "dependsOn": [part["bom-ref"] for part in components]}],
    }


def _component(name: str, licence: str, version: str = "", purl: str = "") -> dict[str, Any]:
    component: dict[str, Any] = {"type": "library", "name": name, "licenses": [{"license": {"id": licence}}]}
    if version:
        component |= {"version": version, "purl": purl}
    return component | {"bom-ref": purl or name}
