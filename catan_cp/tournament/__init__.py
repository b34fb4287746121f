"""Tournaments: who sits where in which round, one even map a round, and the sheets to print.

``__init__.pyi`` lists what there is; the sheets load matplotlib when they are first asked for.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
