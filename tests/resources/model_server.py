"""A provider of language models on loopback: real HTTP, answers by script."""

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from werkzeug import Request, Response

from tests.resources.loopback import Loopback

Said = str | dict[str, Any] | Response
Script = Callable[[str], Said]
"""What is said to the last message of a question: a text, fields of the completion, or a whole
response."""


class ModelServer:
    """Speaks the protocols of OpenAI, Anthropic and Ollama, by the path that is asked for."""

    def __init__(self, port: int) -> None:
        self.root = f"http://127.0.0.1:{port}"
        self.base = f"{self.root}/v1"
        self.script: Script = lambda _: "{}"
        self.delay = 0.0
        self.tells: dict[str, dict[str, Any]] = {}
        """What it says of itself, by path; it counts as no question."""
        self.asked: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.times: list[float] = []
        self.most_at_once = 0
        self._at_once = 0
        self._lock = threading.Lock()

    @property
    def requests(self) -> int:
        """How many there were."""
        return len(self.asked)

    def rest(self) -> None:
        """Waits for what nobody waits for any more: it would be answered by the next test."""
        while self._at_once:
            time.sleep(0.01)

    def answer(self, request: Request) -> Response:
        if request.path in self.tells:
            return Response(json.dumps(self.tells[request.path]), content_type="application/json")
        if request.method == "GET" or request.path == "/api/show":
            return Response(status=404)
        body = json.loads(request.get_data())
        with self._lock:
            self.asked.append(body)
            self.paths.append(request.path)
            self.times.append(time.monotonic())
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            time.sleep(self.delay)
            last = body["prompt"] if "prompt" in body else body["messages"][-1]["content"]
            said = self.script(last if isinstance(last, str) else last[-1]["text"])
            if isinstance(said, Response):
                return said
            fields = {"content": said} if isinstance(said, str) else said
            return Response(
                json.dumps(said_by(request.path, fields)), content_type="application/json"
            )
        finally:
            with self._lock:
                self._at_once -= 1


Server = TypeVar("Server", bound=ModelServer)


def said_by(path: str, fields: dict[str, Any]) -> dict[str, Any]:
    """A completion in the form that a path asks for."""
    return {"/v1/messages": _anthropic, "/api/generate": _ollama}.get(path, _openai)(**fields)


def _openai(
    content: Any = "{}", finish: str | None = "stop", tokens: tuple[int, int, int] = (10, 5, 0),
    **message: Any,
) -> dict[str, Any]:  # fmt: skip
    read, written, cached = tokens
    said = {"role": "assistant", "content": content, **message}
    return {
        "id": "c", "object": "chat.completion", "created": 1, "model": "scripted",
        "choices": [{"index": 0, "finish_reason": finish, "message": said}],
        "usage": {
            "prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written,
            "prompt_tokens_details": {"cached_tokens": cached},
        },
    }  # fmt: skip


def _anthropic(content: str = "{}", finish: str = "end_turn") -> dict[str, Any]:
    return {
        "id": "m", "type": "message", "role": "assistant", "model": "scripted",
        "content": [{"type": "text", "text": content}] if content else [],
        "stop_reason": finish, "usage": {"input_tokens": 10, "output_tokens": 5},
    }  # fmt: skip


def _ollama(content: str = "{}", finish: str = "stop", written: int = 5) -> dict[str, Any]:
    return {
        "model": "scripted", "response": content, "done": True, "done_reason": finish,
        "prompt_eval_count": 10, "eval_count": written,
    }  # fmt: skip


def error(status: int, **headers: str) -> Response:
    """An error of the provider, which repeats what it was asked, as some do."""
    body = {"error": {"message": "the kiwi is green", "type": "x"}}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(json.dumps(body), status, named, content_type="application/json")


@contextmanager
def served(kind: type[Server] = ModelServer) -> Iterator[Server]:
    """A provider, until the end of the block."""
    http = Loopback()
    http.start()
    try:
        server = kind(http.port)
        http.expect_request(re.compile(".*")).respond_with_handler(server.answer)
        yield server
    finally:
        http.clear()
        http.stop()
