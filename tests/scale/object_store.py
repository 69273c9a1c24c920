"""An S3 server on a free port: `python object_store.py LOG`; prints the port.

Runs in the environment that `make test-scale` makes. Each request is a line of LOG; while there is
a file `LOG.failing`, one in fifty is answered by an error.
"""

import logging
import sys
from collections.abc import Callable, Iterable
from itertools import count
from pathlib import Path
from typing import Any

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import WSGIRequestHandler, make_server

logging.getLogger("werkzeug").setLevel(logging.ERROR)
file = Path(sys.argv[1])
failing = file.with_suffix(".failing")
log = file.open("a", buffering=1)
backend = DomainDispatcherApplication(create_backend_app)
numbers = count(1)


def answer(asked: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
    """What S3 would answer, or that it is not there now."""
    log.write(f"{asked['REQUEST_METHOD']} {asked['PATH_INFO']}?{asked.get('QUERY_STRING', '')}\n")
    if next(numbers) % 50 == 0 and failing.exists():
        asked["wsgi.input"].read(int(asked.get("CONTENT_LENGTH") or 0))
        start("503 Slow Down", [("content-type", "application/xml")])
        return [b"<Error><Code>SlowDown</Code></Error>"]
    return backend(asked, start)


class KeptOpen(WSGIRequestHandler):
    """A connection serves many requests."""

    protocol_version = "HTTP/1.1"


server = make_server("127.0.0.1", 0, answer, threaded=True, request_handler=KeptOpen)
print(server.port, flush=True)  # noqa: T201  to who started it
server.serve_forever()
