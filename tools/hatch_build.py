"""Build hooks: the wheel carries the built web page, and the README gets absolute links."""

import re
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface


class PageHook(BuildHookInterface[Any]):
    """Add ``page/dist`` to the wheel if it is built (``make page``)."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Map the page to ``catan_cp/web``. An editable install finds it in the checkout."""
        page = Path(self.root, "page", "dist")
        if version != "editable" and (page / "index.html").is_file():
            build_data["force_include"][str(page)] = "catan_cp/web"


class ReadmeHook(MetadataHookInterface):
    """Set the text that a package index shows."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Replace the links into the repository by addresses of this version's tag."""
        address = metadata["urls"]["Repository"]
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        text = text.replace(" Replace ADDRESS with the address of this repository.", "").replace(
            "ADDRESS", address
        )
        for start, kind in ((r"!\[[^\]]*\]\(", "raw"), (r"\]\(", "blob")):
            target = rf"\g<0>{address}/{kind}/v{metadata['version']}/"
            text = re.sub(rf"{start}(?!https?:|#|mailto:)", target, text)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
