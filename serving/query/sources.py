"""The watched sources of a namespace, and how much of each was taken in."""

from pathlib import Path
from typing import Any

from cairn.knowledge.schema.tables import SOURCE_FILES
from cairn.resources.home.log_files import log_files
from cairn.resources.home.sources import list_sources
from cairn.serving.read.reader import Reader


def sources(reader: Reader, limit: int = 20) -> dict[str, Any]:
    """Sources in their order, as they stand now.

    Returns:
        items: path, timezone, gone (nothing is there now), files, bytes, changed (files that are
        new or have grown since they were read), rejected (files of an unknown kind, or that
        cannot be read).
    """
    read = reader.state.warehouse.read(SOURCE_FILES, namespace=reader.namespace).collect()
    columns = ("path", "size", "modified_ns", "outcome")
    known = {path: tuple(rest) for path, *rest in read.select(columns).iter_rows()}
    items: list[dict[str, Any]] = []
    for source in list_sources(reader.state.home):
        if source.namespace != reader.namespace:
            continue
        files = list(log_files(Path(source.path), source.namespace, source.timezone))
        then = [known.get(file.name) for file in files]
        items.append(
            {
                "path": source.path,
                "timezone": source.timezone,
                "gone": source.is_gone,
                "files": len(files),
                "bytes": sum(file.size for file in files),
                "changed": sum(
                    seen is None or seen[:2] != (file.size, file.modified_ns)
                    for file, seen in zip(files, then, strict=True)
                ),
                "rejected": sum(
                    seen is not None and seen[2] in ("rejected", "failed") for seen in then
                ),
            }
        )
    return {"items": items[:limit], "total": len(items)}
