"""A server on loopback that ends as soon as it is told to."""

from pytest_httpserver import HTTPServer


class Loopback(HTTPServer):
    """One that any thread may ask; it looks each hundredth of a second whether it is to end."""

    def __init__(self) -> None:
        super().__init__("127.0.0.1", threaded=True)

    def thread_target(self) -> None:
        """By itself it looks twice a second, and each test that has one would wait for that."""
        assert self.server is not None
        self.server.serve_forever(poll_interval=0.01)
