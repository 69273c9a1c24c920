"""Sessions as raw_logs has them, written in a few words."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl
import pytest

from cairn.knowledge.schema.tables import RAW_LOGS
from cairn.knowledge.vectors.model import Embedder
from cairn.resources.embedders.wordllama import WordllamaEmbedder

Say = tuple[Any, ...]
Session = Callable[..., pl.DataFrame]

PADDING = (
    ("agent", "I will implement the design now and then test the new pattern in this module."),
    ("agent", "The tests and the architecture are in place, and the error is gone for good."),
    ("run", "touch a", ""),
    ("run", "touch b", ""),
    ("run", "touch c", ""),
)
"""Enough for a conversation to be worth reading; nothing in it is a lesson."""

BEGIN = datetime(2026, 3, 2, 9, tzinfo=UTC)


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    return WordllamaEmbedder()


@pytest.fixture(scope="session")
def session() -> Session:
    """Builds one conversation from events.

    ("human" | "agent" | "system" | "recalled", text), ("prompt", text) to a sub-agent,
    ("run", command, output) with a further word "error" where the tool reported one,
    ("edit", file, old, new), ("ask", question, options, answer), ("tool", name, inputs, output).
    """

    def build(
        *events: Say,
        conversation: str = "c1",
        namespace: str = "default",
        project: str = "/home/ada/shop-api",
        begin: datetime = BEGIN,
    ) -> pl.DataFrame:
        rows: list[dict[str, object]] = []

        def add(line: int, kind: str, origin: str, **more: object) -> None:
            rows.append(
                {
                    "record_id": f"r_{namespace}_{conversation}_{len(rows):03}",
                    "native_id": f"{conversation}-{line}",
                    "block": 0,
                    "namespace": namespace,
                    "day": begin.date().isoformat(),
                    "source": "claude_code",
                    "conversation_id": conversation,
                    "seq": len(rows),
                    "kind": kind,
                    "origin": origin,
                    "text": "",
                    "is_error": False,
                    "sidechain": False,
                    "proactive": False,
                    "project": project,
                    "occurred_at": begin + timedelta(seconds=10 * len(rows)),
                    "source_file": "written by hand",
                    "source_line": line,
                    "content_hash": f"{kind}{len(rows)}",
                    "redactions": 0,
                    **more,
                }
            )

        def call(line: int, tool: str, inputs: dict[str, object], output: str, error: bool) -> None:
            name = f"call-{line}"
            add(
                line, "tool_call", "agent",
                tool_name=tool, tool_input=json.dumps(inputs), call_id=name,
            )  # fmt: skip
            add(line + 1, "tool_result", "tool", text=output, call_id=name, is_error=error)

        for line, event in enumerate(events):
            what, *rest = event
            if what == "run":
                failed = rest[2:] == ["error"]
                call(10 * line, "Bash", {"command": rest[0]}, rest[1], failed)
            elif what == "edit":
                inputs = {"file_path": rest[0], "old_string": rest[1], "new_string": rest[2]}
                call(10 * line, "Edit", dict(inputs), "The file has been updated.", error=False)
            elif what == "ask":
                question, options, answer = rest
                labels = [
                    {"label": label, "description": about}
                    for label, about in (option.split("=", 1) for option in options.split("|"))
                ]
                asked = {"questions": [{"question": question, "options": labels}]}
                answered = f'User has answered your questions: "{question}"="{answer}".'
                call(10 * line, "AskUserQuestion", dict(asked), answered, error=False)
            elif what == "tool":
                call(10 * line, rest[0], dict(rest[1]), rest[2], error=False)
            elif what == "prompt":
                add(10 * line, "message", "agent", text=rest[0], role="user", sidechain=True)
            else:
                add(10 * line, "message", what, text=rest[0])
        return RAW_LOGS.frame(rows)

    return build


@pytest.fixture(scope="session")
def solved() -> tuple[Say, ...]:
    """A session in which an error is met, explained, solved and checked."""
    return (
        ("human", "The order tests fail since this morning, please fix them."),
        ("agent", "I'll run the order tests first to see the error."),
        (
            "run",
            "cd /home/ada/shop-api && pytest tests/test_orders.py 2>&1 | tail -20",
            "Exit code 1\nTraceback (most recent call last):\n"
            '  File "/home/ada/shop-api/orders.py", line 12, in total\n'
            "ModuleNotFoundError: No module named 'tzdata'\n"
            "zoneinfo.ZoneInfoNotFoundError: 'No time zone found with key Europe/Berlin'\n"
            "1 failed, 8 passed in 0.41s",
            "error",
        ),
        (
            "agent",
            "The slim container image doesn't ship a time zone database, so `zoneinfo` finds no "
            "`Europe/Berlin`. I need to add `tzdata` to the requirements.",
        ),
        ("edit", "/home/ada/shop-api/requirements.txt", "pytest==9", "pytest==9\ntzdata==2025.2"),
        ("run", "pip install -r requirements.txt", "Successfully installed tzdata-2025.2"),
        ("run", "pytest tests/test_orders.py", "9 passed in 0.40s"),
        ("agent", "All 9 tests pass now."),
    )
