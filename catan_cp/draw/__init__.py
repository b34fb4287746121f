"""Pictures of boards, and charts of plain numbers; ``__init__.pyi`` lists them.

The first picture that is drawn loads matplotlib.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
