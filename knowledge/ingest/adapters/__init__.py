"""Adapters: one module for each kind of source, found by being here.

Adding one is adding a module that defines `ADAPTER`, and a fixture; nothing else changes.
"""

import importlib
import pkgutil
from functools import cache

from knowledge.ingest.adapter import Adapter


@cache
def adapters() -> dict[str, Adapter]:
    """All adapters by name, in the order in which they are asked."""
    found: list[Adapter] = [
        importlib.import_module(f"{__name__}.{module.name}").ADAPTER
        for module in pkgutil.iter_modules(__path__)
    ]
    return {adapter.name: adapter for adapter in sorted(found, key=lambda a: (a.rank, a.name))}
