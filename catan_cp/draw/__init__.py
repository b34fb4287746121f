"""Pictures of boards.

``__init__.pyi`` lists the public functions. The first plot loads matplotlib.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
