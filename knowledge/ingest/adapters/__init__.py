"""Adapters: one module for each kind of source, found by being here; others come as plug-ins.

Adding one here is adding a module that defines `ADAPTER`, and a fixture; nothing else changes. A
package of your own names its adapters as entry points of the group `cairn.adapters`.
"""

import importlib
import pkgutil
from functools import cache
from importlib.metadata import entry_points

from cairn.knowledge.ingest.adapter import Adapter

GROUP = "cairn.adapters"


class AdapterError(Exception):
    """A plug-in's adapter cannot be used; the message names it and says why.

    To go on without it would take away what it read.
    """


@cache
def adapters() -> dict[str, Adapter]:
    """All adapters by name, in the order in which they are asked.

    Raises:
        AdapterError: a plug-in does not load, gives no adapter, or takes the name of another.
    """
    found = dict(own_adapters())
    for entry in sorted(entry_points(group=GROUP)):
        where = f"adapter {entry.name} of {entry.dist.name if entry.dist else 'a plug-in'}"
        try:
            adapter = entry.load()
        except Exception as error:
            raise AdapterError(f"{where} does not load: {type(error).__name__}: {error}") from error
        if not isinstance(adapter, Adapter):
            raise AdapterError(
                f"{where} is no Adapter, but {type(adapter).__name__}: {entry.value}"
            )
        if adapter.name in found:
            raise AdapterError(f"{where}: there is an adapter named {adapter.name} already")
        found[adapter.name] = adapter
    return {one.name: one for one in sorted(found.values(), key=lambda a: (a.rank, a.name))}


@cache
def own_adapters() -> dict[str, Adapter]:
    """The adapters that come with Cairn, by name."""
    found: list[Adapter] = [
        importlib.import_module(f"{__name__}.{module.name}").ADAPTER
        for module in pkgutil.iter_modules(__path__)
    ]
    return {adapter.name: adapter for adapter in found}
