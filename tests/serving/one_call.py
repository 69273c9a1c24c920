"""A session with one call, and the knowledge that is made of it."""

import json
from datetime import UTC, datetime

import polars as pl

from cairn.knowledge.assembly.build import build
from cairn.knowledge.engine.stage import StageContext
from cairn.knowledge.ingest.records import read_records
from cairn.knowledge.schema.policy import Policy
from cairn.resources.embedders.choice import load_embedder

CWD = "/home/cy/code/pier"


def session(tool: str, content: object, given: dict[str, str]) -> bytes:
    """A person asks, the agent makes one call, and says no more than that."""
    call = {"type": "tool_use", "id": "t1", "name": tool, "input": given}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": content}
    lines = [("user", "Look at the pier."), ("assistant", [call]), ("user", [result]),
             ("assistant", "Done.")]  # fmt: skip
    return b"".join(
        json.dumps({
            "type": role, "uuid": f"cy-{number}", "cwd": CWD, "sessionId": "cy",
            "timestamp": f"2026-03-04T09:0{number}:00Z",
            "message": {"role": role, "content": content},
        }).encode() + b"\n"
        for number, (role, content) in enumerate(lines)
    )  # fmt: skip


def knowledge_of(session: bytes) -> dict[str, pl.DataFrame]:
    read = read_records(
        session, namespace="cy", source_file="cy.jsonl", timezone="UTC",
        seen_at=datetime(2026, 3, 5, tzinfo=UTC), redactor=None,
    )  # fmt: skip
    return build(read.records, StageContext(Policy(), load_embedder("wordllama")))
