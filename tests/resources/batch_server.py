"""A provider on loopback that takes batches, in the forms of OpenAI and Anthropic."""

import json
import os
import signal
from typing import Any

from werkzeug import Request, Response

from tests.resources.model_server import ModelServer, said_by

NOW = "2026-03-01T03:30:00Z"


class BatchServer(ModelServer):
    """Answers a batch by its script when it is told that it `ended`; each request is asked once."""

    def __init__(self, port: int) -> None:
        super().__init__(port)
        self.ended = False
        self.state = "completed"
        """Of a batch of OpenAI's form that ended."""
        self.lost: set[str] = set()
        """Parts of questions that expire without an answer."""
        self.refuses = 0
        """Status of the answer to who submits a batch; 0 if it is taken."""
        self.cut = False
        """Whether a batch is taken, and who submitted it hears nothing of that."""
        self.kills = 0
        """A process that is killed when it has submitted a batch."""
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.deleted: set[str] = set()
        """Files and batches that it was told to delete."""
        self.headers: list[dict[str, str]] = []

    def answer(self, request: Request) -> Response:
        """What a path of batches gives; anything else is a question."""
        parts = request.path.removeprefix("/v1/").split("/")
        if parts[0] == "files":
            return self._files(request, parts[1:])
        if parts[0] == "batches":
            return self._openai(request, parts[1:])
        if parts[:2] == ["messages", "batches"]:
            return self._anthropic(request, parts[2:])
        return super().answer(request)

    def _files(self, request: Request, rest: list[str]) -> Response:
        if request.method == "POST":
            name = f"file-{len(self.files)}"
            self.files[name] = request.files["file"].read()
            return _json({"id": name, "object": "file", "bytes": 1, "created_at": 1,
                          "filename": "x", "purpose": "batch", "status": "processed"})  # fmt: skip
        if request.method == "DELETE":
            self.deleted.add(rest[0])
            return _json({"id": rest[0], "object": "file", "deleted": True})
        return Response(self.files[rest[0]])

    def _openai(self, request: Request, rest: list[str]) -> Response:
        if request.method == "POST":
            asked = json.loads(request.get_data())
            lines = self.files[asked["input_file_id"]].splitlines()
            requests = [json.loads(line) for line in lines]
            told = {"metadata": asked["metadata"], "input": asked["input_file_id"]}
            return self._taken({**told, "requests": requests})
        if not rest:
            listed = [self._as_openai(name) for name in self.batches]
            return _json({"object": "list", "data": listed, "has_more": False})
        return _json(self._as_openai(rest[0]))

    def _as_openai(self, name: str) -> dict[str, Any]:
        batch = self.batches[name]
        if self.ended and "output" not in batch:
            lines: list[str] = []
            for one in batch["requests"]:
                said = self._said(one["body"], "/v1/chat/completions")
                if said is not None:
                    response = {"status_code": said[0], "request_id": "r", "body": said[1]}
                    told = {"id": "x", "custom_id": one["custom_id"], "response": response}
                    lines.append(json.dumps(told))
            batch["output"] = f"file-of-{name}"
            self.files[batch["output"]] = "\n".join(lines).encode()
        return {
            "id": name, "object": "batch", "endpoint": "/v1/chat/completions", "created_at": 1,
            "completion_window": "24h", "input_file_id": batch["input"],
            "metadata": batch["metadata"], "status": self.state if self.ended else "in_progress",
            "output_file_id": batch.get("output"),
        }  # fmt: skip

    def _anthropic(self, request: Request, rest: list[str]) -> Response:
        self.headers.append(dict(request.headers))
        if request.method == "POST":
            return self._taken({"requests": json.loads(request.get_data())["requests"]})
        if request.method == "DELETE":
            self.deleted.add(rest[0])
            return _json({"id": rest[0], "type": "message_batch_deleted"})
        if not rest:
            return _json({"data": [self._as_anthropic(name) for name in self.batches]})
        if rest[1:] == ["results"]:
            lines: list[str] = []
            for one in self.batches[rest[0]]["requests"]:
                said = self._said(one["params"], "/v1/messages")
                result: dict[str, Any] = {"type": "expired"}
                if said is not None:
                    status, body = said
                    result = {"type": "succeeded", "message": body}
                    if status != 200:
                        kind = {"type": "invalid_request_error", "message": "no"}
                        result = {"type": "errored", "error": {"type": "error", "error": kind}}
                lines.append(json.dumps({"custom_id": one["custom_id"], "result": result}))
            return Response("\n".join(lines))
        return _json(self._as_anthropic(rest[0]))

    def _as_anthropic(self, name: str) -> dict[str, Any]:
        return {
            "id": name, "type": "message_batch", "created_at": self.batches[name]["at"],
            "processing_status": "ended" if self.ended else "in_progress",
            "request_counts": {"processing": len(self.batches[name]["requests"])},
        }  # fmt: skip

    def _taken(self, batch: dict[str, Any]) -> Response:
        if self.refuses:
            return Response(status=self.refuses)
        name = f"batch-{len(self.batches)}"
        self.batches[name] = {"at": NOW, **batch}
        if self.kills:
            os.kill(self.kills, signal.SIGKILL)
        if self.cut:
            return Response(status=503)
        if "metadata" in batch:
            return _json(self._as_openai(name))
        return _json(self._as_anthropic(name))

    def _said(self, body: dict[str, Any], path: str) -> tuple[int, dict[str, Any]] | None:
        """Status and body of the answer to one request; None if it expires."""
        last = body["messages"][-1]["content"]
        question = last if isinstance(last, str) else last[-1]["text"]
        if any(part in question for part in self.lost):
            return None
        said = self.script(question)
        if isinstance(said, Response):
            return said.status_code, json.loads(said.get_data())
        return 200, said_by(path, {"content": said} if isinstance(said, str) else said)


def _json(value: Any) -> Response:
    return Response(json.dumps(value), content_type="application/json")
