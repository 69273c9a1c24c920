"""What is kept of what people say: messages with what should be remembered of them, or nothing.

    python -m benchmarks said [--json] [--missed SET]

Each message of benchmarks/said/ stands in a conversation of its own, before it and behind it a word
of the agent. Those who wrote the messages did not know the rules. A message that holds something is
found where a fact of PREDICATES rests on it, whatever words are kept; one that holds nothing (kind
`drop`) is wrongly kept then. Sets named `whole` are of whole sessions, in which three messages of
four hold nothing, as in life; of the others the half that holds nothing was written to look as if.
Sets named `retold` are what people typed to agents in public projects, message for message, told
again of made-up ones: as long, as vague, with the same slips; six of seven hold nothing.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import polars as pl

from cairn.knowledge.extraction.candidates import candidates
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import RAW_LOGS

SAID = Path(__file__).parent / "said"
FITTED = frozenset(
    [f"sessions_{each}" for each in (1, 2, 3)]
    + [f"sessions_whole_{each}" for each in range(1, 7)]
    + [f"sessions_retold_{each}" for each in range(1, 20)]
    + ["chats_usual"]
    + [f"chats_whole_{each}" for each in range(1, 6)]
    + [f"chats_warm_{each}" for each in range(1, 6)]
)
"""What rules were mended by, or weights fitted to (benchmarks/salience.py). The others are held
out: `chats_idioms` was looked at, and hardly anything was mended for it."""

PREDICATES = ("states", "directs", "decides", "refuses")
"""What a person says that is knowledge."""

NOTHING = "drop"


class Message(NamedTuple):
    """What somebody wrote, and what should be remembered of it."""

    kind: str
    """What it says (directive, decision, fact, lesson, keep), or NOTHING."""
    text: str
    remembered: str


def messages(name: str) -> list[Message]:
    """One set."""
    lines = (SAID / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
    return [Message(*line.split("\t")) for line in lines]


def kept(said: Sequence[Message], *, in_project: bool) -> list[bool]:
    """Of each message whether anything is kept of it."""
    words = RAW_LOGS.frame(
        _row(f"{number:04}", seq, text, in_project)
        for number, message in enumerate(said)
        for seq, text in enumerate(("All of it is done.", message.text, "I see."))
    )
    found = candidates(words, Policy()).candidates.filter(pl.col("predicate").is_in(PREDICATES))
    there = set(found["record_id"].to_list())
    return [f"{number:04}-1" in there for number in range(len(said))]


def _row(conversation: str, seq: int, text: str, in_project: bool) -> dict[str, object]:
    return {
        "record_id": f"{conversation}-{seq}", "native_id": f"{conversation}-{seq}", "block": 0,
        "namespace": "said", "day": "2026-03-01", "conversation_id": conversation, "seq": seq,
        "source": "claude_code" if in_project else "generic_chat", "kind": "message",
        "origin": "human" if seq == 1 else "agent", "text": text, "is_error": False,
        "sidechain": False, "proactive": False, "project": "/home/ada/quay" if in_project else None,
        "occurred_at": datetime(2026, 3, 1, tzinfo=UTC), "source_file": conversation,
        "source_line": seq, "content_hash": text, "redactions": 0,
    }  # fmt: skip


def measured() -> dict[str, dict[str, dict[str, int]]]:
    """By set and kind: `messages`, and of how many something is kept."""
    result: dict[str, dict[str, dict[str, int]]] = {}
    for name in sorted(file.stem for file in SAID.glob("*.tsv")):
        said = messages(name)
        there = kept(said, in_project=name.startswith("sessions"))
        whole = Counter(message.kind for message in said)
        found = Counter(one.kind for one, is_kept in zip(said, there, strict=True) if is_kept)
        result[name] = {
            kind: {"messages": count, "kept": found[kind]} for kind, count in sorted(whole.items())
        }
    return result


def table(result: Mapping[str, Mapping[str, Mapping[str, int]]]) -> Iterator[str]:
    """Lines of Markdown."""
    yield "| set | kind | messages | kept |"
    yield "| --- | --- | ---: | ---: |"
    for name, kinds in result.items():
        shown = f"{name}, mended by" if name in FITTED else name
        for kind, own in kinds.items():
            told = "nothing to keep" if kind == NOTHING else kind
            yield f"| {shown} | {told} | {own['messages']} | {own['kept']} |"


def main(arguments: Sequence[str]) -> None:
    """Measures, and prints the table; or what is missed and wrongly kept of one set."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks said", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the measurements as JSON")
    parser.add_argument("--missed", metavar="SET", help="what a set has that is not told right")
    given = parser.parse_args(arguments)
    if given.missed:
        said = messages(given.missed)
        there = kept(said, in_project=given.missed.startswith("sessions"))
        for message, is_kept in zip(said, there, strict=True):
            if is_kept == (message.kind == NOTHING):
                print(f"{message.kind}: {message.text}")
        return
    result = measured()
    print(json.dumps(result, indent=1) if given.json else "\n".join(table(result)))
