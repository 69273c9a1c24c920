"""A chat about bees, and what a model says of it."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

from cairn.resources.home.settings import Settings
from cairn.resources.web.search_provider import Folder
from tests.resources.model_server import Said

CHAT = [
    ("user", "2026-03-01T09:00:00Z", "My bees are in the garden of the old mill."),
    ("assistant", "2026-03-01T09:00:05Z", "Good to know."),
    ("user", "2026-03-01T09:01:00Z", "Do the bees fly in the rain?"),
    ("user", "2026-03-01T09:02:00Z", "The bees were bought from Imker Brandt in April."),
]

MODEL = "openai/gpt-4o-mini"
DANCE = "The bees dance to show the way."
EVIL = "token = ghp_Rk29xPq7LmZ4vTn8sWc3yBd6fHj1aGe5uKo0"


def chat(folder: Path, name: str, said: Sequence[tuple[str, str, str]]) -> None:
    lines = (
        json.dumps({"role": role, "timestamp": time, "content": text, "conversation_id": name})
        for role, time, text in said
    )
    (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n")


def documents(place: Path) -> Folder:
    """Documents that a search finds things in."""
    folder = place / "documents"
    folder.mkdir()
    (folder / "bees.md").write_text(f"# On bees\n\n{DANCE}\n\nWasps do not.\n\n{EVIL}\n")
    (folder / "tea.md").write_text("# Tea\n\nGreen tea is brewed at 80 degrees.\n")
    return Folder(folder, 3)


def model_settings(base: str, model: str | None = MODEL, **more: object) -> Settings:
    """Settings with a language model on loopback."""
    values = {"model": model, "model_base": base, "model_max_retries": 0}
    return Settings.model_validate(values | more)


def telling(question: str) -> Said:
    """Finds the bees, and says of every message about them what it says."""
    messages = re.findall(r"^\[(\d+)\] .*\n    (.*)$", question, re.MULTILINE)
    about = [(int(number), text) for number, text in messages if "bees" in text]
    if "Names:" not in question:
        names = [{"name": "bees", "message": n, "quote": text} for n, text in about]
        return json.dumps({"names": names})
    return json.dumps(
        {
            "facts": [
                {"entity": "bees", "statement": text, "message": n, "quote": text,
                 "stance": "asserted"}
                for n, text in about
            ]
        }
    )  # fmt: skip


def looked_up(folder: Path, name: str, day: str, response: str) -> None:
    line = {"query": "what is new", "response": response, "timestamp": f"{day}T10:00:00Z",
            "trigger": "penny_enrichment"}  # fmt: skip
    (folder / f"{name}.jsonl").write_text(json.dumps(line) + "\n")
