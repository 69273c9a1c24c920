"""A secret in a log reaches no table, no index, no file of the home."""

import json
from pathlib import Path

from cairn.knowledge.schema.tables import RAW_LOGS, TABLES
from cairn.resources.context import State
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import Settings
from cairn.resources.home.sources import add_source
from tests.journeys.running import follow

# Joined here, so that no scanner takes this file for a leak.
SECRETS = [
    "hunter2" + "-of-the-test",
    "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8",
    "AKIA" + "QZXCVBNMASDFGHJK",
    "pw-in" + "-the-url-91",
    "s3cr3t" + "PassInEnv",
]


def session(*messages: dict[str, object]) -> bytes:
    lines = [
        {
            "type": message["role"],
            "uuid": f"00000000-0000-4000-8000-{number:012}",
            "sessionId": "5ec12e75-0000-4000-8000-000000000000",
            "cwd": "/home/mira/projects/harbor",
            "timestamp": f"2026-02-05T10:00:{number:02}Z",
            "message": message,
        }
        for number, message in enumerate(messages)
    ]
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def bash(number: int, command: str) -> dict[str, object]:
    call = {"type": "tool_use", "id": f"toolu_{number}", "name": "Bash"}
    return {"role": "assistant", "content": [{**call, "input": {"command": command}}]}


def test_no_file_of_the_home_holds_a_secret(tmp_path: Path) -> None:
    password, token, key, in_url, in_env = SECRETS
    source = tmp_path / "logs"
    source.mkdir()
    (source / "session.jsonl").write_bytes(
        session(
            {
                "role": "user",
                "content": f"The NAS fails. Use the token {token} for the API, not s7{token}.",
            },
            bash(1, f"sshpass -p '{password}' ssh root@192.168.20.4 'ls -la'"),
            bash(2, f"PGPASSWORD={in_env} psql postgres://mira:{in_url}@db.example/shop"),
            {"role": "assistant", "content": f"The fix is aws_access_key_id={key} in the config."},
        )
    )
    state = State(open_home(tmp_path / "home"), Settings())
    add_source(state.home, source, "default")
    follow(state)

    logs = state.warehouse.read(RAW_LOGS).collect()
    assert logs["redactions"].sum() >= len(SECRETS)
    assert "ssh root@192.168.20.4" in " ".join(logs["tool_input"].drop_nulls())
    for table in TABLES.values():
        cells = state.warehouse.read(table).collect()
        text = json.dumps(cells.to_dicts(), default=str)
        assert [secret for secret in SECRETS if secret in text] == [], table.name
    for path in tmp_path.joinpath("home").rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert [s for s in SECRETS if s.encode() in content] == [], path.name
