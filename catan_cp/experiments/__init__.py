"""The experiments of the published works, on these boards and on others, and their figures.

``__init__.pyi`` lists what there is.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
