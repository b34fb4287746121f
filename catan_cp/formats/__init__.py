"""Boards and openings that other programs wrote.

The public names are listed in ``__init__.pyi``. Each is loaded on first use.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
