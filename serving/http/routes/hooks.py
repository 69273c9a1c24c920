"""The route that hooks of agents call: what the hook client says, from a running server."""

import os
import pathlib
import time
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Thread
from typing import Annotated, Any

from fastapi import Depends, Path, Query, Request, Response
from starlette.requests import ClientDisconnect

from cairn.integrations import hook_client
from cairn.integrations.agents import AGENTS, cairn_command
from cairn.serving.http.auth import Asked
from cairn.serving.http.errors import HttpRefused, NotThere
from cairn.serving.http.routes.router import Routes
from cairn.serving.models.parameters import Parameters

router = Routes(prefix="/v1", tags=["hooks"])

PAYLOAD = {
    "description": "Whatever an agent sends: what cannot be read is nothing to say.",
    "properties": {"hook_event_name": {}, "session_id": {}},
    "examples": [
        {
            "hook_event_name": "UserPromptSubmit",
            "session_id": "5b1c",
            "cwd": "/home/mira/code/harbor-backup",
            "prompt": "Should the archives be gzip or zstd?",
        }
    ],
}
SAID = {
    "hookSpecificOutput": {
        "hookEventName": "UserPromptSubmit",
        "additionalContext": "<cairn-memory …> … </cairn-memory>",
    }
}


AgentName = Path(description=f"{', '.join(AGENTS)}.", examples=["claude-code"])


@dataclass(frozen=True)
class Payload:
    """What an agent sent, as far as it is read, and when it began to."""

    content: bytes
    started: float

    def read(self, _: int) -> bytes:
        """All of it, as the client reads what it is given."""
        return self.content


async def payload(request: Request) -> Payload:
    """The body, read to its end: an agent that cannot send the rest would show an error.

    Raises:
        HttpRefused: it breaks off.
    """
    started, content = time.monotonic(), bytearray()
    try:
        async for part in request.stream():
            content += part[: hook_client.MOST_READ + 1 - len(content)]
    except ClientDisconnect:
        raise HttpRefused(400, "the body breaks off") from None
    return Payload(bytes(content), started)


@router.post(
    "/hooks/{agent}",
    response_class=Response,
    responses={
        200: {"content": {"application/json": {"schema": {"type": "object"}, "example": SAID}}},
        204: {"description": "There is nothing to say, or something is wrong: see `cairn doctor`."},
    },
    openapi_extra={
        "requestBody": {"required": True, "content": {"application/json": {"schema": PAYLOAD}}}
    },
)
def hook(
    asked: Asked,
    agent: Annotated[str, AgentName],
    where: Annotated[Parameters, Query()],
    given: Annotated[Payload, Depends(payload)],
) -> Response:
    """Tell an agent what is known at a moment of its session, from its own payload.

    It is what the hook client would print. Nothing to say, and whatever goes wrong, is 204.
    """
    if agent not in AGENTS:
        raise NotThere("no such agent can be connected")
    home, namespace = asked.memory.state.home.root, asked.inbox(where.namespace)
    # Before a command runs it is asked only by agents that were told to.
    arguments = [agent, str(home), namespace, "warn", "--"]
    arguments += [*cairn_command(home), "intake", "--started"]
    queue = _queue if asked.caller.key is None else _refuse
    said = hook_client.main(arguments, given.read, given.started, queue)
    text: str = hook_client.printed(agent, said)
    return Response(text, 200 if text else 204, media_type="application/json" if text else None)


def _queue(
    home: str, agent: str, namespace: str, told: Mapping[str, Any], moment: str, program: list[str]
) -> None:
    """Queues a transcript of the agent's own folder: who can send here may name no other file."""
    folder = AGENTS[agent].transcripts(pathlib.Path.home(), os.environ)
    path = told.get("transcript_path")
    if (
        isinstance(path, str)
        and path
        and not _lies_in(pathlib.Path(path[: hook_client.LONGEST_PATH]), folder)
    ):
        raise hook_client.SilentError(f"the transcript does not lie in {folder}")
    started = hook_client.queue(home, agent, namespace, told, moment, program)
    if started is not None:  # else what has ended is kept until this process ends
        Thread(target=os.waitpid, args=(started, 0), name="intake", daemon=True).start()


def _lies_in(path: pathlib.Path, folder: pathlib.Path) -> bool:
    return path.resolve().is_relative_to(folder.resolve())


def _refuse(*_: object) -> None:
    """A key opens a namespace, and no files of this machine."""
    raise hook_client.SilentError("with a key no transcript is taken over HTTP: use the command")
