"""A home of two namespaces, each with words that it alone knows."""

import json
from pathlib import Path

from cairn.resources.context import State
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import Settings
from cairn.resources.home.sources import add_source
from tests.journeys.running import follow

SAID = {
    "ada": ("orchard", "quincepress", "203.0.113.7"),
    "bo": ("lighthouse", "foghorn", "198.51.100.9"),
}
"""Namespace → project, topic and host that it alone knows."""


def words(name: str) -> tuple[str, ...]:
    """What nothing that is said to the other namespace may hold."""
    return (*SAID[name], f"/home/{name}/")


def build(place: Path) -> Path:
    """The home, built by the graph."""
    state = State(open_home(place / "home"), Settings())
    for name in SAID:
        (place / name).mkdir()
        sessions(place / name, name)
        add_source(state.home, place / name, name)
    follow(state)
    return place / "home"


def sessions(folder: Path, name: str) -> None:
    """Two sessions of a coding agent about what one namespace alone knows."""
    project, topic, host = SAID[name]
    cwd = f"/home/{name}/code/{project}"
    make = _call("t1", "Bash", {"command": f"make {topic}"})
    error = f"Error: the {topic} cache is stale\nmake: *** [{topic}] Error 1"
    change = {"file_path": f"{cwd}/{topic}.py", "old_string": "cache = load()",
              "new_string": f"cache = load(fresh=True)  # {topic}"}  # fmt: skip
    lines = [
        ("user", f"The {topic} build fails since yesterday. We always run the {topic} tests first."
                 f" Find out why and fix it, all of {project} waits."),
        ("assistant", [make]),
        ("user", [_result("t1", error, is_error=True)]),
        ("assistant", [
            {"type": "text", "text": f"The {topic} build failed because the {topic} cache was"
                                     " stale."},
            _call("t2", "Edit", change),
        ]),
        ("user", [_result("t2", "Updated.")]),
        ("assistant", [_call("t3", "Bash", {"command": f"make {topic}"})]),
        ("user", [_result("t3", "42 passed")]),
        ("assistant", [_call("t4", "Bash", {"command": f"ssh root@{host} 'ls -la'"})]),
        ("user", [_result("t4", "total 0")]),
        ("assistant", f"Fixed. The fix is to load the {topic} cache anew before each build; all 42"
                      f" tests of {topic} pass now."),
    ]  # fmt: skip
    for day in (1, 3):
        rows = (
            json.dumps(
                {
                    "type": role,
                    "uuid": f"{name}-{day}-{line}",
                    "cwd": cwd,
                    "timestamp": f"2026-03-0{day}T09:{line:02}:00Z",
                    "sessionId": f"{name}-session-{day}",
                    "message": {"role": role, "content": content},
                }
            )
            for line, (role, content) in enumerate(lines)
        )
        (folder / f"{name}-{day}.jsonl").write_text("\n".join(rows) + "\n")


def _call(id_: str, name: str, given: dict[str, str]) -> dict[str, object]:
    return {"type": "tool_use", "id": id_, "name": name, "input": given}


def _result(id_: str, content: str, *, is_error: bool = False) -> dict[str, object]:
    return {"type": "tool_result", "tool_use_id": id_, "content": content, "is_error": is_error}
