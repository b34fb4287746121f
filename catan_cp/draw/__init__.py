"""Pictures of boards, and charts of plain numbers, listed in ``__init__.pyi``; each is loaded on first use.

Nothing loads matplotlib before, so what is imported here may be imported anywhere.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
