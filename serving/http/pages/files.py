"""What pages load beside themselves, all of it from this server."""

from pathlib import Path

from fastapi import APIRouter, Response

FILES = {
    "/cairn.css": "text/css",
    "/cairn.svg": "image/svg+xml",
    "/cairn.js": "text/javascript",
    "/htmx.min.js": "text/javascript",
}
"""Kind of each, by its address: a stylesheet, a picture, keys of the review, and htmx."""

KEPT = {"cache-control": "max-age=3600"}
"""Seconds for which a browser asks no more."""

router = APIRouter(include_in_schema=False)


def _file(address: str, kind: str) -> None:
    content = Path(__file__).with_name(address.removeprefix("/"))

    def file() -> Response:
        return Response(content.read_bytes(), media_type=kind, headers=KEPT)

    router.get(address)(file)


for _address, _kind in FILES.items():
    _file(_address, _kind)
