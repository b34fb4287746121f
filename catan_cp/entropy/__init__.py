"""How even a board is, and boards made to measure: the scorer and the swap search.

The room's names are listed in ``__init__.pyi``; each is loaded on first use.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
