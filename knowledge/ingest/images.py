"""Pictures inside log lines: dropped, with a marker that says how much was there."""

import re
from typing import Any

import msgspec
import polars as pl

_DATA_URL = re.compile(r"data:[\w.+-]+/[\w.+-]+(?:;[\w.=+-]+)*;base64,([A-Za-z0-9+/=_-]{64,})")
_BEGINNINGS = ("iVBORw0KGgo", "/9j/", "R0lGOD", "UklGR")
"""How the base64 of PNG, JPEG, GIF and WebP begins."""
_SIGNS = r'base64|inline_?[Dd]ata|"(?:iVBORw0KGgo|\\?/9j|R0lGOD|UklGR)'
_SHORTEST = 64
"""Shorter data is kept: it is no picture."""


def may_hold_images(payloads: pl.Series) -> pl.Series:
    """Whether texts can hold a picture; cheap, and sometimes wrong."""
    return payloads.str.contains(_SIGNS)


def without_images(payload: bytes) -> tuple[bytes, int]:
    """A JSON payload without base64 data, and how many pieces were left out.

    Known are the content blocks of the model providers' APIs, file results with a `base64` field,
    data URLs in any text, and texts that are a picture. A payload without any comes back as the
    same bytes.
    """
    count: int = 0

    def marker(data: str, kind: Any = None) -> dict[str, Any]:
        nonlocal count
        count += 1
        mark: dict[str, Any] = {"type": "image", "dropped": True, "bytes": len(data) * 3 // 4}
        return mark | ({"media_type": kind} if isinstance(kind, str) else {})

    def words(data: str) -> str:
        return f"[image dropped: {marker(data)['bytes']} bytes]"

    def text(key: Any, value: str) -> Any:
        if key == "base64" and len(value) >= _SHORTEST:
            return marker(value)
        if value.startswith(_BEGINNINGS) and _is_base64(value):
            return words(value)
        return _DATA_URL.sub(lambda url: words(url[1]), value) if ";base64," in value else value

    whole = [msgspec.json.decode(payload)]
    within: list[Any] = [whole]
    while within:  # not by recursion: logs nest deeper than Python may call
        parent = within.pop()
        for key, value in parent.items() if isinstance(parent, dict) else enumerate(parent):
            if isinstance(value, str):
                parent[key] = text(key, value)
            elif isinstance(value, dict) and (kind := _picture(value)):
                parent[key] = marker(value["data"], kind)
            elif isinstance(value, (dict, list)):
                within.append(value)
    return (msgspec.json.encode(whole[0]), count) if count else (payload, 0)


def _picture(block: dict[str, Any]) -> Any:
    """The media type of a block that is base64 data; False if it is none."""
    kind = block.get("media_type") or block.get("mimeType") or block.get("mime_type")
    data = block.get("data")
    encoded = block.get("type") == "base64" or isinstance(kind, str)
    return encoded and isinstance(data, str) and _is_base64(data) and (kind or True)


def _is_base64(data: str) -> bool:
    return len(data) >= _SHORTEST and re.fullmatch(r"[A-Za-z0-9+/=_\s-]*", data[:256]) is not None
