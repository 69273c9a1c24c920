"""Pictures inside log lines: dropped, with a marker that says how much was there."""

import re
from typing import Any

import msgspec

_DATA_URL = re.compile(r"data:[\w.+-]+/[\w.+-]+;base64,([A-Za-z0-9+/=_-]{64,})")
_SIGNS = (b"base64", b"inlineData")
_SHORTEST = 64
"""Shorter data is kept: it is no picture."""


def may_hold_images(data: bytes) -> bool:
    """Whether bytes can hold a picture; cheap, and sometimes wrong."""
    return any(sign in data for sign in _SIGNS)


def without_images(payload: bytes) -> tuple[bytes, int]:
    """A JSON payload without base64 data, and how many pieces were left out.

    Known are the content blocks of the model providers' APIs, file results with a `base64` field
    and data URLs in any text. A payload without any comes back as the same bytes.
    """
    count = 0

    def marker(kind: Any, length: int) -> dict[str, Any]:
        nonlocal count
        count += 1
        mark: dict[str, Any] = {"type": "image", "dropped": True, "bytes": length * 3 // 4}
        return mark | ({"media_type": kind} if isinstance(kind, str) else {})

    def words(url: re.Match[str]) -> str:
        nonlocal count
        count += 1
        return f"[image dropped: {len(url[1]) * 3 // 4} bytes]"

    def walked(value: Any) -> Any:
        if isinstance(value, str):
            return _DATA_URL.sub(words, value) if ";base64," in value else value
        if isinstance(value, list):
            return [walked(item) for item in value]
        if not isinstance(value, dict):
            return value
        data = value.get("data")
        kind = value.get("media_type") or value.get("mimeType") or value.get("mime_type")
        encoded = value.get("type") == "base64" or isinstance(kind, str)
        if encoded and isinstance(data, str) and _is_base64(data):
            return marker(kind, len(data))
        return {
            key: marker(None, len(item))
            if key == "base64" and isinstance(item, str) and len(item) >= _SHORTEST
            else walked(item)
            for key, item in value.items()
        }

    cleaned = walked(msgspec.json.decode(payload))
    return (msgspec.json.encode(cleaned), count) if count else (payload, 0)


def _is_base64(data: str) -> bool:
    return len(data) >= _SHORTEST and re.fullmatch(r"[A-Za-z0-9+/=_\s-]*", data[:256]) is not None
