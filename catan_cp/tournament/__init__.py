"""Tournaments: schedules of tables and places, one even map per round, sheets to print.

``__init__.pyi`` lists the public names. The sheets load matplotlib on first use.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
